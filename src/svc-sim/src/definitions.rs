// Ledger entries that requests refer to by name. A caller with many requests sends contract code
// and settings once, and svc-sim reads and decodes them once.

use crate::{
    error::{Error, ErrorCode},
    xdr_codec::{
        decode, encode, from_base64,
        xdr::{LedgerEntry, LedgerKey},
    },
};
use std::{borrow::Cow, collections::HashMap, rc::Rc};

/// The start of a reference. No base64 text starts with it.
const MARK: char = '#';

pub struct DecodedEntry {
    pub entry: LedgerEntry,
    /// LedgerEntry XDR.
    pub bytes: Vec<u8>,
    /// LedgerKey XDR.
    pub key: Vec<u8>,
}

impl DecodedEntry {
    pub fn of(entry: LedgerEntry) -> DecodedEntry {
        DecodedEntry { bytes: encode(&entry), key: encode(&entry.to_key()), entry }
    }

    fn read(text: &str, field: &'static str) -> Result<DecodedEntry, Error> {
        DecodedEntry::of_bytes(from_base64(text, field)?, field)
    }

    pub fn of_bytes(bytes: Vec<u8>, field: &'static str) -> Result<DecodedEntry, Error> {
        let entry: LedgerEntry = decode(&bytes, field)?;
        Ok(DecodedEntry { key: encode(&entry.to_key()), bytes, entry })
    }
}

/// Entries by name. They are kept until the caller forgets them.
#[derive(Default)]
pub struct Definitions(HashMap<String, Definition>);

/// `Err` holds text that is not a LedgerEntry. It becomes an error only if a request refers to it.
type Definition = Result<Rc<DecodedEntry>, String>;

impl Definitions {
    /// Forgets and defines the entries that a request lists, before the rest of the request is
    /// read.
    pub fn update(&mut self, define: &HashMap<Cow<str>, Cow<str>>, forget: &[Cow<str>]) {
        for name in forget {
            self.0.remove(name.as_ref());
        }
        for (name, text) in define {
            let entry = DecodedEntry::read(text, "define").map(Rc::new);
            self.0.insert(name.to_string(), entry.map_err(|_| text.to_string()));
        }
    }

    /// The LedgerEntry that `text` contains or refers to.
    ///
    /// # Errors
    ///
    /// `BAD_XDR`; `NOT_DEFINED` for a name that is not defined.
    pub fn entry(&self, text: &str, field: &'static str) -> Result<Rc<DecodedEntry>, Error> {
        let Some(name) = text.strip_prefix(MARK) else {
            return DecodedEntry::read(text, field).map(Rc::new);
        };
        match self.0.get(name) {
            Some(Ok(entry)) => Ok(entry.clone()),
            Some(Err(text)) => DecodedEntry::read(text, field).map(Rc::new),
            None => {
                let message = format!("{field} refers to {text}, which is not defined");
                Err(Error::in_field(ErrorCode::NotDefined, field, message))
            }
        }
    }

    /// The same as `entry`, for an entry that must have the key `key` (LedgerKey XDR).
    pub fn entry_of(
        &self,
        key: &[u8],
        text: &str,
        field: &'static str,
    ) -> Result<Rc<DecodedEntry>, Error> {
        let entry = self.entry(text, field)?;
        if entry.key != key {
            decode::<LedgerKey>(key, field)?;
            let message = "the entry belongs to another key";
            return Err(Error::in_field(ErrorCode::BadXdr, field, message));
        }
        Ok(entry)
    }
}
