// Which functions of the contracts' wasm made the calls of a profile and ran its instructions. wasmi
// tells no function, so the transaction runs once more with all its contracts' code instrumented. Only
// shares come from that run: what is shared out is what the replay itself was charged.

use super::{debug_names::DebugNames, instrument::Instrumentation, read_given};
use crate::{
    apply::{self, Applied, Instrumented, Wanted},
    error::{Error, ErrorCode},
    hosts::{
        marks::{MarkedFunction, MarkedRun, MarkingInput, Until, NO_FUNCTION},
        trace::TraceStepKind,
    },
    input::Input,
    xdr_codec::{
        encode, hex,
        xdr::{LedgerEntryData, LedgerKey},
    },
};
use std::collections::BTreeMap;

/// By the profile's frames and host calls, both counted in the order in which they began.
pub struct FunctionFrames {
    run: MarkedRun,
    names: BTreeMap<MarkedFunction, String>,
}

/// What could be told, and why the rest was not.
pub struct Functions {
    pub frames: Option<FunctionFrames>,
    pub untold: Option<String>,
}

impl FunctionFrames {
    /// Of the functions that were running when the host call was made, the outermost first.
    pub fn callers(&self, host_call: usize) -> Vec<String> {
        self.names_of(self.run.callers.get(host_call).copied().unwrap_or(NO_FUNCTION))
    }

    /// Of a frame's own wasm instructions: stacks of functions, and the weight of each.
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

/// `applied`: profiled. `given`: wasm with names, of the same code as one of the contracts'.
///
/// # Errors
/// `WASM_DIFFERS` when the given wasm's code is no contract's; `BAD_REQUEST` when it is no wasm.
pub fn find(input: &Input, applied: &Applied, given: Option<&[u8]>) -> Result<Functions, Error> {
    let given = given.map(|wasm| read_given(wasm, "options.functions.wasm")).transpose()?;
    let mut instrumentation = Instrumentation::new();
    let mut names: Vec<DebugNames> = vec![];
    let mut untold = vec![];
    for (hash, wasm) in codes(input) {
        let added = DebugNames::read(wasm).and_then(|own| {
            instrumentation.add(wasm, hash, None).map_err(|error| error.0)?;
            Ok(own)
        });
        match added {
            Ok(own) => names.push(own),
            Err(reason) => untold.push(format!("code {}: {reason}", hex(&hash))),
        }
    }
    if given.as_ref().is_some_and(|given| !names.iter().any(|own| given.is_of_same_code(own))) {
        let message = "the given wasm's code section is that of no contract of this transaction";
        return Err(Error::new(ErrorCode::WasmDiffers, message));
    }
    let run = match run(input, applied, &instrumentation) {
        Ok(run) => run,
        Err(reason) => return Ok(Functions { frames: None, untold: Some(reason.into()) }),
    };
    let functions = run.stacks.iter().skip(1).map(|stack| stack.function);
    let names = functions.map(|function| {
        let own = &names[function.code as usize];
        let known = name(function, own, given.as_ref());
        // Two contracts' twelfth functions are not one.
        let unnamed = || {
            let hash = &instrumentation.codes[function.code as usize].hash;
            format!("func[{}]@{}", function.index, hex(&hash[..4]))
        };
        // Marked as wasm's, so that no function's name passes for a host function's or a cost type's.
        (function, format!("wasm:{}", known.unwrap_or_else(unnamed)))
    });
    let names = names.collect();
    let untold = (!untold.is_empty()).then(|| untold.join("; "));
    Ok(Functions { frames: Some(FunctionFrames { run, names }), untold })
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
    // Limits ended it; the instrumented run has none, and ends where this one did.
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
        return Err("the instrumented run did not call what the replay called");
    }
    if !ran_the_same(&marked, until.wasm_instructions) {
        return Err("the instrumented run did not run the instructions that the replay ran");
    }
    Ok(marked)
}

/// The marks' own instructions are known, so what is left are the contracts', to the last one.
fn ran_the_same(marked: &MarkedRun, wasm_instructions: u64) -> bool {
    marked.shares.iter().flat_map(BTreeMap::values).sum::<u64>() == wasm_instructions
}

fn calls_of<'a>(kinds: impl IntoIterator<Item = &'a TraceStepKind>) -> Vec<&'a TraceStepKind> {
    use TraceStepKind::{HostCall, Pop, Push};
    kinds.into_iter().filter(|kind| matches!(kind, Push(_) | Pop { .. } | HostCall(_))).collect()
}

/// Without the frames' ends that the limit brought.
fn without_end<'a, 'b>(steps: &'b [&'a TraceStepKind]) -> &'b [&'a TraceStepKind] {
    let went_on = steps.iter().rposition(|kind| !matches!(kind, TraceStepKind::Pop { ok: false }));
    &steps[..went_on.map_or(0, |last| last + 1)]
}

fn wasm_instructions(applied: &Applied) -> u64 {
    let wasm = applied.costs.iter().find(|cost| cost.cost_type == "WasmInsnExec");
    wasm.and_then(|cost| cost.iterations.parse().ok()).unwrap_or(0)
}

/// The footprint's contract code, where it exists.
fn codes(input: &Input) -> impl Iterator<Item = ([u8; 32], &[u8])> {
    let footprint = &input.transaction.soroban.resources.footprint;
    let keys = footprint.read_only.iter().chain(footprint.read_write.iter());
    let keys = keys.filter(|key| matches!(key, LedgerKey::ContractCode(_)));
    keys.filter_map(|key| match &input.state.get(&encode(key))?.value.entry.data {
        LedgerEntryData::ContractCode(code) => Some((code.hash.0, code.code.as_slice())),
        _ => None,
    })
}

fn name<'a>(
    function: MarkedFunction,
    own: &DebugNames<'a>,
    given: Option<&DebugNames<'a>>,
) -> Option<String> {
    let given = given.filter(|given| given.is_of_same_code(own));
    given.into_iter().chain([own]).find_map(|names| names.function(function.index))
}
