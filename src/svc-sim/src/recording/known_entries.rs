// The ledger entries of a request, by key. A missing key is remembered when it is read.

use crate::{
    definitions::{DecodedEntry, Definitions},
    error::Error,
    wire::request::{BorrowedText, Entries, EntryValue},
    xdr_codec::{
        decode, from_base64,
        xdr::{LedgerKey, ScVal},
    },
};
use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

const FIELD: &str = "ledger_entries";

pub struct KnownEntry {
    pub decoded: Rc<DecodedEntry>,
    /// Set only for entries with a TTL; 0 if the network has the entry archived.
    pub live_until_ledger: Option<u32>,
}

pub struct KnownEntries {
    /// `None` for a key that is known not to exist.
    entries: HashMap<Vec<u8>, Option<KnownEntry>>,
    /// Nonces are drawn in this process, so the ledger has none of them.
    fresh_nonces: bool,
    missing: RefCell<BTreeSet<Vec<u8>>>,
}

impl KnownEntries {
    /// Reads the entries of a request.
    ///
    /// # Errors
    ///
    /// `BAD_XDR` or `NOT_DEFINED`, with the key whose entry cannot be read or belongs to another
    /// key.
    pub fn read(
        given: &Entries,
        definitions: &Definitions,
        fresh_nonces: bool,
    ) -> Result<KnownEntries, Error> {
        let mut entries = HashMap::with_capacity(given.len());
        for (BorrowedText(key_text), EntryValue(entry)) in given {
            let at_key = |error: Error| error.at_key(key_text);
            let key = from_base64(key_text, FIELD).map_err(at_key)?;
            let known = entry.as_ref().map(|entry| {
                let decoded = definitions.entry_of(&key, &entry.entry_xdr, FIELD)?;
                Ok(KnownEntry { decoded, live_until_ledger: entry.live_until_ledger })
            });
            let known = known.transpose().map_err(at_key)?;
            entries.insert(key, known);
        }
        Ok(KnownEntries { entries, fresh_nonces, missing: RefCell::default() })
    }

    /// The entry of a key. `None` if it does not exist, or if the request does not have it; a
    /// missing key is remembered.
    pub fn get(&self, key: &[u8]) -> Option<&KnownEntry> {
        let entry = self.entries.get(key);
        if entry.is_none() && !(self.fresh_nonces && is_nonce(key)) {
            self.missing.borrow_mut().insert(key.to_vec());
        }
        entry?.as_ref()
    }

    pub fn is_known(&self, key: &[u8]) -> bool {
        self.entries.contains_key(key)
    }

    /// Remembers the key as missing unless the request has it.
    pub fn require(&self, key: Vec<u8>) {
        if !self.is_known(&key) {
            self.missing.borrow_mut().insert(key);
        }
    }

    pub fn missing(&self) -> Vec<Vec<u8>> {
        self.missing.borrow().iter().cloned().collect()
    }
}

fn is_nonce(key: &[u8]) -> bool {
    match decode(key, "key") {
        Ok(LedgerKey::ContractData(data)) => matches!(data.key, ScVal::LedgerKeyNonce(_)),
        _ => false,
    }
}
