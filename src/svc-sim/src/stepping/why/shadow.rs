// A second run of a contract call in which each value has a node: how it was made, from what, and
// under which branch. The shadow only watches the machine.

mod gap;
mod routine;

use super::{
    super::{
        code::{Code, Op, Target},
        machine::Machine,
        memory::stored_bytes,
    },
    flow::{endless_functions, side, Flow, EXIT},
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};
use wasmparser::ValType;

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

pub struct HostCall {
    pub number: usize,
    pub function: &'static str,
    pub arguments: Vec<Id>,
    /// The values that the call read from memory.
    pub read: Vec<Id>,
    /// The names in memory that are a map's keys.
    pub names: Vec<String>,
    /// The bytes of a text in memory.
    pub text: Option<Vec<u8>>,
    /// The branch that decided the call.
    pub control: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WideOp {
    Multiply,
    MultiplyUnsigned,
    Divide,
    DivideUnsigned,
    Remainder,
    RemainderUnsigned,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
}

impl WideOp {
    const SHIFTS: [WideOp; 3] = [WideOp::ShiftLeft, WideOp::ShiftRight, WideOp::ShiftRightUnsigned];
    const ALL: [WideOp; 5] = [
        WideOp::Multiply,
        WideOp::Divide,
        WideOp::DivideUnsigned,
        WideOp::Remainder,
        WideOp::RemainderUnsigned,
    ];

    pub fn operator(self) -> &'static str {
        match self {
            WideOp::Multiply | WideOp::MultiplyUnsigned => "*",
            WideOp::Divide | WideOp::DivideUnsigned => "/",
            WideOp::Remainder | WideOp::RemainderUnsigned => "%",
            WideOp::ShiftLeft => "<<",
            WideOp::ShiftRight | WideOp::ShiftRightUnsigned => ">>",
        }
    }

    /// The lower half of the result, its upper half, or whether it overflows.
    pub fn part(self, a: u128, b: u128, part: u8) -> Option<u64> {
        let (x, y) = (a as i128, b as i128);
        let by = u32::try_from(b).unwrap_or(u32::MAX);
        let made = match self {
            WideOp::ShiftLeft => a.checked_shl(by)?,
            WideOp::ShiftRight => x.checked_shr(by)? as u128,
            WideOp::ShiftRightUnsigned => a.checked_shr(by)?,
            WideOp::Multiply | WideOp::MultiplyUnsigned => a.wrapping_mul(b),
            WideOp::Divide => x.checked_div(y)? as u128,
            WideOp::DivideUnsigned => a.checked_div(b)?,
            WideOp::Remainder => x.checked_rem(y)? as u128,
            WideOp::RemainderUnsigned => a.checked_rem(b)?,
        };
        Some(match (part, self) {
            (0, _) => made as u64,
            (1, _) => (made >> 64) as u64,
            (_, WideOp::MultiplyUnsigned) => a.checked_mul(b).is_none().into(),
            _ => x.checked_mul(y).is_none().into(),
        })
    }
}

pub struct Wide {
    pub function: u32,
    pub parts: [Id; 4],
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

#[derive(Clone, Copy, Default)]
struct Cell {
    node: Id,
    byte: u8,
    size: u8,
}

/// A value in memory that is the contract's own data, or zero.
const OLDER: Id = 0;
/// A value that was made while the run was not watched.
const UNKNOWN: Id = 1;
/// The number of values or bytes of a host call that are read from memory.
const MOST_READ: u64 = 4096;

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

    fn pop(&mut self) -> Id {
        self.stack.pop().unwrap_or(UNKNOWN)
    }

    fn branch(&mut self, machine: &Machine, op: u32, top: u64) {
        let condition = self.pop();
        let (value, taken) = (u64::from(top as u32), side(&self.code, op, top).unwrap_or(EXIT));
        let activation = self.open.last().copied().unwrap_or(0);
        let control = self.control;
        let count = self.counts.entry(op).or_default();
        let before = std::mem::replace(count, *count + 1);
        let step = machine.instructions;
        self.branches.push(Branch {
            op,
            condition,
            value,
            taken,
            control,
            activation,
            before,
            step,
        });
        let number = self.branches.len() as u32;
        if let Some(open) = self.activations.get_mut(activation as usize) {
            open.branches.push(number);
            open.latest.insert(op, number);
        }
        self.block = u32::MAX;
    }

    fn begin(&mut self, machine: &Machine, op: u32) {
        let code = self.code.clone();
        let top = machine.stack.last().copied().unwrap_or(0);
        let base = machine.calls.last().map_or(0, |call| call.base);
        self.last = self.stack.iter().rev().take(3).rev().copied().collect();
        self.pending = Pending::Nothing;
        match &code.ops[op as usize] {
            Op::Fuel(_) | Op::Jump(_) | Op::Leave | Op::Unreachable | Op::DataDrop(_) => {}
            Op::Br(target) => self.pending = Pending::Jump { keeps: target.keeps, op },
            Op::BrIf(target) => {
                self.branch(machine, op, top);
                self.pending = Pending::Jump { keeps: top as u32 != 0 && target.keeps, op };
            }
            Op::BrIfZero(_) => self.branch(machine, op, top),
            Op::BrTable(targets) => {
                let index = (top as u32 as usize).min(targets.len() - 1);
                let target = targets[index];
                self.branch(machine, op, top);
                let keeps = match &code.ops[target.op as usize] {
                    Op::Jump(Target { keeps, .. }) => *keeps,
                    _ => target.keeps,
                };
                self.pending = Pending::Jump { keeps, op };
            }
            Op::Return => self.pending = Pending::Jump { keeps: true, op },
            Op::ReturnIf => {
                self.branch(machine, op, top);
                self.pending = Pending::Jump { keeps: top as u32 != 0, op };
            }
            Op::Call(function) => self.begin_call(machine, op, *function),
            Op::CallIndirect(signature) => {
                let index = self.pop();
                self.note_place(index);
                if let Ok(function) = code.in_table(top as u32 as usize, *signature) {
                    self.begin_call(machine, op, function);
                }
            }
            Op::Drop => {
                self.pop();
            }
            Op::Select => {
                let (c, b, a) = (self.pop(), self.pop(), self.pop());
                let chosen = if top as u32 == 0 { b } else { a };
                let constant = self.constant(c) && self.constant(chosen);
                self.push(Kind::Select, 0, op, (a, b, c), constant);
            }
            Op::LocalGet(local) => {
                let id = self.stack[(base + local) as usize];
                let id = match self.constant(id) {
                    true => self.passed_on(Kind::Get, op, (id, 0, *local)),
                    false => id,
                };
                self.stack.push(id);
            }
            Op::LocalSet(local) => {
                let id = self.pop();
                self.stack[(base + local) as usize] = match self.constant(id) {
                    true => self.passed_on(Kind::Set, op, (id, 0, *local)),
                    false => id,
                };
            }
            Op::LocalTee(local) => {
                let id = self.stack.last().copied().unwrap_or(UNKNOWN);
                self.stack[(base + local) as usize] = match self.constant(id) {
                    true => self.passed_on(Kind::Set, op, (id, 0, *local)),
                    false => id,
                };
            }
            Op::GlobalGet(global) => self.stack.push(self.globals[*global as usize]),
            Op::GlobalSet(global) => self.globals[*global as usize] = self.pop(),
            Op::Load(opcode, offset) => {
                let address = self.pop();
                let at = u64::from(top as u32) + u64::from(*offset);
                let Some(value) = machine.load(*opcode, at) else { return };
                let id = self.load(op, (at, loaded_bytes(*opcode)), address, value);
                self.stack.push(id);
            }
            Op::Store(opcode, offset) => {
                let (value, address) = (self.pop(), self.pop());
                self.note_place(address);
                let under = machine.stack.len().checked_sub(2).map_or(0, |at| machine.stack[at]);
                let at = u64::from(under as u32) + u64::from(*offset);
                let id = match self.constant(value) {
                    true => self.passed_on(Kind::Store, op, (value, address, 0)),
                    false => value,
                };
                self.write(at, stored_bytes(*opcode) as u8, id);
            }
            Op::MemorySize => self.push(Kind::Const, 0, op, (0, 0, 0), true),
            Op::MemoryGrow => {
                self.pop();
                self.push(Kind::Const, 0, op, (0, 0, 0), true);
            }
            Op::MemoryCopy | Op::MemoryFill | Op::MemoryInit(_) => {
                let (count, value, to) = (self.pop(), self.pop(), self.pop());
                self.note_place(count);
                self.note_place(to);
                let [.., to, from, count] = machine.stack[..] else { return };
                let (to, count) = (u64::from(to as u32), u64::from(count as u32).min(1 << 20));
                let from = u64::from(from as u32);
                let copied: Vec<Cell> = match &code.ops[op as usize] {
                    Op::MemoryCopy => (0..count).map(|byte| self.cell(from + byte)).collect(),
                    Op::MemoryFill => {
                        let cell = Cell { node: value, byte: 0, size: 1 };
                        vec![
                            if self.constant(value) { Cell::default() } else { cell };
                            count as usize
                        ]
                    }
                    _ => vec![Cell::default(); count as usize],
                };
                for (byte, cell) in copied.into_iter().enumerate() {
                    let byte = byte as u64;
                    if cell.node == UNKNOWN {
                        let when = self.lost_words.get(&((from + byte) >> 3)).copied();
                        self.lost_words.insert((to + byte) >> 3, when.unwrap_or(0));
                    }
                    self.set_cell(to + byte, cell);
                }
            }
            Op::Const(value) => {
                let id = self.node(Kind::Const, 0, op, (0, 0, 0), true);
                self.nodes[id as usize].value = *value;
                self.stack.push(id);
            }
            Op::Unary(opcode) => {
                let a = self.pop();
                let constant = self.constant(a);
                self.push(Kind::Unary, *opcode, op, (a, 0, 0), constant);
            }
            Op::Binary(opcode) => {
                let (b, a) = (self.pop(), self.pop());
                let constant = self.constant(a) && self.constant(b);
                self.push(Kind::Binary, *opcode, op, (a, b, 0), constant);
            }
        }
    }

    fn note_place(&mut self, id: Id) {
        if !self.constant(id) {
            self.places.insert(id);
        }
    }

    /// Adds a node. Its value is known after the machine has it.
    fn push(&mut self, kind: Kind, extra: u8, op: u32, of: (Id, Id, u32), constant: bool) {
        let chosen = if kind == Kind::Select { of.2 } else { UNKNOWN + 1 };
        let binary = kind == Kind::Binary && of.1 == UNKNOWN;
        if of.0 == UNKNOWN && kind != Kind::Select || binary || chosen == UNKNOWN {
            self.pending = Pending::Push(UNKNOWN);
            return;
        }
        self.pending = Pending::Push(self.node(kind, extra, op, of, constant));
    }

    fn begin_call(&mut self, machine: &Machine, op: u32, function: u32) {
        let parameters = self.code.signature_of(function).map_or(0, |of| of.parameters.len());
        let first = self.stack.len().saturating_sub(parameters);
        self.last = self.stack[first..].to_vec();
        self.pending = Pending::Call { op, parameters, function };
        let Some((_, Some(host))) = self.code.imports.get(function as usize) else { return };
        let payloads = &machine.stack[machine.stack.len().saturating_sub(parameters)..];
        let number = |at: usize| payloads.get(at).map_or(0, |payload| payload >> 32);
        let (mut read, mut names, mut text) = (vec![], vec![], None);
        let name = host.name;
        let values = match name {
            "vec_new_from_linear_memory" => Some((number(0), number(1))),
            "map_new_from_linear_memory" => Some((number(1), number(2))),
            _ => None,
        };
        if let Some((at, count)) = values {
            self.cut |= count > MOST_READ;
            for index in 0..count.min(MOST_READ) {
                let Some(value) = machine.load(0x29, at + 8 * index) else { break };
                read.push(self.load(op, (at + 8 * index, 8), OLDER, value));
            }
        }
        let bytes = match name {
            "symbol_new_from_linear_memory"
            | "string_new_from_linear_memory"
            | "bytes_new_from_linear_memory" => Some((number(0), number(1))),
            "bytes_copy_from_linear_memory" => Some((number(2), number(3))),
            _ => None,
        };
        if let Some((at, count)) = bytes {
            self.cut |= count > MOST_READ;
            let mut known: Vec<Id> = (at..at + count.min(MOST_READ))
                .map(|byte| self.cell(byte).node)
                .filter(|node| *node != OLDER)
                .collect();
            known.dedup();
            if known.contains(&UNKNOWN) {
                let words = (at >> 3)..=((at + count.min(MOST_READ)) >> 3);
                let when = words.filter_map(|word| self.lost_words.get(&word)).max().copied();
                known.push(self.lost(op, when.unwrap_or(0), 0));
            }
            read.extend(known);
            let known = machine.bytes(at, count.min(64) as usize).filter(|_| count <= 64);
            text = known.map(<[u8]>::to_vec);
        }
        let keys = match name {
            "map_new_from_linear_memory" => Some((number(0), number(2))),
            "map_unpack_to_linear_memory" => Some((number(1), number(3))),
            "sparse_map_unpack_to_linear_memory" => Some((number(1), number(3))),
            "symbol_index_in_linear_memory" => Some((number(1), number(2))),
            _ => None,
        };
        if let Some((at, count)) = keys {
            for index in 0..count.min(MOST_READ) {
                let word = |at: u64| machine.load(0x28, at);
                let (Some(from), Some(length)) = (word(at + 8 * index), word(at + 8 * index + 4))
                else {
                    break;
                };
                let text = machine.bytes(from, length.min(64) as usize).unwrap_or_default();
                names.push(String::from_utf8_lossy(text).into_owned());
            }
        }
        let arguments = self.last.clone();
        let number = machine.host_calls;
        let control = self.control;
        let function = name;
        let call = HostCall { number, function, arguments, read, names, text, control };
        self.host_calls.push(call);
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

    /// Notes a call that may be a compiler's routine for 128 bits. Its arguments are (result
    /// pointer, a, b), and for a product that may overflow a pointer to the flag; b of a shift is
    /// narrow. Runs with other numbers (`routine.rs`) and all its calls show what it is.
    fn note_wide(&mut self, machine: &Machine, ended: u32) {
        let function = self.activations[ended as usize].function;
        let (to, parts, flag) = match self.activations[ended as usize].arguments[..] {
            [to, a, b, by] => (to, [a, b, by, UNKNOWN], None),
            [to, a, b, c, d] => (to, [a, b, c, d], None),
            [to, a, b, c, d, flag] => (to, [a, b, c, d], Some(flag)),
            _ => return,
        };
        let shifts = parts[3] == UNKNOWN;
        let is_routine = self.code.signature_of(function).is_some_and(|signature| {
            let is = |at: usize, of_type| signature.parameters.get(at) == Some(&of_type);
            let count = if shifts { 3 } else { 5 };
            is(0, ValType::I32)
                && (1..count).all(|at| is(at, ValType::I64))
                && (!shifts || is(3, ValType::I32))
                && (flag.is_none() || is(5, ValType::I32))
        });
        if !is_routine {
            return;
        }
        let parts = match shifts {
            true => [parts[0], parts[1], parts[2], self.none()],
            false => parts,
        };
        let value = |id: Id| self.get(id).value;
        let at = u64::from(value(to) as u32);
        let flag_at = flag.map(|flag| u64::from(value(flag) as u32));
        let (Some(lo), Some(hi)) = (machine.load(0x29, at), machine.load(0x29, at + 8)) else {
            return;
        };
        let overflow = flag_at.map(|at| machine.load(0x28, at));
        if overflow == Some(None) {
            return;
        }
        let wide = |lo: Id, hi: Id| (u128::from(value(hi)) << 64) | u128::from(value(lo));
        let (a, b) = (wide(parts[0], parts[1]), wide(parts[2], parts[3]));
        let made = [Some(lo), Some(hi), overflow.flatten()];
        let fits = |op: &WideOp| {
            let parts = [0, 1, 2].map(|part| op.part(a, b, part));
            parts[..2] == made[..2] && (flag.is_none() || parts[2] == made[2])
        };
        let code = self.code.clone();
        let known = self.wide_ops.entry(function).or_insert_with(|| {
            let may_be = match flag {
                Some(_) => vec![WideOp::Multiply, WideOp::MultiplyUnsigned],
                None if shifts => WideOp::SHIFTS.to_vec(),
                None => WideOp::ALL.to_vec(),
            };
            routine::proven(&code, function, (shifts, flag.is_some()), may_be)
        });
        known.retain(fits);
        if known.is_empty() || parts.iter().all(|id| self.nodes[*id as usize].constant) {
            return;
        }
        let wide = self.wides.len() as u32;
        self.wides.push(Wide { function, parts });
        let written = [(0, at, 8), (1, at + 8, 8), (2, flag_at.unwrap_or(0), 4)];
        for (part, at, size) in written {
            let Some(value) = made[usize::from(part)] else { continue };
            let id = self.node(Kind::Wide, part, self.last_op, (0, 0, wide), false);
            self.nodes[id as usize].value = value;
            self.write(at, size, id);
        }
    }

    /// The node of the constant zero.
    fn none(&mut self) -> Id {
        self.node(Kind::Const, 0, self.last_op, (0, 0, 0), true)
    }

    fn finish_host_call(&mut self, machine: &Machine, op: u32) {
        let Some(call) = self.host_calls.last() else { return };
        let index = (self.host_calls.len() - 1) as u32;
        let pure = matches!(
            call.function,
            "symbol_new_from_linear_memory"
                | "string_new_from_linear_memory"
                | "bytes_new_from_linear_memory"
                | "vec_new"
                | "map_new"
                | "bytes_new"
                | "vec_new_from_linear_memory"
                | "map_new_from_linear_memory"
        );
        let made_of = call.arguments.iter().chain(&call.read);
        let constant = pure && made_of.clone().all(|id| self.constant(*id));
        let number = |at: usize| call.arguments.get(at).map_or(0, |id| self.get(*id).value >> 32);
        let written: Option<(u64, u64, u8)> = match call.function {
            "vec_unpack_to_linear_memory" => Some((number(1), number(2), 8)),
            "map_unpack_to_linear_memory" | "sparse_map_unpack_to_linear_memory" => {
                Some((number(2), number(3), 8))
            }
            "bytes_copy_to_linear_memory"
            | "string_copy_to_linear_memory"
            | "symbol_copy_to_linear_memory" => Some((number(2), number(3), 1)),
            _ => None,
        };
        if let Some((at, count, size)) = written {
            self.cut |= count > MOST_READ;
            for item in 0..count.min(MOST_READ) {
                let id = self.node(Kind::Unpacked, item as u8, op, (0, item as u32, index), false);
                let opcode = if size == 8 { 0x29 } else { 0x31 };
                let at = at + item * u64::from(size);
                self.nodes[id as usize].value = machine.load(opcode, at).unwrap_or(0);
                self.write(at, size, id);
            }
        }
        let id = self.node(Kind::Host, 0, op, (0, 0, index), constant);
        self.nodes[id as usize].value = machine.stack.last().copied().unwrap_or(0);
        self.stack.push(id);
    }

    fn cell(&self, at: u64) -> Cell {
        match self.memory.get(&(at >> 3)) {
            Some(cells) => cells[(at & 7) as usize],
            None => self.fresh(at >> 3),
        }
    }

    /// A word that was not written while the run was watched.
    fn fresh(&self, word: u64) -> Cell {
        let known = self.lost_words.is_empty() || !self.lost_words.contains_key(&word);
        Cell { node: if known { OLDER } else { UNKNOWN }, ..Cell::default() }
    }

    fn set_cell(&mut self, at: u64, cell: Cell) {
        let fresh = self.fresh(at >> 3);
        self.memory.entry(at >> 3).or_insert([fresh; 8])[(at & 7) as usize] = cell;
    }

    fn write(&mut self, at: u64, size: u8, node: Id) {
        for byte in 0..size {
            self.set_cell(at + u64::from(byte), Cell { node, byte, size });
        }
    }

    fn load(&mut self, op: u32, (at, size): (u64, u8), address: Id, value: u64) -> Id {
        // The stored parts of nodes, in order.
        let mut parts: Vec<(Cell, u8)> = vec![];
        for byte in 0..size {
            let cell = self.cell(at + u64::from(byte));
            match parts.last_mut() {
                Some((first, length))
                    if first.node == cell.node
                        && (cell.node <= UNKNOWN || first.byte + *length == cell.byte) =>
                {
                    *length += 1
                }
                _ => parts.push((cell, 1)),
            }
        }
        if parts.iter().any(|(cell, _)| cell.node == UNKNOWN) {
            let words = (at >> 3)..=((at + u64::from(size) - 1) >> 3);
            let when = words.filter_map(|word| self.lost_words.get(&word)).max();
            let when = when.copied().unwrap_or(0);
            return self.lost(op, when, value);
        }
        let mut made = OLDER;
        let mut below = 0;
        for (cell, length) in parts {
            let part = match (cell.node, cell.byte == 0 && cell.size == length) {
                // A word of the contract's own data, or zero.
                (OLDER, _) => self.node(Kind::Const, 0, op, (0, 0, 0), self.from_start),
                (node, true) => node,
                (node, false) => self.part(op, node, u32::from(cell.byte), length),
            };
            if matches!(self.get(part).kind, Kind::Part) || cell.node == OLDER {
                let mask = if length >= 8 { u64::MAX } else { (1 << (8 * length)) - 1 };
                self.nodes[part as usize].value = (value >> (8 * below).min(63)) & mask;
            }
            made = match below {
                0 => part,
                _ => {
                    let constant = self.constant(made) && self.constant(part);
                    self.node(Kind::Join, below, op, (made, part, 0), constant)
                }
            };
            below += length;
            let mask = if below >= 8 { u64::MAX } else { (1 << (8 * below)) - 1 };
            if matches!(self.get(made).kind, Kind::Join) {
                self.nodes[made as usize].value = value & mask;
            }
        }
        let fixed = self.constant(address) || address <= UNKNOWN;
        let constant = self.constant(made) && fixed;
        if !constant && fixed && self.get(made).value == value {
            return made;
        }
        let id = self.node(Kind::Load, size, op, (made, address, 0), constant);
        self.nodes[id as usize].value = value;
        id
    }
}

impl Shadow {
    /// Bytes of a node, taken from the nodes that it was composed of.
    fn part(&mut self, op: u32, node: Id, from: u32, length: u8) -> Id {
        let of = self.get(node);
        let (size, below) = (u32::from(length), u32::from(of.extra));
        match (of.kind, of.a, of.b) {
            (Kind::Join, low, _) if from == 0 && size == below => low,
            (Kind::Join, low, _) if from + size <= below => self.part(op, low, from, length),
            (Kind::Join, _, high) if from >= below => self.part(op, high, from - below, length),
            (Kind::Part, whole, _) if from + size <= below => {
                let begins = of.c;
                self.part(op, whole, from + begins, length)
            }
            (Kind::Unpacked, ..) if from == 0 && length == 1 && of.value < 256 => node,
            _ => {
                let constant = of.constant;
                self.node(Kind::Part, length, op, (node, 0, from), constant)
            }
        }
    }
}

fn loaded_bytes(opcode: u8) -> u8 {
    match opcode {
        0x29 => 8,
        0x28 | 0x34 | 0x35 => 4,
        0x2e | 0x2f | 0x32 | 0x33 => 2,
        _ => 1,
    }
}
