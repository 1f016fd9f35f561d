// Fee conversions shared by the adapters of protocol 23 and later (CAP-0066).

use super::super::soroban_env_host::fees;
use crate::hosts::interface::{FeeRates, RentChange, RentFeeCurve, ResourceUse};

pub fn resource_use(r: &ResourceUse) -> fees::TransactionResources {
    fees::TransactionResources {
        instructions: r.instructions,
        disk_read_entries: r.disk_read_entries,
        write_entries: r.write_entries,
        disk_read_bytes: r.disk_read_bytes,
        write_bytes: r.write_bytes,
        contract_events_size_bytes: r.contract_events_size_bytes,
        transaction_size_bytes: r.transaction_size_bytes,
    }
}

pub fn fee_configuration(f: &FeeRates) -> fees::FeeConfiguration {
    fees::FeeConfiguration {
        fee_per_instruction_increment: f.instruction_increment,
        fee_per_disk_read_entry: f.disk_read_entry,
        fee_per_write_entry: f.write_entry,
        fee_per_disk_read_1kb: f.disk_read_1kb,
        fee_per_write_1kb: f.flat_write_1kb,
        fee_per_historical_1kb: f.historical_1kb,
        fee_per_contract_event_1kb: f.contract_event_1kb,
        fee_per_transaction_size_1kb: f.transaction_size_1kb,
    }
}

pub fn rent_configuration(f: &FeeRates) -> fees::RentFeeConfiguration {
    fees::RentFeeConfiguration {
        fee_per_write_1kb: f.flat_write_1kb,
        fee_per_rent_1kb: f.rent_1kb,
        fee_per_write_entry: f.write_entry,
        persistent_rent_rate_denominator: f.persistent_rent_rate_denominator,
        temporary_rent_rate_denominator: f.temporary_rent_rate_denominator,
    }
}

pub fn rent_change(c: &RentChange) -> fees::LedgerEntryRentChange {
    fees::LedgerEntryRentChange {
        is_persistent: c.is_persistent,
        is_code_entry: c.is_code_entry,
        old_size_bytes: c.old_size_bytes,
        new_size_bytes: c.new_size_bytes,
        old_live_until_ledger: c.old_live_until_ledger,
        new_live_until_ledger: c.new_live_until_ledger,
    }
}

pub fn rent_fee_per_1kb(state_size_bytes: i64, curve: &RentFeeCurve) -> i64 {
    fees::compute_rent_write_fee_per_1kb(
        state_size_bytes,
        &fees::RentWriteFeeConfiguration {
            state_target_size_bytes: curve.state_target_size_bytes,
            rent_fee_1kb_state_size_low: curve.rent_1kb_low,
            rent_fee_1kb_state_size_high: curve.rent_1kb_high,
            state_size_rent_fee_growth_factor: curve.growth_factor,
        },
    )
}
