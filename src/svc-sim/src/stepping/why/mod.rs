// Explains why a transaction failed, down to the value. The failed contract call runs once more
// with the origin of each value (`shadow.rs`), the deciding branch is found (`slice.rs`), and its
// condition is read as people write it (`condition.rs`). A condition that fits no rule is not
// explained.

mod alternatives;
mod bits;
mod calls;
mod computed;
mod condition;
mod contents;
mod flow;
mod host_value;
mod number;
mod other_values;
mod relation;
mod reruns;
mod rests;
pub mod shadow;
mod shapes;
pub mod slice;
mod term;
mod tries;

use super::{
    failed_frame::innermost,
    machine::Machine,
    record::{FrameKind, FrameRecord},
    session::{verify, Session},
    stop::Trap,
    track::Track,
};
use crate::{
    hosts::recorded::RecordedRun,
    input::Input,
    wire::{
        request::AskedBranch,
        response::TakenBranches,
        why::{Condition, Refused, SourceLine, Term, TermKind, Why},
    },
    xdr_codec::hex,
};
use calls::Calls;
use condition::with_constants;
#[cfg(test)]
pub use flow::side as branch_side;
use number::number_at;
use relation::Found;
use reruns::{Ending, MOST_INSTRUCTIONS};
use sha2::{Digest, Sha256};
use shadow::{HostCall, Id, Shadow};
use slice::{Decision, Joined, Slicer};
use std::{
    collections::{BTreeSet, HashMap},
    ops::Range,
};
use term::{Terms, MOST_STEPS};

/// The numbers of instructions at the beginning and at the end of a call that are watched, and of
/// the nodes that they make.
const HEAD: u64 = 400_000;
const WINDOW: u64 = 1_500_000;
const MAX_NODES: usize = 2_400_000;
/// The number of further parts of the failed call that are watched, each up to the creation of a
/// deciding value.
const MOST_PARTS: usize = 3;
const PART: u64 = 100_000;
/// The number of branches before the end of a call that can be the deciding one.
const MOST_BRANCHES: usize = 8;
/// The number of further conditions that runs test.
const MOST_OTHERS: usize = 4;
/// The number of contract calls that are watched in all.
const MOST_WATCHED: usize = 12;

impl Session {
    /// Explains the failure. `None` if the transaction did not fail in code that can be stepped
    /// through, or if the reason is not recognized.
    pub fn why(&mut self, input: &Input) -> Option<Why> {
        let frame = decided_in(&self.frames)?;
        let (mut shadows, mut tried) = (HashMap::new(), BTreeSet::new());
        let mut wanted = BTreeSet::from([frame]);
        let (mut found, mut nodes) = (None, MAX_NODES);
        // Each round shows which other calls must be watched.
        while tried.len() < MOST_WATCHED && !wanted.is_subset(&tried) {
            for watched in wanted.iter().filter(|watched| tried.insert(**watched)) {
                let most = if *watched == frame { MOST_PARTS } else { 0 };
                let Some(shadow) = self.watched_in(most, *watched, input, nodes) else { continue };
                nodes -= shadow.nodes.len().min(nodes);
                shadows.insert(*watched, shadow);
            }
            let calls = Calls::new(&self.frames, &self.tracks, &self.run, &shadows);
            let mut why = match &found {
                Some(why) => Clone::clone(why),
                None => calls.why(frame)?,
            };
            found.get_or_insert_with(|| why.clone());
            calls.complete(&mut why);
            wanted = calls.wanted.into_inner();
            if wanted.is_subset(&tried) || tried.len() >= MOST_WATCHED {
                return Some(why);
            }
        }
        found
    }

    /// A watched call. It runs once more for each part in which a deciding value was made.
    fn watched_in(
        &mut self,
        mut most_parts: usize,
        frame: usize,
        input: &Input,
        nodes: usize,
    ) -> Option<Shadow> {
        let mut parts: Vec<Range<u64>> = vec![];
        loop {
            let Some(shadow) = self.watched(frame, input, nodes, &parts) else {
                parts.pop()?;
                most_parts = 0;
                continue;
            };
            let known = HashMap::from([(frame, shadow)]);
            let calls = Calls::new(&self.frames, &self.tracks, &self.run, &known);
            let open = calls.loss(frame).filter(|made| {
                parts.len() < most_parts && !parts.iter().any(|part| part.contains(&(made - 1)))
            });
            match open {
                Some(made) => parts.push(made.saturating_sub(PART)..made),
                None => return known.into_values().next(),
            }
        }
    }

    fn watched(
        &mut self,
        frame: usize,
        input: &Input,
        nodes: usize,
        parts: &[Range<u64>],
    ) -> Option<Shadow> {
        if self.tracks[frame].is_none() && self.reasons[frame].is_none() {
            let record = &self.frames[frame];
            self.tracks[frame] = verify(record, &self.run, &self.codes, input).ok();
        }
        let track = self.tracks[frame].as_mut()?;
        let mut shadow = Shadow::new(track.code.clone(), nodes);
        let last = track.steps.saturating_sub(WINDOW);
        let observe = |machine: &Machine, op| {
            let at = machine.instructions;
            let skipped = (HEAD..last).contains(&at) && !parts.iter().any(|it| it.contains(&at));
            match skipped {
                true => shadow.skip(machine, op),
                false => shadow.observe(machine, op),
            }
        };
        track.watch(0, &self.frames[frame], &self.run, observe)?;
        (!shadow.full).then_some(shadow)
    }
}

impl Calls<'_> {
    /// The moment at which the latest deciding value was made, if that moment was not watched.
    fn loss(&self, frame: usize) -> Option<u64> {
        let (record, shadow) = (&self.frames[frame], self.shadow(frame)?);
        let (end, trap) = end_of(record, self.tracks[frame].as_ref()?.trap)?;
        let of = match end {
            _ if !shadow.cut => vec![],
            "refused" => shadow.host_calls.last()?.arguments.clone(),
            _ => self.with_terms(frame, |terms| {
                let passed = |branch: &shadow::Branch| terms.passed_type_test(branch);
                match decide(shadow, &passed, record, trap) {
                    Some((_, Some(divisor))) => vec![divisor],
                    Some((Decision::Branch(number) | Decision::Branches(number, _), _)) => {
                        vec![shadow.branches[number as usize - 1].condition]
                    }
                    Some((Decision::Chosen(id, _) | Decision::Computed(id), _)) => vec![id],
                    Some((Decision::Always, _)) | None => shadow.conditions_above(),
                }
            })?,
        };
        shadow.latest_loss(of)
    }

    fn why(&self, frame: usize) -> Option<Why> {
        let (record, shadow) = (&self.frames[frame], self.shadow(frame)?);
        let track = self.tracks[frame].as_ref()?;
        let (end, trap) = end_of(record, track.trap)?;
        let code = &shadow.code;
        let mut why = Why {
            frame,
            contract: record.contract.clone(),
            function: record.function.clone(),
            end,
            always: false,
            conditions: vec![],
            because: vec![],
            others: vec![],
            code: hex(&code.hash),
            address: code.addresses[shadow.last_op as usize],
            function_index: code.function_at(shadow.last_op),
            count: None,
            taken: 0,
            refused: None,
            missed: None,
            line: None,
        };
        if end == "refused" {
            let call = shadow.host_calls.last()?;
            let read = |terms: &Terms| refused(terms, call);
            why.refused = Some(self.with_terms(frame, read)?);
            return Some(why);
        }
        self.with_terms(frame, |terms| {
            let why = decided(terms, record, trap, why)?;
            let others = terms.others.take().into_iter().take(MOST_OTHERS).collect();
            Some(Why { others, ..why })
        })?
    }
}

/// The call that the host refused, with its arguments.
fn refused(terms: &Terms, call: &HostCall) -> Refused {
    let is_key = call.function.contains("contract_data");
    let arguments = match is_key {
        true => terms.entry_of(call).into_iter().collect(),
        false => {
            let arguments = call.arguments.iter().map(|id| terms.with_parts(*id));
            arguments.collect()
        }
    };
    let function = call.function;
    // By how much a TTL should be extended.
    let times = call.arguments.get(2..).filter(|_| function == "extend_contract_data_ttl");
    let passed = times.unwrap_or_default().iter().map(|id| terms.with_parts(*id)).collect();
    let (values, control, reasons) = (vec![], vec![], vec![]);
    Refused { function, arguments, passed, values, control, complete: false, reasons }
}

/// Finds the deciding branch and its condition.
fn decided(terms: &Terms, record: &FrameRecord, trap: Option<Trap>, why: Why) -> Option<Why> {
    let passed = |branch: &shadow::Branch| terms.passed_type_test(branch);
    match decide(terms.shadow, &passed, record, trap) {
        // A value that a branch carries to the end of its block is no variable, so that the slice
        // does not see who chose it. A trap has no value.
        Some((Decision::Always, _))
            if trap != Some(Trap::Unreachable) && !has_one_way(terms, &passed) =>
        {
            infer_from_last_branches(terms, &passed, why)
        }
        Some((decision, divisor)) => {
            let mut slicer = Slicer::new(terms.shadow, &passed);
            decide_with(&mut slicer, record, trap);
            by_decision(terms, &passed, &slicer.joined(), decision, divisor, why)
        }
        None if trap == Some(Trap::Unreachable) && has_one_way(terms, &passed) => {
            Some(Why { always: true, ..why })
        }
        None => infer_from_last_branches(terms, &passed, why),
    }
}

/// Says whether nothing that the code was given could have led it elsewhere: its branches only test
/// types that the values have, or constants.
fn has_one_way(terms: &Terms, passed: &dyn Fn(&shadow::Branch) -> bool) -> bool {
    let shadow = terms.shadow;
    let is_fixed = |branch: &shadow::Branch| {
        shadow.get(branch.condition).constant
            || passed(branch)
            || terms.asks_types(branch.condition, 0)
    };
    shadow.from_start && !shadow.cut && shadow.branches.iter().all(is_fixed)
}

fn by_decision(
    terms: &Terms,
    passed: &dyn Fn(&shadow::Branch) -> bool,
    joined: &Joined,
    decision: Decision,
    divisor: Option<Id>,
    mut why: Why,
) -> Option<Why> {
    let shadow = terms.shadow;
    let code = &shadow.code;
    let is_first = shadow.from_start;
    terms.left.set(MOST_STEPS);
    let (decision, also) = match decision {
        Decision::Branches(latest, also) => (Decision::Branch(latest), Some(also)),
        decision => (decision, None),
    };
    let default_of = |condition: Id| {
        let number = Slicer::new(shadow, passed).constants_of(condition);
        let branch = number.map(|number| &shadow.branches[number as usize - 1]);
        let found = branch.and_then(|branch| terms.read_branch(branch)).unwrap_or_default();
        // The default for something absent. Another constant is explained if its choice alone made
        // the call fail.
        let missing = |held: &Condition| {
            held.relation == "absent"
                || held.relation == "is_type" && matches!(held.of_type, Some("void" | "error"))
        };
        let decides =
            |number: u32| matches!(terms.end_if_turned(number), Ending::Passes | Ending::Succeeds);
        if !found.is_empty() && (found.iter().all(missing) || number.is_some_and(decides)) {
            return found;
        }
        // That test may have compared a default, too.
        let before =
            branch.and_then(|branch| Slicer::new(shadow, passed).constants_of(branch.condition));
        let before = before.map(|number| &shadow.branches[number as usize - 1]);
        let found = before.and_then(|branch| terms.read_branch(branch)).unwrap_or_default();
        match found.iter().all(missing) {
            true => found,
            false => vec![],
        }
    };
    why.conditions = match decision {
        Decision::Always if is_first => {
            why.always = true;
            vec![]
        }
        Decision::Always => return None,
        Decision::Chosen(condition, truth) => {
            let goes = |value: u64| u32::from(value as u32 != 0);
            let found = terms.simplify(condition, &goes, terms.held(condition, truth, 0));
            let agrees = |held: &Condition| terms.agrees(condition, &goes, held);
            let node = shadow.get(condition);
            let infer_by_runs = || {
                terms.infer_by_runs(&[condition], shadow.place(node.op, node.activation)).flatten()
            };
            why.because = Some(default_of(condition))
                .filter(|found| !found.is_empty())
                .or_else(|| terms.read_chosen_collection(condition))
                .unwrap_or_default();
            let found = found.filter(|found| found.iter().all(agrees)).or_else(infer_by_runs)?;
            let found = terms.with_choices(condition, found)?;
            terms.with_alternatives((shadow.control_of(node), condition), None, passed, found)?
        }
        Decision::Branch(number) if divisor.is_none() => {
            let number = terms.latest_deciding(number, passed);
            let joined = terms.joined_with(number, joined);
            terms.left.set(MOST_STEPS);
            terms.instructions.set(MOST_INSTRUCTIONS);
            let branch = &shadow.branches[number as usize - 1];
            why.address = code.addresses[branch.op as usize];
            why.function_index = code.function_at(branch.op);
            why.taken = branch.taken;
            let alone = !shadow.took_same_side_before(number)
                && !terms.tests_a_loop(number)
                && !Slicer::new(shadow, passed).counts(branch.condition);
            why.count = (is_first && alone).then_some(branch.before);
            let goes = |value: u64| terms.goes(branch, value);
            let of_branch = || {
                let found = terms.simplify(branch.condition, &goes, terms.read_branch(branch));
                let agrees = |held: &Condition| terms.agrees(branch.condition, &goes, held);
                terms.to_strict(number, found).filter(|found| found.iter().all(agrees))
            };
            let mut found = if alone { of_branch() } else { None };
            if alone {
                let chosen = || {
                    let constants = terms.read_chosen_constants(branch.condition, &goes);
                    constants.or_else(|| terms.read_chosen_collection(branch.condition))
                };
                why.because = Some(default_of(branch.condition))
                    .filter(|found| !found.is_empty())
                    .or_else(chosen)
                    .unwrap_or_default();
            }
            if found.is_none() && !why.because.is_empty() {
                terms.takes_chosen.set(true);
                found = of_branch();
                terms.takes_chosen.set(false);
                why.because = found.as_ref().map(|_| why.because).unwrap_or_default();
            }
            let found = match found {
                Some(found) => found,
                None => match infer_by_runs(terms, number) {
                    Some(found) => found?,
                    None => return infer_from_last_branches(terms, passed, why),
                },
            };
            let all = terms.with_alternatives(
                (branch.control, branch.condition),
                Some(number),
                passed,
                found,
            )?;
            let names_a_part =
                |held: &Condition| held.terms.iter().any(|term| term.kind == TermKind::Element);
            if terms.tests_a_letter(number) && all.iter().any(names_a_part) {
                return None;
            }
            let all = terms.with_joined(&joined, number, passed, all)?;
            let decides_alone = all.len() == 1 && all[0].relation != "not_one_of";
            why.count = why.count.filter(|_| decides_alone);
            all
        }
        Decision::Computed(error) => terms.computed_of(error)?,
        Decision::Branch(_) | Decision::Branches(..) => {
            let number = terms.number(divisor?, 0).filter(|of| of.value == 0)?;
            vec![terms.equal(number, number_at(0))?]
        }
    };
    if let Some(also) = also {
        why.count = None;
        why.conditions.extend(terms.read_branch(&shadow.branches[also as usize - 1])?);
    }
    let text = |held: &Condition| serde_json::to_string(held).unwrap_or_default();
    why.because.retain(|held| !why.conditions.iter().any(|other| text(other) == text(held)));
    let by_constant = |held: &Condition| {
        let in_constant = |term: &Term| {
            term.kind == TermKind::Key
                && term
                    .of
                    .first()
                    .is_some_and(|of| matches!(of.kind, TermKind::Constant | TermKind::Unnamed))
        };
        held.terms.get(1).is_some_and(|term| term.number.is_some())
            || held.terms.first().is_some_and(in_constant)
    };
    if !why.because.is_empty() {
        why.conditions = why.conditions.into_iter().map(with_constants).collect();
    }
    if !why.conditions.iter().any(by_constant) {
        why.because = vec![];
    }
    Some(why)
}

/// What held at a branch, or in the loop that it ended, found by running the code with other
/// values. `None` if the call has the same end with all of them.
fn infer_by_runs(terms: &Terms, number: u32) -> Option<Found> {
    let branch = &terms.shadow.branches[number as usize - 1];
    let place = terms.shadow.place(branch.op, branch.activation);
    terms.infer_by_runs(&terms.shadow.rounds_of(number), place)
}

/// The reason if the deciding branch is unknown: the latest branch at which the call goes on to its
/// end with another value.
fn infer_from_last_branches(
    terms: &Terms,
    passed: &dyn Fn(&shadow::Branch) -> bool,
    mut why: Why,
) -> Option<Why> {
    let shadow = terms.shadow;
    let slicer = Slicer::new(shadow, passed);
    let numbers = (1..=shadow.branches.len() as u32).rev().filter(|_| shadow.from_start);
    let varies = |number: &u32| {
        let branch = &shadow.branches[*number as usize - 1];
        !shadow.get(branch.condition).constant && slicer.goes_on(branch)
    };
    let mut tried = numbers.filter(varies).take(MOST_BRANCHES);
    let (number, found) = tried.find_map(|number| Some((number, infer_by_runs(terms, number)?)))?;
    let branch = &shadow.branches[number as usize - 1];
    why.address = shadow.code.addresses[branch.op as usize];
    why.function_index = shadow.code.function_at(branch.op);
    let found = terms.with_alternatives(
        (branch.control, branch.condition),
        Some(number),
        passed,
        found?,
    )?;
    (why.conditions, why.because, why.count) = (found, vec![], None);
    why.taken = branch.taken;
    Some(why)
}

impl Session {
    /// The explanation with the line of the contract's own source, if its code has debug
    /// information.
    pub fn with_line(&self, mut why: Why) -> Why {
        why.line = self.known_code(why.frame).and_then(|known| {
            let op = known.code.op_at(why.address)?;
            let depth = known.lines.own_depth(op, usize::MAX)?;
            let (file, line) = known.lines.line_at(op, depth)?;
            Some(SourceLine { file: known.lines.files.get(file as usize)?.clone(), line })
        });
        why
    }

    /// The side that a branch takes in this run. `None` if it is not reached.
    pub fn branch_taken(&mut self, branch: &AskedBranch) -> Option<u32> {
        let Session { run, frames, tracks, .. } = self;
        let record = frames.get(branch.frame)?;
        let track = tracks[branch.frame].as_mut()?;
        let code = track.code.clone();
        let op = code.op_at(branch.address).filter(|_| hex(&code.hash) == branch.code)?;
        let (mut before, mut taken) = (0, None);
        track.watch(0, record, run, |machine, next| {
            if next != op {
                return false;
            }
            before += 1;
            let is_it = before > branch.count;
            if is_it {
                taken = machine.stack.last().and_then(|top| flow::side(&code, op, *top));
            }
            is_it
        })?;
        taken
    }

    /// The branches that each call of code took, without how often it took them: a loop that runs
    /// twice is on the path of one that runs three times.
    pub fn branches(&mut self) -> Vec<TakenBranches> {
        let Session { run, frames, tracks, .. } = self;
        let of_code = frames.iter().zip(tracks).filter(|(frame, _)| frame.kind == FrameKind::Wasm);
        of_code
            .map(|(frame, track)| TakenBranches {
                contract: frame.contract.clone(),
                function: frame.function.clone(),
                taken: track.as_mut().map(|track| hex(&taken_in(track, frame, run))),
            })
            .collect()
    }
}

fn taken_in(track: &mut Track, frame: &FrameRecord, run: &RecordedRun) -> [u8; 32] {
    let code = track.code.clone();
    let mut taken = BTreeSet::new();
    // A call that failed before its first instruction took none.
    track.watch(0, frame, run, |machine, op| {
        let top = machine.stack.last();
        taken.extend(top.and_then(|top| Some((op, flow::side(&code, op, *top)?))));
        false
    });
    let mut hash = Sha256::new();
    for (op, side) in taken {
        hash.update(op.to_be_bytes());
        hash.update(side.to_be_bytes());
    }
    hash.finalize().into()
}

/// The innermost failed call whose code ran. An asset's contract, and a contract that does not
/// exist, have no code.
fn decided_in(frames: &[FrameRecord]) -> Option<usize> {
    let mut frame = innermost(frames)?;
    let has_run = |record: &FrameRecord| {
        record.kind == FrameKind::Wasm && (record.fuel > 0 || !record.host_calls.is_empty())
    };
    while !has_run(&frames[frame]) {
        frame = frames[frame].parent?.0;
    }
    Some(frame)
}

fn end_of(record: &FrameRecord, trap: Option<Trap>) -> Option<(&'static str, Option<Trap>)> {
    let last = record.host_calls.last().filter(|last| !last.ok);
    match (trap, last) {
        (Some(Trap::Unreachable | Trap::DivisionByZero), _) => Some(("stopped", trap)),
        (Some(Trap::HostCallFailed), Some(last)) if last.function == "fail_with_error" => {
            Some(("error", trap))
        }
        (Some(Trap::HostCallFailed), Some(_)) => Some(("refused", trap)),
        (None, None) if !record.ok => Some(("returned", None)),
        _ => None,
    }
}

/// The decision, and the divisor if it was zero.
fn decide(
    shadow: &Shadow,
    passed: &dyn Fn(&shadow::Branch) -> bool,
    record: &FrameRecord,
    trap: Option<Trap>,
) -> Option<(Decision, Option<Id>)> {
    decide_with(&mut Slicer::new(shadow, passed), record, trap)
}

fn decide_with(
    slicer: &mut Slicer,
    record: &FrameRecord,
    trap: Option<Trap>,
) -> Option<(Decision, Option<Id>)> {
    let shadow = slicer.shadow;
    let (op, control) = (shadow.last_op, shadow.last_control);
    let decision = match trap {
        Some(Trap::Unreachable) => slicer.decide(Some(control), None)?,
        Some(Trap::DivisionByZero) => {
            let divisor = *shadow.last.last()?;
            if !shadow.get(divisor).constant {
                return Some((Decision::Branch(0), Some(divisor)));
            }
            slicer.decide(Some(control), Some((divisor, op)))?
        }
        Some(_) => slicer.decide(Some(control), Some((*shadow.last.first()?, op)))?,
        None => {
            let returned = shadow.last.iter().rev().find(|id| shadow.get(**id).value as u8 == 3)?;
            let is_error = matches!(
                record.result,
                crate::hosts::recorded::RecordedValue::Small(payload) if payload as u8 == 3
            );
            let known =
                is_error || matches!(record.result, crate::hosts::recorded::RecordedValue::Unknown);
            slicer.returned(*returned, op).filter(|_| known)?
        }
    };
    Some((decision, None))
}

/// Terms of one call, without facts about others.
#[cfg(test)]
pub fn why_alone(
    code: std::rc::Rc<super::code::Code>,
    frame: FrameRecord,
    most_nodes: usize,
) -> (Option<Why>, FrameRecord) {
    let run = crate::hosts::recorded::RecordedRun::default();
    let Ok(mut track) = super::track::Track::verify(code.clone(), &frame, &run) else {
        return (None, frame);
    };
    let mut shadow = Shadow::new(code, most_nodes);
    let observe = |machine: &Machine, op| shadow.observe(machine, op);
    if track.watch(0, &frame, &run, observe).is_none() || shadow.full {
        return (None, frame);
    }
    let (frames, tracks, shadows) = ([frame], [Some(track)], HashMap::from([(0, shadow)]));
    let why = Calls::new(&frames, &tracks, &run, &shadows).why(0);
    let [frame] = frames;
    (why, frame)
}
