// The transactions of a stream that the caller observes: those that use one of its keys. The others
// are folded and not run. An observed transaction that calls contracts with new code runs twice, as
// it was and with that code, once the caller has said which code it is. The caller gets a row of
// each that does the same both times, and the evidence of the others.

use super::key_maps::{ByKey, Keys};
use super::{
    changes::Key,
    hosts::Job,
    ledger::{LedgerTransaction, Soroban},
    rehearsal::BothRuns,
    state::Entry,
    stream::Place,
    wire,
};
use crate::xdr_codec::{hex, to_base64};
use serde_json::{json, Value as Json};
use std::collections::HashSet;

/// The bytes of entries that the caller has to keep. Above this all entries are reported again.
const MOST_REPORTED_BYTES: usize = 16 << 20;

pub struct Observed {
    /// LedgerKeys of the instances of contracts that can have new code.
    pub instances: Keys,
    /// The keys by which a transaction is known to be observed.
    keys: Keys,
    /// True if what an observed transaction may change is one of the keys from then on.
    grows: bool,
    /// True if the engine runs them with new code too.
    pub runs_again: bool,
    /// The hashes of the transactions that can be observed. `None` for all.
    only: Option<HashSet<[u8; 32]>>,
    /// The first ledger with an open transaction, until the caller has named code or has finished
    /// the ledger. `None` before and after that.
    waits_for: Option<u32>,
    has_waited: bool,
    /// The number of each key whose entry the caller has.
    reported: ByKey<(usize, Option<Entry>)>,
    reported_bytes: usize,
}

/// The state of an observed transaction, for its row.
pub struct Observation {
    /// The entries of the footprint, in its order.
    entries: Vec<Option<Entry>>,
}

impl Observed {
    pub fn new(message: wire::Observe) -> Observed {
        let instances: Keys = message.keys.into_iter().map(|key| key.0.into()).collect();
        let only = message.only.map(|hashes| hashes.into_iter().map(|hash| hash.0).collect());
        Observed {
            keys: instances.clone(),
            instances,
            grows: message.grows,
            runs_again: message.again,
            only,
            waits_for: None,
            has_waited: false,
            reported: ByKey::default(),
            reported_bytes: 0,
        }
    }

    /// Says whether the caller observes a transaction that ran.
    pub fn has(&self, transaction: &LedgerTransaction, soroban: &Soroban) -> bool {
        let only = self.only.as_ref();
        only.is_none_or(|hashes| hashes.contains(&transaction.hash))
            && soroban.footprint.iter().any(|key| self.keys.contains(&key.key))
    }

    /// False if no transaction before this one can make the caller observe it.
    pub fn may_have(&self, transaction: &LedgerTransaction, soroban: &Soroban) -> bool {
        self.grows || self.has(transaction, soroban)
    }

    /// The same as `has`, for the next transaction that ran.
    pub fn takes(&mut self, transaction: &LedgerTransaction, soroban: &Soroban) -> bool {
        let has = self.has(transaction, soroban);
        if has && self.grows {
            let changeable = soroban.footprint.iter().filter(|key| !key.read_only);
            self.keys.extend(changeable.map(|key| key.key.clone()));
        }
        has
    }

    /// Notes that the caller has to judge transactions of a ledger. After the first one the fold
    /// waits, because the caller may name the code that the next ledgers need.
    pub fn opens(&mut self, sequence: u32) {
        if self.runs_again && !self.has_waited {
            self.has_waited = true;
            self.waits_for = Some(sequence);
        }
    }

    /// Ends the wait for a ledger.
    pub fn ends(&mut self, sequence: u32) {
        self.waits_for = self.waits_for.filter(|waited| *waited != sequence);
    }

    pub fn waits(&self) -> bool {
        self.waits_for.is_some()
    }

    /// The row of a transaction that does the same with both codes.
    pub fn row(
        &mut self,
        (transaction, order): (&LedgerTransaction, usize),
        place: &Place,
        unconfirmed: bool,
        both: &BothRuns,
        Observation { entries }: &Observation,
    ) -> Json {
        let soroban = transaction.envelope.soroban.as_ref();
        let invoked = soroban.and_then(|soroban| soroban.invoked.as_ref());
        let footprint = soroban.map_or(&[][..], |soroban| &soroban.footprint);
        // Never within a row, because a number would have two keys in it.
        if self.reported_bytes > MOST_REPORTED_BYTES {
            self.reported.clear();
            self.reported_bytes = 0;
        }
        let keyed = footprint.iter().map(|key| &key.key).zip(entries);
        let state: Vec<Json> = keyed.map(|(key, entry)| self.report(key, entry)).collect();
        json!({ "call": {
            "hash": hex(&transaction.hash),
            "sequence": place.shown.ledger.facts.sequence,
            "order": order,
            "file": place.shown.file,
            "invoked": invoked.map(|(contract, function)| {
                [contract.to_string(), function.to_utf8_string_lossy()]
            }),
            "unconfirmed": unconfirmed,
            "again": wire::again(both),
            "entries": state,
        } })
    }

    /// The number of a key whose entry the caller has, or the number with the key and the entry.
    fn report(&mut self, key: &Key, entry: &Option<Entry>) -> Json {
        let next = self.reported.len();
        match self.reported.get(key) {
            Some((number, known)) if known == entry => json!(number),
            known => {
                let number = known.map_or(next, |(number, _)| *number);
                self.reported_bytes += key.len() + entry.as_ref().map_or(0, |entry| entry.len());
                self.reported.insert(key.clone(), (number, entry.clone()));
                json!([number, to_base64(key), entry.as_ref().map(|entry| to_base64(entry))])
            }
        }
    }
}

impl Observation {
    pub fn of(job: &Job) -> Observation {
        Observation { entries: job.entries.iter().map(|each| each.entry.clone()).collect() }
    }
}
