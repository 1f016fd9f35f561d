// The part of a host that is the same for all protocols, mounted once for each host crate. It
// follows stellar-core's src/rust/src/soroban_proto_any.rs; the comments name its functions.

use super::host_error::{describe, host_function_failed_event};
use super::soroban_env_host::{
    budget::Budget,
    e2e_invoke::{extract_rent_changes, InvokeHostFunctionResult, LedgerEntryChange},
    fees,
    xdr::{
        ContractCodeEntry, ContractCostParams, ContractCostType, DiagnosticEvent, LedgerEntry,
        LedgerEntryData, LedgerEntryExt, Limited, Limits, ReadXdr, ScErrorCode, ScErrorType,
        TtlEntry, WriteXdr,
    },
    HostError, LedgerInfo, VERSION,
};
use super::{adapter, record_hook::Recording, trace_hook, PROTOCOL};
use crate::{
    hosts::{interface::*, trace::Trace},
    process::Stopwatch,
    xdr_codec::USUAL_XDR_BYTES,
};
use std::{cell::RefCell, panic};

pub const MODULE: HostModule = HostModule {
    protocol: PROTOCOL,
    crate_version: VERSION.pkg,
    cost_types: ContractCostType::VARIANTS.len(),
    invoke,
    rent_fee,
    resource_fee,
    rent_fee_per_1kb: adapter::rent_fee_per_1kb,
    code_memory_bytes,
};

/// stellar-core's marshalling limit, `MARSHALLING_STACK_LIMIT`.
const XDR_DEPTH_LIMIT: u32 = 1000;

fn decode<T: ReadXdr>(bytes: &[u8]) -> Result<T, String> {
    T::from_xdr(bytes, Limits { depth: XDR_DEPTH_LIMIT, len: bytes.len() })
        .map_err(|e| e.to_string())
}

fn encode<T: WriteXdr>(value: &T) -> Option<Vec<u8>> {
    let limits = Limits { depth: XDR_DEPTH_LIMIT, len: 5 * 1024 * 1024 };
    let mut bytes = Limited::new(Vec::with_capacity(USUAL_XDR_BYTES), limits);
    value.write_xdr(&mut bytes).ok()?;
    Some(bytes.inner)
}

fn budget_of(input: &HostInput) -> Result<Budget, String> {
    let (cpu, memory_params) = cost_params(input.cost_params)?;
    Budget::try_from_configs(
        u64::from(input.instruction_limit),
        u64::from(input.memory_limit_bytes),
        cpu,
        memory_params,
    )
    .map_err(|e| format!("the host refuses the network's cost parameters: {:?}", e.error))
}

/// Decodes the cost parameters of CPU instructions and of memory. Those of the last request are
/// kept.
fn cost_params(xdr: &CostParams) -> Result<(ContractCostParams, ContractCostParams), String> {
    type Decoded = (ContractCostParams, ContractCostParams);
    thread_local! {
        static LAST: RefCell<Option<(CostParams, Decoded)>> = const { RefCell::new(None) };
    }
    LAST.with_borrow_mut(|last| match last {
        Some((of, decoded)) if of == xdr => Ok(decoded.clone()),
        _ => {
            let decoded = (decode(&xdr.cpu)?, decode(&xdr.memory)?);
            *last = Some((xdr.clone(), decoded.clone()));
            Ok(decoded)
        }
    })
}

fn ledger_info(ledger: &LedgerContext) -> LedgerInfo {
    LedgerInfo {
        protocol_version: ledger.protocol_version,
        sequence_number: ledger.sequence,
        timestamp: ledger.close_time_unix_seconds,
        network_id: ledger.network_id,
        base_reserve: ledger.base_reserve_stroops,
        min_temp_entry_ttl: ledger.min_temporary_entry_ttl,
        min_persistent_entry_ttl: ledger.min_persistent_entry_ttl,
        max_entry_ttl: ledger.max_entry_ttl,
    }
}

/// Runs the host function, and catches panics as stellar-core does (`invoke_host_function`).
fn invoke(input: &HostInput) -> HostOutput {
    let budget = match budget_of(input) {
        Ok(budget) => budget,
        Err(message) => return broken(message),
    };
    let recorder = trace_hook::Recorder::new(input.trace);
    let recording = (input.trace == Trace::Record).then(Recording::new);
    let mut diagnostics = Vec::new();
    let ran = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        // Modules are parsed before the clock starts, because stellar-core does so outside any
        // transaction.
        let modules = adapter::prepare_modules(input);
        let stopwatch = Stopwatch::start();
        let ledger = ledger_info(input.ledger);
        let result = modules.and_then(|modules| {
            let recording = recording.as_ref().map(Recording::hook);
            let hook = recording.or_else(|| recorder.hook());
            adapter::invoke(&budget, input, modules, ledger, &mut diagnostics, hook)
        });
        (result, stopwatch.nanoseconds())
    }));
    let (result, host_nanoseconds) = match ran {
        Ok(ran) => ran,
        Err(payload) => {
            return broken(format!("contract host panicked: {}", panic_text(&*payload)))
        }
    };
    // The meters are read before rent and effects are computed, as in stellar-core.
    let cpu_instructions = budget.get_cpu_insns_consumed().unwrap_or(0);
    let memory_bytes = budget.get_mem_bytes_consumed().unwrap_or(0);
    let trace = recorder.finish(&budget, &mut diagnostics);
    let recorded = recording.map(|recording| recording.finish(&mut diagnostics));
    let result = host_result(result, input, &mut diagnostics);
    HostOutput {
        result,
        cpu_instructions,
        memory_bytes,
        diagnostics: diagnostics.iter().filter_map(encode).collect(),
        costs: costs(&budget),
        trace,
        recorded,
        host_nanoseconds,
    }
}

fn broken(message: String) -> HostOutput {
    HostOutput { result: HostResult::Broken { message }, ..HostOutput::default() }
}

fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&'static str>().map(|s| s.to_string()))
        .unwrap_or_else(|| "no message".into())
}

/// The host's result. The TTLs are TtlEntry XDR, or empty for entries without a TTL.
fn host_result(
    result: Result<InvokeHostFunctionResult, HostError>,
    input: &HostInput,
    diagnostics: &mut Vec<DiagnosticEvent>,
) -> HostResult {
    let error = match result {
        Ok(InvokeHostFunctionResult {
            encoded_invoke_result: Ok(return_value),
            ledger_changes,
            encoded_contract_events,
        }) => {
            let rent_changes = extract_rent_changes(&ledger_changes);
            let rent_fee = fees::compute_rent_fee(
                &rent_changes,
                &adapter::rent_configuration(input.fee_rates),
                input.ledger.sequence,
            );
            return match modified_entries(ledger_changes) {
                Some(modified_entries) => HostResult::Success(HostSuccess {
                    return_value,
                    modified_entries,
                    contract_events: encoded_contract_events,
                    rent_fee,
                }),
                None => HostResult::Broken {
                    message: "the host's ledger changes cannot be encoded".into(),
                },
            };
        }
        Ok(InvokeHostFunctionResult { encoded_invoke_result: Err(error), .. }) => error,
        Err(error) => error,
    };
    if input.diagnostics {
        diagnostics.push(host_function_failed_event(&error));
    }
    // Before protocol 22 any error with this code counts, even a contract's own.
    let internal = error.error.is_code(ScErrorCode::InternalError)
        && (input.ledger.protocol_version < 22 || !error.error.is_type(ScErrorType::Contract));
    HostResult::Failure { error: describe(&error), internal }
}

/// The new values of read-write entries, and the TTLs that grew (`extract_ledger_effects`).
fn modified_entries(changes: Vec<LedgerEntryChange>) -> Option<Vec<Vec<u8>>> {
    let mut modified = Vec::new();
    for change in changes {
        if !change.read_only {
            modified.extend(change.encoded_new_value);
        }
        let Some(ttl) = change.ttl_change else { continue };
        if ttl.new_live_until_ledger > ttl.old_live_until_ledger {
            let key_hash: [u8; 32] = ttl.key_hash.try_into().ok()?;
            modified.push(encode(&LedgerEntry {
                last_modified_ledger_seq: 0,
                data: LedgerEntryData::Ttl(TtlEntry {
                    key_hash: key_hash.into(),
                    live_until_ledger_seq: ttl.new_live_until_ledger,
                }),
                ext: LedgerEntryExt::V0,
            })?);
        }
    }
    Some(modified)
}

fn costs(budget: &Budget) -> Vec<CostByType> {
    ContractCostType::variants()
        .iter()
        .filter_map(|cost_type| {
            let tracker = budget.get_tracker(*cost_type).ok()?;
            (tracker.iterations > 0).then(|| CostByType {
                cost_type: cost_type.name(),
                iterations: tracker.iterations,
                inputs: tracker.inputs,
                cpu: tracker.cpu,
                memory: tracker.mem,
            })
        })
        .collect()
}

fn rent_fee(changes: &[RentChange], rates: &FeeRates, ledger_sequence: u32) -> i64 {
    let changes: Vec<_> = changes.iter().map(adapter::rent_change).collect();
    fees::compute_rent_fee(&changes, &adapter::rent_configuration(rates), ledger_sequence)
}

fn resource_fee(resources: &ResourceUse, rates: &FeeRates) -> (i64, i64) {
    fees::compute_transaction_resource_fee(
        &adapter::resource_use(resources),
        &adapter::fee_configuration(rates),
    )
}

/// `contract_code_memory_size_for_rent`.
fn code_memory_bytes(code: &[u8], costs: &CostParams) -> Result<u32, String> {
    let code = decode::<ContractCodeEntry>(code)?;
    let (cpu, memory) = cost_params(costs)?;
    let budget =
        Budget::try_from_configs(0, 0, cpu, memory).map_err(|e| format!("{:?}", e.error))?;
    let bytes = adapter::code_memory_bytes(&budget, &code).map_err(|e| format!("{:?}", e.error))?;
    u32::try_from(bytes).map_err(|e| e.to_string())
}
