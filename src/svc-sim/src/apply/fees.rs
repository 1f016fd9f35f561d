// Resource fees and the refundable fee: TransactionFrame::computeSorobanResourceFee and
// RefundableFeeTracker (MutableTransactionResult.cpp).

use super::diagnostics::Diagnostics;
use crate::{hosts::interface::ResourceUse, input::Input, state::is_soroban};

pub struct ChargedFees {
    pub resource_fee: i64,
    pub non_refundable: i64,
    pub rent: i64,
    pub refundable_consumed: i64,
}

impl ChargedFees {
    /// The fees before anything runs: only the non-refundable part is charged, for the declared
    /// resources.
    pub fn before_execution(input: &Input) -> ChargedFees {
        let (non_refundable, _) = resource_fee(input, 0);
        ChargedFees {
            resource_fee: input.transaction.soroban.resource_fee,
            non_refundable,
            rent: 0,
            refundable_consumed: 0,
        }
    }

    fn max_refundable(&self) -> i64 {
        self.resource_fee.saturating_sub(self.non_refundable)
    }

    /// Charges rent, and then the fee for events (`consumeRefundableSorobanResources`). Returns
    /// false if the refundable fee does not cover them.
    pub fn consume_refundable(
        &mut self,
        input: &Input,
        rent: i64,
        events_size_bytes: u32,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        self.rent = rent;
        let max = self.max_refundable();
        if max < rent {
            diagnostics.push_limit_error(
                "refundable resource fee was not sufficient to cover the ledger storage rent: {} > {}",
                rent as u64,
                max as u64,
            );
            return false;
        }
        let (_, events_fee) = resource_fee(input, events_size_bytes);
        self.refundable_consumed = rent.saturating_add(events_fee);
        if max < self.refundable_consumed {
            diagnostics.push_limit_error(
                "refundable resource fee was not sufficient to cover the events fee after paying for ledger storage rent: {} > {}",
                events_fee as u64,
                (max - rent) as u64,
            );
            return false;
        }
        true
    }

    /// A failed transaction gets its refundable fee back in full (`resetConsumedFee`).
    pub fn reset(&mut self) {
        self.rent = 0;
        self.refundable_consumed = 0;
    }

    pub fn refund(&self) -> i64 {
        self.max_refundable().saturating_sub(self.refundable_consumed)
    }
}

/// The non-refundable and the refundable fee for the declared resources and the emitted events.
fn resource_fee(input: &Input, events_size_bytes: u32) -> (i64, i64) {
    let resources = &input.transaction.soroban.resources;
    let use_ = ResourceUse {
        instructions: resources.instructions,
        disk_read_entries: disk_read_entries(input),
        write_entries: resources.footprint.read_write.len() as u32,
        disk_read_bytes: resources.disk_read_bytes,
        write_bytes: resources.write_bytes,
        contract_events_size_bytes: events_size_bytes,
        transaction_size_bytes: input.transaction.size_bytes,
    };
    (input.host.resource_fee)(&use_, &input.settings.fees)
}

/// The number of entries that count as read from disk (`getNumDiskReadEntries`). Before protocol 23
/// these are all read-only keys. From protocol 23 they are classic keys and archived entries, or
/// every read-write key of a restore operation.
fn disk_read_entries(input: &Input) -> u32 {
    let footprint = &input.transaction.soroban.resources.footprint;
    let count = if input.ledger.protocol_version < 23 {
        footprint.read_only.len()
    } else if input.transaction.is_restore() {
        footprint.read_write.len()
    } else {
        input.transaction.footprint_keys().filter(|key| !is_soroban(key)).count()
            + input.transaction.archived_entry_indexes().len()
    };
    count as u32
}
