// Hosts 23 to 27. They take entries and TTLs as two lists, restore entries, and share a module
// cache.

use super::soroban_env_host::{
    budget::Budget,
    e2e_invoke::{self, InvokeHostFunctionResult},
    vm::wasm_module_memory_cost,
    xdr::{ContractCodeEntry, DiagnosticEvent},
    HostError, LedgerInfo, ModuleCache, TraceHook,
};
use crate::hosts::interface::{slices, HostInput};

#[path = "fees_from_23.rs"]
mod fees_from_23;
#[path = "module_cache.rs"]
mod module_cache;

pub use fees_from_23::*;
pub use module_cache::prepare_modules;

pub fn invoke(
    budget: &Budget,
    input: &HostInput,
    modules: ModuleCache,
    ledger: LedgerInfo,
    diagnostics: &mut Vec<DiagnosticEvent>,
    trace: Option<TraceHook>,
) -> Result<InvokeHostFunctionResult, HostError> {
    let ttls = input.existing_ttls();
    e2e_invoke::invoke_host_function(
        budget,
        input.diagnostics,
        input.host_function.as_slice(),
        input.resources.as_slice(),
        input.restored_rw_entry_indices,
        input.source_account.as_slice(),
        input.auth_slices(),
        ledger,
        input.existing_entries(),
        slices(ttls.iter().map(Vec::as_slice)),
        input.base_prng_seed.as_slice(),
        diagnostics,
        trace,
        Some(modules),
    )
}

pub fn code_memory_bytes(budget: &Budget, code: &ContractCodeEntry) -> Result<u64, HostError> {
    wasm_module_memory_cost(budget, code)
}
