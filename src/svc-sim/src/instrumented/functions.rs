// Finds the functions of the contracts' wasm that made the calls of a profile and ran its
// instructions. wasmi does not report functions, so the transaction runs once more with the code of
// all its contracts instrumented. Only shares come from that run: what they divide is what the
// replay was charged.

use super::{debug_names::DebugNames, instrument::Instrumentation, read_given};
use crate::{
    apply::{self, Applied, Instrumented, Wanted},
    error::{Error, ErrorCode},
    hosts::{
        marks::{MarkedFunction, MarkedRun, MarkingInput, Until, NO_FUNCTION},
        trace::TraceStepKind,
    },
    input::Input,
    xdr_codec::hex,
};
use std::collections::BTreeMap;

/// Frames and host calls are numbered in the order in which they began.
pub struct FunctionFrames {
    run: MarkedRun,
    names: BTreeMap<MarkedFunction, String>,
}

/// The functions, and the reason where some or all of them are unknown.
pub struct Functions {
    pub frames: Option<FunctionFrames>,
    pub reason: Option<String>,
}

impl FunctionFrames {
    /// The functions that were running when the host call was made, the outermost first.
    pub fn callers(&self, host_call: usize) -> Vec<String> {
        self.names_of(self.run.callers.get(host_call).copied().unwrap_or(NO_FUNCTION))
    }

    /// Stacks of functions, each with its weight among the wasm instructions of the frame.
    pub fn shares(&self, frame: usize) -> Vec<(Vec<String>, u64)> {
        let shares = self.run.shares.get(frame).into_iter().flatten();
        let some = shares.filter(|(_, weight)| **weight > 0);
        some.map(|(stack, weight)| (self.names_of(*stack), *weight)).collect()
    }

    fn names_of(&self, mut stack: usize) -> Vec<String> {
        let mut names = vec![];
        while stack != NO_FUNCTION {
            let top = &self.run.stacks[stack];
            names.push(self.names.get(&top.function).cloned().unwrap_or_default());
            stack = top.below;
        }
        names.reverse();
        names
    }
}

/// `applied` has a profile's trace. `given` is wasm with names, of the same code as one of the
/// contracts.
///
/// # Errors
/// `WASM_DIFFERS` when no contract has the code of the given wasm; `BAD_REQUEST` when it is not
/// wasm.
pub fn find(input: &Input, applied: &Applied, given: Option<&[u8]>) -> Result<Functions, Error> {
    let given = given.map(|wasm| read_given(wasm, "options.functions.wasm")).transpose()?;
    let mut instrumentation = Instrumentation::new();
    let mut names: Vec<DebugNames> = vec![];
    let mut reasons = vec![];
    let keys = input.transaction.footprint_keys();
    for (hash, wasm) in keys.filter_map(|key| input.state.code(key)) {
        let added = DebugNames::read(wasm).and_then(|own| {
            instrumentation.add(wasm, hash, None).map_err(|error| error.0)?;
            Ok(own)
        });
        match added {
            Ok(own) => names.push(own),
            Err(reason) => reasons.push(format!("code {}: {reason}", hex(&hash))),
        }
    }
    if given.as_ref().is_some_and(|given| !names.iter().any(|own| given.is_of_same_code(own))) {
        let message = "no contract of this transaction has the code section of the given wasm";
        return Err(Error::new(ErrorCode::WasmDiffers, message));
    }
    let run = match run(input, applied, &instrumentation) {
        Ok(run) => run,
        Err(reason) => return Ok(Functions { frames: None, reason: Some(reason.into()) }),
    };
    let functions = run.stacks.iter().skip(1).map(|stack| stack.function);
    let names = functions.map(|function| {
        let own = &names[function.code as usize];
        let known = name(function, own, given.as_ref());
        // The same index in two contracts is two functions.
        let unnamed = || {
            let hash = &instrumentation.codes[function.code as usize].hash;
            format!("func[{}]@{}", function.index, hex(&hash[..4]))
        };
        // The prefix keeps a function's name apart from those of host functions and cost types.
        (function, format!("wasm:{}", known.unwrap_or_else(unnamed)))
    });
    let names = names.collect();
    let reason = (!reasons.is_empty()).then(|| reasons.join("; "));
    Ok(Functions { frames: Some(FunctionFrames { run, names }), reason })
}

fn run(
    input: &Input,
    applied: &Applied,
    code: &Instrumentation,
) -> Result<MarkedRun, &'static str> {
    if code.codes.is_empty() {
        return Err("no contract with wasm ran");
    }
    let steps = calls_of(applied.trace.iter().map(|step| &step.kind));
    // A limit ended the replay. The instrumented run has no limits, so it ends where the replay
    // did.
    let cut_short = applied.host_error.as_ref().is_some_and(|error| error.kind == "Budget");
    let until = Until {
        host_calls: steps.iter().filter(|kind| matches!(kind, TraceStepKind::HostCall(_))).count(),
        wasm_instructions: wasm_instructions(applied),
    };
    let marking = MarkingInput { secret: code.secret, until: cut_short.then_some(until) };
    let instrumented = Instrumented { codes: &code.codes, marking };
    let again =
        apply::apply(input, Wanted { instrumented: Some(instrumented), ..Wanted::nothing() });
    let marked = again.marked.ok_or("the instrumented run did not reach the contract host")?;
    let marked_steps = calls_of(&marked.steps);
    let same_calls = match cut_short {
        true => marked_steps.starts_with(without_end(&steps)),
        false => marked_steps == steps && again.host_error == applied.host_error,
    };
    if !same_calls {
        return Err("the instrumented run did not make the calls of the replay");
    }
    if !ran_the_same(&marked, until.wasm_instructions) {
        return Err("the instrumented run did not run the instructions of the replay");
    }
    Ok(marked)
}

/// The instructions of the marks are known, so the rest are the contracts' own. All of them must
/// agree.
fn ran_the_same(marked: &MarkedRun, wasm_instructions: u64) -> bool {
    marked.shares.iter().flat_map(BTreeMap::values).sum::<u64>() == wasm_instructions
}

fn calls_of<'a>(kinds: impl IntoIterator<Item = &'a TraceStepKind>) -> Vec<&'a TraceStepKind> {
    use TraceStepKind::{HostCall, Pop, Push};
    kinds.into_iter().filter(|kind| matches!(kind, Push(_) | Pop { .. } | HostCall(_))).collect()
}

/// Without the ends of frames that the limit caused.
fn without_end<'a, 'b>(steps: &'b [&'a TraceStepKind]) -> &'b [&'a TraceStepKind] {
    let went_on = steps.iter().rposition(|kind| !matches!(kind, TraceStepKind::Pop { ok: false }));
    &steps[..went_on.map_or(0, |last| last + 1)]
}

fn wasm_instructions(applied: &Applied) -> u64 {
    let wasm = applied.costs.iter().find(|cost| cost.cost_type == "WasmInsnExec");
    wasm.map_or(0, |cost| cost.iterations)
}

fn name<'a>(
    function: MarkedFunction,
    own: &DebugNames<'a>,
    given: Option<&DebugNames<'a>>,
) -> Option<String> {
    let given = given.filter(|given| given.is_of_same_code(own));
    given.into_iter().chain([own]).find_map(|names| names.function(function.index))
}
