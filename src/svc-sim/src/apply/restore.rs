// RestoreFootprint (RestoreFootprintOpFrame.cpp).

use super::{
    diagnostics::{READ_LIMIT_MESSAGE, WRITE_LIMIT_MESSAGE},
    entry_size_is_valid,
    footprint_operation::{End, FootprintOperation},
    size_for_rent, Applied,
};
use crate::{
    input::Input,
    state::{ttl_entry, ttl_key_bytes},
    xdr_codec::{
        encode,
        xdr::{OperationResultTr, RestoreFootprintResult},
    },
};

pub fn apply(input: &Input) -> Applied {
    FootprintOperation::apply(input, "restore_footprint", restore_all, |end| {
        OperationResultTr::RestoreFootprint(match end {
            End::Success => RestoreFootprintResult::Success,
            End::ResourceLimitExceeded => RestoreFootprintResult::ResourceLimitExceeded,
            End::InsufficientRefundableFee => RestoreFootprintResult::InsufficientRefundableFee,
        })
    })
}

fn restore_all(run: &mut FootprintOperation) -> Result<bool, String> {
    let input = run.input;
    let new_live_until = input.ledger.restored_until();
    let resources = &input.transaction.soroban.resources;
    // A restored entry counts in full as read and as written.
    let mut bytes = 0u32;
    for key in resources.footprint.read_write.iter() {
        let key_bytes = encode(key);
        let Some(state) = input.state.get(&key_bytes) else { continue };
        if !state.archived && state.live_until_ledger >= input.ledger.sequence {
            continue;
        }
        let size = state.value.bytes.len() as u32;
        bytes = bytes.saturating_add(size);
        if !run.diagnostics.within(bytes, resources.disk_read_bytes, READ_LIMIT_MESSAGE)
            || !entry_size_is_valid(input, key, size, &mut run.diagnostics)
            || !run.diagnostics.within(bytes, resources.write_bytes, WRITE_LIMIT_MESSAGE)
        {
            return Ok(false);
        }
        run.add_rent(key, (0, 0), (size_for_rent(input, state)?, new_live_until));
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
