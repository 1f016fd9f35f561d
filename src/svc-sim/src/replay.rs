// A replay: reads a request, applies its transaction, and makes the response.

use crate::{
    apply::{self, Applied, AppliedOutcome, ChargedFees, Wanted},
    call_record::{self, CallRecord},
    definitions::Definitions,
    error::Error,
    hosts::{interface::CostByType, trace::Trace},
    input::Input,
    profile::FunctionFrames,
    stepping::{
        functions::{Functions, NO_WASM},
        session::Session,
    },
    wire::{
        request::{GivenWasm, Options, Request, Traced},
        response::{Change, Execution, Fees, FunctionAttribution, HostIdentity, Location, Outcome},
        travel::{Travel, Travelled},
    },
    xdr_codec::{
        encode, from_base64, hex, to_base64,
        xdr::{
            InnerTransactionResult, InnerTransactionResultExt, InnerTransactionResultPair,
            InnerTransactionResultResult, OperationResult, TransactionResult, TransactionResultExt,
            TransactionResultResult, VecM,
        },
    },
};
use std::{cell::RefCell, collections::BTreeMap};

/// Replays a transaction.
///
/// # Errors
///
/// The errors of `Input::read`.
pub fn execute(
    request: &Request,
    definitions: &Definitions,
    travel: &RefCell<Option<Session>>,
) -> Result<Execution, Error> {
    let input = Input::read(request, definitions)?;
    let options = &request.options;
    let everything = options.record.is_some() || options.functions.is_some() || options.branches;
    let only_failed = options.why || options.locate.is_some();
    let records = everything || only_failed || options.branch.is_some();
    let wanted = Wanted {
        diagnostics: options.diagnostics,
        trace: match options.profile || options.functions.is_some() {
            true => Trace::Profile,
            false if options.trace != Traced::Nothing || records => Trace::Calls,
            false => Trace::Nothing,
        },
        host_calls: options.trace == Traced::HostCalls,
        record: records,
    };
    let mut applied = apply::apply(&input, wanted);
    let supplied = SuppliedBuilds::read(options)?;
    let only = options.branch.as_ref().map(|branch| branch.frame);
    let mut session = match records {
        true => {
            Session::open(&input, &mut applied, &supplied.all(), (!everything).then_some(only))?
        }
        false => None,
    };
    let functions = options.functions.as_ref().filter(|_| !applied.trace.is_empty());
    let functions = functions.map(|_| functions_of(session.as_mut(), &applied));
    let mut calls =
        read_calls(&applied, functions.as_ref().and_then(|functions| functions.frames.as_ref()));
    if let (Some(profile), Some(functions)) = (&mut calls.profile, functions) {
        let available = functions.frames.is_some();
        profile.functions = Some(FunctionAttribution { available, reason: functions.reason });
    }
    let location = match options.locate {
        None => None,
        Some(_) => Some(locate(session.as_mut(), &applied, supplied.locate.as_deref())?),
    };
    let why = session
        .as_mut()
        .filter(|_| options.why)
        .and_then(|session| session.why(&input).map(|why| session.with_line(why)));
    let asked = options.branch.as_ref();
    let branch_taken =
        session.as_mut().zip(asked).and_then(|(session, asked)| session.branch_taken(asked));
    let branches = session.as_mut().filter(|_| options.branches).map(|session| session.branches());
    let record = session.filter(|_| options.record.is_some()).map(|session| {
        let record = session.record();
        *travel.borrow_mut() = Some(session);
        record
    });
    Ok(Execution {
        record,
        why,
        branch_taken,
        branches,
        ..execution(input, applied, calls, location)
    })
}

/// Answers a request about a recorded run.
///
/// # Errors
///
/// `BAD_REQUEST` if nothing was recorded, and those of `Session::travel`.
pub fn travel(request: Travel, session: &RefCell<Option<Session>>) -> Result<Travelled, Error> {
    match &mut *session.borrow_mut() {
        Some(session) => session.travel(request),
        None => Err(Error::bad_request("no transaction was recorded")),
    }
}

/// Builds of contracts with debug information.
struct SuppliedBuilds {
    locate: Option<Vec<u8>>,
    functions: Option<Vec<u8>>,
    record: Vec<Vec<u8>>,
}

impl SuppliedBuilds {
    fn read(options: &Options) -> Result<SuppliedBuilds, Error> {
        let one = |supplied: &Option<GivenWasm>, field| {
            let text = supplied.as_ref().and_then(|supplied| supplied.wasm.as_deref());
            text.map(|text| from_base64(text, field)).transpose()
        };
        let record = options.record.iter().flat_map(|supplied| &supplied.wasm);
        Ok(SuppliedBuilds {
            locate: one(&options.locate, "options.locate.wasm")?,
            functions: one(&options.functions, "options.functions.wasm")?,
            record: record
                .map(|text| from_base64(text, "options.record.wasm"))
                .collect::<Result<Vec<_>, Error>>()?,
        })
    }

    fn all(&self) -> Vec<Vec<u8>> {
        let mut all = self.record.clone();
        for wasm in self.locate.iter().chain(&self.functions) {
            if !all.contains(wasm) {
                all.push(wasm.clone());
            }
        }
        all
    }
}

const NOT_RECORDED: &str = "the recorded run differed from the replay";

fn functions_of(session: Option<&mut Session>, applied: &Applied) -> Functions {
    let is_wasm = |cost: &CostByType| cost.cost_type == "WasmInsnExec" && cost.iterations > 0;
    match session {
        Some(session) => session.functions(),
        None => Functions {
            frames: None,
            reason: Some(match applied.costs.iter().any(is_wasm) {
                true => NOT_RECORDED.into(),
                false => NO_WASM.into(),
            }),
        },
    }
}

/// Locates the failure.
///
/// # Errors
///
/// `WASM_DIFFERS` if the code of the supplied wasm is not the failed contract's.
fn locate(
    session: Option<&mut Session>,
    applied: &Applied,
    supplied: Option<&[u8]>,
) -> Result<Location, Error> {
    if !matches!(applied.outcome, AppliedOutcome::Failed(_)) || applied.host_error.is_none() {
        let reason = "the transaction did not fail in the contract host".into();
        return Ok(Location::Unknown { reason });
    }
    match session {
        Some(session) => session.locate(supplied),
        None => Ok(Location::Unknown { reason: NOT_RECORDED.into() }),
    }
}

fn read_calls(applied: &Applied, functions: Option<&FunctionFrames>) -> CallRecord {
    let meter = |name| applied.metric(name).unwrap_or(0);
    let totals = (meter("cpu_insn"), meter("mem_byte"));
    let read = |trace, host_calls| {
        call_record::read(trace, &applied.diagnostics, totals, host_calls, functions)
    };
    let CallRecord { tree, profile } = read(&applied.trace, false);
    match &applied.host_call_trace {
        None => CallRecord { tree, profile },
        Some(trace) => CallRecord { tree: read(trace, true).tree, profile },
    }
}

fn execution(
    input: Input,
    applied: Applied,
    calls: CallRecord,
    location: Option<Location>,
) -> Execution {
    let result_xdr = transaction_result(&input, &applied).map(|result| to_base64(&encode(&result)));
    let text = |bytes: &Vec<u8>| to_base64(bytes);
    Execution {
        host: HostIdentity { protocol: input.host.protocol, crate_version: input.host.version() },
        transaction_hash: hex(&input.transaction.hash),
        operation: applied.operation,
        outcome: match applied.outcome {
            AppliedOutcome::Success => Outcome::Success,
            AppliedOutcome::Failed(code) => Outcome::Failed { code },
            AppliedOutcome::InternalError(message) => Outcome::InternalError { message },
        },
        operation_result_xdr: applied
            .operation_result
            .as_ref()
            .map(|result| to_base64(&encode(result))),
        result_xdr,
        success_hash: applied.success_hash.map(|hash| hex(&hash)),
        return_value_xdr: applied.return_value.as_ref().map(text),
        changes: applied
            .changes
            .iter()
            .map(|row| Change {
                kind: row.kind,
                key_xdr: to_base64(&row.key),
                before_xdr: row.before.as_ref().map(text),
                after_xdr: row.after.as_ref().map(text),
            })
            .collect(),
        events_xdr: applied.events.iter().map(text).collect(),
        diagnostics_xdr: applied.diagnostics.iter().map(text).collect(),
        host_error: applied.host_error,
        fees: fees_of(&applied.fees),
        metrics: applied.metrics,
        cpu_insn_before_22: applied.cpu_insn_before_22,
        limits: limits(&input),
        costs: applied.costs,
        call_tree: calls.tree,
        profile: calls.profile,
        location,
        record: None,
        why: None,
        branch_taken: None,
        branches: None,
        assumed: input.assumed,
        host_nanoseconds: applied.host_nanoseconds,
    }
}

fn fees_of(fees: &ChargedFees) -> Fees {
    Fees {
        resource_fee_stroops: fees.resource_fee.to_string(),
        non_refundable_stroops: fees.non_refundable.to_string(),
        rent_stroops: fees.rent.to_string(),
        refundable_consumed_stroops: fees.refundable_consumed.to_string(),
        refund_stroops: fees.refund().to_string(),
    }
}

fn limits(input: &Input) -> BTreeMap<&'static str, String> {
    let resources = &input.transaction.soroban.resources;
    let settings = &input.settings;
    BTreeMap::from([
        ("instructions", resources.instructions.to_string()),
        ("memory_bytes", settings.transaction_memory_limit_bytes.to_string()),
        ("disk_read_bytes", resources.disk_read_bytes.to_string()),
        ("write_bytes", resources.write_bytes.to_string()),
        ("contract_events_bytes", settings.max_contract_events_size_bytes.to_string()),
        ("contract_code_entry_bytes", settings.max_contract_size_bytes.to_string()),
        ("contract_data_entry_bytes", settings.max_contract_data_entry_size_bytes.to_string()),
        ("rent_fee_per_1kb_stroops", settings.fees.rent_1kb.to_string()),
    ])
}

/// The transaction's result. `None` if the fee that was charged before is unknown.
pub fn transaction_result(input: &Input, applied: &Applied) -> Option<TransactionResult> {
    let protocol = input.ledger.protocol_version;
    let charged = input.fee_charged_before_refund?;
    let refund = if input.refund_is_paid { applied.fees.refund() } else { 0 };
    let operations: VecM<OperationResult> = match &applied.operation_result {
        Some(result) => vec![result.clone()].try_into().ok()?,
        None => VecM::default(),
    };
    let success = matches!(applied.outcome, AppliedOutcome::Success);
    macro_rules! result {
        ($kind:ident) => {
            match (success, &applied.operation_result) {
                (true, _) => $kind::TxSuccess(operations),
                (false, Some(_)) => $kind::TxFailed(operations),
                (false, None) => $kind::TxInternalError,
            }
        };
    }
    let Some(fee_bump) = &input.transaction.fee_bump else {
        return Some(TransactionResult {
            fee_charged: charged - refund,
            result: result!(TransactionResultResult),
            ext: TransactionResultExt::V0,
        });
    };
    // Before protocol 21 the result of a fee-bump did not include the refund. From 21 to 24 the
    // inner result included it as well (`FeeBumpMutableTransactionResult::finalizeFeeRefund`).
    let shown_refund = if protocol < 21 { 0 } else { refund };
    let inner_charged = input.transaction.inner_fee_charged(protocol, charged);
    let inner_refund = if (21..25).contains(&protocol) { refund } else { 0 };
    let pair = InnerTransactionResultPair {
        transaction_hash: fee_bump.inner_hash.into(),
        result: InnerTransactionResult {
            fee_charged: inner_charged - inner_refund,
            result: result!(InnerTransactionResultResult),
            ext: InnerTransactionResultExt::V0,
        },
    };
    Some(TransactionResult {
        fee_charged: charged - shown_refund,
        result: match success {
            true => TransactionResultResult::TxFeeBumpInnerSuccess(pair),
            false => TransactionResultResult::TxFeeBumpInnerFailed(pair),
        },
        ext: TransactionResultExt::V0,
    })
}
