// The step before the host runs: it loads the footprint, meters what is read from disk, and
// restores archived entries (`addReads`, `handleArchivedEntry`).

use super::{Run, Stop};
use crate::{
    apply::{diagnostics::READ_LIMIT_MESSAGE, entry_size_is_valid, size_for_rent},
    hosts::interface::{EntryTtl, FootprintEntry},
    state::{is_soroban, is_temporary, ttl_entry, ttl_key_bytes, EntryState},
    xdr_codec::{
        encode, sha256,
        xdr::{
            InvokeHostFunctionResult::{EntryArchived, ResourceLimitExceeded},
            LedgerEntryData, LedgerKey, ScBytes, ScError, ScErrorCode, ScVal,
        },
    },
};
use std::borrow::Cow;

impl<'a> Run<'a> {
    pub fn load(&mut self, keys: &[LedgerKey], read_only: bool) -> Result<(), Stop> {
        let input = self.input;
        let in_memory = |key: &LedgerKey| is_soroban(key) && input.ledger.protocol_version >= 23;
        let is_archived =
            |state: &EntryState| state.archived || state.live_until_ledger < input.ledger.sequence;
        for (index, key) in keys.iter().enumerate() {
            let key_bytes = encode(key);
            if input.ledger.protocol_version < 28 && input.state.was_restored_earlier(&key_bytes) {
                // An earlier transaction of the ledger restored the entry from the hot archive, and
                // another deleted it. stellar-core before protocol 28 left such a key out of all
                // counts.
                self.entries.push(FootprintEntry { entry: None, ttl: None });
                continue;
            }
            let state = match input.state.get(&key_bytes) {
                Some(state) if is_soroban(key) && is_archived(state) => {
                    if is_temporary(key) {
                        // An expired temporary entry does not exist for the host.
                        self.note_existing(key, &key_bytes, state);
                        None
                    } else if state.archived && input.ledger.protocol_version < 23 {
                        None
                    } else {
                        self.restore(key, &key_bytes, state, read_only, index)?;
                        continue;
                    }
                }
                state => state,
            };
            let entry_size = match state {
                None => {
                    self.entries.push(FootprintEntry { entry: None, ttl: None });
                    0
                }
                Some(state) => {
                    self.note_existing(key, &key_bytes, state);
                    self.push_entry(key, &key_bytes, state, state.live_until_ledger)?;
                    state.value.bytes.len() as u32
                }
            };
            if !entry_size_is_valid(input, key, entry_size, &mut self.diagnostics) {
                return Err(Stop::Failed(ResourceLimitExceeded));
            }
            if !in_memory(key) {
                self.meter_disk_read(key, key_bytes.len() as u32, entry_size)?;
            }
            // stellar-core counts a Soroban entry here even if its disk read was counted already.
            if is_soroban(key) {
                self.metrics.read_entry += 1;
            }
        }
        Ok(())
    }

    /// Live and expired entries are in the ledger: erasing or rewriting them is a change.
    fn note_existing(&mut self, key: &LedgerKey, key_bytes: &[u8], state: &'a EntryState) {
        self.journal.set_before(key_bytes, Some(Cow::from(&state.value.bytes)));
        if is_soroban(key) {
            let ttl_key = ttl_key_bytes(key_bytes);
            self.journal.set_before(&ttl_key, self.input.state.ttl_entry(&ttl_key).map(Cow::from));
        }
    }

    fn push_entry(
        &mut self,
        key: &LedgerKey,
        key_bytes: &[u8],
        state: &'a EntryState,
        live_until_ledger: u32,
    ) -> Result<(), Stop> {
        let ttl = match is_soroban(key) {
            false => None,
            true => Some(EntryTtl {
                key_hash: sha256(key_bytes),
                live_until_ledger,
                entry_size_for_rent: size_for_rent(self.input, state)
                    .map_err(Stop::InternalError)?,
            }),
        };
        if let LedgerEntryData::ContractCode(code) = &state.value.entry.data {
            let hash = code.hash.0;
            match state.code_cached {
                true => self.cached_modules.push((hash, &code.code)),
                false => self.uncached_modules.push(hash),
            }
        }
        self.entries.push(FootprintEntry { entry: Some(&state.value.bytes), ttl });
        Ok(())
    }

    /// The operation fails unless the entry is marked to be restored, which protocol 23 introduced.
    fn restore(
        &mut self,
        key: &LedgerKey,
        key_bytes: &[u8],
        state: &'a EntryState,
        read_only: bool,
        index: usize,
    ) -> Result<(), Stop> {
        let input = self.input;
        let marked = input.transaction.archived_entry_indexes().contains(&(index as u32));
        if input.ledger.protocol_version < 23 || read_only || !marked {
            self.push_archived_error(key);
            return Err(Stop::Failed(EntryArchived));
        }
        let size = state.value.bytes.len() as u32;
        if !entry_size_is_valid(input, key, size, &mut self.diagnostics) {
            return Err(Stop::Failed(ResourceLimitExceeded));
        }
        self.meter_disk_read(key, key_bytes.len() as u32, size)?;
        let live_until = input.ledger.restored_until();
        let ttl_key = ttl_key_bytes(key_bytes);
        if !state.archived {
            self.note_existing(key, key_bytes, state);
            let expired = ttl_entry(&ttl_key, state.live_until_ledger);
            self.journal.set_before(&ttl_key, Some(expired.into()));
        }
        self.journal.restore(key_bytes, state.value.bytes.clone());
        self.journal.restore(&ttl_key, ttl_entry(&ttl_key, live_until));
        self.push_entry(key, key_bytes, state, live_until)?;
        self.restored_indexes.push(index as u32);
        Ok(())
    }

    fn push_archived_error(&mut self, key: &LedgerKey) {
        let (message, arguments) = match key {
            LedgerKey::ContractCode(code) => (
                "trying to access an archived contract code entry",
                vec![ScVal::Bytes(ScBytes(code.hash.0.to_vec().try_into().unwrap_or_default()))],
            ),
            LedgerKey::ContractData(data) => (
                "trying to access an archived contract data entry",
                vec![ScVal::Address(data.contract.clone()), data.key.clone()],
            ),
            _ => return,
        };
        let error = ScError::Value(ScErrorCode::InvalidInput);
        self.diagnostics.push_error(error, message, arguments);
    }

    fn meter_disk_read(
        &mut self,
        key: &LedgerKey,
        key_size: u32,
        entry_size: u32,
    ) -> Result<(), Stop> {
        self.metrics.note_disk_read(key, key_size, entry_size);
        let limit = self.input.transaction.soroban.resources.disk_read_bytes;
        self.limit(self.metrics.ledger_read_byte, limit, READ_LIMIT_MESSAGE)
    }
}
