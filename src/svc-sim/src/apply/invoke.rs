// InvokeHostFunction (InvokeHostFunctionOpFrame.cpp, `InvokeHostFunctionApplyHelper::doApply`): load
// the footprint, run the host, record its writes, collect events, consume the refundable fee.

use super::{
    entry_size_is_valid, extend::ttl_entry, journal::Journal, push_error, push_limit_error,
    size_for_rent, Applied, AppliedOutcome, ChargedFees, InstrumentedCode, Wanted,
    READ_LIMIT_MESSAGE, WRITE_LIMIT_MESSAGE,
};
use crate::{
    hosts::{
        interface::{EntryTtl, FootprintEntry, HostErrorInfo, HostInput, HostOutput, HostResult},
        trace::{Trace, TraceStep},
    },
    input::Input,
    state::{is_soroban, is_temporary, ttl_key_bytes, EntryState},
    xdr_codec::{
        decode, encode, sha256,
        xdr::{
            Hash, InvokeHostFunctionOp, InvokeHostFunctionResult, LedgerEntry, LedgerEntryData,
            LedgerKey, LedgerKeyContractCode, OperationResult, OperationResultTr, ScAddress,
            ScBytes, ScError, ScErrorCode, ScVal,
        },
    },
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

pub fn apply(input: &Input, operation: &InvokeHostFunctionOp, wanted: Wanted) -> Applied {
    let mut run = Run::new(input);
    let ended = run.execute(operation, wanted);
    run.finish(ended)
}

/// Why the operation stopped short of success.
enum Stop {
    Failed(InvokeHostFunctionResult),
    InternalError(String),
}

use InvokeHostFunctionResult::{
    EntryArchived, InsufficientRefundableFee, ResourceLimitExceeded, Trapped,
};

struct Success {
    return_value: Vec<u8>,
    events: Vec<Vec<u8>>,
}

struct Run<'a> {
    input: &'a Input,
    metrics: Metrics,
    journal: Journal<'a>,
    entries: Vec<FootprintEntry<'a>>,
    restored_indexes: Vec<u32>,
    cached_modules: Vec<([u8; 32], &'a [u8])>,
    uncached_modules: Vec<[u8; 32]>,
    fees: ChargedFees,
    diagnostics: Vec<Vec<u8>>,
    host_error: Option<HostErrorInfo>,
    host: Option<HostOutput>,
    host_call_trace: Option<Vec<TraceStep>>,
}

impl<'a> Run<'a> {
    fn new(input: &'a Input) -> Self {
        Run {
            input,
            metrics: Metrics::default(),
            journal: Journal::new(input.ledger.sequence),
            entries: vec![],
            restored_indexes: vec![],
            cached_modules: vec![],
            uncached_modules: vec![],
            fees: ChargedFees::before_execution(input),
            diagnostics: vec![],
            host_error: None,
            host: None,
            host_call_trace: None,
        }
    }

    fn execute(
        &mut self,
        operation: &InvokeHostFunctionOp,
        wanted: Wanted,
    ) -> Result<Success, Stop> {
        let footprint = &self.input.transaction.soroban.resources.footprint;
        self.load(&footprint.read_only, true)?;
        self.load(&footprint.read_write, false)?;
        let (return_value, modified, events, rent_fee) = self.run_host(operation, wanted)?;
        self.record_writes(modified)?;
        self.collect_events(&events, &return_value)?;
        let events_bytes = self.metrics.emit_event_byte;
        if !self.fees.consume_refundable(self.input, rent_fee, events_bytes, &mut self.diagnostics)
        {
            return Err(Stop::Failed(InsufficientRefundableFee));
        }
        Ok(Success { return_value, events })
    }

    /// `addReads`.
    fn load(&mut self, keys: &[LedgerKey], read_only: bool) -> Result<(), Stop> {
        let input = self.input;
        let in_memory = |key: &LedgerKey| is_soroban(key) && input.ledger.protocol_version >= 23;
        for (index, key) in keys.iter().enumerate() {
            let key_bytes = encode(key);
            let key_size = key_bytes.len() as u32;
            let state = input.state.get(&key_bytes);
            if input.ledger.protocol_version < 28 && input.state.was_restored_earlier(&key_bytes) {
                // Restored from the hot archive by an earlier transaction of the ledger and deleted
                // since: stellar-core before protocol 28 left such a key out of all counts.
                self.entries.push(FootprintEntry { entry: None, ttl: None });
                continue;
            }
            let state = match state {
                Some(state) if is_soroban(key) && self.is_archived(state) => {
                    if is_temporary(key) {
                        // An expired temporary entry is as good as none.
                        self.note_existing(key, &key_bytes, state);
                        None
                    } else if state.archived && input.ledger.protocol_version < 23 {
                        None
                    } else {
                        self.restore(key, &key_bytes, state, read_only, index)?;
                        continue;
                    }
                }
                state => state,
            };
            let entry_size = match state {
                None => {
                    self.entries.push(FootprintEntry { entry: None, ttl: None });
                    0
                }
                Some(state) => {
                    self.note_existing(key, &key_bytes, state);
                    self.push_entry(key, &key_bytes, state, state.live_until_ledger)?;
                    state.value.bytes.len() as u32
                }
            };
            if !entry_size_is_valid(input, key, entry_size, &mut self.diagnostics) {
                return Err(Stop::Failed(ResourceLimitExceeded));
            }
            if !in_memory(key) {
                self.meter_disk_read(key, key_size, entry_size)?;
            }
            // stellar-core counts Soroban entries here again, also where the disk read did.
            if is_soroban(key) {
                self.metrics.read_entry += 1;
            }
        }
        Ok(())
    }

    fn is_archived(&self, state: &EntryState) -> bool {
        state.archived || state.live_until_ledger < self.input.ledger.sequence
    }

    /// Live and expired entries stand in the ledger: erasing or rewriting them is a change.
    fn note_existing(&mut self, key: &LedgerKey, key_bytes: &[u8], state: &'a EntryState) {
        self.journal.set_before(key_bytes, Some(Cow::from(&state.value.bytes)));
        if is_soroban(key) {
            let ttl_key = ttl_key_bytes(key_bytes);
            self.journal.set_before(&ttl_key, self.input.state.ttl_entry(&ttl_key).map(Cow::from));
        }
    }

    fn push_entry(
        &mut self,
        key: &LedgerKey,
        key_bytes: &[u8],
        state: &'a EntryState,
        live_until_ledger: u32,
    ) -> Result<(), Stop> {
        let ttl = match is_soroban(key) {
            false => None,
            true => Some(EntryTtl {
                key_hash: sha256(key_bytes),
                live_until_ledger,
                entry_size_for_rent: size_for_rent(self.input, state)
                    .map_err(Stop::InternalError)?,
            }),
        };
        if let LedgerEntryData::ContractCode(code) = &state.value.entry.data {
            let hash = code.hash.0;
            match state.code_cached {
                true => self.cached_modules.push((hash, &code.code)),
                false => self.uncached_modules.push(hash),
            }
        }
        self.entries.push(FootprintEntry { entry: Some(&state.value.bytes), ttl });
        Ok(())
    }

    /// `handleArchivedEntry`: auto-restoration from protocol 23, otherwise the operation fails.
    fn restore(
        &mut self,
        key: &LedgerKey,
        key_bytes: &[u8],
        state: &'a EntryState,
        read_only: bool,
        index: usize,
    ) -> Result<(), Stop> {
        let input = self.input;
        let marked = input.transaction.archived_entry_indexes().contains(&(index as u32));
        if input.ledger.protocol_version < 23 || read_only || !marked {
            self.push_archived_error(key);
            return Err(Stop::Failed(EntryArchived));
        }
        let size = state.value.bytes.len() as u32;
        if !entry_size_is_valid(input, key, size, &mut self.diagnostics) {
            return Err(Stop::Failed(ResourceLimitExceeded));
        }
        self.meter_disk_read(key, key_bytes.len() as u32, size)?;
        let live_until = input
            .ledger
            .sequence
            .saturating_add(input.settings.archival.min_persistent_ttl)
            .saturating_sub(1);
        let ttl_key = ttl_key_bytes(key_bytes);
        if !state.archived {
            self.note_existing(key, key_bytes, state);
            let expired = ttl_entry(&ttl_key, state.live_until_ledger);
            self.journal.set_before(&ttl_key, Some(expired.into()));
        }
        self.journal.restore(key_bytes, state.value.bytes.clone());
        self.journal.restore(&ttl_key, ttl_entry(&ttl_key, live_until));
        self.push_entry(key, key_bytes, state, live_until)?;
        self.restored_indexes.push(index as u32);
        Ok(())
    }

    fn push_archived_error(&mut self, key: &LedgerKey) {
        let (message, arguments) = match key {
            LedgerKey::ContractCode(code) => (
                "trying to access an archived contract code entry",
                vec![ScVal::Bytes(ScBytes(code.hash.0.to_vec().try_into().unwrap_or_default()))],
            ),
            LedgerKey::ContractData(data) => (
                "trying to access an archived contract data entry",
                vec![ScVal::Address(ScAddress::clone(&data.contract)), data.key.clone()],
            ),
            _ => return,
        };
        push_error(
            &mut self.diagnostics,
            ScError::Value(ScErrorCode::InvalidInput),
            message,
            arguments,
        );
    }

    fn meter_disk_read(
        &mut self,
        key: &LedgerKey,
        key_size: u32,
        entry_size: u32,
    ) -> Result<(), Stop> {
        self.metrics.note_disk_read(key, key_size, entry_size);
        let limit = self.input.transaction.soroban.resources.disk_read_bytes;
        if self.metrics.ledger_read_byte <= limit {
            return Ok(());
        }
        push_limit_error(
            &mut self.diagnostics,
            READ_LIMIT_MESSAGE,
            u64::from(self.metrics.ledger_read_byte),
            u64::from(limit),
        );
        Err(Stop::Failed(ResourceLimitExceeded))
    }

    /// Return value, modified entries, events and rent fee.
    #[allow(clippy::type_complexity)]
    fn run_host(
        &mut self,
        operation: &InvokeHostFunctionOp,
        wanted: Wanted,
    ) -> Result<(Vec<u8>, Vec<Vec<u8>>, Vec<Vec<u8>>, i64), Stop> {
        let input = self.input;
        let resources = &input.transaction.soroban.resources;
        let instrumented = wanted.instrumented.map_or(&[][..], |run| run.codes);
        let mut replaced = vec![];
        for code in instrumented {
            replaced.push(self.instrumented_entry(code).ok_or_else(|| {
                Stop::InternalError("the instrumented code is not in the footprint".into())
            })?);
        }
        let mut entries = self.entries.clone();
        for (index, entry) in &replaced {
            entries[*index].entry = Some(entry);
        }
        let mut host_input = HostInput {
            ledger: &input.ledger,
            instruction_limit: resources.instructions,
            memory_limit_bytes: input.settings.transaction_memory_limit_bytes,
            cost_params: &input.settings.cost_params,
            host_function: encode(&operation.host_function),
            resources: encode(resources),
            source_account: encode(&input.transaction.operation_source()),
            auth_entries: operation.auth.iter().map(encode).collect(),
            restored_rw_entry_indices: &self.restored_indexes,
            entries: &entries,
            cached_modules: &self.cached_modules,
            uncached_modules: &self.uncached_modules,
            base_prng_seed: input.base_prng_seed,
            fee_rates: &input.settings.fees,
            // Without diagnostics the call tree would have no names.
            diagnostics: wanted.diagnostics || wanted.trace != Trace::Nothing,
            trace: wanted.trace,
            marking: wanted.instrumented.map(|run| run.marking),
        };
        let mut output = (input.host.invoke)(&host_input);
        if wanted.host_calls {
            // Values take the host's memory for diagnostics, so they have a run of their own.
            host_input.trace = Trace::HostCalls;
            let again = (input.host.invoke)(&host_input);
            self.host_call_trace = output.ended_like(&again).then_some(again.trace);
        }
        self.metrics.cpu_insn = output.cpu_instructions;
        self.metrics.mem_byte = output.memory_bytes;
        self.diagnostics.append(&mut output.diagnostics);
        let placeholder = HostResult::Broken { message: String::new() };
        let result = std::mem::replace(&mut output.result, placeholder);
        self.host = Some(output);
        match result {
            HostResult::Success { return_value, modified_entries, contract_events, rent_fee } => {
                Ok((return_value, modified_entries, contract_events, rent_fee))
            }
            HostResult::Failure { error, internal } => {
                self.host_error = Some(error);
                Err(self.failure(internal))
            }
            HostResult::Broken { message } => Err(Stop::InternalError(message)),
        }
    }

    /// The code entry with instrumented wasm, and which of the footprint's it is. No module cache has
    /// it.
    fn instrumented_entry(&mut self, code: &InstrumentedCode) -> Option<(usize, Vec<u8>)> {
        let hash = Hash(code.hash);
        let key = encode(&LedgerKey::ContractCode(LedgerKeyContractCode { hash }));
        let key_hash = sha256(&key);
        let is_code =
            |entry: &FootprintEntry| entry.ttl.as_ref().is_some_and(|ttl| ttl.key_hash == key_hash);
        let index = self.entries.iter().position(is_code)?;
        let mut entry = self.input.state.get(&key)?.value.entry.clone();
        let LedgerEntryData::ContractCode(stored) = &mut entry.data else { return None };
        stored.code = code.wasm.clone().try_into().ok()?;
        self.cached_modules.retain(|(hash, _)| *hash != code.hash);
        self.uncached_modules.push(code.hash);
        Some((index, encode(&entry)))
    }

    /// Running out of wasm fuel stops just below the limit and is therefore TRAPPED.
    fn failure(&mut self, internal: bool) -> Stop {
        let declared = u64::from(self.input.transaction.soroban.resources.instructions);
        let memory_limit = u64::from(self.input.settings.transaction_memory_limit_bytes);
        let (cpu, memory) = (self.metrics.cpu_insn, self.metrics.mem_byte);
        if internal {
            Stop::InternalError("the contract host reported an internal error".into())
        } else if declared < cpu {
            let message = "operation instructions exceeds amount specified";
            push_limit_error(&mut self.diagnostics, message, cpu, declared);
            Stop::Failed(ResourceLimitExceeded)
        } else if memory_limit < memory {
            let message = "operation memory usage exceeds network config limit";
            push_limit_error(&mut self.diagnostics, message, memory, memory_limit);
            Stop::Failed(ResourceLimitExceeded)
        } else {
            Stop::Failed(Trapped)
        }
    }

    /// `recordStorageChanges`.
    fn record_writes(&mut self, modified: Vec<Vec<u8>>) -> Result<(), Stop> {
        let input = self.input;
        let limit = input.transaction.soroban.resources.write_bytes;
        let mut written = HashSet::new();
        for bytes in modified {
            let entry: LedgerEntry = decode(&bytes, "modified entry").map_err(|e| {
                Stop::InternalError(format!("the host wrote an entry that {}", e.message))
            })?;
            let key = entry.to_key();
            let key_bytes = encode(&key);
            let size = bytes.len() as u32;
            if !entry_size_is_valid(input, &key, size, &mut self.diagnostics) {
                return Err(Stop::Failed(ResourceLimitExceeded));
            }
            if !matches!(key, LedgerKey::Ttl(_)) {
                self.metrics.note_write(&key, key_bytes.len() as u32, size);
                if limit < self.metrics.ledger_write_byte {
                    let used = u64::from(self.metrics.ledger_write_byte);
                    push_limit_error(
                        &mut self.diagnostics,
                        WRITE_LIMIT_MESSAGE,
                        used,
                        u64::from(limit),
                    );
                    return Err(Stop::Failed(ResourceLimitExceeded));
                }
            }
            self.journal.upsert(&key_bytes, bytes);
            written.insert(key_bytes);
        }
        // The host passes untouched read-write entries through: what it did not return, it deleted.
        for key in input.transaction.soroban.resources.footprint.read_write.iter() {
            let key_bytes = encode(key);
            if !written.contains(&key_bytes) && self.journal.erase(&key_bytes) {
                self.journal.erase(&ttl_key_bytes(&key_bytes));
            }
        }
        Ok(())
    }

    /// `collectEvents`: the return value counts as well.
    fn collect_events(&mut self, events: &[Vec<u8>], return_value: &[u8]) -> Result<(), Stop> {
        let limit = self.input.settings.max_contract_events_size_bytes;
        for event in events {
            let size = event.len() as u32;
            self.metrics.emit_event += 1;
            self.metrics.emit_event_byte += size;
            self.metrics.max_emit_event_byte = self.metrics.max_emit_event_byte.max(size);
            if limit < self.metrics.emit_event_byte {
                return Err(self
                    .events_too_large("total events size exceeds network config maximum", limit));
            }
        }
        self.metrics.emit_event_byte += return_value.len() as u32;
        if limit < self.metrics.emit_event_byte {
            let message = "return value pushes events size above network config maximum";
            return Err(self.events_too_large(message, limit));
        }
        Ok(())
    }

    fn events_too_large(&mut self, message: &str, limit: u32) -> Stop {
        let used = u64::from(self.metrics.emit_event_byte);
        push_limit_error(&mut self.diagnostics, message, used, u64::from(limit));
        Stop::Failed(ResourceLimitExceeded)
    }

    fn finish(mut self, ended: Result<Success, Stop>) -> Applied {
        let mut success_hash = None;
        let (outcome, result) = match &ended {
            Ok(success) => {
                let hash = success_hash_of(success);
                success_hash = Some(hash);
                (AppliedOutcome::Success, Some(InvokeHostFunctionResult::Success(hash.into())))
            }
            Err(Stop::Failed(result)) => {
                (AppliedOutcome::Failed(code_name(result)), Some(result.clone()))
            }
            Err(Stop::InternalError(message)) => {
                (AppliedOutcome::InternalError(message.clone()), None)
            }
        };
        let success = ended.ok();
        if success.is_none() {
            self.fees.reset();
        }
        let changes = if success.is_some() { self.journal.into_rows() } else { vec![] };
        let (return_value, events) =
            success.map_or((None, vec![]), |s| (Some(s.return_value), s.events));
        let (costs, trace, marked, host_nanoseconds) = match self.host {
            None => (vec![], vec![], None, 0),
            Some(host) => (host.costs, host.trace, host.marked, host.host_nanoseconds),
        };
        Applied {
            operation: "invoke_host_function",
            outcome,
            operation_result: result.map(|result| {
                OperationResult::OpInner(OperationResultTr::InvokeHostFunction(result))
            }),
            changes,
            success_hash,
            return_value,
            events,
            diagnostics: self.diagnostics,
            host_error: self.host_error,
            fees: self.fees,
            metrics: self.metrics.by_name(),
            costs,
            trace,
            host_call_trace: self.host_call_trace,
            marked,
            host_nanoseconds,
        }
    }
}

/// sha256(return value ‖ u32be(n) ‖ events): InvokeHostFunctionSuccessPreImage.
fn success_hash_of(success: &Success) -> [u8; 32] {
    let mut preimage = success.return_value.clone();
    preimage.extend((success.events.len() as u32).to_be_bytes());
    success.events.iter().for_each(|event| preimage.extend(event));
    sha256(&preimage)
}

fn code_name(result: &InvokeHostFunctionResult) -> &'static str {
    match result {
        InvokeHostFunctionResult::Success(_) => "INVOKE_HOST_FUNCTION_SUCCESS",
        InvokeHostFunctionResult::Malformed => "INVOKE_HOST_FUNCTION_MALFORMED",
        Trapped => "INVOKE_HOST_FUNCTION_TRAPPED",
        ResourceLimitExceeded => "INVOKE_HOST_FUNCTION_RESOURCE_LIMIT_EXCEEDED",
        EntryArchived => "INVOKE_HOST_FUNCTION_ENTRY_ARCHIVED",
        InsufficientRefundableFee => "INVOKE_HOST_FUNCTION_INSUFFICIENT_REFUNDABLE_FEE",
    }
}

/// `HostFunctionMetrics`: the values of the `core_metrics` diagnostic events.
#[derive(Default)]
struct Metrics {
    read_entry: u32,
    write_entry: u32,
    ledger_read_byte: u32,
    ledger_write_byte: u32,
    read_key_byte: u32,
    read_data_byte: u32,
    write_data_byte: u32,
    read_code_byte: u32,
    write_code_byte: u32,
    emit_event: u32,
    emit_event_byte: u32,
    cpu_insn: u64,
    mem_byte: u64,
    max_rw_key_byte: u32,
    max_rw_data_byte: u32,
    max_rw_code_byte: u32,
    max_emit_event_byte: u32,
}

impl Metrics {
    fn note_disk_read(&mut self, key: &LedgerKey, key_size: u32, entry_size: u32) {
        self.read_entry += 1;
        self.read_key_byte += key_size;
        self.ledger_read_byte += entry_size;
        match key {
            LedgerKey::ContractCode(_) => self.read_code_byte += entry_size,
            _ => self.read_data_byte += entry_size,
        }
        self.note_largest(key, key_size, entry_size);
    }

    fn note_write(&mut self, key: &LedgerKey, key_size: u32, entry_size: u32) {
        self.write_entry += 1;
        self.ledger_write_byte += entry_size;
        match key {
            LedgerKey::ContractCode(_) => self.write_code_byte += entry_size,
            _ => self.write_data_byte += entry_size,
        }
        self.note_largest(key, key_size, entry_size);
    }

    fn note_largest(&mut self, key: &LedgerKey, key_size: u32, entry_size: u32) {
        self.max_rw_key_byte = self.max_rw_key_byte.max(key_size);
        let largest = match key {
            LedgerKey::ContractCode(_) => &mut self.max_rw_code_byte,
            _ => &mut self.max_rw_data_byte,
        };
        *largest = (*largest).max(entry_size);
    }

    fn by_name(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("read_entry", self.read_entry.into()),
            ("write_entry", self.write_entry.into()),
            ("ledger_read_byte", self.ledger_read_byte.into()),
            ("ledger_write_byte", self.ledger_write_byte.into()),
            ("read_key_byte", self.read_key_byte.into()),
            // stellar-core reports it and never adds to it.
            ("write_key_byte", 0),
            ("read_data_byte", self.read_data_byte.into()),
            ("write_data_byte", self.write_data_byte.into()),
            ("read_code_byte", self.read_code_byte.into()),
            ("write_code_byte", self.write_code_byte.into()),
            ("emit_event", self.emit_event.into()),
            ("emit_event_byte", self.emit_event_byte.into()),
            ("cpu_insn", self.cpu_insn),
            ("mem_byte", self.mem_byte),
            ("max_rw_key_byte", self.max_rw_key_byte.into()),
            ("max_rw_data_byte", self.max_rw_data_byte.into()),
            ("max_rw_code_byte", self.max_rw_code_byte.into()),
            ("max_emit_event_byte", self.max_emit_event_byte.into()),
        ])
    }
}
