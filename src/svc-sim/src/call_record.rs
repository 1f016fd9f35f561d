// The call tree and the profile: frames and meters from the trace hook, names, arguments and results
// from the diagnostic events `fn_call` and `fn_return`.
//
// The hook sees every frame but not which contract it is; the events tell the contract and its values
// but not where a failed call ended. Both come in the same order, so they are walked together.
// Host calls stand beside the calls of their frame, in order; their values are the trace's own.

use crate::{
    hosts::trace::{TraceStep, TraceStepKind},
    instrumented::functions::FunctionFrames,
    profile::ProfileBuilder,
    wire::response::{CallNode, HostCall, Profile},
    xdr_codec::{
        decode, encode, to_base64,
        xdr::{ContractEventBody, ContractId, DiagnosticEvent, Hash, ScVal},
    },
};
use std::collections::VecDeque;

pub struct CallRecord {
    /// `None` when nothing was traced.
    pub tree: Option<CallNode>,
    /// `None` when no profile was asked for.
    pub profile: Option<Profile>,
}

/// `cpu` and `memory`: the metered totals of the whole execution. `host_calls`: the steps are those of
/// a run whose host calls were recorded. `functions`: what the profile tells beside them.
pub fn read(
    trace: &[TraceStep],
    diagnostics: &[Vec<u8>],
    (cpu, memory): (u64, u64),
    host_calls: bool,
    functions: Option<&FunctionFrames>,
) -> CallRecord {
    if trace.is_empty() {
        return CallRecord { tree: None, profile: None };
    }
    let mut builder = Builder {
        calls: calls_in(diagnostics),
        open: vec![Open::new(leaf("host", None), 0, 0)],
        profile: ProfileBuilder::new(functions),
        host_calls,
    };
    for step in trace {
        builder.step(step);
    }
    let profiled = matches!(trace.last(), Some(TraceStep { kind: TraceStepKind::End, .. }));
    let profile = profiled.then(|| std::mem::take(&mut builder.profile).finish(cpu, memory));
    CallRecord { tree: builder.finish(cpu, memory), profile }
}

struct Call {
    contract: [u8; 32],
    function: String,
    arguments: Vec<String>,
    /// Filled by the matching `fn_return`.
    result: Option<String>,
}

struct Open {
    node: CallNode,
    start_cpu: u64,
    start_memory: u64,
    host_calls: Vec<OpenHostCall>,
}

/// A host call that has not returned.
struct OpenHostCall {
    /// Among its frame's.
    index: usize,
    start_cpu: u64,
    start_memory: u64,
    /// When it began; the wasm before it is charged right after, and is the caller's.
    wasm_cpu: Option<u64>,
    /// What the frames that it opened cost.
    frames_cpu: u64,
    frames_memory: u64,
}

impl Open {
    fn new(node: CallNode, start_cpu: u64, start_memory: u64) -> Open {
        Open { node, start_cpu, start_memory, host_calls: vec![] }
    }

    fn open_host_call(&mut self, name: &'static str, step: &TraceStep) {
        self.host_calls.push(OpenHostCall {
            index: self.node.host_calls.as_ref().map_or(0, Vec::len),
            start_cpu: step.cpu_instructions,
            start_memory: step.memory_bytes,
            wasm_cpu: Some(step.wasm_cpu),
            frames_cpu: 0,
            frames_memory: 0,
        });
        let depth = self.host_calls.len() as u32 - 1;
        let after_calls = self.node.calls.len();
        self.node.host_calls.get_or_insert_default().push(HostCall {
            function: name,
            arguments_xdr: step.values.iter().map(value_text).collect(),
            result_xdr: None,
            failed: true,
            depth,
            after_calls,
            cpu_instructions: "0".into(),
            memory_bytes: "0".into(),
        });
    }

    fn close_host_call(&mut self, ok: bool, step: &TraceStep) {
        let Some(call) = self.host_calls.pop() else { return };
        let Some(recorded) = self.node.host_calls.as_mut().and_then(|all| all.get_mut(call.index))
        else {
            return;
        };
        recorded.failed = !ok;
        recorded.result_xdr = step.values.first().and_then(value_text);
        let cpu = step.cpu_instructions.saturating_sub(call.start_cpu + call.frames_cpu);
        let memory = step.memory_bytes.saturating_sub(call.start_memory + call.frames_memory);
        recorded.cpu_instructions = cpu.to_string();
        recorded.memory_bytes = memory.to_string();
    }

    /// The first step in a host call tells how much wasm its caller had run.
    fn charge_wasm(&mut self, step: &TraceStep) {
        if let Some(call) = self.host_calls.last_mut() {
            if let Some(before) = call.wasm_cpu.take() {
                call.start_cpu += step.wasm_cpu - before;
            }
        }
    }

    fn count_frame(&mut self, cpu: u64, memory: u64) {
        for call in &mut self.host_calls {
            call.frames_cpu += cpu;
            call.frames_memory += memory;
        }
    }
}

fn value_text(value: &Option<Vec<u8>>) -> Option<String> {
    value.as_deref().map(to_base64)
}

fn leaf(kind: &'static str, call: Option<Call>) -> CallNode {
    let (contract, function, arguments_xdr, result_xdr) = match call {
        None => (None, None, vec![], None),
        Some(call) => (
            Some(ContractId(Hash(call.contract)).to_string()),
            Some(call.function),
            call.arguments,
            call.result,
        ),
    };
    CallNode {
        kind,
        contract,
        function,
        arguments_xdr,
        result_xdr,
        failed: false,
        cpu_instructions: "0".into(),
        memory_bytes: "0".into(),
        calls: vec![],
        host_calls: None,
        host_calls_left_out: 0,
    }
}

struct Builder<'a> {
    calls: VecDeque<Call>,
    open: Vec<Open>,
    profile: ProfileBuilder<'a>,
    host_calls: bool,
}

impl Builder<'_> {
    fn step(&mut self, step: &TraceStep) {
        if self.host_calls {
            self.host_call_step(step);
        }
        if let TraceStepKind::Push(label) = &step.kind {
            // What led to the frame, a contract's instantiation, is the frame's, as in the tree.
            self.push(label, step);
            self.profile.add(&step.spent);
            return;
        }
        self.profile.add(&step.spent);
        match &step.kind {
            TraceStepKind::Push(_) => {}
            TraceStepKind::Pop { ok } => {
                self.profile.close_frame();
                self.pop(*ok, step);
            }
            TraceStepKind::HostCall(name) => self.profile.open_host_call(name),
            TraceStepKind::HostReturn { .. } => self.profile.close_host_call(),
            TraceStepKind::LeftOut(_) | TraceStepKind::End => {}
        }
    }

    fn host_call_step(&mut self, step: &TraceStep) {
        let Some(frame) = self.open.last_mut() else { return };
        frame.charge_wasm(step);
        match &step.kind {
            TraceStepKind::HostCall(name) => frame.open_host_call(name, step),
            TraceStepKind::HostReturn { ok } => frame.close_host_call(*ok, step),
            TraceStepKind::LeftOut(count) => frame.node.host_calls_left_out += count,
            TraceStepKind::Pop { .. } => {
                while !frame.host_calls.is_empty() {
                    frame.close_host_call(false, step);
                }
            }
            TraceStepKind::Push(_) | TraceStepKind::End => {}
        }
    }

    fn finish(mut self, cpu: u64, memory: u64) -> Option<CallNode> {
        let end = TraceStep {
            kind: TraceStepKind::End,
            cpu_instructions: cpu,
            memory_bytes: memory,
            wasm_cpu: 0,
            spent: vec![],
            values: vec![],
        };
        while self.open.len() > 1 {
            self.pop(false, &end);
        }
        self.attach_unopened_calls();
        let mut root = self.open.pop()?.node;
        root.failed = root.calls.iter().any(|call| call.failed);
        root.cpu_instructions = cpu.to_string();
        root.memory_bytes = memory.to_string();
        Some(root)
    }

    fn push(&mut self, label: &str, step: &TraceStep) {
        let mut node = match label.split(':').next() {
            Some("VM" | "SAC") => {
                let function = label.rsplit(':').next().unwrap_or_default();
                let call = self.next_call(function);
                let mut node = leaf("invoke", call);
                if node.function.is_none() && !function.starts_with("sym#") {
                    node.function = Some(function.to_string());
                }
                node
            }
            _ => leaf(host_function_kind(label), None),
        };
        self.profile.open_frame(frame_name(&node));
        if self.host_calls {
            node.host_calls = Some(vec![]);
        }
        self.open.push(Open::new(node, step.cpu_instructions, step.memory_bytes));
    }

    /// The next `fn_call` that fits the frame. Earlier ones opened no frame: they failed before.
    fn next_call(&mut self, function: &str) -> Option<Call> {
        let fits = |call: &Call| call.function == function || function.starts_with("sym#");
        let position = self.calls.iter().position(fits)?;
        for _ in 0..position {
            self.attach_next_unopened();
        }
        self.calls.pop_front()
    }

    fn attach_next_unopened(&mut self) {
        if let (Some(call), Some(parent)) = (self.calls.pop_front(), self.open.last_mut()) {
            let failed = call.result.is_none();
            let mut node = leaf("invoke", Some(call));
            node.failed = failed;
            parent.node.calls.push(node);
        }
    }

    fn attach_unopened_calls(&mut self) {
        while !self.calls.is_empty() {
            self.attach_next_unopened();
        }
    }

    fn pop(&mut self, ok: bool, step: &TraceStep) {
        if self.open.len() < 2 {
            return;
        }
        let Some(Open { mut node, start_cpu, start_memory, .. }) = self.open.pop() else { return };
        node.failed = !ok;
        if !ok {
            node.result_xdr = None;
        }
        let cpu = step.cpu_instructions.saturating_sub(start_cpu);
        let memory = step.memory_bytes.saturating_sub(start_memory);
        node.cpu_instructions = cpu.to_string();
        node.memory_bytes = memory.to_string();
        if let Some(parent) = self.open.last_mut() {
            parent.count_frame(cpu, memory);
            parent.node.calls.push(node);
        }
    }
}

/// `C…:function`, or the kind of host function.
fn frame_name(node: &CallNode) -> String {
    match (&node.contract, &node.function) {
        (Some(contract), Some(function)) => format!("{contract}:{function}"),
        (None, Some(function)) => function.clone(),
        _ => node.kind.to_string(),
    }
}

/// The frame of the host function itself, by the host's name for it.
fn host_function_kind(label: &str) -> &'static str {
    match label.trim_end_matches(':') {
        "InvokeContract" => "invoke_contract",
        "CreateContract" | "CreateContractV2" => "create_contract",
        "UploadContractWasm" => "upload_wasm",
        _ => "host",
    }
}

/// All `fn_call` events in order, each with the result of its `fn_return` if it came.
fn calls_in(diagnostics: &[Vec<u8>]) -> VecDeque<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut running: Vec<usize> = Vec::new();
    for bytes in diagnostics {
        let Ok(event) = decode::<DiagnosticEvent>(bytes, "diagnostics") else { continue };
        let ContractEventBody::V0(body) = &event.event.body;
        match (&body.topics[..], &event.event.contract_id) {
            ([ScVal::Symbol(name), ScVal::Bytes(contract), ScVal::Symbol(function)], _)
                if name.as_slice() == b"fn_call" =>
            {
                let Ok(contract) = <[u8; 32]>::try_from(contract.as_slice()) else { continue };
                running.push(calls.len());
                calls.push(Call {
                    contract,
                    function: function.to_utf8_string_lossy(),
                    arguments: arguments_of(&body.data),
                    result: None,
                });
            }
            ([ScVal::Symbol(name), ScVal::Symbol(function)], Some(contract))
                if name.as_slice() == b"fn_return" =>
            {
                let function = function.to_utf8_string_lossy();
                let returned = |index: &usize| {
                    calls[*index].contract == contract.0 .0 && calls[*index].function == function
                };
                // Calls above it on the stack failed and were caught.
                if let Some(position) = running.iter().rposition(returned) {
                    let index = running[position];
                    running.truncate(position);
                    calls[index].result = Some(to_base64(&encode(&body.data)));
                }
            }
            _ => {}
        }
    }
    calls.into()
}

/// The host writes no argument as void, one as itself, several as a vector. One argument that is a
/// vector looks like several; the contract's spec can tell them apart.
fn arguments_of(data: &ScVal) -> Vec<String> {
    match data {
        ScVal::Void => vec![],
        ScVal::Vec(Some(values)) => values.iter().map(|value| to_base64(&encode(value))).collect(),
        value => vec![to_base64(&encode(value))],
    }
}
