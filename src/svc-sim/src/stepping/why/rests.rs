// Finds what a refused host call depends on: the ledger's time or number, a random number, the
// state, or the arguments. The origins of its arguments are followed back through data; the
// decisions for these arguments and for the call itself, through branches. If a branch might have
// led to another value without a trace in this run, the answer stays open (see `flow.rs`).

use super::{
    calls::{passed_at, Calls, Sources},
    relation::comparison,
    shadow::{Branch, HostCall, Id, Kind, Shadow},
    slice::Slicer,
};
use crate::{
    hosts::recorded::RecordedValue,
    stepping::{
        journal::Written,
        record::{FrameKind, HostCallRecord},
    },
    wire::why::{Condition, Reason, Refused, TermKind, Why},
    xdr_codec::hex,
};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    rc::Rc,
};

const TIME: u8 = 1;
const SEQUENCE: u8 = 2;
const RANDOM: u8 = 4;
const STATE: u8 = 8;
const ARGUMENTS: u8 = 16;
const UNKNOWN: u8 = 32;
const LEDGER: u8 = TIME | SEQUENCE | RANDOM;
const NAMES: [(u8, &str); 5] = [
    (TIME, "time"),
    (SEQUENCE, "sequence"),
    (RANDOM, "random"),
    (STATE, "state"),
    (ARGUMENTS, "arguments"),
];

const MOST_NODES: usize = 400_000;
const MOST_DEEP: usize = 8;
const MOST_REASONS: usize = 4;
const MOST_TRIED: usize = 24;
const MOST_ON_LEDGER: usize = 200;

#[derive(Default)]
struct Walk {
    values: u8,
    control: u8,
    nodes: HashSet<(usize, Id)>,
    /// The branches that may have decided, each by its frame and number.
    branches: BTreeSet<(usize, u32)>,
    seen: HashSet<(usize, u32)>,
    /// The conditions that are still to be followed.
    conditions: Vec<(usize, Id)>,
    /// The conditions of choices without a branch, and their places.
    choices: Vec<(usize, Id, u32)>,
    sites: HashSet<usize>,
}

fn ledger_function(function: &str) -> u8 {
    match function {
        "get_ledger_timestamp" => TIME,
        "get_ledger_sequence" | "get_max_live_until_ledger" => SEQUENCE,
        _ if function.starts_with("prng_") => RANDOM,
        _ => 0,
    }
}

impl Calls<'_> {
    /// Adds to an explanation where each of its values came from in other calls.
    pub fn complete(&self, why: &mut Why) {
        let frame = why.frame;
        let conditions = why.conditions.iter_mut().chain(&mut why.because);
        for term in conditions.flat_map(|condition| &mut condition.terms) {
            self.follow(frame, term, 0);
        }
        if let Some(refused) = &mut why.refused {
            if refused.passed.is_empty() {
                refused.passed = self.passed_to_asset(frame);
            }
            for term in refused.arguments.iter_mut().chain(&mut refused.passed) {
                self.follow(frame, term, 0);
            }
            self.find_reasons(frame, None, refused);
            self.follow_reasons(refused);
        }
        why.missed = self.missed(why);
    }

    /// The origin of the key of the absent entry, if its absence alone made the call fail.
    fn missed(&self, why: &Why) -> Option<Refused> {
        let [Condition { relation: "absent", terms, .. }] = &why.conditions[..] else {
            return None;
        };
        let entry = terms.first().filter(|term| term.kind == TermKind::Entry)?;
        let function = self.frames[why.frame].host_calls.get(entry.call?)?.function;
        let (passed, values, control, reasons) = (vec![], vec![], vec![], vec![]);
        let arguments = vec![entry.clone()];
        let mut missed =
            Refused { function, arguments, passed, values, control, complete: false, reasons };
        self.find_reasons(why.frame, entry.call, &mut missed);
        self.follow_reasons(&mut missed);
        Some(missed)
    }

    fn follow_reasons(&self, refused: &mut Refused) {
        for reason in &mut refused.reasons {
            for term in reason.conditions.iter_mut().flat_map(|held| &mut held.terms) {
                self.follow(reason.frame, term, 0);
            }
        }
    }

    /// Finds the reasons. `number` is the index of the host call; `None` means the last one.
    fn find_reasons(&self, frame: usize, number: Option<usize>, refused: &mut Refused) {
        let Some(shadow) = self.shadow(frame) else { return };
        let call = number.map_or(shadow.host_calls.last(), |number| shadow.call(number));
        let Some(call) = call else { return };
        let mut walk = Walk::default();
        let is_key = refused.function.contains("contract_data");
        let arguments = if is_key { &call.arguments[..1] } else { &call.arguments[..] };
        self.data(&mut walk, frame, arguments, false);
        self.data(&mut walk, frame, &call.read, false);
        self.branch(&mut walk, frame, call.control);
        while let Some((frame, id)) = walk.conditions.pop() {
            self.data(&mut walk, frame, &[id], true);
        }
        let mut ledger = vec![];
        for frame in walk.sites.clone() {
            ledger.extend(self.on_ledger(&mut walk, frame));
        }
        let bits = walk.values | walk.control;
        let names = |of: u8| {
            let named = NAMES.iter().filter(|(bit, _)| of & bit != 0);
            named.map(|(_, name)| *name).collect()
        };
        refused.values = names(walk.values);
        refused.control = names(walk.control);
        refused.complete = bits & UNKNOWN == 0;
        ledger.sort_unstable_by(|a, b| b.cmp(a));
        let others = walk.branches.iter().rev().filter(|known| !ledger.contains(known)).copied();
        let tried: Vec<_> = ledger.iter().copied().chain(others).take(MOST_TRIED).collect();
        let on_ledger = |(frame, condition, _): &&(usize, Id, u32)| {
            let sources = self.sources_of(*frame);
            sources.is_some_and(|sources| sources[*condition as usize] & LEDGER != 0)
        };
        let choices = walk.choices.iter().filter(on_ledger).take(MOST_TRIED);
        let choices = choices.map(|(frame, condition, op)| self.choice(*frame, *condition, *op));
        let branches = tried.into_iter().map(|(frame, number)| self.reason(frame, number));
        refused.reasons = choices.chain(branches).flatten().take(MOST_REASONS).collect();
    }

    fn reason(&self, frame: usize, number: u32) -> Option<Reason> {
        let conditions = self.conditions_of(frame, number)?;
        if conditions.iter().any(only_encodes) {
            return None;
        }
        let shadow = self.shadow(frame)?;
        let branch = &shadow.branches[number as usize - 1];
        let count = shadow.from_start.then_some(branch.before);
        Some(self.reason_at(frame, conditions, branch.op, (count, branch.taken)))
    }

    /// The reason for a choice between two values.
    fn choice(&self, frame: usize, condition: Id, op: u32) -> Option<Reason> {
        let conditions = self.with_terms(frame, |terms| {
            let truth = terms.node(condition).value as u32 != 0;
            let goes = |value: u64| u32::from(value as u32 != 0);
            let found = terms.held(condition, truth, 0)?;
            found.iter().all(|held| terms.agrees(condition, &goes, held)).then_some(found)
        })??;
        Some(self.reason_at(frame, conditions, op, (None, 0)))
    }

    fn reason_at(
        &self,
        frame: usize,
        conditions: Vec<Condition>,
        op: u32,
        (count, taken): (Option<u64>, u32),
    ) -> Reason {
        let record = &self.frames[frame];
        let code = self.shadow(frame).map(|shadow| &shadow.code);
        Reason {
            frame,
            contract: record.contract.clone(),
            function: record.function.clone(),
            conditions,
            code: code.map(|code| hex(&code.hash)).unwrap_or_default(),
            address: code.map_or(0, |code| code.addresses[op as usize]),
            count,
            taken,
        }
    }

    /// The branches on the ledger that might have led elsewhere. If one of them is not among the
    /// deciding branches, what it skipped is unknown.
    fn on_ledger(&self, walk: &mut Walk, frame: usize) -> Vec<(usize, u32)> {
        let (Some(shadow), Some(sources)) = (self.shadow(frame), self.sources_of(frame)) else {
            walk.control |= UNKNOWN;
            return vec![];
        };
        // With another clock, the code would have written elsewhere.
        let keys = shadow.host_calls.iter().filter(|call| is_write(call.function));
        let keys = keys.filter_map(|call| call.arguments.first());
        if shadow.places.iter().chain(keys).any(|id| sources[*id as usize] & LEDGER != 0) {
            walk.control |= UNKNOWN;
        }
        let (mut found, mut looked) = (vec![], 0);
        for (at, branch) in shadow.branches.iter().enumerate() {
            let at = (frame, at as u32 + 1);
            if sources[branch.condition as usize] & LEDGER == 0 || !self.goes_on(frame, branch) {
                continue;
            }
            looked += 1;
            if looked > MOST_ON_LEDGER {
                walk.control |= UNKNOWN;
                break;
            }
            let encodes =
                || self.conditions_of(frame, at.1).is_some_and(|it| it.iter().all(only_encodes));
            if !walk.branches.contains(&at) {
                if encodes() {
                    continue;
                }
                walk.control |= UNKNOWN;
            }
            found.push(at);
        }
        found
    }

    /// Says whether a function can return from another side of a branch that tests more than a
    /// type.
    fn goes_on(&self, frame: usize, branch: &Branch) -> bool {
        let place = (frame, branch.op, branch.taken);
        let known = self.returns.borrow().get(&place).copied();
        if known == Some(false) {
            return false;
        }
        let found = self.with_terms(frame, |terms| {
            let passed = terms.passed_type_test(branch);
            let may_return = || Slicer::new(terms.shadow, &|_| false).may_return(branch);
            (passed, known.unwrap_or_else(may_return))
        });
        let Some((passed, may_return)) = found else { return true };
        self.returns.borrow_mut().insert(place, may_return);
        may_return && !passed
    }

    /// Follows what values were computed from.
    fn data(&self, walk: &mut Walk, frame: usize, of: &[Id], is_control: bool) {
        let Some(shadow) = self.shadow(frame) else {
            walk.control |= UNKNOWN;
            return;
        };
        if shadow.cut || !shadow.from_start {
            walk.control |= UNKNOWN;
        }
        let mut open = of.to_vec();
        while let Some(id) = open.pop() {
            if !walk.nodes.insert((frame, id)) {
                continue;
            }
            if walk.nodes.len() > MOST_NODES {
                walk.control |= UNKNOWN;
                return;
            }
            let node = shadow.get(id);
            let mut bits = 0;
            match node.kind {
                Kind::Older | Kind::Lost => bits = UNKNOWN,
                Kind::Const | Kind::Zero => {}
                Kind::Argument => bits = self.argument(walk, frame, node.c, is_control),
                Kind::Select => {
                    open.push(if shadow.get(node.c).value as u32 != 0 { node.a } else { node.b });
                    walk.conditions.push((frame, node.c));
                    walk.choices.push((frame, node.c, node.op));
                }
                Kind::Host | Kind::Unpacked => {
                    let call = &shadow.host_calls[node.c as usize];
                    open.extend(call.arguments.iter().chain(&call.read));
                    bits = self.result(walk, frame, call, is_control);
                }
                _ => {
                    // A bool that is added, or used in a similar way.
                    let compares = node.kind == Kind::Binary && comparison(node.extra).is_some();
                    if compares && !is_control {
                        walk.choices.push((frame, id, node.op));
                    }
                    open.extend(operands(shadow, id));
                }
            }
            match is_control {
                true => walk.control |= bits,
                false => walk.values |= bits,
            }
            if !matches!(node.kind, Kind::Older | Kind::Lost | Kind::Argument | Kind::Zero) {
                self.branch(walk, frame, shadow.control_of(node));
            }
        }
    }

    /// Goes from a deciding branch to the branches that led to it, then to the call of this
    /// contract.
    fn branch(&self, walk: &mut Walk, frame: usize, mut number: u32) {
        let Some(shadow) = self.shadow(frame) else {
            walk.control |= UNKNOWN;
            return;
        };
        while number > 0 && walk.seen.insert((frame, number)) {
            let branch = &shadow.branches[number as usize - 1];
            if self.goes_on(frame, branch) {
                walk.branches.insert((frame, number));
                walk.conditions.push((frame, branch.condition));
            }
            number = branch.control;
        }
        if !walk.sites.insert(frame) || walk.sites.len() > MOST_DEEP {
            return;
        }
        let Some((caller, call)) = self.frames[frame].parent else { return };
        if self.frames[caller].kind != FrameKind::Wasm {
            return;
        }
        let Some(call) = self.shadow(caller).and_then(|shadow| shadow.call(call)) else {
            walk.control |= UNKNOWN;
            return;
        };
        // What was called: the contract and the function, or what the new contract is made of.
        let which = passed_at(call.function).unwrap_or(2);
        let which = call.arguments.iter().take(which).map(|id| (caller, *id));
        walk.conditions.extend(which);
        self.branch(walk, caller, call.control);
    }

    fn argument(&self, walk: &mut Walk, frame: usize, index: u32, is_control: bool) -> u8 {
        let Some((caller, number)) = self.frames[frame].parent else { return ARGUMENTS };
        let record = &self.frames[caller];
        let by_code = || passed_at(record.host_calls[number].function).is_some();
        if record.kind != FrameKind::Wasm || !by_code() {
            return ARGUMENTS;
        }
        let Some((caller, id, _)) = self.argument_origin(frame, index) else { return UNKNOWN };
        self.data(walk, caller, &[id], is_control);
        0
    }

    /// The sources that the result of a host call adds to those of its arguments.
    fn result(&self, walk: &mut Walk, frame: usize, call: &HostCall, is_control: bool) -> u8 {
        match call.function {
            "get_contract_data" | "has_contract_data" => {
                let record = &self.frames[frame].host_calls[call.number];
                if is_absent(record)
                    && self.shadow(frame).is_some_and(|shadow| is_temporary(shadow, call))
                {
                    // The entry may have expired.
                    return STATE | UNKNOWN;
                }
                let (writer, number) = match self.writer(frame, call.number) {
                    Written::Before => return STATE,
                    Written::By(writer, number) => (writer, number),
                    Written::Unknown => return STATE | UNKNOWN,
                };
                if writer != frame {
                    return if self.reads_ledger(0..=writer) { STATE | UNKNOWN } else { STATE };
                }
                let Some(put) = self.shadow(frame).and_then(|shadow| shadow.call(number)) else {
                    return STATE | UNKNOWN;
                };
                self.data(walk, frame, &put.arguments[1..put.arguments.len() - 1], is_control);
                self.branch(walk, frame, put.control);
                0
            }
            "call" | "try_call" => {
                let Some(callee) = self.callee(frame, call.number) else { return STATE | UNKNOWN };
                let last = self.subtree(callee);
                if !self.reads_ledger(callee..=last) {
                    // An earlier call of this transaction may have written what it read.
                    return if self.reads_ledger(0..=callee) {
                        self.unwritten(callee..=last)
                    } else {
                        STATE
                    };
                }
                let Some(returned) = self.returned(callee) else { return STATE | UNKNOWN };
                let control = self.shadow(callee).map_or(0, |shadow| shadow.last_control);
                self.data(walk, callee, &[returned], is_control);
                self.branch(walk, callee, control);
                0
            }
            name if name.contains("executable") || name.contains("live_until") => STATE | UNKNOWN,
            name => ledger_function(name),
        }
    }

    /// The last call inside a call, or the call itself.
    fn subtree(&self, frame: usize) -> usize {
        let mut last = frame;
        while let Some(made) = self.frames.get(last + 1).and_then(|next| next.parent) {
            if made.0 < frame {
                break;
            }
            last += 1;
        }
        last
    }

    /// Says whether contracts read a ledger fact that differs in another ledger. An asset's
    /// contract has only allowances, which expire.
    fn reads_ledger(&self, mut frames: std::ops::RangeInclusive<usize>) -> bool {
        frames.any(|frame| {
            let record = &self.frames[frame];
            let asset = record.kind == FrameKind::Asset && record.function == "allowance";
            let temporary = RecordedValue::Word("Temporary".to_string());
            let may_expire = |call: &HostCallRecord| {
                is_absent(call) && call.arguments.last() == Some(&temporary)
            };
            let reads =
                |call: &HostCallRecord| ledger_function(call.function) != 0 || may_expire(call);
            asset || record.kind == FrameKind::Wasm && record.host_calls.iter().any(reads)
        })
    }

    /// The state that contract calls read and that no earlier call wrote.
    fn unwritten(&self, frames: std::ops::RangeInclusive<usize>) -> u8 {
        let first = *frames.start();
        let written = frames.map(|frame| &self.frames[frame]).any(|record| {
            let before = self.frames[..first].iter().chain([record]);
            record.kind == FrameKind::Asset
                || before
                    .filter(|of| of.contract == record.contract)
                    .any(|of| of.host_calls.iter().any(|call| is_write(call.function)))
        });
        if written {
            STATE | UNKNOWN
        } else {
            STATE
        }
    }

    /// The sources of each node of a call. The result may contain too many sources, never too few.
    fn sources_of(&self, frame: usize) -> Option<Rc<Sources>> {
        if let Some(known) = self.sources.borrow().get(&frame) {
            return Some(known.clone());
        }
        let shadow = self.shadow(frame)?;
        let mut of_arguments: HashMap<u32, u8> = HashMap::new();
        let mut of_calls: HashMap<u32, u8> = HashMap::new();
        let mut sources: Sources = Vec::with_capacity(shadow.nodes.len());
        for (id, node) in shadow.nodes.iter().enumerate() {
            let found = match node.kind {
                Kind::Lost => UNKNOWN,
                Kind::Older | Kind::Const | Kind::Zero => 0,
                Kind::Argument => *of_arguments.entry(node.c).or_insert_with(|| {
                    let origin = self.argument_origin(frame, node.c);
                    let of = origin.and_then(|(caller, id, _)| {
                        self.sources_of(caller).map(|known| known[id as usize])
                    });
                    of.unwrap_or(0)
                }),
                Kind::Host | Kind::Unpacked => *of_calls.entry(node.c).or_insert_with(|| {
                    let call = &shadow.host_calls[node.c as usize];
                    let sources_of_call = call.arguments.iter().chain(&call.read);
                    let sources_of_call =
                        sources_of_call.fold(0, |known, id| known | sources[*id as usize]);
                    let made = self.callee(frame, call.number);
                    let reads =
                        made.is_some_and(|made| self.reads_ledger(made..=self.subtree(made)));
                    sources_of_call
                        | ledger_function(call.function)
                        | if reads { LEDGER } else { 0 }
                }),
                _ => operands(shadow, id as Id).fold(0, |known, id| known | sources[id as usize]),
            };
            sources.push(found);
        }
        let sources = Rc::new(sources);
        self.sources.borrow_mut().insert(frame, sources.clone());
        Some(sources)
    }
}

/// Says whether a condition only tests if a number fits into a small host value: its encoding, not
/// its meaning.
fn only_encodes(condition: &Condition) -> bool {
    const BOUNDS: [i64; 6] =
        [1 << 56, (1 << 56) - 1, 1 << 55, (1 << 55) - 1, -(1 << 55), -(1 << 55) - 1];
    let is_bound = |text: &String| BOUNDS.iter().any(|bound| *text == bound.to_string());
    condition.terms.iter().skip(1).filter_map(|term| term.number.as_ref()).any(is_bound)
        || condition.values.iter().any(is_bound)
}

/// The operands of a node.
fn operands(shadow: &Shadow, id: Id) -> impl Iterator<Item = Id> + '_ {
    let node = shadow.get(id);
    let of = match node.kind {
        Kind::Binary | Kind::Join | Kind::Load => [node.a, node.b, 0, 0],
        Kind::Select => [node.a, node.b, node.c, 0],
        Kind::Wide => shadow.wides[node.c as usize].parts,
        Kind::Argument | Kind::Const | Kind::Zero | Kind::Older | Kind::Lost => [0; 4],
        Kind::Host | Kind::Unpacked => [0; 4],
        _ => [node.a, 0, 0, 0],
    };
    of.into_iter().filter(|id| *id > 0)
}

fn is_write(function: &str) -> bool {
    matches!(function, "put_contract_data" | "del_contract_data")
}

fn is_absent(call: &HostCallRecord) -> bool {
    call.function == "has_contract_data" && call.result == RecordedValue::Small(0)
}

fn is_temporary(shadow: &Shadow, call: &HostCall) -> bool {
    call.arguments.last().is_some_and(|id| shadow.get(*id).value == 0)
}
