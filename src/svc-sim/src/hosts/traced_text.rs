// Reads the hosts' own text for values and frames (`impl Debug for Val` and its wrappers, in val.rs
// of soroban-env-common). The text has numbers and names in full, but only the handles of objects.

use crate::xdr_codec::{
    encode,
    xdr::{
        Duration, Int128Parts, Int256Parts, ScError, ScErrorCode, ScErrorType, ScSymbol, ScVal,
        TimePoint, UInt128Parts, UInt256Parts,
    },
};

/// The label of the frame in `push <frame>(…`.
pub fn frame_label(pushed: &str) -> String {
    let label = pushed.strip_prefix("push ").unwrap_or(pushed);
    label.split('(').next().unwrap_or(label).to_string()
}

/// Says whether the frame of `pop <frame> -> Ok(…)` succeeded. The type of the result is private to
/// the host.
pub fn frame_succeeded(popped: &str) -> bool {
    popped.contains(" -> Ok(")
}

/// The text of each argument in `push <frame>(A, B)`.
pub fn frame_arguments(pushed: &str) -> Vec<String> {
    let inner = pushed.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    let (mut arguments, mut depth) = (vec![String::new()], 0);
    for letter in inner.unwrap_or_default().chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                arguments.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = arguments.last_mut() {
            last.push(letter);
        }
    }
    let trimmed = arguments.into_iter().map(|argument| argument.trim().to_string());
    trimmed.filter(|argument| !argument.is_empty()).collect()
}

/// The value or the error in `pop <frame> -> Ok(…)`.
pub fn frame_result(popped: &str) -> String {
    let result = popped.split_once(" -> ").map_or("", |(_, result)| result);
    let inner = result.strip_prefix("Ok(").or_else(|| result.strip_prefix("Err("));
    inner.and_then(|inner| inner.strip_suffix(')')).unwrap_or_default().to_string()
}

/// The handle of a function name that is too long for the label.
pub fn symbol_handle(label: &str) -> Option<u32> {
    label.rsplit_once(":sym#")?.1.parse().ok()
}

#[derive(Debug, PartialEq)]
pub enum Traced {
    /// ScVal XDR.
    Value(Vec<u8>),
    /// The tag and the handle of a `Val`.
    Object {
        tag: u8,
        handle: u32,
    },
    Unknown,
}

/// Tags of objects (soroban-env-common's `Tag`), which no protocol has renumbered.
const OBJECT_TAGS: [(&str, u8); 16] = [
    ("U64", 64),
    ("I64", 65),
    ("Timepoint", 66),
    ("Duration", 67),
    ("U128", 68),
    ("I128", 69),
    ("U256", 70),
    ("I256", 71),
    ("Bytes", 72),
    ("String", 73),
    ("Symbol", 74),
    ("Vec", 75),
    ("Map", 76),
    ("Address", 77),
    ("MuxedAddress", 78),
    ("ExecutableTag", 79),
];

/// Reads a value. If it is not a contract's value, such as a storage type or a bare number, it
/// becomes the closest one: a symbol, an unsigned integer, or a signed one if it is negative.
/// Rust's unit becomes void.
pub fn read(text: &str) -> Traced {
    if text == "()" {
        return Traced::Value(encode(&ScVal::Void));
    }
    let Some((kind, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else {
        return bare(text).map_or(Traced::Unknown, |value| Traced::Value(encode(&value)));
    };
    if let Some(handle) = inner.strip_prefix("obj#") {
        let tag = OBJECT_TAGS.iter().find(|(name, _)| *name == kind).map(|(_, tag)| *tag);
        return match (tag, handle.parse()) {
            (Some(tag), Ok(handle)) => Traced::Object { tag, handle },
            _ => Traced::Unknown,
        };
    }
    small(kind, inner).map_or(Traced::Unknown, |value| Traced::Value(encode(&value)))
}

fn bare(text: &str) -> Option<ScVal> {
    Some(match text {
        "Void" => ScVal::Void,
        "True" => ScVal::Bool(true),
        "False" => ScVal::Bool(false),
        _ => match (text.parse::<u64>(), text.parse::<i64>()) {
            (Ok(number), _) => ScVal::U64(number),
            (_, Ok(number)) => ScVal::I64(number),
            _ if text.is_empty() => return None,
            _ => symbol(text)?,
        },
    })
}

pub fn symbol(text: &str) -> Option<ScVal> {
    let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        return None;
    }
    Some(ScVal::Symbol(ScSymbol(text.try_into().ok()?)))
}

/// A value that fits into a `Val`'s own 56 bits.
fn small(kind: &str, inner: &str) -> Option<ScVal> {
    let signed = || inner.parse::<i64>().ok();
    let unsigned = || inner.parse::<u64>().ok();
    // The upper words of a small number are all ones if it is negative.
    let fill = |number: i64| number >> 63;
    Some(match kind {
        "U32" => ScVal::U32(inner.parse().ok()?),
        "I32" => ScVal::I32(inner.parse().ok()?),
        "U64" => ScVal::U64(unsigned()?),
        "I64" => ScVal::I64(signed()?),
        "Timepoint" => ScVal::Timepoint(TimePoint(unsigned()?)),
        "Duration" => ScVal::Duration(Duration(unsigned()?)),
        "U128" => ScVal::U128(UInt128Parts { hi: 0, lo: unsigned()? }),
        "I128" => {
            let number = signed()?;
            ScVal::I128(Int128Parts { hi: fill(number), lo: number as u64 })
        }
        "U256" => ScVal::U256(UInt256Parts { hi_hi: 0, hi_lo: 0, lo_hi: 0, lo_lo: unsigned()? }),
        "I256" => {
            let number = signed()?;
            let fill = fill(number);
            let (hi_lo, lo_hi) = (fill as u64, fill as u64);
            ScVal::I256(Int256Parts { hi_hi: fill, hi_lo, lo_hi, lo_lo: number as u64 })
        }
        "Symbol" => symbol(inner)?,
        "Error" => ScVal::Error(error(inner)?),
        _ => return None,
    })
}

/// Reads an error such as `Contract, #5` or `Budget, ExceededLimit`.
pub fn error(inner: &str) -> Option<ScError> {
    let (kind, code) = inner.split_once(", ")?;
    if kind == ScErrorType::Contract.name() {
        return Some(ScError::Contract(code.strip_prefix('#')?.parse().ok()?));
    }
    let code = *ScErrorCode::variants().iter().find(|variant| variant.name() == code)?;
    let kind = *ScErrorType::variants().iter().find(|variant| variant.name() == kind)?;
    Some(match kind {
        ScErrorType::Contract => return None,
        ScErrorType::WasmVm => ScError::WasmVm(code),
        ScErrorType::Context => ScError::Context(code),
        ScErrorType::Storage => ScError::Storage(code),
        ScErrorType::Object => ScError::Object(code),
        ScErrorType::Crypto => ScError::Crypto(code),
        ScErrorType::Events => ScError::Events(code),
        ScErrorType::Budget => ScError::Budget(code),
        ScErrorType::Value => ScError::Value(code),
        ScErrorType::Auth => ScError::Auth(code),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::latest_host::{Error, I64Small, U64Small, Val};

    #[test]
    fn the_hosts_text_is_read_back() {
        let cases: [(Val, ScVal); 7] = [
            (Val::VOID.into(), ScVal::Void),
            (Val::from_bool(true).into(), ScVal::Bool(true)),
            (Val::from_u32(7).into(), ScVal::U32(7)),
            (Val::from_i32(-7).into(), ScVal::I32(-7)),
            (I64Small::try_from(-5).unwrap().into(), ScVal::I64(-5)),
            (U64Small::try_from(5).unwrap().into(), ScVal::U64(5)),
            (Error::from_contract_error(3).into(), ScVal::Error(ScError::Contract(3))),
        ];
        for (val, expected) in cases {
            assert_eq!(read(&format!("{val:?}")), Traced::Value(encode(&expected)));
        }
    }

    #[test]
    fn objects_are_handles_and_hostile_text_is_nothing() {
        assert_eq!(read("Vec(obj#7)"), Traced::Object { tag: 75, handle: 7 });
        assert_eq!(read("()"), Traced::Value(encode(&ScVal::Void)));
        assert_eq!(read("Error(Budget, ExceededLimit)"), {
            Traced::Value(encode(&ScVal::Error(ScError::Budget(ScErrorCode::ExceededLimit))))
        });
        for text in ["Bad(tag=7f,body=0)", "bad:5", "Vec(obj#x)", "Thing(obj#1)", "U32(-1)", ""] {
            assert_eq!(read(text), Traced::Unknown, "{text}");
        }
    }
}
