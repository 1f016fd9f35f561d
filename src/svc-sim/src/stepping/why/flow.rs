// What a function's code alone shows: the origin of each operand, the branches on which each
// instruction depends (Ferrante, Ottenstein, Warren 1987), and the definitions of a variable that
// reach a use. A definition that the other side of a branch would have made leaves no trace in a
// run; only the code shows it (Gyimóthy, Beszédes, Forgács 1999).

pub use super::super::code::{successors, EXIT};
use super::super::code::{Code, Op};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The producer of an operand that different instructions pushed on different paths.
pub const MERGED: u32 = u32::MAX;
const MAX_WALKED: usize = 60_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variable {
    Local(u32),
    /// A value on the operand stack, by its height above the locals.
    Slot(u32),
    /// The value that the function returns.
    Returned,
    /// A place in memory: a local that holds an address, and an offset from it.
    Memory(u32, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Definition {
    /// The variable keeps its earlier value.
    Prior,
    Value(u64),
    At(u32),
}

pub struct Flow {
    first: u32,
    /// The number of values above the locals before each operation.
    heights: Vec<u32>,
    /// For each operation, those that pushed its operands, in order.
    producers: Vec<[u32; 3]>,
    block_of: Vec<u32>,
    /// For each block, the branches on which it depends.
    controls: Vec<Vec<u32>>,
}

/// The numbers of values that an operation takes from the stack and leaves on it.
pub fn effect(code: &Code, op: &Op) -> (usize, usize) {
    let call = |signature: Option<&super::super::code::Signature>, more| {
        signature.map_or((more, 0), |of| (of.parameters.len() + more, of.results.len()))
    };
    match op {
        Op::Fuel(_) | Op::Jump(_) | Op::Leave | Op::Unreachable | Op::DataDrop(_) => (0, 0),
        Op::Br(_) | Op::Return => (0, 0),
        Op::BrIf(_) | Op::BrIfZero(_) | Op::BrTable(_) | Op::ReturnIf => (1, 0),
        Op::Call(function) => call(code.signature_of(*function), 0),
        Op::CallIndirect(signature) => call(code.signatures.get(*signature as usize), 1),
        Op::Drop | Op::LocalSet(_) | Op::GlobalSet(_) => (1, 0),
        Op::Select => (3, 1),
        Op::LocalGet(_) | Op::GlobalGet(_) | Op::MemorySize | Op::Const(_) => (0, 1),
        Op::LocalTee(_) | Op::Load(..) | Op::MemoryGrow | Op::Unary(_) => (1, 1),
        Op::Store(..) => (2, 0),
        Op::MemoryCopy | Op::MemoryFill | Op::MemoryInit(_) => (3, 0),
        Op::Binary(_) => (2, 1),
    }
}

/// The side that a branch takes if `top` is on top of the stack. `None` if the operation is not a
/// branch.
pub fn side(code: &Code, op: u32, top: u64) -> Option<u32> {
    let truth = top as u32 != 0;
    Some(match &code.ops[op as usize] {
        Op::BrIf(target) if truth => target.op,
        Op::BrIfZero(target) if !truth => *target,
        Op::ReturnIf if truth => EXIT,
        Op::BrIf(_) | Op::BrIfZero(_) | Op::ReturnIf => op + 1,
        Op::BrTable(targets) => targets[(top as u32 as usize).min(targets.len() - 1)].op,
        _ => return None,
    })
}

impl Flow {
    pub fn of(code: &Code, function: u32) -> Option<Flow> {
        let known = code.function(function)?;
        let (first, end) = (known.first, known.end);
        let length = (end - first) as usize;
        let mut flow = Flow {
            first,
            heights: vec![u32::MAX; length],
            producers: vec![[MERGED; 3]; length],
            block_of: vec![0; length],
            controls: vec![],
        };
        flow.trace_stack(code, first, end);
        flow.find_controls(code, first, end);
        Some(flow)
    }

    fn trace_stack(&mut self, code: &Code, first: u32, end: u32) {
        let mut stack: Option<Vec<u32>> = Some(vec![]);
        let mut incoming: HashMap<u32, Vec<u32>> = HashMap::new();
        for op in first..end {
            if let Some(other) = incoming.remove(&op) {
                stack = Some(match stack {
                    None => other,
                    Some(own) => merged(own, &other),
                });
            }
            let Some(now) = &mut stack else { continue };
            let at = (op - first) as usize;
            self.heights[at] = now.len() as u32;
            let operation = &code.ops[op as usize];
            let (pops, pushes) = effect(code, operation);
            let from = now.len().saturating_sub(pops.max(1));
            for (producer, known) in self.producers[at].iter_mut().zip(&now[from..]) {
                *producer = *known;
            }
            now.truncate(now.len().saturating_sub(pops));
            let mut arrive = |target: &super::super::code::Target, now: &Vec<u32>| {
                if target.op == EXIT || target.op <= op {
                    return;
                }
                let mut there = now.clone();
                if target.height != u32::MAX {
                    there.truncate(target.height as usize);
                    if target.keeps {
                        there.extend(now.last());
                    }
                }
                let known = incoming.remove(&target.op);
                let there = known.map_or(there.clone(), |known| merged(known, &there));
                incoming.insert(target.op, there);
            };
            match operation {
                Op::Br(target) | Op::Jump(target) => {
                    arrive(target, now);
                    stack = None;
                }
                Op::BrIf(target) => arrive(target, now),
                Op::BrIfZero(target) => {
                    let height = now.len() as u32;
                    let target = super::super::code::Target { op: *target, height, keeps: false };
                    arrive(&target, now);
                }
                Op::BrTable(targets) => {
                    targets.iter().for_each(|target| arrive(target, now));
                    stack = None;
                }
                Op::Return | Op::Leave | Op::Unreachable => stack = None,
                _ => now.extend(std::iter::repeat_n(op, pushes)),
            }
        }
    }

    fn find_controls(&mut self, code: &Code, first: u32, end: u32) {
        let mut leaders: BTreeSet<u32> = BTreeSet::from([first]);
        for op in first..end {
            let next = successors(code, op);
            if next.as_slice() != [op + 1] {
                leaders.extend(next.iter().filter(|op| **op < end));
                leaders.extend((op + 1 < end).then_some(op + 1));
            }
        }
        let leaders: Vec<u32> = leaders.into_iter().collect();
        let count = leaders.len();
        let block = |op: u32| leaders.partition_point(|leader| *leader <= op) - 1;
        for op in first..end {
            self.block_of[(op - first) as usize] = block(op) as u32;
        }
        let last = |at: usize| leaders.get(at + 1).copied().unwrap_or(end) - 1;
        let edges: Vec<Vec<usize>> = (0..count)
            .map(|at| {
                let next = successors(code, last(at));
                let blocks = next.iter().map(|op| if *op < end { block(*op) } else { count });
                let blocks: Vec<usize> = blocks.collect();
                if blocks.is_empty() {
                    vec![count]
                } else {
                    blocks
                }
            })
            .collect();
        let dominators = post_dominators(&edges);
        self.controls = vec![vec![]; count];
        for (at, next) in edges.iter().enumerate() {
            for target in next {
                let mut runner = *target;
                while runner != dominators[at] && runner < count {
                    let branch = last(at);
                    if !self.controls[runner].contains(&branch) {
                        self.controls[runner].push(branch);
                    }
                    runner = dominators[runner];
                }
            }
        }
    }

    pub fn block(&self, op: u32) -> u32 {
        self.block_of[(op - self.first) as usize]
    }

    pub fn controls(&self, block: u32) -> &[u32] {
        &self.controls[block as usize]
    }

    /// The operation that pushed an operand.
    pub fn producer(&self, op: u32, operand: usize) -> u32 {
        self.producers[(op - self.first) as usize][operand]
    }

    pub fn height(&self, op: u32) -> u32 {
        self.heights[(op - self.first) as usize]
    }

    /// The local that holds the address of a load or store, and the offset.
    pub fn address(&self, code: &Code, op: u32) -> Option<(u32, u32)> {
        let (Op::Load(_, offset) | Op::Store(_, offset)) = code.ops[op as usize] else {
            return None;
        };
        let (local, more) = self.pointer(code, self.producer(op, 0))?;
        Some((local, offset.wrapping_add(more)))
    }

    fn pointer(&self, code: &Code, producer: u32) -> Option<(u32, u32)> {
        if producer == MERGED {
            return None;
        }
        match code.ops[producer as usize] {
            Op::LocalGet(local) | Op::LocalTee(local) => Some((local, 0)),
            Op::Binary(0x6a) => {
                let (a, b) = (self.producer(producer, 0), self.producer(producer, 1));
                let (local, before) = self.pointer(code, a)?;
                match code.ops.get(b as usize)? {
                    Op::Const(more) => Some((local, before.wrapping_add(*more as u32))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn value_of(code: &Code, producer: u32, at: u32) -> Definition {
        match code.ops.get(producer as usize) {
            Some(Op::Const(value)) => Definition::Value(*value),
            _ => Definition::At(at),
        }
    }

    fn defines(&self, code: &Code, op: u32, variable: Variable) -> Option<Definition> {
        let operation = &code.ops[op as usize];
        match (variable, operation) {
            (Variable::Local(local), Op::LocalSet(set) | Op::LocalTee(set)) if *set == local => {
                Some(Self::value_of(code, self.producer(op, 0), op))
            }
            (Variable::Slot(height), Op::Br(target) | Op::BrIf(target) | Op::Jump(target))
                if target.keeps && target.height == height =>
            {
                let kept = usize::from(matches!(operation, Op::BrIf(_)));
                let producer = if kept == 0 { self.producer(op, 0) } else { MERGED };
                Some(Self::value_of(code, producer, op))
            }
            (Variable::Slot(height), _) => {
                let (pops, pushes) = effect(code, operation);
                let top = (self.height(op) as usize).checked_sub(pops)?;
                let pushed = pushes > 0 && top as u32 == height;
                pushed.then_some(match operation {
                    Op::Const(value) => Definition::Value(*value),
                    _ => Definition::At(op),
                })
            }
            (Variable::Memory(local, offset), Op::Store(..)) => {
                let same = self.address(code, op) == Some((local, offset));
                same.then(|| Self::value_of(code, self.producer(op, 1), op))
            }
            (Variable::Memory(local, offset), Op::Call(_)) => {
                // A function that gets an address may write there.
                let (pops, _) = effect(code, operation);
                let passes_address = (0..pops.min(3)).any(|operand| {
                    self.pointer(code, self.producer(op, operand))
                        .is_some_and(|(address, more)| address == local && more <= offset)
                });
                passes_address.then_some(Definition::At(op))
            }
            _ => None,
        }
    }
}

/// The paths through one function, with facts about the functions that it calls.
pub struct Paths<'a> {
    pub code: &'a Code,
    pub flow: &'a Flow,
    /// The functions that never return.
    pub endless: &'a HashSet<u32>,
}

impl Paths<'_> {
    fn ends(&self, op: u32) -> bool {
        matches!(&self.code.ops[op as usize], Op::Call(function) if self.endless.contains(function))
    }

    /// Says whether the function can return from an operation.
    pub fn can_return(&self, from: u32) -> bool {
        can_return(self.code, from, self.endless)
    }

    /// The definitions of a variable that reach a use (or, with `EXIT`, the end) from an operation.
    /// `None` if there are too many paths.
    pub fn definitions(
        &self,
        from: u32,
        until: u32,
        variable: Variable,
        round: bool,
    ) -> Option<BTreeSet<Definition>> {
        let mut found = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut open = vec![(from, Definition::Prior, round)];
        let mut walked = 0;
        while let Some((mut op, mut definition, round)) = open.pop() {
            if !seen.insert((op, definition, round)) {
                continue;
            }
            loop {
                walked += 1;
                if walked > MAX_WALKED {
                    return None;
                }
                if op == until {
                    found.insert(definition);
                    break;
                }
                if op == EXIT || self.ends(op) {
                    break;
                }
                if let Some(defined) = self.flow.defines(self.code, op, variable) {
                    definition = defined;
                }
                let operation = &self.code.ops[op as usize];
                let returns = matches!(operation, Op::Return | Op::ReturnIf | Op::Leave);
                let next = successors(self.code, op);
                if let [only] = next.as_slice() {
                    if *only == op + 1 {
                        op += 1;
                        continue;
                    }
                }
                for target in next {
                    let value = match (variable, returns && target == EXIT) {
                        (Variable::Returned, true) => match operation {
                            Op::Return => Flow::value_of(self.code, self.flow.producer(op, 0), op),
                            _ => Definition::At(op),
                        },
                        _ => definition,
                    };
                    match (target > op, round) {
                        (true, _) => open.push((target, value, round)),
                        (false, true) => open.push((target, value, false)),
                        (false, false) => {}
                    }
                }
                break;
            }
        }
        Some(found)
    }
}

fn can_return(code: &Code, from: u32, endless: &HashSet<u32>) -> bool {
    reaches(code, from, EXIT, endless)
}

/// Says whether a function can go from one operation to another.
pub fn reaches(code: &Code, from: u32, to: u32, endless: &HashSet<u32>) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![from];
    while let Some(mut op) = open.pop() {
        loop {
            if op == to {
                return true;
            }
            if op == EXIT || !seen.insert(op) {
                break;
            }
            let ends =
                matches!(&code.ops[op as usize], Op::Call(callee) if endless.contains(callee));
            if ends {
                break;
            }
            let next = successors(code, op);
            let Some((first, rest)) = next.split_first() else { break };
            open.extend(rest);
            op = *first;
        }
    }
    false
}

/// The functions that never return: they panic, or fail with an error.
pub fn endless_functions(code: &Code) -> HashSet<u32> {
    let mut endless: HashSet<u32> = HashSet::new();
    for (index, (_, host)) in code.imports.iter().enumerate() {
        if host.is_some_and(|host| host.name == "fail_with_error") {
            endless.insert(index as u32);
        }
    }
    loop {
        let before = endless.len();
        for (index, function) in code.functions.iter().enumerate() {
            let index = code.imported() + index as u32;
            if !endless.contains(&index) && !can_return(code, function.first, &endless) {
                endless.insert(index);
            }
        }
        if endless.len() == before {
            return endless;
        }
    }
}

fn merged(mut own: Vec<u32>, other: &[u32]) -> Vec<u32> {
    for (known, also) in own.iter_mut().zip(other) {
        if known != also {
            *known = MERGED;
        }
    }
    own
}

/// For each block, the nearest block that every path to the end passes (Cooper, Harvey, Kennedy
/// 2001). The end is the block after the last one. Blocks that never reach it are attached to it.
fn post_dominators(edges: &[Vec<usize>]) -> Vec<usize> {
    let exit = edges.len();
    let mut edges = edges.to_vec();
    edges.push(vec![]);
    let mut before: Vec<Vec<usize>> = vec![vec![]; exit + 1];
    for (at, next) in edges.iter().enumerate() {
        next.iter().for_each(|target| before[*target].push(at));
    }
    let mut seen = vec![false; exit + 1];
    let mut reach = |from: usize, before: &[Vec<usize>]| {
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(&before[at]);
            }
        }
        seen.iter().rposition(|seen| !seen)
    };
    let mut unreached = reach(exit, &before);
    while let Some(at) = unreached {
        edges[at].push(exit);
        before[exit].push(at);
        unreached = reach(at, &before);
    }
    let mut number = vec![usize::MAX; exit + 1];
    let mut order = vec![];
    let mut open = vec![(exit, 0)];
    number[exit] = 0;
    while let Some((at, next)) = open.pop() {
        let Some(to) = before[at].get(next) else {
            order.push(at);
            continue;
        };
        open.push((at, next + 1));
        if number[*to] == usize::MAX {
            number[*to] = 0;
            open.push((*to, 0));
        }
    }
    for (position, at) in order.iter().enumerate() {
        number[*at] = position;
    }
    let mut dominator = vec![usize::MAX; exit + 1];
    dominator[exit] = exit;
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for at in order.iter().rev().filter(|at| **at != exit) {
            let known = edges[*at].iter().copied().filter(|next| dominator[*next] != usize::MAX);
            let best = known.reduce(|a, b| nearest(a, b, &dominator, &number));
            if let Some(best) = best.filter(|best| dominator[*at] != *best) {
                dominator[*at] = best;
                changed = true;
            }
        }
    }
    dominator
}

fn nearest(mut a: usize, mut b: usize, dominator: &[usize], number: &[usize]) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = dominator[a];
        }
        while number[b] < number[a] {
            b = dominator[b];
        }
    }
    a
}
