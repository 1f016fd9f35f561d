// The transactions of a stream that the caller observes: those that use one of its keys. The others
// are folded and not run. An observed transaction that calls contracts with new code runs twice, as
// it was and with that code, once the caller has said which code it is. The caller gets a row of
// each that does the same both times, and the evidence of the others.

use super::{
    changes::Key,
    hosts::{Job, LedgerInput, Settings},
    ledger::{LedgerTransaction, Soroban},
    rehearsal::{
        executable_of, replaces_former, with_other_code, BothRuns, DefinedCode, OtherCode,
    },
    state::Entry,
    stream::Place,
    wire,
};
use crate::xdr_codec::{hex, to_base64};
use serde_json::{json, Value as Json};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The entries that the caller was told of and has to keep. Above this it is told of all again.
const MOST_TOLD_ENTRIES: usize = 50_000;

pub struct Observed {
    /// LedgerKeys of the instances of contracts that can have new code.
    instances: HashSet<Key>,
    /// The keys by which a transaction is known to be observed.
    keys: HashSet<Key>,
    /// True if what an observed transaction may change is one of the keys from then on.
    grows: bool,
    /// True if the engine runs them with new code too.
    pub runs_again: bool,
    /// The hashes of the transactions that can be observed. `None` for all.
    only: Option<HashSet<[u8; 32]>>,
    /// The code that the caller has named, by the LedgerKey of the instance.
    named: HashMap<Key, NamedCode>,
    told: HashMap<Key, (usize, Option<Entry>)>,
}

/// The code that takes the place of a contract's former code.
struct NamedCode {
    former: [u8; 32],
    /// The number of the code. `None` if it is the former one.
    next: Option<u64>,
    /// The settings under which the host accepts the code.
    settings: Rc<Settings>,
}

/// What is told of an observed run that does the same with both codes.
pub struct Observation {
    /// The entries of the footprint, in its order.
    entries: Vec<Option<Entry>>,
}

impl Observed {
    pub fn new(message: wire::Observe) -> Observed {
        let instances: HashSet<Key> = message.keys.into_iter().map(|key| key.0.into()).collect();
        let only = message.only.map(|hashes| hashes.into_iter().map(|hash| hash.0).collect());
        Observed {
            keys: instances.clone(),
            instances,
            grows: message.grows,
            runs_again: message.again,
            only,
            named: HashMap::new(),
            told: HashMap::new(),
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

    /// Notes the code that the caller has named for a run. It holds for others with the same former
    /// code under the same settings.
    pub fn note(
        &mut self,
        named: impl Iterator<Item = (Key, Option<u64>)>,
        (job, soroban): (&Job, &Soroban),
    ) {
        for (instance, next) in named {
            let at = soroban.footprint.iter().position(|key| key.key == instance);
            let entry = at.and_then(|at| job.entries[at].entry.as_ref());
            let Some(former) = entry.and_then(executable_of) else { continue };
            let settings = job.ledger.settings.clone();
            self.named.insert(instance, NamedCode { former, next, settings });
        }
    }

    /// The run of a transaction with new code. `None` if the caller has to name the code, or has
    /// more to do than to replace it.
    pub fn other_run(
        &self,
        job: &Job,
        soroban: &Soroban,
        codes: &HashMap<u64, DefinedCode>,
    ) -> Option<(Job, Vec<OtherCode>)> {
        let LedgerInput { settings, .. } = &*job.ledger;
        let mut replaced = vec![];
        let mut hashes = HashSet::new();
        for (key, entry) in soroban.footprint.iter().zip(&job.entries) {
            if !self.instances.contains(&key.key) {
                continue;
            }
            // A contract that does not exist has no code.
            let Some(instance) = &entry.entry else { continue };
            let former = executable_of(instance).filter(|_| !entry.archived)?;
            let named = self.named.get(&key.key)?;
            if named.former != former || !Rc::ptr_eq(&named.settings, settings) {
                return None;
            }
            let code = match named.next {
                None => None,
                Some(number) => Some(codes.get(&number)?),
            };
            // No code of one contract is also code of another.
            let is_apart =
                hashes.insert(former) && code.is_none_or(|code| hashes.insert(*code.hash()));
            if !is_apart {
                return None;
            }
            match code {
                Some(code) => replaced.push((key.key.clone(), code)),
                None if replaces_former(&former, job, &soroban.footprint) => {}
                None => return None,
            }
        }
        with_other_code(job, &soroban.footprint, &replaced)
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
        let keyed = footprint.iter().map(|key| &key.key).zip(entries);
        let told: Vec<Json> = keyed.map(|(key, entry)| self.tell(key, entry)).collect();
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
            "entries": told,
        } })
    }

    /// The number of a key whose entry the caller has, or the number with the key and the entry.
    fn tell(&mut self, key: &Key, entry: &Option<Entry>) -> Json {
        if self.told.len() >= MOST_TOLD_ENTRIES && !self.told.contains_key(key) {
            self.told.clear();
        }
        let next = self.told.len();
        match self.told.get(key) {
            Some((number, told)) if told == entry => json!(number),
            known => {
                let number = known.map_or(next, |(number, _)| *number);
                self.told.insert(key.clone(), (number, entry.clone()));
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
