// The effects of a host call on a contract's code: its result, and what it wrote to memory. Code
// knows objects only by handles of its own, which the host numbers in the order in which the code
// received them.

use super::{
    machine::Machine,
    record::{FrameRecord, HostCallRecord},
    stop::{Stop, Trap},
};
use crate::{
    hosts::recorded::{RecordedRun, RecordedValue},
    xdr_codec::xdr::{Limits, ReadXdr, ScMap, ScVal},
};

/// An object that a contract's code received, with the host's handle once that is known.
#[derive(Clone, Copy)]
pub struct Object {
    tag: u8,
    handle: Option<u32>,
}

/// The objects of one contract call, in the order in which its code received them.
pub struct Objects<'a> {
    pub run: &'a RecordedRun,
    pub known: &'a mut Vec<Object>,
}

const OBJECT_TAGS: std::ops::RangeInclusive<u8> = 64..=79;
const VOID: u64 = 2;

impl Objects<'_> {
    /// The payload that code receives for an object. `number` is the object's index.
    fn give(&mut self, number: usize, tag: u8, handle: Option<u32>) -> u64 {
        if number == self.known.len() {
            self.known.push(Object { tag, handle });
        }
        ((number as u64) << 33) | u64::from(tag)
    }
}

/// ScVal XDR of a value that code has. `None` if it is not a host value, or is unknown.
pub fn value_of(known: &[Object], payload: u64, run: &RecordedRun) -> Option<Vec<u8>> {
    let tag = payload as u8;
    if !OBJECT_TAGS.contains(&tag) {
        return run.xdr(&RecordedValue::Small(payload));
    }
    let object = known.get((payload >> 33) as usize)?;
    let handle = object.handle.filter(|_| object.tag == tag && payload >> 32 & 1 == 0)?;
    run.objects.get(&handle).cloned()
}

type Effect<T> = Result<T, String>;

impl Machine {
    /// The arguments of the contract call itself.
    pub fn enter(&mut self, objects: &mut Objects, arguments: &[RecordedValue]) -> Effect<()> {
        for (at, argument) in arguments.iter().enumerate() {
            let payload = self.take(objects, argument)?;
            *self.stack.get_mut(at).ok_or("the function has fewer parameters")? = payload;
        }
        Ok(())
    }

    fn take(&mut self, objects: &mut Objects, value: &RecordedValue) -> Effect<u64> {
        match value {
            RecordedValue::Small(payload) | RecordedValue::Number(payload) => Ok(*payload),
            RecordedValue::Object { tag, handle } => {
                self.objects += 1;
                Ok(objects.give(self.objects - 1, *tag, Some(*handle)))
            }
            _ => Err("a value of the host is unknown".into()),
        }
    }

    pub fn host_call(
        &mut self,
        frame: &FrameRecord,
        objects: &mut Objects,
        import: u32,
    ) -> Result<(), Stop> {
        let differs = |why: &str| Stop::Differs(why.to_string());
        let function = self.code.imports.get(import as usize).and_then(|(_, function)| *function);
        let function =
            function.ok_or_else(|| differs("the code calls an unknown host function"))?;
        let Some(call) = frame.host_calls.get(self.host_calls) else {
            // A limit was reached before the host recorded the call.
            return Err(frame.limit_exceeded(self.host_calls));
        };
        if call.function != function.name {
            let made = format!("the code calls {} instead of {}", function.name, call.function);
            return Err(Stop::Differs(made));
        }
        if self.fuel != call.fuel_before {
            let fuel = format!("{} of fuel instead of {}", self.fuel, call.fuel_before);
            return Err(Stop::Differs(format!("the code had used {fuel} at {}", call.function)));
        }
        let first = self.stack.len().saturating_sub(function.parameters.len());
        let arguments = self.stack.split_off(first);
        for ((payload, recorded), of_type) in
            arguments.iter().zip(&call.arguments).zip(function.parameters)
        {
            if !same_argument(*payload, recorded, of_type, objects) {
                return Err(Stop::Differs(format!(
                    "the code calls {} with other arguments",
                    call.function
                )));
            }
        }
        self.host_calls += 1;
        if !call.ok {
            return Err(Stop::Trapped(Trap::HostCallFailed));
        }
        self.write_effects(call, objects, &arguments).map_err(Stop::Differs)?;
        let result = self.take(objects, &call.result).map_err(Stop::Differs)?;
        self.stack.push(result);
        Ok(())
    }

    /// The effects of host functions that write to the contract's memory.
    fn write_effects(
        &mut self,
        call: &HostCallRecord,
        objects: &mut Objects,
        arguments: &[u64],
    ) -> Effect<()> {
        let number = |at: usize| arguments.get(at).map_or(0, |payload| payload >> 32);
        let lacks = || format!("a value of {} is unknown", call.function);
        let outside = || format!("{} wrote outside the memory", call.function);
        match call.function {
            "bytes_copy_to_linear_memory"
            | "string_copy_to_linear_memory"
            | "symbol_copy_to_linear_memory" => {
                let bytes = match subject(call, objects).ok_or_else(lacks)? {
                    ScVal::Bytes(bytes) => bytes.0.to_vec(),
                    ScVal::String(text) => text.0.to_vec(),
                    ScVal::Symbol(text) => text.0.to_vec(),
                    _ => return Err(lacks()),
                };
                let (from, to, count) = (number(1), number(2), number(3));
                let bytes = bytes.get(from as usize..(from + count) as usize);
                self.write(to, bytes.ok_or_else(outside)?).ok_or_else(outside)
            }
            "vec_unpack_to_linear_memory" => match subject(call, objects) {
                Some(ScVal::Vec(Some(values))) => {
                    self.write_values(objects, number(1), values.iter()).ok_or_else(outside)
                }
                _ => Err(lacks()),
            },
            "map_unpack_to_linear_memory" => match subject(call, objects) {
                Some(ScVal::Map(Some(map))) => {
                    let values = map.0.iter().map(|entry| &entry.val);
                    self.write_values(objects, number(2), values).ok_or_else(outside)
                }
                _ => Err(lacks()),
            },
            "sparse_map_unpack_to_linear_memory" => match subject(call, objects) {
                Some(ScVal::Map(Some(map))) => {
                    let keys = self.keys(number(1), number(3)).ok_or_else(outside)?;
                    let values: Vec<ScVal> = keys.iter().map(|key| in_map(&map, key)).collect();
                    self.write_values(objects, number(2), values.iter()).ok_or_else(outside)
                }
                _ => Err(lacks()),
            },
            _ => Ok(()),
        }
    }

    fn write_values<'a>(
        &mut self,
        objects: &mut Objects,
        mut at: u64,
        values: impl Iterator<Item = &'a ScVal>,
    ) -> Option<()> {
        for value in values {
            let payload = match small_or_tag(value)? {
                Ok(payload) => payload,
                Err(tag) => {
                    self.objects += 1;
                    objects.give(self.objects - 1, tag, None)
                }
            };
            self.write(at, &payload.to_le_bytes())?;
            at += 8;
        }
        Some(())
    }

    /// The texts to which a list of pointers and lengths refers.
    fn keys(&self, at: u64, count: u64) -> Option<Vec<Vec<u8>>> {
        let word =
            |at: u64| Some(u64::from(u32::from_le_bytes(self.bytes(at, 4)?.try_into().ok()?)));
        let key = |index: u64| {
            let (from, count) = (word(at + 8 * index)?, word(at + 8 * index + 4)?);
            Some(self.bytes(from, count as usize)?.to_vec())
        };
        (0..count).map(key).collect()
    }
}

fn in_map(map: &ScMap, key: &[u8]) -> ScVal {
    let found = map.0.iter().find(|entry| match &entry.key {
        ScVal::Symbol(symbol) => symbol.0.as_slice() == key,
        _ => false,
    });
    found.map_or(ScVal::Void, |entry| entry.val.clone())
}

/// The value of the call's first argument.
fn subject(call: &HostCallRecord, objects: &Objects) -> Option<ScVal> {
    let xdr = objects.run.xdr(call.arguments.first()?)?;
    ScVal::from_xdr(&xdr, Limits { depth: 200, len: xdr.len() }).ok()
}

fn same_argument(
    payload: u64,
    recorded: &RecordedValue,
    of_type: &str,
    objects: &mut Objects,
) -> bool {
    match recorded {
        RecordedValue::Small(expected) | RecordedValue::Number(expected) => payload == *expected,
        RecordedValue::Object { tag, handle } => {
            let object = objects.known.get_mut((payload >> 33) as usize);
            let Some(object) = object.filter(|object| object.tag == *tag) else { return false };
            payload as u8 == *tag && *object.handle.get_or_insert(*handle) == *handle
        }
        // A number of an enumeration of the host, or something that the host could not read.
        RecordedValue::Word(_) => of_type.ends_with("Type") || of_type.ends_with("Extension"),
        RecordedValue::Unknown => true,
    }
}

/// A value as the host writes it for code: its payload, or the tag of the object that it becomes.
fn small_or_tag(value: &ScVal) -> Option<Result<u64, u8>> {
    const MOST: u64 = u64::MAX >> 8;
    let small = |tag: u64, body: u64| Some(Ok((body << 8) | tag));
    let unsigned = |number: u64, tag: u64, object: u8| match number <= MOST {
        true => Some(Ok((number << 8) | tag)),
        false => Some(Err(object)),
    };
    let signed = |number: i64, tag: u64, object: u8| match number << 8 >> 8 == number {
        true => Some(Ok(((number as u64) << 8) | tag)),
        false => Some(Err(object)),
    };
    let wide = |number: Option<u64>, tag, object| match number {
        Some(number) => unsigned(number, tag, object),
        None => Some(Err(object)),
    };
    let signed_wide = |number: Option<i64>, tag, object| match number {
        Some(number) => signed(number, tag, object),
        None => Some(Err(object)),
    };
    // The number, if the upper words only extend its sign.
    let narrow = |lo: u64, upper: &[i64]| {
        let sign = (lo as i64) >> 63;
        upper.iter().all(|word| *word == sign).then_some(lo as i64)
    };
    match value {
        ScVal::Bool(truth) => small(u64::from(*truth), 0),
        ScVal::Void => Some(Ok(VOID)),
        ScVal::Error(_) | ScVal::U32(_) | ScVal::I32(_) => recorded_payload(value),
        ScVal::U64(number) => unsigned(*number, 6, 64),
        ScVal::I64(number) => signed(*number, 7, 65),
        ScVal::Timepoint(time) => unsigned(time.0, 8, 66),
        ScVal::Duration(time) => unsigned(time.0, 9, 67),
        ScVal::U128(parts) => wide((parts.hi == 0).then_some(parts.lo), 10, 68),
        ScVal::I128(parts) => signed_wide(narrow(parts.lo, &[parts.hi]), 11, 69),
        ScVal::U256(parts) => {
            let fits = parts.hi_hi == 0 && parts.hi_lo == 0 && parts.lo_hi == 0;
            wide(fits.then_some(parts.lo_lo), 12, 70)
        }
        ScVal::I256(parts) => {
            let upper = [parts.hi_hi, parts.hi_lo as i64, parts.lo_hi as i64];
            signed_wide(narrow(parts.lo_lo, &upper), 13, 71)
        }
        ScVal::Bytes(_) => Some(Err(72)),
        ScVal::String(_) => Some(Err(73)),
        ScVal::Symbol(symbol) if symbol.0.len() <= 9 => recorded_payload(value),
        ScVal::Symbol(_) => Some(Err(74)),
        ScVal::Vec(_) => Some(Err(75)),
        ScVal::Map(_) => Some(Err(76)),
        ScVal::Address(address) => {
            use crate::xdr_codec::xdr::ScAddress;
            let muxed = matches!(address, ScAddress::MuxedAccount(_) | ScAddress::MuxedContract(_));
            Some(Err(if muxed { 78 } else { 77 }))
        }
        ScVal::ExecutableTag(_) => Some(Err(79)),
        _ => None,
    }
}

fn recorded_payload(value: &ScVal) -> Option<Result<u64, u8>> {
    use crate::hosts::payloads::{error_body, small_symbol};
    match value {
        ScVal::Error(error) => Some(Ok((error_body(error) << 8) | 3)),
        ScVal::U32(number) => Some(Ok((u64::from(*number) << 32) | 4)),
        ScVal::I32(number) => Some(Ok((u64::from(*number as u32) << 32) | 5)),
        ScVal::Symbol(symbol) => {
            let text = std::str::from_utf8(symbol.0.as_slice()).ok()?;
            Some(Ok((small_symbol(text)? << 8) | 14))
        }
        _ => None,
    }
}
