// Ledger entries that requests refer to by name. A caller that asks many times with the same contract
// code and settings sends them once; svc-sim then neither reads nor decodes them again.

use crate::{
    error::{Error, ErrorCode},
    xdr_codec::{
        decode, encode, from_base64,
        xdr::{LedgerEntry, LedgerKey},
    },
};
use std::{borrow::Cow, collections::HashMap, rc::Rc};

/// Begins a reference; no base64 text does.
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
        let bytes = from_base64(text, field)?;
        let entry: LedgerEntry = decode(&bytes, field)?;
        Ok(DecodedEntry { key: encode(&entry.to_key()), bytes, entry })
    }
}

/// Name → entry. It holds what the caller has it hold: `forget` is the caller's to say.
#[derive(Default)]
pub struct Definitions(HashMap<String, Definition>);

enum Definition {
    Entry(Rc<DecodedEntry>),
    /// Not a LedgerEntry, which is an error where it is referred to.
    Unreadable(String),
}

impl Definitions {
    /// Forgets and defines what a request says, before anything else of it is read.
    pub fn update(&mut self, define: &HashMap<Cow<str>, Cow<str>>, forget: &[Cow<str>]) {
        for name in forget {
            self.0.remove(name.as_ref());
        }
        for (name, text) in define {
            let definition = match DecodedEntry::read(text, "define") {
                Ok(entry) => Definition::Entry(Rc::new(entry)),
                Err(_) => Definition::Unreadable(text.to_string()),
            };
            self.0.insert(name.to_string(), definition);
        }
    }

    /// The LedgerEntry that `text` is or refers to.
    ///
    /// # Errors
    /// `BAD_XDR`; `NOT_DEFINED` for a name that stands for nothing.
    pub fn entry(&self, text: &str, field: &'static str) -> Result<Rc<DecodedEntry>, Error> {
        let Some(name) = text.strip_prefix(MARK) else {
            return DecodedEntry::read(text, field).map(Rc::new);
        };
        match self.0.get(name) {
            Some(Definition::Entry(entry)) => Ok(entry.clone()),
            Some(Definition::Unreadable(text)) => DecodedEntry::read(text, field).map(Rc::new),
            None => {
                let message = format!("{field} refers to {text}, which is not defined");
                Err(Error::in_field(ErrorCode::NotDefined, field, message))
            }
        }
    }

    /// As `entry`, for a text that stands under its LedgerKey: the entry must be that key's.
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
