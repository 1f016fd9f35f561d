// ExtendFootprintTTL (ExtendFootprintTTLOpFrame.cpp).

use super::{
    entry_size_is_valid, size_for_rent, within_limit, Applied, AppliedOutcome, FootprintOperation,
    READ_LIMIT_MESSAGE,
};
use std::borrow::Cow;

use crate::{
    hosts::interface::RentChange,
    input::Input,
    state::{is_temporary, ttl_key_bytes},
    xdr_codec::{
        encode,
        xdr::{
            ExtendFootprintTtlOp, ExtendFootprintTtlResult, LedgerEntry, LedgerEntryData,
            LedgerEntryExt, LedgerKey, OperationResult, OperationResultTr, TtlEntry,
        },
    },
};

pub fn apply(input: &Input, operation: &ExtendFootprintTtlOp) -> Applied {
    let mut run = FootprintOperation::new(input, "extend_footprint_ttl");
    let result = match extend_all(&mut run, operation) {
        Ok(true) => ExtendFootprintTtlResult::Success,
        Ok(false) => ExtendFootprintTtlResult::ResourceLimitExceeded,
        Err(message) => {
            let fees = super::ChargedFees::before_execution(input);
            return run.finish(AppliedOutcome::InternalError(message), None, fees);
        }
    };
    let (fees, covered) = run.charge();
    let result = match result {
        ExtendFootprintTtlResult::Success if !covered => {
            ExtendFootprintTtlResult::InsufficientRefundableFee
        }
        other => other,
    };
    let outcome = match result {
        ExtendFootprintTtlResult::Success => AppliedOutcome::Success,
        ExtendFootprintTtlResult::InsufficientRefundableFee => {
            AppliedOutcome::Failed("EXTEND_FOOTPRINT_TTL_INSUFFICIENT_REFUNDABLE_FEE")
        }
        _ => AppliedOutcome::Failed("EXTEND_FOOTPRINT_TTL_RESOURCE_LIMIT_EXCEEDED"),
    };
    let operation_result = OperationResult::OpInner(OperationResultTr::ExtendFootprintTtl(result));
    run.finish(outcome, Some(operation_result), fees)
}

/// `Ok(false)`: a limit was exceeded.
fn extend_all(
    run: &mut FootprintOperation,
    operation: &ExtendFootprintTtlOp,
) -> Result<bool, String> {
    let input = run.input;
    let ledger = input.ledger.sequence;
    let new_live_until = ledger.saturating_add(operation.extend_to);
    let resources = &input.transaction.soroban.resources;
    let mut read_bytes = 0;
    for key in resources.footprint.read_only.iter() {
        let key_bytes = encode(key);
        // Absent, archived and already longer-lived entries are skipped.
        let Some(state) = input.state.get(&key_bytes) else { continue };
        if state.archived
            || state.live_until_ledger < ledger
            || state.live_until_ledger >= new_live_until
        {
            continue;
        }
        let size = state.value.bytes.len() as u32;
        if !entry_size_is_valid(input, key, size, &mut run.diagnostics) {
            return Ok(false);
        }
        // From protocol 23 Soroban entries are in memory.
        if input.ledger.protocol_version < 23
            && !within_limit(
                &mut read_bytes,
                size,
                resources.disk_read_bytes,
                READ_LIMIT_MESSAGE,
                &mut run.diagnostics,
            )
        {
            return Ok(false);
        }
        let rent_size = size_for_rent(input, state)?;
        run.rent_changes.push(RentChange {
            is_persistent: !is_temporary(key),
            is_code_entry: matches!(key, LedgerKey::ContractCode(_)),
            old_size_bytes: rent_size,
            new_size_bytes: rent_size,
            old_live_until_ledger: state.live_until_ledger,
            new_live_until_ledger: new_live_until,
        });
        let ttl_key = ttl_key_bytes(&key_bytes);
        run.journal.set_before(&ttl_key, input.state.ttl_entry(&ttl_key).map(Cow::from));
        run.journal.upsert(&ttl_key, ttl_entry(&ttl_key, new_live_until));
    }
    Ok(true)
}

/// LedgerEntry XDR of a TTL entry; its key is LedgerKey XDR.
pub fn ttl_entry(ttl_key: &[u8], live_until_ledger: u32) -> Vec<u8> {
    // A TTL key is its type, four bytes, and the hash.
    let key_hash: [u8; 32] = ttl_key[4..].try_into().expect("a TTL key is 36 bytes");
    encode(&LedgerEntry {
        last_modified_ledger_seq: 0,
        data: LedgerEntryData::Ttl(TtlEntry {
            key_hash: key_hash.into(),
            live_until_ledger_seq: live_until_ledger,
        }),
        ext: LedgerEntryExt::V0,
    })
}
