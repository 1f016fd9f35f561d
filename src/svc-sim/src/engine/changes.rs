// Ledger entry changes with their keys, for network settings and for entries that can be in a
// footprint. Changes of other entries are only counted, because contracts cannot see them.

use super::{
    cursor::{Cursor, Read},
    skip::{self, SkippedEntry},
};
use crate::{
    state::is_soroban,
    xdr_codec::{
        encode, sha256,
        xdr::{LedgerEntry, LedgerEntryData, LedgerEntryType, LedgerKey},
    },
};
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Created,
    Updated,
    Removed,
    State,
    Restored,
}

const KINDS: [Kind; 5] = [Kind::Created, Kind::Updated, Kind::Removed, Kind::State, Kind::Restored];

/// LedgerKey XDR.
pub type Key = Box<[u8]>;

#[derive(Debug)]
pub struct Change {
    pub kind: Kind,
    pub entry_type: LedgerEntryType,
    pub key: Key,
    /// The bytes of the LedgerEntry, or of the key if the change is `Removed`.
    pub bytes: Range<usize>,
    /// The last live ledger, for TTL entries that were not removed.
    pub live_until: Option<u32>,
}

impl Change {
    pub fn is_ttl(&self) -> bool {
        self.entry_type == LedgerEntryType::Ttl
    }
}

/// LedgerEntryChanges.
#[derive(Default, Debug)]
pub struct Changes {
    pub keyed: Vec<Change>,
    /// The number of all changes, including those of other entry types.
    pub count: usize,
}

impl Changes {
    pub fn read(cursor: &mut Cursor) -> Read<Changes> {
        let all = cursor.list(read_change)?;
        Ok(Changes { count: all.len(), keyed: all.into_iter().flatten().collect() })
    }
}

fn read_change(cursor: &mut Cursor) -> Read<Option<Change>> {
    let kind = KINDS[cursor.arm(4)? as usize];
    let start = cursor.at;
    if kind == Kind::Removed {
        let key: LedgerKey = cursor.value()?;
        let (bytes, entry_type) = (start..cursor.at, key.discriminant());
        let key = cursor.bytes[bytes.clone()].into();
        let change = Change { kind, entry_type, key, bytes, live_until: None };
        return Ok(is_folded(entry_type).then_some(change));
    }
    if let Some(skipped) = skip::entry(&cursor.bytes[start..]) {
        cursor.take(skipped.length)?;
        let SkippedEntry { entry_type, key, live_until, .. } = skipped;
        let change = Change { kind, entry_type, key, bytes: start..cursor.at, live_until };
        return Ok(is_folded(entry_type).then_some(change));
    }
    let entry: LedgerEntry = cursor.value()?;
    let entry_type = entry.data.discriminant();
    if !is_folded(entry_type) {
        return Ok(None);
    }
    let live_until = match &entry.data {
        LedgerEntryData::Ttl(ttl) => Some(ttl.live_until_ledger_seq),
        _ => None,
    };
    let key = encode(&entry.to_key()).into_boxed_slice();
    Ok(Some(Change { kind, entry_type, key, bytes: start..cursor.at, live_until }))
}

fn is_folded(entry_type: LedgerEntryType) -> bool {
    use LedgerEntryType as T;
    matches!(
        entry_type,
        T::Account | T::Trustline | T::ContractData | T::ContractCode | T::ConfigSetting | T::Ttl
    )
}

/// The key of an entry's TTL. `None` for a classic entry.
pub fn ttl_key_of(key: &LedgerKey, key_bytes: &[u8]) -> Option<Key> {
    is_soroban(key).then(|| ttl_key(key_bytes))
}

pub fn ttl_key(key_bytes: &[u8]) -> Key {
    let kind = (LedgerEntryType::Ttl as i32).to_be_bytes();
    [&kind[..], &sha256(key_bytes)].concat().into_boxed_slice()
}

/// The type in the first four bytes of a LedgerKey.
pub fn type_of(key: &[u8]) -> Option<LedgerEntryType> {
    let kind = i32::from_be_bytes(key.get(..4)?.try_into().ok()?);
    LedgerEntryType::try_from(kind).ok()
}

/// The ledger that last modified a LedgerEntry, which is in its first four bytes.
pub fn last_modified(entry: &[u8]) -> u32 {
    entry.get(..4).map_or(0, |word| u32::from_be_bytes(word.try_into().expect("4 bytes")))
}
