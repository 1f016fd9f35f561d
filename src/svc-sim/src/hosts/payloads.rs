// Values in the host's own form: payloads of `Val`, and handles of objects.

use super::{
    recorded::RecordedValue,
    traced_text::{error, read, symbol, Traced},
};
use crate::{
    protocols::latest_host::Val,
    xdr_codec::{
        encode,
        xdr::{ScError, ScVal},
    },
};

pub const SYMBOL_TAG: u8 = 74;

/// The value in the host's own form.
pub fn recorded(text: &str) -> RecordedValue {
    let small = |tag: u64, body: u64| RecordedValue::Small((body << 8) | tag);
    match (text, text.parse::<u64>(), text.parse::<i64>()) {
        ("()" | "Void", ..) => return small(2, 0),
        ("True", ..) => return small(1, 0),
        ("False", ..) => return small(0, 0),
        (_, Ok(number), _) => return RecordedValue::Number(number),
        (_, _, Ok(number)) => return RecordedValue::Number(number as u64),
        _ => {}
    }
    if let Traced::Object { tag, handle } = read(text) {
        return RecordedValue::Object { tag, handle };
    }
    let Some((kind, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else {
        return match symbol(text) {
            Some(_) if !text.is_empty() => RecordedValue::Word(text.to_string()),
            _ => RecordedValue::Unknown,
        };
    };
    let tag = SMALL_TAGS.iter().find(|(name, _)| *name == kind).map(|(_, tag)| *tag);
    let body = match kind {
        "U32" => inner.parse::<u32>().ok().map(|number| u64::from(number) << 24),
        "I32" => inner.parse::<i32>().ok().map(|number| u64::from(number as u32) << 24),
        "Symbol" => small_symbol(inner),
        "Error" => error(inner).map(|error| error_body(&error)),
        _ => inner.parse::<i128>().ok().map(|number| number as u64 & (u64::MAX >> 8)),
    };
    match (tag, body) {
        (Some(tag), Some(body)) => small(tag, body),
        _ => RecordedValue::Unknown,
    }
}

/// The tags of values that are not objects.
const SMALL_TAGS: [(&str, u64); 12] = [
    ("Error", 3),
    ("U32", 4),
    ("I32", 5),
    ("U64", 6),
    ("I64", 7),
    ("Timepoint", 8),
    ("Duration", 9),
    ("U128", 10),
    ("I128", 11),
    ("U256", 12),
    ("I256", 13),
    ("Symbol", 14),
];

/// The payload of a symbol. Each character takes six bits.
pub fn small_symbol(text: &str) -> Option<u64> {
    text.bytes().try_fold(0u64, |body, byte| {
        let code = match byte {
            b'_' => 1,
            b'0'..=b'9' => 2 + byte - b'0',
            b'A'..=b'Z' => 12 + byte - b'A',
            b'a'..=b'z' => 38 + byte - b'a',
            _ => return None,
        };
        Some((body << 6) | u64::from(code))
    })
}

/// The body of an error. Its code is above its type.
pub fn error_body(error: &ScError) -> u64 {
    let of_type = u64::from(error.discriminant() as u32);
    let code = match error {
        ScError::Contract(code) => *code,
        ScError::WasmVm(code)
        | ScError::Context(code)
        | ScError::Storage(code)
        | ScError::Object(code)
        | ScError::Crypto(code)
        | ScError::Events(code)
        | ScError::Budget(code)
        | ScError::Value(code)
        | ScError::Auth(code) => *code as u32,
    };
    (u64::from(code) << 24) | of_type
}

/// ScVal XDR of a `Val` that is not an object.
pub fn small_xdr(payload: u64) -> Option<Vec<u8>> {
    match read(&format!("{:?}", Val::from_payload(payload))) {
        Traced::Value(xdr) => Some(xdr),
        _ => None,
    }
}

pub fn number_xdr(number: u64) -> Option<Vec<u8>> {
    Some(encode(&ScVal::U64(number)))
}

pub fn word_xdr(word: &str) -> Option<Vec<u8>> {
    symbol(word).map(|word| encode(&word))
}
