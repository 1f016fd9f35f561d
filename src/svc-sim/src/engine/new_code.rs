// The new code of contracts: what the caller has defined, and which code it has named for which
// contract. What it has named for one run holds for others, so that it is asked once.

use super::key_maps::{ByKey, Keys};
use super::{
    changes::Key,
    hosts::{Job, LedgerInput},
    ledger::Soroban,
    rehearsal::{executable_of, has_live_code, with_other_code, DefinedCode, OtherCode},
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

#[derive(Default)]
pub struct NewCode {
    /// The code that the caller has defined, by its number.
    defined: HashMap<u64, DefinedCode>,
    /// The code that the caller has named, by the LedgerKey of the instance.
    named: ByKey<NamedCode>,
}

/// The code that takes the place of a contract's former code.
struct NamedCode {
    former: [u8; 32],
    /// The number of the code. `None` if it is the former one.
    next: Option<u64>,
    /// The ledger under whose rules the host accepts the code.
    ledger: Rc<LedgerInput>,
}

impl NamedCode {
    /// True in a ledger of the same rules.
    fn holds_in(&self, ledger: &Rc<LedgerInput>) -> bool {
        let (own, other) = (&self.ledger.settings, &ledger.settings);
        self.ledger.protocol == ledger.protocol
            && (Rc::ptr_eq(own, other) || own.entries == other.entries)
    }
}

impl NewCode {
    pub fn define(&mut self, number: u64, entry: Vec<u8>) {
        self.defined.extend(DefinedCode::of(entry).map(|code| (number, code)));
    }

    pub fn get(&self, number: u64) -> Option<&DefinedCode> {
        self.defined.get(&number)
    }

    /// Notes the code that the caller has named for a run. It holds for others with the same former
    /// code under the same settings.
    pub fn name(
        &mut self,
        named: impl Iterator<Item = (Key, Option<u64>)>,
        (job, soroban): (&Job, &Soroban),
    ) {
        for (instance, next) in named {
            let at = soroban.footprint.iter().position(|key| key.key == instance);
            let entry = at.and_then(|at| job.entries[at].entry.as_ref());
            let Some(former) = entry.and_then(executable_of) else { continue };
            let ledger = job.ledger.clone();
            self.named.insert(instance, NamedCode { former, next, ledger });
        }
    }

    /// The run of a transaction with new code. `None` if the caller has to name the code, or has
    /// more to do than to replace it.
    pub fn other_run(
        &self,
        job: &Job,
        soroban: &Soroban,
        instances: &Keys,
    ) -> Option<(Job, Vec<OtherCode>)> {
        let mut replaced = vec![];
        let mut hashes = HashSet::new();
        for (key, entry) in soroban.footprint.iter().zip(&job.entries) {
            if !instances.contains(&key.key) {
                continue;
            }
            // A contract that does not exist has no code.
            let Some(instance) = &entry.entry else { continue };
            let former = executable_of(instance).filter(|_| !entry.archived)?;
            let named = self.named.get(&key.key)?;
            if named.former != former || !named.holds_in(&job.ledger) {
                return None;
            }
            let code = match named.next {
                None => None,
                Some(number) => Some(self.defined.get(&number)?),
            };
            // No code of one contract is also code of another.
            let is_apart =
                hashes.insert(former) && code.is_none_or(|code| hashes.insert(*code.hash()));
            if !is_apart {
                return None;
            }
            match code {
                Some(code) => replaced.push((key.key.clone(), code)),
                None if has_live_code(&former, job, &soroban.footprint) => {}
                None => return None,
            }
        }
        with_other_code(job, &soroban.footprint, &replaced)
    }
}
