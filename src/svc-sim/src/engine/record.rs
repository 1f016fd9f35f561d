// One hash over everything that a chain records of an execution, in the form of an execution's
// digest (README.md, "The ledger engine"). If the hashes are equal, every comparison of a verdict
// is equal. Invariant: there is no hash if the record lacks a part, has a part in an unusual form,
// or contradicts itself.

use super::key_maps::ByBorrowedKey;
use super::{
    changes::{Change, Changes, Key, Kind},
    ledger::{Ledger, LedgerTransaction, SorobanOperation},
    metric::{is_metric, metric_of},
};
use crate::{
    digest::Form,
    xdr_codec::{
        sha256,
        xdr::{LedgerEntryChangeType, LedgerEntryType},
    },
};
use sha2::{Digest, Sha256};
use std::collections::{btree_map, BTreeMap};

/// The record of the chain. Each `None` is a part that the node did not record.
pub struct Recorded {
    pub hash: [u8; 32],
    /// True if there are diagnostic events. Without them the hash leaves out the execution's events
    /// too.
    pub has_diagnostics: bool,
    pub metrics_hash: Option<[u8; 32]>,
    /// The non-refundable fee, the refundable fee and rent, in stroops.
    pub fees: Option<(i64, i64, i64)>,
    pub refund: i64,
    /// The stroops that the fee phase took.
    pub fee_taken: i64,
}

/// The first protocol in which refunds come after all transactions.
const REFUND_AFTER_ALL_PROTOCOL: u32 = 23;

pub fn record_of(
    ledger: &Ledger,
    transaction: &LedgerTransaction,
    operation: SorobanOperation,
    protocol: u32,
    network_id: &[u8; 32],
) -> Option<Recorded> {
    let LedgerTransaction { meta, outcome, .. } = transaction;
    if meta.version < 3 || meta.operations > 1 || meta.operation.count != meta.operation.keyed.len()
    {
        return None;
    }
    let refund = match &transaction.refund_changes {
        _ if protocol < REFUND_AFTER_ALL_PROTOCOL => balance_gain(ledger, &meta.after)?,
        Some(changes) => balance_gain(ledger, changes)?,
        None => return None,
    };
    let fee_taken = balance_gain(ledger, &transaction.fee_changes)?.checked_neg()?;
    let bytes = |range: &std::ops::Range<usize>| &ledger.bytes[range.clone()];
    if let Some(events) = meta.transaction_events.as_ref().map(bytes) {
        let taken = outcome.fee_charged.checked_add(refund)?;
        let fee = Fee { source: &transaction.envelope.fee_source, taken, refund };
        if events != [0; 4] && events != fee.events(protocol, network_id) {
            return None;
        }
    }
    let invokes = operation == SorobanOperation::Invoke;
    let diagnostics = Diagnostics::read(ledger, &meta.diagnostics)?;
    let mut form = Form(Sha256::new());
    form.bytes(bytes(&transaction.result));
    match &meta.return_value {
        Some(value) if outcome.success && invokes => form.bytes(bytes(value)),
        None if outcome.success && invokes => return None,
        _ => form.bytes(&[]),
    }
    form.0.update(meta.events.as_ref().map_or(&[0; 4][..], bytes));
    form.changes(ledger, &meta.operation)?;
    form.count(diagnostics.events);
    form.0.update(diagnostics.event_bytes);
    let all = meta.diagnostics.len();
    let metrics_hash = match invokes && all > diagnostics.events {
        true => Some(sha256(&diagnostics.metrics?.concat())),
        false => None,
    };
    Some(Recorded {
        hash: form.0.finalize().into(),
        has_diagnostics: all > 0,
        metrics_hash,
        fees: meta.fees,
        refund,
        fee_taken: if fee_taken < 0 { return None } else { fee_taken },
    })
}

/// The TTLs that an operation updated, with their values before it.
pub fn ttls_before(changes: &Changes) -> ByBorrowedKey<'_, Option<u32>> {
    let mut first = ByBorrowedKey::default();
    let mut updated = ByBorrowedKey::default();
    for change in changes.keyed.iter().filter(|change| change.is_ttl()) {
        match first.get(&change.key) {
            None => _ = first.insert(&change.key, change.live_until),
            Some(before) if change.kind == Kind::Updated => {
                updated.insert(&change.key, *before);
            }
            _ => {}
        }
    }
    updated
}

impl Form {
    /// Hashes the changes, one for each key, in the order of the keys' bytes. `None` if a change
    /// lacks its state before. For a TTL entry's state before, svc-sim knows only the ledger.
    fn changes(&mut self, ledger: &Ledger, changes: &Changes) -> Option<()> {
        struct Rows<'a> {
            first: &'a Change,
            last: Option<&'a Change>,
        }
        let mut rows: BTreeMap<&Key, Rows> = BTreeMap::new();
        for change in &changes.keyed {
            let last = Some(change).filter(|change| change.kind != Kind::State);
            match rows.entry(&change.key) {
                btree_map::Entry::Vacant(row) => _ = row.insert(Rows { first: change, last }),
                btree_map::Entry::Occupied(mut row) => {
                    let row = row.get_mut();
                    row.last = last.or(row.last);
                }
            }
            // Each change has its state before, even if another change follows it.
            let first = rows[&change.key].first;
            let has_before = matches!(first.kind, Kind::State | Kind::Restored);
            if !has_before && matches!(change.kind, Kind::Updated | Kind::Removed) {
                return None;
            }
        }
        let rows: Vec<_> =
            rows.into_iter().filter_map(|(key, row)| Some((key, row.first, row.last?))).collect();
        self.count(rows.len());
        for (key, first, last) in rows {
            let kind = match last.kind {
                Kind::Created => LedgerEntryChangeType::Created,
                Kind::Updated => LedgerEntryChangeType::Updated,
                Kind::Removed => LedgerEntryChangeType::Removed,
                Kind::State => LedgerEntryChangeType::State,
                Kind::Restored => LedgerEntryChangeType::Restored,
            };
            self.count(kind as usize);
            self.bytes(key);
            let has_before = matches!(first.kind, Kind::State | Kind::Restored);
            let is_shown = has_before && first.entry_type != LedgerEntryType::Ttl;
            self.bytes(if is_shown { &ledger.bytes[first.bytes.clone()] } else { &[] });
            let is_removed = last.kind == Kind::Removed;
            self.bytes(if is_removed { &[] } else { &ledger.bytes[last.bytes.clone()] });
        }
        Some(())
    }
}

/// The balance follows lastModifiedLedgerSeq, the type and the account id.
const BALANCE_OFFSET: usize = 4 + 4 + 36;

/// The sum of the changes of all accounts' balances, in stroops.
fn balance_gain(ledger: &Ledger, changes: &Changes) -> Option<i64> {
    let mut before = ByBorrowedKey::<i64>::default();
    let mut gained = 0i64;
    for change in &changes.keyed {
        if change.kind == Kind::Removed || change.entry_type != LedgerEntryType::Account {
            continue;
        }
        let entry = &ledger.bytes[change.bytes.clone()];
        let balance = entry.get(BALANCE_OFFSET..BALANCE_OFFSET + 8)?;
        let balance = i64::from_be_bytes(balance.try_into().ok()?);
        if let Some(known) = before.insert(&change.key, balance) {
            gained = gained.checked_add(balance.checked_sub(known)?)?;
        }
    }
    Some(gained)
}

/// The fee that was taken and its refund, as events of the transaction (CAP-67; stellar-core
/// v23.0.0, EventManager.cpp). An amount of zero has no event.
struct Fee<'a> {
    source: &'a [u8; 32],
    taken: i64,
    refund: i64,
}

const BEFORE_ALL: u32 = 0;
const AFTER_TRANSACTION: u32 = 1;
const AFTER_ALL: u32 = 2;

impl Fee<'_> {
    /// The bytes of the TransactionEvents, with their count.
    fn events(&self, protocol: u32, network_id: &[u8; 32]) -> Vec<u8> {
        let after = match protocol < REFUND_AFTER_ALL_PROTOCOL {
            true => AFTER_TRANSACTION,
            false => AFTER_ALL,
        };
        // The hash covers a HashIDPreimage: ENVELOPE_TYPE_CONTRACT_ID, network, from asset, native.
        let native = sha256(&[&words(&[8])[..], network_id, &words(&[1, 0])].concat());
        let event = |stage: u32, stroops: i64| {
            [
                // The stage; no extension, a contract id.
                &words(&[stage, 0, 1])[..],
                &native,
                // A contract event, body V0, and two topics, of which the first is a symbol of
                // three letters.
                &words(&[1, 0, 2, 15, 3]),
                b"fee\0",
                // An address: an account's ed25519 key.
                &words(&[18, 0, 0]),
                self.source,
                &words(&[10]),
                &i128::from(stroops).to_be_bytes(),
            ]
            .concat()
        };
        let taken = (self.taken != 0).then(|| event(BEFORE_ALL, self.taken));
        let refund = (self.refund != 0).then(|| event(after, -self.refund));
        let events: Vec<_> = taken.into_iter().chain(refund).collect();
        [words(&[events.len() as u32]), events.concat()].concat()
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// The DiagnosticEvents of a meta, split into core metrics and others. stellar-core writes core
/// metrics last (InvokeHostFunctionOpFrame.cpp, metricsEvent).
struct Diagnostics<'a> {
    /// The number of the other events, and their bytes.
    events: usize,
    event_bytes: &'a [u8],
    /// The u64 values of all core metrics except times, by name. `None` if one is missing or
    /// unknown.
    metrics: Option<Vec<&'a [u8]>>,
}

/// The names in their order.
const METRICS: [&str; 18] = [
    "cpu_insn",
    "emit_event",
    "emit_event_byte",
    "ledger_read_byte",
    "ledger_write_byte",
    "max_emit_event_byte",
    "max_rw_code_byte",
    "max_rw_data_byte",
    "max_rw_key_byte",
    "mem_byte",
    "read_code_byte",
    "read_data_byte",
    "read_entry",
    "read_key_byte",
    "write_code_byte",
    "write_data_byte",
    "write_entry",
    "write_key_byte",
];

impl<'a> Diagnostics<'a> {
    /// `None` if another event follows a core metric.
    fn read(ledger: &'a Ledger, all: &[std::ops::Range<usize>]) -> Option<Self> {
        let event = |range: &std::ops::Range<usize>| &ledger.bytes[range.clone()];
        let events = all.iter().take_while(|range| !is_metric(event(range))).count();
        let event_bytes = match all[..events] {
            [] => &[][..],
            [ref first, ..] => &ledger.bytes[first.start..all[events - 1].end],
        };
        let mut values: BTreeMap<&[u8], &[u8]> = BTreeMap::new();
        let mut complete = true;
        for event in all[events..].iter().map(event) {
            if !is_metric(event) {
                return None;
            }
            let (name, value) = metric_of(event).unwrap_or_default();
            if name.ends_with(b"_nsecs") {
                continue;
            }
            let known = METRICS.iter().any(|known| known.as_bytes() == name);
            complete &= known && values.insert(name, value).is_none();
        }
        let is_whole = complete && values.len() == METRICS.len();
        let metrics = is_whole.then(|| values.into_values().collect());
        Some(Diagnostics { events, event_bytes, metrics })
    }
}
