// Finds the branch that decided that a contract's code failed, and why it failed with that error.

use super::{
    flow::{successors, Definition, Paths, Variable, EXIT, MERGED},
    relation::comparison,
    shadow::{Branch, Id, Kind, Shadow},
};
use std::collections::{BTreeSet, HashMap, HashSet};

const MAX_FOLLOWED: usize = 12;
const MAX_VISITED: usize = 2_000;
const MAX_SCANNED: usize = 4_000;

pub enum Decision {
    /// The error itself was computed.
    Computed(Id),
    /// The number of a branch, from 1.
    Branch(u32),
    /// Each of two compared values has its own branch: the latest one, and the other.
    Branches(u32, u32),
    /// The condition of a choice between constants, and whether it was true.
    Chosen(Id, bool),
    /// The code fails there with all values.
    Always,
}

/// The branches among which a decision was found.
#[derive(Default)]
pub struct Joined {
    /// Those that tested a value.
    pub values: BTreeSet<u32>,
    /// Those that tested a constant, which others had chosen.
    pub chosen: BTreeSet<u32>,
}

/// The reason for the value of a constant.
pub enum Reason {
    Branch(u32),
    Always,
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Use {
    variable: Variable,
    op: u32,
    activation: u32,
    /// The number of branches that came before it.
    at: u32,
}

/// A function, the operation after a branch, a use, its variable, and whether it is in a later
/// round of the loop.
type Side = (u32, u32, u32, Variable, bool);

pub struct Slicer<'a> {
    pub shadow: &'a Shadow,
    passed: &'a dyn Fn(&Branch) -> bool,
    reached: HashMap<Side, Option<BTreeSet<Definition>>>,
    uncertain: bool,
    /// A branch that was passed over because its other side writes nothing.
    passed_over: Option<u32>,
    /// The branches that chose two compared constants, in order.
    sides: Option<[u32; 2]>,
    /// The branches from which the decision was searched.
    roots: BTreeSet<u32>,
}

impl<'a> Slicer<'a> {
    /// Makes a slicer. `passed` says whether a branch only tests a type that the value has.
    pub fn new(shadow: &'a Shadow, passed: &'a dyn Fn(&Branch) -> bool) -> Slicer<'a> {
        let (reached, uncertain, passed_over, sides, roots) = Default::default();
        Slicer { shadow, passed, reached, uncertain, passed_over, sides, roots }
    }

    fn branch(&self, number: u32) -> &'a Branch {
        &self.shadow.branches[number as usize - 1]
    }

    fn paths(&self, activation: u32) -> Paths<'a> {
        let Shadow { code, endless, activations, .. } = self.shadow;
        Paths { code, flow: &activations[activation as usize].flow, endless }
    }

    /// The latest branch whose other side goes on, starting with the one that controls a place.
    fn could_go_on(&self, mut control: u32) -> Option<u32> {
        while control > 0 {
            let branch = self.branch(control);
            if self.goes_on(branch) {
                return Some(control);
            }
            control = branch.control;
        }
        None
    }

    /// Says whether a branch tests more than a type that the value has, and can lead elsewhere.
    pub fn goes_on(&self, branch: &Branch) -> bool {
        self.may_return(branch) && !(self.passed)(branch)
    }

    /// Says whether a function can return from another side of a branch.
    pub fn may_return(&self, branch: &Branch) -> bool {
        let paths = self.paths(branch.activation);
        self.others(branch).iter().any(|side| paths.can_return(*side))
    }

    fn others(&self, branch: &Branch) -> Vec<u32> {
        let mut sides = successors(&self.shadow.code, branch.op);
        sides.retain(|side| *side != branch.taken);
        sides
    }

    /// Finds the decision. `error` is the value with which the code failed, and the operation that
    /// used it; `None` if unknown.
    pub fn decide(&mut self, control: Option<u32>, error: Option<(Id, u32)>) -> Option<Decision> {
        let reached = control.and_then(|control| self.could_go_on(control));
        let mut open: BTreeSet<u32> = reached.into_iter().collect();
        if let Some((value, op)) = error {
            if !self.shadow.get(value).constant {
                return self.decide_value(value, reached);
            }
            open.extend(self.reasons(value, op, 0));
        }
        self.roots.clone_from(&open);
        self.latest_with_reason(open, reached)
    }

    fn follow(&mut self, first: Option<u32>, value: Id, op: u32) -> Option<Decision> {
        let mut open: BTreeSet<u32> = first.into_iter().collect();
        open.extend(self.reasons(value, op, 0));
        self.roots.clone_from(&open);
        self.latest_with_reason(open, None)
    }

    /// The branch that chose the constants that a condition compares with. `None` if they are
    /// always the same.
    pub fn constants_of(&mut self, condition: Id) -> Option<u32> {
        let mut found = BTreeSet::new();
        for (of, op, operand) in self.constants_in(condition) {
            found.extend(self.reasons(of, op, operand));
        }
        match self.latest_with_reason(found, None)? {
            Decision::Branch(number) | Decision::Branches(number, _) => Some(number),
            _ => None,
        }
    }

    /// The reason for the value of a constant condition.
    pub fn why_constant(&mut self, branch: &Branch) -> Reason {
        let found = self.reasons(branch.condition, branch.op, 0).into_iter().collect();
        match self.latest_with_reason(found, None) {
            Some(Decision::Branch(number) | Decision::Branches(number, _)) => {
                Reason::Branch(number)
            }
            Some(Decision::Always) => Reason::Always,
            _ => Reason::Unknown,
        }
    }

    /// The constants in a condition, each with the operation that used it and the operand's index.
    fn constants_in(&self, condition: Id) -> Vec<(Id, u32, usize)> {
        let mut found = vec![];
        let mut open = vec![condition];
        let mut seen = HashSet::new();
        while let Some(id) = open.pop().filter(|_| seen.len() < 60) {
            let node = self.shadow.get(id);
            let operands = match node.kind {
                Kind::Unary | Kind::Part => vec![node.a],
                Kind::Binary | Kind::Join => vec![node.a, node.b],
                Kind::Select => vec![node.a, node.b, node.c],
                Kind::Load => vec![node.a],
                // The map or vector in which the host looked for something.
                Kind::Host => self.shadow.searched(node).into_iter().collect(),
                _ => vec![],
            };
            if node.constant || !seen.insert(id) {
                continue;
            }
            // A choice counts with the value that it gave. The reason for that choice is the reason
            // of the value.
            let chosen = match node.kind {
                Kind::Select if self.shadow.get(node.c).value as u32 == 0 => 1,
                _ => 0,
            };
            let is_part = |operand: usize| {
                node.kind != Kind::Select
                    || operand == chosen
                    || operand == 2 && self.shadow.get([node.a, node.b][chosen]).constant
            };
            for (operand, of) in operands.into_iter().enumerate() {
                if !is_part(operand) {
                    continue;
                }
                match self.shadow.get(of).constant {
                    true => found.push((of, node.op, operand)),
                    false => open.push(of),
                }
            }
        }
        found
    }

    /// Says whether a condition compares with a number that the code counted up from constants. It
    /// then shows when a loop ended, not why.
    pub fn counts(&self, condition: Id) -> bool {
        if self.counts_down(condition) {
            return true;
        }
        self.constants_in(condition).into_iter().any(|(id, ..)| {
            // Symbols are composed of their letters.
            let value = self.shadow.get(id).value;
            let symbol = value as u8 == 14 && value >> 24 != 0;
            !symbol && self.is_computed(id)
        })
    }

    /// The branches that a decision was found among, each of which may have chosen a part of the
    /// condition that led to the end, as in `!a && !b`. Empty before a decision.
    pub fn joined(&mut self) -> Joined {
        let mut open = self.roots.clone();
        let mut joined = Joined::default();
        while let Some(latest) = open.pop_last() {
            let known = joined.chosen.len() + joined.values.len();
            if known >= MAX_FOLLOWED || joined.chosen.contains(&latest) {
                continue;
            }
            let branch = self.branch(latest);
            if self.shadow.get(branch.condition).constant {
                joined.chosen.insert(latest);
                open.extend(self.reasons(branch.condition, branch.op, 0));
            } else if joined.values.insert(latest) {
                for (flag, op, operand) in self.flags_in(branch.condition) {
                    open.extend(self.reasons(flag, op, operand));
                }
            }
        }
        joined
    }

    /// The constants that a condition combines with other values by `and` and `or`, each with the
    /// operation that used it and the operand's index.
    fn flags_in(&self, condition: Id) -> Vec<(Id, u32, usize)> {
        let (mut found, mut open, mut seen) = (vec![], vec![condition], 0);
        while let Some(id) = open.pop().filter(|_| seen < 60) {
            seen += 1;
            let node = self.shadow.get(id);
            match (node.kind, node.extra) {
                (Kind::Binary, 0x71 | 0x72 | 0x83 | 0x84) => {
                    for (operand, of) in [node.a, node.b].into_iter().enumerate() {
                        match self.shadow.get(of).constant {
                            true => found.push((of, node.op, operand)),
                            false => open.push(of),
                        }
                    }
                }
                (Kind::Unary, 0x45 | 0x50) => open.push(node.a),
                (Kind::Get | Kind::Set | Kind::Keep | Kind::Returned, _) => open.push(node.a),
                _ => {}
            }
        }
        found.retain(|(flag, ..)| self.shadow.get(*flag).value < 2);
        found
    }

    /// Says whether one instruction repeatedly took the same steps, starting from a value.
    fn counts_down(&self, condition: Id) -> bool {
        let mut steps = HashSet::new();
        let mut open = vec![condition];
        let mut seen = HashSet::new();
        while let Some(id) = open.pop().filter(|_| seen.len() < 400) {
            let node = self.shadow.get(id);
            if node.constant || !seen.insert(id) {
                continue;
            }
            match node.kind {
                Kind::Unary | Kind::Part | Kind::Load => open.push(node.a),
                Kind::Join => open.extend([node.a, node.b]),
                Kind::Select => open.extend([node.a, node.b, node.c]),
                Kind::Binary => {
                    let constant = |id: Id| self.shadow.get(id).constant;
                    let step = matches!(node.extra, 0x6a | 0x6b | 0x7c | 0x7d);
                    if step && (constant(node.a) || constant(node.b)) && !steps.insert(node.op) {
                        return true;
                    }
                    open.extend([node.a, node.b]);
                }
                _ => {}
            }
        }
        false
    }

    fn is_computed(&self, id: Id) -> bool {
        let mut open = vec![id];
        for _ in 0..64 {
            let Some(id) = open.pop() else { return false };
            let node = self.shadow.get(id);
            match node.kind {
                Kind::Binary if matches!(node.extra, 0x6a | 0x6b | 0x7c | 0x7d) => return true,
                Kind::Binary => open.extend([node.a, node.b]),
                Kind::Join => open.extend([node.a, node.b]),
                Kind::Select => open.extend([node.a, node.b]),
                _ if node.a > 0 => open.push(node.a),
                _ => {}
            }
        }
        true
    }

    /// The latest of the branches whose condition is not a constant. Constants have their own
    /// reasons.
    fn latest_with_reason(
        &mut self,
        mut open: BTreeSet<u32>,
        reached: Option<u32>,
    ) -> Option<Decision> {
        let mut followed = HashSet::new();
        let always = open.is_empty();
        for _ in 0..MAX_FOLLOWED {
            if self.uncertain {
                return None;
            }
            let Some(latest) = open.pop_last() else {
                return Some(Decision::Always).filter(|_| always);
            };
            let branch = self.branch(latest);
            if !self.shadow.get(branch.condition).constant {
                return Some(match self.sides {
                    Some([also, last]) if last == latest => Decision::Branches(latest, also),
                    _ => Decision::Branch(latest),
                });
            }
            if !followed.insert(latest) {
                continue;
            }
            let before = open.len();
            open.extend(self.reasons(branch.condition, branch.op, 0));
            self.sides = self.sides.or(self.sides_of(branch.condition));
            if open.len() == before && reached == Some(latest) {
                open.extend(self.could_go_on(branch.control));
            }
        }
        None
    }

    /// The branches that chose each of two compared constants.
    fn sides_of(&mut self, condition: Id) -> Option<[u32; 2]> {
        let node = self.shadow.get(condition);
        if node.kind != Kind::Binary || comparison(node.extra).is_none() {
            return None;
        }
        let mut sides = [(node.a, 0), (node.b, 1)].map(|(side, operand)| {
            let reasons = self.reasons(side, node.op, operand).into_iter().collect();
            match self.latest_with_reason(reasons, None) {
                Some(Decision::Branch(number)) => number,
                _ => 0,
            }
        });
        sides.sort_unstable();
        (sides[0] > 0 && sides[0] < sides[1]).then_some(sides)
    }

    /// The reason why the code returned that error.
    pub fn returned(&mut self, value: Id, op: u32) -> Option<Decision> {
        if !self.shadow.get(value).constant {
            return self.decide_value(value, None);
        }
        let (variable, activation) = (Variable::Returned, 0);
        let at = self.shadow.branches.len() as u32;
        let last = self.latest(Use { variable, op: EXIT, activation, at });
        let decision = self.follow(last, value, op);
        let controlled = self.could_go_on(self.shadow.last_control).is_some();
        decision.filter(|decision| !(controlled && matches!(decision, Decision::Always)))
    }

    /// The decision for an error that a value chose: among constants, from a table, or by
    /// computation.
    fn decide_value(&mut self, value: Id, reached: Option<u32>) -> Option<Decision> {
        let (mut at, mut chosen) = (value, None);
        // Operations that only pack the error's code are skipped.
        while chosen.is_none() {
            let node = self.shadow.get(at);
            match node.kind {
                Kind::Select => {
                    let is_error = |id: Id| self.shadow.get(id).value as u8 == 3;
                    if at == value && is_error(node.a) && is_error(node.b) {
                        return None;
                    }
                    let truth = self.shadow.get(node.c).value as u32 != 0;
                    let value = if truth { node.a } else { node.b };
                    match self.shadow.get(value).constant {
                        true => chosen = Some(Decision::Chosen(node.c, truth)),
                        false => at = value,
                    }
                }
                Kind::Binary if self.shadow.get(node.b).constant => at = node.a,
                Kind::Unary => at = node.a,
                _ => chosen = Some(Decision::Computed(value)),
            }
        }
        match reached.filter(|reached| *reached > self.shadow.get(at).at) {
            Some(later) => Some(Decision::Branch(later)),
            None => chosen,
        }
    }

    /// The branches that could have given another value to constants: for each variable, the latest
    /// branch whose other side gives it another definition.
    fn reasons(&mut self, value: Id, used_by: u32, operand: usize) -> Vec<u32> {
        let mut found = vec![];
        self.passed_over = None;
        let at = self.shadow.get(value).at;
        // The last element says whether the value is a part of what was computed.
        let mut open = vec![(value, Some((used_by, operand)), at, false)];
        let mut of_parts = BTreeSet::new();
        let mut seen = HashSet::new();
        while let Some((id, used, at, part)) = open.pop() {
            let before = found.len();
            if !seen.insert(id) || seen.len() > MAX_VISITED {
                continue;
            }
            let node = self.shadow.get(id);
            if let Some((op, operand)) = used {
                found.extend(self.merged(id, op, operand, at));
            }
            match node.kind {
                Kind::Get => {
                    let variable = Variable::Local(node.c);
                    let (op, activation) = (node.op, node.activation);
                    found.extend(self.latest(Use { variable, op, activation, at: node.at }));
                    open.push((node.a, None, node.at, part));
                }
                Kind::Returned => {
                    let (variable, op) = (Variable::Returned, EXIT);
                    let activation = node.activation;
                    found.extend(self.latest(Use { variable, op, activation, at: node.at }));
                    open.push((node.a, Some((node.op, 0)), node.at, part));
                }
                Kind::Set | Kind::Keep => open.push((node.a, Some((node.op, 0)), node.at, part)),
                Kind::Store => open.push((node.a, Some((node.op, 1)), node.at, part)),
                Kind::Load => {
                    self.in_memory(id, node.a, &mut found);
                    open.push((node.a, None, node.at, part));
                    // An entry of a table of constants.
                    open.push((node.b, Some((node.op, 0)), node.at, part));
                }
                Kind::Unary => open.push((node.a, Some((node.op, 0)), node.at, part)),
                Kind::Part => open.push((node.a, None, node.at, part)),
                Kind::Binary => {
                    let literal = |id: Id| self.shadow.get(id).kind == Kind::Const;
                    let adds = matches!(node.extra, 0x6a | 0x6b | 0x7c | 0x7d);
                    let part = part
                        || matches!(node.extra, 0x6c | 0x7e)
                        || adds && !literal(node.a) && !literal(node.b);
                    open.push((node.a, Some((node.op, 0)), node.at, part));
                    open.push((node.b, Some((node.op, 1)), node.at, part));
                }
                Kind::Join => open.extend([node.a, node.b].map(|id| (id, None, node.at, part))),
                Kind::Select => {
                    let first = self.shadow.get(node.c).value as u32 != 0;
                    let (chosen, operand) = if first { (node.a, 0) } else { (node.b, 1) };
                    open.push((chosen, Some((node.op, operand)), node.at, part));
                    open.push((node.c, Some((node.op, 2)), node.at, part));
                }
                _ => {}
            }
            if part {
                of_parts.extend(&found[before..]);
            }
        }
        self.uncertain |= self.adds_up(&of_parts);
        if found.is_empty() {
            found.extend(self.passed_over);
        }
        found
    }

    /// Says whether several branches on one value chose the parts of a number. None of them alone
    /// is then the reason.
    fn adds_up(&self, branches: &BTreeSet<u32>) -> bool {
        let mut seen: HashSet<Id> = HashSet::new();
        let mut ops = HashSet::new();
        branches.iter().filter(|number| ops.insert(self.branch(**number).op)).any(|number| {
            let leaves = self.leaves_of(self.branch(*number).condition);
            let again = leaves.iter().any(|leaf| seen.contains(leaf));
            seen.extend(leaves);
            again
        })
    }

    /// A few of the host values from which a condition was computed.
    fn leaves_of(&self, condition: Id) -> HashSet<Id> {
        let mut leaves = HashSet::new();
        let mut open = vec![condition];
        for _ in 0..60 {
            let Some(id) = open.pop() else { break };
            let node = self.shadow.get(id);
            match node.kind {
                _ if node.constant => {}
                Kind::Argument | Kind::Host | Kind::Unpacked => {
                    leaves.insert(id);
                }
                Kind::Select => open.extend([node.a, node.b, node.c]),
                _ => open.extend([node.a, node.b].into_iter().filter(|id| *id > 0)),
            }
        }
        leaves
    }

    /// The reason for a value on the operand stack that several paths may have pushed.
    fn merged(&mut self, id: Id, op: u32, operand: usize, at: u32) -> Option<u32> {
        let code = &self.shadow.code;
        let node = self.shadow.get(id);
        let activation = node.activation;
        let flow = &self.shadow.activations.get(activation as usize)?.flow;
        let inside = code.function_at(op) == self.shadow.activations[activation as usize].function;
        if !inside || flow.producer(op, operand) != MERGED {
            return None;
        }
        let pops: u32 = match code.ops[op as usize] {
            super::super::code::Op::Binary(_) | super::super::code::Op::Store(..) => 2,
            super::super::code::Op::Select => 3,
            super::super::code::Op::Call(function) => {
                code.signature_of(function).map_or(1, |of| of.parameters.len() as u32)
            }
            _ => 1,
        };
        let height = flow.height(op).checked_sub(pops)? + operand as u32;
        let variable = Variable::Slot(height);
        self.latest(Use { variable, op, activation, at })
    }

    fn in_memory(&mut self, load: Id, stored: Id, found: &mut Vec<u32>) {
        let (load, mut store) = (self.shadow.get(load), self.shadow.get(stored));
        while matches!(store.kind, Kind::Part | Kind::Join) {
            store = self.shadow.get(store.a);
        }
        if store.kind != Kind::Store {
            return;
        }
        let writer = store.activation;
        let flow = &self.shadow.activations[writer as usize].flow;
        let Some((local, offset)) = flow.address(&self.shadow.code, store.op) else {
            // A mere copy has no alternative of its own.
            self.uncertain |= self.shadow.get(store.a).kind != Kind::Load;
            return;
        };
        let mut reader = load.activation;
        let mut op = load.op;
        while reader != writer {
            let Some(activation) = self.shadow.activations.get(reader as usize) else {
                op = EXIT;
                break;
            };
            (op, reader) = (activation.call_op, activation.parent);
        }
        let variable = Variable::Memory(local, offset);
        found.extend(self.latest(Use { variable, op, activation: writer, at: load.at }));
    }

    /// The latest branch before a use whose other side reaches the use with another definition.
    fn latest(&mut self, of: Use) -> Option<u32> {
        let activation = self.shadow.activations.get(of.activation as usize)?;
        let before = activation.branches.partition_point(|number| *number <= of.at);
        for number in activation.branches[..before].iter().rev().take(MAX_SCANNED) {
            let branch = self.branch(*number);
            if (self.passed)(branch) {
                continue;
            }
            let function = activation.function;
            let round = of.op <= branch.op;
            let Some(taken) = self.definitions(function, branch.taken, of, round) else {
                self.uncertain = true;
                return None;
            };
            for other in self.others(branch) {
                match self.definitions(function, other, of, round) {
                    None => {
                        self.uncertain = true;
                        return None;
                    }
                    Some(reached) if !reached.is_empty() && reached != taken => {
                        // If only another error would have been returned, nothing is explained.
                        let fails =
                            |of: &Definition| matches!(of, Definition::Value(it) if *it as u8 == 3);
                        if of.variable == Variable::Returned && reached.iter().all(fails) {
                            continue;
                        }
                        if self.leaves_unwritten(function, branch.op, of, &reached) {
                            self.passed_over = self.passed_over.or(Some(*number));
                            return None;
                        }
                        return Some(*number);
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// Says whether a side of a branch returns without what a function writes for its caller. Code
    /// does not read it then, so that this branch is not the reason for its value.
    fn leaves_unwritten(
        &mut self,
        function: u32,
        branch: u32,
        of: Use,
        reached: &BTreeSet<Definition>,
    ) -> bool {
        let for_caller = matches!(of.variable, Variable::Memory(..)) && of.op == EXIT;
        let prior = BTreeSet::from([Definition::Prior]);
        let Some(within) = self.shadow.code.function(function).filter(|_| for_caller) else {
            return false;
        };
        let before = Use { op: branch, ..of };
        *reached == prior && self.definitions(function, within.first, before, false) == Some(prior)
    }

    fn definitions(
        &mut self,
        function: u32,
        from: u32,
        of: Use,
        round: bool,
    ) -> Option<BTreeSet<Definition>> {
        let key = (function, from, of.op, of.variable, round);
        if let Some(known) = self.reached.get(&key) {
            return known.clone();
        }
        let found = self.paths(of.activation).definitions(from, of.op, of.variable, round);
        self.reached.insert(key, found.clone());
        found
    }
}
