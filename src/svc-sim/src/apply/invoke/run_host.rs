// Runs the host, and translates its failure into a result of the operation.

use super::{Run, Stop};
use crate::{
    apply::Wanted,
    hosts::{
        before_22::second_look_ups,
        interface::{HostInput, HostResult, HostSuccess},
        trace::Trace,
    },
    xdr_codec::{
        encode,
        xdr::{InvokeHostFunctionOp, InvokeHostFunctionResult::Trapped},
    },
};

impl Run<'_> {
    pub fn run_host(
        &mut self,
        operation: &InvokeHostFunctionOp,
        wanted: Wanted,
    ) -> Result<HostSuccess, Stop> {
        let input = self.input;
        let resources = &input.transaction.soroban.resources;
        let mut host_input = HostInput {
            ledger: &input.ledger,
            instruction_limit: resources.instructions,
            memory_limit_bytes: input.settings.transaction_memory_limit_bytes,
            cost_params: &input.settings.cost_params,
            host_function: encode(&operation.host_function),
            resources: encode(resources),
            source_account: encode(&input.transaction.operation_source()),
            auth_entries: operation.auth.iter().map(encode).collect(),
            restored_rw_entry_indices: &self.restored_indexes,
            entries: &self.entries,
            cached_modules: &self.cached_modules,
            uncached_modules: &self.uncached_modules,
            base_prng_seed: input.base_prng_seed,
            fee_rates: &input.settings.fees,
            // Without diagnostics the call tree would have no names.
            diagnostics: wanted.diagnostics || wanted.trace != Trace::Nothing,
            trace: wanted.trace,
        };
        let mut output = (input.host.invoke)(&host_input);
        if wanted.host_calls {
            // Recorded values take memory that the host has for diagnostics, so they have a run of
            // their own.
            host_input.trace = Trace::HostCalls;
            let again = (input.host.invoke)(&host_input);
            self.host_call_trace = output.ended_like(&again).then_some(again.trace);
        }
        if wanted.record {
            host_input.trace = Trace::Record;
            let again = (input.host.invoke)(&host_input);
            let same = output.ended_like(&again);
            self.recorded = again.recorded.filter(|_| same);
        }
        self.metrics.cpu_insn = output.cpu_instructions;
        self.metrics.mem_byte = output.memory_bytes;
        self.diagnostics.0.append(&mut output.diagnostics);
        let result = std::mem::take(&mut output.result);
        self.host = output;
        match result {
            HostResult::Success(success) => {
                self.cpu_insn_before_22 = self.counted_before_22();
                Ok(success)
            }
            HostResult::Failure { error, internal } => {
                self.host_error = Some(error);
                Err(self.failure(internal))
            }
            HostResult::Broken { message } => Err(Stop::InternalError(message)),
        }
    }

    /// The instructions as stellar-core before release 22 counted them. `None` also if they exceed
    /// the limit, because such a release had another outcome.
    fn counted_before_22(&self) -> Option<u64> {
        if self.input.ledger.protocol_version != 20 {
            return None;
        }
        let resources = &self.input.transaction.soroban.resources;
        let keys =
            resources.footprint.read_only.iter().chain(resources.footprint.read_write.iter());
        let existed = self.entries.iter().map(|entry| entry.entry.is_some());
        let footprint = keys.map(encode).zip(existed);
        let more = second_look_ups(footprint, &self.input.settings.cost_params)?;
        let counted = self.metrics.cpu_insn + more;
        (counted <= resources.instructions.into()).then_some(counted)
    }

    /// A run that is out of wasm fuel stops just below the limit, and is therefore TRAPPED.
    fn failure(&mut self, internal: bool) -> Stop {
        if internal {
            return Stop::InternalError("the contract host reported an internal error".into());
        }
        let declared = self.input.transaction.soroban.resources.instructions;
        let memory_limit = self.input.settings.transaction_memory_limit_bytes;
        let (cpu, memory) = (self.metrics.cpu_insn, self.metrics.mem_byte);
        self.limit(cpu, declared, "operation instructions exceeds amount specified")
            .and_then(|()| {
                let message = "operation memory usage exceeds network config limit";
                self.limit(memory, memory_limit, message)
            })
            .err()
            .unwrap_or(Stop::Failed(Trapped))
    }
}
