// Where in a contract's code a transaction failed. wasmi does not tell, so the transaction runs once
// more with instrumented code in the place of the contract's, under its hash, on the same state and
// without limits of its own. What is found is told only when that run failed as the first did.

mod debug_names;
pub mod instrument;
mod leb;

use crate::{
    apply::{self, Applied, AppliedOutcome, Wanted},
    hosts::interface::{CodeFrame, TraceStep, TraceStepKind},
    input::Input,
    wire::{CallNode, CodeLocation, LocatedFrame, Location, WireError},
    xdr_codec::{
        encode, hex, sha256,
        xdr::{
            ContractDataDurability, ContractExecutable, ContractId, LedgerEntryData, LedgerKey,
            LedgerKeyContractCode, LedgerKeyContractData, ScAddress, ScVal,
        },
    },
};
use debug_names::DebugNames;
pub use debug_names::SourcePlace;
use instrument::instrument;
use std::str::FromStr;

/// A report is read by people; recursion can be deep.
const MOST_FRAMES: usize = 64;

/// `given`: wasm with debug information, of the same code as the contract's.
///
/// # Errors
/// `WASM_DIFFERS` when the given wasm's code is not the contract's; `BAD_REQUEST` when it is no wasm.
pub fn locate(
    input: &Input,
    applied: &Applied,
    tree: Option<&CallNode>,
    given: Option<&[u8]>,
) -> Result<Location, WireError> {
    let unknown = |reason: &str| Ok(Location::Unknown { reason: reason.into() });
    if !matches!(applied.outcome, AppliedOutcome::Failed(_)) || applied.host_error.is_none() {
        return unknown("the transaction did not fail in the contract host");
    }
    let Some(contract) = tree.and_then(failing_contract) else {
        return unknown("no contract call failed");
    };
    let Some((code_hash, wasm)) = wasm_of(input, contract) else {
        return unknown("the failing contract has no wasm in the footprint");
    };
    let own = match DebugNames::read(wasm) {
        Ok(own) => own,
        Err(error) => return unknown(&format!("the contract's wasm is not understood: {error}")),
    };
    let given = given.map(|wasm| same_code(wasm, &own, contract)).transpose()?;
    let instrumented = match instrument(wasm, code_hash) {
        Ok(instrumented) => instrumented,
        Err(error) => return unknown(&format!("the contract's code: {}", error.0)),
    };
    let wanted = Wanted { instrumented: Some(&instrumented), ..Wanted::nothing() };
    let again = apply::apply(input, wanted);
    let Some(site) = again.failure_site.filter(|site| site.frames == frames_of(&applied.trace))
    else {
        return unknown("the instrumented run did not call what the first one called");
    };
    if again.host_error != applied.host_error {
        return unknown("the instrumented run did not end with the same error");
    }
    let names = given.as_ref().unwrap_or(&own);
    let stack = site.stack.unwrap_or_default();
    Ok(Location::Known(CodeLocation {
        contract: contract.to_string(),
        code_hash: hex(&code_hash),
        lines_from: match (names.has_lines(), given.is_some()) {
            (true, true) => Some("given_wasm"),
            (true, false) => Some("contract"),
            (false, _) => None,
        },
        frames: stack.iter().take(MOST_FRAMES).map(|frame| located(frame, names, &own)).collect(),
        frames_left_out: stack.len().saturating_sub(MOST_FRAMES),
    }))
}

fn located(frame: &CodeFrame, names: &DebugNames, own: &DebugNames) -> LocatedFrame {
    LocatedFrame {
        function_index: frame.function,
        function: names.function(frame.function).or_else(|| own.function(frame.function)),
        address: frame.at,
        sources: frame.at.map(|address| names.places(address)).unwrap_or_default(),
    }
}

/// The innermost call that failed.
fn failing_contract(root: &CallNode) -> Option<&str> {
    let mut node = root;
    while let Some(below) = node.calls.iter().rev().find(|call| call.failed) {
        node = below;
    }
    node.contract.as_deref().filter(|_| node.failed)
}

fn wasm_of<'a>(input: &'a Input, contract: &str) -> Option<([u8; 32], &'a [u8])> {
    let instance = LedgerKey::ContractData(LedgerKeyContractData {
        contract: ScAddress::Contract(ContractId::from_str(contract).ok()?),
        key: ScVal::LedgerKeyContractInstance,
        durability: ContractDataDurability::Persistent,
    });
    let LedgerEntryData::ContractData(data) =
        &input.state.get(&encode(&instance))?.value.entry.data
    else {
        return None;
    };
    let ScVal::ContractInstance(instance) = &data.val else { return None };
    let ContractExecutable::Wasm(hash) = &instance.executable else { return None };
    let key = LedgerKey::ContractCode(LedgerKeyContractCode { hash: hash.clone() });
    match &input.state.get(&encode(&key))?.value.entry.data {
        LedgerEntryData::ContractCode(code) => Some((hash.0, code.code.as_slice())),
        _ => None,
    }
}

/// Addresses and indexes mean the same in both when their code sections are the same bytes.
fn same_code<'a>(
    given: &'a [u8],
    own: &DebugNames,
    contract: &str,
) -> Result<DebugNames<'a>, WireError> {
    let given = DebugNames::read(given).map_err(|error| {
        WireError::new("BAD_REQUEST", format!("options.locate.wasm is no wasm: {error}"))
    })?;
    if given.code == own.code && given.imported_functions == own.imported_functions {
        return Ok(given);
    }
    let hash = |names: &DebugNames| hex(&sha256(names.code));
    let message = format!(
        "the code section of contract {contract} has the sha256 {}, that of the given wasm {}",
        hash(own),
        hash(&given)
    );
    Err(WireError::new("WASM_DIFFERS", message))
}

fn frames_of(trace: &[TraceStep]) -> Vec<TraceStepKind> {
    let kinds = trace.iter().map(|step| step.kind.clone());
    kinds.filter(|k| matches!(k, TraceStepKind::Push(_) | TraceStepKind::Pop { .. })).collect()
}
