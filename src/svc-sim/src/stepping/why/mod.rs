// Why a transaction failed, down to the value: the contract call that failed is run once more with
// the origin of each value (`shadow.rs`), the branch that decided is found (`slice.rs`), and its
// condition is read as people write it (`condition.rs`). Nothing is said that does not fit a rule.

mod condition;
mod flow;
mod other_values;
mod relation;
pub mod shadow;
mod shapes;
pub mod slice;
mod term;

use super::{
    record::{FrameKind, FrameRecord},
    session::Session,
    stop::Trap,
};
use crate::{
    wire::{
        request::AskedBranch,
        why::{Condition, Why},
    },
    xdr_codec::hex,
};
use shadow::{Id, Shadow};
use slice::{Decision, Slicer};
use std::cell::{Cell, RefCell};
use term::{number_at, Called, Terms, MOST_STEPS};

/// The last instructions of a call that are watched, and the nodes that they may make.
const WINDOW: u64 = 2_000_000;
const MAX_NODES: usize = 3_000_000;

impl Session {
    /// `None`: it did not fail in code that can be stepped, or the reason is not recognized.
    pub fn why(&mut self) -> Option<Why> {
        let frame = failed_frame(&self.frames)?;
        let Session { run, frames, tracks, .. } = self;
        let record = &frames[frame];
        let track = tracks[frame].as_mut()?;
        let (end, trap) = end_of(record, track.trap)?;
        let code = track.code.clone();
        let mut shadow = Shadow::new(code.clone(), MAX_NODES);
        let from = track.steps.saturating_sub(WINDOW);
        track.watch(from, record, run, |machine, op| shadow.observe(machine, op))?;
        if shadow.full {
            return None;
        }
        let is_first = shadow.from_start;
        let calls: &[FrameRecord] = frames;
        let run = &*run;
        let called = |number: usize| {
            let call = record.host_calls.get(number)?;
            let made = calls.iter().find(|made| made.parent == Some((frame, number)));
            Some(Called {
                arguments: call.arguments.iter().map(|value| run.xdr(value)).collect(),
                contract: made.and_then(|made| made.contract.clone()),
                function: made.map(|made| made.function.clone()),
                written: is_written(calls, record, number, &|value| run.xdr(value)),
            })
        };
        let value_of = RefCell::new(|payload: u64| track.value(payload, run));
        let (left, within) = (Cell::new(MOST_STEPS), Cell::new(0));
        let terms = Terms { shadow: &shadow, value_of: &value_of, called: &called, left, within };
        let passed = |branch: &shadow::Branch| terms.passed_type_test(branch);
        let (decision, divisor) = decide(&shadow, &passed, record, trap)?;
        terms.left.set(MOST_STEPS);
        let default_of = |condition: Id| {
            let number = Slicer::new(&shadow, &passed).constants_of(condition);
            let branch = number.map(|number| &shadow.branches[number as usize - 1]);
            let found = branch.and_then(|branch| terms.of_branch(branch)).unwrap_or_default();
            // The default of what is not there; no other constant is explained.
            let missing = |held: &Condition| {
                held.relation == "absent"
                    || held.relation == "is_type" && held.of_type == Some("void")
            };
            if found.iter().all(missing) {
                found
            } else {
                vec![]
            }
        };
        let mut why = Why {
            frame,
            contract: record.contract.clone(),
            function: record.function.clone(),
            end,
            always: false,
            conditions: vec![],
            because: vec![],
            code: hex(&code.hash),
            address: code.addresses[shadow.last_op as usize],
            function_index: code.function_at(shadow.last_op),
            count: None,
            taken: 0,
            refused: None,
        };
        why.conditions = match decision {
            Decision::Always if is_first => {
                why.always = true;
                vec![]
            }
            Decision::Always => return None,
            Decision::Chosen(condition, truth) => {
                why.because = default_of(condition);
                let found = terms.held(condition, truth, 0)?;
                let goes = |value: u64| u32::from(value as u32 != 0);
                found.iter().all(|held| terms.agrees(condition, &goes, held)).then_some(found)?
            }
            Decision::Branch(number) if divisor.is_none() => {
                let branch = &shadow.branches[number as usize - 1];
                why.address = code.addresses[branch.op as usize];
                why.function_index = code.function_at(branch.op);
                why.taken = branch.taken;
                let before = shadow.branches[..number as usize - 1].iter();
                let mut before = before.filter(|other| other.op == branch.op);
                why.count = is_first.then(|| before.clone().count() as u64);
                // In a loop that went on the same way before, one round of it is not the reason.
                let same = |other: &shadow::Branch| {
                    other.activation == branch.activation && other.taken == branch.taken
                };
                if before.any(same) || Slicer::new(&shadow, &passed).counts(branch.condition) {
                    return None;
                }
                let found = terms.of_branch(branch)?;
                why.because = default_of(branch.condition);
                let goes = |value: u64| terms.goes(branch, value);
                let agrees = |held: &Condition| terms.agrees(branch.condition, &goes, held);
                found.iter().all(agrees).then_some(found)?
            }
            Decision::Computed(error) => vec![terms.computed_of(error)?],
            Decision::Branch(_) => {
                let number = terms.number(divisor?, 0).filter(|of| of.value == 0)?;
                vec![terms.equal(number, number_at(0))?]
            }
        };
        let by_number =
            |held: &Condition| held.terms.get(1).is_some_and(|term| term.number.is_some());
        if !why.conditions.iter().any(by_number) {
            why.because = vec![];
        }
        Some(why)
    }
}

impl Session {
    /// Which way a branch goes in this run; `None`: it is not reached.
    pub fn branch_taken(&mut self, asked: &AskedBranch) -> Option<u32> {
        let Session { run, frames, tracks, .. } = self;
        let record = frames.get(asked.frame)?;
        let track = tracks[asked.frame].as_mut()?;
        let code = track.code.clone();
        let op = code.op_at(asked.address).filter(|_| hex(&code.hash) == asked.code)?;
        let (mut before, mut taken) = (0, None);
        track.watch(0, record, run, |machine, next| {
            if next != op {
                return false;
            }
            before += 1;
            let is_it = before > asked.count;
            if is_it {
                taken = machine.stack.last().and_then(|top| flow::side(&code, op, *top));
            }
            is_it
        })?;
        taken
    }
}

/// The innermost call that failed, and with it all others; `None`: not one that runs code.
pub fn failed_frame(frames: &[FrameRecord]) -> Option<usize> {
    let mut frame = frames.iter().position(|frame| frame.parent.is_none() && !frame.ok)?;
    loop {
        let record = &frames[frame];
        let last = record.host_calls.len().checked_sub(1);
        let failed_call = last.filter(|last| !record.host_calls[*last].ok);
        let child = frames.iter().rposition(|child| match child.parent {
            Some((parent, call)) => {
                let of_call = record.kind == FrameKind::Host || failed_call == Some(call);
                parent == frame && of_call && !child.ok
            }
            None => false,
        });
        match child {
            Some(child) => frame = child,
            None => return (record.kind == FrameKind::Wasm).then_some(frame),
        }
    }
}

fn end_of(record: &FrameRecord, trap: Option<Trap>) -> Option<(&'static str, Option<Trap>)> {
    let last = record.host_calls.last().filter(|last| !last.ok);
    match (trap, last) {
        (Some(Trap::Unreachable | Trap::DivisionByZero), _) => Some(("stopped", trap)),
        (Some(Trap::HostCallFailed), Some(last)) if last.function == "fail_with_error" => {
            Some(("error", trap))
        }
        (None, None) if !record.ok => Some(("returned", None)),
        _ => None,
    }
}

/// The decision, and the divisor where that was zero.
fn decide(
    shadow: &Shadow,
    passed: &dyn Fn(&shadow::Branch) -> bool,
    record: &FrameRecord,
    trap: Option<Trap>,
) -> Option<(Decision, Option<Id>)> {
    let mut slicer = Slicer::new(shadow, passed);
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

/// Whether the contract wrote the entry earlier in the transaction.
fn is_written(
    frames: &[FrameRecord],
    record: &FrameRecord,
    number: usize,
    xdr: &dyn Fn(&crate::hosts::recorded::RecordedValue) -> Option<Vec<u8>>,
) -> bool {
    let read = &record.host_calls[number];
    let Some(key) = read.arguments.first().and_then(xdr) else { return true };
    let same = frames.iter().filter(|frame| frame.contract == record.contract);
    same.flat_map(|frame| &frame.host_calls).any(|call| {
        let writes = matches!(call.function, "put_contract_data" | "del_contract_data");
        let before = call.cpu_before < read.cpu_before;
        writes && before && call.arguments.first().and_then(xdr).is_none_or(|other| other == key)
    })
}
