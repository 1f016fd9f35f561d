// Reads the number in a node: one from the host, one of its halves, or what the code computed with
// them. A conversion between encodings of a number counts only if the number came back equal.

use super::{
    bits::{is_raw, is_whole},
    number::{compute, computed_by, fits, number_at, number_in, part_of, Number},
    relation::upper_word,
    shadow::{Id, Kind, Node},
    term::Terms,
};
use crate::{
    wire::why::{Integer, Term, TermKind},
    xdr_codec::xdr::ScVal,
};

const MAX_DEPTH: usize = 6;
/// The number of terms of a computation that is shown in full.
const MOST_SHORT: usize = 5;

impl Terms<'_> {
    /// The number in a host value.
    pub fn number_of_leaf(&self, leaf: Id) -> Option<Number> {
        let node = self.node(leaf);
        if self.is_byte(leaf) {
            let of_byte = number_at(node.value);
            return Some(Number {
                term: self.leaf(leaf),
                leaf: Some(leaf),
                unsigned: true,
                ..of_byte
            });
        }
        if let Some(made) = self.made_number(node) {
            return Some(made);
        }
        let known = self.payload(node.value)?;
        let unsigned =
            !matches!(known, ScVal::I32(_) | ScVal::I64(_) | ScVal::I128(_) | ScVal::I256(_));
        Some(Number {
            term: self.leaf(leaf),
            value: number_in(&known)?,
            leaf: Some(leaf),
            unsigned,
        })
    }

    /// A number that the contract passed to the host, or had it compute.
    fn made_number(&self, node: &Node) -> Option<Number> {
        self.step()?;
        let call = (node.kind == Kind::Host).then(|| self.host_call(node))?;
        let argument = |at: usize| call.arguments.get(at).copied();
        let (type_name, operation) = call.function.split_once('_')?;
        match (type_name, operation) {
            ("obj", "from_u64" | "from_i64") => self.number(argument(0)?, 1),
            ("timepoint" | "duration", "obj_from_u64") => self.number(argument(0)?, 1),
            ("obj", "from_u128_pieces" | "from_i128_pieces") => {
                self.pair(argument(1)?, argument(0)?, 1)
            }
            // The SDK passes such a number in bytes.
            ("u256" | "i256", "val_from_be_bytes") => {
                let number = self.number_of_leaf(self.only_in_bytes(argument(0)?)?)?;
                let same = number_in(&self.payload(node.value)?)? == number.value;
                same.then_some(number)
            }
            ("vec", "get" | "front" | "back") => {
                let number = self.number_put_in(self.element_put_in(call)?)?;
                let same = number_in(&self.payload(node.value)?)? == number.value;
                same.then_some(number)
            }
            ("u256" | "i256", "add" | "sub" | "mul" | "div" | "rem_euclid") => {
                let side = |at: usize| self.number_of_leaf(self.bits(argument(at)?)?.leaf);
                let (a, b) = (side(0)?, side(1)?);
                let value = number_in(&self.payload(node.value)?)?;
                let operators = [("add", "+"), ("sub", "-"), ("mul", "*"), ("div", "/")];
                let operator = operators.iter().find(|(name, _)| *name == operation);
                Some(computed_by(operator.map_or("%", |(_, operator)| operator), a, b, value))
            }
            _ => None,
        }
    }

    /// The number that the contract put into a vector. A long computation is cut to its value and
    /// the values from which it was computed.
    fn number_put_in(&self, id: Id) -> Option<Number> {
        if let Some(bits) = self.bits(id).filter(is_whole) {
            return self.number_of_leaf(bits.leaf);
        }
        let is_nested = self.in_vector.replace(true);
        let short = if is_nested { None } else { self.encoded(id) };
        self.in_vector.set(is_nested);
        if let Some(short) = short.filter(|short| terms_in(&short.term) <= MOST_SHORT) {
            return Some(short);
        }
        let known = self.payload(self.node(id).value)?;
        let unsigned =
            !matches!(known, ScVal::I32(_) | ScVal::I64(_) | ScVal::I128(_) | ScVal::I256(_));
        let term = self.computed_number(id)?;
        Some(Number { term, unsigned, ..number_at(number_in(&known)?) })
    }

    /// The complete number in the node.
    pub fn number(&self, id: Id, depth: usize) -> Option<Number> {
        self.step()?;
        let node = self.node(id);
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(value) = self.constant_of(id) {
            return Some(number_at(Integer::from(value)));
        }
        if node.kind == Kind::Host && is_raw(self.host_call(node).function) {
            let call = self.host_call(node);
            return match call.function {
                "obj_to_u64" | "obj_to_i64" | "timepoint_obj_to_u64" | "duration_obj_to_u64" => {
                    let leaf = self.bits(*call.arguments.first()?).filter(is_whole)?.leaf;
                    self.number_of_leaf(leaf)
                }
                "prng_u64_in_inclusive_range" => {
                    let value = Integer::from(node.value);
                    let term = Term::of(TermKind::Random).with_number(value);
                    Some(Number { term, ..number_at(value) })
                }
                _ => self.lower_half(id, depth).filter(|of| fits(of.value, node.value)),
            };
        }
        if let Some(bits) = self.bits(id) {
            let tag = self.node(bits.leaf).value as u8;
            let whole = match tag {
                3..=5 => bits.lowest == 32 && bits.length == 32,
                6..=13 => bits.lowest == 8 && bits.length >= 32,
                _ => false,
            };
            let number = self.number_of_leaf(bits.leaf);
            return match whole {
                true => number.filter(|of| fits(of.value, node.value)),
                false => part_of(number?, bits, tag).filter(|of| fits(of.value, node.value)),
            };
        }
        let of_parts = match node.kind {
            Kind::Unary if matches!(node.extra, 0xa7 | 0xac | 0xad) => self.number(node.a, depth),
            Kind::Load | Kind::Select | Kind::Part => {
                self.varying(node).and_then(|of| self.number(of, depth))
            }
            Kind::Unpacked if self.is_byte(id) => self.number_of_leaf(id),
            Kind::Binary => self.computed(node, depth).or_else(|| {
                let mask = self.constant_of(node.b).filter(|_| node.extra == 0x83)?;
                compute("&", self.lower_half(node.a, depth + 1)?, number_at(mask))
            }),
            Kind::Wide if node.extra == 0 => self.lower_half(id, depth),
            _ => None,
        };
        of_parts.filter(|of| fits(of.value, node.value))
    }

    fn computed(&self, node: &Node, depth: usize) -> Option<Number> {
        let (a, b) = (self.number(node.a, depth + 1)?, self.number(node.b, depth + 1)?);
        let signed_constant = |of: Number, id: Id| match self.constant_of(id) {
            Some(value) if matches!(node.extra, 0x6a | 0x6b) && value > 0x7fff_ffff => {
                number_at(Integer::from(value as u32 as i32))
            }
            Some(value) if matches!(node.extra, 0x7c | 0x7d) => {
                number_at(Integer::from(value as i64))
            }
            _ => of,
        };
        let b = signed_constant(b, node.b);
        // The machine shifts by the remainder of the width.
        let width = if node.extra > 0x78 { 64 } else { 32 };
        let shifts = matches!(node.extra, 0x74..=0x76 | 0x86..=0x88);
        let b = match shifts && b.value >= width {
            true => compute("%", b, number_at(width))?,
            false => b,
        };
        let operator = match node.extra {
            0x6a | 0x7c => "+",
            0x6b | 0x7d => "-",
            0x6c | 0x7e => "*",
            0x6d | 0x6e | 0x7f | 0x80 => "/",
            0x6f | 0x70 | 0x81 | 0x82 => "%",
            0x71 | 0x83 => "&",
            0x72 | 0x84 => "|",
            0x73 | 0x85 => "^",
            0x74 | 0x86 => "<<",
            0x75 | 0x76 | 0x87 | 0x88 => ">>",
            _ => return None,
        };
        compute(operator, a, b)
    }

    /// The number whose lower 64 bits are in the node.
    pub fn lower_half(&self, id: Id, depth: usize) -> Option<Number> {
        self.step()?;
        let node = self.node(id);
        if depth > MAX_DEPTH {
            return None;
        }
        let found = match node.kind {
            _ if node.constant => Some(number_at(Integer::from(node.value))),
            Kind::Host => {
                let call = self.host_call(node);
                match call.function {
                    "obj_to_u128_lo64" | "obj_to_i128_lo64" => {
                        let leaf = self.bits(*call.arguments.first()?).filter(is_whole)?.leaf;
                        self.number_of_leaf(leaf)
                    }
                    _ if is_raw(call.function) => self.number(id, depth + 1),
                    _ => None,
                }
            }
            Kind::Wide if node.extra == 0 => {
                let wide = &self.shadow.wides[node.c as usize];
                let op = self.wide_op(wide.function)?;
                let [a_lo, a_hi, b_lo, b_hi] = wide.parts;
                let (a, b) = (self.pair(a_lo, a_hi, depth + 1)?, self.pair(b_lo, b_hi, depth + 1)?);
                compute(op.operator(), a, b)
            }
            Kind::Load | Kind::Select => {
                self.varying(node).and_then(|of| self.lower_half(of, depth + 1))
            }
            Kind::Binary if matches!(node.extra, 0x7c | 0x7d) => {
                let (a, b) =
                    (self.lower_half(node.a, depth + 1)?, self.lower_half(node.b, depth + 1)?);
                compute(if node.extra == 0x7c { "+" } else { "-" }, a, b)
            }
            _ => self.number(id, depth + 1),
        };
        found.filter(|of| of.value.as_u64() == node.value)
    }

    /// Says whether the node is the upper half of the number in a host value.
    pub fn upper_half(&self, id: Id) -> Option<Number> {
        let mut id = id;
        for _ in 0..24 {
            id = self.same(self.node(id)).unwrap_or(id);
        }
        let node = self.node(id);
        let leaf = match node.kind {
            Kind::Host => {
                let call = self.host_call(node);
                matches!(call.function, "obj_to_u128_hi64" | "obj_to_i128_hi64")
                    .then(|| self.bits(*call.arguments.first()?).filter(is_whole))??
                    .leaf
            }
            _ => match self.bits(id) {
                Some(bits) => {
                    let sign = bits.lowest == 63 && bits.length == 1 && bits.signed;
                    (sign && self.node(bits.leaf).value as u8 == 11).then_some(bits.leaf)?
                }
                None => return self.upper_of_sum(node),
            },
        };
        let number = self.number_of_leaf(leaf)?;
        (upper_word(number.value) == node.value).then_some(number)
    }

    /// The sum or difference of which the node is the upper half, including the carry of the lower
    /// halves.
    fn upper_of_sum(&self, node: &Node) -> Option<Number> {
        let operator = match (node.kind, node.extra) {
            (Kind::Binary, 0x7c) => "+",
            (Kind::Binary, 0x7d) => "-",
            _ => return None,
        };
        let (mut halves, mut carry) = (vec![], None);
        let mut open = vec![node.b, node.a];
        while let Some(id) = open.pop().filter(|_| halves.len() < 3) {
            let part = self.node(id);
            let compares = |of: &Node| of.kind == Kind::Binary && of.extra == 0x54;
            match (part.kind, part.extra) {
                (Kind::Binary, opcode) if opcode == node.extra => open.extend([part.b, part.a]),
                (Kind::Unary, 0xad) if compares(self.node(part.a)) => carry = Some(part.a),
                _ => halves.push(id),
            }
        }
        let carry = self.node(carry?);
        let sum = self.node(carry.a);
        let lows = match operator {
            "-" => [carry.a, carry.b],
            _ if sum.kind == Kind::Binary && sum.extra == 0x7c => [sum.a, sum.b],
            _ => return None,
        };
        let [first, second] = <[Id; 2]>::try_from(halves).ok()?;
        let orders: &[[Id; 2]] = match operator {
            "-" => &[[first, second]],
            _ => &[[first, second], [second, first]],
        };
        orders.iter().find_map(|highs| {
            let (a, b) = (self.pair(lows[0], highs[0], 1)?, self.pair(lows[1], highs[1], 1)?);
            compute(operator, a, b).filter(|made| upper_word(made.value) == node.value)
        })
    }

    /// A 128-bit number, from its halves.
    pub fn pair(&self, lo: Id, hi: Id, depth: usize) -> Option<Number> {
        if let (Some(lo), Some(hi)) = (self.constant_of(lo), self.constant_of(hi)) {
            return Some(number_at((i128::from(hi as i64) << 64) | i128::from(lo)));
        }
        if self.constant_of(lo).is_some() {
            return None;
        }
        let found = self.lower_half(lo, depth)?;
        (upper_word(found.value) == self.node(hi).value).then_some(found)
    }

    /// The number that the code encoded as a host value.
    pub fn encoded(&self, id: Id) -> Option<Number> {
        let known = number_in(&self.payload(self.node(id).value)?)?;
        let mut node = self.node(id);
        while let Some(of) = self.varying(node) {
            node = self.node(of);
        }
        let number = match node.kind {
            Kind::Host => {
                match (self.host_call(node).function, &self.host_call(node).arguments[..]) {
                    (
                        "obj_from_u64"
                        | "obj_from_i64"
                        | "timepoint_obj_from_u64"
                        | "duration_obj_from_u64",
                        [of],
                    ) => self.number(*of, 0),
                    ("obj_from_u128_pieces" | "obj_from_i128_pieces", [hi, lo]) => {
                        self.pair(*lo, *hi, 0)
                    }
                    _ => None,
                }
            }
            Kind::Binary if matches!(node.extra, 0x84 | 0x7c) => {
                self.constant_of(node.b).filter(|tag| *tag < 64)?;
                let above = self.node(node.a);
                let by = self.constant_of(above.b).filter(|_| above.kind == Kind::Binary)?;
                let shifts = above.extra == 0x86 && matches!(by, 8 | 32);
                self.number(above.a, 0).filter(|_| shifts)
            }
            _ => None,
        };
        number.filter(|number| number.value == known)
    }
}

fn terms_in(term: &Term) -> usize {
    1 + term.of.iter().map(terms_in).sum::<usize>()
}
