// Describes what a value is: what the contract was given, read or asked for, and how it computed
// with that. A conversion between encodings of a number counts only if the number came back equal.

use super::{
    relation::upper_word,
    shadow::{HostCall, Id, Kind, Node, Shadow},
};
use crate::{
    hosts::recorded::RecordedRun,
    stepping::{journal::Written, record::FrameRecord, track::Track},
    wire::why::{Condition, Integer, Term, TermKind},
    xdr_codec::{
        encode, to_base64,
        xdr::{Limits, ReadXdr, ScBytes, ScString, ScSymbol, ScVal},
    },
};
use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
};

const MAX_DEPTH: usize = 6;
const MOST_PARTS: u32 = 8;
pub const MOST_STEPS: u32 = 200_000;
/// The number of changes of a vector through which an element is followed.
const MOST_CHANGES: usize = 64;
/// The number of terms of a computation that is shown in full.
const MOST_SHORT: usize = 5;
/// The number of nodes in which the values are sought from which a number was computed.
const MOST_SEEN: usize = 4_000;
/// The number of values from which a number is said to be computed.
const MOST_SOURCES: usize = 6;

/// Looks up the XDR that the record has for a payload of the code.
pub type ValueOf<'a> = &'a RefCell<dyn FnMut(u64) -> Option<Vec<u8>> + 'a>;

/// Facts about a host call besides its arguments.
pub struct Called {
    /// The arguments as XDR.
    pub arguments: Vec<Option<Vec<u8>>>,
    /// The contract and the function that the host call called.
    pub contract: Option<String>,
    pub function: Option<String>,
    /// The write whose value it read.
    pub written: Written,
}

pub struct Terms<'a> {
    pub shadow: &'a Shadow,
    pub track: &'a Track,
    pub record: &'a FrameRecord,
    pub run: &'a RecordedRun,
    pub value_of: ValueOf<'a>,
    pub called: &'a dyn Fn(usize) -> Option<Called>,
    /// The remaining steps. Shared nodes are visited once for each path to them.
    pub left: Cell<u32>,
    /// The remaining instructions for runs with other values.
    pub instructions: Cell<u64>,
    /// The nesting of values of which a value is a part.
    pub within: Cell<u32>,
    /// The numbers whose bytes host values are, as far as they were looked up.
    pub bytes: RefCell<HashMap<Id, Option<(Id, u32)>>>,
    /// True while a number is described that the contract put into a vector.
    pub in_vector: Cell<bool>,
    /// True while a constant that was chosen is read as its number, because its reason is known.
    pub takes_chosen: Cell<bool>,
    /// What also held and may have decided. Only runs show that.
    pub others: RefCell<Vec<Condition>>,
}

/// Bits of a value from the host.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bits {
    pub leaf: Id,
    pub lowest: u8,
    pub length: u8,
    pub signed: bool,
}

#[derive(Clone, Debug)]
pub struct Number {
    pub term: Term,
    pub value: Integer,
    /// The host value with this number.
    pub leaf: Option<Id>,
    /// True if its type has no negative numbers.
    pub unsigned: bool,
}

impl<'a> Terms<'a> {
    pub fn node(&self, id: Id) -> &'a Node {
        self.shadow.get(id)
    }

    /// Takes a step. `None` if there were too many.
    pub fn step(&self) -> Option<()> {
        self.left.set(self.left.get().checked_sub(1)?);
        Some(())
    }

    pub fn host_call(&self, node: &Node) -> &'a HostCall {
        &self.shadow.host_calls[node.c as usize]
    }

    pub fn constant_of(&self, id: Id) -> Option<u64> {
        let node = self.node(id);
        node.constant.then_some(node.value)
    }

    /// The host call of this function whose result the node is.
    pub fn result_of(&self, id: Id, function: &str) -> Option<&'a HostCall> {
        let node = self.node(id);
        let call = (node.kind == Kind::Host).then(|| self.host_call(node))?;
        (call.function == function).then_some(call)
    }

    pub fn payload(&self, payload: u64) -> Option<ScVal> {
        let xdr = (self.value_of.borrow_mut())(payload)?;
        ScVal::from_xdr(&xdr, Limits { depth: 200, len: xdr.len() }).ok()
    }

    pub fn bits(&self, id: Id) -> Option<Bits> {
        self.bits_within(id, 0)
    }

    fn bits_within(&self, id: Id, depth: usize) -> Option<Bits> {
        let node = self.node(id);
        if depth > 24 {
            return None;
        }
        let of = |id: Id| self.bits_within(id, depth + 1);
        let made = match node.kind {
            Kind::Argument => Some(Bits { leaf: id, lowest: 0, length: 64, signed: false }),
            Kind::Host if !node.constant && !is_raw(self.host_call(node).function) => {
                Some(Bits { leaf: id, lowest: 0, length: 64, signed: false })
            }
            Kind::Unpacked if self.host_call(node).function.contains("unpack") => {
                Some(Bits { leaf: id, lowest: 0, length: 64, signed: false })
            }
            Kind::Unary => of(node.a).and_then(|bits| unary_bits(node.extra, bits)),
            Kind::Binary => match self.constant_of(node.b) {
                Some(by) => of(node.a).and_then(|bits| binary_bits(node.extra, bits, by)),
                None => None,
            },
            Kind::Part => of(node.a).and_then(|bits| {
                let (from, length) = (8 * node.c as u8, 8 * node.extra);
                let fits = from + length <= bits.length;
                fits.then_some(Bits { lowest: bits.lowest + from, length, signed: false, ..bits })
            }),
            Kind::Join => match (of(node.a), of(node.b)) {
                (Some(low), Some(high))
                    if low.leaf == high.leaf && low.lowest + 8 * node.extra == high.lowest =>
                {
                    let length = (8 * node.extra + high.length).min(64);
                    Some(Bits { length, signed: false, ..low })
                }
                _ => None,
            },
            Kind::Load | Kind::Select => {
                let same = self.same(node)?;
                of(same)
            }
            _ => None,
        };
        made.or_else(|| self.put_together(id))
    }

    /// The node with the same value from which the node was made unchanged.
    pub fn same(&self, node: &Node) -> Option<Id> {
        let of = match node.kind {
            Kind::Load => node.a,
            Kind::Part if node.c == 0 => node.a,
            Kind::Select => self.chosen(node),
            _ => return None,
        };
        (self.node(of).value == node.value).then_some(of)
    }

    /// The node that a choice selected.
    fn chosen(&self, node: &Node) -> Id {
        match self.node(node.c).value as u32 {
            0 => node.b,
            _ => node.a,
        }
    }

    /// The same, unless it is a constant: the choice of a constant has its own reason.
    fn varying(&self, node: &Node) -> Option<Id> {
        self.same(node).filter(|of| self.takes_chosen.get() || !self.node(*of).constant)
    }

    /// A payload that was taken apart and composed again.
    fn put_together(&self, id: Id) -> Option<Bits> {
        let node = self.node(id);
        if node.kind == Kind::Binary && node.extra == 0x83 {
            // The number and its tag are kept in full.
            let keeps = self.constant_of(node.b)? >> 32 == 0xffff_ffff;
            let bits = self.bits(node.a).filter(|bits| keeps && is_whole(bits))?;
            return (self.node(bits.leaf).value == node.value).then_some(bits);
        }
        if node.kind != Kind::Binary || !matches!(node.extra, 0x84 | 0x7c) {
            return None;
        }
        if self.constant_of(node.b).is_none() {
            return self.halves_together(node);
        }
        let (above, tag) = (self.node(node.a), self.constant_of(node.b)?);
        let by = self.constant_of(above.b)?;
        let from = match above.extra {
            0x86 if matches!(by, 8 | 32) => by,
            0x83 if matches!(by, 0xffff_ffff_0000_0000 | 0xffff_ffff_ffff_ff00) => 0,
            _ => return None,
        };
        let bits = self.bits(above.a).filter(|_| above.kind == Kind::Binary && tag < 256)?;
        let same = self.node(bits.leaf).value == node.value && u64::from(bits.lowest) == from;
        same.then_some(Bits { lowest: 0, length: 64, signed: false, ..bits })
    }

    /// The upper and lower half of a payload, composed again.
    fn halves_together(&self, node: &Node) -> Option<Bits> {
        let part = |id: Id, first: u8| {
            let bits = self.bits(id).filter(|bits| bits.lowest == first && bits.length == 32)?;
            (self.node(bits.leaf).value == node.value).then_some(bits)
        };
        let (above, below) = (self.node(node.a), part(node.b, 0)?);
        let shifts = above.extra == 0x86 && self.constant_of(above.b) == Some(32);
        let upper = part(above.a, 32).filter(|_| above.kind == Kind::Binary && shifts)?;
        let same = upper.leaf == below.leaf;
        same.then_some(Bits { lowest: 0, length: 64, signed: false, ..below })
    }

    /// Says whether a node is one of the bytes that the host wrote to memory.
    pub fn is_byte(&self, id: Id) -> bool {
        let node = self.node(id);
        node.kind == Kind::Unpacked && self.host_call(node).function.contains("copy")
    }

    /// The 256-bit number of which the node is a byte, and the byte's index from the highest.
    pub fn byte_of_number(&self, id: Id) -> Option<(Id, u32)> {
        if !matches!(self.node(id).kind, Kind::Host | Kind::Unpacked) {
            return None;
        }
        if let Some(known) = self.bytes.borrow().get(&id) {
            return *known;
        }
        let found = self.find_byte_of_number(id);
        self.bytes.borrow_mut().insert(id, found);
        found
    }

    fn find_byte_of_number(&self, id: Id) -> Option<(Id, u32)> {
        let first = |of: Option<&Id>| Some((self.constant_of(*of?)? >> 32) as u32);
        let node = self.node(id);
        let mut call = self.host_call(node);
        let mut at = match call.function {
            _ if self.is_byte(id) => node.b + first(call.arguments.get(1))?,
            "bytes_front" => 0,
            "bytes_get" => first(call.arguments.get(1))?,
            _ => return None,
        };
        // Code that walks through bytes removes them one by one.
        for _ in 0..40 {
            let of = self.original_node(*call.arguments.first()?);
            call = (self.node(of).kind == Kind::Host).then(|| self.host_call(self.node(of)))?;
            match call.function {
                "bytes_slice" => at += first(call.arguments.get(1))?,
                "u256_val_to_be_bytes" | "i256_val_to_be_bytes" => {
                    let number = self.original_node(*call.arguments.first()?);
                    return (at < 32).then_some((number, at));
                }
                _ => return None,
            }
        }
        None
    }

    /// The only host value of which the contract made the bytes.
    fn only_in_bytes(&self, bytes: Id) -> Option<Id> {
        let mut leaf = None;
        let mut open = vec![bytes];
        let mut seen = HashSet::new();
        while let Some(id) = open.pop() {
            let node = self.node(id);
            if node.constant || !seen.insert(id) {
                continue;
            }
            self.step()?;
            match node.kind {
                Kind::Host if self.host_call(node).function.starts_with("bytes_") => {
                    let call = self.host_call(node);
                    open.extend(call.arguments.iter().chain(&call.read));
                }
                Kind::Host if is_raw(self.host_call(node).function) => {
                    open.extend(&self.host_call(node).arguments);
                }
                Kind::Older | Kind::Lost => return None,
                Kind::Argument | Kind::Host | Kind::Unpacked => {
                    if leaf.replace(id).is_some_and(|other| other != id) {
                        return None;
                    }
                }
                Kind::Select => open.extend([node.a, node.b, node.c]),
                Kind::Wide => open.extend(self.shadow.wides[node.c as usize].parts),
                _ => open.extend([node.a, node.b].into_iter().filter(|id| *id > 0)),
            }
        }
        leaf
    }

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

    /// The node that the contract put into a vector and that a call read out of it again. `None` if
    /// the vector came from elsewhere.
    fn element_put_in(&self, call: &HostCall) -> Option<Id> {
        let vector = *call.arguments.first()?;
        let index = match call.function {
            "vec_get" => (self.node(*call.arguments.get(1)?).value >> 32) as usize,
            "vec_front" => 0,
            "vec_back" => self.length_of(vector)?.checked_sub(1)?,
            _ => return None,
        };
        self.element_of(vector, index)
    }

    fn element_of(&self, mut vector: Id, mut index: usize) -> Option<Id> {
        for _ in 0..MOST_CHANGES {
            self.step()?;
            let node = self.node(self.original_node(vector));
            let call = (node.kind == Kind::Host).then(|| self.host_call(node))?;
            let argument = |at: usize| call.arguments.get(at).copied();
            let place = |at: usize| Some((self.node(argument(at)?).value >> 32) as usize);
            match call.function {
                "vec_new_from_linear_memory" => return call.read.get(index).copied(),
                "vec_push_back" if self.length_of(argument(0)?)? == index => return argument(1),
                "vec_push_front" if index == 0 => return argument(1),
                "vec_put" if place(1)? == index => return argument(2),
                "vec_push_front" => index -= 1,
                "vec_pop_front" => index += 1,
                "vec_slice" => index += place(1)?,
                "vec_push_back" | "vec_put" | "vec_pop_back" => {}
                _ => return None,
            }
            vector = argument(0)?;
        }
        None
    }

    fn length_of(&self, vector: Id) -> Option<usize> {
        match self.payload(self.node(vector).value)? {
            ScVal::Vec(Some(elements)) => Some(elements.len()),
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

    /// A 128-bit number that was computed in a way that fits no rule: its value, and the values
    /// from which it was computed.
    pub fn unnamed(&self, lo: Id, hi: Id) -> Number {
        let value =
            ((u128::from(self.node(hi).value) << 64) | u128::from(self.node(lo).value)) as i128;
        let value = Integer::from(value);
        let of = self.leaves_of(vec![lo, hi]).unwrap_or_default();
        let term = Term { of, ..Term::of(TermKind::Computed) };
        Number { term: term.with_number(value), ..number_at(value) }
    }

    /// The host values from which nodes were computed. The last one is unnamed if there are more.
    /// `None` if one of them is unknown.
    fn leaves_of(&self, mut open: Vec<Id>) -> Option<Vec<Term>> {
        let (mut leaves, mut seen) = (vec![], HashSet::new());
        while let Some(id) = open.pop() {
            let node = self.node(id);
            if node.constant || !seen.insert(id) {
                continue;
            }
            if seen.len() > MOST_SEEN {
                return None;
            }
            match node.kind {
                Kind::Host if computes(self.host_call(node).function) => {
                    open.extend(&self.host_call(node).arguments);
                }
                Kind::Host | Kind::Unpacked if self.byte_of_number(id).is_some() => {
                    open.extend(self.byte_of_number(id).map(|(number, _)| number));
                }
                Kind::Host => match self.element_put_in(self.host_call(node)) {
                    Some(element) => open.push(element),
                    None => leaves.push(id),
                },
                Kind::Argument | Kind::Unpacked => leaves.push(id),
                Kind::Older | Kind::Lost => return None,
                Kind::Wide => open.extend(self.shadow.wides[node.c as usize].parts),
                Kind::Select => open.push(self.chosen(node)),
                _ => open.extend([node.a, node.b].into_iter().filter(|id| *id > 0)),
            }
        }
        leaves.sort_unstable();
        let mut seen = HashSet::new();
        let leaves = leaves.into_iter().map(|leaf| self.leaf(leaf));
        let is_new = |leaf: &Term| seen.insert(serde_json::to_string(leaf).unwrap_or_default());
        let mut sources: Vec<Term> = leaves.filter(is_new).collect();
        // Of many, those that a user chose are named.
        if sources.len() > MOST_SOURCES {
            sources.retain(of_argument);
            sources.truncate(MOST_SOURCES);
            sources.push(Term::of(TermKind::Unnamed));
        }
        Some(sources)
    }

    /// A host value, as the contract received it.
    pub fn leaf(&self, id: Id) -> Term {
        let node = self.node(id);
        let within = self.within.get();
        if within >= MOST_PARTS || self.step().is_none() {
            return Term::of(TermKind::Unnamed);
        }
        self.within.set(within + 1);
        let value = (self.value_of.borrow_mut())(node.value);
        let mut term = match node.kind {
            _ if node.constant => Term::of(TermKind::Constant),
            Kind::Argument => Term { index: Some(node.c), ..Term::of(TermKind::Argument) },
            Kind::Host => self.of_call(node),
            Kind::Unpacked => self.unpacked(node),
            _ => Term::of(TermKind::Unnamed),
        };
        self.within.set(within);
        let value = value.or_else(|| self.made_text(node));
        term.value_xdr = value.map(|xdr| to_base64(&xdr));
        term
    }

    /// A text in the contract's memory.
    fn made_text(&self, node: &Node) -> Option<Vec<u8>> {
        let call = (node.kind == Kind::Host && node.constant).then(|| self.host_call(node))?;
        let text = call.text.clone()?;
        let value = match call.function {
            "string_new_from_linear_memory" => ScVal::String(ScString(text.try_into().ok()?)),
            "symbol_new_from_linear_memory" => ScVal::Symbol(ScSymbol(text.try_into().ok()?)),
            "bytes_new_from_linear_memory" => ScVal::Bytes(ScBytes(text.try_into().ok()?)),
            _ => return None,
        };
        Some(encode(&value))
    }

    /// The value that the node passes on. It is unnamed if it was computed.
    pub fn term(&self, id: Id) -> Term {
        match self.bits(id).filter(is_whole) {
            Some(bits) => self.leaf(bits.leaf),
            None => self.leaf(id),
        }
    }

    /// The values of which a value was built, without constants.
    pub fn parts_of(&self, id: Option<Id>, depth: usize) -> Vec<Term> {
        let Some(id) = id.filter(|id| !self.node(*id).constant && depth < 4) else { return vec![] };
        let of = self.bits(id).filter(is_whole).map_or(id, |bits| bits.leaf);
        let node = self.node(of);
        if node.kind == Kind::Host {
            let call = self.host_call(node);
            let builds = call.function.contains("_new") || call.function.contains("_push_");
            if builds && !call.function.starts_with("prng") {
                let made_of = call.arguments.iter().chain(&call.read);
                return made_of.flat_map(|id| self.parts_of(Some(*id), depth + 1)).collect();
            }
        }
        vec![self.computed_term(of)]
    }

    /// The entry that a storage function was asked for.
    pub fn entry_of(&self, call: &HostCall) -> Option<Term> {
        let key = (self.called)(call.number)?.arguments.first()?.clone()?;
        let at = if call.function.starts_with("put_") { 2 } else { 1 };
        let durability = call.arguments.get(at)?;
        Some(Term {
            key_xdr: Some(to_base64(&key)),
            durability: Some(durability_of(self.node(*durability).value)),
            of: self.parts_of(call.arguments.first().copied(), 0),
            ..Term::of(TermKind::Entry)
        })
    }

    /// A value as it was given or computed. A value that was built has its parts.
    pub fn with_parts(&self, id: Id) -> Term {
        let term = self.computed_term(id);
        match term.kind {
            TermKind::Unnamed => Term { of: self.parts_of(Some(id), 0), ..term },
            _ => term,
        }
    }

    /// The node that first had the value, if it was only passed on.
    pub fn original_node(&self, id: Id) -> Id {
        self.bits(id).filter(is_whole).map_or(id, |bits| bits.leaf)
    }

    /// A host value, as it was given or as the code computed it.
    pub fn computed_term(&self, id: Id) -> Term {
        let passed_on = self.bits(id).filter(is_whole);
        let number = if passed_on.is_none() { self.encoded(id) } else { None };
        match number {
            Some(number) => {
                let xdr = (self.value_of.borrow_mut())(self.node(id).value);
                Term { value_xdr: xdr.map(|xdr| to_base64(&xdr)), ..number.term }
                    .with_number(number.value)
            }
            None if passed_on.is_none() => {
                self.computed_number(id).unwrap_or_else(|| self.term(id))
            }
            None => self.term(id),
        }
    }

    /// A number that was computed in a way that fits no rule, with the values from which it was
    /// computed.
    fn computed_number(&self, id: Id) -> Option<Term> {
        let value = number_in(&self.payload(self.node(id).value)?)?;
        let of = self.leaves_of(vec![id])?;
        let xdr = (self.value_of.borrow_mut())(self.node(id).value)?;
        let term = Term { of, value_xdr: Some(to_base64(&xdr)), ..Term::of(TermKind::Computed) };
        Some(term.with_number(value))
    }

    /// The number that the code encoded as a host value.
    fn encoded(&self, id: Id) -> Option<Number> {
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

    fn unpacked(&self, node: &Node) -> Term {
        let call = self.host_call(node);
        let parent = call.arguments.first().map(|of| self.term(*of));
        let of = parent.into_iter().collect();
        match call.function {
            "vec_unpack_to_linear_memory" => {
                Term { index: Some(node.b), of, ..Term::of(TermKind::Element) }
            }
            "map_unpack_to_linear_memory" | "sparse_map_unpack_to_linear_memory" => {
                let name = call.names.get(node.b as usize).cloned();
                Term { name, of, ..Term::of(TermKind::Field) }
            }
            "bytes_copy_to_linear_memory" | "string_copy_to_linear_memory" => {
                let first =
                    call.arguments.get(1).map_or(0, |id| (self.node(*id).value >> 32) as u32);
                Term { index: Some(first + node.b), of, ..Term::of(TermKind::Element) }
            }
            _ => Term::of(TermKind::Unnamed),
        }
    }

    fn of_call(&self, node: &Node) -> Term {
        let call = self.host_call(node);
        let known = (self.called)(call.number);
        let argument = |at: usize| call.arguments.get(at).map(|id| self.term(*id));
        let xdr = |at: usize| {
            let known = known.as_ref()?.arguments.get(at)?.clone();
            known.map(|xdr| to_base64(&xdr))
        };
        let first =
            |kind: TermKind| Term { of: argument(0).into_iter().collect(), ..Term::of(kind) };
        let ledger = |name: &str| Term { name: Some(name.into()), ..Term::of(TermKind::Ledger) };
        match call.function {
            "get_contract_data" | "has_contract_data" => {
                let written = match known.as_ref().map(|known| known.written) {
                    Some(Written::Before) => false,
                    Some(Written::By(..)) => true,
                    // The writer of the value cannot be determined.
                    Some(Written::Unknown) | None => return Term::of(TermKind::Unnamed),
                };
                let kind = match (call.function, written) {
                    ("get_contract_data", false) => TermKind::Storage,
                    ("get_contract_data", true) => TermKind::Written,
                    _ => TermKind::Entry,
                };
                let durability = self.node(*call.arguments.last().unwrap_or(&0)).value;
                Term {
                    key_xdr: xdr(0),
                    durability: Some(durability_of(durability)),
                    written: written.then_some(true),
                    call: Some(call.number),
                    of: self.parts_of(call.arguments.first().copied(), 0),
                    ..Term::of(kind)
                }
            }
            "get_ledger_timestamp" => ledger("time"),
            "get_ledger_sequence" => ledger("sequence"),
            "get_ledger_version" => ledger("protocol"),
            "get_max_live_until_ledger" => ledger("max_live_until"),
            "get_ledger_network_id" => ledger("network"),
            "get_current_contract_address" => Term::of(TermKind::Contract),
            "call" | "try_call" => Term {
                contract: known.as_ref().and_then(|known| known.contract.clone()),
                name: known.and_then(|known| known.function),
                call: Some(call.number),
                ..Term::of(TermKind::Result)
            },
            "vec_len" | "bytes_len" | "map_len" | "string_len" | "symbol_len" => {
                first(TermKind::Length)
            }
            "vec_get" | "vec_front" | "vec_back" | "bytes_get" | "bytes_front" | "bytes_back" => {
                let index = match call.function {
                    "vec_get" | "bytes_get" => {
                        call.arguments.get(1).map(|id| (self.node(*id).value >> 32) as u32)
                    }
                    "vec_front" | "bytes_front" => Some(0),
                    _ => None,
                };
                match index {
                    Some(_) => Term { index, ..first(TermKind::Element) },
                    None => Term { name: Some("last".into()), ..first(TermKind::Element) },
                }
            }
            "bytes_slice" | "vec_slice" => {
                let bounds = [1, 2]
                    .map(|at| call.arguments.get(at).map_or(0, |id| self.node(*id).value >> 32));
                let [from, to] = bounds;
                Term { name: Some(format!("{from}..{to}")), ..first(TermKind::Element) }
            }
            "compute_hash_sha256" | "compute_hash_keccak256" => {
                let name = call.function.trim_start_matches("compute_hash_");
                Term { name: Some(name.into()), ..first(TermKind::Computed) }
            }
            "map_get" => Term { key_xdr: xdr(1), ..first(TermKind::Field) },
            "map_val_by_pos" => {
                let of = call.arguments.first().and_then(|id| self.payload(self.node(*id).value));
                let at = call.arguments.get(1).map(|id| (self.node(*id).value >> 32) as usize);
                let key = match (of, at) {
                    (Some(ScVal::Map(Some(entries))), Some(at)) => {
                        entries.get(at).map(|entry| encode(&entry.key))
                    }
                    _ => None,
                };
                Term { key_xdr: key.map(|xdr| to_base64(&xdr)), ..first(TermKind::Field) }
            }
            // Says whether a vector has an element.
            "vec_first_index_of" | "vec_binary_search" => Term {
                key_xdr: xdr(1),
                name: Some("element".into()),
                of: argument(0)
                    .into_iter()
                    .chain(self.parts_of(call.arguments.get(1).copied(), 0))
                    .collect(),
                ..Term::of(TermKind::Key)
            },
            "map_has" => Term {
                key_xdr: xdr(1),
                of: argument(0)
                    .into_iter()
                    .chain(self.parts_of(call.arguments.get(1).copied(), 0))
                    .collect(),
                ..Term::of(TermKind::Key)
            },
            name if name.starts_with("prng_") => Term::of(TermKind::Random),
            _ => Term::of(TermKind::Unnamed),
        }
    }
}

/// Says whether a value is an argument, or a part of one.
fn of_argument(term: &Term) -> bool {
    match term.kind {
        TermKind::Argument => true,
        TermKind::Element | TermKind::Field => term.of.first().is_some_and(of_argument),
        _ => false,
    }
}

fn terms_in(term: &Term) -> usize {
    1 + term.of.iter().map(terms_in).sum::<usize>()
}

/// Says whether a host function computes its result from the numbers in its arguments.
fn computes(function: &str) -> bool {
    let wide = function.starts_with("u256_") || function.starts_with("i256_");
    let raw = is_raw(function) && !function.starts_with("prng_");
    raw || wide || function.contains("obj_from_")
}

/// Says whether a host function returns a bare number.
fn is_raw(function: &str) -> bool {
    function.starts_with("obj_to_")
        || matches!(
            function,
            "timepoint_obj_to_u64"
                | "duration_obj_to_u64"
                | "prng_u64_in_inclusive_range"
                | "obj_cmp"
                | "vec_binary_search"
        )
}

fn durability_of(storage_type: u64) -> &'static str {
    match storage_type {
        0 => "temporary",
        1 => "persistent",
        _ => "instance",
    }
}

pub fn is_whole(bits: &Bits) -> bool {
    bits.lowest == 0 && bits.length == 64
}

fn unary_bits(opcode: u8, bits: Bits) -> Option<Bits> {
    match opcode {
        0xa7 if bits.length > 32 => Some(Bits { length: 32, signed: false, ..bits }),
        0xa7 => Some(bits),
        0xad if !bits.signed || bits.length == 32 => Some(Bits { signed: false, ..bits }),
        0xac if bits.length == 32 => Some(Bits { signed: true, ..bits }),
        0xac => Some(bits),
        _ => None,
    }
}

fn binary_bits(opcode: u8, bits: Bits, by: u64) -> Option<Bits> {
    let shift = (by & 63) as u8;
    match opcode {
        0x88 | 0x76 if !bits.signed && shift < bits.length => {
            Some(Bits { lowest: bits.lowest + shift, length: bits.length - shift, ..bits })
        }
        0x87 if (bits.length == 64 || bits.signed) && shift < bits.length => Some(Bits {
            lowest: bits.lowest + shift,
            length: bits.length - shift,
            signed: true,
            ..bits
        }),
        0x83 | 0x71 if by != 0 && by & by.wrapping_add(1) == 0 => {
            let kept = by.trailing_ones() as u8;
            let length = bits.length.min(kept);
            (!bits.signed || kept <= bits.length).then_some(Bits { length, signed: false, ..bits })
        }
        _ => None,
    }
}

/// Says whether a machine word is this number, in 32 or 64 bits.
fn fits(number: Integer, word: u64) -> bool {
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
fn part_of(number: Number, bits: Bits, tag: u8) -> Option<Number> {
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

fn computed_by(operator: &'static str, a: Number, b: Number, value: Integer) -> Number {
    let of = vec![a.term.with_number(a.value), b.term.with_number(b.value)];
    let term = Term { operator: Some(operator), of, ..Term::of(TermKind::Computed) };
    Number { term: term.with_number(value), ..number_at(value) }
}
