// What a condition says of one number, or of two, found by computing it with others. It holds for
// compiled forms that no rule knows. A number is tried as the host writes it for a value with the
// same tag; what one of some hundred numbers does not bear out is not said.

use super::{
    other_values::readable,
    relation::{
        relation, Equal, Found, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual, Relation,
    },
    shadow::{Id, Kind},
    shapes::too_large,
    term::{compute, number_at, Number, Terms, MOST_STEPS},
};
use crate::wire::why::{Condition, Integer, Term, TermKind};
use std::collections::{BTreeSet, HashSet};

const MOST_NODES: usize = 1_500;
/// Of a remainder.
const MOST_DIVISOR: i128 = 4_096;
const NUMBERS: [&str; 6] = ["u32", "i32", "u64", "i64", "u128", "i128"];

struct Tries<'t, 'a> {
    terms: &'t Terms<'a>,
    decided: Id,
    goes: &'t dyn Fn(u64) -> u32,
    numbers: Vec<Number>,
}

impl Terms<'_> {
    /// What is said of bits, of several parts of one thing, or of what has no name may have a
    /// plainer meaning.
    pub fn plainer(&self, decided: Id, goes: &dyn Fn(u64) -> u32, found: Found) -> Found {
        let is_plain = |term: &Term| match (term.kind, term.operator) {
            (TermKind::Computed, operator) => {
                operator.is_some_and(|operator| "+-*/%".contains(operator))
            }
            _ => true,
        };
        let plain = found.as_ref().is_some_and(|found| {
            found.len() == 1 && found[0].terms.iter().all(|term| all_of(term, &is_plain))
        });
        if plain {
            return found;
        }
        self.by_trying(decided, goes).or(found)
    }

    /// `a >= b` where an earlier branch has found that they differ: they were compared in two steps.
    pub fn strict(&self, number: u32, found: Found) -> Found {
        let found = found?;
        let [held] = &found[..] else { return Some(found) };
        let name = match held.relation {
            "less_or_equal" => Less.name(),
            "greater_or_equal" => Greater.name(),
            _ => return Some(found),
        };
        let branch = &self.shadow.branches[number as usize - 1];
        let own = &self.shadow.activations[branch.activation as usize].branches;
        let before = own.partition_point(|other| *other < number);
        let same = |a: &Term, b: &Term| a.value_xdr.is_some() && a.value_xdr == b.value_xdr;
        let differ = own[before.saturating_sub(3)..before].iter().any(|number| {
            let other = self.of_branch(&self.shadow.branches[*number as usize - 1]);
            matches!(other.as_deref(), Some([Condition { relation: "not_equal", terms, .. }])
                if terms.len() == 2 && held.terms.len() == 2
                    && (same(&terms[0], &held.terms[0]) && same(&terms[1], &held.terms[1])
                        || same(&terms[1], &held.terms[0]) && same(&terms[0], &held.terms[1])))
        });
        match differ {
            true => Some(vec![Condition { relation: name, ..held.clone() }]),
            false => Some(found),
        }
    }

    pub fn by_trying(&self, decided: Id, goes: &dyn Fn(u64) -> u32) -> Found {
        let left = self.left.replace(MOST_STEPS);
        let found = self.of_order(decided, goes).or_else(|| {
            let numbers = self.numbers_in(decided)?;
            let tries = Tries { terms: self, decided, goes, numbers };
            match tries.numbers[..] {
                [_] => tries.one(),
                _ => tries.two(),
            }
        });
        self.left.set(left);
        found.map(|found| vec![found])
    }

    /// The one or two numbers that a condition was computed of.
    fn numbers_in(&self, decided: Id) -> Option<Vec<Number>> {
        let mut leaves = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut open = vec![decided];
        while let Some(id) = open.pop() {
            let node = self.node(id);
            if node.constant || !seen.insert(id) {
                continue;
            }
            if seen.len() > MOST_NODES || leaves.len() > 2 {
                return None;
            }
            if let Some(bits) = self.bits(id) {
                leaves.insert(bits.leaf);
                continue;
            }
            match node.kind {
                Kind::Unary | Kind::Part => open.push(node.a),
                Kind::Binary | Kind::Join => open.extend([node.a, node.b]),
                Kind::Load if self.node(node.b).constant => open.push(node.a),
                Kind::Select => open.extend([node.a, node.b, node.c]),
                Kind::Wide => open.extend(self.shadow.wides[node.c as usize].parts),
                Kind::Unpacked => {
                    leaves.insert(id);
                }
                Kind::Host => {
                    let call = self.host_call(node);
                    if !call.function.contains("obj_to_") {
                        return None;
                    }
                    leaves.insert(self.bits(*call.arguments.first()?)?.leaf);
                }
                _ => return None,
            }
        }
        let numbers = leaves.into_iter().map(|leaf| {
            let number = self.number_of_leaf(leaf)?;
            (number.leaf == Some(leaf)).then_some(number)
        });
        let numbers = numbers.collect::<Option<Vec<_>>>()?;
        (!numbers.is_empty() && numbers.len() < 3).then_some(numbers)
    }

    /// What the host said of the order of two values, computed on.
    fn of_order(&self, decided: Id, goes: &dyn Fn(u64) -> u32) -> Option<Condition> {
        let leaf = self.only_leaf(decided, 0)?;
        let call = self.result_of(leaf, "obj_cmp")?;
        let [one, other] = call.arguments[..] else { return None };
        let actual = goes(self.node(decided).value);
        let mut held = vec![];
        for order in [-1i64, 0, 1] {
            let given =
                super::other_values::Given { leaf, payload: Some(order as u64), number: None };
            held.push(goes(self.evaluate(decided, &[given])?) == actual);
        }
        let plain = match held[..] {
            [false, true, false] => Equal,
            [true, false, true] => NotEqual,
            [true, false, false] => Less,
            [true, true, false] => LessOrEqual,
            [false, false, true] => Greater,
            [false, true, true] => GreaterOrEqual,
            _ => return None,
        };
        let fits = plain.holds(Integer::from(self.node(leaf).value as i64), Integer::ZERO);
        self.ordered(plain, one, other).filter(|_| fits)
    }

    /// `a ∘ b` does not fit the type of the numbers.
    pub fn not_fitting(&self, operator: &'static str, a: Number, b: Number) -> Option<Condition> {
        let made = combined(operator, a.value, b.value)?;
        let unsigned = a.unsigned && b.unsigned;
        let of_type = if unsigned { "u128" } else { "i128" };
        (!fits(of_type, made)).then(|| too_large(operator, a, b, of_type))
    }
}

fn all_of(term: &Term, is: &dyn Fn(&Term) -> bool) -> bool {
    is(term) && term.of.iter().all(|part| all_of(part, is))
}

fn combined(operator: &str, a: Integer, b: Integer) -> Option<Integer> {
    Some(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a.checked_mul(b)?,
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        _ => a & b,
    })
}

fn range(of_type: &str) -> (Integer, Integer) {
    let bits: u32 = of_type[1..].parse().unwrap_or(128);
    match of_type.starts_with('u') {
        true => (Integer::ZERO, (Integer::ONE << bits) - 1),
        false => (-(Integer::ONE << (bits - 1)), (Integer::ONE << (bits - 1)) - 1),
    }
}

fn fits(of_type: &str, number: Integer) -> bool {
    let (least, most) = range(of_type);
    (least..=most).contains(&number)
}

impl Tries<'_, '_> {
    fn leaf(&self, number: usize) -> Id {
        self.numbers[number].leaf.unwrap_or(0)
    }

    /// The numbers that can be tried in the place of one.
    fn domain(&self, number: usize) -> (Integer, Integer) {
        let leaf = self.leaf(number);
        let byte = (Integer::ZERO, Integer::new(255));
        let tag = self.terms.node(leaf).value as u8;
        match self.terms.is_byte(leaf) {
            true => byte,
            false => readable(tag).unwrap_or(byte),
        }
    }

    /// Whether it would have gone the same way. `None`: that cannot be seen.
    fn holds(&self, numbers: &[Integer]) -> Option<bool> {
        let given = numbers.iter().enumerate().map(|(at, of)| self.terms.given(self.leaf(at), *of));
        let given = given.collect::<Option<Vec<_>>>()?;
        let made = self.terms.evaluate(self.decided, &given)?;
        Some((self.goes)(made) == (self.goes)(self.terms.node(self.decided).value))
    }

    /// Numbers at which a condition may change.
    fn samples(&self, number: usize) -> Vec<Integer> {
        let mut constants = BTreeSet::new();
        let mut open = vec![self.decided];
        let mut seen = HashSet::new();
        while let Some(id) = open.pop().filter(|_| seen.len() < MOST_NODES) {
            let node = self.terms.node(id);
            if !seen.insert(id) {
                continue;
            }
            if node.constant {
                constants.insert(node.value);
                continue;
            }
            match node.kind {
                Kind::Select => open.extend([node.a, node.b, node.c]),
                Kind::Wide => open.extend(self.terms.shadow.wides[node.c as usize].parts),
                Kind::Argument | Kind::Host | Kind::Unpacked => {}
                _ => open.extend([node.a, node.b].into_iter().filter(|id| *id > 0)),
            }
        }
        let constants: Vec<u64> = constants.into_iter().take(12).collect();
        let mut near = vec![self.numbers[number].value, Integer::ZERO];
        for one in &constants {
            near.extend([Integer::from(*one), Integer::from(*one as i64)]);
            near.extend([32, 8].map(|shift| Integer::from(*one as i64 >> shift)));
            near.push(Integer::from(*one as u32 as i32));
            let pair = |low: &u64| (i128::from(*one as i64) << 64) | i128::from(*low);
            near.extend(constants.iter().map(|low| Integer::from(pair(low))));
        }
        for bits in [7, 8, 16, 31, 32, 48, 55, 56, 62, 63, 64, 65, 80, 96, 120, 126, 127] {
            let power: Integer = Integer::ONE << bits;
            near.extend([power, -power]);
        }
        let (least, most) = self.domain(number);
        near.extend([least, most]);
        let near = near.into_iter().flat_map(|of| (-2..=2).map(move |more| of + more));
        let within = near.filter(|of| (least..=most).contains(of));
        within.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn one(&self) -> Option<Condition> {
        let number = &self.numbers[0];
        let samples = self.samples(0);
        let tried = samples.iter().filter_map(|of| Some((*of, self.holds(&[*of])?)));
        let tried: Vec<(Integer, bool)> = tried.collect();
        if tried.len() < 8 || !tried.contains(&(number.value, true)) {
            return None;
        }
        let changes = tried.windows(2).filter(|pair| pair[0].1 != pair[1].1);
        let changes: Vec<(Integer, Integer)> = changes.map(|pair| (pair[0].0, pair[1].0)).collect();
        if changes.is_empty() {
            return None;
        }
        if changes.len() > 4 {
            return self.remainder().or_else(|| self.few());
        }
        // Where it changes, exactly.
        let mut edges = vec![];
        for (mut below, mut above) in changes {
            let before = self.holds(&[below])?;
            while above - below > 1 {
                let middle = below + (above - below) / 2;
                match self.holds(&[middle])? == before {
                    true => below = middle,
                    false => above = middle,
                }
            }
            edges.push((below, above));
        }
        let value = number.value;
        let below = edges.iter().rev().find(|(_, above)| *above <= value).map(|edge| edge.1);
        let above = edges.iter().find(|(below, _)| *below >= value).map(|edge| edge.0);
        let held =
            |held: Relation, by: Integer| self.terms.between(held, number.clone(), number_at(by));
        let bounds = |name: &'static str, least: Integer, most: Integer| {
            let term = number.term.clone().with_number(value);
            let values = vec![least.to_string(), most.to_string()];
            Some(Condition { values, ..relation(name, vec![term]) })
        };
        let (first, last) = (samples.first().copied(), samples.last().copied());
        match (below, above, &edges[..]) {
            (Some(least), Some(most), [_, _]) if least == most => held(Equal, least),
            (Some(least), Some(most), [_, _]) => bounds("within", least, most),
            (_, _, [(_, least), (most, _)]) if least == most => held(NotEqual, *least),
            (_, _, [(_, least), (most, _)]) => bounds("outside", *least, *most),
            (Some(least), None, [_]) if Some(least) == last => held(Equal, value),
            (None, Some(most), [_]) if Some(most) == first => held(Equal, value),
            (Some(least), None, [_]) => held(GreaterOrEqual, least),
            (None, Some(most), [_]) => held(LessOrEqual, most),
            _ => None,
        }
    }

    /// The number is, or is not, a multiple of another.
    fn remainder(&self) -> Option<Condition> {
        let number = &self.numbers[0];
        let value = number.value;
        let other = |from: Integer, held: bool| {
            let mut after = (1..MOST_DIVISOR).map(|more| from + more);
            after.find(|of| self.holds(&[*of]) == Some(held))
        };
        let first = other(value, false)?;
        let second = other(first, false)?;
        let samples = self.samples(0);
        let tried = samples.iter().filter_map(|of| Some((*of, self.holds(&[*of])?)));
        let tried: Vec<(Integer, bool)> = tried.collect();
        let by = second - first;
        if by > 1 && tried.iter().all(|(of, held)| (*of % by != 0) == *held) {
            let rest = compute("%", number.clone(), number_at(by))?;
            return self.terms.between(NotEqual, rest, number_at(0));
        }
        let next = other(value, true)?;
        let by = next - value;
        let rest = value % by;
        if by > 1 && tried.iter().all(|(of, held)| (*of % by == rest) == *held) {
            let of = compute("%", number.clone(), number_at(by))?;
            return self.terms.between(Equal, of, number_at(rest));
        }
        None
    }

    /// The number is one of a few.
    fn few(&self) -> Option<Condition> {
        let number = &self.numbers[0];
        let near = (-63..=63).map(|more| number.value + more);
        let near = near.filter(|of| self.holds(&[*of]) == Some(true) && self.is_shifted(*of));
        let found: BTreeSet<Integer> = near.collect();
        (found.contains(&number.value) && found.len() < 13).then(|| Condition {
            values: found.iter().map(Integer::to_string).collect(),
            ..relation("one_of", vec![number.term.clone().with_number(number.value)])
        })
    }

    /// A set of bits has no more of them than it is wide; other checks come before it.
    fn is_shifted(&self, of: Integer) -> bool {
        let given = self.terms.given(self.leaf(0), of);
        let mut open = vec![self.decided];
        while let (Some(id), Some(given)) = (open.pop(), given) {
            let node = self.terms.node(id);
            let shifts = node.kind == Kind::Binary
                && matches!(node.extra, 0x74 | 0x76 | 0x86 | 0x88)
                && self.terms.node(node.a).constant;
            if shifts && !node.constant {
                let by = self.terms.evaluate(node.b, &[given]);
                return by.is_some_and(|by| by < if node.extra > 0x80 { 64 } else { 32 });
            }
            if matches!(node.kind, Kind::Unary | Kind::Binary | Kind::Part) && !node.constant {
                open.extend([node.b, node.a].into_iter().filter(|id| *id > 0));
            }
        }
        false
    }

    /// How two numbers compare, or that they cannot be computed with each other.
    fn two(&self) -> Option<Condition> {
        let [a, b] = &self.numbers[..] else { return None };
        let mut pairs = BTreeSet::from([(a.value, b.value)]);
        let (of_a, of_b) = (self.samples(0), self.samples(1));
        pairs.extend(of_a.iter().map(|x| (*x, b.value)));
        pairs.extend(of_b.iter().map(|y| (a.value, *y)));
        for y in of_b.iter().step_by(of_b.len() / 16 + 1) {
            pairs.extend(of_a.iter().step_by(of_a.len() / 16 + 1).map(|x| (*x, *y)));
        }
        for y in of_b.iter().chain([&b.value]) {
            pairs.extend((-1..=1).map(|more| (*y + more, *y)));
        }
        for of_type in NUMBERS {
            let (least, most) = range(of_type);
            for bound in [least, most] {
                let near = |of: Integer| (-1..=1).map(move |more| of + more);
                pairs.extend(near(bound - b.value).map(|x| (x, b.value)));
                pairs.extend(near(bound - a.value).map(|y| (a.value, y)));
                pairs.extend(near(bound + b.value).map(|x| (x, b.value)));
                pairs.extend(near(a.value - bound).map(|y| (a.value, y)));
                pairs.extend(
                    bound.checked_div(b.value).into_iter().flat_map(near).map(|x| (x, b.value)),
                );
                pairs.extend(
                    bound.checked_div(a.value).into_iter().flat_map(near).map(|y| (a.value, y)),
                );
            }
        }
        let tried = pairs.into_iter().filter_map(|(x, y)| Some((x, y, self.holds(&[x, y])?)));
        let tried: Vec<(Integer, Integer, bool)> = tried.collect();
        let both = tried.iter().any(|of| of.2) && tried.iter().any(|of| !of.2);
        if tried.len() < 16 || !both || !tried.contains(&(a.value, b.value, true)) {
            return None;
        }
        let bears = |of: &dyn Fn(Integer, Integer) -> Option<bool>| {
            tried.iter().all(|(x, y, held)| of(*x, *y).is_none_or(|of| of == *held))
        };
        for held in [Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual] {
            if bears(&|x, y| Some(held.holds(x, y))) {
                return self.terms.between(held, a.clone(), b.clone());
            }
        }
        for (operator, turned) in [("+", false), ("-", false), ("-", true), ("*", false)] {
            let order = |x, y| if turned { (y, x) } else { (x, y) };
            for of_type in NUMBERS {
                let not_fitting = |x, y| {
                    let (x, y) = order(x, y);
                    combined(operator, x, y).map(|made| !fits(of_type, made))
                };
                if bears(&not_fitting) {
                    let (a, b) = if turned { (b, a) } else { (a, b) };
                    return Some(too_large(operator, a.clone(), b.clone(), of_type));
                }
            }
        }
        for (operator, turned) in [("%", false), ("%", true), ("&", false)] {
            let (first, second) = if turned { (b, a) } else { (a, b) };
            for held in [NotEqual, Equal] {
                let rest = |x, y| {
                    let (x, y) = if turned { (y, x) } else { (x, y) };
                    combined(operator, x, y).map(|made| held.holds(made, Integer::ZERO))
                };
                if bears(&rest) {
                    let made = compute(operator, first.clone(), second.clone())?;
                    return self.terms.between(held, made, number_at(0));
                }
            }
        }
        None
    }
}
