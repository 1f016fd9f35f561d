// The ledger state that a gap-free run of ledgers spells out, entry by entry. If every ledger since
// genesis was applied, an entry that no ledger mentioned does not exist; otherwise it is unknown.
// Invariant: memory is bounded. At the limit the state forgets everything except the network
// settings and begins anew with the next ledger. In a run without an end it forgets only what was
// not used for long.

use super::key_maps::{ByKey, Keys};
use super::{
    changes::{last_modified, ttl_key, type_of, Change, Key, Kind},
    recent::Recent,
};
use crate::xdr_codec::xdr::LedgerEntryType;
use std::sync::Arc;

pub type Entry = Arc<[u8]>;

/// What is known of a key. `Known(None)` means that it does not exist.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Knowledge<T> {
    Unknown,
    Known(Option<T>),
}

impl<T> Knowledge<T> {
    pub fn value(&self) -> Option<&T> {
        match self {
            Knowledge::Known(value) => value.as_ref(),
            Knowledge::Unknown => None,
        }
    }

    pub fn is_unknown(&self) -> bool {
        matches!(self, Knowledge::Unknown)
    }
}

/// An entry that the chain loaded or restored with another value than the ledgers gave it.
pub struct Mismatch {
    pub restored: bool,
    pub key: Key,
    pub folded: Option<Value>,
    pub on_chain: Option<Value>,
}

pub enum Value {
    Entry(Entry),
    LiveUntil(u32),
}

#[derive(Clone, Copy, Default)]
pub struct Limits {
    pub maximum_bytes: usize,
    /// True if the state, at its limit, forgets only the entries that were not used for long.
    pub keeps_recent: bool,
    /// True if the caller will call `take_rows`.
    pub keeps_rows: bool,
}

/// The facts of a state, apart from its rows.
#[derive(Clone, Copy, Default)]
pub struct StateFacts {
    /// The first ledger since which nothing is missing; 0 before the first ledger.
    pub first_ledger: u32,
    /// The young generations hold every change since this ledger.
    pub young_since: u32,
    pub generation: u64,
    /// True if a key that was never mentioned is known not to exist.
    pub complete: bool,
}

/// A value that a node or a meta showed. It holds until a ledger changes it.
#[derive(Clone)]
pub struct NodeClaim<T> {
    pub value: Option<T>,
    /// True if only a node's answer shows the value.
    pub unconfirmed: bool,
    /// True if the value was read at a later ledger. It is only an upper bound, and no verdict may
    /// depend on it.
    pub provisional: bool,
    /// True if the entry was not written later, so that the transaction's ledger is the other
    /// bound.
    pub bounded: bool,
    /// The smallest possible value, if its absence is assumed. A run with it must differ.
    pub least: Option<T>,
}

#[derive(Clone)]
pub enum Row {
    Entry(Option<Entry>),
    LiveUntil(Option<u32>),
    Archived(Entry),
    Gone,
}

pub struct State {
    entries: Recent<Option<Entry>>,
    /// The last live ledgers, by the key of the TTL entry.
    live_until: Recent<Option<u32>>,
    /// The evicted persistent entries (protocol 23 and later).
    hot_archive: Recent<Entry>,
    claimed_entries: ByKey<NodeClaim<Entry>>,
    claimed_ttls: ByKey<NodeClaim<u32>>,
    changed: Keys,
    new_code: Keys,
    revived_code: Keys,
    restored: Keys,
    pub facts: StateFacts,
    limits: Limits,
    ledger: u32,
    /// True if rows that were kept before are void.
    is_new: bool,
    /// A number that grows with every change of a network setting.
    pub settings_revision: u64,
    pub mismatches: Vec<Mismatch>,
}

fn size_of_entry(entry: &Option<Entry>) -> usize {
    entry.as_ref().map_or(0, |entry| entry.len())
}

impl State {
    pub fn new(complete: bool, limits: Limits) -> State {
        let tracked = limits.keeps_rows;
        State {
            entries: Recent::new(size_of_entry, tracked),
            live_until: Recent::new(|_| 0, tracked),
            hot_archive: Recent::new(|entry| entry.len(), tracked),
            claimed_entries: ByKey::default(),
            claimed_ttls: ByKey::default(),
            changed: Keys::default(),
            new_code: Keys::default(),
            revived_code: Keys::default(),
            restored: Keys::default(),
            facts: StateFacts { complete, ..StateFacts::default() },
            limits,
            ledger: 0,
            is_new: true,
            settings_revision: 0,
            mismatches: vec![],
        }
    }

    /// Begins a ledger. Ledgers come in order, without a gap.
    pub fn begin_ledger(&mut self, sequence: u32) {
        let bytes = self.entries.bytes + self.live_until.bytes + self.hot_archive.bytes;
        if self.limits.keeps_recent {
            if bytes > self.limits.maximum_bytes / 2 {
                self.forget_unused(sequence);
            }
        } else if bytes > self.limits.maximum_bytes {
            self.forget();
        }
        if self.claimed_entries.len() + self.claimed_ttls.len() > MAXIMUM_CLAIMS {
            self.claimed_entries.clear();
            self.claimed_ttls.clear();
        }
        for first in [&mut self.facts.first_ledger, &mut self.facts.young_since] {
            if *first == 0 {
                *first = sequence;
            }
        }
        self.ledger = sequence;
        for keys in
            [&mut self.changed, &mut self.new_code, &mut self.revived_code, &mut self.restored]
        {
            keys.clear();
        }
    }

    pub fn entry(&mut self, key: &[u8]) -> Knowledge<Entry> {
        match self.entries.get(key) {
            Some(entry) => Knowledge::Known(entry.clone()),
            // No meta has the settings of the genesis ledger.
            None if self.facts.complete && !is_setting(key) => Knowledge::Known(None),
            None => Knowledge::Unknown,
        }
    }

    pub fn live_until(&mut self, ttl_key: &[u8]) -> Knowledge<u32> {
        match self.live_until.get(ttl_key) {
            Some(ledger) => Knowledge::Known(*ledger),
            None if self.facts.complete => Knowledge::Known(None),
            None => Knowledge::Unknown,
        }
    }

    pub fn archived(&mut self, key: &[u8]) -> Option<Entry> {
        self.hot_archive.get(key).cloned()
    }

    pub fn claimed_entry(&self, key: &[u8]) -> Option<&NodeClaim<Entry>> {
        self.claimed_entries.get(key)
    }

    pub fn claimed_ttl(&self, ttl_key: &[u8]) -> Option<&NodeClaim<u32>> {
        self.claimed_ttls.get(ttl_key)
    }

    /// Adds an entry as it was just before the first change of the ledger that was applied last.
    /// The state keeps it only if no ledger has shown the key, and keeps a TTL that a ledger has
    /// shown.
    pub fn add_claim(&mut self, key: Key, entry: NodeClaim<Entry>, ttl: Option<NodeClaim<u32>>) {
        let ttl_key = ttl_key(&key);
        // The entry was evicted: the archive has it, with a value that no ledger shows.
        let is_gone = self.live_until(&ttl_key) == Knowledge::Known(None);
        if is_gone || !self.entry(&key).is_unknown() {
            return;
        }
        if let Some(ttl) = ttl {
            self.add_ttl_claim(ttl_key, ttl);
        }
        self.claimed_entries.insert(key, entry);
    }

    /// Adds a TTL in the same way, for an entry that the ledgers have shown.
    pub fn add_ttl_claim(&mut self, ttl_key: Key, ttl: NodeClaim<u32>) {
        if self.live_until(&ttl_key).is_unknown() {
            self.claimed_ttls.insert(ttl_key, ttl);
        }
    }

    pub fn changed_in_this_ledger(&self, key: &[u8]) -> bool {
        self.changed.contains(key)
    }

    /// Says whether an earlier transaction of this ledger restored the entry from the hot archive.
    pub fn restored_in_this_ledger(&self, key: &[u8]) -> bool {
        self.restored.contains(key)
    }

    /// Says whether contract code was not live when the previous ledger closed.
    pub fn is_new_code(&self, key: &[u8]) -> bool {
        self.new_code.contains(key)
    }

    /// Says whether code was restored in this ledger, from the archive or in place. Both look the
    /// same.
    pub fn is_revived_code(&self, key: &[u8]) -> bool {
        self.revived_code.contains(key)
    }

    /// Applies a change. `entry` has its bytes; it is `None` for TTLs and for what was removed.
    pub fn apply(&mut self, change: &Change, entry: Option<&[u8]>) {
        let Change { kind, entry_type, ref key, live_until, .. } = *change;
        match kind {
            Kind::State => self.compare_loaded(change, entry),
            _ => _ = self.changed.insert(key.clone()),
        }
        if kind == Kind::Restored {
            self.compare_restored(change, entry);
        }
        if change.is_ttl() {
            self.set_live_until(key, live_until);
            return;
        }
        if entry_type == LedgerEntryType::ConfigSetting {
            self.settings_revision += 1;
        }
        if entry_type == LedgerEntryType::ContractCode && self.appears(kind, key, entry) {
            self.new_code.insert(key.clone());
            if kind == Kind::Restored && self.entry(key).is_unknown() {
                self.revived_code.insert(key.clone());
            }
        }
        let archived = self.hot_archive.remove(key);
        if archived || (kind == Kind::Restored && self.appears(kind, key, entry)) {
            self.restored.insert(key.clone());
        }
        self.set_entry(key, entry);
    }

    /// Applies an extension that becomes visible later than the change that made it.
    pub fn extend_ttl(&mut self, ttl_key: &Key, ledger: u32) {
        self.changed.insert(ttl_key.clone());
        self.set_live_until(ttl_key, Some(ledger));
    }

    pub fn evict(&mut self, key: &Key) {
        let kind = type_of(key);
        if kind == Some(LedgerEntryType::Ttl) {
            self.set_live_until(key, None);
        }
        let is_code = kind == Some(LedgerEntryType::ContractCode);
        if !is_code && kind != Some(LedgerEntryType::ContractData) {
            return;
        }
        self.set_live_until(&ttl_key(key), None);
        // The durability is the last word of a contract data key.
        let temporary = !is_code && key[key.len() - 4..] == [0; 4];
        if !temporary {
            match self.entry(key) {
                // The archive has it, with a value that no ledger shows.
                Knowledge::Unknown => {
                    self.claimed_entries.remove(key);
                    return;
                }
                Knowledge::Known(Some(entry)) => self.hot_archive.set(key.clone(), entry),
                Knowledge::Known(None) => {}
            }
        }
        self.set_entry(key, None);
    }

    /// Says whether the entry was not live before: it did not exist, or the hot archive had it.
    fn appears(&mut self, kind: Kind, key: &[u8], entry: Option<&[u8]>) -> bool {
        if self.entries.get(key).is_some_and(Option::is_some) {
            return false;
        }
        match (kind, entry) {
            (Kind::Created, _) => true,
            // An expired entry that is restored in place keeps its last-modified ledger.
            (Kind::Restored, Some(entry)) => {
                self.facts.complete || last_modified(entry) >= self.ledger
            }
            _ => false,
        }
    }

    fn set_live_until(&mut self, ttl_key: &Key, ledger: Option<u32>) {
        self.claimed_ttls.remove(ttl_key);
        if ledger.is_none() && self.facts.complete {
            self.live_until.remove(ttl_key);
        } else {
            self.live_until.set(ttl_key.clone(), ledger);
        }
    }

    fn set_entry(&mut self, key: &Key, entry: Option<&[u8]>) {
        self.claimed_entries.remove(key);
        if entry.is_none() && self.facts.complete {
            self.entries.remove(key);
        } else {
            self.entries.set(key.clone(), entry.map(Arc::from));
        }
    }

    /// Compares a STATE with the state that was applied. A STATE is what stellar-core loaded, so it
    /// is what the transaction saw.
    fn compare_loaded(&mut self, change: &Change, entry: Option<&[u8]>) {
        if change.is_ttl() {
            let Knowledge::Known(folded) = self.live_until(&change.key) else { return };
            if folded != change.live_until {
                let folded = folded.map(Value::LiveUntil);
                let on_chain = change.live_until.map(Value::LiveUntil);
                self.note(false, &change.key, folded, on_chain);
            }
            return;
        }
        let Knowledge::Known(folded) = self.entry(&change.key) else { return };
        if folded.as_deref() != entry {
            let on_chain = entry.map(|entry| Value::Entry(entry.into()));
            self.note(false, &change.key, folded.map(Value::Entry), on_chain);
        }
    }

    /// Compares a restored entry. An archived entry comes back as it was evicted, and an expired
    /// one as it is. The ledger that last modified it stays or becomes this one (stellar-core,
    /// processOpLedgerEntryChanges).
    fn compare_restored(&mut self, change: &Change, entry: Option<&[u8]>) {
        let Some(entry) = entry else { return };
        let folded = match self.archived(&change.key) {
            Some(archived) => Some(archived),
            None => match self.entry(&change.key) {
                Knowledge::Unknown => return,
                Knowledge::Known(entry) => entry,
            },
        };
        let same_data = |folded: &Entry| folded.get(4..) == entry.get(4..);
        if folded.as_deref() == Some(entry)
            || folded.as_ref().is_some_and(same_data) && last_modified(entry) == self.ledger
        {
            return;
        }
        let on_chain = Some(Value::Entry(entry.into()));
        self.note(true, &change.key, folded.map(Value::Entry), on_chain);
    }

    fn note(&mut self, restored: bool, key: &Key, folded: Option<Value>, on_chain: Option<Value>) {
        self.mismatches.push(Mismatch { restored, key: key.clone(), folded, on_chain });
    }

    fn forget(&mut self) {
        let settings = self.settings();
        self.facts = StateFacts { generation: self.facts.generation, ..StateFacts::default() };
        self.entries.clear();
        self.live_until.clear();
        self.hot_archive.clear();
        self.claimed_entries.clear();
        self.claimed_ttls.clear();
        self.is_new = true;
        settings.into_iter().for_each(|(key, entry)| self.entries.set(key, entry));
    }

    /// Changes since the last generation are still known, so nothing is missing since then.
    fn forget_unused(&mut self, sequence: u32) {
        let settings = self.settings();
        let forgets = [
            self.entries.forget_unused(),
            self.live_until.forget_unused(),
            self.hot_archive.forget_unused(),
        ];
        self.facts.generation += 1;
        settings.into_iter().for_each(|(key, entry)| self.entries.set(key, entry));
        if forgets.contains(&true) {
            // A complete state does not keep removed entries.
            let StateFacts { complete, young_since, .. } = self.facts;
            self.facts.first_ledger = if complete { sequence } else { young_since };
            self.facts.complete = false;
        }
        self.facts.young_since = sequence;
    }

    pub fn settings(&self) -> Vec<(Key, Option<Entry>)> {
        let settings = self.entries.iter().filter(|(key, _)| is_setting(key));
        settings.map(|(key, entry)| (key.clone(), entry.clone())).collect()
    }

    /// Restores a saved state instead of folding its ledgers: the facts first, then the rows.
    pub fn restore(&mut self, facts: StateFacts) {
        self.facts = facts;
    }

    /// Restores a row. `generation` is that of the facts that the row was saved with; older rows
    /// are ignored.
    pub fn keep(&mut self, key: Key, row: Row, generation: u64) {
        macro_rules! keep {
            ($map:ident, $value:expr) => {
                if generation + 1 == self.facts.generation {
                    self.$map.set_old(key, $value)
                } else if generation == self.facts.generation {
                    self.$map.set(key, $value)
                }
            };
        }
        match row {
            Row::Entry(entry) => keep!(entries, entry),
            Row::LiveUntil(ledger) => keep!(live_until, ledger),
            Row::Archived(entry) => keep!(hot_archive, entry),
            Row::Gone => {}
        }
    }

    /// The rows that were learnt or used since the last call, and whether earlier rows are void.
    pub fn take_rows(&mut self) -> (bool, Vec<(char, Key, Row)>) {
        let mut rows = vec![];
        macro_rules! take {
            ($letter:literal, $map:ident, $row:path) => {
                for (key, value) in self.$map.take_touched() {
                    rows.push(($letter, key, value.map_or(Row::Gone, $row)));
                }
            };
        }
        take!('e', entries, Row::Entry);
        take!('t', live_until, Row::LiveUntil);
        take!('a', hot_archive, Row::Archived);
        (std::mem::take(&mut self.is_new), rows)
    }
}

/// The number of supplied entries and TTLs that the state keeps. Beyond that it asks for them
/// again.
const MAXIMUM_CLAIMS: usize = 1_000_000;

fn is_setting(key: &[u8]) -> bool {
    type_of(key) == Some(LedgerEntryType::ConfigSetting)
}
