// The first mention of an entry in ledgers: the value before its first change held since the stream
// began. A transaction can then read an entry that only a later ledger changes.

use super::key_maps::ByKey;
use super::{
    changes::{Change, Changes, Key, Kind},
    ledger::{Facts, Ledger},
    state::Entry,
};
use crate::xdr_codec::xdr::LedgerEntryType;

/// Reading ends with the ledger that exceeds this number. Keys beyond it are only unknown.
const MOST_KEYS: usize = 500_000;

/// The state of a key just before its first change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Before {
    /// A TTL has only a last live ledger.
    Entry {
        entry: Option<Entry>,
        live_until: Option<u32>,
    },
    Absent,
    /// The entry was restored from the archive, or had expired.
    Archived {
        entry: Option<Entry>,
    },
    Evicted,
    /// The change lacks the state before it.
    Unclear,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mention {
    pub before: Before,
    pub ledger: u32,
}

#[derive(Default)]
pub struct Mentions {
    by_key: ByKey<Mention>,
    /// Every change up to and including this ledger was seen; 0 if only settings were read.
    pub read_to: u32,
}

impl Mentions {
    pub fn find(&self, key: &[u8]) -> Option<&Mention> {
        self.by_key.get(key)
    }

    pub fn of_settings(&self) -> impl Iterator<Item = (&Key, &Mention)> {
        let setting = (LedgerEntryType::ConfigSetting as i32).to_be_bytes();
        self.by_key.iter().filter(move |(key, _)| key.starts_with(&setting))
    }
}

/// Collects mentions up to the first gap. A ledger beyond a gap does not show what was before it.
pub struct Collection {
    mentions: Mentions,
    /// True for a stream from genesis, which already knows everything else.
    settings_only: bool,
    previous: Option<Facts>,
    most_keys: usize,
}

impl Collection {
    pub fn new(settings_only: bool) -> Collection {
        let mentions = Mentions::default();
        Collection { mentions, settings_only, previous: None, most_keys: MOST_KEYS }
    }

    /// Passes a ledger that mentions nothing. False if it comes after a gap.
    pub fn follow(&mut self, facts: &Facts) -> bool {
        let before = self.previous.replace(facts.clone());
        before.is_none_or(|before| before.hash == facts.previous_hash)
    }

    /// Adds a ledger. False if nothing that follows counts.
    pub fn add(&mut self, ledger: &Ledger) -> bool {
        let facts = &ledger.facts;
        if !self.follow(facts) {
            return false;
        }
        // A header that names no upgrade is the word that counts.
        if self.settings_only && !facts.has_upgrades {
            return true;
        }
        if !self.settings_only {
            for each in &ledger.transactions {
                self.add_changes(ledger, &each.fee_changes);
            }
            for each in &ledger.transactions {
                self.add_changes(ledger, &each.meta.before);
                self.add_changes(ledger, &each.meta.operation);
                self.add_changes(ledger, &each.meta.after);
            }
            for refund in ledger.transactions.iter().flat_map(|each| &each.refund_changes) {
                self.add_changes(ledger, refund);
            }
        }
        for upgrade in &ledger.upgrades {
            self.add_changes(ledger, &upgrade.changes);
        }
        if self.settings_only {
            return true;
        }
        let evicted = Mention { before: Before::Evicted, ledger: facts.sequence };
        for key in &ledger.evicted {
            self.mentions.by_key.entry(key.clone()).or_insert_with(|| evicted.clone());
        }
        if self.mentions.by_key.len() > self.most_keys {
            return false;
        }
        self.mentions.read_to = facts.sequence;
        true
    }

    pub fn end(self) -> Mentions {
        self.mentions
    }

    fn add_changes(&mut self, ledger: &Ledger, changes: &Changes) {
        for change in &changes.keyed {
            if !self.mentions.by_key.contains_key(&change.key) {
                let mention =
                    Mention { before: before(ledger, change), ledger: ledger.facts.sequence };
                self.mentions.by_key.insert(change.key.clone(), mention);
            }
        }
    }
}

fn before(ledger: &Ledger, change: &Change) -> Before {
    let entry = || ledger.entry(change).map(Entry::from);
    // A restoration that changes the TTL further shows the TTL from before (own-changes.ts).
    let has_ended = change.live_until.is_some_and(|until| until < ledger.facts.sequence);
    match change.kind {
        Kind::State => Before::Entry { entry: entry(), live_until: change.live_until },
        Kind::Restored if has_ended => {
            Before::Entry { entry: entry(), live_until: change.live_until }
        }
        Kind::Restored => Before::Archived { entry: entry() },
        Kind::Created => Before::Absent,
        Kind::Updated | Kind::Removed => Before::Unclear,
    }
}
