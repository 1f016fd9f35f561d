// Reads the marks of instrumented code (instrumented/instrument.rs) while it runs. They are calls
// of the host's log, and show the stack of functions. The stack at the time a call fails is where
// it failed; the wasm that is charged between two marks was run by the function on top of the
// stack.

use super::soroban_env_host::{
    budget::AsBudget,
    xdr::{ContractCostType, ScErrorCode, ScErrorType},
    Error, Host, HostError, TraceEvent, TraceHook,
};
use crate::hosts::{
    marks::{
        mark, CodeFrame, FunctionStack, MarkedFunction, MarkedRun, MarkingInput, Until,
        FUEL_PER_MARK, NO_FUNCTION,
    },
    trace::TraceStepKind,
    traced_text,
};
use std::{cell::RefCell, collections::HashMap, rc::Rc};

/// About eight seconds of marks. No functions are known of a contract that needs more.
pub const MAX_MARKS: usize = 4_000_000;
/// The stack of wasm itself ends long before.
const MAX_DEPTH: usize = 100_000;
/// A function counts as its caller when its stack is deeper, or new while there are this many.
const MAX_STACK_DEPTH: u32 = 100;
const MAX_STACKS: usize = 20_000;

#[derive(Default)]
pub struct Marks {
    /// For each open contract frame, the functions that have begun and not ended.
    open: Vec<OpenFrame>,
    marks: usize,
    /// The kind and value of a mark whose call of the log has not returned.
    in_mark: Option<(u32, u32)>,
    until: Option<Until>,
    /// The wasm instructions that the host has counted.
    counted: u64,
    /// The same without those of marks.
    shared_out: u64,
    known_stacks: HashMap<(usize, MarkedFunction), usize>,
    run: MarkedRun,
}

struct OpenFrame {
    /// Its number in the order of all pushes.
    index: usize,
    functions: Vec<OpenFunction>,
}

struct OpenFunction {
    frame: CodeFrame,
    stack: usize,
}

impl Marks {
    pub fn new(input: Option<MarkingInput>) -> Marks {
        Marks { until: input.and_then(|input| input.until), ..Marks::default() }
    }

    /// Charges the wasm since the last count to the function on top of the stack. The host counts
    /// it late: when a host call has begun, or the frame ends. `by_marks` is the part that marks
    /// ran.
    fn count(&mut self, counted: u64, by_marks: u64) {
        let new = (counted - self.counted).saturating_sub(by_marks);
        self.counted = counted;
        let instructions = match self.until {
            Some(until) if self.has_called_all(until) => {
                new.min(until.wasm_instructions.saturating_sub(self.shared_out))
            }
            _ => new,
        };
        self.shared_out += instructions;
        if let Some(frame) = self.open.last() {
            let shares = &mut self.run.shares[frame.index];
            *shares.entry(frame.stack()).or_default() += instructions;
        }
    }

    /// Handles a mark whose call has returned; false when there are too many marks.
    fn mark(&mut self, (kind, value): (u32, u32), counted: u64) -> bool {
        self.marks += 1;
        self.forget_failure();
        if kind == mark::ENTER {
            self.enter(MarkedFunction::from_mark(value));
        }
        // Counted before the stack changes, because a function's last instructions are its own.
        self.count(counted, FUEL_PER_MARK);
        if let Some(OpenFrame { functions, .. }) = self.open.last_mut() {
            if kind == mark::BACK {
                while functions.last().is_some_and(|open| open.frame.at != Some(value)) {
                    functions.pop();
                }
            }
            if let Some(OpenFunction { frame, .. }) = functions.last_mut() {
                frame.at = (kind == mark::AT).then_some(value);
            }
        }
        self.marks <= MAX_MARKS
    }

    fn enter(&mut self, function: MarkedFunction) {
        let Some(frame) = self.open.last() else { return };
        if frame.functions.len() >= MAX_DEPTH {
            return;
        }
        let stack = self.stack_on(frame.stack(), function);
        if let Some(frame) = self.open.last_mut() {
            frame.functions.push(OpenFunction { frame: CodeFrame { function, at: None }, stack });
        }
    }

    fn stack_on(&mut self, below: usize, function: MarkedFunction) -> usize {
        if let Some(known) = self.known_stacks.get(&(below, function)) {
            return *known;
        }
        let depth = self.run.stacks.get(below).map_or(0, |stack| stack.depth) + 1;
        if depth > MAX_STACK_DEPTH || self.run.stacks.len() >= MAX_STACKS {
            return below;
        }
        self.run.stacks.push(FunctionStack { below, function, depth });
        let new = self.run.stacks.len() - 1;
        self.known_stacks.insert((below, function), new);
        new
    }

    fn host_call(&mut self, name: &'static str) {
        self.forget_failure();
        self.run.steps.push(TraceStepKind::HostCall(name));
        self.run.callers.push(self.open.last().map_or(NO_FUNCTION, OpenFrame::stack));
    }

    fn push(&mut self, label: String) {
        self.forget_failure();
        self.run.steps.push(TraceStepKind::Push(label));
        self.open.push(OpenFrame { index: self.run.shares.len(), functions: vec![] });
        self.run.shares.push(Default::default());
    }

    fn pop(&mut self, ok: bool) {
        self.run.steps.push(TraceStepKind::Pop { ok });
        let functions = self.open.pop().map(|frame| frame.functions).unwrap_or_default();
        match ok {
            true => self.forget_failure(),
            // The frames that called it fail with it.
            false if self.run.failed_at.is_none() => {
                let stack = functions.into_iter().rev().map(|open| open.frame);
                self.run.failed_at = Some(stack.collect());
            }
            false => {}
        }
    }

    /// The failure was caught.
    fn forget_failure(&mut self) {
        self.run.failed_at = None;
    }

    /// Whether the run has come as far as the run that it is compared with.
    fn is_past(&self) -> bool {
        self.until.is_some_and(|until| {
            self.has_called_all(until) && self.shared_out >= until.wasm_instructions
        })
    }

    fn has_called_all(&self, until: Until) -> bool {
        self.run.callers.len() >= until.host_calls
    }

    pub fn finish(self) -> MarkedRun {
        self.run
    }
}

impl OpenFrame {
    fn stack(&self) -> usize {
        self.functions.last().map_or(NO_FUNCTION, |function| function.stack)
    }
}

pub fn mark_hook(marks: Rc<RefCell<Marks>>, input: MarkingInput) -> TraceHook {
    Rc::new(move |host: &Host, event: TraceEvent| {
        let mut marks = marks.borrow_mut();
        let tracker = host.as_budget().get_tracker(ContractCostType::WasmInsnExec);
        let counted = tracker.map_or(0, |tracker| tracker.iterations);
        if let Some(mark) = marks.in_mark {
            if matches!(event, TraceEvent::EnvRet(..)) {
                marks.in_mark = None;
                if !marks.mark(mark, counted) || marks.is_past() {
                    return Err(stopped());
                }
            }
            return Ok(());
        }
        marks.count(counted, 0);
        match &event {
            TraceEvent::EnvCall(name, arguments) => match mark_of(name, arguments, &input) {
                Some(mark) => marks.in_mark = Some(mark),
                None => marks.host_call(name),
            },
            TraceEvent::EnvRet(_, Ok(_)) => marks.forget_failure(),
            TraceEvent::PushCtx(..) => {
                marks.push(traced_text::frame_label(&event.to_string()));
            }
            TraceEvent::PopCtx(..) => marks.pop(traced_text::frame_succeeded(&event.to_string())),
            _ => {}
        }
        Ok(())
    })
}

fn stopped() -> HostError {
    Error::from_type_and_code(ScErrorType::Budget, ScErrorCode::ExceededLimit).into()
}

/// The kind and value of a mark; `None` when the call is not a mark.
fn mark_of(
    name: &str,
    arguments: &[&dyn std::fmt::Debug],
    input: &MarkingInput,
) -> Option<(u32, u32)> {
    if name != "log_from_linear_memory" {
        return None;
    }
    let numbers: Vec<u32> = arguments.iter().filter_map(|v| number(&format!("{v:?}"))).collect();
    match numbers[..] {
        [kind, value, first, second] if [first, second] == input.secret => Some((kind, value)),
        _ => None,
    }
}

/// `U32(7)`, the host's own text for a U32Val.
fn number(text: &str) -> Option<u32> {
    text.strip_prefix("U32(")?.strip_suffix(')')?.parse().ok()
}
