// Hosts from 28. For each key of the footprint they take an optional entry with its TTL, which they
// decode when it is first read.

use super::soroban_env_host::{
    budget::Budget,
    e2e_invoke::{self, InvokeHostFunctionResult, TtlLedgerEntryMeta},
    vm::wasm_module_memory_cost,
    xdr::{ContractCodeEntry, DiagnosticEvent},
    HostError, LedgerInfo, ModuleCache, TraceHook,
};
use crate::hosts::interface::HostInput;

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
    let entries: Vec<(Option<&[u8]>, Option<TtlLedgerEntryMeta>)> = input
        .entries
        .iter()
        .map(|e| {
            let ttl = e.ttl.as_ref().map(|ttl| TtlLedgerEntryMeta {
                live_until_ledger: ttl.live_until_ledger,
                entry_size_for_rent: ttl.entry_size_for_rent,
            });
            (e.entry, ttl)
        })
        .collect();
    e2e_invoke::invoke_host_function(
        budget,
        input.diagnostics,
        input.host_function.as_slice(),
        input.resources.as_slice(),
        input.restored_rw_entry_indices,
        input.source_account.as_slice(),
        input.auth_slices(),
        ledger,
        entries.into_iter(),
        input.base_prng_seed.as_slice(),
        diagnostics,
        trace,
        Some(modules),
    )
}

pub fn code_memory_bytes(budget: &Budget, code: &ContractCodeEntry) -> Result<u64, HostError> {
    wasm_module_memory_cost(budget, &code.ext, code.code.len() as u32)
}
