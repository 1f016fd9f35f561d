// The marks of instrumented code. They are calls of the host's log that instrumented/instrument.rs
// adds to contracts' code. Here is also what a run with them shows, once `mark_hook.rs` has read
// them.

use super::trace::TraceStepKind;
use std::collections::BTreeMap;

/// The first argument of a mark is its kind, the second a function or an address. Addresses are
/// those of DWARF for wasm: offsets from the start of the code section's content.
pub mod mark {
    /// A function begins.
    pub const ENTER: u32 = 1;
    /// What comes next may not return.
    pub const AT: u32 = 2;
    /// It returned.
    pub const BACK: u32 = 3;
}

/// What a mark adds to the wasm instructions that the host counts: a loop, four constants, a call
/// and a drop, by the costs that every host gives wasmi (`load_calibrated_fuel_costs`: base 1, call
/// 67).
pub const FUEL_PER_MARK: u64 = 1 + 4 + 67 + 1;

/// wasmparser accepts up to a million functions.
const FUNCTION_BITS: u32 = 20;
pub const MAX_CODES: u32 = 1 << (32 - FUNCTION_BITS);

/// A function of one of the codes that are instrumented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkedFunction {
    pub code: u32,
    /// In wasm's function index space.
    pub index: u32,
}

impl MarkedFunction {
    pub fn to_mark(self) -> u32 {
        (self.code << FUNCTION_BITS) | self.index
    }

    pub fn from_mark(value: u32) -> MarkedFunction {
        MarkedFunction { code: value >> FUNCTION_BITS, index: value & ((1 << FUNCTION_BITS) - 1) }
    }
}

/// How marks are recognised, and when the run ends.
#[derive(Clone, Copy, Debug)]
pub struct MarkingInput {
    /// In every mark, and known to no contract.
    pub secret: [u32; 2],
    /// `None`: at its own end.
    pub until: Option<Until>,
}

/// How far another run came before a limit ended it.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    pub host_calls: usize,
    pub wasm_instructions: u64,
}

/// What the marks of a run showed.
pub struct MarkedRun {
    /// Every frame's push and pop, and every host call but the marks.
    pub steps: Vec<TraceStepKind>,
    /// Where it failed, the innermost function first; `None` when no contract call failed. Empty
    /// where the failing contract's code was not instrumented.
    pub failed_at: Option<Vec<CodeFrame>>,
    /// Stacks of functions of instrumented code; the one at `NO_FUNCTION` is empty.
    pub stacks: Vec<FunctionStack>,
    /// For each frame, in the order of their pushes: the wasm instructions of each stack.
    pub shares: Vec<BTreeMap<usize, u64>>,
    /// For each host call, in order: the stack that made it.
    pub callers: Vec<usize>,
}

/// The stack of code that is not instrumented, or has not begun.
pub const NO_FUNCTION: usize = 0;

/// A function on top of another stack.
pub struct FunctionStack {
    pub below: usize,
    pub function: MarkedFunction,
    pub depth: u32,
}

impl Default for MarkedRun {
    fn default() -> Self {
        let none = MarkedFunction { code: 0, index: 0 };
        MarkedRun {
            steps: vec![],
            failed_at: None,
            stacks: vec![FunctionStack { below: NO_FUNCTION, function: none, depth: 0 }],
            shares: vec![],
            callers: vec![],
        }
    }
}

/// A function of a contract's code that began and did not end.
#[derive(Clone, Copy)]
pub struct CodeFrame {
    pub function: MarkedFunction,
    /// Its address, from the start of the code section's content; `None` between two marks.
    pub at: Option<u32>,
}
