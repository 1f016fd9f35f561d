// Recognizes the forms that compilers give to a comparison and that tried numbers do not show: a
// test of a type, a number packed beside its tag, a number in two halves, and a sum of 128 bits
// that overflows. docs/internals/conformance.md says what is lost without each of them.

use super::{
    bits::is_whole,
    number::{compute, number_at, Number},
    relation::{
        comparison, relation, type_of, upper_word, Equal, Found, Greater, GreaterOrEqual, Less,
        LessOrEqual, NotEqual, Relation,
    },
    shadow::{Id, Kind, Node},
    term::Terms,
    tries::too_large,
};
use crate::wire::why::{Condition, Integer, TermKind};

/// The payload of nothing.
const VOID: u64 = 2;

impl Terms<'_> {
    /// The form `number & mask` of a number beside its tag.
    pub fn read_masked(&self, held: Relation, a: Id, by: u64) -> Option<Condition> {
        let node = self.node(a);
        let masks = node.kind == Kind::Binary && node.extra == 0x83;
        if !masks || !matches!(held, Equal | NotEqual) {
            return None;
        }
        let mask = self.constant_of(node.b)?;
        let leaf = self.bits(node.a).filter(is_whole)?.leaf;
        let shift = match self.node(leaf).value as u8 {
            4 => 32,
            6 | 8 | 9 | 10 => 8,
            _ => return None,
        };
        if (mask | by) & ((1 << shift) - 1) != 0 {
            return None;
        }
        let masked = compute("&", self.number_of_leaf(leaf)?, number_at(mask >> shift))?;
        self.between(held, masked, number_at(by >> shift))
    }

    /// A test of a value's type.
    pub fn read_tag(&self, held: Relation, a: Id, by: u64) -> Option<Condition> {
        let bits = self.bits(a).filter(|bits| bits.lowest == 0 && bits.length == 8)?;
        let actual = type_of(self.node(bits.leaf).value as u8)?;
        let tested = type_of(u8::try_from(by).ok()?)?;
        let term = self.leaf(bits.leaf);
        if term.kind == TermKind::Key && tested == "void" {
            let is_there = actual != "void";
            let fits = is_there == (held == NotEqual) && matches!(held, Equal | NotEqual);
            return fits.then(|| relation(if is_there { "present" } else { "absent" }, vec![term]));
        }
        match held {
            NotEqual if actual != tested => {
                Some(Condition { of_type: Some(tested), ..relation("not_type", vec![term]) })
            }
            // A type that the value has is not a reason, unless it means that something is absent.
            Equal if actual == tested && matches!(tested, "void" | "error") => {
                Some(Condition { of_type: Some(tested), ..relation("is_type", vec![term]) })
            }
            _ => None,
        }
    }

    /// A comparison of a whole payload with nothing, or of a number above its tag.
    pub fn read_payload(&self, held: Relation, signed: bool, a: Id, by: u64) -> Option<Condition> {
        let leaf = self.bits(a).filter(is_whole)?.leaf;
        let value = self.node(leaf).value;
        if matches!(held, Equal | NotEqual) {
            if by != VOID || (value == by) != (held == Equal) {
                return None;
            }
            let term = self.leaf(leaf);
            if term.kind == TermKind::Key {
                let name = if held == Equal { "absent" } else { "present" };
                return Some(relation(name, vec![term]));
            }
            let name = if held == Equal { "is_type" } else { "not_type" };
            return Some(Condition { of_type: Some("void"), ..relation(name, vec![term]) });
        }
        let number = self.number_of_leaf(leaf)?;
        let shift = match value as u8 {
            4 => 32,
            6 | 8 | 9 | 10 | 12 => 8,
            _ => return None,
        };
        if signed && by >> 63 != 0 {
            return None;
        }
        let tags = (1 << shift) - 1;
        let plain = above_tag(held, (by & tags) as u32, (value & tags) as u32);
        self.between(plain, number, number_at(Integer::from(by >> shift)))
    }

    /// The forms `lo | hi` and `(lo ^ lo') | (hi ^ hi')`, compared with zero.
    pub fn read_zero_parts(&self, held: Relation, a: Id, by: u64) -> Option<Condition> {
        let node = self.node(a);
        let either = node.kind == Kind::Binary && node.extra == 0x84 && by == 0;
        if !either || !matches!(held, Equal | NotEqual) {
            return None;
        }
        for (lo, hi) in [(node.a, node.b), (node.b, node.a)] {
            let differs = |id: Id| {
                let node = self.node(id);
                (node.kind == Kind::Binary && node.extra == 0x85).then_some([node.a, node.b])
            };
            if let (Some(lows), Some(highs)) = (differs(lo), differs(hi)) {
                for highs in [highs, [highs[1], highs[0]]] {
                    let a = self.pair(lows[0], highs[0], 0);
                    let b = self.pair(lows[1], highs[1], 0);
                    if let (Some(a), Some(b)) = (a, b) {
                        return self.between(held, a, b);
                    }
                }
            }
            let is_high = self.upper_half(hi).is_some() || self.lower_half(hi, 0).is_none();
            if let Some(number) = self.pair(lo, hi, 0).filter(|_| is_high) {
                return self.between(held, number, number_at(0));
            }
        }
        None
    }

    /// The form `a | b`, compared with zero: it shows which of several numbers are not zero.
    pub fn read_zeros(&self, held: Relation, a: Id) -> Found {
        let mut numbers: Vec<Number> = vec![];
        let mut open = vec![a];
        while let Some(id) = open.pop() {
            let node = self.node(id);
            if node.kind == Kind::Binary && matches!(node.extra, 0x72 | 0x84) && open.len() < 8 {
                open.extend([node.b, node.a]);
                continue;
            }
            let number = self.upper_half(id).or_else(|| self.lower_half(id, 0))?;
            if !numbers.iter().any(|known| known.leaf == number.leaf) {
                numbers.push(number);
            }
        }
        let named = numbers.len() > 1 && numbers.iter().all(|number| number.leaf.is_some());
        let same = |number: &Number| held.holds(number.value, Integer::ZERO);
        let found = numbers.into_iter().filter(|number| named && same(number));
        let found = found.map(|number| self.between(held, number, number_at(0)));
        found.collect::<Found>().filter(|found| !found.is_empty())
    }

    /// A test of the sign of a 128-bit number.
    pub fn read_sign(&self, held: Relation, signed: bool, a: Id, by: u64) -> Option<Condition> {
        let plain = match (held, by as i64) {
            (Less, 0) | (LessOrEqual, -1) if signed => Less,
            (GreaterOrEqual, 0) | (Greater, -1) if signed => GreaterOrEqual,
            _ => return None,
        };
        if let Some(number) = self.upper_half(a) {
            return self.between(plain, number, number_at(0));
        }
        self.sign_of_sum(a).filter(|_| plain == Less)
    }

    /// The form `(~(a ^ b) & (a ^ (a + b)))` of the upper halves. It is negative if the sum
    /// overflows.
    fn sign_of_sum(&self, id: Id) -> Option<Condition> {
        let node = self.node(id);
        if node.kind != Kind::Binary || node.extra != 0x83 {
            return None;
        }
        let mut halves: Vec<Id> = vec![];
        let mut open = vec![node.a, node.b];
        while let Some(id) = open.pop() {
            let node = self.node(id);
            match (node.kind, node.extra) {
                (Kind::Binary, 0x85) if halves.len() < 8 => open.extend([node.a, node.b]),
                _ if !node.constant => halves.push(id),
                _ => {}
            }
        }
        let sum = halves.iter().copied().find(|id| {
            let node = self.node(*id);
            node.kind == Kind::Binary && matches!(node.extra, 0x7c | 0x7d)
        })?;
        let subtracts = self.node(sum).extra == 0x7d;
        let mut sides: Vec<Number> = vec![];
        for half in halves.iter().filter_map(|id| self.upper_half(*id)) {
            if !sides.iter().any(|side| side.term.value_xdr == half.term.value_xdr) {
                sides.push(half);
            }
        }
        let [a, b] = <[Number; 2]>::try_from(sides).ok()?;
        let tries = [(a.clone(), b.clone()), (b, a)];
        for (a, b) in tries {
            let made = if subtracts { a.value - b.value } else { a.value + b.value };
            let fits = i128::try_from(made).is_ok();
            if !fits && upper_word(made) == self.node(sum).value {
                return Some(too_large(if subtracts { "-" } else { "+" }, a, b, "i128"));
            }
        }
        None
    }

    pub fn is_same(&self, a: Id, b: Id) -> bool {
        let through = |id: Id| self.same(self.node(id)).unwrap_or(id);
        a == b
            || through(a) == through(b)
            || self.bits(a).is_some() && self.bits(a) == self.bits(b)
            || self.constant_of(a).is_some() && self.constant_of(a) == self.constant_of(b)
    }

    /// A comparison of two 128-bit numbers: of their upper halves, or, if these are equal, of the
    /// lower ones.
    pub fn wide_comparison(&self, node: &Node, truth: bool) -> Option<Condition> {
        let condition = self.node(node.c);
        let (highs, same) = match (condition.kind, condition.extra) {
            (Kind::Binary, 0x51) => ((condition.a, Some(condition.b)), true),
            (Kind::Binary, 0x52) => ((condition.a, Some(condition.b)), false),
            (Kind::Unary, 0x50) => ((condition.a, None), true),
            _ => return None,
        };
        let (of_lows, of_highs) = if same { (node.a, node.b) } else { (node.b, node.a) };
        let sides = |id: Id| {
            let node = self.node(id);
            match (node.kind, node.extra) {
                (Kind::Binary, opcode) => {
                    let (relation, signed) = comparison(opcode)?;
                    Some((relation, signed, node.a, Some(node.b)))
                }
                // The lowest unsigned number.
                (Kind::Unary, 0x50) => Some((LessOrEqual, false, node.a, None)),
                _ => None,
            }
        };
        let (low_relation, _, low_a, low_b) = sides(of_lows)?;
        let (high_relation, _, high_a, high_b) = sides(of_highs)?;
        let zero = |id: Option<Id>| id.map_or(Some(0), |id| self.constant_of(id));
        let equal = |a: Option<Id>, b: Option<Id>| match (a, b) {
            (Some(a), Some(b)) => self.is_same(a, b),
            _ => zero(a).is_some() && zero(a) == zero(b),
        };
        let as_tested = equal(Some(high_a), Some(highs.0)) && equal(high_b, highs.1);
        let as_turned = equal(high_b, Some(highs.0)) && equal(Some(high_a), highs.1);
        if !(as_tested || as_turned) {
            return None;
        }
        let low_relation = match low_relation {
            NotEqual if zero(low_b) == Some(0) => Greater,
            Equal if zero(low_b) == Some(0) => LessOrEqual,
            other => other,
        };
        // The sides of the comparison of upper halves may be exchanged.
        let upwards = |relation| matches!(relation, Less | LessOrEqual);
        let (high_relation, high_a, high_b) = match high_b {
            Some(b) if upwards(high_relation) != upwards(low_relation) => {
                (high_relation.turned(), b, Some(high_a))
            }
            _ => (high_relation, high_a, high_b),
        };
        let strict = match (high_relation, low_relation) {
            (Less | LessOrEqual, Less) => Less,
            (Less | LessOrEqual, LessOrEqual) => LessOrEqual,
            (Greater | GreaterOrEqual, Greater) => Greater,
            (Greater | GreaterOrEqual, GreaterOrEqual) => GreaterOrEqual,
            _ => return None,
        };
        let pair = |lo: Option<Id>, hi: Option<Id>| match (lo, hi) {
            (Some(lo), Some(hi)) => self.pair(lo, hi, 0),
            _ => {
                let (lo, hi) = (zero(lo)?, zero(hi)?);
                Some(number_at((i128::from(hi as i64) << 64) | i128::from(lo)))
            }
        };
        let (a, b) = (pair(Some(low_a), Some(high_a)), pair(low_b, high_b));
        if a.is_none() && b.is_none() {
            return None;
        }
        let a = a.or_else(|| Some(self.unnamed(low_a, high_a)))?;
        let b = match (b, low_b, high_b) {
            (Some(b), ..) => b,
            (None, Some(lo), Some(hi)) => self.unnamed(lo, hi),
            _ => return None,
        };
        match a.term.kind {
            TermKind::Constant => self.between(strict.when(truth).turned(), b, a),
            _ => self.between(strict.when(truth), a, b),
        }
    }
}

/// The relation between a number above its tag and the number of a constant, if `held` is the
/// relation between the payloads and the constant has `below` instead of the tag.
fn above_tag(held: Relation, below: u32, tag: u32) -> Relation {
    match held {
        Less if below > tag => LessOrEqual,
        LessOrEqual if below < tag => Less,
        Greater if below < tag => GreaterOrEqual,
        GreaterOrEqual if below > tag => Greater,
        same => same,
    }
}
