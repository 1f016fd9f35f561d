// The call tree and the profile of a run. Frames and meters come from the trace hook. Names,
// arguments and results come from the diagnostic events `fn_call` and `fn_return`.
//
// The hook sees every frame, but not the contract it belongs to. The events have the contract and
// its values, but not the end of a call that failed. Both are in the same order, so they are read
// together.

mod call_events;

mod open_frame;

use crate::{
    hosts::trace::{TraceStep, TraceStepKind},
    profile::{FunctionFrames, ProfileBuilder},
    wire::response::{CallNode, Profile},
    xdr_codec::xdr::{ContractId, Hash},
};
pub use call_events::{calls_in, CallEvents};
use open_frame::OpenFrame;
use std::collections::VecDeque;

pub struct CallRecord {
    /// `None` if nothing was traced.
    pub tree: Option<CallNode>,
    /// `None` if the trace is not a profile's.
    pub profile: Option<Profile>,
}

/// Reads the trace of a run. `cpu` and `memory` are the metered totals. `host_calls` is true if the
/// run's host calls were recorded. `functions` has the wasm functions of the profile.
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
    let root = CallNode { kind: "host", ..CallNode::default() };
    let mut builder = Builder {
        calls: calls_in(diagnostics),
        open: vec![OpenFrame::new(root, 0, 0)],
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

struct Builder<'a> {
    calls: VecDeque<CallEvents>,
    open: Vec<OpenFrame>,
    profile: ProfileBuilder<'a>,
    host_calls: bool,
}

impl Builder<'_> {
    fn step(&mut self, step: &TraceStep) {
        if let (true, Some(frame)) = (self.host_calls, self.open.last_mut()) {
            frame.host_call_step(step);
        }
        if let TraceStepKind::Push(label) = &step.kind {
            // The work that led to the frame, such as the contract's instantiation, is part of the
            // frame's own cost.
            self.push(label, step);
            self.profile.add(&step.spent);
            return;
        }
        self.profile.add(&step.spent);
        match &step.kind {
            TraceStepKind::Pop { ok } => {
                self.profile.close_frame();
                self.pop(*ok, step.cpu_instructions, step.memory_bytes);
            }
            TraceStepKind::HostCall(name) => self.profile.open_host_call(name),
            TraceStepKind::HostReturn { .. } => self.profile.close_host_call(),
            TraceStepKind::Push(_) | TraceStepKind::LeftOut(_) | TraceStepKind::End => {}
        }
    }

    fn finish(mut self, cpu: u64, memory: u64) -> Option<CallNode> {
        while self.open.len() > 1 {
            self.pop(false, cpu, memory);
        }
        while !self.calls.is_empty() {
            self.attach_unopened_call();
        }
        let root = self.open.pop()?.node;
        let failed = root.calls.iter().any(|call| call.failed);
        Some(CallNode { failed, cpu_instructions: cpu, memory_bytes: memory, ..root })
    }

    fn push(&mut self, label: &str, step: &TraceStep) {
        let mut node = match label.split(':').next() {
            Some("VM" | "SAC") => {
                let function = label.rsplit(':').next().unwrap_or_default();
                let mut node = invocation(self.next_call(function));
                if node.function.is_none() && !function.starts_with("sym#") {
                    node.function = Some(function.to_string());
                }
                node
            }
            _ => CallNode { kind: host_function_kind(label), ..CallNode::default() },
        };
        let is_of_contract = node.contract.is_some() && node.function.is_some();
        self.profile.open_frame(frame_name(&node), is_of_contract);
        node.host_calls = self.host_calls.then(Vec::new);
        self.open.push(OpenFrame::new(node, step.cpu_instructions, step.memory_bytes));
    }

    /// The next `fn_call` that fits the frame. Calls before it opened no frame, because they failed
    /// too early.
    fn next_call(&mut self, function: &str) -> Option<CallEvents> {
        let fits = |call: &CallEvents| call.function == function || function.starts_with("sym#");
        let position = self.calls.iter().position(fits)?;
        for _ in 0..position {
            self.attach_unopened_call();
        }
        self.calls.pop_front()
    }

    fn attach_unopened_call(&mut self) {
        if let (Some(call), Some(parent)) = (self.calls.pop_front(), self.open.last_mut()) {
            let failed = call.result.is_none();
            parent.node.calls.push(CallNode { failed, ..invocation(Some(call)) });
        }
    }

    fn pop(&mut self, ok: bool, cpu: u64, memory: u64) {
        if self.open.len() < 2 {
            return;
        }
        if let (Some(frame), Some(parent)) = (self.open.pop(), self.open.last_mut()) {
            parent.close_call(frame.close(ok, cpu, memory));
        }
    }
}

fn invocation(call: Option<CallEvents>) -> CallNode {
    let node = CallNode { kind: "invoke", ..CallNode::default() };
    match call {
        None => node,
        Some(call) => CallNode {
            contract: Some(ContractId(Hash(call.contract)).to_string()),
            function: Some(call.function),
            arguments_xdr: call.arguments,
            result_xdr: call.result,
            ..node
        },
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
