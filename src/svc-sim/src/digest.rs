// One hash over everything of an execution that a chain records too. A caller that has the chain's
// record hashes it in the same form, and needs the execution itself only if the hashes differ.
// README.md, "The ledger engine", describes the form; engine/record.rs hashes the chain's record.

use crate::{
    apply::{Applied, Row},
    wire::response::ChangeKind,
    xdr_codec::{
        encode,
        xdr::{LedgerEntryChangeType, LedgerEntryType, TransactionResult},
    },
};
use sha2::{Digest, Sha256};

pub fn digest(result: &TransactionResult, applied: &Applied) -> [u8; 32] {
    let mut form = Form(Sha256::new());
    form.bytes(&encode(result));
    form.bytes(applied.return_value.as_deref().unwrap_or_default());
    form.list(&applied.events);
    form.count(applied.changes.len());
    applied.changes.iter().for_each(|row| form.change(row));
    form.list(&applied.diagnostics);
    form.0.finalize().into()
}

/// The hash of the core metrics, in the order of their names. Not every node records them.
pub fn metrics_digest(applied: &Applied) -> [u8; 32] {
    let mut hash = Sha256::new();
    applied.metrics.iter().for_each(|(_, value)| hash.update(value.to_be_bytes()));
    hash.finalize().into()
}

/// Hashes values in an unambiguous form: every list has its count and every text its length before
/// it.
pub struct Form(pub Sha256);

impl Form {
    pub fn count(&mut self, count: usize) {
        self.0.update((count as u32).to_be_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.update(bytes);
    }

    fn list(&mut self, values: &[Vec<u8>]) {
        self.count(values.len());
        values.iter().for_each(|value| self.0.update(value));
    }

    /// The request has only a ledger for a TTL entry's state before the run.
    fn change(&mut self, row: &Row) {
        let kind = match row.kind {
            ChangeKind::Created => LedgerEntryChangeType::Created,
            ChangeKind::Updated => LedgerEntryChangeType::Updated,
            ChangeKind::Removed => LedgerEntryChangeType::Removed,
            ChangeKind::Restored => LedgerEntryChangeType::Restored,
        };
        self.count(kind as usize);
        self.bytes(&row.key);
        let is_ttl = row.key.starts_with(&(LedgerEntryType::Ttl as i32).to_be_bytes());
        self.bytes(row.before.as_deref().filter(|_| !is_ttl).unwrap_or_default());
        self.bytes(row.after.as_deref().unwrap_or_default());
    }
}
