// ExtendFootprintTTL (ExtendFootprintTTLOpFrame.cpp).

use super::{
    diagnostics::READ_LIMIT_MESSAGE,
    entry_size_is_valid,
    footprint_operation::{End, FootprintOperation},
    size_for_rent, Applied,
};
use crate::{
    input::Input,
    state::{ttl_entry, ttl_key_bytes},
    xdr_codec::{
        encode,
        xdr::{ExtendFootprintTtlOp, ExtendFootprintTtlResult, OperationResultTr},
    },
};
use std::borrow::Cow;

pub fn apply(input: &Input, operation: &ExtendFootprintTtlOp) -> Applied {
    let extend_all = |run: &mut FootprintOperation| extend_all(run, operation);
    FootprintOperation::apply(input, "extend_footprint_ttl", extend_all, |end| {
        OperationResultTr::ExtendFootprintTtl(match end {
            End::Success => ExtendFootprintTtlResult::Success,
            End::ResourceLimitExceeded => ExtendFootprintTtlResult::ResourceLimitExceeded,
            End::InsufficientRefundableFee => ExtendFootprintTtlResult::InsufficientRefundableFee,
        })
    })
}

fn extend_all(
    run: &mut FootprintOperation,
    operation: &ExtendFootprintTtlOp,
) -> Result<bool, String> {
    let input = run.input;
    let ledger = input.ledger.sequence;
    let new_live_until = ledger.saturating_add(operation.extend_to);
    let resources = &input.transaction.soroban.resources;
    let mut read_bytes = 0u32;
    for key in resources.footprint.read_only.iter() {
        let key_bytes = encode(key);
        // stellar-core skips entries that do not exist, are archived, or live longer already.
        let Some(state) = input.state.get(&key_bytes) else { continue };
        if state.archived || !(ledger..new_live_until).contains(&state.live_until_ledger) {
            continue;
        }
        let size = state.value.bytes.len() as u32;
        if !entry_size_is_valid(input, key, size, &mut run.diagnostics) {
            return Ok(false);
        }
        // From protocol 23 Soroban entries are in memory.
        if input.ledger.protocol_version < 23 {
            read_bytes = read_bytes.saturating_add(size);
            let limit = resources.disk_read_bytes;
            if !run.diagnostics.within(read_bytes, limit, READ_LIMIT_MESSAGE) {
                return Ok(false);
            }
        }
        let rent_size = size_for_rent(input, state)?;
        run.add_rent(key, (rent_size, state.live_until_ledger), (rent_size, new_live_until));
        let ttl_key = ttl_key_bytes(&key_bytes);
        run.journal.set_before(&ttl_key, input.state.ttl_entry(&ttl_key).map(Cow::from));
        run.journal.upsert(&ttl_key, ttl_entry(&ttl_key, new_live_until));
    }
    Ok(true)
}
