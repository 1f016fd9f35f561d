// Runs a contract's code with a replaced value. The code gets the host's recorded answers until it
// ends or asks the host for something else. So a condition can be tested that a loop or a routine
// decided and that no expression shows in full.

use super::{
    super::{
        code::Op,
        host_effects::Objects,
        machine::Machine,
        record::FrameRecord,
        stop::{Stop, Trap},
    },
    flow::reaches,
    other_values::Replacement,
    relation::{relation, upper_word, Equal, Found, NotEqual},
    shadow::{HostCall, Id, Kind, Node},
    term::{Terms, MOST_STEPS},
    tries::{By, Tried, Tries},
};
use crate::{
    wire::why::{Condition, Integer, Term, TermKind},
    xdr_codec::xdr::ScVal,
};
use std::{cell::Cell, cmp::Ordering, collections::BTreeSet};

/// The number of instructions of all runs together, and of each run beyond those of the call
/// itself.
pub const MOST_INSTRUCTIONS: u64 = 2_000_000;
const MORE_INSTRUCTIONS: u64 = 20_000;
/// The number of values in which one is searched.
const MOST_LEAVES: usize = 40;
/// The number of other sides of a branch table that are tried.
const MOST_SIDES: usize = 8;
const SYMBOL: u8 = 14;
/// The symbol `QqQqQqQqQ`, which no code has.
const ANOTHER_NAME: u64 = letters([28, 54, 28, 54, 28, 54, 28, 54, 28]) << 8 | SYMBOL as u64;

/// The letters of a short symbol, in the host's encoding.
const fn letters(codes: [u64; 9]) -> u64 {
    let (mut body, mut at) = (0, 0);
    while at < 9 {
        body = body << 6 | codes[at];
        at += 1;
    }
    body
}

/// A place in nested calls: the operations of the open calls, and last the one in the innermost.
pub type Place = Vec<u32>;

#[derive(PartialEq)]
enum End {
    Stopped(Place),
    Returned(u64),
}

/// The end of another run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ending {
    /// Another check fails, before or after the deciding one.
    Fails,
    Alike,
    /// The end cannot be determined.
    Unseen,
    /// The code asks the host for something else at a place from which it cannot return to the
    /// decision.
    Passes,
    Succeeds,
}

pub struct Reruns<'t, 'a> {
    terms: &'t Terms<'a>,
    end: End,
    /// The deciding branch. A run that cannot reach it again counts as decided otherwise.
    decided: Place,
    /// True if a run with one of the tried values had another end.
    other_end: Cell<bool>,
}

impl<'t, 'a> Reruns<'t, 'a> {
    fn new(terms: &'t Terms<'a>, decided: Place) -> Option<Reruns<'t, 'a>> {
        let shadow = terms.shadow;
        let returned = shadow.last.iter().rev().map(|id| shadow.get(*id).value);
        let end = match terms.track.trap {
            Some(_) => End::Stopped(shadow.place(shadow.last_op, *shadow.open.last()?)),
            None => End::Returned(returned.into_iter().find(|value| *value as u8 == 3)?),
        };
        Some(Reruns { terms, end, decided, other_end: Cell::new(false) })
    }

    /// The end with other values, and whether the run reached the deciding place.
    fn ending_with(&self, replacements: &[Replacement]) -> Option<(Ending, bool)> {
        let left = self.terms.instructions.get();
        let mut machine = self.start(replacements).filter(|_| left > 0)?;
        let first = machine.instructions;
        let most = self.terms.track.steps.saturating_sub(first) + MORE_INSTRUCTIONS;
        let found = self.run(&mut machine, replacements, first + most.min(left));
        self.terms.instructions.set(left.saturating_sub(machine.instructions - first));
        Some(found)
    }

    /// Says whether the run would have had the same end. `None` if that cannot be determined.
    pub fn ends_alike(&self, replacements: &[Replacement]) -> Option<bool> {
        let (ending, came) = self.ending_with(replacements)?;
        let found = match ending {
            Ending::Alike => Some(true),
            Ending::Succeeds => Some(false),
            Ending::Passes => came.then_some(false),
            Ending::Fails | Ending::Unseen => None,
        };
        self.other_end.set(self.other_end.get() || found == Some(false));
        found
    }

    /// The end if a branch takes any of its other sides.
    fn end_if_turned(&self, number: u32) -> Ending {
        let branch = &self.terms.shadow.branches[number as usize - 1];
        let endings = self.other_sides(number).into_iter();
        let endings = endings.map(|top| self.with_side(branch.step, top));
        endings.max().unwrap_or(Ending::Unseen)
    }

    /// The values with which a branch takes each of its other sides.
    fn other_sides(&self, number: u32) -> Vec<u64> {
        let branch = &self.terms.shadow.branches[number as usize - 1];
        match &self.terms.shadow.code.ops[branch.op as usize] {
            Op::BrTable(targets) => {
                let mut seen = BTreeSet::from([branch.taken]);
                let new = targets.iter().enumerate().filter(|(_, to)| seen.insert(to.op));
                new.map(|(index, _)| index as u64).take(MOST_SIDES).collect()
            }
            _ => vec![u64::from(branch.value as u32 == 0)],
        }
    }

    fn with_side(&self, step: u64, top: u64) -> Ending {
        let Terms { track, record, run, .. } = *self.terms;
        let left = self.terms.instructions.get();
        let Some(mut machine) = track.machine_before(step).filter(|_| left > 0) else {
            return Ending::Unseen;
        };
        let first = machine.instructions;
        let mut known = track.objects();
        let mut objects = Objects { run, known: &mut known };
        if machine.run(record, &mut objects, step, |_, _| false) != Stop::Paused {
            return Ending::Unseen;
        }
        if let Some(condition) = machine.stack.last_mut() {
            *condition = top;
        }
        machine.fuel = 0;
        let most = track.steps.saturating_sub(step) + MORE_INSTRUCTIONS;
        let (ending, _) = self.run(&mut machine, &[], step + most.min(left));
        self.terms.instructions.set(left.saturating_sub(machine.instructions - first));
        ending
    }

    /// The machine before the first of the values was made.
    fn start(&self, replacements: &[Replacement]) -> Option<Machine> {
        let track = self.terms.track;
        let made = replacements.iter().map(|replacement| {
            let node = self.terms.node(replacement.leaf);
            match node.kind {
                Kind::Argument => Some(0),
                _ => track.calls_at.get(self.terms.host_call(node).number).copied(),
            }
        });
        let mut machine = track.machine_before(made.min().flatten()?)?;
        for replacement in replacements {
            let node = self.terms.node(replacement.leaf);
            if node.kind == Kind::Argument {
                *machine.stack.get_mut(node.c as usize)? = self.payload(replacement);
            }
        }
        Some(machine)
    }

    /// The payload that the code gets for a replaced value. A host object keeps its handle, and a
    /// value that becomes an object gets one.
    fn payload(&self, replacement: &Replacement) -> u64 {
        let own = self.terms.node(replacement.leaf).value;
        replacement.payload.unwrap_or(match own as u8 {
            tag if tag < 64 => {
                ((0x7fff_0000 + u64::from(replacement.leaf)) << 33) | u64::from(tag + 58)
            }
            _ => own,
        })
    }

    /// The end of a run, and whether the run reached the deciding place.
    fn run(
        &self,
        machine: &mut Machine,
        replacements: &[Replacement],
        until: u64,
    ) -> (Ending, bool) {
        let came = Cell::new(false);
        let ending = self.run_on(machine, replacements, until, &came);
        (ending.unwrap_or(Ending::Unseen), came.get())
    }

    /// `None` if the end cannot be determined.
    fn run_on(
        &self,
        machine: &mut Machine,
        replacements: &[Replacement],
        until: u64,
        came: &Cell<bool>,
    ) -> Option<Ending> {
        let Terms { track, record, run, shadow, .. } = *self.terms;
        let code = machine.code.clone();
        let imported = code.imported();
        let mut known = track.objects();
        let mut objects = Objects { run, known: &mut known };
        let unmetered = FrameRecord { fuel: u64::MAX, ok: true, ..FrameRecord::default() };
        let asks = |machine: &Machine, op: u32| {
            let is_there = self.decided.last() == Some(&op);
            if is_there && machine.calls.len() == self.decided.len() {
                came.set(true);
            }
            matches!(code.ops[op as usize], Op::Call(function) if function < imported)
        };
        let ended = |end: End| {
            Some(match end {
                end if end == self.end => Ending::Alike,
                End::Returned(value) if value as u8 != 3 => Ending::Succeeds,
                _ => Ending::Fails,
            })
        };
        loop {
            match machine.run(&unmetered, &mut objects, until, asks) {
                Stop::Returned(payload) => return ended(End::Returned(payload)),
                Stop::Trapped(_) => return ended(End::Stopped(place(machine))),
                Stop::Paused if machine.instructions < until => {}
                Stop::Paused | Stop::Differs(_) => return None,
            }
            let at = place(machine);
            let Op::Call(function) = code.ops[*at.last()? as usize] else { return None };
            let host = code.imports[function as usize].1?;
            let recorded = |machine: &Machine| {
                record.host_calls.get(machine.host_calls).map(|call| call.function)
            };
            let converts = |name: &str| name.contains("obj_to_");
            let first = machine.stack.len().checked_sub(host.parameters.len())?;
            // An object that holds another number keeps its handle.
            let changed = |payload: u64| {
                let object = replacements.iter().filter(|_| payload as u8 >= 64);
                object
                    .filter(|replacement| self.payload(replacement) == payload)
                    .find_map(|replacement| replacement.number)
            };
            let object = machine.stack[first..].iter().find_map(|payload| changed(*payload));
            let order = match (host.name, &machine.stack[first..]) {
                ("obj_cmp", [one, other]) => self.order_of_symbols(machine, *one, *other),
                _ => None,
            };
            if let Some(order) = order {
                machine.host_calls += usize::from(recorded(machine) == Some(host.name));
                machine.stack.truncate(first);
                machine.stack.push(order as i64 as u64);
            } else if let Some(number) = object.filter(|_| converts(host.name)) {
                machine.host_calls += usize::from(recorded(machine) == Some(host.name));
                *machine.stack.last_mut()? = match host.name.contains("hi64") {
                    true => upper_word(number),
                    false => number.as_u64(),
                };
            } else {
                while recorded(machine).is_some_and(|next| next != host.name && converts(next)) {
                    machine.host_calls += 1;
                }
                let read = shadow.call(machine.host_calls);
                let same = object.is_none()
                    && read.is_some_and(|call| {
                        self.reads_same(machine, call, &|payload| changed(payload).is_none())
                    });
                machine.fuel = record.fuel_before(machine.host_calls);
                match same.then(|| machine.host_call(record, &mut objects, function)) {
                    Some(Ok(())) => self.put(machine, replacements)?,
                    Some(Err(Stop::Trapped(Trap::HostCallFailed))) => {
                        return ended(End::Stopped(at));
                    }
                    _ if host.name == "fail_with_error" => return Some(Ending::Fails),
                    _ if !self.may_decide(&at) => return Some(Ending::Passes),
                    _ => return None,
                }
            }
            machine.fuel = 0;
            machine.instructions += 1;
            machine.calls.last_mut()?.op += 1;
        }
    }

    /// How the host orders two symbols that it was not asked to compare here. `None` for others.
    fn order_of_symbols(&self, machine: &Machine, one: u64, other: u64) -> Option<Ordering> {
        let known = self.terms.shadow.call(machine.host_calls).filter(|call| {
            let own = call.arguments.iter().map(|id| self.terms.node(*id).value);
            call.function == "obj_cmp" && own.eq([one, other])
        });
        if known.is_some() {
            return None;
        }
        Some(self.name(one)?.as_bytes().cmp(self.name(other)?.as_bytes()))
    }

    /// Says whether a host call reads from memory what it read before.
    fn reads_same(&self, machine: &Machine, call: &HostCall, is: &dyn Fn(u64) -> bool) -> bool {
        let value = |at: usize| call.arguments.get(at).map_or(0, |id| self.terms.node(*id).value);
        let (first, is_list) = match call.function {
            "vec_new_from_linear_memory" => (value(0) >> 32, true),
            "map_new_from_linear_memory" => (value(1) >> 32, true),
            name if name.ends_with("_new_from_linear_memory") => (value(0) >> 32, false),
            _ => return call.read.is_empty(),
        };
        if !is_list {
            let text = call.text.as_ref();
            return text.is_some_and(|text| machine.bytes(first, text.len()) == Some(text));
        }
        let at = (first..).step_by(8);
        at.zip(&call.read).all(|(at, id)| {
            let known = self.terms.node(*id).value;
            machine.load(0x29, at) == Some(known) && is(known)
        })
    }

    /// Replaces the values of the last host call.
    fn put(&self, machine: &mut Machine, replacements: &[Replacement]) -> Option<()> {
        for replacement in replacements {
            let node = self.terms.node(replacement.leaf);
            let is_result = matches!(node.kind, Kind::Host | Kind::Unpacked);
            let call = is_result.then(|| self.terms.host_call(node));
            let Some(call) = call.filter(|call| call.number + 1 == machine.host_calls) else {
                continue;
            };
            let payload = self.payload(replacement);
            if node.kind == Kind::Host {
                *machine.stack.last_mut()? = payload;
                continue;
            }
            let first = if call.function.starts_with("vec") { 1 } else { 2 };
            let at = self.terms.node(*call.arguments.get(first)?).value >> 32;
            let bytes = payload.to_le_bytes();
            match self.terms.is_byte(replacement.leaf) {
                true => machine.write(at + u64::from(node.b), &bytes[..1])?,
                false => machine.write(at + 8 * u64::from(node.b), &bytes)?,
            }
        }
        Some(())
    }

    /// Says whether the code can reach the deciding place from there.
    fn may_decide(&self, at: &[u32]) -> bool {
        let shadow = self.terms.shadow;
        for (own, decided) in at.iter().zip(&self.decided) {
            if reaches(&shadow.code, own + 1, *decided, &shadow.endless) {
                return true;
            }
            if own != decided {
                return false;
            }
        }
        true
    }
}

/// The place of a machine.
fn place(machine: &Machine) -> Place {
    let last = machine.calls.len().saturating_sub(1);
    let calls = machine.calls.iter().enumerate();
    calls.map(|(at, call)| if at < last { call.op - 1 } else { call.op }).collect()
}

impl Terms<'_> {
    /// The end if a branch takes another side than it did.
    pub fn end_if_turned(&self, number: u32) -> Ending {
        let branch = &self.shadow.branches[number as usize - 1];
        let decided = self.shadow.place(branch.op, branch.activation);
        Reruns::new(self, decided).map_or(Ending::Unseen, |runs| runs.end_if_turned(number))
    }

    /// What held for a symbol that code compared with several names: it is none of those that would
    /// each have led elsewhere. Every name that the code has is run. `None` if nothing is known of
    /// one of them, or if more than the name decides.
    pub fn among_names(&self, leaf: Id, decided: Place) -> Option<Condition> {
        self.left.set(MOST_STEPS);
        Reruns::new(self, decided)?.among_names(leaf)
    }

    /// What held for the values of conditions, found by running the code with other values. `None`
    /// if every run had the same end.
    pub fn infer_by_runs(&self, conditions: &[Id], decided: Place) -> Option<Found> {
        self.left.set(MOST_STEPS);
        self.left_to_run(conditions, decided)
    }

    /// The same, within the remaining steps and instructions.
    pub fn left_to_run(&self, conditions: &[Id], decided: Place) -> Option<Found> {
        let runs = Reruns::new(self, decided)?;
        let Some(leaves) = self.leaves_in(conditions, false, MOST_LEAVES) else {
            return Some(None);
        };
        let leaves = leaves.into_iter().map(|(leaf, _)| leaf);
        // A loop's number of rounds alone decides nothing.
        let leaves: Vec<Id> = leaves.filter(|leaf| !runs.is_length(*leaf)).collect();
        let found = runs.held(conditions, &runs.with_rounds(&leaves));
        (runs.other_end.get() || found.is_some()).then(|| found.map(|found| vec![found]))
    }
}

impl Reruns<'_, '_> {
    /// What held for the deciding values.
    fn held(&self, conditions: &[Id], leaves: &[Id]) -> Option<Condition> {
        let found = match leaves[..] {
            [leaf] => self.numbers(conditions, leaves).or_else(|| self.symbol(leaf)),
            [_, _] => self.numbers(conditions, leaves),
            _ => None,
        };
        found
            .or_else(|| self.bytes(leaves))
            .or_else(|| self.among(leaves))
            .or_else(|| self.truth(leaves))
    }

    /// What held for one number, or how two compare.
    fn numbers(&self, conditions: &[Id], leaves: &[Id]) -> Option<Condition> {
        let number = |leaf: &Id| {
            let number = self.terms.number_of_leaf(*leaf)?;
            Some(Tried { id: *leaf, is_word: false, number })
        };
        let numbers = leaves.iter().map(number).collect::<Option<Vec<_>>>()?;
        let ends_alike = |replacements: &[Replacement]| self.ends_alike(replacements);
        let by = By::Running(&ends_alike);
        Tries { numbers, ..Tries::new(self.terms, conditions, by) }.found()
    }

    /// What held for the only value that is true or false.
    fn truth(&self, leaves: &[Id]) -> Option<Condition> {
        let own = |leaf: Id| self.terms.node(leaf).value;
        let mut known =
            leaves.iter().copied().filter(|leaf| own(*leaf) < 2 && !self.terms.is_byte(*leaf));
        let leaf = known.next().filter(|_| known.next().is_none())?;
        let other = self.other(leaf, own(leaf) ^ 1);
        let decides = self.ends_alike(&[other]) == Some(false);
        // What the code would have done with something that is there, or is not, cannot be seen.
        let needs_run = self.terms.asks_for_existence(leaf);
        decides.then(|| Condition { needs_run, ..self.terms.truth_of(leaf) })
    }

    /// What held for all bytes that the host wrote of one value: the code failed because they are
    /// these.
    fn bytes(&self, leaves: &[Id]) -> Option<Condition> {
        let node = self.terms.node(*leaves.first()?);
        let same = |leaf: &Id| self.terms.is_byte(*leaf) && self.terms.node(*leaf).c == node.c;
        if leaves.len() < 2 || !leaves.iter().all(same) {
            return None;
        }
        let whole = self.terms.host_call(node).arguments.first().copied()?;
        let length = match self.terms.payload(self.terms.node(whole).value)? {
            ScVal::Bytes(bytes) => bytes.len(),
            _ => return None,
        };
        let differs = leaves.iter().all(|leaf| {
            let own = self.terms.node(*leaf).value;
            let others = [own ^ 1, own ^ 0x80, own ^ 0xff].into_iter();
            let replacement = |byte| Replacement { leaf: *leaf, payload: Some(byte), number: None };
            others
                .map(replacement)
                .all(|replacement| self.ends_alike(&[replacement]) == Some(false))
        });
        (differs && length == leaves.len()).then(|| {
            let of = self.terms.term(whole);
            let value_xdr = of.value_xdr.clone();
            relation("equal", vec![of, Term { value_xdr, ..Term::of(TermKind::Constant) }])
        })
    }

    fn is_length(&self, leaf: Id) -> bool {
        let node = self.terms.node(leaf);
        node.kind == Kind::Host && self.terms.host_call(node).function.ends_with("_len")
    }

    /// The values, with those that the same instruction produced in other rounds of a loop.
    fn with_rounds(&self, leaves: &[Id]) -> Vec<Id> {
        let shadow = self.terms.shadow;
        let is_given = |node: &Node| matches!(node.kind, Kind::Host | Kind::Unpacked);
        let place = |node: &Node| shadow.place(node.op, node.activation);
        let mut all: BTreeSet<Id> = leaves.iter().copied().collect();
        for leaf in leaves {
            let own = shadow.get(*leaf);
            let nodes = shadow.nodes.iter().enumerate().filter(|_| is_given(own));
            let others = nodes.filter(|(_, node)| {
                let same = node.kind == own.kind && node.op == own.op;
                same && (node.kind == Kind::Host || node.b == own.b) && place(node) == place(own)
            });
            all.extend(others.map(|(id, _)| id as Id).take(MOST_LEAVES));
        }
        all.into_iter().collect()
    }

    /// The symbols that the code has, in order: those in its values, and those that it made of its
    /// memory.
    fn names(&self) -> Vec<(String, u64)> {
        let is_made = |node: &Node| {
            node.kind == Kind::Host
                && self.terms.host_call(node).function == "symbol_new_from_linear_memory"
        };
        // Code that compares letter by letter has the letters without the tag. A code of 0 is none.
        let is_dense = |value: u64| {
            (1 << 6..1 << 54).contains(&value)
                && (0..9).map(|at| value >> (6 * at)).all(|rest| rest == 0 || rest & 63 != 0)
        };
        let (mut seen, mut names) = (BTreeSet::new(), vec![]);
        for node in &self.terms.shadow.nodes {
            let value = match node.constant {
                _ if is_made(node) => node.value,
                true if node.value as u8 == SYMBOL => node.value,
                true if is_dense(node.value) => node.value << 8 | u64::from(SYMBOL),
                _ => continue,
            };
            let name = Some(value).filter(|value| seen.insert(*value)).and_then(|of| self.name(of));
            let is_new =
                |name: &String| !name.is_empty() && !names.iter().any(|(of, _)| of == name);
            names.extend(name.filter(is_new).map(|name| (name, value)));
        }
        names
    }

    fn among_names(&self, leaf: Id) -> Option<Condition> {
        let names = self.names();
        let has = |name: &String| names.iter().any(|(of, _)| of == name);
        if names.len() > MOST_LEAVES {
            return None;
        }
        let ending =
            |payload| self.ending_with(&[self.other(leaf, payload)]).map(|(ending, _)| ending);
        let mut passing = vec![];
        for (name, payload) in &names {
            match ending(*payload)? {
                Ending::Succeeds | Ending::Passes => passing.push((name, *payload)),
                Ending::Alike | Ending::Fails => {}
                Ending::Unseen => return None,
            }
        }
        // Nothing but the name decides, and no other name would do.
        if !matches!(ending(ANOTHER_NAME)?, Ending::Alike | Ending::Fails) {
            return None;
        }
        let short = passing.iter().filter(|(_, payload)| *payload as u8 == SYMBOL);
        let mut others = short.flat_map(|(_, payload)| changed(*payload));
        let is_new = |payload: &u64| self.name(*payload).is_some_and(|name| !has(&name));
        let alike = |payload| matches!(ending(payload), Some(Ending::Alike));
        if !others.by_ref().filter(is_new).all(alike) {
            return None;
        }
        match &passing[..] {
            [] => None,
            [(_, only)] => Some(relation(
                NotEqual.name(),
                vec![self.terms.leaf(leaf), self.terms.constant_term(*only)],
            )),
            _ => {
                let values = passing.into_iter().map(|(name, _)| name.clone()).collect();
                Some(Condition { values, ..relation("not_one_of", vec![self.terms.leaf(leaf)]) })
            }
        }
    }

    /// What held for one short symbol, compared with another or with a constant.
    fn symbol(&self, leaf: Id) -> Option<Condition> {
        let shadow = self.terms.shadow;
        let is_symbol = |id: Id| shadow.get(id).value as u8 == SYMBOL;
        if !is_symbol(leaf) {
            return None;
        }
        let all = 1..shadow.nodes.len() as Id;
        let is_leaf = |id: &Id| {
            let kind = shadow.get(*id).kind;
            let replacement = matches!(kind, Kind::Argument | Kind::Host | Kind::Unpacked);
            replacement && is_symbol(*id) && *id != leaf && self.terms.bits(*id).is_some()
        };
        let others = all.clone().filter(is_leaf).take(MOST_LEAVES);
        let is_name = |value: &u64| {
            *value as u8 == SYMBOL && self.name(*value).is_some_and(|name| !name.is_empty())
        };
        let constants = all.map(|id| shadow.get(id)).filter(|node| node.constant);
        let constants: BTreeSet<u64> = constants.map(|node| node.value).collect();
        let whole = constants.iter().copied().filter(is_name).collect();
        // Code that compares letter by letter has the letters without the tag. A code of 0 is none.
        let is_dense = |value: &&u64| {
            (0..9).map(|at| **value >> (6 * at)).all(|rest| rest == 0 || rest & 63 != 0)
        };
        let letters = constants.iter().filter(|value| (1 << 6..1 << 54).contains(*value));
        let letters = letters.filter(is_dense);
        let letters = letters.map(|value| value << 8 | u64::from(SYMBOL)).filter(is_name).collect();
        let mut others = others.collect::<Vec<_>>().into_iter();
        let other = others.find_map(|other| self.alike(leaf, &[other]));
        let among = |constants| self.among_constants(leaf, constants);
        other.or_else(|| among(whole)).or_else(|| among(letters))
    }

    /// Says that the value is this symbol, or that it is none of those that would each have led
    /// elsewhere, if nothing else about it decides. `None` unless all such symbols are known.
    fn among_constants(&self, leaf: Id, constants: BTreeSet<u64>) -> Option<Condition> {
        if constants.len() > MOST_LEAVES {
            return None;
        }
        let own = self.terms.node(leaf).value;
        let alike = |payload| self.ends_alike(&[self.other(leaf, payload)]);
        let elsewhere = |payload: &u64| {
            let others = || changed(*payload).filter(|of| !constants.contains(of));
            alike(*payload) == Some(false) && others().all(|of| alike(of) == Some(true))
        };
        let relation_to = |held: super::relation::Relation, of: u64| {
            relation(held.name(), vec![self.terms.leaf(leaf), self.terms.constant_term(of)])
        };
        if constants.contains(&own) {
            let others = || changed(own).filter(|of| !constants.contains(of));
            let decides = others().all(|of| alike(of) == Some(false));
            return decides.then(|| relation_to(Equal, own));
        }
        let decides = |payload: &&u64| alike(**payload) != Some(true);
        let deciding: Vec<u64> = constants.iter().filter(decides).copied().collect();
        if !deciding.iter().all(elsewhere) {
            return None;
        }
        match deciding[..] {
            [] => None,
            [only] => Some(relation_to(NotEqual, only)),
            _ => {
                let names = deciding.iter().map(|constant| self.name(*constant));
                let values = names.collect::<Option<Vec<_>>>()?;
                Some(Condition { values, ..relation("not_one_of", vec![self.terms.leaf(leaf)]) })
            }
        }
    }

    /// What held for one value that was compared with others one after the other.
    fn among(&self, leaves: &[Id]) -> Option<Condition> {
        leaves.iter().find_map(|leaf| {
            let others: Vec<Id> = leaves.iter().copied().filter(|other| other != leaf).collect();
            self.alike(*leaf, &others)
        })
    }

    /// Says that a value is one of others, or none of them, if nothing else about it decides.
    fn alike(&self, leaf: Id, others: &[Id]) -> Option<Condition> {
        let own = self.terms.node(leaf).value;
        let symbols = own as u8 == SYMBOL;
        let of_type = |id: &Id| symbols == (self.terms.node(*id).value as u8 == SYMBOL);
        let others: Vec<Id> = others.iter().copied().filter(of_type).collect();
        let (mut same, mut different) = (vec![], vec![]);
        for other in others.iter().copied() {
            same.push(match symbols {
                true => self.other(leaf, self.terms.node(other).value),
                false => self.terms.replacement(leaf, self.terms.number_of_leaf(other)?.value)?,
            });
        }
        let known: Vec<(Option<u64>, Option<Integer>)> =
            same.iter().map(|replacement| (replacement.payload, replacement.number)).collect();
        let mut add = |replacement: Replacement| {
            if !known.contains(&(replacement.payload, replacement.number)) {
                different.push(replacement);
            }
        };
        for replacement in &same {
            match replacement.number {
                Some(number) => [1, 2, 1000].into_iter().for_each(|more| {
                    let near = [number - more, number + more].into_iter();
                    near.flat_map(|number| self.terms.replacement(leaf, number)).for_each(&mut add);
                }),
                None => {
                    changed(replacement.payload?).for_each(|payload| add(self.other(leaf, payload)))
                }
            }
        }
        let ends = |replacements: &[Replacement], alike: bool| {
            self.ends_alike(replacements) == Some(alike)
        };
        let (first, term) = (same.first()?, self.terms.leaf(leaf));
        let is_one = ends(&[*first], true);
        // Both values change to the same one, so that a sum cannot be what decides.
        let both = |other: Id, replacement: &Replacement| {
            let also = match replacement.number {
                Some(number) => self.terms.replacement(other, number),
                None => replacement.payload.map(|payload| self.other(other, payload)),
            };
            also.is_some_and(|also| ends(&[*replacement, also], is_one))
        };
        let bears = same.iter().all(|replacement| ends(&[*replacement], is_one))
            && !different.is_empty()
            && different.iter().all(|replacement| ends(&[*replacement], !is_one))
            && others
                .iter()
                .all(|other| different.iter().take(2).all(|replacement| both(*other, replacement)));
        if !bears {
            return None;
        }
        let number = |id: Id| self.terms.number_of_leaf(id);
        let held = if is_one { Equal } else { NotEqual };
        let other = match (is_one, &others[..]) {
            (true, _) => {
                others.iter().copied().find(|other| self.terms.node(*other).value == own)?
            }
            (false, [only]) => *only,
            (false, _) => {
                let values = others.iter().map(|id| match number(*id) {
                    Some(number) => Some(number.value.to_string()),
                    None => self.name(self.terms.node(*id).value),
                });
                let term = match number(leaf) {
                    Some(number) => term.with_number(number.value),
                    None => term,
                };
                let values = values.collect::<Option<BTreeSet<_>>>()?.into_iter().collect();
                return Some(Condition { values, ..relation("not_one_of", vec![term]) });
            }
        };
        match (number(leaf), number(other)) {
            (Some(a), Some(b)) => self.terms.between(held, a, b),
            _ => Some(relation(held.name(), vec![term, self.terms.leaf(other)])),
        }
    }

    fn other(&self, leaf: Id, payload: u64) -> Replacement {
        Replacement { leaf, payload: Some(payload), number: None }
    }

    fn name(&self, payload: u64) -> Option<String> {
        match self.terms.payload(payload)? {
            ScVal::Symbol(symbol) => Some(symbol.0.to_utf8_string_lossy()),
            _ => None,
        }
    }
}

/// Symbols that resemble a short one: with another letter, one letter fewer, and one more.
fn changed(payload: u64) -> impl Iterator<Item = u64> {
    let body = payload >> 8;
    let letters = (0..9).filter(move |at| body >> (6 * at) != 0).map(move |at| {
        let letter = (body >> (6 * at)) & 63;
        body ^ ((letter ^ if letter == 20 { 21 } else { 20 }) << (6 * at))
    });
    let longer = (body >> 48 == 0).then_some((body << 6) | 20);
    let near = letters.chain([body >> 6]).chain(longer).filter(|body| *body > 0);
    near.map(|body| (body << 8) | u64::from(SYMBOL))
}
