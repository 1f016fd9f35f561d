// Separates what belongs to a reason from what only looks like one. A check may be one of several
// of which one has to hold, `a || b || c`, written as one condition or as several returns: the code
// fails at the last one, and each of them would have let it pass. Either all are named, or none.
// The begin or the end of a loop is not a reason either: the reason is what the loop found.

use super::{
    flow::{reaches, successors, EXIT},
    relation::{relation, type_of},
    reruns::{Ending, Place, MOST_INSTRUCTIONS},
    shadow::{Branch, HostCall, Id, Kind, Node, Shadow},
    slice::{Joined, Reason, Slicer},
    term::{Terms, MOST_STEPS},
};
use crate::{
    stepping::code::{Code, Op},
    wire::why::{Condition, Term, TermKind},
    xdr_codec::{decode, from_base64, xdr::ScVal},
};
use std::{
    collections::{BTreeSet, HashSet},
    ops::RangeInclusive,
};

/// The largest number of alternatives that are named one by one.
const MOST_ALTERNATIVES: usize = 16;
/// The number of branches before and after the deciding one that are examined.
const MOST_BEFORE: usize = 64;
const MOST_AFTER: usize = 16;
const MOST_NODES: usize = 4_000;
/// The number of bytes of one value that code compares at least if it compares them as a text.
const LEAST_BYTES: usize = 3;
/// The number of nodes of one condition among which values are searched.
const MOST_TESTED: usize = 600;

/// Says whether a branch only tests a type, which the value has.
type Passed<'p> = &'p dyn Fn(&Branch) -> bool;

/// Says whether a condition states that a value is not another one, or is absent.
fn is_refusal(held: &Condition) -> bool {
    matches!(held.relation, "not_equal" | "not_one_of" | "absent")
        || held.relation == "is_type" && matches!(held.of_type, Some("void" | "error"))
}

fn is_absence(held: &Condition) -> bool {
    held.relation == "absent" && held.terms.iter().all(|term| term.kind == TermKind::Entry)
}

/// Says whether a condition is a clause of its own beside others, as in `paused && amount > 0`: it
/// compares a number, or is about something that is true or false.
fn is_clause(held: &Condition) -> bool {
    let is_number = held.terms.iter().any(|term| term.number.is_some());
    let is_length = held.terms.iter().any(|term| term.kind == TermKind::Length);
    let by_order =
        matches!(held.relation, "less" | "less_or_equal" | "greater" | "greater_or_equal");
    let is_flag = held.relation == "equal" && !is_number && held.terms.iter().any(is_bool);
    is_refusal(held) || by_order && !is_length || is_flag
}

fn is_bool(term: &Term) -> bool {
    let xdr = term.value_xdr.as_ref().and_then(|xdr| from_base64(xdr, "value").ok());
    let value = xdr.and_then(|xdr| decode::<ScVal>(&xdr, "value").ok());
    matches!(value, Some(ScVal::Bool(_)))
}

impl Terms<'_> {
    /// What held, with what held at the other checks that would have let it pass. `control` is the
    /// branch that decided that the last check was made; `condition` is that check's; `number` is
    /// its branch, if it is one. `None` if there are other checks and not all of them can be
    /// described.
    pub fn with_alternatives(
        &self,
        (control, condition): (u32, Id),
        number: Option<u32>,
        passed: Passed,
        found: Vec<Condition>,
    ) -> Option<Vec<Condition>> {
        let is_plain = found.iter().all(is_refusal);
        if !is_plain && number.is_none() {
            return Some(found);
        }
        self.instructions.set(MOST_INSTRUCTIONS);
        let symbol = number.and_then(|number| self.compared_symbol(number));
        let by_name = symbol.and_then(|leaf| self.among_names(leaf, self.place_of(number?)));
        let is_name = |decided: Option<u32>| {
            let compared = decided.and_then(|decided| self.compared_symbol(decided));
            by_name.is_some() && compared.is_some() && compared == symbol
        };
        // A name that is known leads to this end as well as an unknown one.
        let is_a_name = |held: &Condition| held.relation == "equal" && held.terms.len() == 2;
        if let (Some(held), [only]) = (&by_name, &found[..]) {
            if is_a_name(only) {
                return Some(vec![held.clone()]);
            }
        }
        self.instructions.set(MOST_INSTRUCTIONS);
        let mut all = vec![];
        for Check { at, decided } in self.checks_before(control, passed) {
            if self.only_counts(at, decided, passed) || is_name(decided) {
                continue;
            }
            let ending = self.end_if_turned(at);
            if matches!(ending, Ending::Fails | Ending::Alike) {
                continue;
            }
            let leads_alike = number.is_some_and(|number| lead_alike(self.shadow, at, number));
            let is_joined = leads_alike
                && ending != Ending::Unseen
                && number.is_some_and(|number| !self.asks_between(at, number))
                && number
                    .is_some_and(|number| decided.is_some_and(|at| self.test_others(at, number)));
            if !is_plain && !is_joined {
                continue;
            }
            match decided.and_then(|decided| self.held_at(decided)) {
                Some(held) if is_joined && held.iter().all(is_clause) => all.push(held),
                // One part of a joined condition does not say what the whole asks.
                Some(_) if is_joined => {}
                None if !is_plain => {}
                // A part of a name, of which the whole would have let it pass.
                Some(held) if !held.iter().all(is_refusal) => {
                    let tests_it =
                        |decided: u32| symbol.is_some_and(|leaf| self.tests_symbol(decided, leaf));
                    if by_name.is_none() && decided.is_some_and(tests_it) {
                        return None;
                    }
                }
                Some(held) if leads_alike || share_subject(&held, &found, false) => all.push(held),
                Some(held) if ending != Ending::Unseen && share_subject(&held, &found, true) => {
                    all.push(held);
                }
                // With that entry the code could not have come here, but perhaps to the same end.
                Some(held) if ending == Ending::Passes && held.iter().all(is_absence) => {
                    self.others.borrow_mut().extend(held);
                }
                Some(_) => {}
                None if leads_alike => return None,
                // The check cannot be identified, and it would have let this value pass.
                None if ending == Ending::Succeeds
                    && decided.is_none_or(|decided| self.share_leaf(decided, condition)) =>
                {
                    return None;
                }
                None => {}
            }
            if all.len() > MOST_ALTERNATIVES {
                return None;
            }
        }
        all.reverse();
        // A name that leads to another failure is no way out.
        let is_name = |held: &[Condition]| held.iter().all(|held| held.relation == "not_equal");
        let is_last_way_out = || {
            number.is_none_or(|number| {
                !matches!(self.end_if_turned(number), Ending::Fails | Ending::Alike)
            })
        };
        let is_dropped =
            symbol.is_some() && by_name.is_none() && is_name(&found) && !all.is_empty();
        if !is_dropped || is_last_way_out() {
            all.push(by_name.map_or(found, |held| vec![held]));
        }
        Some(together(all.into_iter().flatten().collect()))
    }

    /// Says whether the code asked the host for something between two branches. Conversions and
    /// comparisons are a part of a condition.
    fn asks_between(&self, one: u32, other: u32) -> bool {
        let [first, last] = [one.min(other), one.max(other)]
            .map(|number| self.shadow.branches[number as usize - 1].step);
        let asks = |call: &HostCall| !call.function.contains("obj_");
        let between = self.shadow.host_calls.iter().filter(|call| {
            let at = self.track.calls_at.get(call.number).copied();
            at.is_some_and(|at| (first..last).contains(&at))
        });
        between.filter(|call| asks(call)).count() > 0
    }

    /// The branches that may have been joined with the deciding one into one condition.
    pub fn joined_with(&self, number: u32, joined: &Joined) -> BTreeSet<u32> {
        let Joined { values, chosen } = joined;
        let is_one = || chosen.iter().any(|other| lead_alike(self.shadow, number, *other));
        let mut found = match values.contains(&number) || is_one() {
            true => values.clone(),
            false => BTreeSet::new(),
        };
        found.remove(&number);
        found
    }

    /// The same, with what held at the branches that one condition joined with the deciding one, of
    /// which each alone would have let it pass. `None` if one of them cannot be described.
    pub fn with_joined(
        &self,
        joined: &BTreeSet<u32>,
        decided: u32,
        passed: Passed,
        mut found: Vec<Condition>,
    ) -> Option<Vec<Condition>> {
        self.instructions.set(MOST_INSTRUCTIONS);
        let is_plain = found.iter().all(is_refusal);
        let op_of = |number: u32| self.shadow.branches[number as usize - 1].op;
        let is_other = |number: &u32| {
            let is_again = op_of(*number) == op_of(decided);
            *number != decided && !is_again && !self.only_counts(*number, Some(*number), passed)
        };
        for number in joined.iter().copied().filter(is_other) {
            let ending = self.end_if_turned(number);
            if matches!(ending, Ending::Fails | Ending::Alike) {
                continue;
            }
            match self.held_at(number) {
                // What the code would have done with something that is there cannot be seen.
                Some(held)
                    if held.iter().all(is_clause)
                        && (ending != Ending::Unseen || held.iter().all(is_refusal)) =>
                {
                    found.extend(held);
                }
                None if is_plain => return None,
                _ => {}
            }
        }
        Some(together(found))
    }

    fn place_of(&self, number: u32) -> Place {
        let branch = &self.shadow.branches[number as usize - 1];
        self.shadow.place(branch.op, branch.activation)
    }

    /// The values that a branch tests, directly or by the host's comparison. `None` if there are too
    /// many.
    fn tested_values(&self, number: u32) -> Option<BTreeSet<Id>> {
        let (mut found, mut seen) = (BTreeSet::new(), HashSet::new());
        let mut open = vec![self.shadow.branches[number as usize - 1].condition];
        while let Some(id) = open.pop() {
            let node = self.node(id);
            if node.constant || !seen.insert(id) {
                continue;
            }
            if seen.len() > MOST_TESTED {
                return None;
            }
            if let Some(bits) = self.bits(id) {
                found.insert(bits.leaf);
            } else if self.is_byte(id) {
                found.insert(id);
            } else if node.kind == Kind::Host {
                open.extend(&self.host_call(node).arguments);
            } else {
                open.extend(operands(node).into_iter().filter(|id| *id > 1));
            }
        }
        Some(found)
    }

    /// Says whether a branch tests a letter of a text that the code compares letter by letter: no
    /// letter alone is then a reason.
    pub fn tests_a_letter(&self, number: u32) -> bool {
        let letters = |number: u32| {
            let tested = self.tested_values(number).unwrap_or_default().into_iter();
            tested.filter(|id| self.is_byte(*id) && self.byte_of_number(*id).is_none())
        };
        let Some(own) = letters(number).next().map(|id| self.node(id).c) else { return false };
        let all = 1..=self.shadow.branches.len() as u32;
        let all = all.rev().take(MOST_NODES).flat_map(letters);
        let of_text = all.filter(|id| self.node(*id).c == own).map(|id| self.node(id).b);
        // Bytes may have fields.
        let is_data = self.shadow.host_calls[own as usize].function.starts_with("bytes");
        of_text.collect::<BTreeSet<_>>().len() >= if is_data { LEAST_BYTES } else { 2 }
    }

    /// The symbol that a branch compares, if it compares only one that the code did not make.
    fn compared_symbol(&self, number: u32) -> Option<Id> {
        let is_given = |leaf: &Id| {
            let node = self.node(*leaf);
            let is_made = self.result_of(*leaf, "symbol_new_from_linear_memory").is_some();
            let is_leaf = matches!(node.kind, Kind::Argument | Kind::Host | Kind::Unpacked);
            is_leaf && !is_made && type_of(node.value as u8) == Some("symbol")
        };
        let mut given = self.tested_values(number)?.into_iter().filter(is_given);
        given.next().filter(|_| given.next().is_none())
    }

    /// Says whether two branches test nothing in common.
    fn test_others(&self, one: u32, other: u32) -> bool {
        let values = [one, other].map(|number| self.tested_values(number));
        matches!(values, [Some(of_one), Some(of_other)] if of_one.is_disjoint(&of_other))
    }

    fn tests_symbol(&self, number: u32, leaf: Id) -> bool {
        self.compared_symbol(number) == Some(leaf)
    }

    /// The same for an error that was chosen without a branch, by a chain of conditions.
    pub fn with_choices(&self, chosen: Id, found: Vec<Condition>) -> Option<Vec<Condition>> {
        let shadow = self.shadow;
        let error = shadow.last.iter().rev().find(|id| shadow.get(**id).value as u8 == 3);
        let Some(mut at) = error.copied().filter(|_| found.iter().all(is_refusal)) else {
            return Some(found);
        };
        let mut all = vec![];
        while let Kind::Select = shadow.get(at).kind {
            let Node { a, b, c, .. } = *shadow.get(at);
            let truth = shadow.get(c).value as u32 != 0;
            let (next, other) = if truth { (a, b) } else { (b, a) };
            if c == chosen || all.len() > MOST_ALTERNATIVES {
                break;
            }
            at = next;
            if shadow.get(other).value as u8 == 3 {
                continue;
            }
            self.left.set(MOST_STEPS);
            let goes = |value: u64| u32::from(value as u32 != 0);
            let held = self.simplify(c, &goes, self.held(c, truth, 0));
            let held = held.filter(|held| held.iter().all(|held| self.agrees(c, &goes, held)));
            let held = held?;
            if held.iter().all(is_refusal) {
                all.push(held);
            }
        }
        all.push(found);
        Some(together(all.into_iter().flatten().collect()))
    }

    /// Says whether a check only counts the rounds of a loop.
    fn only_counts(&self, at: u32, decided: Option<u32>, passed: Passed) -> bool {
        let Some(decided) = decided else { return false };
        let branch = &self.shadow.branches[decided as usize - 1];
        if decided != at {
            return self.tests_a_loop(decided) && self.is_of_lengths(branch.condition);
        }
        let place = self.shadow.place(branch.op, branch.activation);
        self.tests_a_loop(at)
            || place.iter().any(|op| goes_round(self.shadow, *op))
                && Slicer::new(self.shadow, passed).counts(branch.condition)
    }

    /// What held at a branch, from its condition or from runs with other values.
    fn held_at(&self, number: u32) -> Option<Vec<Condition>> {
        let branch = &self.shadow.branches[number as usize - 1];
        self.left.set(MOST_STEPS);
        let goes = |value: u64| self.goes(branch, value);
        let agrees = |held: &Condition| self.agrees(branch.condition, &goes, held);
        let held = self.simplify(branch.condition, &goes, self.read_branch(branch));
        held.filter(|held| held.iter().all(agrees)).or_else(|| {
            let place = self.shadow.place(branch.op, branch.activation);
            self.left_to_run(&self.shadow.rounds_of(number), place).flatten()
        })
    }

    /// The checks on which a branch depends and that can lead elsewhere, the latest first.
    fn checks_before(&self, control: u32, passed: Passed) -> Vec<Check> {
        let slicer = Slicer::new(self.shadow, passed);
        let mut found = vec![];
        let mut seen = HashSet::new();
        let mut open = vec![control];
        while let Some(at) = open.pop().filter(|_| seen.len() < MOST_BEFORE) {
            if at == 0 || !seen.insert(at) {
                continue;
            }
            let branch = &self.shadow.branches[at as usize - 1];
            open.push(branch.control);
            if !slicer.goes_on(branch) {
                continue;
            }
            match self.shadow.get(branch.condition).constant {
                false => found.push(Check { at, decided: Some(at) }),
                true => match Slicer::new(self.shadow, passed).why_constant(branch) {
                    Reason::Branch(reason) if reason < at => {
                        open.push(reason);
                        found.push(Check { at, decided: Some(reason) });
                    }
                    Reason::Always => {}
                    _ => found.push(Check { at, decided: None }),
                },
            }
        }
        found.sort_unstable_by_key(|check| std::cmp::Reverse(check.at));
        found
    }

    /// Says whether another condition can depend on a value that a branch tests.
    fn share_leaf(&self, number: u32, other: Id) -> bool {
        let own = self.shadow.branches[number as usize - 1].condition;
        let leaves = self.leaves_in(&[own], false, 8);
        leaves.is_none_or(|leaves| leaves.iter().any(|(leaf, _)| self.depends(other, *leaf, 0)))
    }

    /// The deciding branch, or a later one on which the end depends. At that one the code could
    /// still have gone elsewhere.
    pub fn latest_deciding(&self, number: u32, passed: Passed) -> u32 {
        let slicer = Slicer::new(self.shadow, passed);
        self.instructions.set(MOST_INSTRUCTIONS);
        let after = self.on_which_the_end_depends();
        let mut after = after.range(number + 1..).rev().take(MOST_AFTER).filter(|later| {
            let branch = &self.shadow.branches[**later as usize - 1];
            let varies = !self.shadow.get(branch.condition).constant;
            varies && slicer.goes_on(branch) && self.end_if_turned(**later) != Ending::Fails
        });
        let later = after.next().copied().unwrap_or(number);
        // The code has the same end on both sides of the later one.
        let decides =
            |number| matches!(self.end_if_turned(number), Ending::Passes | Ending::Succeeds);
        match later != number && self.end_if_turned(later) == Ending::Alike && decides(number) {
            true => number,
            false => later,
        }
    }

    /// The branches that decided that the run reached its end and, if the error is a constant, this
    /// error.
    fn on_which_the_end_depends(&self) -> BTreeSet<u32> {
        let shadow = self.shadow;
        let mut found = BTreeSet::new();
        let mut branches = vec![shadow.last_control];
        let errors = shadow.last.iter().filter(|id| shadow.get(**id).value as u8 == 3);
        let mut nodes: Vec<Id> = errors.copied().collect();
        let mut seen = HashSet::new();
        while seen.len() < MOST_NODES {
            if let Some(number) = branches.pop() {
                if number > 0 && found.insert(number) {
                    let branch = &shadow.branches[number as usize - 1];
                    branches.push(branch.control);
                    nodes.push(branch.condition);
                }
            } else if let Some(id) = nodes.pop() {
                let node = shadow.get(id);
                if !node.constant || !seen.insert(id) {
                    continue;
                }
                branches.push(shadow.control_of(node));
                nodes.extend(operands(node).into_iter().filter(|id| *id > 1));
            } else {
                break;
            }
        }
        found
    }

    /// Says whether a branch only decided how many rounds a loop has, or whether it runs at all.
    pub fn tests_a_loop(&self, number: u32) -> bool {
        let shadow = self.shadow;
        let branch = &shadow.branches[number as usize - 1];
        let leaves = self.leaves_in(&[branch.condition], false, 4).unwrap_or_default();
        let all_lengths = self.is_of_lengths(branch.condition);
        // An empty collection is not walked through, whatever the code does.
        if all_lengths && leaves.iter().all(|(leaf, _)| shadow.get(*leaf).value >> 32 == 0) {
            return false;
        }
        let place = shadow.place(branch.op, branch.activation);
        for (level, op) in place.iter().enumerate() {
            let Some(within) = loop_around(shadow, *op) else { continue };
            let is_older = |leaf: Id| {
                let node = shadow.get(leaf);
                let own = shadow.place(node.op, node.activation);
                node.kind == Kind::Argument
                    || own.get(..level) != place.get(..level)
                    || own.get(level).is_none_or(|op| !within.contains(op))
            };
            let older = leaves.iter().all(|(leaf, _)| is_older(*leaf));
            if older && (all_lengths || self.steps_within(branch.condition, &within)) {
                return true;
            }
        }
        false
    }

    /// Says whether a condition only tests a number of elements.
    fn is_of_lengths(&self, condition: Id) -> bool {
        let leaves = self.leaves_in(&[condition], false, 4).unwrap_or_default();
        let is_length = |leaf: Id| {
            let node = self.shadow.get(leaf);
            node.kind == Kind::Host && self.host_call(node).function.ends_with("_len")
        };
        !leaves.is_empty() && leaves.iter().all(|(leaf, _)| is_length(*leaf))
    }

    /// Says whether a number is counted up or down within a loop.
    fn steps_within(&self, condition: Id, within: &RangeInclusive<u32>) -> bool {
        let (mut open, mut seen) = (vec![condition], HashSet::new());
        while let Some(id) = open.pop().filter(|_| seen.len() < 200) {
            let node = self.shadow.get(id);
            if node.constant || !seen.insert(id) {
                continue;
            }
            let adds = node.kind == Kind::Binary && matches!(node.extra, 0x6a | 0x6b | 0x7c | 0x7d);
            let by_constant = || [node.a, node.b].iter().any(|id| self.constant_of(*id).is_some());
            if adds && within.contains(&node.op) && by_constant() {
                return true;
            }
            open.extend(operands(node).into_iter().filter(|id| *id > 1));
        }
        false
    }
}

/// A branch that can lead elsewhere, and the branch on a value that decided it. `None` if that one
/// is unknown.
struct Check {
    at: u32,
    decided: Option<u32>,
}

fn operands(node: &Node) -> Vec<Id> {
    match node.kind {
        Kind::Select => vec![node.a, node.b, node.c],
        Kind::Binary | Kind::Join | Kind::Load => vec![node.a, node.b],
        Kind::Const | Kind::Zero | Kind::Argument | Kind::Older | Kind::Lost | Kind::Wide => vec![],
        Kind::Host | Kind::Unpacked => vec![],
        _ => vec![node.a],
    }
}

/// Says whether an operation is in a loop.
fn goes_round(shadow: &Shadow, op: u32) -> bool {
    let next = successors(&shadow.code, op).into_iter().filter(|next| *next != EXIT);
    next.into_iter().any(|next| reaches(&shadow.code, next, op, &shadow.endless))
}

/// The innermost loop that contains an operation.
fn loop_around(shadow: &Shadow, op: u32) -> Option<RangeInclusive<u32>> {
    let code = &shadow.code;
    let function = code.function(code.function_at(op))?;
    // In wasm only a branch to a loop goes back.
    let back = (op..function.end).flat_map(|from| {
        let to = successors(code, from).into_iter().filter(move |to| *to <= from);
        to.map(move |to| (to, from))
    });
    let back: Vec<(u32, u32)> = back.filter(|(to, _)| *to <= op).collect();
    let first = back.iter().map(|(to, _)| *to).max()?;
    let last = back.iter().filter(|(to, _)| *to == first).map(|(_, from)| *from).max()?;
    goes_round(shadow, op).then_some(first..=last)
}

/// Says whether the other sides of two branches lead to one place.
fn lead_alike(shadow: &Shadow, one: u32, other: u32) -> bool {
    let ways = |number: u32| {
        let branch = &shadow.branches[number as usize - 1];
        let sides = successors(&shadow.code, branch.op).into_iter();
        let others = sides.filter(|side| *side != branch.taken);
        others.map(|side| arrives(&shadow.code, side)).collect::<BTreeSet<u32>>()
    };
    !ways(one).is_disjoint(&ways(other))
}

/// The operation that follows without anything done between.
fn arrives(code: &Code, mut op: u32) -> u32 {
    for _ in 0..64 {
        op = match code.ops.get(op as usize) {
            Some(Op::Fuel(_)) => op + 1,
            Some(Op::Jump(target) | Op::Br(target)) if target.op != EXIT => target.op,
            _ => break,
        };
    }
    op
}

/// Says whether conditions have a value in common. With `in_keys`, also one of which the key of an
/// entry was made.
fn share_subject(held: &[Condition], found: &[Condition], in_keys: bool) -> bool {
    let subjects = |all: &[Condition]| -> BTreeSet<String> {
        let mut open: Vec<&Term> = all.iter().flat_map(|held| &held.terms).collect();
        let mut subjects = BTreeSet::new();
        while let Some(term) = open.pop() {
            // An element that code looks for is a part of the question.
            if term.kind == TermKind::Key || in_keys && term.kind == TermKind::Entry {
                open.extend(&term.of);
            }
            if !matches!(term.kind, TermKind::Constant | TermKind::Key | TermKind::Unnamed) {
                subjects.extend(serde_json::to_string(term).ok());
            }
        }
        subjects
    };
    !subjects(held).is_disjoint(&subjects(found))
}

/// Merges conditions: one for each value that is none of several, and one for all such values that
/// are constants.
fn together(mut all: Vec<Condition>) -> Vec<Condition> {
    let mut seen = BTreeSet::new();
    all.retain(|held| seen.insert(serde_json::to_string(held).unwrap_or_default()));
    let text = |term: &Term| serde_json::to_string(term).unwrap_or_default();
    // Each round of a loop has what runs have shown for all rounds.
    let sets: Vec<(String, Vec<String>)> = all
        .iter()
        .filter(|held| held.relation == "not_one_of")
        .filter_map(|held| Some((text(held.terms.first()?), held.values.clone())))
        .collect();
    all.retain(|held| {
        let [one, other] = &held.terms[..] else { return true };
        let has = |subject: &Term, value: &Term| {
            let subject = text(subject);
            let name = name_of(value).unwrap_or_default();
            sets.iter().any(|(of, values)| *of == subject && values.contains(&name))
        };
        held.relation != "not_equal" || !has(one, other) && !has(other, one)
    });
    let differs = |held: &Condition| match held.relation {
        "not_equal" => held.terms.len() == 2,
        "not_one_of" => true,
        _ => false,
    };
    // The value that all conditions share.
    let of = |held: &Condition| held.terms.iter().map(text).collect::<BTreeSet<String>>();
    let each: Vec<BTreeSet<String>> = all.iter().filter(|held| differs(held)).map(of).collect();
    let [first, rest @ ..] = &each[..] else { return all };
    let common = first.iter().find(|one| rest.iter().all(|other| other.contains(*one)));
    let Some(common) = common.filter(|_| !rest.is_empty()).cloned() else { return all };
    for held in all.iter_mut().filter(|held| differs(held) && held.terms.len() == 2) {
        if text(&held.terms[0]) != common {
            held.terms.swap(0, 1);
        }
    }
    let named = |held: &Condition| match held.relation {
        "not_one_of" => Some(held.values.clone()),
        "not_equal" if held.terms.len() == 2 => {
            let other = held.terms.get(1).filter(|term| term.kind == TermKind::Constant);
            Some(vec![name_of(other?)?])
        }
        _ => None,
    };
    let Some(each) = all.iter().map(named).collect::<Option<Vec<_>>>() else { return all };
    let mut values: Vec<String> = vec![];
    for value in each.into_iter().flatten() {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let terms = all.into_iter().next().into_iter().flat_map(|held| held.terms).take(1).collect();
    vec![Condition { values, ..relation("not_one_of", terms) }]
}

/// The name of a value in `not_one_of`.
fn name_of(term: &Term) -> Option<String> {
    if let Some(number) = &term.number {
        return Some(number.clone());
    }
    let xdr = from_base64(term.value_xdr.as_ref()?, "value").ok()?;
    match decode::<ScVal>(&xdr, "value").ok()? {
        ScVal::Symbol(symbol) => Some(symbol.0.to_utf8_string_lossy()),
        _ => None,
    }
}
