// Which transactions the engine can run by what it knows, and when an execution is what the chain
// recorded. It weighs nothing: a state that takes more than looking it up, there or in the
// transaction's own meta, is left to the caller.
// Invariant: whatever is equal here is exact to the caller's own judgement.

use super::{
    changes::{Change, Key, Kind},
    host::Executed,
    hosts::{Job, JobEntry, LedgerInput},
    ledger::{FootprintKey, Ledger, LedgerTransaction, Ran, Soroban, SorobanOperation},
    record::{record_of, ttls_before, Recorded},
    state::{Entry, Given, Knowledge, State},
};
use crate::xdr_codec::xdr::LedgerEntryType;
use std::{collections::HashMap, rc::Rc};

/// What is known of a key of a footprint just before a transaction.
pub struct KeyState {
    pub entry: Knowledge<Entry>,
    pub live_until: Knowledge<u32>,
    pub archived: Option<Entry>,
    pub changed: bool,
    pub ttl_changed: bool,
    pub restored: bool,
    pub new_code: bool,
    pub revived_code: bool,
    pub given: Option<Given<Entry>>,
    pub given_ttl: Option<Given<u32>>,
}

impl KeyState {
    pub fn read(state: &mut State, key: &FootprintKey) -> KeyState {
        let entry = state.entry(&key.key);
        let ttl = key.ttl_key.as_ref();
        let live_until = ttl.map_or(Knowledge::Known(None), |ttl| state.live_until(ttl));
        let unknown = entry.is_unknown();
        KeyState {
            archived: state.archived(&key.key),
            changed: state.changed_in_this_ledger(&key.key),
            ttl_changed: ttl.is_some_and(|ttl| state.changed_in_this_ledger(ttl)),
            restored: state.restored_in_this_ledger(&key.key),
            new_code: state.is_new_code(&key.key),
            revived_code: state.is_revived_code(&key.key),
            given: state.given_entry(&key.key).filter(|_| unknown).cloned(),
            given_ttl: ttl
                .filter(|_| live_until.is_unknown())
                .and_then(|ttl| state.given_ttl(ttl).cloned()),
            entry,
            live_until,
        }
    }
}

/// What it takes for an execution to be the chain's.
pub struct Expected {
    pub hash: [u8; 32],
    pub recorded: Recorded,
    /// Of a TTL that is only a bound, with no proof: nothing may have run out.
    pub has_provisional: bool,
    /// The last run is one with the other bounds, which must end alike.
    pub has_other_bounds: bool,
    pub unconfirmed: bool,
}

/// First change of each key in the transaction's operation.
pub fn first_changes(transaction: &LedgerTransaction) -> HashMap<&Key, &Change> {
    let mut first = HashMap::new();
    for change in &transaction.meta.operation.keyed {
        first.entry(&change.key).or_insert(change);
    }
    first
}

/// What was decided of one key elsewhere.
pub struct Decided {
    pub entry: Option<Entry>,
    pub live_until: Option<u32>,
    pub archived: bool,
    pub code_cached: Option<bool>,
    pub restored_earlier: bool,
    pub provisional: bool,
    pub bounded: bool,
    pub unconfirmed: bool,
    /// Absent by the word of a node alone.
    pub absent_by_node: bool,
    /// Absent by assumption: the smallest entry, which must not have been there.
    pub least: Option<Entry>,
}

pub struct Judging<'a> {
    pub ledger: &'a Ledger,
    pub input: &'a Rc<LedgerInput>,
    /// Every ledger since genesis was folded.
    pub complete: bool,
}

/// From this protocol on, the code that was live when the ledger before closed is in a cache.
const CODE_CACHE_SINCE: u32 = 23;

impl Judging<'_> {
    /// None: a part of the state is unknown, or the transaction's own meta says more of it.
    pub fn decide(
        &self,
        transaction: &LedgerTransaction,
        soroban: &Soroban,
        keys: &[KeyState],
    ) -> Option<Vec<Decided>> {
        let first = first_changes(transaction);
        let look = |(key, state)| self.decide_key(transaction, soroban, key, state, &first);
        soroban.footprint.iter().zip(keys).map(look).collect()
    }

    fn decide_key(
        &self,
        transaction: &LedgerTransaction,
        soroban: &Soroban,
        key: &FootprintKey,
        state: &KeyState,
        first: &HashMap<&Key, &Change>,
    ) -> Option<Decided> {
        let own = first.get(&key.key);
        let success = transaction.outcome.success;
        let is_written = soroban.operation == SorobanOperation::Invoke && !key.read_only;
        let given = state.given.as_ref();
        let archived = state.archived.is_some();
        let shown;
        let entry = match (&state.archived, &state.entry, given) {
            (Some(archived), ..) => Some(archived),
            (None, Knowledge::Known(entry), _) => entry.as_ref(),
            (None, Knowledge::Unknown, Some(given)) => given.value.as_ref(),
            (None, Knowledge::Unknown, None) => {
                shown = match own.map(|change| change.kind) {
                    Some(Kind::State) => own.and_then(|change| self.ledger.entry(change)),
                    Some(Kind::Created) => None,
                    None if success && is_written => None,
                    _ => return None,
                }
                .map(Entry::from);
                shown.as_ref()
            }
        };
        let agrees = match own.map(|change| change.kind) {
            // A success writes every read-write entry that exists.
            None => !(success && is_written && entry.is_some()),
            Some(Kind::State) => {
                let shown = own.and_then(|change| self.ledger.entry(change));
                !archived && shown == entry.map(|entry| &**entry)
            }
            Some(Kind::Created) => entry.is_none(),
            _ => false,
        };
        if !agrees || state.revived_code && key.entry_type == LedgerEntryType::ContractCode {
            return None;
        }
        let is_code = key.entry_type == LedgerEntryType::ContractCode;
        let live = entry.is_some() && !archived;
        let (mut provisional, mut bounded) = (false, false);
        let live_until = match key.ttl_key.as_ref().filter(|_| live) {
            None => None,
            Some(ttl_key) => {
                let own_ttl = first.get(ttl_key).map(|change| (change.kind, change.live_until));
                let known = match (&state.live_until, &state.given_ttl, own_ttl) {
                    (Knowledge::Known(known), ..) => (*known)?,
                    (Knowledge::Unknown, Some(given), _) => {
                        (provisional, bounded) = (given.provisional, given.bounded);
                        given.value?
                    }
                    (Knowledge::Unknown, None, Some((Kind::State, before))) => before?,
                    // What it loaded was live.
                    (Knowledge::Unknown, None, _) if own.is_some() => {
                        provisional = true;
                        self.input.sequence + LONG_LIVED_LEDGERS
                    }
                    _ => return None,
                };
                match own_ttl {
                    Some((Kind::Restored, _)) => return None,
                    Some((Kind::State, before)) if before != Some(known) => return None,
                    _ => Some(known),
                }
            }
        };
        // Whether such an entry was live, more than the bound shows.
        let is_open = key.marked
            || key.temporary
            || transaction.outcome.ran == Ran::EntryArchived
            || soroban.operation == SorobanOperation::Restore;
        if provisional && is_open && own.is_none() {
            return None;
        }
        let unconfirmed = given.is_some_and(|given| given.unconfirmed) && own.is_none();
        Some(Decided {
            entry: entry.cloned(),
            live_until,
            archived,
            code_cached: match is_code && self.input.protocol >= CODE_CACHE_SINCE {
                true if !live || state.new_code => Some(false),
                true if self.complete => Some(true),
                _ => None,
            },
            restored_earlier: entry.is_none() && state.restored,
            provisional,
            bounded,
            // Contract code is what its hash says.
            unconfirmed: unconfirmed && !(is_code && entry.is_some()),
            absent_by_node: unconfirmed && entry.is_none(),
            least: given.and_then(|given| given.least.clone()).filter(|_| own.is_none()),
        })
    }

    /// The run that is compared, one for each entry whose absence it assumes, with the entry, and,
    /// where something ran out, one with the lowest TTLs there can have been. None: nothing that an
    /// execution's digest could be compared with.
    pub fn jobs(
        &self,
        (order, transaction): (usize, &LedgerTransaction),
        soroban: &Soroban,
        decided: Vec<Decided>,
    ) -> Option<(Vec<Job>, Expected)> {
        let input = self.input;
        let operation = soroban.operation;
        let recorded =
            record_of(self.ledger, transaction, operation, input.protocol, &input.network_id)?;
        let changed =
            |key: &Key| transaction.meta.operation.keyed.iter().any(|change| change.key == *key);
        let is_shown = transaction.outcome.success || recorded.has_diagnostics;
        let before = ttls_before(&transaction.meta.operation);
        // Without diagnostic events executions with other errors look alike.
        let ran_out = transaction.outcome.ran == Ran::Exhausted;
        let has_provisional = decided.iter().any(|each| each.provisional);
        let has_other_bounds = ran_out && has_provisional && recorded.has_diagnostics;
        if ran_out && has_provisional && !has_other_bounds {
            return None;
        }
        for (key, decided) in soroban.footprint.iter().zip(&decided) {
            let is_code = key.entry_type == LedgerEntryType::ContractCode;
            if decided.absent_by_node && (is_code || !is_shown) {
                return None;
            }
            // What would show that it was not there is what the chain metered.
            if decided.least.is_some() && recorded.metrics_hash.is_none() {
                return None;
            }
            let Some(ttl_key) = &key.ttl_key else { continue };
            if decided.provisional && (changed(ttl_key) || ran_out && !decided.bounded) {
                return None;
            }
            // A TTL before it changed: a host gets only the ledger, so no digest has it.
            if let (Some(before), Some(_)) = (before.get(ttl_key), decided.live_until) {
                if *before != decided.live_until {
                    return None;
                }
            }
        }
        let expected = Expected {
            hash: transaction.hash,
            has_provisional: has_provisional && !has_other_bounds,
            has_other_bounds,
            unconfirmed: input.settings.unconfirmed || decided.iter().any(|each| each.unconfirmed),
            recorded,
        };
        let Recorded { fee_taken, refund, has_diagnostics, .. } = expected.recorded;
        let entry = |(key, decided): (&FootprintKey, &Decided)| JobEntry {
            is_code: key.entry_type == LedgerEntryType::ContractCode,
            live_until: decided.live_until.unwrap_or(0),
            archived: decided.archived,
            code_cached: decided.code_cached,
            restored_earlier: decided.restored_earlier,
            entry: decided.entry.clone(),
        };
        let replay = Job {
            ledger: input.clone(),
            envelope: self.ledger.bytes[transaction.envelope.bytes.clone()].to_vec(),
            order: order as u32 + 1,
            fee_taken,
            refund_is_paid: fee_taken != transaction.outcome.fee_charged || refund != 0,
            diagnostics: has_diagnostics,
            entries: soroban.footprint.iter().zip(&decided).map(entry).collect(),
        };
        let mut jobs = vec![replay];
        for (at, (key, decided)) in soroban.footprint.iter().zip(&decided).enumerate() {
            let Some(least) = &decided.least else { continue };
            let mut proof = jobs[0].clone();
            proof.entries[at].entry = Some(written_in(least, input.sequence - 1));
            proof.entries[at].live_until =
                key.ttl_key.as_ref().map_or(0, |_| input.sequence + LONG_LIVED_LEDGERS);
            jobs.push(proof);
        }
        if expected.has_other_bounds {
            let mut lowest = jobs[0].clone();
            for (entry, _) in lowest.entries.iter_mut().zip(&decided).filter(|(_, d)| d.provisional)
            {
                entry.live_until = input.sequence;
            }
            jobs.push(lowest);
        }
        Some((jobs, expected))
    }
}

/// Beyond any threshold of an extension.
const LONG_LIVED_LEDGERS: u32 = 1_000_000;

/// The entry with that last-modified ledger.
fn written_in(entry: &Entry, sequence: u32) -> Entry {
    [&sequence.to_be_bytes()[..], entry.get(4..).unwrap_or_default()].concat().into()
}

impl Expected {
    /// Every part that both sides can have is equal; and the chain metered no entry that is
    /// assumed to be absent, and no TTL that is a bound mattered (prove-absence.ts and
    /// prove-ttls.ts in src/debugger/run).
    pub fn is_met(&self, executed: &[Option<Executed>]) -> bool {
        let [Some(executed), proofs @ ..] = executed else { return false };
        let (proofs, other_bounds) =
            proofs.split_at(proofs.len() - usize::from(self.has_other_bounds));
        if other_bounds.iter().any(|run| run.as_ref() != Some(executed)) {
            return false;
        }
        let is_proof =
            |run: &Option<Executed>| run.as_ref().is_some_and(|run| run.cost != executed.cost);
        self.is_equal(executed) && proofs.iter().all(is_proof)
    }

    fn is_equal(&self, executed: &Executed) -> bool {
        let Recorded { hash, metrics_hash, fees, refund, .. } = &self.recorded;
        executed.transaction_hash == self.hash
            && executed.digest == *hash
            && metrics_hash.is_none_or(|hash| executed.metrics_digest == hash)
            && executed.refund == *refund
            && fees.is_none_or(|fees| executed.fees == fees)
            && !(self.has_provisional && executed.budget_error)
    }
}
