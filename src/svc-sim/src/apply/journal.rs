// The operation's writes, one row for each key, in the form of a transaction's meta
// (TransactionMeta.cpp, `processOpLedgerEntryChanges`).

use crate::wire::response::ChangeKind;
use std::{borrow::Cow, collections::BTreeMap};

pub struct Row {
    pub kind: ChangeKind,
    /// LedgerKey XDR.
    pub key: Vec<u8>,
    /// The STATE or RESTORED value. `None` if there was none, or for a TTL entry that the request
    /// did not include.
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

#[derive(Default)]
struct Write<'a> {
    existed: bool,
    /// True if the entry was written, erased or restored. An entry that was only read has no row.
    touched: bool,
    before: Option<Cow<'a, [u8]>>,
    /// The value restored from the archive or from an expired entry.
    restored: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

pub struct Journal<'a> {
    ledger_sequence: u32,
    writes: BTreeMap<Vec<u8>, Write<'a>>,
}

impl<'a> Journal<'a> {
    pub fn new(ledger_sequence: u32) -> Self {
        Journal { ledger_sequence, writes: BTreeMap::new() }
    }

    /// Records an existing entry before anything writes it.
    pub fn set_before(&mut self, key: &[u8], before: Option<Cow<'a, [u8]>>) {
        let write = self.writes.entry(key.to_vec()).or_default();
        write.existed = true;
        write.before = before;
    }

    pub fn restore(&mut self, key: &[u8], entry: Vec<u8>) {
        let entry = self.stamped(entry);
        self.restore_unwritten(key, entry);
    }

    /// Records an entry that is restored but not written, so that it keeps its last-modified
    /// ledger: RestoreFootprint does this with an entry that was expired but not evicted.
    pub fn restore_unwritten(&mut self, key: &[u8], entry: Vec<u8>) {
        let write = self.writes.entry(key.to_vec()).or_default();
        write.touched = true;
        write.restored = Some(entry.clone());
        write.after = Some(entry);
    }

    pub fn upsert(&mut self, key: &[u8], entry: Vec<u8>) {
        let entry = self.stamped(entry);
        let write = self.writes.entry(key.to_vec()).or_default();
        write.touched = true;
        write.after = Some(entry);
    }

    /// Erases the entry. Returns true if there was one.
    pub fn erase(&mut self, key: &[u8]) -> bool {
        match self.writes.get_mut(key) {
            Some(write) if write.existed || write.restored.is_some() => {
                write.touched = true;
                write.after = None;
                true
            }
            _ => false,
        }
    }

    /// Writes the ledger's sequence into the entry's first four bytes, as stellar-core does with
    /// each entry that it writes.
    fn stamped(&self, mut entry: Vec<u8>) -> Vec<u8> {
        entry[..4].copy_from_slice(&self.ledger_sequence.to_be_bytes());
        entry
    }

    pub fn into_rows(mut self) -> Vec<Row> {
        std::mem::take(&mut self.writes)
            .into_iter()
            .filter(|(_, write)| write.touched)
            .filter_map(|(key, write)| self.row(key, write))
            .collect()
    }

    fn row(&self, key: Vec<u8>, write: Write) -> Option<Row> {
        let Write { existed, before, restored, after, .. } = write;
        let before = before.map(Cow::into_owned);
        // For an entry that was expired but still in the ledger, the RESTORED value is its STATE
        // with the new last-modified ledger and the old TTL. For an entry from the hot archive it
        // is what was restored.
        let value =
            |restored| if existed { before.clone().map(|b| self.stamped(b)) } else { restored };
        let (kind, before) = match (&restored, &after) {
            (Some(value), Some(after)) if value[4..] == after[4..] => (ChangeKind::Restored, None),
            (Some(_), Some(_)) => (ChangeKind::Updated, value(restored)),
            (Some(_), None) => (ChangeKind::Removed, value(restored)),
            (None, Some(_)) if existed => (ChangeKind::Updated, before),
            (None, Some(_)) => (ChangeKind::Created, None),
            (None, None) if existed => (ChangeKind::Removed, before),
            (None, None) => return None,
        };
        Some(Row { kind, key, before, after })
    }
}
