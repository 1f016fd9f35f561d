// InvokeHostFunction (InvokeHostFunctionOpFrame.cpp, `InvokeHostFunctionApplyHelper::doApply`):
// loads the footprint, runs the host, records its writes and events, and consumes the refundable
// fee.

mod load;
mod metrics;
mod record;
mod run_host;

use super::{
    diagnostics::Diagnostics, journal::Journal, Applied, AppliedOutcome, ChargedFees, Wanted,
};
use crate::{
    hosts::{
        interface::{FootprintEntry, HostErrorInfo, HostOutput, HostSuccess},
        recorded::RecordedRun,
        trace::TraceStep,
    },
    input::Input,
    xdr_codec::{
        sha256,
        xdr::{
            InvokeHostFunctionOp,
            InvokeHostFunctionResult::{self, InsufficientRefundableFee, ResourceLimitExceeded},
            OperationResult, OperationResultTr,
        },
        xdr_name,
    },
};
use metrics::Metrics;

const NAME: &str = "invoke_host_function";

pub fn apply(input: &Input, operation: &InvokeHostFunctionOp, wanted: Wanted) -> Applied {
    let mut run = Run {
        input,
        metrics: Metrics::default(),
        journal: Journal::new(input.ledger.sequence),
        entries: vec![],
        restored_indexes: vec![],
        cached_modules: vec![],
        uncached_modules: vec![],
        fees: ChargedFees::before_execution(input),
        diagnostics: Diagnostics::default(),
        host_error: None,
        cpu_insn_before_22: None,
        host: HostOutput::default(),
        host_call_trace: None,
        recorded: None,
    };
    let ended = run.execute(operation, wanted);
    run.finish(ended)
}

/// Why the operation stopped short of success.
enum Stop {
    Failed(InvokeHostFunctionResult),
    InternalError(String),
}

struct Run<'a> {
    input: &'a Input,
    metrics: Metrics,
    journal: Journal<'a>,
    entries: Vec<FootprintEntry<'a>>,
    restored_indexes: Vec<u32>,
    cached_modules: Vec<([u8; 32], &'a [u8])>,
    uncached_modules: Vec<[u8; 32]>,
    fees: ChargedFees,
    diagnostics: Diagnostics,
    host_error: Option<HostErrorInfo>,
    cpu_insn_before_22: Option<u64>,
    /// Empty where the host did not run.
    host: HostOutput,
    host_call_trace: Option<Vec<TraceStep>>,
    recorded: Option<RecordedRun>,
}

impl Run<'_> {
    fn execute(
        &mut self,
        operation: &InvokeHostFunctionOp,
        wanted: Wanted,
    ) -> Result<HostSuccess, Stop> {
        let footprint = &self.input.transaction.soroban.resources.footprint;
        self.load(&footprint.read_only, true)?;
        self.load(&footprint.read_write, false)?;
        let mut success = self.run_host(operation, wanted)?;
        self.record_writes(std::mem::take(&mut success.modified_entries))?;
        self.collect_events(&success.contract_events, &success.return_value)?;
        let (input, events_bytes) = (self.input, self.metrics.emit_event_byte);
        let rent = success.rent_fee;
        match self.fees.consume_refundable(input, rent, events_bytes, &mut self.diagnostics) {
            true => Ok(success),
            false => Err(Stop::Failed(InsufficientRefundableFee)),
        }
    }

    fn limit(
        &mut self,
        used: impl Into<u64>,
        limit: impl Into<u64>,
        message: &str,
    ) -> Result<(), Stop> {
        match self.diagnostics.within(used, limit, message) {
            true => Ok(()),
            false => Err(Stop::Failed(ResourceLimitExceeded)),
        }
    }

    fn finish(mut self, ended: Result<HostSuccess, Stop>) -> Applied {
        let success_hash = ended.as_ref().ok().map(success_hash_of);
        let (outcome, result) = match &ended {
            Ok(_) => {
                let hash = success_hash.unwrap_or_default();
                (AppliedOutcome::Success, Some(InvokeHostFunctionResult::Success(hash.into())))
            }
            Err(Stop::Failed(result)) => {
                let code = xdr_name(NAME, result.name());
                (AppliedOutcome::Failed(code), Some(result.clone()))
            }
            Err(Stop::InternalError(message)) => {
                (AppliedOutcome::InternalError(message.clone()), None)
            }
        };
        if ended.is_err() {
            self.fees.reset();
        }
        let result = result.map(OperationResultTr::InvokeHostFunction);
        let applied = Applied::new(NAME, outcome, result.map(OperationResult::OpInner), self.fees);
        let applied = Applied {
            diagnostics: self.diagnostics.0,
            host_error: self.host_error,
            metrics: self.metrics.by_name(),
            cpu_insn_before_22: self.cpu_insn_before_22,
            costs: self.host.costs,
            trace: self.host.trace,
            host_call_trace: self.host_call_trace,
            recorded: self.recorded,
            host_nanoseconds: self.host.host_nanoseconds,
            ..applied
        };
        match ended {
            Err(_) => applied,
            Ok(success) => Applied {
                changes: self.journal.into_rows(),
                success_hash,
                return_value: Some(success.return_value),
                events: success.contract_events,
                ..applied
            },
        }
    }
}

/// sha256(return value ‖ u32be(n) ‖ events): InvokeHostFunctionSuccessPreImage.
fn success_hash_of(success: &HostSuccess) -> [u8; 32] {
    let mut preimage = success.return_value.clone();
    preimage.extend((success.contract_events.len() as u32).to_be_bytes());
    success.contract_events.iter().for_each(|event| preimage.extend(event));
    sha256(&preimage)
}
