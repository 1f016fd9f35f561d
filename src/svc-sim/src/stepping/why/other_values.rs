// Computes what the code would have done with another value, as far as that is possible without
// another run.

use super::{
    bits::Bits,
    relation::{comparison, type_of, upper_word},
    shadow::{Branch, Id, Kind, WideOp},
    term::Terms,
};
use crate::{
    stepping::{
        arithmetic::{binary, unary},
        code::Op,
    },
    wire::why::{Checks, Condition, Integer},
};
use std::collections::HashMap;

/// A value that replaces one from the host.
#[derive(Clone, Copy)]
pub struct Replacement {
    pub leaf: Id,
    pub payload: Option<u64>,
    pub number: Option<Integer>,
}

impl Replacement {
    /// A replacement for a value with this tag. `None` if the host would encode the number in
    /// another way, because the code would then have read its halves elsewhere.
    pub fn number(leaf: Id, tag: u8, number: Integer) -> Option<Replacement> {
        let (least, most) = readable(tag)?;
        let small = |bits: u32| (Integer::ZERO..Integer::ONE << bits).contains(&number);
        let power: Integer = Integer::ONE << 55;
        let body = (number.as_u64() << 8) | u64::from(tag);
        let payload = match tag {
            4 | 5 => Some((u64::from(number.as_u32()) << 32) | u64::from(tag)),
            6 | 8 | 9 | 10 | 12 if small(56) => Some(body),
            7 | 11 | 13 if (-power..power).contains(&number) => Some(body),
            _ => None,
        };
        let known = (least..=most).contains(&number);
        known.then_some(Replacement { leaf, payload, number: Some(number) })
    }

    /// Bits of its payload, if the payload contains the number itself.
    fn bits(&self, Bits { lowest, length, signed, .. }: Bits) -> Option<u64> {
        match (lowest, length) {
            (8, 56) => Some(self.number?.as_u64()),
            (63, 1) if signed => Some(upper_word(self.number?)),
            _ => None,
        }
    }
}

/// The range of numbers whose halves code can have read from a value with this tag.
pub fn readable(tag: u8) -> Option<(Integer, Integer)> {
    let unsigned = |bits: u32| (Integer::ZERO, (Integer::ONE << bits) - 1);
    let signed = |bits: u32| (-(Integer::ONE << bits), (Integer::ONE << bits) - 1);
    Some(match tag {
        4 => unsigned(32),
        5 => signed(31),
        // Their upper half is not a part of a small one.
        6 | 8 | 9 | 10 | 64 | 66 | 67 => unsigned(64),
        7 | 65 => signed(63),
        11 | 69 => signed(127),
        12 => unsigned(56),
        13 => signed(55),
        68 => unsigned(128),
        // The range is smaller than the host's, so that results computed from it fit.
        70 => unsigned(252),
        71 => signed(252),
        _ => return None,
    })
}

impl Terms<'_> {
    /// The only host value from which a node was computed.
    pub fn only_leaf(&self, id: Id, depth: usize) -> Option<Id> {
        self.step()?;
        let node = self.node(id);
        if depth > 24 {
            return None;
        }
        let of: Vec<Id> = match node.kind {
            Kind::Argument | Kind::Host | Kind::Unpacked => return Some(id),
            Kind::Unary | Kind::Part => vec![node.a],
            Kind::Binary | Kind::Join | Kind::Load => vec![node.a, node.b],
            Kind::Select => vec![node.a, node.b, node.c],
            _ => return None,
        };
        let mut varies = of.into_iter().filter(|id| !self.node(*id).constant);
        let first = self.only_leaf(varies.next()?, depth + 1)?;
        varies.all(|id| self.only_leaf(id, depth + 1) == Some(first)).then_some(first)
    }

    /// A replacement of a value by another number. `None` if the host would encode it in another
    /// way.
    pub fn replacement(&self, leaf: Id, number: Integer) -> Option<Replacement> {
        if self.is_byte(leaf) {
            let payload = u8::try_from(number).ok().map(u64::from);
            return payload.map(|byte| Replacement {
                leaf,
                payload: Some(byte),
                number: Some(number),
            });
        }
        Replacement::number(leaf, self.node(leaf).value as u8, number)
    }

    /// The value of a node with other values. `None` if that needs another run.
    pub fn evaluate(&self, id: Id, replacements: &[Replacement]) -> Option<u64> {
        self.evaluate_within(id, replacements, &mut HashMap::new(), 0)
    }

    fn evaluate_within(
        &self,
        id: Id,
        replacements: &[Replacement],
        known: &mut HashMap<Id, Option<u64>>,
        depth: usize,
    ) -> Option<u64> {
        let node = self.node(id);
        if let Some(replacement) = replacements.iter().find(|replacement| replacement.leaf == id) {
            return replacement.payload;
        }
        if node.constant || depth > 200 {
            return node.constant.then_some(node.value);
        }
        if let Some(known) = known.get(&id) {
            return *known;
        }
        self.step()?;
        if let Some((number, at)) = self.byte_of_number(id) {
            if let Some(replacement) =
                replacements.iter().find(|replacement| replacement.leaf == number)
            {
                let byte = replacement.number.map(|of| (of >> (8 * (31 - at))).as_u64() & 0xff);
                return byte
                    .map(|byte| if node.kind == Kind::Host { byte << 32 | 4 } else { byte });
            }
        }
        if let Some(bits) = self.bits(id) {
            let without = |replacement: &&Replacement| {
                replacement.leaf == bits.leaf && replacement.payload.is_none()
            };
            if let Some(replacement) = replacements.iter().find(without) {
                return replacement.bits(bits);
            }
        }
        let mut of = |id: Id| self.evaluate_within(id, replacements, known, depth + 1);
        let found = match node.kind {
            Kind::Unary => of(node.a).map(|a| unary(node.extra, a)),
            Kind::Binary => match (of(node.a), of(node.b)) {
                (Some(a), Some(b)) => binary(node.extra, a, b).ok(),
                _ => None,
            },
            Kind::Select => {
                let (a, b) = (of(node.a), of(node.b));
                of(node.c).and_then(|c| if c as u32 != 0 { a } else { b })
            }
            Kind::Load if self.node(node.b).constant => {
                let stored = self.node(node.a);
                of(node.a).and_then(|value| {
                    let same = stored.value == node.value || value == stored.value;
                    same.then_some(if value == stored.value { node.value } else { value })
                })
            }
            Kind::Part => {
                let bits = 8 * u32::from(node.extra);
                let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
                of(node.a).map(|whole| (whole >> (8 * node.c)) & mask)
            }
            Kind::Join => match (of(node.a), of(node.b)) {
                (Some(low), Some(high)) => {
                    high.checked_shl(8 * u32::from(node.extra)).map(|high| low | high)
                }
                _ => None,
            },
            Kind::Wide => {
                let wide = &self.shadow.wides[node.c as usize];
                let parts = wide.parts.map(of);
                self.wide_op(wide.function).and_then(|op| {
                    let [a_lo, a_hi, b_lo, b_hi] = parts;
                    let a = (u128::from(a_hi?) << 64) | u128::from(a_lo?);
                    let b = (u128::from(b_hi?) << 64) | u128::from(b_lo?);
                    op.part(a, b, node.extra)
                })
            }
            Kind::Host => {
                let call = self.host_call(node);
                let leaf = call.arguments.first().and_then(|id| self.bits(*id)).map(|of| of.leaf);
                let given_leaf =
                    replacements.iter().find(|replacement| Some(replacement.leaf) == leaf);
                if call.function == "obj_cmp" {
                    let number = |id: Id| {
                        let leaf = self.bits(id)?.leaf;
                        let other =
                            replacements.iter().find(|replacement| replacement.leaf == leaf);
                        let own = || self.number_of_leaf(leaf).map(|number| number.value);
                        other.map_or_else(own, |other| other.number)
                    };
                    let order = match call.arguments[..] {
                        [one, other] => number(one).zip(number(other)),
                        _ => None,
                    };
                    return order.map(|(one, other)| one.cmp(&other) as i64 as u64);
                }
                match (call.function, given_leaf) {
                    (_, None) => {
                        let mut leaves = replacements.iter().map(|replacement| replacement.leaf);
                        let depends = leaves.any(|leaf| self.depends(id, leaf, 0));
                        (!depends).then_some(node.value)
                    }
                    (
                        "obj_to_u64"
                        | "obj_to_i64"
                        | "timepoint_obj_to_u64"
                        | "duration_obj_to_u64"
                        | "obj_to_u128_lo64"
                        | "obj_to_i128_lo64",
                        Some(replacement),
                    ) => replacement.number.map(|number| number.as_u64()),
                    ("obj_to_u128_hi64" | "obj_to_i128_hi64", Some(replacement)) => {
                        replacement.number.map(upper_word)
                    }
                    _ => None,
                }
            }
            Kind::Argument | Kind::Unpacked => Some(node.value),
            _ => None,
        };
        known.insert(id, found);
        found
    }

    /// The operation that all calls of a 128-bit routine have in common.
    pub fn wide_op(&self, function: u32) -> Option<WideOp> {
        let ops = self.shadow.wide_ops.get(&function)?;
        let (only, rest) = ops.split_first()?;
        let same = rest.iter().all(|other| other.operator() == only.operator());
        same.then_some(*only)
    }

    /// Says whether a host call's result can change with a value.
    pub fn depends(&self, id: Id, leaf: Id, depth: usize) -> bool {
        let node = self.node(id);
        if id == leaf || depth > 24 || self.step().is_none() {
            return true;
        }
        match node.kind {
            _ if node.constant => false,
            Kind::Host | Kind::Unpacked => {
                let call = self.host_call(node);
                let made_of = call.arguments.iter().chain(&call.read);
                made_of.into_iter().any(|id| self.depends(*id, leaf, depth + 1))
            }
            Kind::Argument => false,
            Kind::Unary | Kind::Part => self.depends(node.a, leaf, depth + 1),
            Kind::Binary | Kind::Join | Kind::Load => {
                self.depends(node.a, leaf, depth + 1) || self.depends(node.b, leaf, depth + 1)
            }
            _ => true,
        }
    }

    /// Says whether the decision agrees with its condition for other numbers too. True if that
    /// cannot be seen without another run.
    pub fn agrees(&self, decided: Id, goes: &dyn Fn(u64) -> u32, condition: &Condition) -> bool {
        let Checks { leaf, numbers } = &condition.checks;
        let actual = goes(self.node(decided).value);
        numbers.iter().all(|(number, holds)| {
            let replacement = self.replacement(*leaf, *number);
            let made = replacement.and_then(|replacement| self.evaluate(decided, &[replacement]));
            made.is_none_or(|made| (goes(made) == actual) == *holds)
        })
    }

    /// The side that a branch takes with a value.
    pub fn goes(&self, branch: &Branch, value: u64) -> u32 {
        let value = value as u32;
        match &self.shadow.code.ops[branch.op as usize] {
            Op::BrTable(targets) => targets[(value as usize).min(targets.len() - 1)].op,
            _ => u32::from(value != 0),
        }
    }

    /// Says whether a branch tests a type that the value has. That is not a reason for a failure.
    pub fn passed_type_test(&self, branch: &Branch) -> bool {
        let is_tag = |bits: &Bits| bits.lowest == 0 && bits.length == 8;
        if let Op::BrTable(_) = &self.shadow.code.ops[branch.op as usize] {
            let tag = self.bits(branch.condition).filter(is_tag);
            return tag.is_some() && self.read_branch(branch).is_none();
        }
        let mut node = self.node(branch.condition);
        while node.kind == Kind::Unary && matches!(node.extra, 0x45 | 0x50) {
            node = self.node(node.a);
        }
        if node.kind != Kind::Binary || comparison(node.extra).is_none() {
            return false;
        }
        let Some(tested) = self.constant_of(node.b).and_then(|tag| u8::try_from(tag).ok()) else {
            return false;
        };
        let Some(tag) = self.bits(node.a).filter(is_tag) else { return false };
        let same = type_of(tested) == type_of(self.node(tag.leaf).value as u8);
        // A bool consists only of its tag.
        same && tested > 3
    }

    /// Says whether a condition only asks of which types values are, in one test or in several that
    /// are joined. A bool, nothing and an error consist of their tag, and are no types.
    pub fn asks_types(&self, condition: Id, depth: u32) -> bool {
        let node = self.node(condition);
        match node.kind {
            _ if depth > MOST_JOINED => false,
            Kind::Unary if matches!(node.extra, 0x45 | 0x50) => self.asks_types(node.a, depth + 1),
            Kind::Binary if matches!(node.extra, 0x71 | 0x72) => {
                self.asks_types(node.a, depth + 1) && self.asks_types(node.b, depth + 1)
            }
            Kind::Binary if comparison(node.extra).is_some() => {
                let is_tag = |bits: Bits| bits.lowest == 0 && bits.length == 8;
                let asked = self.constant_of(node.b).and_then(|tag| u8::try_from(tag).ok());
                asked.is_some_and(|tag| tag > 3) && self.bits(node.a).is_some_and(is_tag)
            }
            _ => false,
        }
    }
}

/// At most so many tests are joined in one condition, one in another.
const MOST_JOINED: u32 = 8;
