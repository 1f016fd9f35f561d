// Reads a LedgerCloseMeta (versions 0 to 2) once: facts, changes with their keys, and the ranges of
// the bytes that are compared or hashed.

use super::{
    changes::{Change, Changes, Key, Kind},
    cursor::{Cursor, Read},
    metric::metric_length,
    skip,
};
use crate::xdr_codec::{
    encode, sha256,
    xdr::{
        ContractEvent, DiagnosticEvent, FeeBumpTransactionInnerTx, HostFunction,
        InnerTransactionResultResult, LedgerEntry, LedgerEntryType, LedgerHeader, LedgerKey,
        LedgerUpgrade, OperationBody, OperationResult, OperationResultTr, ReadXdr, ScAddress,
        ScSymbol, ScVal, ScpHistoryEntry, SorobanTransactionData, SorobanTransactionDataExt,
        SorobanTransactionMetaExt, StellarValue, StellarValueExt, Transaction, TransactionEnvelope,
        TransactionEvent, TransactionExt, TransactionResult, TransactionResultResult,
    },
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

pub type Bytes = Range<usize>;

pub struct Ledger {
    pub bytes: Vec<u8>,
    pub facts: Facts,
    /// The transactions in apply order.
    pub transactions: Vec<LedgerTransaction>,
    pub upgrades: Vec<Upgrade>,
    pub evicted: Vec<Key>,
    /// The rent fee and the average state size after this ledger, as the close meta reports them.
    pub next_rent_fee: Option<i64>,
    pub average_state_size: Option<u64>,
    /// The name of the first part that does not have its hash.
    pub forged: Option<&'static str>,
}

/// Fields of the ledger header, which already include the ledger's own upgrades.
#[derive(Clone)]
pub struct Facts {
    pub hash: [u8; 32],
    pub previous_hash: [u8; 32],
    pub sequence: u32,
    pub protocol_version: u32,
    pub close_time_unix_seconds: u64,
    pub base_reserve_stroops: u32,
    pub transaction_set_hash: [u8; 32],
    pub has_upgrades: bool,
}

impl Facts {
    pub fn follows(&self, before: &Facts) -> bool {
        self.sequence == before.sequence + 1 && self.previous_hash == before.hash
    }
}

pub struct Upgrade {
    /// True if the upgrade changes the conditions of a transaction: version, base fee or base
    /// reserve.
    pub is_decisive: bool,
    pub changes: Changes,
}

pub struct LedgerTransaction {
    pub hash: [u8; 32],
    pub result: Bytes,
    pub outcome: Outcome,
    pub envelope: Envelope,
    pub fee_changes: Changes,
    pub refund_changes: Option<Changes>,
    pub meta: Meta,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ran {
    /// The transaction was refused before its operation ran.
    No,
    Success,
    Failure,
    /// Rent, the refundable fee or a limit was exhausted.
    Exhausted,
    EntryArchived,
}

pub struct Outcome {
    pub fee_charged: i64,
    pub success: bool,
    pub ran: Ran,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SorobanOperation {
    Invoke,
    Extend,
    Restore,
}

pub struct Soroban {
    pub operation: SorobanOperation,
    /// The contract and the function that the transaction calls. `None` if it calls none.
    pub invoked: Option<(ScAddress, ScSymbol)>,
    /// The read-only keys, then the read-write keys.
    pub footprint: Vec<FootprintKey>,
}

pub struct FootprintKey {
    pub key: Key,
    pub entry_type: LedgerEntryType,
    pub read_only: bool,
    pub temporary: bool,
    /// True if the transaction lists the entry to be restored.
    pub marked: bool,
    pub ttl_key: Option<Key>,
}

pub struct Envelope {
    pub bytes: Bytes,
    /// The stage and cluster of a parallel phase.
    pub placed: Option<(u32, u32)>,
    /// `None` for a classic transaction.
    pub soroban: Option<Soroban>,
    /// The ed25519 key of the account that pays the fee.
    pub fee_source: [u8; 32],
}

/// TransactionMeta.
#[derive(Default)]
pub struct Meta {
    pub version: u32,
    pub before: Changes,
    pub operation: Changes,
    pub operations: usize,
    pub after: Changes,
    /// The non-refundable fee, the refundable fee and rent, in stroops.
    pub fees: Option<(i64, i64, i64)>,
    pub return_value: Option<Bytes>,
    /// ContractEvents with their count. `None` for an older meta.
    pub events: Option<Bytes>,
    /// TransactionEvents with their count.
    pub transaction_events: Option<Bytes>,
    pub diagnostics: Vec<Bytes>,
}

impl Ledger {
    pub fn read(bytes: Vec<u8>, network_id: &[u8; 32]) -> Read<Ledger> {
        let mut cursor = Cursor::new(&bytes);
        let walked = Walked::read(&mut cursor)?;
        cursor.end()?;
        walked.join(bytes, network_id)
    }

    /// The length of the LedgerCloseMeta with which the bytes begin.
    pub fn length(bytes: &[u8]) -> Read<usize> {
        let mut cursor = Cursor::new(bytes);
        Walked::read(&mut cursor).map(|_| cursor.at)
    }

    /// The facts of the header, with which a LedgerCloseMeta begins. Nothing is checked.
    pub fn facts_of(bytes: &[u8]) -> Read<Facts> {
        let mut cursor = Cursor::new(bytes);
        if cursor.arm(2)? > 0 {
            read_extension(&mut cursor)?;
        }
        read_header(&mut cursor).map(|(facts, ..)| facts)
    }

    pub fn entry(&self, change: &Change) -> Option<&[u8]> {
        let is_entry = change.kind != Kind::Removed && !change.is_ttl();
        is_entry.then(|| &self.bytes[change.bytes.clone()])
    }
}

/// The parts of a LedgerCloseMeta, before its hashes are checked.
struct Walked {
    facts: Facts,
    header: Bytes,
    result_set_hash: [u8; 32],
    /// `None` before LedgerCloseMeta V1.
    set: Option<Bytes>,
    envelopes: Vec<Placed>,
    transactions: Vec<Processed>,
    upgrades: Vec<Upgrade>,
    evicted: Vec<Key>,
    next_rent_fee: Option<i64>,
    average_state_size: Option<u64>,
}

impl Walked {
    fn read(cursor: &mut Cursor) -> Read<Walked> {
        let bytes = cursor.bytes;
        let version = cursor.arm(2)?;
        let next_rent_fee = if version == 0 { None } else { read_extension(cursor)? };
        let (facts, header, result_set_hash) = read_header(cursor)?;
        let set_start = cursor.at;
        let mut envelopes = vec![];
        match version {
            0 => {
                cursor.hash()?;
                read_envelopes(cursor, None, &mut envelopes)?;
            }
            _ => read_generalized_set(cursor, &mut envelopes)?,
        }
        let set = (version > 0).then_some(set_start..cursor.at);
        let transactions = cursor.list(|cursor| read_transaction(cursor, version))?;
        let upgrades = cursor.list(|cursor| {
            let upgrade: LedgerUpgrade = cursor.value()?;
            use LedgerUpgrade as U;
            let is_decisive = matches!(upgrade, U::Version(_) | U::BaseFee(_) | U::BaseReserve(_));
            Ok(Upgrade { is_decisive, changes: Changes::read(cursor)? })
        })?;
        cursor.list(|cursor| cursor.range_of::<ScpHistoryEntry>())?;
        let average_state_size = if version == 0 { None } else { Some(cursor.i64()? as u64) };
        let mut evicted = vec![];
        if version > 0 {
            let keys = cursor.list(|cursor| cursor.range_of::<LedgerKey>())?;
            evicted.extend(keys.into_iter().map(|key| Key::from(&bytes[key])));
        }
        if version == 1 {
            cursor.list(|cursor| cursor.range_of::<LedgerEntry>())?;
        }
        Ok(Walked {
            facts,
            header,
            result_set_hash,
            set,
            envelopes,
            transactions,
            upgrades,
            evicted,
            next_rent_fee,
            average_state_size,
        })
    }

    /// Checks the hashes, and joins results and envelopes.
    fn join(self, bytes: Vec<u8>, network_id: &[u8; 32]) -> Read<Ledger> {
        let Walked { facts, header, result_set_hash, set, envelopes, transactions, .. } = self;
        let set = set.map(|set| (&bytes[set], envelopes.len()));
        let forged =
            forged_part(&bytes, &facts, &bytes[header], set, &transactions, &result_set_hash);
        let joined = join(&bytes, transactions, envelopes, network_id);
        // A forged ledger is reported as forged, whatever else is wrong with it.
        let transactions = if forged.is_some() { joined.unwrap_or_default() } else { joined? };
        Ok(Ledger {
            facts,
            transactions,
            upgrades: self.upgrades,
            evicted: self.evicted,
            next_rent_fee: self.next_rent_fee,
            average_state_size: self.average_state_size,
            forged,
            bytes,
        })
    }
}

/// Reads sorobanFeeWrite1KB of a LedgerCloseMetaExtV1.
fn read_extension(cursor: &mut Cursor) -> Read<Option<i64>> {
    if !cursor.is_present()? {
        return Ok(None);
    }
    cursor.arm(0)?;
    cursor.i64().map(Some)
}

fn read_header(cursor: &mut Cursor) -> Read<(Facts, Bytes, [u8; 32])> {
    let hash = cursor.hash()?;
    let start = cursor.at;
    let header: LedgerHeader = cursor.value()?;
    let range = start..cursor.at;
    check_close_time(&header.scp_value)?;
    cursor.arm(0)?;
    let facts = Facts {
        hash,
        previous_hash: header.previous_ledger_hash.0,
        sequence: header.ledger_seq,
        protocol_version: header.ledger_version,
        close_time_unix_seconds: header.scp_value.close_time.0,
        base_reserve_stroops: header.base_reserve,
        transaction_set_hash: header.scp_value.tx_set_hash.0,
        has_upgrades: !header.scp_value.upgrades.is_empty(),
    };
    Ok((facts, range, header.tx_set_result_hash.0))
}

/// Checks that both close times agree: from protocol 30 a header has two (CAP-88). Contracts see
/// the seconds.
fn check_close_time(value: &StellarValue) -> Read<()> {
    let milliseconds = match &value.ext {
        StellarValueExt::SignedMs(signed) => signed.close_time_ms.0,
        StellarValueExt::EmptyTxSetMs(proposed) => proposed.close_time_ms.0,
        _ => return Ok(()),
    };
    let seconds = value.close_time.0;
    if milliseconds / 1000 != seconds {
        return Err(format!("closeTimeMs {milliseconds} is not in {seconds} s"));
    }
    Ok(())
}

/// An envelope, and the parts of it that its hash covers.
struct Placed {
    envelope: Envelope,
    is_v0: bool,
    signed: Bytes,
}

fn read_envelopes(
    cursor: &mut Cursor,
    placed: Option<(u32, u32)>,
    envelopes: &mut Vec<Placed>,
) -> Read<()> {
    envelopes.extend(cursor.list(|cursor| read_envelope(cursor, placed))?);
    Ok(())
}

/// Reads a GeneralizedTransactionSet: phases with components, or with stages and clusters (CAP-63).
fn read_generalized_set(cursor: &mut Cursor, envelopes: &mut Vec<Placed>) -> Read<()> {
    if cursor.u32()? != 1 {
        return Err("the version of the transaction set is not 1".into());
    }
    cursor.hash()?;
    cursor.list(|cursor| {
        if cursor.arm(1)? == 0 {
            cursor.list(|cursor| {
                cursor.arm(0)?;
                read_base_fee(cursor)?;
                read_envelopes(cursor, None, envelopes)
            })?;
            return Ok(());
        }
        read_base_fee(cursor)?;
        let mut stage = 0;
        cursor.list(|cursor| {
            let mut cluster = 0;
            cursor.list(|cursor| {
                read_envelopes(cursor, Some((stage, cluster)), envelopes)?;
                cluster += 1;
                Ok(())
            })?;
            stage += 1;
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

fn read_base_fee(cursor: &mut Cursor) -> Read<()> {
    if cursor.is_present()? {
        cursor.i64()?;
    }
    Ok(())
}

struct Processed {
    hash: [u8; 32],
    result: Bytes,
    outcome: Outcome,
    fee_changes: Changes,
    refund_changes: Option<Changes>,
    meta: Meta,
}

/// Reads a TransactionResultMeta (V0, V1) or a TransactionResultMetaV1 (V2).
fn read_transaction(cursor: &mut Cursor, version: u32) -> Read<Processed> {
    if version == 2 {
        cursor.arm(0)?;
    }
    let hash = cursor.hash()?;
    let start = cursor.at;
    let outcome = outcome_of(&cursor.value()?);
    let result = start..cursor.at;
    let fee_changes = Changes::read(cursor)?;
    let meta = read_meta(cursor)?;
    let refund_changes = if version == 2 { Some(Changes::read(cursor)?) } else { None };
    Ok(Processed { hash, result, outcome, fee_changes, refund_changes, meta })
}

fn outcome_of(result: &TransactionResult) -> Outcome {
    use InnerTransactionResultResult as I;
    use TransactionResultResult as T;
    let (operations, internal) = match &result.result {
        T::TxSuccess(operations) | T::TxFailed(operations) => (operations.as_slice(), false),
        T::TxFeeBumpInnerSuccess(inner) | T::TxFeeBumpInnerFailed(inner) => {
            match &inner.result.result {
                I::TxSuccess(operations) | I::TxFailed(operations) => {
                    (operations.as_slice(), false)
                }
                I::TxInternalError => (&[][..], true),
                _ => (&[][..], false),
            }
        }
        // An exception was thrown while the operation ran. stellar-core does not keep its results.
        T::TxInternalError => (&[][..], true),
        _ => (&[][..], false),
    };
    let ran = match operations.first() {
        _ if internal => Ran::Failure,
        Some(OperationResult::OpInner(result)) => ran_of(result),
        _ => Ran::No,
    };
    let success = matches!(result.result, T::TxSuccess(_) | T::TxFeeBumpInnerSuccess(_));
    Outcome { fee_charged: result.fee_charged, success, ran }
}

fn ran_of(result: &OperationResultTr) -> Ran {
    let name = match result {
        OperationResultTr::InvokeHostFunction(result) => result.name(),
        OperationResultTr::ExtendFootprintTtl(result) => result.name(),
        OperationResultTr::RestoreFootprint(result) => result.name(),
        _ => return Ran::No,
    };
    match name {
        "Malformed" => Ran::No,
        "Success" => Ran::Success,
        "EntryArchived" => Ran::EntryArchived,
        "ResourceLimitExceeded" | "InsufficientRefundableFee" => Ran::Exhausted,
        _ => Ran::Failure,
    }
}

/// Reads a TransactionMeta. V0 has operations; V1 has changes, then operations; from V2 there are
/// changes before, operations, and changes after.
fn read_meta(cursor: &mut Cursor) -> Read<Meta> {
    let version = cursor.arm(4)?;
    let mut meta = Meta { version, ..Meta::default() };
    if version > 2 {
        cursor.arm(0)?;
    }
    if version > 0 {
        meta.before = Changes::read(cursor)?;
    }
    let operations = cursor.list(|cursor| {
        if version == 4 {
            cursor.arm(0)?;
        }
        let changes = Changes::read(cursor)?;
        let events = if version == 4 {
            Some(read_events::<ContractEvent>(cursor, skip::contract_event)?)
        } else {
            None
        };
        Ok((changes, events))
    })?;
    meta.operations = operations.len();
    for (changes, events) in operations {
        meta.operation.count += changes.count;
        meta.operation.keyed.extend(changes.keyed);
        meta.events = events.or(meta.events);
    }
    if version > 1 {
        meta.after = Changes::read(cursor)?;
    }
    let soroban = version > 2 && cursor.is_present()?;
    if soroban {
        meta.fees = match cursor.value()? {
            SorobanTransactionMetaExt::V0 => None,
            SorobanTransactionMetaExt::V1(fees) => Some((
                fees.total_non_refundable_resource_fee_charged,
                fees.total_refundable_resource_fee_charged,
                fees.rent_fee_charged,
            )),
        };
    }
    match version {
        3 if soroban => {
            meta.events = Some(read_events::<ContractEvent>(cursor, skip::contract_event)?);
            meta.return_value = Some(read_value(cursor)?);
            meta.diagnostics = cursor.list(read_diagnostic)?;
        }
        4 => {
            if soroban && cursor.is_present()? {
                meta.return_value = Some(read_value(cursor)?);
            }
            meta.transaction_events =
                Some(read_events::<TransactionEvent>(cursor, skip::transaction_event)?);
            meta.diagnostics = cursor.list(read_diagnostic)?;
        }
        _ => {}
    }
    Ok(meta)
}

fn read_diagnostic(cursor: &mut Cursor) -> Read<Bytes> {
    let length = |bytes: &[u8]| metric_length(bytes).or_else(|| skip::diagnostic_event(bytes));
    range_of::<DiagnosticEvent>(cursor, length)
}

fn read_value(cursor: &mut Cursor) -> Read<Bytes> {
    range_of::<ScVal>(cursor, skip::value)
}

/// Reads a list of events, with its count.
fn read_events<T: ReadXdr>(cursor: &mut Cursor, length: fn(&[u8]) -> Option<usize>) -> Read<Bytes> {
    let start = cursor.at;
    cursor.list(|cursor| range_of::<T>(cursor, length))?;
    Ok(start..cursor.at)
}

/// Skips a value, which is decoded if its length is not found.
fn range_of<T: ReadXdr>(
    cursor: &mut Cursor,
    length: impl Fn(&[u8]) -> Option<usize>,
) -> Read<Bytes> {
    let start = cursor.at;
    match length(&cursor.bytes[start..]) {
        None => cursor.range_of::<T>(),
        Some(length) => cursor.take(length).map(|_| start..cursor.at),
    }
}

/// The first protocol in which validators can vote a transaction set away (CAP-83).
const VOTED_AWAY_SINCE: u32 = 28;

/// The name of the first part whose hash is wrong. A header has the hashes of the transaction set
/// and of all results, and its own hash is beside it. Metas have no hash.
fn forged_part(
    bytes: &[u8],
    facts: &Facts,
    header: &[u8],
    set: Option<(&[u8], usize)>,
    transactions: &[Processed],
    result_set_hash: &[u8; 32],
) -> Option<&'static str> {
    if sha256(header) != facts.hash {
        return Some("header");
    }
    if let Some((set, envelopes)) = set {
        let voted_away =
            facts.transaction_set_hash == [0; 32] && facts.protocol_version >= VOTED_AWAY_SINCE;
        let is_its_own = match voted_away {
            false => sha256(set) == facts.transaction_set_hash,
            // stellar-core makes such a set without transactions, for the previous ledger.
            true => set[4..36] == facts.previous_hash && envelopes == 0,
        };
        if !is_its_own {
            return Some("transactions");
        }
    }
    let mut results = (transactions.len() as u32).to_be_bytes().to_vec();
    for transaction in transactions {
        results.extend(transaction.hash);
        results.extend(&bytes[transaction.result.clone()]);
    }
    (sha256(&results) != *result_set_hash).then_some("results")
}

/// Joins results and envelopes by hash, because the order of a set is not the apply order.
fn join(
    bytes: &[u8],
    transactions: Vec<Processed>,
    envelopes: Vec<Placed>,
    network_id: &[u8; 32],
) -> Read<Vec<LedgerTransaction>> {
    let mut by_hash = HashMap::new();
    for placed in envelopes {
        by_hash.insert(placed.hash(bytes, network_id), placed.envelope);
    }
    let with_envelope = |transaction: Processed| {
        let Processed { hash, result, outcome, fee_changes, refund_changes, meta } = transaction;
        let envelope = by_hash.remove(&hash).ok_or("no envelope has a transaction's hash")?;
        Ok(LedgerTransaction { hash, result, outcome, envelope, fee_changes, refund_changes, meta })
    };
    transactions.into_iter().map(with_envelope).collect()
}

/// Reads an envelope, whose signatures follow what they sign.
fn read_envelope(cursor: &mut Cursor, placed: Option<(u32, u32)>) -> Read<Placed> {
    let start = cursor.at;
    let envelope: TransactionEnvelope = cursor.value()?;
    let range = start..cursor.at;
    let bytes = &cursor.bytes[range.clone()];
    // The key follows the type, except in a V0 transaction, and follows the id of a muxed account.
    let is_v0 = matches!(envelope, TransactionEnvelope::TxV0(_));
    let key_at = match (is_v0, bytes[7]) {
        (true, _) => 4,
        (false, 0) => 8,
        (false, _) => 16,
    };
    let fee_source = bytes[key_at..key_at + 32].try_into().expect("32 bytes");
    let (signatures, transaction) = match envelope {
        TransactionEnvelope::TxV0(envelope) => (envelope.signatures, None),
        TransactionEnvelope::Tx(envelope) => (envelope.signatures, Some(envelope.tx)),
        TransactionEnvelope::TxFeeBump(envelope) => {
            let FeeBumpTransactionInnerTx::Tx(inner) = envelope.tx.inner_tx;
            (envelope.signatures, Some(inner.tx))
        }
    };
    let signed = range.start..range.end - encode(&signatures).len();
    let soroban = transaction.and_then(soroban_of);
    Ok(Placed { envelope: Envelope { bytes: range, placed, soroban, fee_source }, is_v0, signed })
}

impl Placed {
    /// The hash of the transaction, which covers the type of its envelope. A V0 one is hashed
    /// as the equal V1 one (CAP-15).
    fn hash(&self, bytes: &[u8], network_id: &[u8; 32]) -> [u8; 32] {
        const V1: [u8; 8] = [0, 0, 0, 2, 0, 0, 0, 0];
        let signed = &bytes[self.signed.clone()];
        match self.is_v0 {
            true => sha256(&[&network_id[..], &V1, &signed[4..]].concat()),
            false => sha256(&[&network_id[..], signed].concat()),
        }
    }
}

fn soroban_of(transaction: Transaction) -> Option<Soroban> {
    let TransactionExt::V1(data) = &transaction.ext else { return None };
    let [operation] = transaction.operations.as_slice() else { return None };
    let mut invoked = None;
    let operation = match &operation.body {
        OperationBody::InvokeHostFunction(operation) => {
            if let HostFunction::InvokeContract(call) = &operation.host_function {
                invoked = Some((call.contract_address.clone(), call.function_name.clone()));
            }
            SorobanOperation::Invoke
        }
        OperationBody::ExtendFootprintTtl(_) => SorobanOperation::Extend,
        OperationBody::RestoreFootprint(_) => SorobanOperation::Restore,
        _ => return None,
    };
    Some(Soroban { operation, invoked, footprint: footprint_of(data) })
}

fn footprint_of(data: &SorobanTransactionData) -> Vec<FootprintKey> {
    let marked: HashSet<u32> = match &data.ext {
        SorobanTransactionDataExt::V0 => HashSet::new(),
        SorobanTransactionDataExt::V1(ext) => {
            ext.archived_soroban_entries.iter().copied().collect()
        }
    };
    let footprint = &data.resources.footprint;
    let read_only = footprint.read_only.iter().map(|key| (key, true, false));
    let read_write = footprint.read_write.iter().enumerate();
    let read_write = read_write.map(|(at, key)| (key, false, marked.contains(&(at as u32))));
    read_only
        .chain(read_write)
        .map(|(key, read_only, marked)| FootprintKey::of(key, read_only, marked))
        .collect()
}

impl FootprintKey {
    pub fn of(key: &LedgerKey, read_only: bool, marked: bool) -> FootprintKey {
        let bytes = encode(key).into_boxed_slice();
        FootprintKey {
            entry_type: key.discriminant(),
            read_only,
            temporary: crate::state::is_temporary(key),
            marked,
            ttl_key: super::changes::ttl_key_of(key, &bytes),
            key: bytes,
        }
    }
}
