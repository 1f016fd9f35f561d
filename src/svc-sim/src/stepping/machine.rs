// Runs the code of one contract call again, one instruction at a time, without the host. The
// results of its host calls, and what they wrote to memory, come from the record. The machine stops
// where anything differs from the record: a host call, an argument, or the fuel at a call.

use super::{
    arithmetic::{binary, unary},
    checkpoint::Block,
    code::{Code, Op, Target, PAGE_BYTES},
    host_effects::Objects,
    memory::{stored_bytes, OUT_OF_BOUNDS},
    record::FrameRecord,
    stop::{Stop, Trap},
};
use std::rc::Rc;

/// wasmi's limits: the depth of calls, including the host's, and the number of values of all of
/// them.
const MAX_CALLS: usize = 1024;
const MAX_VALUES: usize = 128 * 1024;

#[derive(Clone, Copy)]
pub struct Call {
    pub function: u32,
    /// The next operation.
    pub op: u32,
    /// The index on the stack at which its locals begin.
    pub base: u32,
}

pub struct Machine {
    pub code: Rc<Code>,
    pub stack: Vec<u64>,
    pub calls: Vec<Call>,
    pub globals: Vec<u64>,
    pub memory: Vec<u8>,
    pub instructions: u64,
    pub fuel: u64,
    /// The number of host calls so far.
    pub host_calls: usize,
    pub objects: usize,
    pub dropped: Vec<bool>,
    pub saved: Vec<Option<Block>>,
    pub changed: Vec<bool>,
}

impl Machine {
    /// The next operation after the costs before it are counted.
    pub fn next_op(&self) -> u32 {
        let mut op = self.calls.last().map_or(0, |call| call.op);
        while let Some(Op::Fuel(_)) = self.code.ops.get(op as usize) {
            op += 1;
        }
        op
    }

    /// Runs until `until` instructions were executed, or until `observe` returns true before one.
    /// `observe` gets the machine and the operation.
    pub fn run(
        &mut self,
        frame: &FrameRecord,
        objects: &mut Objects,
        until: u64,
        mut observe: impl FnMut(&Machine, u32) -> bool,
    ) -> Stop {
        let code = self.code.clone();
        let Some(Call { mut op, mut base, .. }) = self.calls.last().copied() else {
            return Stop::Differs("the call has ended".into());
        };
        macro_rules! pop {
            () => {
                match self.stack.pop() {
                    Some(value) => value,
                    None => return Stop::Differs("the stack is empty".into()),
                }
            };
        }
        macro_rules! trap {
            ($trap:expr) => {{
                self.instructions += 1;
                return Stop::Trapped($trap);
            }};
        }
        macro_rules! save {
            () => {
                if let Some(call) = self.calls.last_mut() {
                    call.op = op;
                }
            };
        }
        macro_rules! goto {
            ($target:expr) => {{
                let target: Target = $target;
                if target.height != u32::MAX {
                    let locals = self.calls.last().map_or(0, |call| code.locals_of(call.function));
                    let height = (base + locals + target.height) as usize;
                    if target.keeps {
                        let kept = pop!();
                        self.stack.truncate(height);
                        self.stack.push(kept);
                    } else {
                        self.stack.truncate(height);
                    }
                }
                op = target.op;
            }};
        }
        macro_rules! leave {
            () => {{
                let results = self.calls.last().is_some_and(|call| code.has_result(call.function));
                let kept = if results { Some(pop!()) } else { None };
                self.stack.truncate(base as usize);
                self.calls.pop();
                let Some(caller) = self.calls.last() else {
                    self.instructions += u64::from(!matches!(code.ops[op as usize - 1], Op::Leave));
                    return Stop::Returned(kept.unwrap_or(2));
                };
                (op, base) = (caller.op, caller.base);
                self.stack.extend(kept);
            }};
        }
        loop {
            let Some(operation) = code.ops.get(op as usize) else {
                return Stop::Differs("the code ended".into());
            };
            match operation {
                Op::Fuel(cost) => {
                    let most = frame.fuel_before(self.host_calls);
                    if self.fuel + cost > most {
                        save!();
                        return frame.limit_exceeded(self.host_calls);
                    }
                    self.fuel += cost;
                    op += 1;
                    continue;
                }
                Op::Jump(target) => {
                    goto!(*target);
                    continue;
                }
                Op::Leave => {
                    // The costs count as if they were behind the instruction that led here.
                    op += 1;
                    leave!();
                    continue;
                }
                _ => {}
            }
            if self.instructions >= until || observe(self, op) {
                save!();
                return Stop::Paused;
            }
            op += 1;
            match operation {
                Op::Fuel(_) | Op::Jump(_) | Op::Leave => {}
                Op::Unreachable => {
                    op -= 1;
                    save!();
                    trap!(Trap::Unreachable);
                }
                Op::Br(target) => goto!(*target),
                Op::BrIf(target) => {
                    if pop!() as u32 != 0 {
                        goto!(*target);
                    }
                }
                Op::BrIfZero(target) => {
                    if pop!() as u32 == 0 {
                        op = *target;
                    }
                }
                Op::BrTable(targets) => {
                    let index = (pop!() as u32 as usize).min(targets.len() - 1);
                    goto!(targets[index]);
                }
                Op::Return => leave!(),
                Op::ReturnIf => {
                    if pop!() as u32 != 0 {
                        leave!();
                    }
                }
                Op::Call(function) => {
                    save!();
                    match self.call(&code, frame, objects, *function) {
                        Ok(()) => {}
                        Err(stop) => return self.stopped_at(op - 1, stop),
                    }
                    if let Some(call) = self.calls.last() {
                        (op, base) = (call.op, call.base);
                    }
                }
                Op::CallIndirect(signature) => {
                    let index = pop!() as u32 as usize;
                    save!();
                    let function = match code.in_table(index, *signature) {
                        Ok(function) => function,
                        Err(trap) => return self.stopped_at(op - 1, Stop::Trapped(trap)),
                    };
                    match self.call(&code, frame, objects, function) {
                        Ok(()) => {}
                        Err(stop) => return self.stopped_at(op - 1, stop),
                    }
                    if let Some(call) = self.calls.last() {
                        (op, base) = (call.op, call.base);
                    }
                }
                Op::Drop => {
                    pop!();
                }
                Op::Select => {
                    let (condition, second) = (pop!() as u32, pop!());
                    if condition == 0 {
                        pop!();
                        self.stack.push(second);
                    }
                }
                Op::LocalGet(index) => self.stack.push(self.stack[(base + index) as usize]),
                Op::LocalSet(index) => self.stack[(base + index) as usize] = pop!(),
                Op::LocalTee(index) => {
                    let value = pop!();
                    self.stack[(base + index) as usize] = value;
                    self.stack.push(value);
                }
                Op::GlobalGet(index) => self.stack.push(self.globals[*index as usize]),
                Op::GlobalSet(index) => self.globals[*index as usize] = pop!(),
                Op::Load(opcode, offset) => {
                    let at = u64::from(pop!() as u32) + u64::from(*offset);
                    match self.load(*opcode, at) {
                        Some(value) => self.stack.push(value),
                        None => return self.stopped_at(op - 1, OUT_OF_BOUNDS),
                    }
                }
                Op::Store(opcode, offset) => {
                    let value = pop!();
                    let at = u64::from(pop!() as u32) + u64::from(*offset);
                    let bytes = value.to_le_bytes();
                    let size = stored_bytes(*opcode);
                    if self.write(at, &bytes[..size]).is_none() {
                        return self.stopped_at(op - 1, OUT_OF_BOUNDS);
                    }
                }
                Op::MemorySize => self.stack.push((self.memory.len() / PAGE_BYTES) as u64),
                Op::MemoryGrow | Op::MemoryCopy | Op::MemoryFill | Op::MemoryInit(_) => {
                    if let Err(stop) = self.in_bulk(&code, frame, operation) {
                        return self.stopped_at(op - 1, stop);
                    }
                }
                Op::DataDrop(segment) => {
                    if let Some(dropped) = self.dropped.get_mut(*segment as usize) {
                        *dropped = true;
                    }
                }
                Op::Const(value) => self.stack.push(*value),
                Op::Unary(opcode) => {
                    let value = pop!();
                    self.stack.push(unary(*opcode, value));
                }
                Op::Binary(opcode) => {
                    let (b, a) = (pop!(), pop!());
                    match binary(*opcode, a, b) {
                        Ok(value) => self.stack.push(value),
                        Err(trap) => return self.stopped_at(op - 1, Stop::Trapped(trap)),
                    }
                }
            }
            self.instructions += 1;
        }
    }

    fn stopped_at(&mut self, op: u32, stop: Stop) -> Stop {
        if let Some(call) = self.calls.last_mut() {
            call.op = op;
        }
        self.instructions += 1;
        stop
    }

    fn call(
        &mut self,
        code: &Code,
        frame: &FrameRecord,
        objects: &mut Objects,
        function: u32,
    ) -> Result<(), Stop> {
        let callee = code.function(function);
        let parameters = code.signature_of(function).map_or(0, |of| of.parameters.len());
        let most_values = callee.map_or(parameters.max(1), |callee| callee.most_values);
        if self.calls.len() > MAX_CALLS || self.stack.len() + most_values > MAX_VALUES {
            return Err(Stop::Trapped(Trap::StackOverflow));
        }
        let Some(callee) = callee else {
            return self.host_call(frame, objects, function);
        };
        let base = self.stack.len().saturating_sub(parameters);
        self.stack.resize(base + callee.locals.len(), 0);
        self.calls.push(Call { function, op: callee.first, base: base as u32 });
        Ok(())
    }
}
