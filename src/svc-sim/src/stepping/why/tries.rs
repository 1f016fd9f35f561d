// Finds what a condition says about one number, or about two, by computing it with others. This
// also works for compiled forms that fit no rule. A number is tried in the host's encoding of a
// value with the same tag. A description counts only if all of some hundred numbers confirm it.

use super::{
    number::{compute, number_at, Number},
    other_values::{readable, Replacement},
    relation::{
        relation, type_of, Equal, Found, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual,
        Relation,
    },
    shadow::{Branch, Id, Kind},
    term::Terms,
};
use crate::wire::why::{Condition, Integer, Term, TermKind};
use std::{
    cell::RefCell,
    collections::{BTreeSet, HashSet},
};

const MOST_NODES: usize = 1_500;
const MOST_STEPS: u32 = 1_500_000;
/// The number of branches before the deciding one that are examined.
const MOST_BEFORE: usize = 32;
/// The greatest divisor that is recognized.
const MOST_DIVISOR: i128 = 4_096;
/// The number of tries of each of two numbers if every try is a run.
const MOST_RUNS: usize = 32;
/// The number of values that one test combines.
const MOST_TOGETHER: usize = 4;
/// The number of other values with which such a test is repeated.
const MOST_ROWS: usize = 24;
/// The number of them that must leave the outcome as it is.
const LEAST_ALIKE: usize = 4;
/// Numbers that rarely decide.
const NEUTRAL: [i32; 4] = [1, 0, 1_000, -1];
const NUMBERS: [&str; 6] = ["u32", "i32", "u64", "i64", "u128", "i128"];

pub struct Tries<'t, 'a> {
    pub terms: &'t Terms<'a>,
    /// The deciding condition; in a loop, the conditions of all rounds.
    pub conditions: Vec<Id>,
    pub by: By<'t>,
    pub numbers: Vec<Tried>,
    /// Earlier branches on the same number, which other numbers may not pass.
    pub before: Vec<&'t Branch>,
    /// Other values that are replaced in every try.
    pub fixed: Vec<Replacement>,
    /// The numbers at which the condition changed.
    pub edges: RefCell<Vec<Integer>>,
}

/// The way to find out what other numbers would lead to.
pub enum By<'t> {
    /// Computes the side that the code would take.
    Computing(&'t dyn Fn(u64) -> u32),
    /// Says whether a run has the same end. `None` if that cannot be determined.
    Running(&'t dyn Fn(&[Replacement]) -> Option<bool>),
}

/// A number that is replaced by others.
#[derive(Clone)]
pub struct Tried {
    pub id: Id,
    /// True if the number was computed, as a machine word.
    pub is_word: bool,
    pub number: Number,
}

impl<'a> Terms<'a> {
    /// A plainer description for conditions on bits, on several parts of one thing, on something
    /// unnamed, or on a number to which a constant was added: so compilers test for a range.
    pub fn simplify(&self, decided: Id, goes: &dyn Fn(u64) -> u32, found: Found) -> Found {
        let is_plain = |term: &Term| match (term.kind, term.operator) {
            (TermKind::Computed, operator) => {
                operator.is_some_and(|operator| "+-*/%".contains(operator))
            }
            _ => true,
        };
        let plain = found.as_ref().is_some_and(|found| {
            found.len() == 1
                && found[0].terms.iter().all(|term| all_of(term, &is_plain))
                && !is_shifted(&found[0])
        });
        if plain {
            return found;
        }
        self.infer_by_computing(decided, goes).or(found)
    }

    /// The strict relation for `a >= b` if an earlier branch found that they differ: they were
    /// compared in two steps.
    pub fn to_strict(&self, number: u32, found: Found) -> Found {
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
            let other = self.read_branch(&self.shadow.branches[*number as usize - 1]);
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

    pub fn infer_by_computing(&self, decided: Id, goes: &dyn Fn(u64) -> u32) -> Found {
        let left = self.left.replace(MOST_STEPS);
        let with = |numbers: Vec<Tried>| {
            let is_wide = |id: Id| matches!(self.node(id).value as u8, 70 | 71);
            let limited = |of: &&Tried| !of.is_word && (numbers.len() == 1 || is_wide(of.id));
            let before = numbers.iter().filter(limited);
            let before = before.flat_map(|of| self.before(decided, of.id)).collect();
            Tries { numbers, before, ..Tries::new(self, &[decided], By::Computing(goes)) }.found()
        };
        let numbers = |words| self.numbers_in(decided, words, 2);
        let found = self
            .read_order(decided, goes)
            .or_else(|| numbers(false).or_else(|| numbers(true)).and_then(with))
            .map(|found| vec![found])
            .or_else(|| self.read_bools(decided, goes))
            .or_else(|| self.each_alone(decided, goes));
        // If not all numbers could be tried, nothing is confirmed.
        let all = self.left.replace(left) > 0;
        found.filter(|_| all)
    }

    /// Reads a test that combines several values that are true or false, as in `a && !b`. Returns
    /// those of which each alone decides, or those that only decide together. `None` if different
    /// ones could have decided otherwise.
    fn read_bools(&self, decided: Id, goes: &dyn Fn(u64) -> u32) -> Found {
        let leaves = self.leaves_in(&[decided], false, MOST_TOGETHER)?;
        let leaves: Vec<Id> = leaves.into_iter().map(|(leaf, _)| leaf).collect();
        let is_bool = |leaf: &Id| {
            let node = self.node(*leaf);
            let is_given = matches!(node.kind, Kind::Argument | Kind::Host | Kind::Unpacked);
            is_given && node.value < 2 && !self.is_byte(*leaf) && self.bits(*leaf).is_some()
        };
        if leaves.len() < 2 || !leaves.iter().all(is_bool) {
            return None;
        }
        let turned = |set: u32| -> Vec<Replacement> {
            let chosen = leaves.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
            let replacement = |leaf: Id| {
                let payload = Some(self.node(leaf).value ^ 1);
                Replacement { leaf, payload, number: None }
            };
            chosen.map(|(_, leaf)| replacement(*leaf)).collect()
        };
        let actual = goes(self.node(decided).value);
        let mut least: Vec<u32> = vec![];
        let mut sets: Vec<u32> = (1..1u32 << leaves.len()).collect();
        sets.sort_by_key(|set| set.count_ones());
        for set in sets {
            let replacements = turned(set);
            let is_more = least.iter().any(|known| set & known == *known);
            let decides = goes(self.evaluate(decided, &replacements)?) != actual;
            if !is_more && decides {
                if !self.comes_with(decided, &replacements) {
                    return None;
                }
                least.push(set);
            }
        }
        let each_alone = least.iter().all(|set| set.count_ones() == 1);
        if least.is_empty() || !(each_alone || least.len() == 1) {
            return None;
        }
        let deciding = least.into_iter().fold(0, |all, set| all | set);
        let held = |replacement: Replacement| self.truth_of(replacement.leaf);
        Some(turned(deciding).into_iter().map(held).collect())
    }

    /// Says whether the latest branches before a condition go the same way with other values.
    fn comes_with(&self, decided: Id, replacements: &[Replacement]) -> bool {
        let at = self.node(decided).at as usize;
        self.shadow.branches[..at].iter().rev().take(MOST_BEFORE).all(|branch| {
            let made = self.evaluate(branch.condition, replacements);
            made.is_none_or(|made| self.goes(branch, made) == self.goes(branch, branch.value))
        })
    }

    /// What held for each of several numbers that one test combines, as in `a < 0 || b < 0`. What
    /// is said of one must be the same whatever the others are, unless these decide alone.
    fn each_alone(&self, decided: Id, goes: &dyn Fn(u64) -> u32) -> Found {
        let numbers = self.numbers_in(decided, false, MOST_TOGETHER)?;
        if numbers.len() < 2 || numbers.iter().any(|number| self.is_byte(number.id)) {
            return None;
        }
        let others = |id: Id| numbers.iter().filter(move |other| other.id != id);
        // Where others decide alone, they do so in one direction: else it is a sum that decides.
        let directions = RefCell::new(BTreeSet::<bool>::new());
        let found = |number: &Tried, fixed: Vec<Replacement>| {
            let alone = self.alone(decided, goes, number, fixed);
            let found = alone.found()?;
            let row = alone.row()?;
            let mut alike = 0;
            for other in others(number.id) {
                let of_other = self.alone(decided, goes, other, vec![]);
                let own = other.number.value;
                let near = [own - 2, own - 1, own + 1, own + 2];
                let samples = of_other.samples(0);
                let step = samples.len() / MOST_ROWS + 1;
                for of in near.into_iter().chain(samples.into_iter().step_by(step)) {
                    let Some(changed) = self.replacement(other.id, of) else { continue };
                    let rest = alone.fixed.iter().filter(|known| known.leaf != other.id);
                    let fixed = rest.copied().chain([changed]).collect();
                    let edges = alone.edges.clone();
                    let beside = Tries { edges, ..self.alone(decided, goes, number, fixed) };
                    let Some(made) = beside.row() else { continue };
                    let is_constant = made.windows(2).all(|pair| pair[0] == pair[1]);
                    if made != row && !is_constant {
                        return None;
                    }
                    directions.borrow_mut().extend(made.first().filter(|_| is_constant));
                    alike += usize::from(made == row);
                }
            }
            (alike >= LEAST_ALIKE).then_some(found)
        };
        let held: Vec<Condition> =
            numbers.iter().filter_map(|number| found(number, vec![])).collect();
        if !held.is_empty() {
            return (directions.borrow().len() < 2).then_some(held);
        }
        directions.borrow_mut().clear();
        // Several of them decide alone: each is tried with the others at a number that does not.
        let with_neutral = |number: &Tried| {
            NEUTRAL.into_iter().find_map(|of| {
                let fixed = others(number.id).map(|other| self.replacement(other.id, of.into()));
                found(number, fixed.collect::<Option<Vec<_>>>()?)
            })
        };
        let held: Vec<Condition> = numbers.iter().filter_map(with_neutral).collect();
        let is_sum = directions.borrow().len() > 1;
        (held.len() > 1 && !is_sum).then_some(held)
    }

    /// Tries of one number, while others are replaced.
    fn alone<'t>(
        &'t self,
        decided: Id,
        goes: &'t dyn Fn(u64) -> u32,
        number: &Tried,
        fixed: Vec<Replacement>,
    ) -> Tries<'t, 'a> {
        let before = self.before(decided, number.id);
        let numbers = vec![number.clone()];
        Tries { numbers, before, fixed, ..Tries::new(self, &[decided], By::Computing(goes)) }
    }

    /// The latest branches before a condition that tested only this number.
    fn before(&self, decided: Id, number: Id) -> Vec<&Branch> {
        let at = self.node(decided).at as usize;
        let latest = self.shadow.branches[..at].iter().rev().take(MOST_BEFORE);
        let on_it = latest.filter(|branch| {
            let numbers = self.numbers_in(branch.condition, false, 2);
            matches!(numbers.as_deref(), Some([only]) if only.id == number)
        });
        on_it.take(8).collect()
    }

    /// The few numbers from which a condition was computed. With `words`, a machine word
    /// counts if the code computed one from several numbers.
    fn numbers_in(&self, decided: Id, words: bool, most: usize) -> Option<Vec<Tried>> {
        let numbers = self.leaves_in(&[decided], words, most)?.into_iter().map(|(id, is_word)| {
            let number = if is_word { self.number(id, 0) } else { self.number_of_leaf(id) };
            Some(Tried { id, is_word, number: number? })
        });
        let numbers = numbers.collect::<Option<Vec<_>>>()?;
        (!numbers.is_empty()).then_some(numbers)
    }

    /// The values from which conditions were computed, and whether each is such a word. `None` if
    /// there are too many or some are of another kind.
    pub fn leaves_in(
        &self,
        conditions: &[Id],
        words: bool,
        most: usize,
    ) -> Option<BTreeSet<(Id, bool)>> {
        let mut found = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut open = conditions.to_vec();
        while let Some(id) = open.pop() {
            let node = self.node(id);
            if node.constant || !seen.insert(id) {
                continue;
            }
            if seen.len() > MOST_NODES || found.len() > most {
                return None;
            }
            if let Some(bits) = self.bits(id) {
                let number = self.byte_of_number(bits.leaf).map_or(bits.leaf, |(number, _)| number);
                found.insert((number, false));
                continue;
            }
            let computed = words && node.kind == Kind::Binary && node.extra > 0x78;
            if computed && self.number(id, 0).is_some_and(|of| of.term.operator.is_some()) {
                found.insert((id, true));
                continue;
            }
            match node.kind {
                Kind::Unary | Kind::Part => open.push(node.a),
                Kind::Binary | Kind::Join => open.extend([node.a, node.b]),
                Kind::Load if self.node(node.b).constant => open.push(node.a),
                Kind::Select => open.extend([node.a, node.b, node.c]),
                Kind::Wide => open.extend(self.shadow.wides[node.c as usize].parts),
                Kind::Unpacked => {
                    let number = self.byte_of_number(id).map_or(id, |(number, _)| number);
                    found.insert((number, false));
                }
                Kind::Host => {
                    let call = self.host_call(node);
                    if !call.function.contains("obj_to_") {
                        return None;
                    }
                    found.insert((self.bits(*call.arguments.first()?)?.leaf, false));
                }
                _ => return None,
            }
        }
        (found.len() <= most).then_some(found)
    }

    /// A condition computed from the host's comparison of two values.
    fn read_order(&self, decided: Id, goes: &dyn Fn(u64) -> u32) -> Option<Condition> {
        let leaf = self.only_leaf(decided, 0)?;
        let call = self.result_of(leaf, "obj_cmp")?;
        let [one, other] = call.arguments[..] else { return None };
        let actual = goes(self.node(decided).value);
        let mut held = vec![];
        for order in [-1i64, 0, 1] {
            let replacement = Replacement { leaf, payload: Some(order as u64), number: None };
            held.push(goes(self.evaluate(decided, &[replacement])?) == actual);
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

    /// The condition that `a ∘ b` overflows the type of the numbers.
    pub fn not_fitting(&self, operator: &'static str, a: Number, b: Number) -> Option<Condition> {
        let made = combined(operator, a.value, b.value)?;
        let unsigned = a.unsigned && b.unsigned;
        let of_type = if unsigned { "u128" } else { "i128" };
        (!fits(of_type, made)).then(|| too_large(operator, a, b, of_type))
    }
}

pub fn too_large(operator: &'static str, a: Number, b: Number, of_type: &'static str) -> Condition {
    let of = vec![a.term.with_number(a.value), b.term.with_number(b.value)];
    let term = Term { operator: Some(operator), of, ..Term::of(TermKind::Computed) };
    Condition { of_type: Some(of_type), ..relation("overflow", vec![term]) }
}

/// Says whether a condition compares a number to which a constant was added with a constant.
fn is_shifted(held: &Condition) -> bool {
    let is_constant = |term: &Term| term.kind == TermKind::Constant;
    let by_order = !matches!(held.relation, "equal" | "not_equal");
    let [first, second] = &held.terms[..] else { return false };
    let adds =
        matches!(first.operator, Some("+" | "-")) && first.of.get(1).is_some_and(is_constant);
    by_order && adds && is_constant(second)
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
        "<<" => a & (Integer::ONE << u32::try_from(b).ok().filter(|bit| *bit < 128)?),
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

impl<'t, 'a> Tries<'t, 'a> {
    pub fn new(terms: &'t Terms<'a>, conditions: &[Id], by: By<'t>) -> Tries<'t, 'a> {
        let (numbers, before, fixed, edges) = Default::default();
        Tries { terms, conditions: conditions.to_vec(), by, numbers, before, fixed, edges }
    }

    /// Whether the condition holds for each of the samples and around its edges. `None` if that
    /// cannot be determined for all of them.
    fn row(&self) -> Option<Vec<bool>> {
        let near = self.edges.borrow();
        let near = near.iter().flat_map(|edge| (-2..=2).map(move |more| *edge + more));
        let (least, most) = self.domain(0);
        let samples: BTreeSet<Integer> = self.samples(0).into_iter().chain(near).collect();
        let within = samples.into_iter().filter(|of| (least..=most).contains(of));
        within.filter(|of| self.comes(&[*of])).map(|of| self.holds(&[of])).collect()
    }

    fn number(&self, at: usize) -> &Number {
        &self.numbers[at].number
    }

    /// The range of numbers that can replace a number.
    fn domain(&self, at: usize) -> (Integer, Integer) {
        let Tried { id, is_word, number } = &self.numbers[at];
        if *is_word {
            let signed = !number.unsigned;
            return readable(if signed { 65 } else { 64 }).unwrap_or_default();
        }
        let tag = self.terms.node(*id).value as u8;
        match self.terms.is_byte(*id) {
            true => (Integer::ZERO, Integer::new(255)),
            false => readable(tag).unwrap_or_default(),
        }
    }

    fn replacement(&self, at: usize, of: Integer) -> Option<Replacement> {
        let Tried { id, is_word, .. } = &self.numbers[at];
        let (least, most) = self.domain(at);
        match is_word {
            true if (least..=most).contains(&of) => {
                Some(Replacement { leaf: *id, payload: Some(of.as_u64()), number: Some(of) })
            }
            true => None,
            false => self.terms.replacement(*id, of),
        }
    }

    fn replace_all(&self, numbers: &[Integer]) -> Option<Vec<Replacement>> {
        numbers.iter().enumerate().map(|(at, of)| self.replacement(at, *of)).collect()
    }

    /// Says whether the code would have reached the condition.
    fn comes(&self, numbers: &[Integer]) -> bool {
        let replacement = self.replace_all(numbers).unwrap_or_default();
        self.before.iter().all(|branch| {
            let made = self.terms.evaluate(branch.condition, &replacement);
            made.is_none_or(|made| {
                self.terms.goes(branch, made) == self.terms.goes(branch, branch.value)
            })
        })
    }

    /// Says whether the code would have taken the same side. `None` if that cannot be determined,
    /// or if it would not have reached the condition.
    fn holds(&self, numbers: &[Integer]) -> Option<bool> {
        if !self.comes(numbers) {
            return None;
        }
        let mut replacement = self.replace_all(numbers)?;
        replacement.extend(&self.fixed);
        match self.by {
            By::Computing(goes) => {
                let decided = *self.conditions.first()?;
                let made = self.terms.evaluate(decided, &replacement)?;
                Some(goes(made) == goes(self.terms.node(decided).value))
            }
            By::Running(ends_alike) => ends_alike(&replacement),
        }
    }

    /// Numbers at which a condition may change.
    fn samples(&self, number: usize) -> Vec<Integer> {
        let mut constants = BTreeSet::new();
        let mut open = self.conditions.clone();
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
        let value = self.number(number).value;
        // The neighbours of each number: a set of bits has no other edges.
        let around = if self.is_dear() { 2 } else { 64 };
        let mut near: Vec<Integer> = (-around..=around).map(|more| value + more).collect();
        near.push(Integer::ZERO);
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
        let around = if self.is_dear() { 1 } else { 2 };
        let near = near.into_iter().flat_map(|of| (-around..=around).map(move |more| of + more));
        // Single bits, alone and changed.
        let bits = if self.is_dear() { 0 } else { 253 };
        let bits = (0..bits).map(|bit: u32| Integer::ONE << bit).take_while(|bit| *bit <= most);
        let bits = bits.flat_map(|bit| [bit, -bit, value ^ bit]);
        let within = near.chain(bits).filter(|of| (least..=most).contains(of));
        within.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Says whether each try is a run.
    fn is_dear(&self) -> bool {
        matches!(self.by, By::Running(_))
    }

    pub fn found(&self) -> Option<Condition> {
        match self.numbers[..] {
            [_] => self.one(),
            _ => self.two(),
        }
    }

    fn one(&self) -> Option<Condition> {
        let number = self.number(0);
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
        // The exact numbers at which the condition changes.
        let mut edges = vec![];
        for (mut below, mut above) in changes {
            let before = self.holds(&[below])?;
            while above - below > 1 {
                let middle = below + (above - below) / 2;
                match (self.comes(&[middle]) && self.holds(&[middle])?) == before {
                    true => below = middle,
                    false => above = middle,
                }
            }
            edges.push((below, above));
        }
        self.edges.borrow_mut().extend(edges.iter().map(|edge| edge.1));
        let value = number.value;
        let below = edges.iter().rev().find(|(_, above)| *above <= value).map(|edge| edge.1);
        let above = edges.iter().find(|(below, _)| *below >= value).map(|edge| edge.0);
        let held =
            |held: Relation, by: Integer| self.terms.between(held, number.clone(), number_at(by));
        let bounds = |name: &'static str, least: Integer, most: Integer| {
            let (least, most) = self.as_converted(least, most);
            let term = number.term.clone().with_number(value);
            let values = vec![least.to_string(), most.to_string()];
            Some(Condition { values, ..relation(name, vec![term]) })
        };
        let (first, last) = (samples.first().copied(), samples.last().copied());
        let at_ends =
            [first, last].iter().all(|end| end.is_some_and(|end| tried.contains(&(end, true))));
        // People do not test for one number at the end of its type.
        let is_end = |of: Integer, end: Option<Integer>| end.is_some_and(|end| of == end);
        match (below, above, &edges[..]) {
            (_, _, [(_, least), (most, _)]) if least == most && at_ends => held(NotEqual, *least),
            (Some(least), None, [(low, _), _]) if is_end(*low, first) => {
                held(GreaterOrEqual, least)
            }
            (None, Some(most), [_, (_, high)]) if is_end(*high, last) => held(LessOrEqual, most),
            (Some(least), Some(most), [_, _]) if least == most => held(Equal, least),
            (Some(least), Some(most), [_, _]) => bounds("within", least, most),
            (_, _, [(_, least), (most, _)]) if at_ends => bounds("outside", *least, *most),
            (Some(least), None, [_]) if Some(least) == last => held(Equal, value),
            (None, Some(most), [_]) if Some(most) == first => held(Equal, value),
            (Some(least), None, [_]) => held(GreaterOrEqual, least),
            (None, Some(most), [_]) => held(LessOrEqual, most),
            _ => self.few(),
        }
    }

    /// The bounds of a conversion: code tests in two steps whether a 256-bit number fits 128 bits,
    /// and the first step ignores the sign.
    fn as_converted(&self, least: Integer, most: Integer) -> (Integer, Integer) {
        let is_wide = matches!(self.terms.node(self.numbers[0].id).value as u8, 13 | 71);
        let (low, high) = range("i128");
        let bit: Integer = Integer::ONE << 128;
        match is_wide && (least == -bit || least == low) && (most == bit - 1 || most == high) {
            true => (low, high),
            false => (least, most),
        }
    }

    /// The condition that the number is, or is not, a multiple of another.
    fn remainder(&self) -> Option<Condition> {
        let number = self.number(0);
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

    /// The condition that the number is one of a few.
    fn few(&self) -> Option<Condition> {
        let number = self.number(0);
        if self.is_dear() {
            return None;
        }
        let near = (-63..=63).map(|more| number.value + more);
        let near = near.filter(|of| self.holds(&[*of]) == Some(true) && self.is_shifted(*of));
        let found: BTreeSet<Integer> = near.collect();
        (found.contains(&number.value) && found.len() < 13).then(|| Condition {
            values: found.iter().map(Integer::to_string).collect(),
            ..relation("one_of", vec![number.term.clone().with_number(number.value)])
        })
    }

    /// Says whether the condition looks up a bit of a constant set and `of` is a bit within the
    /// width of the set. Code checks other numbers first.
    fn is_shifted(&self, of: Integer) -> bool {
        let replacement = self.replacement(0, of);
        let mut open = self.conditions.clone();
        while let (Some(id), Some(replacement)) = (open.pop(), replacement) {
            let node = self.terms.node(id);
            let shifts = node.kind == Kind::Binary
                && matches!(node.extra, 0x74 | 0x76 | 0x86 | 0x88)
                && self.terms.node(node.a).constant;
            if shifts && !node.constant {
                let by = self.terms.evaluate(node.b, &[replacement]);
                return by.is_some_and(|by| by < if node.extra > 0x80 { 64 } else { 32 });
            }
            if matches!(node.kind, Kind::Unary | Kind::Binary | Kind::Part) && !node.constant {
                open.extend([node.b, node.a].into_iter().filter(|id| *id > 0));
            }
        }
        false
    }

    /// The relation between two numbers, or the operation on them that overflows.
    fn two(&self) -> Option<Condition> {
        let [Tried { number: a, .. }, Tried { number: b, .. }] = &self.numbers[..] else {
            return None;
        };
        let mut pairs = BTreeSet::from([(a.value, b.value)]);
        let some = |at: usize| {
            let samples = self.samples(at);
            let step = if self.is_dear() { samples.len() / MOST_RUNS + 1 } else { 1 };
            samples.into_iter().step_by(step).collect::<Vec<_>>()
        };
        let (of_a, of_b) = (some(0), some(1));
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
        // Only a few numbers can be tried in runs, so two neighbouring pairs must have different
        // outcomes.
        let next = |x: Integer, y: Integer, other: &(Integer, Integer, bool)| {
            !other.2 && (other.0 - x).abs() + (other.1 - y).abs() == 1
        };
        let is_sharp = |of: &(Integer, Integer, bool)| {
            of.2 && tried.iter().any(|other| next(of.0, of.1, other))
        };
        if self.is_dear() && !tried.iter().any(is_sharp) {
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
            let own = type_of(self.terms.node(self.numbers[0].id).value as u8);
            for of_type in NUMBERS {
                if self.is_dear() && own != Some(of_type) {
                    continue;
                }
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
        let rests = [("%", false), ("%", true), ("&", false), ("<<", false), ("<<", true)];
        for (operator, turned) in rests {
            let (first, second) = if turned { (b, a) } else { (a, b) };
            for held in [NotEqual, Equal] {
                let rest = |x, y| {
                    let (x, y) = if turned { (y, x) } else { (x, y) };
                    combined(operator, x, y).map(|made| held.holds(made, Integer::ZERO))
                };
                if bears(&rest) {
                    let second = second.clone();
                    // The condition on one of its bits.
                    let (operator, second) = match operator {
                        "<<" => ("&", compute("<<", number_at(1), second)?),
                        _ => (operator, second),
                    };
                    let made = compute(operator, first.clone(), second)?;
                    return self.terms.between(held, made, number_at(0));
                }
            }
        }
        None
    }
}
