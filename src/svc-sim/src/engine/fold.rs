// Applies one ledger in stellar-core's order and stops before every Soroban transaction. The order
// (LedgerManagerImpl.cpp, applyLedger): the fees of all transactions; then the sequential phase,
// one transaction at a time, each with its refund before protocol 23; then the parallel phase, with
// all sequence numbers first, stage after stage, and all refunds last. Upgrades and evictions come
// at the end.

use super::key_maps::ByKey;
use super::{
    changes::{Change, Changes, Key, Kind},
    ledger::{FootprintKey, Ledger, LedgerTransaction},
    state::State,
};
use std::collections::HashMap;

/// Folds a ledger that was begun. `before` gets each Soroban transaction and its index in apply
/// order, with the state that the transaction's operation sees.
pub fn fold(
    state: &mut State,
    ledger: &Ledger,
    mut before: impl FnMut(&mut State, usize, &LedgerTransaction),
) {
    let apply = |state: &mut State, changes: &Changes| {
        for change in &changes.keyed {
            state.apply(change, ledger.entry(change));
        }
    };
    let transactions = || ledger.transactions.iter().enumerate();
    let is_parallel = |transaction: &LedgerTransaction| transaction.envelope.placed.is_some();
    transactions().for_each(|(_, each)| apply(state, &each.fee_changes));
    for (at, each) in transactions().filter(|(_, each)| !is_parallel(each)) {
        apply(state, &each.meta.before);
        if each.envelope.soroban.is_some() {
            before(state, at, each);
        }
        apply(state, &each.meta.operation);
        apply(state, &each.meta.after);
    }
    let parallel = || transactions().filter(|(_, each)| is_parallel(each));
    parallel().for_each(|(_, each)| apply(state, &each.meta.before));
    let mut ttls = StageTtls::default();
    let mut current = None;
    for (at, each) in parallel() {
        let Some((stage, cluster)) = each.envelope.placed else { continue };
        if current != Some(stage) {
            ttls.end(state);
        }
        current = Some(stage);
        let footprint = each.envelope.soroban.as_ref().map_or(&[][..], |s| &s.footprint);
        ttls.before_transaction(state, cluster, footprint);
        if each.envelope.soroban.is_some() {
            before(state, at, each);
        }
        for change in &each.meta.operation.keyed {
            if !ttls.defers(cluster, footprint, change) {
                state.apply(change, ledger.entry(change));
            }
        }
    }
    ttls.end(state);
    parallel().for_each(|(_, each)| apply(state, &each.meta.after));
    for (_, each) in transactions() {
        if let Some(refund) = &each.refund_changes {
            apply(state, refund);
        }
    }
    ledger.upgrades.iter().for_each(|upgrade| apply(state, &upgrade.changes));
    ledger.evicted.iter().for_each(|key| state.evict(key));
}

/// TTL extensions of read-only keys in one stage of the parallel phase (CAP-63, protocol 23 and
/// later). They stay invisible until a transaction of the same cluster has the key read-write. They
/// reach the other clusters only when the stage ends, merged to the highest. stellar-core,
/// ParallelApplyUtils.cpp: flushRoTTLBumpsInTxWriteFootprint, commitChangeFromSuccessfulTx,
/// flushRemainingRoTTLBumps, maybeMergeRoTTLBumps.
#[derive(Default)]
pub struct StageTtls {
    /// For each cluster and TTL key, the highest extension that is not visible yet.
    extensions: HashMap<u32, ByKey<u32>>,
}

impl StageTtls {
    /// Makes extensions visible to a transaction. Call it before every transaction, including
    /// failed ones.
    pub fn before_transaction(
        &mut self,
        state: &mut State,
        cluster: u32,
        footprint: &[FootprintKey],
    ) {
        let Some(extensions) = self.extensions.get_mut(&cluster) else { return };
        for ttl_key in footprint.iter().filter(|key| !key.read_only).flat_map(|key| &key.ttl_key) {
            if let Some(ledger) = extensions.remove(ttl_key) {
                reveal(state, ttl_key, ledger);
            }
        }
    }

    /// Returns true if the change of a transaction's operation takes effect later.
    pub fn defers(&mut self, cluster: u32, footprint: &[FootprintKey], change: &Change) -> bool {
        let Some(ledger) = change.live_until.filter(|_| change.kind == Kind::Updated) else {
            return false;
        };
        let is_it = |key: &FootprintKey| key.read_only && key.ttl_key.as_ref() == Some(&change.key);
        if !footprint.iter().any(is_it) {
            return false;
        }
        let extensions = self.extensions.entry(cluster).or_default();
        let highest = extensions.entry(change.key.clone()).or_insert(0);
        *highest = ledger.max(*highest);
        true
    }

    pub fn end(&mut self, state: &mut State) {
        for (ttl_key, ledger) in self.extensions.drain().flat_map(|(_, each)| each) {
            reveal(state, &ttl_key, ledger);
        }
    }
}

fn reveal(state: &mut State, ttl_key: &Key, ledger: u32) {
    let visible = state.live_until(ttl_key).value().copied().unwrap_or(0);
    if ledger > visible {
        state.extend_ttl(ttl_key, ledger);
    }
}
