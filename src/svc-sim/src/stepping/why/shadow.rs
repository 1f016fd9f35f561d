// A second run of a contract call in which each value has a node: how it was made, from what, and
// under which branch. The shadow only watches the machine.

mod calls;
mod cells;
mod gap;
mod instruction;
mod routine;
mod wide;

use super::{
    super::{code::Code, machine::Machine},
    flow::{endless_functions, Flow},
};
pub use calls::HostCall;
use cells::Cell;
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};
pub use wide::{Wide, WideOp};

pub type Id = u32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Made before the watched part of the run began.
    Older,
    /// Made in an unwatched part of the run. `c` is the index of the loss.
    Lost,
    Const,
    /// A local before its first write.
    Zero,
    /// The argument `c` of the exported function.
    Argument,
    Unary,
    Binary,
    /// `a` or `b`, chosen by the condition `c`.
    Select,
    /// The value `a`, read from memory at the address `b`.
    Load,
    /// The kinds below pass constants on.
    Store,
    Set,
    Get,
    Keep,
    Returned,
    /// `extra` bytes of `a`, starting with byte `c`.
    Part,
    /// `b`, placed above the `extra` bytes of `a`.
    Join,
    /// The result of the host call `c`.
    Host,
    /// The value with index `extra` that the host call `c` wrote to memory.
    Unpacked,
    /// A part of the result of the wide operation `c`: its lower half, its upper half, or whether
    /// it overflows, by `extra`.
    Wide,
}

#[derive(Clone, Copy)]
pub struct Node {
    pub kind: Kind,
    pub extra: u8,
    /// True if the node is made only of constants.
    pub constant: bool,
    pub op: u32,
    pub a: Id,
    pub b: Id,
    pub c: u32,
    /// The number of branches before it.
    pub at: u32,
    pub activation: u32,
    pub value: u64,
}

pub struct Branch {
    pub op: u32,
    pub condition: Id,
    /// The value that the code tested: nonzero or not, or the index of a table.
    pub value: u64,
    pub taken: u32,
    pub control: u32,
    pub activation: u32,
    /// The number of earlier executions of the branch.
    pub before: u64,
    /// The number of instructions before it.
    pub step: u64,
}

pub struct Activation {
    pub function: u32,
    pub parent: u32,
    /// The calling operation of the parent, and the branch that decided the call.
    pub call_op: u32,
    pub control: u32,
    pub branches: Vec<u32>,
    latest: HashMap<u32, u32>,
    pub flow: Rc<Flow>,
    arguments: Vec<Id>,
}

impl Activation {
    /// The latest branch that decided that an operation was reached.
    fn control_at(&self, op: u32) -> u32 {
        let branches = self.flow.controls(self.flow.block(op)).iter();
        let latest = branches.filter_map(|branch| self.latest.get(branch)).max();
        latest.copied().unwrap_or(self.control)
    }
}

enum Pending {
    Nothing,
    Push(Id),
    Jump { keeps: bool, op: u32 },
    Call { op: u32, parameters: usize, function: u32 },
}

pub struct Shadow {
    pub code: Rc<Code>,
    pub endless: HashSet<u32>,
    pub nodes: Vec<Node>,
    pub branches: Vec<Branch>,
    pub activations: Vec<Activation>,
    pub host_calls: Vec<HostCall>,
    pub wides: Vec<Wide>,
    /// For each function with the signature of wide arithmetic, the operations that fit all its
    /// calls.
    pub wide_ops: HashMap<u32, Vec<WideOp>>,
    /// The operands of the last instruction, and the branch that decided that it was reached.
    pub last: Vec<Id>,
    pub last_op: u32,
    pub last_control: u32,
    pub full: bool,
    /// True if some values that host calls read or wrote have no node.
    pub cut: bool,
    pub from_start: bool,
    /// The computed addresses of writes, and the indexes of called functions.
    pub places: HashSet<Id>,
    flows: HashMap<u32, Rc<Flow>>,
    stack: Vec<Id>,
    globals: Vec<Id>,
    memory: HashMap<u64, [Cell; 8]>,
    /// For each word of memory, when it was last written in a gap.
    lost_words: HashMap<u64, u64>,
    /// For each loss, the number of executed instructions at which its value existed.
    losses: Vec<u64>,
    /// Branches in gaps, with the sides that they took.
    skipped_sides: HashSet<(u32, u32)>,
    gap: Option<gap::Gap>,
    /// The number of executions of each branch.
    counts: HashMap<u32, u64>,
    pub open: Vec<u32>,
    pending: Pending,
    control: u32,
    block: u32,
    most_nodes: usize,
}

/// A value in memory that is the contract's own data, or zero.
const OLDER: Id = 0;
/// A value that was made while the run was not watched.
const UNKNOWN: Id = 1;

impl Shadow {
    pub fn new(code: Rc<Code>, most_nodes: usize) -> Shadow {
        let endless = endless_functions(&code);
        let mut shadow = Shadow {
            endless,
            nodes: vec![],
            branches: vec![],
            activations: vec![],
            host_calls: vec![],
            wides: vec![],
            wide_ops: HashMap::new(),
            last: vec![],
            last_op: 0,
            last_control: 0,
            full: false,
            cut: false,
            from_start: true,
            places: HashSet::new(),
            flows: HashMap::new(),
            stack: vec![],
            globals: vec![],
            memory: HashMap::new(),
            lost_words: HashMap::new(),
            losses: vec![],
            skipped_sides: HashSet::new(),
            gap: None,
            counts: HashMap::new(),
            open: vec![],
            pending: Pending::Nothing,
            control: 0,
            block: u32::MAX,
            most_nodes,
            code,
        };
        shadow.node(Kind::Older, 0, 0, (0, 0, 0), false);
        shadow.node(Kind::Older, 0, 0, (0, 0, 0), false);
        shadow
    }

    pub fn get(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    fn node(
        &mut self,
        kind: Kind,
        extra: u8,
        op: u32,
        (a, b, c): (Id, Id, u32),
        constant: bool,
    ) -> Id {
        self.nodes.push(Node {
            kind,
            extra,
            constant,
            op,
            a,
            b,
            c,
            at: self.branches.len() as u32,
            activation: self.open.last().copied().unwrap_or(0),
            value: 0,
        });
        (self.nodes.len() - 1) as Id
    }

    /// A node with the value of another.
    fn passed_on(&mut self, kind: Kind, op: u32, (a, b, c): (Id, Id, u32)) -> Id {
        let value = self.get(a).value;
        let id = self.node(kind, 0, op, (a, b, c), true);
        self.nodes[id as usize].value = value;
        id
    }

    fn constant(&self, id: Id) -> bool {
        self.get(id).constant
    }

    /// Call this before each instruction. Returns true if there are too many nodes.
    pub fn observe(&mut self, machine: &Machine, op: u32) -> bool {
        self.end_gap(machine);
        self.follow(machine);
        if !self.full {
            self.enter_block(op);
            (self.last_op, self.last_control) = (op, self.control);
            self.begin(machine, op);
        }
        self.full
    }

    /// Says whether a branch took the same side before, in the same call of its function or
    /// unwatched. One round of a loop is then not the reason.
    pub fn took_same_side_before(&self, number: u32) -> bool {
        let branch = &self.branches[number as usize - 1];
        let mut before = self.branches[..number as usize - 1].iter();
        let same = |other: &Branch| {
            other.op == branch.op
                && other.activation == branch.activation
                && other.taken == branch.taken
        };
        self.skipped_sides.contains(&(branch.op, branch.taken)) || before.any(same)
    }

    /// The condition of a branch and, in a loop, its conditions in earlier rounds.
    pub fn rounds_of(&self, number: u32) -> Vec<Id> {
        let last = &self.branches[number as usize - 1];
        let place = self.place(last.op, last.activation);
        let known = &self.branches[..number as usize];
        let same = |branch: &Branch| {
            branch.op == last.op && self.place(branch.op, branch.activation) == place
        };
        let first = known.iter().position(same).unwrap_or(known.len() - 1);
        // The call that contains the loop. The calls that it made are younger.
        let (mut owner, mut other) = (last.activation, known[first].activation);
        while owner != other {
            let younger = if owner > other { &mut owner } else { &mut other };
            *younger = self.activations[*younger as usize].parent;
        }
        let inside = known[first..].iter().rev().filter(|branch| branch.activation >= owner);
        inside.map(|branch| branch.condition).collect()
    }

    /// The place: the operations of the open calls, and last the one in the innermost.
    pub fn place(&self, op: u32, mut activation: u32) -> Vec<u32> {
        let mut place = vec![op];
        while let Some(own) = self.activations.get(activation as usize) {
            if own.parent == u32::MAX {
                break;
            }
            place.push(own.call_op);
            activation = own.parent;
        }
        place.reverse();
        place
    }

    /// Follows what the last instruction left on the stack.
    pub fn follow(&mut self, machine: &Machine) {
        if self.activations.is_empty() {
            self.begin_watch(machine);
        }
        self.finish(machine);
        self.full |= self.nodes.len() > self.most_nodes || self.stack.len() != machine.stack.len();
    }

    /// Whether each node has the value that the machine has.
    #[cfg(test)]
    pub fn agrees(&self, machine: &Machine) -> bool {
        let has = |id: Id, value: u64| id == UNKNOWN || self.get(id).value == value;
        let values = self.stack.iter().zip(&machine.stack);
        let globals = self.globals.iter().zip(&machine.globals);
        let cells = self.memory.iter().flat_map(|(word, cells)| {
            cells.iter().enumerate().map(move |(byte, cell)| (8 * word + byte as u64, cell))
        });
        values.chain(globals).all(|(id, value)| has(*id, *value))
            && cells.filter(|(_, cell)| cell.node > UNKNOWN).all(|(at, cell)| {
                let byte = (self.get(cell.node).value >> (8 * cell.byte)) as u8;
                machine.memory.get(at as usize) == Some(&byte)
            })
    }

    fn begin_watch(&mut self, machine: &Machine) {
        let code = self.code.clone();
        self.from_start = machine.instructions == 0;
        self.stack = vec![UNKNOWN; machine.stack.len()];
        self.globals = vec![];
        for value in &machine.globals {
            let id = self.node(Kind::Const, 0, 0, (0, 0, 0), self.from_start);
            self.nodes[id as usize].value = *value;
            self.globals.push(id);
        }
        for (at, call) in machine.calls.iter().enumerate() {
            let call_op = at.checked_sub(1).map_or(0, |at| machine.calls[at].op.saturating_sub(1));
            self.activate(call.function, call_op, vec![]);
        }
        if !self.from_start {
            return;
        }
        let Some(first) = machine.calls.first() else { return };
        let parameters = code.signature_of(first.function).map_or(0, |of| of.parameters.len());
        for at in 0..machine.stack.len() {
            let (kind, constant) = match at < parameters {
                true => (Kind::Argument, false),
                false => (Kind::Zero, true),
            };
            let id = self.node(kind, 0, 0, (0, 0, at as u32), constant);
            self.nodes[id as usize].value = machine.stack[at];
            self.stack[at] = id;
        }
    }

    fn activate(&mut self, function: u32, call_op: u32, arguments: Vec<Id>) {
        let code = &self.code;
        let known = self.flows.get(&function).cloned();
        let Some(flow) = known.or_else(|| Flow::of(code, function).map(Rc::new)) else { return };
        self.flows.insert(function, flow.clone());
        let parent = self.open.last().copied().unwrap_or(u32::MAX);
        self.open.push(self.activations.len() as u32);
        self.activations.push(Activation {
            function,
            parent,
            call_op,
            control: self.control,
            branches: vec![],
            latest: HashMap::new(),
            flow,
            arguments,
        });
        self.block = u32::MAX;
    }

    fn enter_block(&mut self, op: u32) {
        let Some(open) = self.open.last() else { return };
        let activation = &self.activations[*open as usize];
        let block = activation.flow.block(op);
        if block == self.block {
            return;
        }
        self.block = block;
        self.control = activation.control_at(op);
    }

    /// The branch that decided that an operation was reached; 0 if the call itself did.
    pub fn control_of(&self, node: &Node) -> u32 {
        let Some(activation) = self.activations.get(node.activation as usize) else { return 0 };
        if self.code.function_at(node.op) != activation.function {
            return activation.control;
        }
        let before = activation.branches.partition_point(|number| *number <= node.at);
        let controls = activation.flow.controls(activation.flow.block(node.op));
        let most = if controls.is_empty() { 0 } else { before };
        let mut latest = activation.branches[before - most..before].iter().rev();
        let decided =
            latest.find(|number| controls.contains(&self.branches[**number as usize - 1].op));
        decided.copied().unwrap_or(activation.control)
    }

    fn finish(&mut self, machine: &Machine) {
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Nothing => {}
            Pending::Push(UNKNOWN) => self.stack.push(UNKNOWN),
            Pending::Push(id) => {
                self.nodes[id as usize].value = machine.stack.last().copied().unwrap_or(0);
                self.stack.push(id);
            }
            Pending::Jump { keeps, op } => self.finish_jump(machine, keeps, op),
            Pending::Call { op, parameters, function } => {
                let first = self.stack.len().saturating_sub(parameters);
                if self.open.len() < machine.calls.len() {
                    let arguments = self.stack[first..].to_vec();
                    self.activate(function, op, arguments);
                    while self.stack.len() < machine.stack.len() {
                        let local = self.stack.len() - first;
                        let id = self.node(Kind::Zero, 0, op, (0, 0, local as u32), true);
                        self.stack.push(id);
                    }
                } else {
                    self.stack.truncate(first);
                    self.finish_host_call(machine, op);
                }
            }
        }
    }

    fn finish_jump(&mut self, machine: &Machine, keeps: bool, op: u32) {
        let kept = self.stack.last().copied().unwrap_or(UNKNOWN);
        let height = machine.stack.len();
        if machine.calls.len() >= self.open.len() {
            if keeps {
                let kept = match self.constant(kept) {
                    true => self.passed_on(Kind::Keep, op, (kept, 0, 0)),
                    false => kept,
                };
                self.stack.truncate(height.saturating_sub(1));
                self.stack.push(kept);
            } else {
                self.stack.truncate(height);
            }
            return;
        }
        let Some(ended) = self.open.last().copied() else { return };
        let function = self.activations[ended as usize].function;
        if self.code.has_result(function) {
            let kept = match self.constant(kept) {
                true => self.passed_on(Kind::Returned, op, (kept, 0, 0)),
                false => kept,
            };
            self.stack.truncate(height.saturating_sub(1));
            self.stack.push(kept);
        } else {
            self.stack.truncate(height);
            self.note_wide(machine, ended);
        }
        self.open.pop();
        self.block = u32::MAX;
    }
}
