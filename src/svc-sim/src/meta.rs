// Reads what a transaction's meta shows of the ledger just before its operation.

use crate::{
    error::Error,
    xdr_codec::{
        decode, encode, from_base64,
        xdr::{LedgerEntry, LedgerEntryChange, LedgerEntryData, OperationMeta, TransactionMeta},
    },
};
use std::collections::HashMap;

/// `None` if the request has no meta.
pub struct Meta(Option<TransactionMeta>);

/// An entry's first state in the operation's changes.
#[derive(Clone)]
pub struct FirstState {
    pub entry: LedgerEntry,
    /// True if only the hot archive held the entry.
    pub archived: bool,
}

impl Meta {
    /// Reads a meta. An empty text means that there is none.
    ///
    /// # Errors
    ///
    /// `BAD_XDR`.
    pub fn read(text: &str) -> Result<Meta, Error> {
        if text.is_empty() {
            return Ok(Meta(None));
        }
        decode(&from_base64(text, "result_meta_xdr")?, "result_meta_xdr").map(Some).map(Meta)
    }

    /// The protocol that the meta suggests. Protocol 23 introduced meta V4; the exact protocol is a
    /// guess.
    pub fn protocol(&self) -> u32 {
        match self.0 {
            Some(TransactionMeta::V4(_)) | None => 28,
            _ => 22,
        }
    }

    /// The ledger of the transaction, which stellar-core writes into each entry that the ledger
    /// changes.
    pub fn sequence(&self) -> u32 {
        let before = match &self.0 {
            Some(TransactionMeta::V2(meta)) => meta.tx_changes_before.as_slice(),
            Some(TransactionMeta::V3(meta)) => meta.tx_changes_before.as_slice(),
            Some(TransactionMeta::V4(meta)) => meta.tx_changes_before.as_slice(),
            _ => &[],
        };
        let stamp = |change: &LedgerEntryChange| match change {
            LedgerEntryChange::Created(entry) | LedgerEntryChange::Updated(entry) => {
                entry.last_modified_ledger_seq
            }
            _ => 0,
        };
        before.iter().chain(self.operation_changes()).map(stamp).max().unwrap_or(0).max(1)
    }

    /// The first state of each key (LedgerKey XDR) in the operation's changes: STATE, RESTORED from
    /// the archive, or CREATED, which means that the entry did not exist (`None`).
    pub fn first_states(&self) -> HashMap<Vec<u8>, Option<FirstState>> {
        let mut states = HashMap::new();
        for change in self.operation_changes() {
            let (entry, exists, archived) = match change {
                LedgerEntryChange::State(entry) => (entry, true, false),
                LedgerEntryChange::Created(entry) => (entry, false, false),
                LedgerEntryChange::Restored(entry)
                    if !matches!(entry.data, LedgerEntryData::Ttl(_)) =>
                {
                    (entry, true, true)
                }
                _ => continue,
            };
            states
                .entry(encode(&entry.to_key()))
                .or_insert_with(|| exists.then(|| FirstState { entry: entry.clone(), archived }));
        }
        states
    }

    fn operation_changes(&self) -> Vec<&LedgerEntryChange> {
        let operations: &[OperationMeta] = match &self.0 {
            None => &[],
            Some(TransactionMeta::V0(operations)) => operations,
            Some(TransactionMeta::V1(meta)) => &meta.operations,
            Some(TransactionMeta::V2(meta)) => &meta.operations,
            Some(TransactionMeta::V3(meta)) => &meta.operations,
            Some(TransactionMeta::V4(meta)) => {
                return meta.operations.iter().flat_map(|o| o.changes.iter()).collect()
            }
        };
        operations.iter().flat_map(|operation| operation.changes.iter()).collect()
    }
}
