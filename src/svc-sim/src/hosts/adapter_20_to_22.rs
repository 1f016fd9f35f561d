// Hosts 21 and 22. They take entries and TTLs as two lists, have no shared module cache, and know
// one fee for all writes.

use super::soroban_env_host::{
    self,
    budget::Budget,
    e2e_invoke::{self, InvokeHostFunctionResult},
    fees,
    xdr::DiagnosticEvent,
    HostError, LedgerInfo, TraceHook,
};
use crate::hosts::interface::{slices, FeeRates, HostInput, RentChange, RentFeeCurve, ResourceUse};

/// Before protocol 23 each invocation parses its own modules.
pub fn prepare_modules(_input: &HostInput) -> Result<(), HostError> {
    Ok(())
}

pub fn invoke(
    budget: &Budget,
    input: &HostInput,
    _modules: (),
    ledger: LedgerInfo,
    diagnostics: &mut Vec<DiagnosticEvent>,
    trace: Option<TraceHook>,
) -> Result<InvokeHostFunctionResult, HostError> {
    let ttls = input.existing_ttls();
    e2e_invoke::invoke_host_function_with_trace_hook(
        budget,
        input.diagnostics,
        input.host_function.as_slice(),
        input.resources.as_slice(),
        input.source_account.as_slice(),
        input.auth_slices(),
        ledger,
        input.existing_entries(),
        slices(ttls.iter().map(Vec::as_slice)),
        input.base_prng_seed.as_slice(),
        diagnostics,
        trace,
    )
}

pub fn resource_use(r: &ResourceUse) -> fees::TransactionResources {
    fees::TransactionResources {
        instructions: r.instructions,
        read_entries: r.disk_read_entries,
        write_entries: r.write_entries,
        read_bytes: r.disk_read_bytes,
        write_bytes: r.write_bytes,
        contract_events_size_bytes: r.contract_events_size_bytes,
        transaction_size_bytes: r.transaction_size_bytes,
    }
}

pub fn fee_configuration(f: &FeeRates) -> fees::FeeConfiguration {
    fees::FeeConfiguration {
        fee_per_instruction_increment: f.instruction_increment,
        fee_per_read_entry: f.disk_read_entry,
        fee_per_write_entry: f.write_entry,
        fee_per_read_1kb: f.disk_read_1kb,
        fee_per_write_1kb: f.rent_1kb,
        fee_per_historical_1kb: f.historical_1kb,
        fee_per_contract_event_1kb: f.contract_event_1kb,
        fee_per_transaction_size_1kb: f.transaction_size_1kb,
    }
}

pub fn rent_configuration(f: &FeeRates) -> fees::RentFeeConfiguration {
    fees::RentFeeConfiguration {
        fee_per_write_1kb: f.rent_1kb,
        fee_per_write_entry: f.write_entry,
        persistent_rent_rate_denominator: f.persistent_rent_rate_denominator,
        temporary_rent_rate_denominator: f.temporary_rent_rate_denominator,
    }
}

pub fn rent_change(c: &RentChange) -> fees::LedgerEntryRentChange {
    fees::LedgerEntryRentChange {
        is_persistent: c.is_persistent,
        old_size_bytes: c.old_size_bytes,
        new_size_bytes: c.new_size_bytes,
        old_live_until_ledger: c.old_live_until_ledger,
        new_live_until_ledger: c.new_live_until_ledger,
    }
}

pub fn rent_fee_per_1kb(state_size_bytes: i64, curve: &RentFeeCurve) -> i64 {
    fees::compute_write_fee_per_1kb(
        state_size_bytes,
        &fees::WriteFeeConfiguration {
            bucket_list_target_size_bytes: curve.state_target_size_bytes,
            write_fee_1kb_bucket_list_low: curve.rent_1kb_low,
            write_fee_1kb_bucket_list_high: curve.rent_1kb_high,
            bucket_list_write_fee_growth_factor: curve.growth_factor,
        },
    )
}

/// Before protocol 23 rent depends only on the entry's size.
pub fn code_memory_bytes(
    _budget: &Budget,
    _code: &soroban_env_host::xdr::ContractCodeEntry,
) -> Result<u64, HostError> {
    Ok(0)
}
