// Recognizes the forms that compilers give to comparisons: numbers in two halves, numbers packed
// beside a tag, ranges, and sums that overflow.

use super::{
    bits::is_whole,
    number::{compute, number_at, number_in, Number},
    relation::{
        comparison, relation, type_of, upper_word, Equal, Found, Greater, GreaterOrEqual, Less,
        LessOrEqual, NotEqual, Relation,
    },
    shadow::{Id, Kind, Node},
    term::Terms,
};
use crate::{
    wire::why::{Checks, Condition, Integer, Term, TermKind},
    xdr_codec::xdr::ScVal,
};

impl Terms<'_> {
    /// A condition on the host's answer how two values compare.
    pub fn read_host_value(&self, held: Relation, a: Id, by: u64) -> Option<Condition> {
        let call = self.result_of(a, "obj_cmp")?;
        let [one, other] = call.arguments[..] else { return None };
        let (order, by) = (self.node(a).value as i64, by as i64);
        let plain = match (held, by) {
            (held, 0) => held,
            (Equal, -1) => Less,
            (Equal, 1) => Greater,
            (NotEqual, -1) => GreaterOrEqual,
            (NotEqual, 1) => LessOrEqual,
            _ => return None,
        };
        let order = Integer::from(order);
        if !held.holds(order, by.into()) || !plain.holds(order, Integer::ZERO) {
            return None;
        }
        self.ordered(plain, one, other)
    }

    /// A comparison of two values that the host made.
    pub fn ordered(&self, held: Relation, one: Id, other: Id) -> Option<Condition> {
        let numbers = |id: Id| self.number_of_leaf(self.bits(id)?.leaf);
        if let [Some(a), Some(b)] = [one, other].map(numbers) {
            return self.between(held, a, b);
        }
        // For values without an order that people know, one side of `!=` is not a reason.
        let has_order = |id: Id| matches!(self.node(id).value as u8, 12 | 13 | 70 | 71 | 72 | 77);
        let plain = matches!(held, Equal | NotEqual) || has_order(one) && has_order(other);
        let (one, other) = match self.node(one).constant {
            true => (other, one),
            false => (one, other),
        };
        plain.then(|| relation(held.name(), vec![self.term(one), self.term(other)]))
    }

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

    /// A comparison of a whole payload with a constant.
    pub fn read_payload(&self, held: Relation, signed: bool, a: Id, by: u64) -> Option<Condition> {
        let node = self.node(a);
        let above = node.kind == Kind::Binary
            && node.extra == 0x83
            && self.constant_of(node.b) == Some(0xffff_ffff_0000_0000);
        let bits = self.bits(if above { node.a } else { a }).filter(is_whole)?;
        let value =
            self.node(bits.leaf).value & if above { 0xffff_ffff_0000_0000 } else { u64::MAX };
        if above && self.node(bits.leaf).value as u8 != 4 {
            return None;
        }
        let term = self.leaf(bits.leaf);
        if above && matches!(held, Equal | NotEqual) {
            let number = self.number_of_leaf(bits.leaf)?;
            let exact = by as u32 == 0;
            return self
                .between(held, number, number_at(Integer::from(by >> 32)))
                .filter(|_| exact);
        }
        if matches!(held, Equal | NotEqual) {
            let other = self.payload(by).filter(|_| (by as u8) < 64 && (value as u8) < 64)?;
            if (value == by) != (held == Equal) {
                return None;
            }
            if let (Some(a), Some(b)) = (self.number_of_leaf(bits.leaf), number_in(&other)) {
                if value as u8 == by as u8 {
                    return self.between(held, a, number_at(b));
                }
            }
            if let ScVal::Void = other {
                if term.kind == TermKind::Key {
                    let name = if held == Equal { "absent" } else { "present" };
                    return Some(relation(name, vec![term]));
                }
                let name = if held == Equal { "is_type" } else { "not_type" };
                return Some(Condition { of_type: Some("void"), ..relation(name, vec![term]) });
            }
            let xdr = (self.value_of.borrow_mut())(by)?;
            let value_xdr = Some(crate::xdr_codec::to_base64(&xdr));
            let other = Term { value_xdr, ..Term::of(TermKind::Constant) };
            return Some(relation(held.name(), vec![term, other]));
        }
        // A number above its tag.
        let number = self.number_of_leaf(bits.leaf)?;
        let shift = match self.node(bits.leaf).value as u8 {
            4 => 32,
            6 | 8 | 9 | 10 | 12 => 8,
            _ => return None,
        };
        if signed && by >> 63 != 0 {
            return None;
        }
        let (above, below) = (Integer::from(by >> shift), by & ((1 << shift) - 1));
        let tag = value & ((1 << shift) - 1);
        let plain = above_tag(held, below as u32, tag as u32);
        self.between(plain, number, number_at(above))
    }

    /// A comparison of two whole payloads.
    pub fn read_payloads(&self, held: Relation, a: Id, b: Id) -> Option<Condition> {
        let (a, b) = (self.bits(a).filter(is_whole)?, self.bits(b).filter(is_whole)?);
        let (x, y) = (self.node(a.leaf).value, self.node(b.leaf).value);
        let small = (x as u8) < 64 && (y as u8) < 64 && x as u8 == y as u8;
        if !small {
            return None;
        }
        match (self.number_of_leaf(a.leaf), self.number_of_leaf(b.leaf)) {
            (Some(a), Some(b)) => self.between(held, a, b),
            _ if matches!(held, Equal | NotEqual) && (x == y) == (held == Equal) => {
                Some(relation(held.name(), vec![self.leaf(a.leaf), self.leaf(b.leaf)]))
            }
            _ => None,
        }
    }

    /// The form `a ^ b <= 0xffffffff` of two payloads that have their number in the upper half.
    pub fn read_difference(&self, held: Relation, a: Id, by: u64) -> Option<Condition> {
        let node = self.node(a);
        if node.kind != Kind::Binary || node.extra != 0x85 {
            return None;
        }
        let plain = match (held, by) {
            (LessOrEqual, 0xffff_ffff) | (Less, 0x1_0000_0000) => Equal,
            (Greater, 0xffff_ffff) | (GreaterOrEqual, 0x1_0000_0000) => NotEqual,
            _ => return None,
        };
        let side = |id: Id| {
            let leaf = self.bits(id).filter(is_whole)?.leaf;
            let narrow = matches!(self.node(leaf).value as u8, 4 | 5);
            self.number_of_leaf(leaf).filter(|_| narrow)
        };
        self.between(plain, side(node.a)?, side(node.b)?)
    }

    /// The forms `lo | hi` and `(lo ^ lo') | (hi ^ hi')`, compared with zero.
    pub fn read_zero_parts(&self, held: Relation, a: Id, by: u64) -> Option<Condition> {
        let node = self.node(a);
        let differs = node.kind == Kind::Binary && matches!(node.extra, 0x73 | 0x85) && by == 0;
        if differs && matches!(held, Equal | NotEqual) {
            let (a, b) = (self.number(node.a, 0)?, self.number(node.b, 0)?);
            return self.between(held, a, b);
        }
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
            let masks = |id: Id| {
                let node = self.node(id);
                (node.kind == Kind::Binary && node.extra == 0x83).then_some([node.a, node.b])
            };
            if let (Some(lows), Some(highs)) = (masks(lo), masks(hi)) {
                for highs in [highs, [highs[1], highs[0]]] {
                    let a = self.pair(lows[0], highs[0], 0);
                    let b = self.pair(lows[1], highs[1], 0);
                    if let Some(masked) = a.zip(b).and_then(|(a, b)| compute("&", a, b)) {
                        return self.between(held, masked, number_at(0));
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
        if !signed {
            return None;
        }
        let plain = match (held, by as i64) {
            (Less, 0) | (LessOrEqual, -1) => Less,
            (GreaterOrEqual, 0) | (Greater, -1) => GreaterOrEqual,
            _ => return None,
        };
        if let Some(number) = self.upper_half(a) {
            return self.between(plain, number, number_at(0));
        }
        self.sign_of_sum(a).filter(|_| plain == Less)
    }

    /// The form `(~(a ^ b) & (a ^ (a + b)))` of the upper halves. It is negative if the sum
    /// overflows.
    pub fn sign_of_sum(&self, id: Id) -> Option<Condition> {
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

    /// A test whether the bits above the lower half of a product or a sum are zero.
    pub fn read_carry(&self, held: Relation, a: Id, by: u64, narrow: bool) -> Option<Condition> {
        let node = self.node(a);
        let made = match (node.kind, node.extra) {
            (Kind::Binary, 0x88) if self.constant_of(node.b) == Some(32) => node.a,
            (Kind::Unary, 0xa7) if narrow => {
                return self.read_carry(held, node.a, by, false);
            }
            (Kind::Binary, 0x7c | 0x7e) if held == Greater && by == u64::from(u32::MAX) => a,
            _ => return None,
        };
        let fits = matches!((held, by), (NotEqual, 0) | (Greater, 0))
            || held == Greater && by == u64::from(u32::MAX);
        let made = self.node(made);
        let operator = match (made.kind, made.extra) {
            (Kind::Binary, 0x7c) => "+",
            (Kind::Binary, 0x7e) => "*",
            _ => return None,
        };
        let (a, b) = (self.number(made.a, 0)?, self.number(made.b, 0)?);
        let value = match operator {
            "+" => a.value + b.value,
            _ => a.value.checked_mul(b.value)?,
        };
        let is_so = fits && value == Integer::from(made.value) && value > Integer::from(u32::MAX);
        is_so.then(|| too_large(operator, a, b, "u32"))
    }

    /// The form `x - least <= most - least`, which is one unsigned comparison.
    pub fn read_range(
        &self,
        held: Relation,
        signed: bool,
        a: Id,
        by: u64,
        narrow: bool,
    ) -> Option<Condition> {
        let node = self.node(a);
        let sum = node.kind == Kind::Binary && matches!(node.extra, 0x6a | 0x6b | 0x7c | 0x7d);
        if !sum || signed || matches!(held, Equal | NotEqual) {
            return None;
        }
        let mut size = Integer::ONE << if narrow { 32 } else { 64 };
        let shift: Integer = Integer::from(self.constant_of(node.b)?) % size;
        let mut shift = if matches!(node.extra, 0x6a | 0x7c) { shift } else { size - shift };
        let packed = self.bits(node.a).filter(|bits| {
            is_whole(bits) && self.node(bits.leaf).value as u8 == 4 && shift.as_u32() == 0
        });
        let (mut held, mut by) = (held, by);
        let number = match packed {
            Some(bits) => {
                (held, size, shift) =
                    (above_tag(held, by as u32, 4), Integer::ONE << 32, shift >> 32);
                by >>= 32;
                self.number_of_leaf(bits.leaf)?
            }
            None => self.number(node.a, 0)?,
        };
        if number.term.kind == TermKind::Constant {
            return None;
        }
        let by = Integer::from(by);
        // The numbers for which it holds, moved by the shift.
        let (first, last) = match held {
            Less => (Integer::ZERO, by - 1),
            LessOrEqual => (Integer::ZERO, by),
            Greater => (by + 1, size - 1),
            _ => (by, size - 1),
        };
        let (first, last) = ((first - shift).rem_euclid(size), (last - shift).rem_euclid(size));
        let term = number.term.clone().with_number(number.value);
        let bounds = |least: Integer, most: Integer| vec![least.to_string(), most.to_string()];
        let leaf = number.leaf.unwrap_or(0);
        let checks = |least: Integer, most: Integer, inside: bool| {
            let near = [least - 1, least, most, most + 1].into_iter();
            let numbers = near.map(|at| (at, (least..=most).contains(&at) == inside)).collect();
            Checks { leaf, numbers }
        };
        if number.value < 0 {
            // In the unsigned comparison a negative number is greater than every other one.
            let (least, most) =
                if first > last { (last + 1, first - 1) } else { (Integer::ZERO, first - 1) };
            let is_outside = (first > last || last == size - 1) && most < size / 2;
            return (is_outside && least <= most).then(|| Condition {
                values: bounds(least, most),
                checks: checks(least, most, false),
                ..relation("outside", vec![term])
            });
        }
        if first <= last {
            let inside = (first..=last).contains(&number.value);
            return match (first, last == size - 1) {
                _ if !inside => None,
                (Integer::ZERO, _) => self.between(LessOrEqual, number, number_at(last)),
                (_, true) => self.between(GreaterOrEqual, number, number_at(first)),
                _ => Some(Condition {
                    values: bounds(first, last),
                    checks: checks(first, last, true),
                    ..relation("within", vec![term])
                }),
            };
        }
        let (least, most) = (last + 1, first - 1);
        let outside = !(least..=most).contains(&number.value);
        outside.then(|| Condition {
            values: bounds(least, most),
            checks: checks(least, most, false),
            ..relation("outside", vec![term])
        })
    }

    /// A sum that is less than one of its parts, and similar tests of an overflow.
    pub fn overflow(&self, node: &Node, truth: bool) -> Option<Condition> {
        let narrow = node.extra < 0x50;
        let (relation, signed) = comparison(node.extra)?;
        let held = relation.when(truth);
        if !signed && matches!(held, Less | Greater) {
            let (sum, part) = if held == Less { (node.a, node.b) } else { (node.b, node.a) };
            let made = self.node(sum);
            if made.kind == Kind::Binary && matches!(made.extra, 0x6a | 0x7c) {
                let is_part = [made.a, made.b].iter().any(|id| self.is_same(*id, part));
                let (a, b) = (self.number(made.a, 0)?, self.number(made.b, 0)?);
                let size = Integer::ONE << if narrow { 32 } else { 64 };
                let value = a.value + b.value;
                let wraps = a.value >= 0 && b.value >= 0 && value >= size;
                return (is_part && wraps && value % size == Integer::from(made.value))
                    .then(|| too_large("+", a, b, if narrow { "u32" } else { "u64" }));
            }
        }
        // The form (b < 0) != (a + b < a) of signed numbers.
        let differs = matches!(relation, Equal | NotEqual) && (relation == NotEqual) == truth;
        let sides = [self.node(node.a), self.node(node.b)];
        let is_less = |node: &&Node| {
            node.kind == Kind::Binary && matches!(node.extra, 0x48 | 0x53 | 0x4a | 0x55)
        };
        if !differs || !sides.iter().all(is_less) {
            return None;
        }
        for side in sides {
            for id in [side.a, side.b] {
                let made = self.node(id);
                let operator = match (made.kind, made.extra) {
                    (Kind::Binary, 0x6a | 0x7c) => "+",
                    (Kind::Binary, 0x6b | 0x7d) => "-",
                    _ => continue,
                };
                let wide = made.extra > 0x70;
                let signed = |id: Id| {
                    let number = self.number(id, 0)?;
                    Some(match (self.constant_of(id), wide) {
                        (Some(value), true) => number_at(Integer::from(value as i64)),
                        (Some(value), false) => number_at(Integer::from(value as u32 as i32)),
                        _ => number,
                    })
                };
                let (a, b) = (signed(made.a)?, signed(made.b)?);
                let value = if operator == "+" { a.value + b.value } else { a.value - b.value };
                let most = if wide { Integer::from(i64::MAX) } else { Integer::from(i32::MAX) };
                let same = match wide {
                    true => value.as_u64() == made.value,
                    false => u64::from(value.as_u32()) == made.value,
                };
                if same && (value > most || value < -most - 1) {
                    return Some(too_large(operator, a, b, if wide { "i64" } else { "i32" }));
                }
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

pub fn too_large(operator: &'static str, a: Number, b: Number, of_type: &'static str) -> Condition {
    let of = vec![a.term.with_number(a.value), b.term.with_number(b.value)];
    let term = Term { operator: Some(operator), of, ..Term::of(TermKind::Computed) };
    Condition { of_type: Some(of_type), ..relation("overflow", vec![term]) }
}
