// What the code would have computed with another value, as far as that shows without another run.

use super::{
    relation::{comparison, type_of},
    shadow::{Branch, Id, Kind},
    term::{Bits, Terms},
};
use crate::{
    stepping::{
        arithmetic::{binary, unary},
        code::Op,
    },
    wire::why::{Checks, Condition},
};

/// Another value in the place of one that the host gave.
pub struct Given {
    pub leaf: Id,
    pub payload: Option<u64>,
    pub number: Option<i128>,
}

impl Given {
    /// A number as the host writes it for a value with this tag.
    pub fn number(leaf: Id, tag: u8, number: i128) -> Option<Given> {
        let body = (number as u64) << 8;
        let payload = match tag {
            4 => (u32::try_from(number).ok()? as u64) << 32 | 4,
            5 => (i32::try_from(number).ok()? as u32 as u64) << 32 | 5,
            6 | 8 | 9 | 10 if (0..1 << 56).contains(&number) => body | u64::from(tag),
            7 | 11 if (-(1 << 55)..1 << 55).contains(&number) => body | u64::from(tag),
            64 | 66 | 67 if u64::try_from(number).is_ok() => 0,
            65 if i64::try_from(number).is_ok() => 0,
            68 if number >= 0 => 0,
            69 => 0,
            _ => return None,
        };
        Some(Given { leaf, payload: (tag < 64).then_some(payload), number: Some(number) })
    }
}

impl Terms<'_> {
    /// The one value of the host's that a node was computed of.
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

    /// What a node would be with another value. `None`: that needs another run.
    pub fn evaluate(&self, id: Id, given: &Given, depth: usize) -> Option<u64> {
        self.step()?;
        let node = self.node(id);
        if id == given.leaf {
            return given.payload;
        }
        if node.constant || depth > 48 {
            return node.constant.then_some(node.value);
        }
        let of = |id: Id| self.evaluate(id, given, depth + 1);
        match node.kind {
            Kind::Unary => Some(unary(node.extra, of(node.a)?)),
            Kind::Binary => binary(node.extra, of(node.a)?, of(node.b)?).ok(),
            Kind::Select => {
                let (a, b) = (of(node.a), of(node.b));
                if of(node.c)? as u32 != 0 {
                    a
                } else {
                    b
                }
            }
            Kind::Load if self.node(node.b).constant => {
                let stored = self.node(node.a);
                let value = of(node.a)?;
                (stored.value == node.value && stored.value != value || value == stored.value)
                    .then_some(if value == stored.value { node.value } else { value })
            }
            Kind::Part => {
                let bits = 8 * u32::from(node.extra);
                let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
                Some((of(node.a)? >> (8 * node.c)) & mask)
            }
            Kind::Join => {
                let low = of(node.a)?;
                Some(low | of(node.b)?.checked_shl(8 * u32::from(node.extra))?)
            }
            Kind::Host => {
                let call = self.host_call(node);
                let first = call.arguments.first().and_then(|id| self.bits(*id));
                let of_leaf = first.is_some_and(|bits| bits.leaf == given.leaf);
                let number = given.number;
                match call.function {
                    _ if !of_leaf => (!self.depends(id, given.leaf, 0)).then_some(node.value),
                    "obj_to_u64"
                    | "obj_to_i64"
                    | "timepoint_obj_to_u64"
                    | "duration_obj_to_u64"
                    | "obj_to_u128_lo64"
                    | "obj_to_i128_lo64" => Some(number? as u64),
                    "obj_to_u128_hi64" | "obj_to_i128_hi64" => Some((number? >> 64) as u64),
                    _ => None,
                }
            }
            Kind::Argument | Kind::Unpacked => Some(node.value),
            _ => None,
        }
    }

    /// Whether a host call's result may be another with another value.
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

    /// Whether what was decided goes as its condition says, for other numbers too. True where that
    /// cannot be seen without another run.
    pub fn agrees(&self, decided: Id, goes: &dyn Fn(u64) -> u32, condition: &Condition) -> bool {
        let Checks { leaf, numbers } = &condition.checks;
        let tag = self.node(*leaf).value as u8;
        let actual = goes(self.node(decided).value);
        numbers.iter().all(|(number, holds)| {
            let given = Given::number(*leaf, tag, *number);
            let made = given.and_then(|given| self.evaluate(decided, &given, 0));
            made.is_none_or(|made| (goes(made) == actual) == *holds)
        })
    }

    /// Which way a branch goes with a value.
    pub fn goes(&self, branch: &Branch, value: u64) -> u32 {
        let value = value as u32;
        match &self.shadow.code.ops[branch.op as usize] {
            Op::BrTable(targets) => targets[(value as usize).min(targets.len() - 1)].op,
            _ => u32::from(value != 0),
        }
    }

    /// A test of a type that the value has: it is no reason for a failure.
    pub fn passed_type_test(&self, branch: &Branch) -> bool {
        let is_tag = |bits: &Bits| bits.lowest == 0 && bits.length == 8;
        if let Op::BrTable(_) = &self.shadow.code.ops[branch.op as usize] {
            let tag = self.bits(branch.condition).filter(is_tag);
            return tag.is_some() && self.of_branch(branch).is_none();
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
        // A bool is all tag.
        same && tested > 3
    }
}
