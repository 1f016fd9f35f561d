// After the host: its writes (`recordStorageChanges`) and events (`collectEvents`).

use super::{Run, Stop};
use crate::{
    apply::{diagnostics::WRITE_LIMIT_MESSAGE, entry_size_is_valid},
    state::ttl_key_bytes,
    xdr_codec::{
        decode, encode,
        xdr::{InvokeHostFunctionResult::ResourceLimitExceeded, LedgerEntry, LedgerKey},
    },
};
use std::collections::HashSet;

impl Run<'_> {
    /// `modified`: LedgerEntry XDR.
    pub fn record_writes(&mut self, modified: Vec<Vec<u8>>) -> Result<(), Stop> {
        let input = self.input;
        let limit = input.transaction.soroban.resources.write_bytes;
        let mut written = HashSet::new();
        for bytes in modified {
            let entry: LedgerEntry = decode(&bytes, "modified entry")
                .map_err(|e| Stop::InternalError(format!("the host's {}", e.message)))?;
            let key = entry.to_key();
            let key_bytes = encode(&key);
            let size = bytes.len() as u32;
            if !entry_size_is_valid(input, &key, size, &mut self.diagnostics) {
                return Err(Stop::Failed(ResourceLimitExceeded));
            }
            if !matches!(key, LedgerKey::Ttl(_)) {
                self.metrics.note_write(&key, key_bytes.len() as u32, size);
                self.limit(self.metrics.ledger_write_byte, limit, WRITE_LIMIT_MESSAGE)?;
            }
            self.journal.upsert(&key_bytes, bytes);
            written.insert(key_bytes);
        }
        // The host returns untouched read-write entries too. Those that it did not return, it
        // deleted.
        for key in input.transaction.soroban.resources.footprint.read_write.iter() {
            let key_bytes = encode(key);
            if !written.contains(&key_bytes) && self.journal.erase(&key_bytes) {
                self.journal.erase(&ttl_key_bytes(&key_bytes));
            }
        }
        Ok(())
    }

    /// The return value counts as well.
    pub fn collect_events(&mut self, events: &[Vec<u8>], return_value: &[u8]) -> Result<(), Stop> {
        let limit = self.input.settings.max_contract_events_size_bytes;
        for event in events {
            self.metrics.note_event(event.len() as u32);
            let message = "total events size exceeds network config maximum";
            self.limit(self.metrics.emit_event_byte, limit, message)?;
        }
        self.metrics.emit_event_byte += return_value.len() as u32;
        let message = "return value pushes events size above network config maximum";
        self.limit(self.metrics.emit_event_byte, limit, message)
    }
}
