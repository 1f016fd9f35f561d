// A number with the term that names it, and the operations on such numbers.

use super::{bits::Bits, shadow::Id};
use crate::{
    wire::why::{Integer, Term, TermKind},
    xdr_codec::xdr::ScVal,
};

#[derive(Clone, Debug)]
pub struct Number {
    pub term: Term,
    pub value: Integer,
    /// The host value with this number.
    pub leaf: Option<Id>,
    /// True if its type has no negative numbers.
    pub unsigned: bool,
}

/// Says whether a machine word is this number, in 32 or 64 bits.
pub fn fits(number: Integer, word: u64) -> bool {
    number == Integer::from(word)
        || number == Integer::from(word as i64)
        || (word <= u64::from(u32::MAX) && number == Integer::from(word as u32 as i32))
}

pub fn number_in(value: &ScVal) -> Option<Integer> {
    Some(match value {
        ScVal::U32(number) => Integer::from(*number),
        ScVal::I32(number) => Integer::from(*number),
        ScVal::U64(number) => Integer::from(*number),
        ScVal::I64(number) => Integer::from(*number),
        ScVal::Timepoint(time) => Integer::from(time.0),
        ScVal::Duration(time) => Integer::from(time.0),
        ScVal::U128(parts) => Integer::from((u128::from(parts.hi) << 64) | u128::from(parts.lo)),
        ScVal::I128(parts) => Integer::from((i128::from(parts.hi) << 64) | i128::from(parts.lo)),
        ScVal::U256(parts) if parts.hi_hi >> 63 == 0 => Integer::from_words(
            (i128::from(parts.hi_hi) << 64) | i128::from(parts.hi_lo),
            ((u128::from(parts.lo_hi) << 64) | u128::from(parts.lo_lo)) as i128,
        ),
        ScVal::I256(parts) => Integer::from_words(
            (i128::from(parts.hi_hi) << 64) | i128::from(parts.hi_lo),
            ((u128::from(parts.lo_hi) << 64) | u128::from(parts.lo_lo)) as i128,
        ),
        _ => return None,
    })
}

/// Bits of a number's payload.
pub fn part_of(number: Number, bits: Bits, tag: u8) -> Option<Number> {
    let first = match tag {
        4 => 32,
        6 | 8 | 9 | 10 => 8,
        _ => return None,
    };
    let lowest = bits.lowest.checked_sub(first)?;
    let below = 64 - first - lowest;
    let shifted = match lowest {
        0 => number,
        _ => compute(">>", number, number_at(lowest))?,
    };
    match bits.length < below && !bits.signed {
        true => compute("&", shifted, number_at((1u64 << bits.length) - 1)),
        false => Some(shifted),
    }
}

fn number_term(value: Integer) -> Term {
    Term::of(TermKind::Constant).with_number(value)
}

pub fn number_at(value: impl Into<Integer>) -> Number {
    let value = value.into();
    Number { term: number_term(value), value, leaf: None, unsigned: false }
}

/// Says whether a mask only cuts a number to the width of a type.
fn is_width(mask: Integer) -> bool {
    [0xff, 0xffff, 0xffff_ffff].map(Integer::new).contains(&mask)
}

/// The result of an operation. `None` if a machine word cannot be that number.
pub fn compute(operator: &'static str, a: Number, b: Number) -> Option<Number> {
    let is_constant = |of: &Number| of.term.kind == TermKind::Constant;
    let shift = || u32::try_from(b.value).ok().filter(|by| *by < 128);
    let value = match operator {
        // The operation adds and removes nothing.
        "+" | "-" | "|" | "^" | "<<" | ">>" if is_constant(&b) && b.value == 0 => return Some(a),
        "+" | "|" | "^" if is_constant(&a) && a.value == 0 => return Some(b),
        "&" if is_constant(&b) && is_width(b.value) && a.value & b.value == a.value => {
            return Some(a)
        }
        // Compilers double with a shift.
        "<<" if is_constant(&b) && !is_constant(&a) => {
            return compute("*", a, number_at(Integer::ONE << shift()?));
        }
        "+" => a.value + b.value,
        "-" => a.value - b.value,
        "*" => a.value * b.value,
        "/" => a.value.checked_div(b.value)?,
        "%" => a.value.checked_rem(b.value)?,
        "&" => a.value & b.value,
        "|" => a.value | b.value,
        "^" => a.value ^ b.value,
        "<<" => a.value << shift()?,
        _ => a.value >> shift()?,
    };
    let unsigned =
        (a.unsigned || is_constant(&a)) && (b.unsigned || is_constant(&b) && b.value >= 0);
    let fits = match unsigned {
        true => u128::try_from(value).is_ok(),
        false => i128::try_from(value).is_ok(),
    };
    fits.then(|| Number { unsigned, ..computed_by(operator, a, b, value) })
}

pub fn computed_by(operator: &'static str, a: Number, b: Number, value: Integer) -> Number {
    let of = vec![a.term.with_number(a.value), b.term.with_number(b.value)];
    let term = Term { operator: Some(operator), of, ..Term::of(TermKind::Computed) };
    Number { term: term.with_number(value), ..number_at(value) }
}
