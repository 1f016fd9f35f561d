// The ledger state of the transaction: one entry for each key of the footprint.

use crate::{
    definitions::{DecodedEntry, Definitions},
    error::Error,
    hosts::interface::LedgerContext,
    meta::{FirstState, Meta},
    transaction::Transaction,
    wire::{
        request::{BorrowedText, Entry, EntryValue, Request},
        response::Assumption,
    },
    xdr_codec::{
        decode, encode, from_base64, sha256, to_base64,
        xdr::{
            ContractDataDurability, ContractExecutable, ContractId, Hash, LedgerEntry,
            LedgerEntryData, LedgerEntryExt, LedgerKey, LedgerKeyContractCode,
            LedgerKeyContractData, LedgerKeyTtl, ScAddress, ScVal, TtlEntry,
        },
    },
};
use std::{
    cell::LazyCell,
    collections::{HashMap, HashSet},
    ops::Deref,
    rc::Rc,
    str::FromStr,
};

pub struct EntryState {
    pub value: Rc<DecodedEntry>,
    /// The last live ledger. Only Soroban entries have one.
    pub live_until_ledger: u32,
    /// True if only the hot archive has the entry.
    pub archived: bool,
    pub code_cached: bool,
}

pub struct State {
    /// The entries that exist, by LedgerKey XDR.
    entries: HashMap<Vec<u8>, EntryState>,
    /// The TTL entries that the request has, by LedgerKey XDR.
    ttl_entries: HashMap<Vec<u8>, Vec<u8>>,
    restored_earlier: HashSet<Vec<u8>>,
}

impl State {
    /// Says whether an earlier transaction of the ledger restored the entry from the hot archive,
    /// and another deleted it.
    pub fn was_restored_earlier(&self, key: &[u8]) -> bool {
        self.restored_earlier.contains(key)
    }

    pub fn get(&self, key: &[u8]) -> Option<&EntryState> {
        self.entries.get(key)
    }

    /// The hash and the wasm of a contract code key.
    pub fn code(&self, key: &LedgerKey) -> Option<([u8; 32], &[u8])> {
        match &self.get(&encode(key))?.value.entry.data {
            LedgerEntryData::ContractCode(code) => Some((code.hash.0, code.code.as_slice())),
            _ => None,
        }
    }

    /// The hash and the wasm of a contract (C…). Its executable can be an entry of another contract
    /// (CAP-85).
    pub fn code_of(&self, contract: &str) -> Option<([u8; 32], &[u8])> {
        let contract = ScAddress::Contract(ContractId::from_str(contract).ok()?);
        let instance = self.data(contract, ScVal::LedgerKeyContractInstance)?;
        let ScVal::ContractInstance(instance) = instance else { return None };
        let hash = match &instance.executable {
            ContractExecutable::Wasm(hash) => hash.clone(),
            ContractExecutable::StellarAsset => return None,
            ContractExecutable::ExternalRef(of) => {
                let tag = ScVal::ExecutableTag(of.tag.clone());
                let ScVal::Bytes(hash) = self.data(of.executable_owner.clone(), tag)? else {
                    return None;
                };
                Hash(hash.as_slice().try_into().ok()?)
            }
        };
        self.code(&LedgerKey::ContractCode(LedgerKeyContractCode { hash }))
    }

    fn data(&self, contract: ScAddress, key: ScVal) -> Option<&ScVal> {
        let durability = ContractDataDurability::Persistent;
        let key = LedgerKeyContractData { contract, key, durability };
        match &self.get(&encode(&LedgerKey::ContractData(key)))?.value.entry.data {
            LedgerEntryData::ContractData(data) => Some(&data.val),
            _ => None,
        }
    }

    /// The TTL entry before the transaction, if the request has it.
    pub fn ttl_entry(&self, ttl_key: &[u8]) -> Option<&Vec<u8>> {
        self.ttl_entries.get(ttl_key)
    }

    /// The entries that exist, each with its TTL, by LedgerKey XDR.
    pub fn of(entries: HashMap<Vec<u8>, EntryState>, restored_earlier: HashSet<Vec<u8>>) -> State {
        State { entries, ttl_entries: HashMap::new(), restored_earlier }
    }

    pub fn read(
        request: &Request,
        definitions: &Definitions,
        transaction: &Transaction,
        meta: &Meta,
        ledger: &LedgerContext,
        assumed: &mut Vec<Assumption>,
    ) -> Result<State, Error> {
        let request_state = RequestState::read(request, definitions)?;
        if request.ledger_entries.is_none() {
            assumed.push(Assumption::new("ledger_entries", "those that result_meta_xdr shows"));
        }
        // The meta is read only if the request lacks an entry.
        let from_meta = LazyCell::new(|| meta.first_states());
        let mut entries = HashMap::new();
        for key in transaction.footprint_keys() {
            let key_bytes = encode(key);
            let entry = match request_state.rows.get(&key_bytes) {
                Some(row) => row.clone(),
                None => match from_meta.get(&key_bytes) {
                    Some(state) => state.as_ref().map(RequestEntry::from_meta),
                    None => {
                        note(assumed, "entry", &key_bytes, "absent");
                        None
                    }
                },
            };
            if let Some(entry) = entry {
                let state =
                    entry.into_state(key, &key_bytes, &request_state, &from_meta, ledger, assumed);
                entries.insert(key_bytes, state);
            }
        }
        let restored = request.ledger.restored_earlier.iter();
        let restored_earlier =
            restored.map(|key| from_base64(key, "restored_earlier")).collect::<Result<_, _>>()?;
        Ok(State { entries, ttl_entries: request_state.ttl_entries, restored_earlier })
    }
}

fn note(assumed: &mut Vec<Assumption>, what: &str, key: &[u8], value: impl ToString) {
    assumed.push(Assumption { key_xdr: Some(to_base64(key)), ..Assumption::new(what, value) });
}

#[derive(Default)]
struct RequestState {
    rows: HashMap<Vec<u8>, Option<RequestEntry>>,
    ttl_entries: HashMap<Vec<u8>, Vec<u8>>,
}

#[derive(Clone)]
struct RequestEntry {
    value: Rc<DecodedEntry>,
    live_until_ledger: Option<u32>,
    archived: bool,
    code_cached: Option<bool>,
}

impl RequestState {
    fn read(request: &Request, definitions: &Definitions) -> Result<RequestState, Error> {
        let mut request_state = RequestState::default();
        for (BorrowedText(key_text), EntryValue(value)) in request.ledger_entries.iter().flatten() {
            request_state
                .take(key_text, value.as_ref(), definitions)
                .map_err(|error| error.at_key(key_text))?;
        }
        Ok(request_state)
    }

    fn take(
        &mut self,
        key_text: &str,
        entry: Option<&Entry>,
        definitions: &Definitions,
    ) -> Result<(), Error> {
        let key = from_base64(key_text, "ledger_entries")?;
        let Some(entry) = entry else {
            decode::<LedgerKey>(&key, "ledger_entries")?;
            self.rows.insert(key, None);
            return Ok(());
        };
        let value = definitions.entry_of(&key, &entry.entry_xdr, "ledger_entries")?;
        if matches!(value.entry.data, LedgerEntryData::Ttl(_)) {
            self.ttl_entries.insert(key, value.bytes.clone());
        } else {
            let entry = RequestEntry {
                value,
                live_until_ledger: entry.live_until_ledger,
                archived: entry.archived,
                code_cached: entry.code_cached,
            };
            self.rows.insert(key, Some(entry));
        }
        Ok(())
    }
}

impl RequestEntry {
    fn from_meta(state: &FirstState) -> RequestEntry {
        RequestEntry {
            value: Rc::new(DecodedEntry::of(state.entry.clone())),
            live_until_ledger: None,
            archived: state.archived,
            code_cached: None,
        }
    }

    fn into_state(
        self,
        key: &LedgerKey,
        key_bytes: &[u8],
        request_state: &RequestState,
        from_meta: &impl Deref<Target = HashMap<Vec<u8>, Option<FirstState>>>,
        ledger: &LedgerContext,
        assumed: &mut Vec<Assumption>,
    ) -> EntryState {
        let live_until_ledger = if !is_soroban(key) || self.archived {
            0
        } else if let Some(live_until) = self.live_until_ledger {
            live_until
        } else {
            let ttl_key = ttl_key_bytes(key_bytes);
            let requested_ttl =
                request_state.ttl_entries.get(&ttl_key).and_then(|bytes| live_until_of(bytes));
            let meta_ttl = || match from_meta.get(&ttl_key) {
                Some(Some(state)) => live_until_of(&encode(&state.entry)),
                _ => None,
            };
            requested_ttl.or_else(meta_ttl).unwrap_or_else(|| {
                let live_until = ledger.restored_until();
                note(assumed, "live_until_ledger", key_bytes, live_until);
                live_until
            })
        };
        // The module cache was built before this ledger wrote its code.
        let code_cached = self.code_cached.unwrap_or(
            !self.archived && self.value.entry.last_modified_ledger_seq != ledger.sequence,
        );
        EntryState { value: self.value, live_until_ledger, archived: self.archived, code_cached }
    }
}

pub fn is_soroban(key: &LedgerKey) -> bool {
    matches!(key, LedgerKey::ContractData(_) | LedgerKey::ContractCode(_))
}

pub fn is_temporary(key: &LedgerKey) -> bool {
    const TEMPORARY: ContractDataDurability = ContractDataDurability::Temporary;
    matches!(key, LedgerKey::ContractData(data) if data.durability == TEMPORARY)
}

/// LedgerKey XDR of the TTL entry that belongs to a contract data or code key.
pub fn ttl_key_bytes(key_bytes: &[u8]) -> Vec<u8> {
    encode(&LedgerKey::Ttl(LedgerKeyTtl { key_hash: sha256(key_bytes).into() }))
}

fn live_until_of(ttl_entry: &[u8]) -> Option<u32> {
    match decode::<LedgerEntry>(ttl_entry, "ledger_entries").ok()?.data {
        LedgerEntryData::Ttl(ttl) => Some(ttl.live_until_ledger_seq),
        _ => None,
    }
}

/// LedgerEntry XDR of a TTL entry. `ttl_key` is LedgerKey XDR.
pub fn ttl_entry(ttl_key: &[u8], live_until_ledger: u32) -> Vec<u8> {
    // A TTL key is its type, in four bytes, and the hash.
    let key_hash: [u8; 32] = ttl_key[4..].try_into().expect("a TTL key is 36 bytes");
    encode(&LedgerEntry {
        last_modified_ledger_seq: 0,
        data: LedgerEntryData::Ttl(TtlEntry {
            key_hash: key_hash.into(),
            live_until_ledger_seq: live_until_ledger,
        }),
        ext: LedgerEntryExt::V0,
    })
}
