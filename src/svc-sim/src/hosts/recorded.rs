// What `record_hook.rs` records of a run: its frames and host calls with their values as the host
// itself had them, so that a contract's code can be run again without the host.

use super::payloads;
use std::collections::HashMap;

/// A value as the host's text shows it.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordedValue {
    /// The payload of a `Val` that is no object.
    Small(u64),
    /// A bare number of 64 bits.
    Number(u64),
    /// An object; objects never change.
    Object {
        tag: u8,
        handle: u32,
    },
    /// Another name, such as that of a storage type.
    Word(String),
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
    /// Fuel of wasm so far; it is counted late, once the next host call has begun.
    pub fuel: u64,
    /// Arguments, or the one result or error.
    pub values: Vec<RecordedValue>,
}

#[derive(Default)]
pub struct RecordedRun {
    pub steps: Vec<RecordedStep>,
    /// ScVal XDR by handle; without values that are too large.
    pub objects: HashMap<u32, Vec<u8>>,
    /// It has more steps than are recorded.
    pub cut: bool,
}

impl RecordedRun {
    /// ScVal XDR; `None` where it is unknown.
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
