// RestoreFootprint (RestoreFootprintOpFrame.cpp).

use super::{
    entry_size_is_valid, extend::ttl_entry, size_for_rent, within_limit, Applied, AppliedOutcome,
    FootprintOperation, READ_LIMIT_MESSAGE, WRITE_LIMIT_MESSAGE,
};
use crate::{
    hosts::interface::RentChange,
    input::Input,
    state::{is_temporary, ttl_key_bytes},
    xdr_codec::{
        encode,
        xdr::{LedgerKey, OperationResult, OperationResultTr, RestoreFootprintResult},
    },
};

pub fn apply(input: &Input) -> Applied {
    let mut run = FootprintOperation::new(input, "restore_footprint");
    let result = match restore_all(&mut run) {
        Ok(true) => RestoreFootprintResult::Success,
        Ok(false) => RestoreFootprintResult::ResourceLimitExceeded,
        Err(message) => {
            let fees = super::ChargedFees::before_execution(input);
            return run.finish(AppliedOutcome::InternalError(message), None, fees);
        }
    };
    let (fees, covered) = run.charge();
    let result = match result {
        RestoreFootprintResult::Success if !covered => {
            RestoreFootprintResult::InsufficientRefundableFee
        }
        other => other,
    };
    let outcome = match result {
        RestoreFootprintResult::Success => AppliedOutcome::Success,
        RestoreFootprintResult::InsufficientRefundableFee => {
            AppliedOutcome::Failed("RESTORE_FOOTPRINT_INSUFFICIENT_REFUNDABLE_FEE")
        }
        _ => AppliedOutcome::Failed("RESTORE_FOOTPRINT_RESOURCE_LIMIT_EXCEEDED"),
    };
    let operation_result = OperationResult::OpInner(OperationResultTr::RestoreFootprint(result));
    run.finish(outcome, Some(operation_result), fees)
}

/// `Ok(false)`: a limit was exceeded.
fn restore_all(run: &mut FootprintOperation) -> Result<bool, String> {
    let input = run.input;
    let ledger = input.ledger.sequence;
    let new_live_until =
        ledger.saturating_add(input.settings.archival.min_persistent_ttl).saturating_sub(1);
    let resources = &input.transaction.soroban.resources;
    let (mut read_bytes, mut write_bytes) = (0, 0);
    for key in resources.footprint.read_write.iter() {
        let key_bytes = encode(key);
        let Some(state) = input.state.get(&key_bytes) else { continue };
        if !state.archived && state.live_until_ledger >= ledger {
            continue;
        }
        let size = state.value.bytes.len() as u32;
        let (reads, writes) = (resources.disk_read_bytes, resources.write_bytes);
        if !within_limit(&mut read_bytes, size, reads, READ_LIMIT_MESSAGE, &mut run.diagnostics)
            || !entry_size_is_valid(input, key, size, &mut run.diagnostics)
            || !within_limit(
                &mut write_bytes,
                size,
                writes,
                WRITE_LIMIT_MESSAGE,
                &mut run.diagnostics,
            )
        {
            return Ok(false);
        }
        run.rent_changes.push(RentChange {
            is_persistent: !is_temporary(key),
            is_code_entry: matches!(key, LedgerKey::ContractCode(_)),
            old_size_bytes: 0,
            new_size_bytes: size_for_rent(input, state)?,
            old_live_until_ledger: 0,
            new_live_until_ledger: new_live_until,
        });
        let ttl_key = ttl_key_bytes(&key_bytes);
        if state.archived {
            run.journal.restore(&key_bytes, state.value.bytes.clone());
        } else {
            run.journal.restore_unwritten(&key_bytes, state.value.bytes.clone());
        }
        run.journal.restore(&ttl_key, ttl_entry(&ttl_key, new_live_until));
    }
    Ok(true)
}
