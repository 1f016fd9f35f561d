// Stepping through a replay: `options.record`, the record in its response, and the requests about it
// that follow (`travel`).

use super::response::SourcePlace;
use serde::{Deserialize, Serialize};

/// `options.record`.
#[derive(Deserialize)]
pub struct RecordOption {
    /// Base64 of builds with debug information.
    #[serde(default)]
    pub wasm: Vec<String>,
}

#[derive(Serialize)]
pub struct TravelRecord {
    /// Moments are numbered from 0.
    pub moments: u64,
    /// Instructions of wasm that were run again.
    pub instructions: u64,
    /// What svc-sim keeps.
    pub bytes: usize,
    pub codes: Vec<RecordedCode>,
    pub frames: Vec<RecordedFrame>,
    /// Those that are of interest without stepping to them.
    pub calls: Vec<RecordedCall>,
}

#[derive(Serialize)]
pub struct RecordedCode {
    pub hash: String,
    /// Source files.
    pub files: Vec<String>,
    pub lines_from: Option<&'static str>,
}

#[derive(Serialize)]
pub struct RecordedFrame {
    /// `host`, `wasm` or `asset`.
    pub kind: &'static str,
    pub parent: Option<usize>,
    pub contract: Option<String>,
    pub function: String,
    /// The hash of its code, where that was run again.
    pub code: Option<String>,
    pub arguments_xdr: Vec<Option<String>>,
    pub result_xdr: Option<String>,
    pub failed: bool,
    /// How its code ended, when it did not return.
    pub trap: Option<&'static str>,
    /// Why its code cannot be stepped through.
    pub not_stepped: Option<String>,
    pub begins: u64,
    pub ends: u64,
    /// The moment before its last step.
    pub last_step: Option<u64>,
    #[serde(serialize_with = "decimal")]
    pub cpu_before: u64,
    #[serde(serialize_with = "decimal")]
    pub cpu_after: u64,
    #[serde(serialize_with = "decimal")]
    pub memory_before: u64,
    #[serde(serialize_with = "decimal")]
    pub memory_after: u64,
}

#[derive(Serialize)]
pub struct RecordedCall {
    pub frame: usize,
    /// The moment before it.
    pub moment: u64,
    pub function: &'static str,
    pub arguments_xdr: Vec<Option<String>>,
    /// Its value, or its error.
    pub result_xdr: Option<String>,
    pub failed: bool,
    /// The end of the call that failed, with which what this one did is undone.
    pub undone_at: Option<u64>,
    #[serde(serialize_with = "decimal")]
    pub cpu_before: u64,
    #[serde(serialize_with = "decimal")]
    pub cpu_after: u64,
    #[serde(serialize_with = "decimal")]
    pub memory_before: u64,
    #[serde(serialize_with = "decimal")]
    pub memory_after: u64,
}

/// Integers of 64 bits are decimal strings.
fn decimal<S: serde::Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Travel {
    Seek(SeekRequest),
    State {
        moment: u64,
    },
    Variables {
        moment: u64,
        frame: usize,
        /// 0: the innermost function.
        level: usize,
    },
    /// The variables of the source, where the code has debug information.
    SourceVariables {
        moment: u64,
        frame: usize,
        level: usize,
        /// 0: the innermost of the functions that are inlined there.
        inlined: usize,
    },
    Memory {
        moment: u64,
        frame: usize,
        offset: u64,
        count: usize,
    },
    /// A function's instructions.
    Disassembly {
        code: String,
        function: u32,
    },
    Functions {
        code: String,
    },
    /// Which addresses each line of the source has.
    Lines {
        code: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeekRequest {
    pub from: u64,
    pub backwards: bool,
    pub mode: Mode,
    /// Where the step began, if that is not `from`.
    pub origin: Option<u64>,
    /// Inlined functions that begin at the origin and are not entered.
    #[serde(default)]
    pub hidden: usize,
    /// Single instructions of wasm, not statements.
    #[serde(default)]
    pub instructions: bool,
    /// Steps stop in the code of libraries, too.
    #[serde(default)]
    pub all_code: bool,
    /// The next moment where it stops in any case.
    pub until: Option<u64>,
    #[serde(default)]
    pub break_at: Vec<Place>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Continue,
    Into,
    Over,
    Out,
}

/// An instruction.
#[derive(Deserialize, Serialize)]
pub struct Place {
    pub code: String,
    pub address: u32,
}

#[derive(Serialize)]
#[serde(untagged)]
pub enum Travelled {
    Seek { moment: u64, reason: &'static str, hidden: usize },
    State { frames: Vec<StackFrame> },
    Variables(Variables),
    SourceVariables { variables: Vec<SourceVariable> },
    Memory { bytes_base64: String, memory_bytes: usize },
    Disassembly { name: String, header: String, lines: Vec<DisassemblyLine> },
    Functions { functions: Vec<FunctionName> },
    Lines { rows: Vec<(u32, u32, u32)> },
}

/// A contract call that has begun and not ended; the innermost first.
#[derive(Serialize)]
pub struct StackFrame {
    pub frame: usize,
    /// `enter`, `steps` or `exit`.
    pub part: &'static str,
    /// The innermost first; empty where its code cannot be stepped through.
    pub functions: Vec<StackFunction>,
    /// The host call that is next.
    pub host_call: Option<RecordedCall>,
    /// Fuel of the frame so far, or none.
    pub fuel: Option<u64>,
    pub cpu: String,
    pub memory: String,
}

#[derive(Serialize)]
pub struct StackFunction {
    pub index: u32,
    pub name: String,
    pub address: u32,
    /// The innermost inlined function first.
    pub sources: Vec<SourcePlace>,
}

#[derive(Serialize)]
pub struct Variables {
    pub locals: Vec<WasmValue>,
    pub globals: Vec<WasmValue>,
    pub operands: Vec<WasmValue>,
}

#[derive(Serialize)]
pub struct WasmValue {
    #[serde(rename = "type")]
    pub of_type: &'static str,
    pub value: String,
    /// The ScVal that it is in the host's encoding.
    pub xdr: Option<String>,
}

/// A variable, or a part of the last one that is less deep.
#[derive(Serialize)]
pub struct SourceVariable {
    pub depth: usize,
    pub name: String,
    #[serde(rename = "type")]
    pub of_type: String,
    /// A number or a string; of what has parts: the name of its type. Null: not known here.
    pub value: Option<String>,
    /// The ScVal that it is in the host's encoding.
    pub xdr: Option<String>,
    /// Where it is in memory.
    pub address: Option<u32>,
}

#[derive(Serialize)]
pub struct DisassemblyLine {
    pub address: u32,
    pub text: String,
}

#[derive(Serialize)]
pub struct FunctionName {
    pub index: u32,
    pub name: String,
    pub exported: Option<String>,
    /// Its first instruction, and the end of its last one.
    pub address: u32,
    pub end: u32,
}
