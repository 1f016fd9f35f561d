// The messages for stepping through a replay: `options.record`, the record in its response, and the
// requests about it that follow (`travel`).

use super::response::SourcePlace;
use serde::{Deserialize, Serialize};

/// The option `options.record`.
#[derive(Deserialize)]
pub struct RecordOption {
    /// Builds with debug information, in base64.
    #[serde(default)]
    pub wasm: Vec<String>,
}

#[derive(Serialize)]
pub struct TravelRecord {
    /// The number of moments. Moments are numbered from 0.
    pub moments: u64,
    /// The number of wasm instructions that ran again.
    pub instructions: u64,
    /// The bytes of memory that svc-sim keeps.
    pub bytes: usize,
    pub codes: Vec<RecordedCode>,
    pub frames: Vec<RecordedFrame>,
    /// The host calls that are of interest without stepping to them.
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
    /// The hash of its code, if the code ran again.
    pub code: Option<String>,
    pub arguments_xdr: Vec<Option<String>>,
    pub result_xdr: Option<String>,
    pub failed: bool,
    /// The trap of its code, if it did not return.
    pub trap: Option<&'static str>,
    /// The reason why its code cannot be stepped through.
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
    /// The moment before the call.
    pub moment: u64,
    pub function: &'static str,
    pub arguments_xdr: Vec<Option<String>>,
    /// The value or the error of the call.
    pub result_xdr: Option<String>,
    pub failed: bool,
    /// The end of the failed call that undoes this one.
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

/// Writes a 64-bit integer as a decimal string.
fn decimal_if_any<S: serde::Serializer>(
    number: &Option<i64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&number.unwrap_or_default())
}

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
        /// 0 for the innermost function.
        level: usize,
    },
    /// The source variables, if the code has debug information.
    SourceVariables {
        moment: u64,
        frame: usize,
        level: usize,
        /// 0 for the innermost of the functions that are inlined there.
        inlined: usize,
    },
    Memory {
        moment: u64,
        frame: usize,
        offset: u64,
        count: usize,
    },
    /// The instructions of a function.
    Disassembly {
        code: String,
        function: u32,
    },
    Functions {
        code: String,
    },
    /// The addresses of each source line.
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
    /// The moment at which the step began, if it is not `from`.
    pub origin: Option<u64>,
    /// The number of inlined functions that begin at the origin and are not entered.
    #[serde(default)]
    pub hidden: usize,
    /// Steps by wasm instructions instead of statements.
    #[serde(default)]
    pub instructions: bool,
    /// Lets steps also stop in library code.
    #[serde(default)]
    pub all_code: bool,
    /// The next moment at which the step always stops.
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

/// A contract call that has begun and not ended. The list has the innermost first.
#[derive(Serialize)]
pub struct StackFrame {
    pub frame: usize,
    /// `enter`, `steps` or `exit`.
    pub part: &'static str,
    /// The functions, the innermost first. Empty if the code cannot be stepped through.
    pub functions: Vec<StackFunction>,
    /// The next host call.
    pub host_call: Option<RecordedCall>,
    /// The frame's fuel so far, if known.
    pub fuel: Option<u64>,
    pub cpu: String,
    pub memory: String,
}

#[derive(Serialize)]
pub struct StackFunction {
    pub index: u32,
    pub name: String,
    pub address: u32,
    /// The source places, the innermost inlined function first.
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
    /// The ScVal, if the value is in the host's encoding.
    pub xdr: Option<String>,
}

/// A variable, or a part of the last one with a smaller depth.
#[derive(Serialize)]
pub struct SourceVariable {
    pub depth: usize,
    pub name: String,
    #[serde(rename = "type")]
    pub of_type: String,
    /// A number or a string. For a value with parts, the name of its type. Null if unknown here.
    pub value: Option<String>,
    /// The ScVal, if the value is in the host's encoding.
    pub xdr: Option<String>,
    /// The address in memory.
    pub address: Option<u32>,
}

#[derive(Serialize)]
pub struct DisassemblyLine {
    pub address: u32,
    pub text: String,
    /// As in the text: `local.set`.
    pub opcode: String,
    /// The local, the global, the function or the label that the instruction names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The number that a constant pushes.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "decimal_if_any")]
    pub constant: Option<i64>,
}

#[derive(Serialize)]
pub struct FunctionName {
    pub index: u32,
    pub name: String,
    pub exported: Option<String>,
    /// The addresses of the first instruction and after the last one.
    pub address: u32,
    pub end: u32,
}
