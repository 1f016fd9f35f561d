// Runs a transaction once more with other code of its contracts, and compares the two runs. svc
// needs the executions only if they differ, or if the new code asks for more than was declared.
// Invariant: whatever is the same here is the same to svc's own comparison
// (src/rehearsal/compare-runs.ts).

use super::{
    changes::{ttl_key, Key},
    frame::{Frame, Parts},
    host::Executed,
    hosts::{Job, JobEntry},
    ledger::FootprintKey,
    state::Entry,
};
use crate::{
    apply::{Applied, AppliedOutcome, Row},
    call_record,
    digest::Form,
    wire::response::CallNode,
    xdr_codec::{
        decode, encode,
        xdr::{
            ContractEventBody, ContractExecutable, DiagnosticEvent, FeeBumpTransactionInnerTx,
            Hash, LedgerEntry, LedgerEntryData, LedgerEntryType, LedgerKey, LedgerKeyContractCode,
            ScContractInstance, ScError, ScVal, SorobanTransactionDataExt, TransactionEnvelope,
            TransactionExt, TransactionV1Envelope,
        },
    },
};
use sha2::{Digest, Sha256};
use std::{cell::RefCell, collections::HashMap, io, rc::Rc};

/// Code that the caller has defined.
pub struct DefinedCode {
    entry: Vec<u8>,
    hash: [u8; 32],
    /// The entry by its last-modified ledger, because hosts keep code by its address.
    written: RefCell<HashMap<u32, Entry>>,
}

impl DefinedCode {
    /// `None` if the bytes are not an entry of contract code.
    pub fn of(entry: Vec<u8>) -> Option<DefinedCode> {
        let LedgerEntryData::ContractCode(code) = decode::<LedgerEntry>(&entry, "code").ok()?.data
        else {
            return None;
        };
        Some(DefinedCode { hash: code.hash.0, entry, written: RefCell::default() })
    }

    pub fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// The entry as if it had been written in the ledger of that other entry.
    fn written_with(&self, other: &Entry) -> Option<Entry> {
        let sequence: [u8; 4] = other.get(..4)?.try_into().ok()?;
        let mut written = self.written.borrow_mut();
        let entry = written
            .entry(u32::from_be_bytes(sequence))
            .or_insert_with(|| [&sequence[..], &self.entry[4..]].concat().into());
        Some(entry.clone())
    }
}

/// The code of a contract in the two runs that are compared.
pub struct OtherCode {
    /// The LedgerKey of the contract's instance.
    pub instance: Key,
    pub former: [u8; 32],
    pub next: [u8; 32],
}

/// What a run shows for the comparison.
#[derive(Clone)]
pub struct Compared {
    pub code: Rc<Vec<OtherCode>>,
    /// True if the run also shows the functions that it reached.
    pub calls: bool,
}

#[derive(PartialEq)]
pub struct Shown {
    pub succeeded: bool,
    /// True if no report is about an authorization or the storage, so that nothing has to be
    /// declared anew.
    pub settled: bool,
    /// The hash of how the run ended, its return value, its events and its changes. The new code
    /// counts as the former one.
    pub digest: [u8; 32],
    /// Instructions, bytes of memory, read and written bytes, and the resource fee in stroops.
    pub costs: [u64; 5],
    pub reached: Vec<Reached>,
}

/// A function that a run called.
#[derive(PartialEq)]
pub struct Reached {
    /// Strkey.
    pub contract: String,
    pub function: String,
    /// True if another contract called it.
    pub nested: bool,
}

const COSTS: [&str; 4] = ["cpu_insn", "mem_byte", "ledger_read_byte", "ledger_write_byte"];

impl Compared {
    pub fn write(compared: Option<&Compared>, frame: &mut Frame) {
        frame.u8(compared.is_some());
        let Some(Compared { code, calls }) = compared else { return };
        frame.u8(*calls);
        frame.u32(code.len() as u32);
        for OtherCode { instance, former, next } in code.iter() {
            frame.bytes(instance);
            frame.raw(former);
            frame.raw(next);
        }
    }

    pub fn read(parts: &mut Parts) -> io::Result<Option<Compared>> {
        if !parts.flag()? {
            return Ok(None);
        }
        let calls = parts.flag()?;
        let mut code = vec![];
        for _ in 0..parts.u32()? {
            let (instance, former) = (parts.bytes()?.into(), parts.hash()?);
            code.push(OtherCode { instance, former, next: parts.hash()? });
        }
        Ok(Some(Compared { code: Rc::new(code), calls }))
    }

    /// What the run shows. It collected diagnostic events.
    pub fn shown(&self, applied: &Applied) -> Shown {
        let fee = applied.fees.non_refundable.saturating_add(applied.fees.refundable_consumed);
        let [instructions, memory, read, written] =
            COSTS.map(|name| applied.metric(name).unwrap_or_default());
        let tree = self
            .calls
            .then(|| call_record::read(&applied.trace, &applied.diagnostics, (0, 0), false, None))
            .and_then(|record| record.tree);
        let mut reached = vec![];
        tree.iter().for_each(|call| note_reached(call, false, &mut reached));
        Shown {
            succeeded: matches!(applied.outcome, AppliedOutcome::Success),
            settled: !applied.diagnostics.iter().any(|event| is_about_declarations(event)),
            digest: self.digest(applied),
            costs: [instructions, memory, read, written, fee.max(0) as u64],
            reached,
        }
    }

    fn digest(&self, applied: &Applied) -> [u8; 32] {
        let mut form = Form(Sha256::new());
        match &applied.outcome {
            AppliedOutcome::Success => form.bytes(b"success"),
            AppliedOutcome::Failed(name) => form.bytes(name.as_bytes()),
            AppliedOutcome::InternalError(message) => {
                form.bytes(b"");
                form.bytes(message.as_bytes());
            }
        }
        form.count(applied.host_error.iter().len());
        if let Some(error) = &applied.host_error {
            form.bytes(error.kind.as_bytes());
            form.bytes(error.code.as_bytes());
            form.count(error.contract_code.iter().len());
            form.count(error.contract_code.unwrap_or_default() as usize);
        }
        form.bytes(applied.return_value.as_deref().unwrap_or_default());
        form.count(applied.events.len());
        applied.events.iter().for_each(|event| form.bytes(event));
        let changes = self.changes(&applied.changes);
        form.count(changes.len());
        for (key, kind, after) in changes {
            form.bytes(&key);
            form.count(kind);
            form.bytes(&after.unwrap_or_default());
        }
        form.0.finalize().into()
    }

    /// The key, kind and new entry of each change, in the order of the keys. Code, whose key has
    /// its hash, and its TTL have no entry.
    fn changes(&self, rows: &[Row]) -> Vec<(Vec<u8>, usize, Option<Vec<u8>>)> {
        let mut codes = HashMap::new();
        for OtherCode { former, next, .. } in self.code.iter() {
            let (former, next) = (code_key(former), code_key(next));
            for key in [&former, &next] {
                codes.insert(key.clone(), former.clone());
                codes.insert(ttl_key(key).into_vec(), ttl_key(&former).into_vec());
            }
        }
        let change = |row: &Row| {
            let kind = row.kind as usize;
            if let Some(former) = codes.get(&row.key) {
                return (former.clone(), kind, None);
            }
            let code = self.code.iter().find(|code| *code.instance == row.key[..]);
            let after = row.after.as_ref().map(|entry| match code {
                Some(OtherCode { former, next, .. }) => {
                    let put = with_executable(entry, former, |hash| hash == next);
                    put.map_or_else(|| entry.clone(), |(_, entry)| entry)
                }
                None => entry.clone(),
            });
            (row.key.clone(), kind, after)
        };
        let mut changes: Vec<_> = rows.iter().map(change).collect();
        changes.sort();
        changes
    }
}

impl Shown {
    pub fn write(shown: Option<&Shown>, frame: &mut Frame) {
        frame.u8(shown.is_some());
        let Some(Shown { succeeded, settled, digest, costs, reached }) = shown else { return };
        frame.u8(*succeeded);
        frame.u8(*settled);
        frame.raw(digest);
        costs.iter().for_each(|cost| frame.u64(*cost));
        frame.u32(reached.len() as u32);
        for Reached { contract, function, nested } in reached {
            frame.bytes(contract.as_bytes());
            frame.bytes(function.as_bytes());
            frame.u8(*nested);
        }
    }

    pub fn read(parts: &mut Parts) -> io::Result<Option<Shown>> {
        if !parts.flag()? {
            return Ok(None);
        }
        let (succeeded, settled, digest) = (parts.flag()?, parts.flag()?, parts.hash()?);
        let mut costs = [0; 5];
        for cost in &mut costs {
            *cost = parts.u64()?;
        }
        let mut reached = vec![];
        for _ in 0..parts.u32()? {
            let mut text = || Ok::<_, io::Error>(String::from_utf8_lossy(parts.bytes()?).into());
            let (contract, function) = (text()?, text()?);
            reached.push(Reached { contract, function, nested: parts.flag()? });
        }
        Ok(Some(Shown { succeeded, settled, digest, costs, reached }))
    }
}

/// Each function once, in the order in which they were called first.
fn note_reached(call: &CallNode, nested: bool, reached: &mut Vec<Reached>) {
    if let (Some(contract), Some(function)) = (&call.contract, &call.function) {
        let one = Reached { contract: contract.clone(), function: function.clone(), nested };
        if !reached.contains(&one) {
            reached.push(one);
        }
    }
    let nested = nested || call.contract.is_some();
    call.calls.iter().for_each(|call| note_reached(call, nested, reached));
}

/// Says whether a diagnostic event has an error of an authorization or of the storage, which a
/// contract may have caught.
fn is_about_declarations(event: &[u8]) -> bool {
    const ERROR: &[u8] = b"\0\0\0\x05error";
    if !event.windows(ERROR.len()).any(|part| part == ERROR) {
        return false;
    }
    let Ok(event) = decode::<DiagnosticEvent>(event, "diagnostics") else { return true };
    let ContractEventBody::V0(body) = &event.event.body;
    let is_of =
        |topic: &ScVal| matches!(topic, ScVal::Error(ScError::Auth(_) | ScError::Storage(_)));
    body.topics.iter().any(is_of)
}

fn code_key(hash: &[u8; 32]) -> Vec<u8> {
    let kind = (LedgerEntryType::ContractCode as i32).to_be_bytes();
    [&kind[..], hash].concat()
}

/// The hash of an instance's code, and the entry with that other one. `None` if the entry is not an
/// instance with code of its own that fits.
fn with_executable(
    entry: &[u8],
    hash: &[u8; 32],
    fits: impl FnOnce(&[u8; 32]) -> bool,
) -> Option<([u8; 32], Vec<u8>)> {
    let mut entry: LedgerEntry = decode(entry, "instance").ok()?;
    let LedgerEntryData::ContractData(data) = &mut entry.data else { return None };
    let ScVal::ContractInstance(instance) = &mut data.val else { return None };
    let ContractExecutable::Wasm(Hash(former)) = &instance.executable else { return None };
    let former = *former;
    if !fits(&former) {
        return None;
    }
    instance.executable = ContractExecutable::Wasm(Hash(*hash));
    Some((former, encode(&entry)))
}

/// The hash of the code of an instance. `None` if the entry is not an instance with code of its
/// own.
pub fn executable_of(entry: &Entry) -> Option<[u8; 32]> {
    let LedgerEntryData::ContractData(data) = decode::<LedgerEntry>(entry, "instance").ok()?.data
    else {
        return None;
    };
    match data.val {
        ScVal::ContractInstance(ScContractInstance {
            executable: ContractExecutable::Wasm(hash),
            ..
        }) => Some(hash.0),
        _ => None,
    }
}

/// Says whether the code is in the footprint, and live.
pub fn has_live_code(hash: &[u8; 32], job: &Job, footprint: &[FootprintKey]) -> bool {
    let key = code_key(hash);
    let at = footprint.iter().position(|each| *each.key == *key);
    at.is_some_and(|at| live(&job.entries[at]).is_some())
}

/// The runs of a replay with what each shows for the comparison, and after them the one with other
/// code.
pub fn with_other_run(jobs: Vec<Job>, (job, code): (Job, Vec<OtherCode>)) -> Vec<Job> {
    let code = Rc::new(code);
    let other = Job { compared: Some(Compared { code: code.clone(), calls: false }), ..job };
    let compared = Some(Compared { code, calls: true });
    let replay = jobs.into_iter().map(|job| Job { compared: compared.clone(), ..job });
    replay.chain([other]).collect()
}

/// The runs of a replay that is compared with no other run, with the functions that they reach.
pub fn compared(jobs: Vec<Job>) -> Vec<Job> {
    let compared = Some(Compared { code: Rc::default(), calls: true });
    jobs.into_iter().map(|job| Job { compared: compared.clone(), ..job }).collect()
}

/// The code of contracts that is replaced, by the key of each instance.
pub type Replaced<'a> = Vec<(Key, &'a DefinedCode)>;

/// The same run with the new code in the place of the former, as svc makes it
/// (src/debugger/what-if/override-wasm.ts). `None` if more than that is to be done, such as where
/// another contract runs the former code too.
pub fn with_other_code(
    job: &Job,
    footprint: &[FootprintKey],
    replaced: &Replaced,
) -> Option<(Job, Vec<OtherCode>)> {
    let mut job = job.clone();
    let mut code = vec![];
    let mut names = HashMap::new();
    for (instance, next) in replaced {
        let place = |key: &[u8]| footprint.iter().position(|each| *each.key == *key);
        let at = place(instance)?;
        let entry = live(&job.entries[at])?;
        let (former, entry) = with_executable(entry, &next.hash, |_| true)?;
        job.entries[at].entry = Some(entry.into());
        let (former_key, key) = (code_key(&former), code_key(&next.hash));
        code.push(OtherCode { instance: instance.clone(), former, next: next.hash });
        if former == next.hash {
            return None;
        }
        match place(&key) {
            Some(at) => _ = live(&job.entries[at])?,
            None => {
                let at = place(&former_key)?;
                let others = job.entries.iter().enumerate().filter(|(other, _)| *other != at);
                if others.into_iter().any(|(_, entry)| has_hash(entry, &former)) {
                    return None;
                }
                let written = next.written_with(live(&job.entries[at])?)?;
                if job.entries[at].live_until == 0 {
                    return None;
                }
                job.entries[at].entry = Some(written);
                names.insert(former_key, key);
            }
        }
    }
    if !names.is_empty() {
        job.envelope = renamed(&job.envelope, &names)?;
    }
    Some((job, code))
}

fn live(entry: &JobEntry) -> Option<&Entry> {
    entry.entry.as_ref().filter(|_| !entry.archived)
}

fn has_hash(entry: &JobEntry, hash: &[u8; 32]) -> bool {
    let bytes = entry.entry.as_ref().filter(|_| !entry.is_code);
    bytes.is_some_and(|bytes| bytes.windows(hash.len()).any(|part| part == hash))
}

/// The envelope with other keys in its footprint.
fn renamed(envelope: &[u8], names: &HashMap<Vec<u8>, Vec<u8>>) -> Option<Vec<u8>> {
    let mut envelope: TransactionEnvelope = decode(envelope, "envelope").ok()?;
    let TransactionV1Envelope { tx, .. } = match &mut envelope {
        TransactionEnvelope::TxV0(_) => return None,
        TransactionEnvelope::Tx(v1) => v1,
        TransactionEnvelope::TxFeeBump(outer) => match &mut outer.tx.inner_tx {
            FeeBumpTransactionInnerTx::Tx(v1) => v1,
        },
    };
    let TransactionExt::V1(soroban) = &mut tx.ext else { return None };
    let footprint = &mut soroban.resources.footprint;
    for keys in [&mut footprint.read_only, &mut footprint.read_write] {
        let renamed = keys.iter().map(|key| match names.get(&encode(key)) {
            None => Some(key.clone()),
            Some(name) => {
                let hash = Hash(name.get(4..)?.try_into().ok()?);
                Some(LedgerKey::ContractCode(LedgerKeyContractCode { hash }))
            }
        });
        *keys = renamed.collect::<Option<Vec<_>>>()?.try_into().ok()?;
    }
    if let SorobanTransactionDataExt::V1(ext) = &soroban.ext {
        if ext.archived_soroban_entries.is_empty() {
            soroban.ext = SorobanTransactionDataExt::V0;
        }
    }
    Some(encode(&envelope))
}

/// Both runs of a transaction, the one that was compared with the chain's record and the one with
/// other code.
pub struct BothRuns<'a> {
    pub replay: &'a Executed,
    /// `None` if it was not made, or had no result.
    pub other: Option<&'a Executed>,
}

impl BothRuns<'_> {
    pub fn reached(&self) -> &[Reached] {
        self.replay.shown.as_ref().map_or(&[], |shown| &shown.reached)
    }

    /// The costs of both runs if these are the same. They have none if they fail. `None` if the
    /// runs differ.
    pub fn costs_of_same(&self) -> Option<Option<[[u64; 5]; 2]>> {
        let (before, after) = (self.replay.shown.as_ref()?, self.other?.shown.as_ref()?);
        let is_same = before.digest == after.digest && after.settled;
        is_same.then(|| after.succeeded.then_some([before.costs, after.costs]))
    }
}
