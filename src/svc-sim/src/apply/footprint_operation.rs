// The common part of ExtendFootprintTTL and RestoreFootprint: rent for the footprint's entries, the
// refundable fee, and then either all changes or none.

use super::{diagnostics::Diagnostics, journal::Journal, Applied, AppliedOutcome, ChargedFees};
use crate::{
    hosts::interface::RentChange,
    input::Input,
    state::is_temporary,
    xdr_codec::{
        xdr::{LedgerKey, OperationResult, OperationResultTr},
        xdr_name,
    },
};

pub struct FootprintOperation<'a> {
    pub input: &'a Input,
    pub journal: Journal<'a>,
    pub diagnostics: Diagnostics,
    rent_changes: Vec<RentChange>,
}

/// The result codes, with the names that they have in the XDR of both operations' results.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Success,
    ResourceLimitExceeded,
    InsufficientRefundableFee,
}

impl<'a> FootprintOperation<'a> {
    /// Applies the operation whose changes `change_all` collects. `change_all` returns `Ok(false)`
    /// if a limit was exceeded, and an error if stellar-core would have an internal error.
    pub fn apply(
        input: &'a Input,
        operation: &'static str,
        change_all: impl FnOnce(&mut Self) -> Result<bool, String>,
        result_of: impl FnOnce(End) -> OperationResultTr,
    ) -> Applied {
        let mut run = FootprintOperation {
            input,
            journal: Journal::new(input.ledger.sequence),
            diagnostics: Diagnostics::default(),
            rent_changes: vec![],
        };
        let within_limits = change_all(&mut run);
        let mut fees = ChargedFees::before_execution(input);
        let mut changes = vec![];
        let (outcome, operation_result) = match within_limits {
            Err(message) => (AppliedOutcome::InternalError(message), None),
            Ok(within_limits) => {
                let end = match (run.charge(&mut fees), within_limits) {
                    (_, false) => End::ResourceLimitExceeded,
                    (false, true) => End::InsufficientRefundableFee,
                    (true, true) => End::Success,
                };
                let outcome = match end {
                    End::Success => {
                        changes = run.journal.into_rows();
                        AppliedOutcome::Success
                    }
                    end => AppliedOutcome::Failed(xdr_name(operation, &format!("{end:?}"))),
                };
                (outcome, Some(OperationResult::OpInner(result_of(end))))
            }
        };
        if !matches!(outcome, AppliedOutcome::Success) {
            fees.reset();
        }
        let diagnostics = run.diagnostics.0;
        Applied { changes, diagnostics, ..Applied::new(operation, outcome, operation_result, fees) }
    }

    /// Adds the rent that a key owes to go from `old` to `new`. Both are its size in bytes and its
    /// last live ledger.
    pub fn add_rent(&mut self, key: &LedgerKey, old: (u32, u32), new: (u32, u32)) {
        self.rent_changes.push(RentChange {
            is_persistent: !is_temporary(key),
            is_code_entry: matches!(key, LedgerKey::ContractCode(_)),
            old_size_bytes: old.0,
            new_size_bytes: new.0,
            old_live_until_ledger: old.1,
            new_live_until_ledger: new.1,
        });
    }

    /// Charges rent for the changes. Returns false if the refundable fee does not cover it.
    fn charge(&mut self, fees: &mut ChargedFees) -> bool {
        let rent = (self.input.host.rent_fee)(
            &self.rent_changes,
            &self.input.settings.fees,
            self.input.ledger.sequence,
        );
        fees.consume_refundable(self.input, rent, 0, &mut self.diagnostics)
    }
}
