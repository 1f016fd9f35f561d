// Finds where in a contract's code a transaction failed. wasmi does not report it, so the
// transaction runs once more with instrumented code in place of the contract's. A location is
// reported only when that run failed in the same way.

use super::{debug_names::DebugNames, instrument::Instrumentation, is_frame, read_given};
use crate::{
    apply::{self, Applied, AppliedOutcome, Instrumented, Wanted},
    error::{Error, ErrorCode},
    hosts::marks::{CodeFrame, MarkedRun, MarkingInput},
    input::Input,
    wire::response::{CallNode, CodeLocation, LocatedFrame, Location},
    xdr_codec::{hex, sha256},
};

/// A report is read by people, and recursion can be deep.
const MAX_FRAMES: usize = 64;

/// `given` is wasm with debug information, of the same code as the contract's.
///
/// # Errors
/// `WASM_DIFFERS` when the code of the given wasm is not the contract's; `BAD_REQUEST` when it is
/// not wasm.
pub fn locate(
    input: &Input,
    applied: &Applied,
    tree: Option<&CallNode>,
    given: Option<&[u8]>,
) -> Result<Location, Error> {
    let unknown = |reason: &str| Ok(Location::Unknown { reason: reason.into() });
    if !matches!(applied.outcome, AppliedOutcome::Failed(_)) || applied.host_error.is_none() {
        return unknown("the transaction did not fail in the contract host");
    }
    let Some(contract) = tree.and_then(failing_contract) else {
        return unknown("no contract call failed");
    };
    let Some((code_hash, wasm)) = input.state.code_of(contract) else {
        return unknown("the failing contract has no wasm in the footprint");
    };
    let own = match DebugNames::read(wasm) {
        Ok(own) => own,
        Err(error) => return unknown(&format!("the contract's wasm cannot be read: {error}")),
    };
    let given = given.map(|wasm| given_for(wasm, &own, contract)).transpose()?;
    let failed_at = match run_instrumented(input, applied, (wasm, code_hash)) {
        Ok(failed_at) => failed_at,
        Err(reason) => return unknown(&reason),
    };
    let names = given.as_ref().unwrap_or(&own);
    Ok(Location::Known(CodeLocation {
        contract: contract.to_string(),
        code_hash: hex(&code_hash),
        lines_from: match (names.has_lines(), given.is_some()) {
            (true, true) => Some("given_wasm"),
            (true, false) => Some("contract"),
            (false, _) => None,
        },
        frames: failed_at
            .iter()
            .take(MAX_FRAMES)
            .map(|frame| located(frame, names, &own))
            .collect(),
        frames_left_out: failed_at.len().saturating_sub(MAX_FRAMES),
    }))
}

/// The innermost function first. When that function failed between two marks, a second run marks
/// its accesses to memory too.
fn run_instrumented(
    input: &Input,
    applied: &Applied,
    code: (&[u8], [u8; 32]),
) -> Result<Vec<CodeFrame>, String> {
    let failed_at = run_marked(input, applied, code, None)?;
    match failed_at.first() {
        Some(CodeFrame { function, at: None }) => {
            Ok(run_marked(input, applied, code, Some(function.index)).unwrap_or(failed_at))
        }
        _ => Ok(failed_at),
    }
}

fn run_marked(
    input: &Input,
    applied: &Applied,
    (wasm, code_hash): (&[u8], [u8; 32]),
    memory_of: Option<u32>,
) -> Result<Vec<CodeFrame>, String> {
    let mut code = Instrumentation::new();
    code.add(wasm, code_hash, memory_of)
        .map_err(|error| format!("the contract's code: {}", error.0))?;
    let marking = MarkingInput { secret: code.secret, until: None };
    let run = Instrumented { codes: &code.codes, marking };
    let again = apply::apply(input, Wanted { instrumented: Some(run), ..Wanted::nothing() });
    let frames = applied.trace.iter().map(|step| &step.kind).filter(is_frame);
    let same_calls = |run: &MarkedRun| run.steps.iter().filter(is_frame).eq(frames.clone());
    let Some(run) = again.marked.filter(same_calls) else {
        return Err("the instrumented run did not make the calls of the replay".into());
    };
    if again.host_error != applied.host_error {
        return Err("the instrumented run did not end with the same error".into());
    }
    Ok(run.failed_at.unwrap_or_default())
}

fn located(frame: &CodeFrame, names: &DebugNames, own: &DebugNames) -> LocatedFrame {
    LocatedFrame {
        function_index: frame.function.index,
        function: names
            .function(frame.function.index)
            .or_else(|| own.function(frame.function.index)),
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

fn given_for<'a>(
    given: &'a [u8],
    own: &DebugNames,
    contract: &str,
) -> Result<DebugNames<'a>, Error> {
    let given = read_given(given, "options.locate.wasm")?;
    if given.is_of_same_code(own) {
        return Ok(given);
    }
    let hash = |names: &DebugNames| hex(&sha256(names.code));
    let message = format!(
        "the code section of contract {contract} has SHA-256 {}, and that of the given wasm {}",
        hash(own),
        hash(&given)
    );
    Err(Error::new(ErrorCode::WasmDiffers, message))
}
