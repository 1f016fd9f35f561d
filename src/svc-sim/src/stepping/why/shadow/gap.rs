// The middle of a long run, of which only is followed what it changes: what was on the stack, in
// locals and in memory before it and is there after it has its node; all else is unknown.

use super::{
    super::super::{
        code::{Code, Op, PAGE_BYTES},
        machine::Machine,
        memory::stored_bytes,
    },
    super::flow::{side, taken_from_stack, EXIT},
    Branch, Cell, Kind, Pending, Shadow, UNKNOWN,
};
use std::collections::HashMap;

/// More than a contract's memory can be copied in one instruction.
const MOST_COPIED: u64 = 64 * PAGE_BYTES as u64;

pub struct Gap {
    /// For each operation.
    taken: Vec<u8>,
    /// The values below it were not touched.
    height: usize,
    /// The calls that were open before it and are open still.
    calls: usize,
    /// For each open call its branches, as they went last: the top of the stack, and when.
    latest: Vec<HashMap<u32, (u64, u64)>>,
    branches: u64,
    /// The last instruction was a jump that kept a value.
    jumped: bool,
    /// Where that was.
    function: u32,
}

impl Gap {
    /// Whether a jump or a return put a value on the stack.
    fn keeps(&self, code: &Code, returned: bool) -> bool {
        self.jumped || returned && code.has_result(self.function)
    }
}

impl Shadow {
    /// Before each instruction of the gap; true: too much is written.
    pub fn skip(&mut self, machine: &Machine, op: u32) -> bool {
        let mut gap = match self.gap.take() {
            Some(gap) => gap,
            None => self.begin_gap(machine),
        };
        let (height, calls) = (machine.stack.len(), machine.calls.len());
        let returned = calls < gap.latest.len();
        gap.calls = gap.calls.min(calls);
        gap.latest.resize_with(calls, HashMap::new);
        let kept = usize::from(gap.keeps(&self.code, returned));
        let taken = kept.max(usize::from(gap.taken[op as usize]));
        gap.height = gap.height.min(height.saturating_sub(taken));
        let top = machine.stack.last().copied().unwrap_or(0);
        let base = machine.calls.last().map_or(0, |call| call.base);
        let code = self.code.clone();
        let operation = &code.ops[op as usize];
        gap.jumped = match operation {
            Op::Br(target) | Op::BrIf(target) => target.keeps,
            Op::BrTable(_) => true,
            _ => false,
        };
        gap.function = machine.calls.last().map_or(0, |call| call.function);
        match operation {
            Op::BrIf(_) | Op::BrIfZero(_) | Op::BrTable(_) | Op::ReturnIf => {
                gap.branches += 1;
                *self.counts.entry(op).or_default() += 1;
                if let Some(latest) = gap.latest.last_mut() {
                    latest.insert(op, (gap.branches, top));
                }
            }
            Op::LocalSet(local) | Op::LocalTee(local) => {
                if let Some(known) = self.stack.get_mut((base + local) as usize) {
                    *known = UNKNOWN;
                }
            }
            Op::Store(opcode, offset) => {
                let under = machine.stack.len().checked_sub(2).map_or(0, |at| machine.stack[at]);
                let at = u64::from(under as u32) + u64::from(*offset);
                self.forget(at, stored_bytes(*opcode) as u64);
            }
            Op::MemoryCopy | Op::MemoryFill | Op::MemoryInit(_) => {
                if let [.., to, _, count] = machine.stack[..] {
                    self.forget(u64::from(to as u32), u64::from(count as u32));
                }
            }
            Op::Call(function) => {
                if let Some((_, Some(host))) = code.imports.get(*function as usize) {
                    let number = |from_top: usize| {
                        let at = height.checked_sub(from_top + 1);
                        at.map_or(0, |at| machine.stack[at] >> 32)
                    };
                    // All have the place and the count last.
                    let size = match host.name {
                        "vec_unpack_to_linear_memory"
                        | "map_unpack_to_linear_memory"
                        | "sparse_map_unpack_to_linear_memory" => 8,
                        name if name.contains("copy_to_linear_memory") => 1,
                        _ => 0,
                    };
                    self.forget(number(1), size * number(0));
                }
            }
            _ => {}
        }
        self.gap = Some(gap);
        self.full
    }

    fn begin_gap(&mut self, machine: &Machine) -> Gap {
        self.follow(machine);
        let ops = 0..self.code.ops.len();
        let taken = ops.map(|op| taken_from_stack(&self.code, op as u32).min(255) as u8);
        Gap {
            taken: taken.collect(),
            height: self.stack.len(),
            calls: self.open.len(),
            latest: self.open.iter().map(|_| HashMap::new()).collect(),
            branches: 0,
            jumped: false,
            function: 0,
        }
    }

    /// Bytes that were written in the gap.
    fn forget(&mut self, at: u64, count: u64) {
        self.full |= count > MOST_COPIED;
        let unknown = Cell { node: UNKNOWN, byte: 0, size: 0 };
        for byte in at..at + count.min(MOST_COPIED) {
            match self.memory.get_mut(&(byte >> 3)) {
                Some(cells) => cells[(byte & 7) as usize] = unknown,
                None => {
                    self.unknown_words.insert(byte >> 3);
                }
            }
        }
    }

    /// Before the first instruction after it.
    pub fn end_gap(&mut self, machine: &Machine) {
        let Some(gap) = self.gap.take() else { return };
        let (height, calls) = (machine.stack.len(), machine.calls.len());
        let kept = usize::from(gap.keeps(&self.code, calls < gap.latest.len()));
        self.stack.truncate(gap.height.min(height.saturating_sub(kept)));
        self.stack.resize(height, UNKNOWN);
        for (at, value) in machine.globals.iter().enumerate() {
            if self.get(self.globals[at]).value != *value {
                // Only the stack's pointer changes in what compilers make.
                let id = self.node(Kind::Const, 0, 0, (0, 0, 0), true);
                self.nodes[id as usize].value = *value;
                self.globals[at] = id;
            }
        }
        self.open.truncate(gap.calls.min(calls));
        let opened = self.open.len();
        for at in opened..calls {
            let call_op = at.checked_sub(1).map_or(0, |at| machine.calls[at].op.saturating_sub(1));
            self.control = 0;
            self.activate(machine.calls[at].function, call_op, vec![]);
        }
        self.note_skipped(&gap);
        for at in opened.max(1)..self.open.len() {
            let (parent, own) = (self.open[at - 1] as usize, self.open[at] as usize);
            let call_op = self.activations[own].call_op;
            self.activations[own].control = self.activations[parent].control_at(call_op);
        }
        self.pending = Pending::Nothing;
        self.block = u32::MAX;
    }

    /// The branches of open calls as they went last.
    fn note_skipped(&mut self, gap: &Gap) {
        let mut skipped: Vec<(u64, usize, u32, u64)> = vec![];
        for (depth, latest) in gap.latest.iter().enumerate().take(self.open.len()) {
            skipped.extend(latest.iter().map(|(op, (when, top))| (*when, depth, *op, *top)));
        }
        skipped.sort_unstable();
        for (_, depth, op, top) in skipped {
            let activation = self.open[depth];
            let control = self.activations[activation as usize].control_at(op);
            let before = self.counts.get(&op).map_or(0, |count| count.saturating_sub(1));
            let taken = side(&self.code, op, top).unwrap_or(EXIT);
            let value = u64::from(top as u32);
            let condition = UNKNOWN;
            let branch = Branch { op, condition, value, taken, control, activation, before };
            self.branches.push(branch);
            let number = self.branches.len() as u32;
            let open = &mut self.activations[activation as usize];
            open.branches.push(number);
            open.latest.insert(op, number);
        }
    }
}
