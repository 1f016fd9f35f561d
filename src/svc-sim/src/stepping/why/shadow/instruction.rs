// Follows one instruction: the nodes that it takes, and the one that it makes.

use super::{
    super::super::{
        code::{Op, Target},
        machine::Machine,
        memory::stored_bytes,
    },
    super::flow::{side, EXIT},
    cells::{loaded_bytes, Cell},
    Branch, Id, Kind, Pending, Shadow, UNKNOWN,
};

impl Shadow {
    fn pop(&mut self) -> Id {
        self.stack.pop().unwrap_or(UNKNOWN)
    }

    pub(super) fn branch(&mut self, machine: &Machine, op: u32, top: u64) {
        let condition = self.pop();
        let (value, taken) = (u64::from(top as u32), side(&self.code, op, top).unwrap_or(EXIT));
        let activation = self.open.last().copied().unwrap_or(0);
        let control = self.control;
        let count = self.counts.entry(op).or_default();
        let before = std::mem::replace(count, *count + 1);
        let step = machine.instructions;
        self.note_branch(Branch { op, condition, value, taken, control, activation, before, step });
        self.block = u32::MAX;
    }

    /// Notes an executed branch, which is then the latest of its place in its activation.
    pub(super) fn note_branch(&mut self, branch: Branch) {
        let Branch { op, activation, .. } = branch;
        self.branches.push(branch);
        let number = self.branches.len() as u32;
        if let Some(open) = self.activations.get_mut(activation as usize) {
            open.branches.push(number);
            open.latest.insert(op, number);
        }
    }

    pub(super) fn begin(&mut self, machine: &Machine, op: u32) {
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
}
