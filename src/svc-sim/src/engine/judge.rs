// Decides which transactions the engine can run with what it knows, and when an execution is what
// the chain recorded. It never guesses: any state that needs more than a lookup here or in the
// transaction's own meta is left to the caller. Invariant: whatever is equal here is exact to the
// caller's own judgement.

use super::key_maps::ByBorrowedKey;
use super::{
    changes::{Change, Key, Kind},
    host::Executed,
    hosts::{Job, JobEntry, LedgerInput},
    ledger::{FootprintKey, Ledger, LedgerTransaction, Ran, Soroban, SorobanOperation},
    record::{record_of, ttls_before, Recorded},
    state::{Entry, Knowledge, NodeClaim, State},
};
use crate::xdr_codec::xdr::LedgerEntryType;
use std::rc::Rc;

/// The known state of a footprint's key just before a transaction.
pub struct KeyState {
    pub entry: Knowledge<Entry>,
    pub live_until: Knowledge<u32>,
    pub archived: Option<Entry>,
    pub changed: bool,
    pub ttl_changed: bool,
    pub restored: bool,
    pub new_code: bool,
    pub revived_code: bool,
    pub claim: Option<NodeClaim<Entry>>,
    pub claimed_ttl: Option<NodeClaim<u32>>,
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
            claim: state.claimed_entry(&key.key).filter(|_| unknown).cloned(),
            claimed_ttl: ttl
                .filter(|_| live_until.is_unknown())
                .and_then(|ttl| state.claimed_ttl(ttl).cloned()),
            entry,
            live_until,
        }
    }
}

/// The values that an execution must have to equal the chain's record.
pub struct Expected {
    pub hash: [u8; 32],
    pub recorded: Recorded,
    /// True if a TTL is only an unproven bound. No entry may then have expired.
    pub has_provisional: bool,
    /// True if the last run has the other bounds. It must have the same outcome.
    pub has_other_bounds: bool,
    pub unconfirmed: bool,
}

/// The first change of each key in the transaction's operation.
pub fn first_changes(transaction: &LedgerTransaction) -> ByBorrowedKey<'_, &Change> {
    let mut first = ByBorrowedKey::default();
    for change in &transaction.meta.operation.keyed {
        first.entry(&change.key).or_insert(change);
    }
    first
}

/// The caller's decision for one key.
pub struct Decided {
    pub entry: Option<Entry>,
    pub live_until: Option<u32>,
    pub archived: bool,
    pub code_cached: Option<bool>,
    pub restored_earlier: bool,
    pub provisional: bool,
    pub bounded: bool,
    pub unconfirmed: bool,
    /// True if only a node claims that the entry is absent.
    pub absent_by_node: bool,
    /// The smallest possible entry, if its absence is assumed. A run with it must differ.
    pub least: Option<Entry>,
}

pub struct Judging<'a> {
    pub ledger: &'a Ledger,
    pub input: &'a Rc<LedgerInput>,
    /// True if every ledger since genesis was folded.
    pub complete: bool,
}

/// The first protocol in which a cache holds the code that was live when the previous ledger
/// closed.
const CODE_CACHE_SINCE: u32 = 23;

impl Judging<'_> {
    /// Decides the state of a key. `None` if a part of the state is unknown, or if the
    /// transaction's own meta shows more.
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
        first: &ByBorrowedKey<&Change>,
    ) -> Option<Decided> {
        let own = first.get(&key.key);
        let success = transaction.outcome.success;
        let is_written = soroban.operation == SorobanOperation::Invoke && !key.read_only;
        let claim = state.claim.as_ref();
        let archived = state.archived.is_some();
        let shown;
        let entry = match (&state.archived, &state.entry, claim) {
            (Some(archived), ..) => Some(archived),
            (None, Knowledge::Known(entry), _) => entry.as_ref(),
            (None, Knowledge::Unknown, Some(claim)) => claim.value.as_ref(),
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
                let known = match (&state.live_until, &state.claimed_ttl, own_ttl) {
                    (Knowledge::Known(known), ..) => (*known)?,
                    (Knowledge::Unknown, Some(claim), _) => {
                        (provisional, bounded) = (claim.provisional, claim.bounded);
                        claim.value?
                    }
                    (Knowledge::Unknown, None, Some((Kind::State, before))) => before?,
                    // An entry that the transaction loaded was live.
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
        // True if the bound does not show whether such an entry was live.
        let is_open = key.marked
            || key.temporary
            || transaction.outcome.ran == Ran::EntryArchived
            || soroban.operation == SorobanOperation::Restore;
        if provisional && is_open && own.is_none() {
            return None;
        }
        let unconfirmed = claim.is_some_and(|claim| claim.unconfirmed) && own.is_none();
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
            // The key's hash confirms contract code.
            unconfirmed: unconfirmed && !(is_code && entry.is_some()),
            absent_by_node: unconfirmed && entry.is_none(),
            least: claim.and_then(|claim| claim.least.clone()).filter(|_| own.is_none()),
        })
    }

    /// The runs to make: the one that is compared, one with each entry whose absence is assumed,
    /// and, if something expired, one with the lowest possible TTLs. `None` if the record has
    /// nothing to compare an execution's digest with.
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
        // Without diagnostic events, executions with different errors look alike.
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
            // Only what the chain metered can show that the entry was absent.
            if decided.least.is_some() && recorded.metrics_hash.is_none() {
                return None;
            }
            let Some(ttl_key) = &key.ttl_key else { continue };
            if decided.provisional && (changed(ttl_key) || ran_out && !decided.bounded) {
                return None;
            }
            // The record has the TTL before it changed. A host gets only the ledger, so no digest
            // has it.
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
            compared: None,
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

/// This is longer than the threshold of any extension.
const LONG_LIVED_LEDGERS: u32 = 1_000_000;

/// The entry with `sequence` as its last-modified ledger.
fn written_in(entry: &Entry, sequence: u32) -> Entry {
    [&sequence.to_be_bytes()[..], entry.get(4..).unwrap_or_default()].concat().into()
}

impl Expected {
    /// Says whether every part that both sides can have is equal, the chain metered no entry that
    /// is assumed to be absent, and no TTL that is only a bound mattered (prove-absence.ts and
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
