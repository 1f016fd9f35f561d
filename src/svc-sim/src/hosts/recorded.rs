// The record that `record_hook.rs` makes of a run: its frames and host calls, with their values in
// the host's own form, so that a contract's code can be run again without the host.

use super::payloads;
use std::collections::HashMap;

/// Host calls that every session shows. The others are read when they are needed.
pub const NOTABLE: [&str; 19] = [
    "put_contract_data",
    "get_contract_data",
    "has_contract_data",
    "del_contract_data",
    "extend_contract_data_ttl",
    "contract_event",
    "call",
    "try_call",
    "require_auth",
    "require_auth_for_args",
    "authorize_as_curr_contract",
    "create_contract",
    "create_contract_with_constructor",
    "create_asset_contract",
    "create_external_ref_contract",
    "upload_wasm",
    "update_current_contract_wasm",
    "update_current_contract_executable_ref",
    "fail_with_error",
];

/// Host functions that write the content of their first argument to the memory of the code.
pub const WRITES_MEMORY: [&str; 6] = [
    "bytes_copy_to_linear_memory",
    "string_copy_to_linear_memory",
    "symbol_copy_to_linear_memory",
    "vec_unpack_to_linear_memory",
    "map_unpack_to_linear_memory",
    "sparse_map_unpack_to_linear_memory",
];

/// A value as the host's text shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RecordedValue {
    /// The payload of a `Val` that is not an object.
    Small(u64),
    /// A bare number of 64 bits.
    Number(u64),
    /// An object; objects never change.
    Object { tag: u8, handle: u32 },
    /// Another name, such as that of a storage type.
    Word(String),
    #[default]
    Unknown,
}

pub enum RecordedKind {
    /// The host's text for the frame.
    Push(String),
    Pop {
        ok: bool,
    },
    HostCall(&'static str),
    HostReturn {
        ok: bool,
    },
}

pub struct RecordedStep {
    pub kind: RecordedKind,
    pub cpu_instructions: u64,
    pub memory_bytes: u64,
    /// The wasm fuel so far, and its cost. Both are counted late, after the next host call has
    /// begun.
    pub fuel: u64,
    pub wasm_instructions: u64,
    /// The arguments, or the one result or error.
    pub values: Vec<RecordedValue>,
}

#[derive(Default)]
pub struct RecordedRun {
    pub steps: Vec<RecordedStep>,
    /// ScVal XDR by handle, without values that are too large.
    pub objects: HashMap<u32, Vec<u8>>,
    /// True if the run has more steps than are recorded.
    pub cut: bool,
}

impl RecordedRun {
    /// ScVal XDR. `None` if it is unknown.
    pub fn xdr(&self, value: &RecordedValue) -> Option<Vec<u8>> {
        match value {
            RecordedValue::Small(payload) => payloads::small_xdr(*payload),
            RecordedValue::Number(number) => payloads::number_xdr(*number),
            RecordedValue::Object { handle, .. } => self.objects.get(handle).cloned(),
            RecordedValue::Word(word) => payloads::word_xdr(word),
            RecordedValue::Unknown => None,
        }
    }
}
