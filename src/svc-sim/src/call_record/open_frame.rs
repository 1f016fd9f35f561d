// A frame whose call has not ended, with the host calls that it made.

use crate::{
    hosts::trace::{TraceStep, TraceStepKind},
    wire::response::{CallNode, HostCall},
    xdr_codec::to_base64,
};

pub struct OpenFrame {
    pub node: CallNode,
    start_cpu: u64,
    start_memory: u64,
    host_calls: Vec<OpenHostCall>,
}

/// A host call that has not returned.
struct OpenHostCall {
    /// The call's position in the frame's list.
    index: usize,
    start_cpu: u64,
    start_memory: u64,
    /// The cost of wasm when the host call began. The caller's wasm is charged just after that.
    wasm_cpu: Option<u64>,
    /// The cost of the frames that the host call opened.
    frames_cpu: u64,
    frames_memory: u64,
}

impl OpenFrame {
    pub fn new(node: CallNode, start_cpu: u64, start_memory: u64) -> OpenFrame {
        OpenFrame { node, start_cpu, start_memory, host_calls: vec![] }
    }

    /// Ends the frame. `cpu` and `memory` are the meters at its end.
    pub fn close(mut self, ok: bool, cpu: u64, memory: u64) -> CallNode {
        self.node.result_xdr.take_if(|_| !ok);
        CallNode {
            failed: !ok,
            cpu_instructions: cpu.saturating_sub(self.start_cpu),
            memory_bytes: memory.saturating_sub(self.start_memory),
            ..self.node
        }
    }

    /// Adds a call of this frame that has ended.
    pub fn close_call(&mut self, call: CallNode) {
        for host_call in &mut self.host_calls {
            host_call.frames_cpu += call.cpu_instructions;
            host_call.frames_memory += call.memory_bytes;
        }
        self.node.calls.push(call);
    }

    pub fn host_call_step(&mut self, step: &TraceStep) {
        self.charge_wasm(step);
        match &step.kind {
            TraceStepKind::HostCall(name) => self.open_host_call(name, step),
            TraceStepKind::HostReturn { ok } => self.close_host_call(*ok, step),
            TraceStepKind::LeftOut(count) => self.node.host_calls_left_out += count,
            TraceStepKind::Pop { .. } => {
                while !self.host_calls.is_empty() {
                    self.close_host_call(false, step);
                }
            }
            TraceStepKind::Push(_) | TraceStepKind::End => {}
        }
    }

    /// The first step in a host call shows how much wasm its caller had run.
    fn charge_wasm(&mut self, step: &TraceStep) {
        if let Some(call) = self.host_calls.last_mut() {
            if let Some(before) = call.wasm_cpu.take() {
                call.start_cpu += step.wasm_cpu - before;
            }
        }
    }

    fn open_host_call(&mut self, name: &'static str, step: &TraceStep) {
        let recorded = self.node.host_calls.get_or_insert_default();
        recorded.push(HostCall {
            function: name,
            arguments_xdr: step.values.iter().map(value_text).collect(),
            result_xdr: None,
            failed: true,
            depth: self.host_calls.len() as u32,
            after_calls: self.node.calls.len(),
            cpu_instructions: 0,
            memory_bytes: 0,
        });
        self.host_calls.push(OpenHostCall {
            index: recorded.len() - 1,
            start_cpu: step.cpu_instructions,
            start_memory: step.memory_bytes,
            wasm_cpu: Some(step.wasm_cpu),
            frames_cpu: 0,
            frames_memory: 0,
        });
    }

    fn close_host_call(&mut self, ok: bool, step: &TraceStep) {
        let Some(call) = self.host_calls.pop() else { return };
        let recorded = self.node.host_calls.as_mut().and_then(|all| all.get_mut(call.index));
        let Some(recorded) = recorded else { return };
        recorded.failed = !ok;
        recorded.result_xdr = step.values.first().and_then(value_text);
        recorded.cpu_instructions =
            step.cpu_instructions.saturating_sub(call.start_cpu + call.frames_cpu);
        recorded.memory_bytes =
            step.memory_bytes.saturating_sub(call.start_memory + call.frames_memory);
    }
}

fn value_text(value: &Option<Vec<u8>>) -> Option<String> {
    value.as_deref().map(to_base64)
}
