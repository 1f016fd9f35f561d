// The calls around the failed one: what a caller passed as an argument, and what a callee made its
// result of. Each call is watched in a run of its own, after something asks for it.

use super::{
    number::number_in,
    reruns::MOST_INSTRUCTIONS,
    shadow::{HostCall, Id, Kind, Shadow},
    slice::Slicer,
    term::{Called, Terms, MOST_STEPS},
};
use crate::{
    hosts::recorded::{RecordedRun, RecordedValue},
    stepping::{
        journal::{Journal, Written},
        record::{FrameKind, FrameRecord},
        track::Track,
    },
    wire::why::{Condition, Origin, Term, TermKind},
    xdr_codec::{decode, from_base64, to_base64, xdr::ScVal},
};
use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

/// The number of calls through which a value is followed.
const MOST_FRAMES_DEEP: usize = 8;

/// For each node, the sources from which it may have been computed.
pub type Sources = Vec<u8>;

pub struct Calls<'a> {
    pub frames: &'a [FrameRecord],
    pub tracks: &'a [Option<Track>],
    pub run: &'a RecordedRun,
    pub shadows: &'a HashMap<usize, Shadow>,
    /// Calls whose values are needed and that are not watched yet.
    pub wanted: RefCell<BTreeSet<usize>>,
    pub sources: RefCell<HashMap<usize, Rc<Sources>>>,
    /// Remembers whether a function can return from another side of a branch, by frame, operation
    /// and side taken.
    pub returns: RefCell<HashMap<(usize, u32, u32), bool>>,
    journal: OnceCell<Journal<'a>>,
}

impl<'a> Calls<'a> {
    pub fn new(
        frames: &'a [FrameRecord],
        tracks: &'a [Option<Track>],
        run: &'a RecordedRun,
        shadows: &'a HashMap<usize, Shadow>,
    ) -> Calls<'a> {
        let (wanted, sources, returns, journal) = Default::default();
        Calls { frames, tracks, run, shadows, wanted, sources, returns, journal }
    }

    /// The watched run of a frame. `None` if it is not watched, or not yet.
    pub fn shadow(&self, frame: usize) -> Option<&'a Shadow> {
        let found = self.shadows.get(&frame);
        if found.is_none() && self.frames[frame].kind == FrameKind::Wasm {
            self.wanted.borrow_mut().insert(frame);
        }
        found
    }

    pub fn with_terms<R>(&self, frame: usize, read: impl FnOnce(&Terms) -> R) -> Option<R> {
        let (shadow, record) = (self.shadow(frame)?, &self.frames[frame]);
        let track = self.tracks[frame].as_ref()?;
        let called = |number: usize| {
            let call = record.host_calls.get(number)?;
            let made = self.callee(frame, number).map(|made| &self.frames[made]);
            Some(Called {
                arguments: call.arguments.iter().map(|value| self.run.xdr(value)).collect(),
                contract: made.and_then(|made| made.contract.clone()),
                function: made.map(|made| made.function.clone()),
                written: match call.function {
                    "get_contract_data" | "has_contract_data" => self.writer(frame, number),
                    _ => Written::Before,
                },
            })
        };
        let value_of = RefCell::new(|payload: u64| track.value(payload, self.run));
        let terms = Terms {
            shadow,
            track,
            record,
            run: self.run,
            value_of: &value_of,
            called: &called,
            left: Cell::new(MOST_STEPS),
            instructions: Cell::new(MOST_INSTRUCTIONS),
            within: Cell::new(0),
            bytes: RefCell::default(),
            in_vector: Cell::new(false),
            takes_chosen: Cell::new(false),
            others: RefCell::default(),
        };
        Some(read(&terms))
    }

    /// The contract call that a host call made.
    pub fn callee(&self, frame: usize, number: usize) -> Option<usize> {
        self.frames.iter().position(|made| made.parent == Some((frame, number)))
    }

    /// The write whose value a host call found that reads storage.
    pub fn writer(&self, frame: usize, number: usize) -> Written {
        self.journal.get_or_init(|| Journal::of(self.frames, self.run)).writer(frame, number)
    }

    /// The origin of a contract call's argument in its caller: the frame and the node. The flag is
    /// false if the argument is only a part of that node.
    pub fn argument_origin(&self, frame: usize, index: u32) -> Option<(usize, Id, bool)> {
        let (caller, number) = self.frames[frame].parent?;
        let shadow = self.shadow(caller)?;
        let call = shadow.call(number)?;
        let passed = *call.arguments.get(passed_at(call.function)?)?;
        let vector = self.with_terms(caller, |terms| terms.original_node(passed))?;
        let node = shadow.get(vector);
        if node.kind == Kind::Host {
            let made = &shadow.host_calls[node.c as usize];
            if made.function == "vec_new_from_linear_memory" {
                return Some((caller, *made.read.get(index as usize)?, true));
            }
        }
        Some((caller, vector, false))
    }

    /// The arguments of the asset contract's function that the last host call of a frame ran.
    /// Empty if it ran none. An argument that is only a part of another value is unnamed.
    pub fn passed_to_asset(&self, frame: usize) -> Vec<Term> {
        let last = self.frames[frame].host_calls.len().checked_sub(1);
        let Some(callee) = last.and_then(|last| self.callee(frame, last)) else { return vec![] };
        let record = &self.frames[callee];
        if record.kind != FrameKind::Asset {
            return vec![];
        }
        let term = |(index, value)| {
            let origin = self.argument_origin(callee, index as u32).filter(|(_, _, whole)| *whole);
            let found = origin.and_then(|(caller, id, _)| {
                self.with_terms(caller, |terms| terms.computed_term(id))
            });
            let xdr = self.run.xdr(value).map(|xdr| to_base64(&xdr));
            Term { value_xdr: xdr, ..found.unwrap_or(Term::of(TermKind::Unnamed)) }
        };
        record.arguments.iter().enumerate().map(term).collect()
    }

    /// The node that a call returned.
    pub fn returned(&self, frame: usize) -> Option<Id> {
        let shadow = self.shadow(frame)?;
        let result = &self.frames[frame].result;
        let is_it = |id: &&Id| match result {
            RecordedValue::Small(payload) => shadow.get(**id).value == *payload,
            RecordedValue::Object { tag, .. } => shadow.get(**id).value as u8 == *tag,
            _ => false,
        };
        shadow.last.last().filter(is_it).copied()
    }

    /// Adds to a term where its arguments and results came from.
    pub fn follow(&self, frame: usize, term: &mut Term, depth: usize) {
        for part in &mut term.of {
            self.follow(frame, part, depth);
        }
        if depth < MOST_FRAMES_DEEP && term.origin.is_none() {
            term.origin = self.origin(frame, term, depth).map(Box::new);
        }
    }

    fn origin(&self, frame: usize, term: &Term, depth: usize) -> Option<Origin> {
        let (of, mut found) = match term.kind {
            TermKind::Argument => {
                let (caller, id, whole) = self.argument_origin(frame, term.index?)?;
                let found = self.with_terms(caller, |terms| terms.computed_term(id))?;
                let element = Term { index: term.index, ..Term::of(TermKind::Element) };
                (caller, if whole { found } else { Term { of: vec![found], ..element } })
            }
            TermKind::Result => {
                let callee = self.callee(frame, term.call?)?;
                let id = self.frames[callee].ok.then(|| self.returned(callee))??;
                (callee, self.with_terms(callee, |terms| terms.computed_term(id))?)
            }
            TermKind::Written => {
                let Written::By(writer, number) = self.writer(frame, term.call?) else {
                    return None;
                };
                let put = self.shadow(writer)?.call(number)?;
                let value = *put.arguments.get(1).filter(|_| put.arguments.len() == 3)?;
                (writer, self.with_terms(writer, |terms| terms.computed_term(value))?)
            }
            _ => return None,
        };
        let named = |term: &Term| !matches!(term.kind, TermKind::Unnamed | TermKind::Constant);
        if !named(&found) || found.kind == TermKind::Element && !found.of.iter().all(named) {
            return None;
        }
        // A node with another value is not the origin.
        if differ(&found, term) {
            return None;
        }
        found.value_xdr = found.value_xdr.or_else(|| term.value_xdr.clone());
        found.number = found.number.or_else(|| term.number.clone());
        self.follow(of, &mut found, depth + 1);
        let record = &self.frames[of];
        let by_host = |(of, _): (usize, usize)| self.frames[of].kind == FrameKind::Host;
        Some(Origin {
            contract: record.contract.clone(),
            function: record.function.clone(),
            outermost: record.parent.is_some_and(by_host),
            term: found,
        })
    }

    /// The condition of a branch and its place, if the condition is readable.
    pub fn conditions_of(&self, frame: usize, number: u32) -> Option<Vec<Condition>> {
        self.with_terms(frame, |terms| {
            let branch = &terms.shadow.branches[number as usize - 1];
            let passed = |branch: &super::shadow::Branch| terms.passed_type_test(branch);
            let counts = || Slicer::new(terms.shadow, &passed).counts(branch.condition);
            if terms.shadow.took_same_side_before(number) || terms.tests_a_loop(number) || counts()
            {
                return None;
            }
            terms.left.set(MOST_STEPS);
            let found = terms.read_branch(branch)?;
            let goes = |value: u64| terms.goes(branch, value);
            let agrees = |held: &Condition| terms.agrees(branch.condition, &goes, held);
            found.iter().all(agrees).then_some(found)
        })?
    }
}

/// The position of the vector with the arguments of the function that a host call runs: that of a
/// contract, or the constructor of a new one. `None` if it passes none.
pub fn passed_at(host_function: &str) -> Option<usize> {
    match host_function {
        "call" | "try_call" => Some(2),
        "create_contract_with_constructor" => Some(3),
        _ => None,
    }
}

/// Says whether two terms have different values. A number is the same in every type.
fn differ(one: &Term, other: &Term) -> bool {
    let value = |term: &Term| {
        let xdr = from_base64(term.value_xdr.as_ref()?, "value").ok()?;
        decode::<ScVal>(&xdr, "value").ok()
    };
    let number = |term: &Term| {
        term.number.clone().or_else(|| number_in(&value(term)?).map(|number| number.to_string()))
    };
    match (number(one), number(other)) {
        (Some(one), Some(other)) => one != other,
        _ => value(one).zip(value(other)).is_some_and(|(one, other)| one != other),
    }
}

impl Shadow {
    /// The host call with this index in the record.
    pub fn call(&self, number: usize) -> Option<&HostCall> {
        self.host_calls.iter().find(|call| call.number == number)
    }
}
