// A part of a long run in which only changes are followed. Values on the stack, in locals and in
// memory that exist before and after it keep their nodes. For every other value the gap records
// when it was written, so that another run can watch that moment.

use super::{
    super::super::{
        code::{Code, Op, PAGE_BYTES},
        machine::Machine,
        memory::stored_bytes,
    },
    super::flow::{effect, side, EXIT},
    Branch, Cell, Id, Kind, Pending, Shadow, UNKNOWN,
};
use std::collections::{HashMap, HashSet};

/// One instruction can copy more bytes than a contract's memory has.
const MOST_COPIED: u64 = 64 * PAGE_BYTES as u64;
const MOST_FOLLOWED: usize = 100_000;

pub struct Gap {
    /// For each operation, the number of values that it takes, and whether it leaves one.
    effects: Vec<(u8, bool)>,
    /// For each value on the stack, the number of instructions before it was written.
    written: Vec<u64>,
    /// True if the last instruction left a value.
    left: bool,
    /// The values below this height were not touched.
    height: usize,
    /// The number of calls that were open before the gap and are still open.
    calls: usize,
    /// For each open call, the last execution of each branch: when it was, and the top of the
    /// stack.
    latest: Vec<HashMap<u32, (u64, u64)>>,
    /// True if the last instruction was a jump that kept a value.
    jumped: bool,
    /// The function of that instruction.
    function: u32,
}

impl Gap {
    /// Says whether a jump or a return put a value on the stack.
    fn keeps(&self, code: &Code, returned: bool) -> bool {
        self.jumped || returned && code.has_result(self.function)
    }
}

impl Shadow {
    /// Call this before each instruction of the gap. Returns true if too much is written.
    pub fn skip(&mut self, machine: &Machine, op: u32) -> bool {
        let mut gap = match self.gap.take() {
            Some(gap) => gap,
            None => self.begin_gap(machine),
        };
        let (height, calls) = (machine.stack.len(), machine.calls.len());
        let returned = calls < gap.latest.len();
        gap.calls = gap.calls.min(calls);
        gap.latest.resize_with(calls, HashMap::new);
        let kept = gap.keeps(&self.code, returned);
        let (taken, leaves) = gap.effects[op as usize];
        let taken = usize::from(kept).max(usize::from(taken));
        gap.height = gap.height.min(height.saturating_sub(taken));
        let now = machine.instructions;
        gap.written.resize(height, now);
        match gap.written.last_mut() {
            Some(last) if gap.left || kept => *last = now,
            _ => {}
        }
        gap.left = leaves;
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
                *self.counts.entry(op).or_default() += 1;
                let Some(latest) = gap.latest.last_mut() else { return true };
                let before = latest.insert(op, (now, top));
                if before.is_none_or(|(_, before)| before != top) {
                    self.skipped_sides.extend(side(&code, op, top).map(|side| (op, side)));
                }
            }
            Op::LocalSet(local) | Op::LocalTee(local) => {
                let at = (base + local) as usize;
                if let Some(known) = self.stack.get_mut(at) {
                    *known = UNKNOWN;
                }
                if let Some(written) = gap.written.get_mut(at) {
                    *written = now + 1;
                }
            }
            Op::Store(opcode, offset) => {
                let under = machine.stack.len().checked_sub(2).map_or(0, |at| machine.stack[at]);
                let at = u64::from(under as u32) + u64::from(*offset);
                self.forget((at, stored_bytes(*opcode) as u64), now + 1);
            }
            Op::MemoryCopy | Op::MemoryFill | Op::MemoryInit(_) => {
                if let [.., to, _, count] = machine.stack[..] {
                    self.forget((u64::from(to as u32), u64::from(count as u32)), now + 1);
                }
            }
            Op::Call(function) => {
                if let Some((_, Some(host))) = code.imports.get(*function as usize) {
                    let number = |from_top: usize| {
                        let at = height.checked_sub(from_top + 1);
                        at.map_or(0, |at| machine.stack[at] >> 32)
                    };
                    // All of them have the address and the count last.
                    let size = match host.name {
                        "vec_unpack_to_linear_memory"
                        | "map_unpack_to_linear_memory"
                        | "sparse_map_unpack_to_linear_memory" => 8,
                        name if name.contains("copy_to_linear_memory") => 1,
                        _ => 0,
                    };
                    self.forget((number(1), size * number(0)), now + 1);
                }
            }
            _ => {}
        }
        self.gap = Some(gap);
        self.full
    }

    fn begin_gap(&mut self, machine: &Machine) -> Gap {
        self.follow(machine);
        self.cut = true;
        let effects = self.code.ops.iter().map(|op| {
            let (taken, left) = effect(&self.code, op);
            (taken.min(255) as u8, left > 0)
        });
        Gap {
            effects: effects.collect(),
            written: vec![0; machine.stack.len()],
            left: false,
            height: self.stack.len(),
            calls: self.open.len(),
            latest: self.open.iter().map(|_| HashMap::new()).collect(),
            jumped: false,
            function: 0,
        }
    }

    /// Forgets bytes that were written in the gap, and notes when.
    fn forget(&mut self, (at, count): (u64, u64), when: u64) {
        self.full |= count > MOST_COPIED;
        let unknown = Cell { node: UNKNOWN, byte: 0, size: 0 };
        for byte in at..at + count.min(MOST_COPIED) {
            if byte == at || byte & 7 == 0 {
                self.lost_words.insert(byte >> 3, when);
            }
            if let Some(cells) = self.memory.get_mut(&(byte >> 3)) {
                cells[(byte & 7) as usize] = unknown;
            }
        }
    }

    /// Call this before the first instruction after the gap.
    pub fn end_gap(&mut self, machine: &Machine) {
        let Some(gap) = self.gap.take() else { return };
        let (height, calls) = (machine.stack.len(), machine.calls.len());
        let kept = usize::from(gap.keeps(&self.code, calls < gap.latest.len()));
        self.stack.truncate(gap.height.min(height.saturating_sub(kept)));
        self.stack.resize(height, UNKNOWN);
        for (at, value) in machine.stack.iter().enumerate() {
            if self.stack[at] == UNKNOWN {
                let written = gap.written.get(at).copied().unwrap_or(machine.instructions);
                self.stack[at] = self.lost(0, written, *value);
            }
        }
        for (at, value) in machine.globals.iter().enumerate() {
            if self.get(self.globals[at]).value != *value {
                // Compilers change only the global of the stack pointer.
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

    /// A node for a value that was made before `before` instructions were executed.
    pub fn lost(&mut self, op: u32, before: u64, value: u64) -> Id {
        self.losses.push(before);
        let id = self.node(Kind::Lost, 0, op, (0, 0, self.losses.len() as u32 - 1), false);
        self.nodes[id as usize].value = value;
        id
    }

    /// The moment at which the latest unwatched value was made, among those from which nodes were
    /// computed.
    pub fn latest_loss(&self, of: impl IntoIterator<Item = Id>) -> Option<u64> {
        let mut open: Vec<Id> = of.into_iter().collect();
        let (mut seen, mut latest) = (HashSet::new(), None);
        while let Some(id) = open.pop().filter(|_| seen.len() < MOST_FOLLOWED) {
            let node = self.get(id);
            if node.constant || !seen.insert(id) {
                continue;
            }
            match node.kind {
                Kind::Lost => latest = latest.max(Some(self.losses[node.c as usize])),
                Kind::Host | Kind::Unpacked => {
                    let call = &self.host_calls[node.c as usize];
                    // The record shows which element it is.
                    let most = if call.function.ends_with("_get") { 1 } else { usize::MAX };
                    open.extend(call.arguments.iter().take(most).chain(&call.read));
                }
                Kind::Wide => open.extend(self.wides[node.c as usize].parts),
                Kind::Select => open.extend([node.a, node.b, node.c]),
                _ => open.extend([node.a, node.b]),
            }
        }
        latest
    }

    /// The conditions on which the end of the run depends.
    pub fn conditions_above(&self) -> Vec<Id> {
        let mut found = vec![];
        let mut number = self.last_control;
        while number > 0 && found.len() < 64 {
            let branch = &self.branches[number as usize - 1];
            found.push(branch.condition);
            number = branch.control;
        }
        found
    }

    /// Notes the last execution of each branch of the open calls.
    fn note_skipped(&mut self, gap: &Gap) {
        let mut skipped: Vec<(u64, usize, u32, u64)> = vec![];
        for (depth, latest) in gap.latest.iter().enumerate().take(self.open.len()) {
            skipped.extend(latest.iter().map(|(op, (when, top))| (*when, depth, *op, *top)));
        }
        skipped.sort_unstable();
        for (when, depth, op, top) in skipped {
            let activation = self.open[depth];
            let control = self.activations[activation as usize].control_at(op);
            let before = self.counts.get(&op).map_or(0, |count| count.saturating_sub(1));
            let taken = side(&self.code, op, top).unwrap_or(EXIT);
            let value = u64::from(top as u32);
            let condition = self.lost(op, when + 1, top);
            self.note_branch(Branch {
                op,
                condition,
                value,
                taken,
                control,
                activation,
                before,
                step: when,
            });
        }
    }
}
