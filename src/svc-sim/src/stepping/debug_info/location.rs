// Finds where a variable is at an address: in locals, in linear memory, in parts of both, or
// nowhere.

use super::{
    registers::{Contents, Registers, GLOBALS, OPERANDS},
    DebugInfo, Die,
};
use crate::stepping::leb::write_unsigned;
use gimli::{
    AttributeValue, EndianSlice, EvaluationResult, LittleEndian, Location, Operation, Register,
    Value,
};

const MAX_STEPS: u32 = 1000;

impl DebugInfo<'_> {
    /// The content of the variable `die` at `address`. `function` has the frame base.
    pub(super) fn contents(
        &self,
        (die, function): (Die, Die),
        address: u32,
        size: usize,
        registers: &Registers,
    ) -> Contents {
        let known = || {
            if let Some((value, _)) = self.attribute(die, gimli::DW_AT_const_value) {
                return constant(&value, size);
            }
            let found = self.expression(die, gimli::DW_AT_location, address)?;
            let base = || self.frame_base(function, address, registers);
            let read = |register| registers.kept(register, &found.addresses);
            let pieces = self.evaluate(die, &found.operations, registers, (&read, &base))?;
            Some(gathered(&pieces, size, registers))
        };
        known().unwrap_or_else(|| Contents::unknown(size))
    }

    fn frame_base(&self, function: Die, address: u32, registers: &Registers) -> Option<u64> {
        let found = self.expression(function, gimli::DW_AT_frame_base, address)?;
        let read = |register| registers.set_once(register);
        match self.evaluate(function, &found.operations, registers, (&read, &|| None))?[..] {
            [Piece { location: Location::Address { address }, .. }] => Some(address),
            [Piece { location: Location::Value { value }, .. }] => Some(bits(value)),
            _ => None,
        }
    }

    /// The expression that applies at this address.
    fn expression(&self, die: Die, name: gimli::DwAt, address: u32) -> Option<Expression> {
        let unit = &self.units[die.unit];
        let value = self.entry(die)?.attr_value(name).ok()??;
        let (found, addresses) = match value {
            AttributeValue::Exprloc(expression) => (expression, 0..u64::MAX),
            list => {
                let mut locations = self.dwarf.attr_locations(unit, list).ok()??;
                loop {
                    let location = locations.next().ok()??;
                    let range = location.range.begin..location.range.end;
                    if range.contains(&u64::from(address)) {
                        break (location.data, range);
                    }
                }
            }
        };
        let mut operations = found.operations(unit.encoding());
        let (mut rewritten, mut from) = (vec![], 0);
        while let Some(operation) = operations.next().ok()? {
            let to = operations.offset_from(&found);
            let register = match operation {
                Operation::WasmLocal { index } => Some(index),
                Operation::WasmGlobal { index } => Some(GLOBALS + index),
                Operation::WasmStack { index } => Some(OPERANDS + index),
                // The operation would jump elsewhere after the change.
                Operation::Bra { .. } | Operation::Skip { .. } => return None,
                _ => None,
            };
            match register {
                Some(register) => {
                    let number = u16::try_from(register).ok()?;
                    rewritten.push(gimli::DW_OP_bregx.0);
                    write_unsigned(&mut rewritten, u32::from(number));
                    rewritten.push(0);
                }
                None => rewritten.extend_from_slice(found.0.slice().get(from..to)?),
            }
            from = to;
        }
        Some(Expression { operations: rewritten, addresses })
    }

    fn evaluate<'e>(
        &self,
        die: Die,
        expression: &'e [u8],
        registers: &Registers,
        (read, base): (&ReadRegister, &FrameBase),
    ) -> Option<Vec<Piece<'e>>> {
        let encoding = self.units[die.unit].encoding();
        let expression = EndianSlice::new(expression, LittleEndian);
        let mut evaluation = gimli::Expression(expression).evaluation(encoding);
        evaluation.set_max_iterations(MAX_STEPS);
        let mut result = evaluation.evaluate().ok()?;
        loop {
            result = match result {
                EvaluationResult::Complete => return Some(evaluation.result()),
                EvaluationResult::RequiresRegister { register, .. } => {
                    evaluation.resume_with_register(read(register)?)
                }
                EvaluationResult::RequiresFrameBase => evaluation.resume_with_frame_base(base()?),
                EvaluationResult::RequiresMemory { address, size, .. } => {
                    let bytes = registers.at(address, usize::from(size)).known()?;
                    evaluation.resume_with_memory(Value::Generic(number(&bytes)))
                }
                EvaluationResult::RequiresRelocatedAddress(address) => {
                    evaluation.resume_with_relocated_address(address)
                }
                EvaluationResult::RequiresBaseType(offset) => {
                    let of_type = Die { unit: die.unit, offset };
                    evaluation.resume_with_base_type(self.value_type(of_type)?)
                }
                _ => return None,
            }
            .ok()?;
        }
    }

    fn value_type(&self, of_type: Die) -> Option<gimli::ValueType> {
        let size = self.number(of_type, gimli::DW_AT_byte_size)?;
        let (encoding, _) = self.attribute(of_type, gimli::DW_AT_encoding)?;
        let AttributeValue::Encoding(encoding) = encoding else { return None };
        gimli::ValueType::from_encoding(encoding, size)
    }
}

type ReadRegister<'a> = dyn Fn(Register) -> Option<Value> + 'a;
type FrameBase<'a> = dyn Fn() -> Option<u64> + 'a;

/// The expression of a location, with wasm registers as gimli evaluates them.
struct Expression {
    operations: Vec<u8>,
    /// The addresses to which it applies.
    addresses: std::ops::Range<u64>,
}

type Piece<'a> = gimli::Piece<super::Bytes<'a>>;

fn gathered(pieces: &[Piece], size: usize, registers: &Registers) -> Contents {
    let mut all = Contents::default();
    for piece in pieces {
        let bits_wanted = piece.size_in_bits.unwrap_or(size as u64 * 8);
        let wanted = usize::try_from(bits_wanted / 8).unwrap_or(size).min(size);
        let found = match piece.location {
            _ if piece.bit_offset.unwrap_or(0) != 0 || bits_wanted % 8 != 0 => {
                Contents::unknown(wanted)
            }
            Location::Address { address } => registers.at(address, wanted),
            Location::Value { value } => value_bytes(value, wanted),
            Location::Bytes { value } => from_slice(value.slice(), wanted),
            _ => Contents::unknown(wanted),
        };
        all.address = if pieces.len() == 1 { found.address } else { None };
        all.bytes.extend(found.bytes);
    }
    all.bytes.resize(size, None);
    all
}

fn value_bytes(value: Value, size: usize) -> Contents {
    let mut found = from_slice(&bits(value).to_le_bytes(), size);
    // A constant is extended. The upper half of a register's constant is elsewhere.
    if let (Value::Generic(value), true) = (value, size > 8) {
        if value >> 63 == 0 {
            found.bytes.iter_mut().skip(8).for_each(|byte| *byte = Some(0));
        }
    }
    found
}

fn bits(value: Value) -> u64 {
    match value {
        Value::Generic(value) | Value::U64(value) => value,
        other => other.to_u64(u64::MAX).unwrap_or(0),
    }
}

fn constant(value: &gimli::AttributeValue<super::Bytes>, size: usize) -> Option<Contents> {
    if let AttributeValue::Block(bytes) = value {
        return Some(from_slice(bytes.slice(), size));
    }
    let number = match value {
        AttributeValue::Sdata(number) => i128::from(*number),
        AttributeValue::Udata(number) => i128::from(*number),
        // DWARF does not record the sign of this form.
        other => i128::from(other.udata_value().filter(|number| *number < 0x80 || size == 1)?),
    };
    Some(from_slice(&number.to_le_bytes(), size))
}

fn from_slice(bytes: &[u8], size: usize) -> Contents {
    let known = bytes.iter().take(size).copied().map(Some);
    let mut bytes: Vec<_> = known.collect();
    bytes.resize(size, None);
    Contents { bytes, address: None }
}

pub fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}
