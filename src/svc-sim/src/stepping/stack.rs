// The stack at a moment: the open calls and functions, and their values.

use super::{
    code::Op,
    debug_info::{DebugInfo, Node, Reading, Registers},
    debug_names::DebugNames,
    machine::Machine,
    session::Session,
    timeline::Part,
};
use crate::{
    wire::{
        response::SourcePlace,
        travel::{SourceVariable, StackFrame, StackFunction, Variables, WasmValue},
    },
    xdr_codec::to_base64,
};
use std::rc::Rc;
use wasmparser::ValType;

const MAX_FUNCTIONS: usize = 256;
const MAX_VALUES: usize = 1000;

impl Session {
    /// The machine of a frame at a moment.
    pub fn machine(&mut self, moment: u64, frame: usize) -> Option<&Machine> {
        let step = self.step_at(moment, frame)?;
        let Session { run, frames, tracks, .. } = self;
        let track = tracks.get_mut(frame)?.as_mut()?;
        track.at(step, &frames[frame], run)
    }

    /// The step of a frame at a moment: that of the call that is open in it.
    fn step_at(&self, moment: u64, frame: usize) -> Option<u64> {
        let mut at = self.timeline.moment(moment);
        if at.frame == frame {
            let last = self.tracks.get(frame)?.as_ref()?.steps;
            return Some(if at.part == Part::Exit { last.saturating_sub(1) } else { at.step });
        }
        loop {
            let (parent, call) = self.frames[at.frame].parent?;
            if parent == frame {
                return self.tracks.get(frame)?.as_ref()?.calls_at.get(call).copied();
            }
            at.frame = parent;
        }
    }

    pub fn stack(&mut self, moment: u64) -> Vec<StackFrame> {
        let at = self.timeline.moment(moment);
        let mut chain = vec![(at.frame, at.part)];
        while let Some((parent, _)) = chain.last().and_then(|(last, _)| self.frames[*last].parent) {
            chain.push((parent, Part::Steps));
        }
        chain.iter().map(|(frame, part)| self.stack_frame(moment, *frame, *part)).collect()
    }

    fn stack_frame(&mut self, moment: u64, frame: usize, part: Part) -> StackFrame {
        let at = self.timeline.moment(moment);
        let innermost = at.frame == frame;
        let mut host_call = None;
        let mut fuel = None;
        let mut functions = vec![];
        if let Some(machine) = self.machine(moment, frame) {
            fuel = Some(machine.fuel);
            let next = machine.next_op();
            let calls = machine.calls.iter().rev().enumerate().take(MAX_FUNCTIONS);
            // The outer functions are at the call that they made.
            let ops: Vec<(u32, u32)> = calls
                .map(|(level, call)| {
                    (call.function, if level == 0 { next } else { call.op.saturating_sub(1) })
                })
                .collect();
            let calls_host = match machine.code.ops.get(next as usize) {
                Some(Op::Call(function)) => *function < machine.code.imported(),
                _ => false,
            };
            host_call = (calls_host && part == Part::Steps).then_some(machine.host_calls);
            functions = self.stack_functions(frame, &ops);
        } else if innermost && part == Part::Steps {
            host_call = Some(at.step as usize);
        } else if !innermost {
            host_call = self.called(at.frame, frame);
        }
        let host_call = host_call.and_then(|call| self.call(frame, call));
        let step = self.step_at(moment, frame).unwrap_or(at.step);
        let (cpu, memory) = self.meters(frame, part, step);
        StackFrame {
            frame,
            part: match part {
                Part::Enter => "enter",
                Part::Steps => "steps",
                Part::Exit => "exit",
            },
            functions,
            host_call,
            fuel,
            cpu: cpu.to_string(),
            memory: memory.to_string(),
        }
    }

    /// The index of the host call of `ancestor` that contains the frame `frame`.
    fn called(&self, mut frame: usize, ancestor: usize) -> Option<usize> {
        loop {
            let (parent, call) = self.frames[frame].parent?;
            if parent == ancestor {
                return Some(call);
            }
            frame = parent;
        }
    }

    /// The host's meters at the last host call before a step. Wasm since then is counted at the
    /// next host call.
    fn meters(&self, frame: usize, part: Part, step: u64) -> (u64, u64) {
        let record = &self.frames[frame];
        if part == Part::Exit {
            return (record.cpu_after, record.memory_after);
        }
        let made = match &self.tracks[frame] {
            Some(track) => track.calls_at.partition_point(|at| *at < step),
            None => step as usize,
        };
        match made.checked_sub(1).and_then(|last| record.host_calls.get(last)) {
            Some(call) => (call.cpu_after, call.memory_after),
            None => (record.cpu_before, record.memory_before),
        }
    }

    fn stack_functions(&self, frame: usize, ops: &[(u32, u32)]) -> Vec<StackFunction> {
        let Some(known) = self.known_code(frame) else { return vec![] };
        let names = match known.lines.rows.is_empty() {
            true => None,
            false => DebugNames::read(known.named()).ok(),
        };
        let function = |(index, op): &(u32, u32)| {
            let address = known.code.addresses.get(*op as usize).copied().unwrap_or(0);
            let sources: Vec<SourcePlace> =
                names.as_ref().map(|names| names.places(address)).unwrap_or_default();
            StackFunction { index: *index, name: known.name(*index), address, sources }
        };
        ops.iter().map(function).collect()
    }

    pub fn variables(&mut self, moment: u64, frame: usize, level: usize) -> Option<Variables> {
        let machine = self.machine(moment, frame)?;
        let code = machine.code.clone();
        let depth = machine.calls.len().checked_sub(level + 1)?;
        let call = machine.calls[depth];
        let end = match machine.calls.get(depth + 1) {
            Some(above) => above.base as usize,
            None => machine.stack.len(),
        };
        let types = &code.function(call.function)?.locals;
        let base = call.base as usize;
        let local = |(at, of_type): (usize, &ValType)| (*of_type, machine.stack[base + at]);
        let locals: Vec<_> = types.iter().enumerate().map(local).take(MAX_VALUES).collect();
        let operands = machine.stack.get(base + types.len()..end).unwrap_or_default();
        let operands: Vec<_> =
            operands.iter().take(MAX_VALUES).map(|value| (ValType::I64, *value)).collect();
        let globals: Vec<_> =
            code.global_types.iter().copied().zip(machine.globals.iter().copied()).collect();
        let Session { run, tracks, .. } = self;
        let track = tracks[frame].as_mut()?;
        let all = |values: Vec<(ValType, u64)>| -> Vec<WasmValue> {
            values.into_iter().map(|value| shown(value, &mut |v| track.value(v, run))).collect()
        };
        let (locals, globals, operands) = (all(locals), all(globals), all(operands));
        Some(Variables { locals, globals, operands })
    }
}

impl Session {
    /// The source variables. Empty if the code has no debug information.
    pub fn source_variables(
        &mut self,
        moment: u64,
        frame: usize,
        level: usize,
        inlined: usize,
    ) -> Option<Vec<SourceVariable>> {
        self.machine(moment, frame)?;
        let Session { run, tracks, codes, .. } = self;
        let track = tracks[frame].as_mut()?;
        let code = track.code.clone();
        let known = codes.iter().find(|known| Rc::ptr_eq(&known.code, &code))?;
        let Some(info) = DebugInfo::read(known.named()) else { return Some(vec![]) };
        let nodes = {
            let machine = track.current_machine()?;
            let depth = machine.calls.len().checked_sub(level + 1)?;
            let call = machine.calls[depth];
            // The outer functions are at the call that they made.
            let op = if level == 0 { machine.next_op() } else { call.op.saturating_sub(1) };
            let wide = |of_type: &ValType| *of_type == ValType::I64;
            let base = call.base as usize;
            let types = &code.function(call.function)?.locals;
            let end = machine.calls.get(depth + 1).map_or(machine.stack.len(), |c| c.base as usize);
            let operands = machine.stack.get(base + types.len()..end).unwrap_or_default();
            let locals = machine.stack.get(base..base + types.len())?;
            let registers = Registers {
                code: &code,
                function: call.function,
                op,
                memory: &machine.memory,
                locals: locals.iter().copied().zip(types.iter().map(wide)).collect(),
                globals: machine
                    .globals
                    .iter()
                    .copied()
                    .zip(code.global_types.iter().map(wide))
                    .collect(),
                operands: operands.iter().map(|value| (*value, true)).collect(),
            };
            Reading::variables(&info, *code.addresses.get(op as usize)?, inlined, registers)
        };
        let variable = |node: Node| SourceVariable {
            depth: node.depth,
            name: node.name,
            of_type: node.of_type,
            xdr: node.payload.and_then(|value| track.value(value, run)).map(|xdr| to_base64(&xdr)),
            value: node.value,
            address: node.address,
        };
        Some(nodes.into_iter().map(variable).collect())
    }
}

type Read<'a> = &'a mut dyn FnMut(u64) -> Option<Vec<u8>>;

fn shown((of_type, value): (ValType, u64), read: Read) -> WasmValue {
    let (of_type, text) = match of_type {
        ValType::I32 => ("i32", (value as i32).to_string()),
        _ => ("i64", (value as i64).to_string()),
    };
    let xdr = (of_type == "i64").then(|| read(value)).flatten();
    WasmValue { of_type, value: text, xdr: xdr.map(|xdr| to_base64(&xdr)) }
}
