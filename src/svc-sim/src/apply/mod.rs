// The work of stellar-core around the contract host that decides a transaction's result, for the
// three Soroban operations. Each file names the stellar-core source that it follows.

mod diagnostics;
mod extend;
mod fees;
mod footprint_operation;
mod invoke;
mod journal;
mod restore;

use crate::{
    hosts::{
        interface::{CostByType, HostErrorInfo},
        recorded::RecordedRun,
        trace::{Trace, TraceStep},
    },
    input::Input,
    state::EntryState,
    xdr_codec::xdr::{LedgerEntryData, LedgerKey, Memo, OperationBody, OperationResult},
};
use diagnostics::Diagnostics;

pub use fees::ChargedFees;
pub use journal::Row;

pub enum AppliedOutcome {
    Success,
    /// The result's name in the XDR.
    Failed(String),
    InternalError(String),
}

/// The effects and the result of the operation.
pub struct Applied {
    pub operation: &'static str,
    pub outcome: AppliedOutcome,
    /// `None` on an internal error.
    pub operation_result: Option<OperationResult>,
    pub changes: Vec<Row>,
    pub success_hash: Option<[u8; 32]>,
    pub return_value: Option<Vec<u8>>,
    pub events: Vec<Vec<u8>>,
    pub diagnostics: Vec<Vec<u8>>,
    pub host_error: Option<HostErrorInfo>,
    pub fees: ChargedFees,
    /// The metrics in the order of their names. Empty if nothing was invoked.
    pub metrics: Vec<(&'static str, u64)>,
    /// Protocol 20 only: the metric `cpu_insn` as stellar-core before release 22 counts it.
    pub cpu_insn_before_22: Option<u64>,
    pub costs: Vec<CostByType>,
    pub trace: Vec<TraceStep>,
    /// The trace of a second run that records host calls. `None` if that run differed from the
    /// first.
    pub host_call_trace: Option<Vec<TraceStep>>,
    /// A second run that was recorded for stepping. `None` if that run differed from the first.
    pub recorded: Option<RecordedRun>,
    pub host_nanoseconds: u64,
}

/// The choice of what a run records besides its outcome. None of it is metered.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub diagnostics: bool,
    pub trace: Trace,
    pub host_calls: bool,
    pub record: bool,
}

pub fn apply(input: &Input, wanted: Wanted) -> Applied {
    let applied = match &input.transaction.operation.body {
        OperationBody::InvokeHostFunction(operation) => invoke::apply(input, operation, wanted),
        OperationBody::ExtendFootprintTtl(operation) => extend::apply(input, operation),
        OperationBody::RestoreFootprint(_) => restore::apply(input),
        _ => unreachable!("Transaction::read admits Soroban operations only"),
    };
    match &input.transaction.memo {
        // stellar-core's test builds throw an exception for this memo
        // (`maybeTriggerTestInternalError`).
        Memo::Text(text) if cfg!(feature = "core-test-build") && text.as_slice() == TEST_MEMO => {
            applied.into_internal_error("a test build throws for this memo")
        }
        _ => applied,
    }
}

const TEST_MEMO: &[u8] = b"txINTERNAL_ERROR";

impl Applied {
    pub fn metric(&self, name: &str) -> Option<u64> {
        self.metrics.iter().find(|(named, _)| *named == name).map(|(_, value)| *value)
    }

    /// Makes a value that has an outcome and fees only.
    fn new(
        operation: &'static str,
        outcome: AppliedOutcome,
        operation_result: Option<OperationResult>,
        fees: ChargedFees,
    ) -> Applied {
        Applied {
            operation,
            outcome,
            operation_result,
            changes: vec![],
            success_hash: None,
            return_value: None,
            events: vec![],
            diagnostics: vec![],
            host_error: None,
            fees,
            metrics: vec![],
            cpu_insn_before_22: None,
            costs: vec![],
            trace: vec![],
            host_call_trace: None,
            recorded: None,
            host_nanoseconds: 0,
        }
    }

    /// The result of an exception after the operation: no effects, and the refundable fee is
    /// returned in full.
    fn into_internal_error(mut self, message: &str) -> Applied {
        self.fees.reset();
        Applied {
            outcome: AppliedOutcome::InternalError(message.to_string()),
            operation_result: None,
            changes: vec![],
            success_hash: None,
            return_value: None,
            events: vec![],
            ..self
        }
    }
}

/// Says whether an entry's size is within the network's limit (`validateContractLedgerEntry`).
fn entry_size_is_valid(
    input: &Input,
    key: &LedgerKey,
    size_bytes: u32,
    diagnostics: &mut Diagnostics,
) -> bool {
    let (limit, message) = match key {
        LedgerKey::ContractCode(_) => (
            input.settings.max_contract_size_bytes,
            "Wasm size exceeds network config maximum contract size",
        ),
        LedgerKey::ContractData(_) => (
            input.settings.max_contract_data_entry_size_bytes,
            "ContractData size exceeds network config maximum size",
        ),
        _ => return true,
    };
    diagnostics.within(size_bytes, limit, message)
}

/// The size in bytes that rent is paid for: the entry's XDR and, from protocol 23, the memory that
/// the module of contract code takes (`ledgerEntrySizeForRent`, LedgerTypeUtils.cpp).
fn size_for_rent(input: &Input, entry: &EntryState) -> Result<u32, String> {
    let size = entry.value.bytes.len() as u32;
    match &entry.value.entry.data {
        LedgerEntryData::ContractCode(code) if input.ledger.protocol_version >= 23 => {
            let memory = input.settings.code_memory_bytes(input.host, code)?;
            Ok(size.saturating_add(memory))
        }
        _ => Ok(size),
    }
}
