// What stellar-core does around the contract host that decides a transaction's result, for the three
// Soroban operations. Each file names the stellar-core source it follows.

mod extend;
mod fees;
mod invoke;
mod journal;
mod restore;

use crate::{
    hosts::{
        interface::{CostByType, HostErrorInfo, RentChange},
        marks::{MarkedRun, MarkingInput},
        trace::{Trace, TraceStep},
    },
    input::Input,
    xdr_codec::{
        encode,
        xdr::{
            ContractEvent, ContractEventBody, ContractEventType, ContractEventV0, DiagnosticEvent,
            ExtensionPoint, LedgerKey, Memo, OperationBody, OperationResult, ScError, ScErrorCode,
            ScString, ScSymbol, ScVal,
        },
    },
};
use journal::Journal;
use std::collections::BTreeMap;

pub use fees::ChargedFees;
pub use journal::Row;

pub enum AppliedOutcome {
    Success,
    Failed(&'static str),
    InternalError(String),
}

/// What the operation did, before it is put on the wire.
pub struct Applied {
    pub operation: &'static str,
    pub outcome: AppliedOutcome,
    /// `None` on an internal error.
    pub operation_result: Option<OperationResult>,
    pub changes: Vec<Row>,
    pub success_hash: Option<[u8; 32]>,
    pub return_value: Option<Vec<u8>>,
    pub events: Vec<Vec<u8>>,
    pub diagnostics: Vec<Vec<u8>>,
    pub host_error: Option<HostErrorInfo>,
    pub fees: ChargedFees,
    pub metrics: BTreeMap<&'static str, u64>,
    pub costs: Vec<CostByType>,
    pub trace: Vec<TraceStep>,
    /// The same run once more, with its host calls; `None` unless that run was the same.
    pub host_call_trace: Option<Vec<TraceStep>>,
    /// Of a run with instrumented code.
    pub marked: Option<MarkedRun>,
    pub host_nanoseconds: u64,
}

/// What is told of an execution beside its outcome. None of it is metered.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    pub diagnostics: bool,
    pub trace: Trace,
    pub host_calls: bool,
    /// Runs in the place of contracts' own code; not what stellar-core did, then.
    pub instrumented: Option<Instrumented<'a>>,
}

#[derive(Clone, Copy)]
pub struct Instrumented<'a> {
    pub codes: &'a [InstrumentedCode],
    pub marking: MarkingInput,
}

/// Wasm that replaces the code of this hash.
pub struct InstrumentedCode {
    pub hash: [u8; 32],
    pub wasm: Vec<u8>,
}

impl Wanted<'_> {
    pub fn nothing() -> Self {
        Wanted { diagnostics: false, trace: Trace::Nothing, host_calls: false, instrumented: None }
    }
}

pub fn apply(input: &Input, wanted: Wanted) -> Applied {
    let applied = apply_operation(input, wanted);
    match &input.transaction.memo {
        // stellar-core's test builds throw on purpose (`maybeTriggerTestInternalError`).
        Memo::Text(text) if cfg!(feature = "core-test-build") && text.as_slice() == TEST_MEMO => {
            applied.into_internal_error("the memo asks a test build for one")
        }
        _ => applied,
    }
}

const TEST_MEMO: &[u8] = b"txINTERNAL_ERROR";

impl Applied {
    /// What an exception after the operation leaves: its effects are gone, the refund is whole.
    fn into_internal_error(mut self, message: &str) -> Applied {
        self.fees.reset();
        Applied {
            outcome: AppliedOutcome::InternalError(message.to_string()),
            operation_result: None,
            changes: vec![],
            success_hash: None,
            return_value: None,
            events: vec![],
            ..self
        }
    }
}

fn apply_operation(input: &Input, wanted: Wanted) -> Applied {
    match &input.transaction.operation.body {
        OperationBody::InvokeHostFunction(operation) => invoke::apply(input, operation, wanted),
        OperationBody::ExtendFootprintTtl(operation) => extend::apply(input, operation),
        OperationBody::RestoreFootprint(_) => restore::apply(input),
        _ => unreachable!("Transaction::read admits Soroban operations only"),
    }
}

/// A network limit on one entry's size; `true` when it holds (`validateContractLedgerEntry`).
fn entry_size_is_valid(
    input: &Input,
    key: &LedgerKey,
    size_bytes: u32,
    diagnostics: &mut Vec<Vec<u8>>,
) -> bool {
    let (limit, message) = match key {
        LedgerKey::ContractCode(_) => (
            input.settings.max_contract_size_bytes,
            "Wasm size exceeds network config maximum contract size",
        ),
        LedgerKey::ContractData(_) => (
            input.settings.max_contract_data_entry_size_bytes,
            "ContractData size exceeds network config maximum size",
        ),
        _ => return true,
    };
    if size_bytes <= limit {
        return true;
    }
    push_limit_error(diagnostics, message, u64::from(size_bytes), u64::from(limit));
    false
}

/// `DiagnosticEventManager::pushError(SCE_BUDGET, SCEC_EXCEEDED_LIMIT, …)` with two numbers.
fn push_limit_error(diagnostics: &mut Vec<Vec<u8>>, message: &str, used: u64, limit: u64) {
    let error = ScError::Budget(ScErrorCode::ExceededLimit);
    push_error(diagnostics, error, message, vec![ScVal::U64(used), ScVal::U64(limit)]);
}

fn push_error(
    diagnostics: &mut Vec<Vec<u8>>,
    error: ScError,
    message: &str,
    arguments: Vec<ScVal>,
) {
    let mut data = vec![ScVal::String(ScString(message.try_into().unwrap_or_default()))];
    data.extend(arguments);
    let topics =
        vec![ScVal::Symbol(ScSymbol("error".try_into().unwrap_or_default())), ScVal::Error(error)];
    let event = DiagnosticEvent {
        in_successful_contract_call: false,
        event: ContractEvent {
            ext: ExtensionPoint::V0,
            contract_id: None,
            type_: ContractEventType::Diagnostic,
            body: ContractEventBody::V0(ContractEventV0 {
                topics: topics.try_into().unwrap_or_default(),
                data: ScVal::Vec(Some(data.try_into().unwrap_or_default())),
            }),
        },
    };
    diagnostics.push(encode(&event));
}

/// A footprint key's entry size for rent: its XDR size, for contract code from protocol 23 with the
/// memory that its module takes (`ledgerEntrySizeForRent`, LedgerTypeUtils.cpp).
fn size_for_rent(input: &Input, entry: &crate::state::EntryState) -> Result<u32, String> {
    let size = entry.value.bytes.len() as u32;
    match &entry.value.entry.data {
        crate::xdr_codec::xdr::LedgerEntryData::ContractCode(code)
            if input.ledger.protocol_version >= 23 =>
        {
            let memory = input.settings.code_memory_bytes(input.host, code)?;
            Ok(size.saturating_add(memory))
        }
        _ => Ok(size),
    }
}

/// Read and write limits shared by extend and restore: adds to `total` and compares with `limit`.
fn within_limit(
    total: &mut u32,
    added: u32,
    limit: u32,
    message: &str,
    diagnostics: &mut Vec<Vec<u8>>,
) -> bool {
    *total = total.saturating_add(added);
    if *total <= limit {
        return true;
    }
    push_limit_error(diagnostics, message, u64::from(*total), u64::from(limit));
    false
}

const READ_LIMIT_MESSAGE: &str = "operation byte-read resources exceeds amount specified";
const WRITE_LIMIT_MESSAGE: &str = "operation byte-write resources exceeds amount specified";

/// Extend and restore end alike: fees, then the changes or nothing.
struct FootprintOperation<'a> {
    input: &'a Input,
    operation: &'static str,
    journal: Journal<'a>,
    diagnostics: Vec<Vec<u8>>,
    rent_changes: Vec<RentChange>,
}

impl<'a> FootprintOperation<'a> {
    fn new(input: &'a Input, operation: &'static str) -> Self {
        FootprintOperation {
            input,
            operation,
            journal: Journal::new(input.ledger.sequence),
            diagnostics: vec![],
            rent_changes: vec![],
        }
    }

    /// Charges rent for the changes gathered; `false` when the refundable fee does not cover it.
    fn charge(&mut self) -> (ChargedFees, bool) {
        let rent = (self.input.host.rent_fee)(
            &self.rent_changes,
            &self.input.settings.fees,
            self.input.ledger.sequence,
        );
        let mut fees = ChargedFees::before_execution(self.input);
        let covered = fees.consume_refundable(self.input, rent, 0, &mut self.diagnostics);
        (fees, covered)
    }

    fn finish(
        self,
        outcome: AppliedOutcome,
        operation_result: Option<OperationResult>,
        mut fees: ChargedFees,
    ) -> Applied {
        let success = matches!(outcome, AppliedOutcome::Success);
        if !success {
            fees.reset();
        }
        Applied {
            operation: self.operation,
            changes: if success { self.journal.into_rows() } else { vec![] },
            outcome,
            operation_result,
            success_hash: None,
            return_value: None,
            events: vec![],
            diagnostics: self.diagnostics,
            host_error: None,
            fees,
            metrics: BTreeMap::new(),
            costs: vec![],
            trace: vec![],
            host_call_trace: None,
            marked: None,
            host_nanoseconds: 0,
        }
    }
}
