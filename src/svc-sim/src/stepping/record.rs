// The recorded run as contract calls (frames), each with the host calls that it made itself.

use super::stop::{Stop, Trap};
use crate::{
    call_record::{calls_in, CallEvents},
    hosts::{
        host_functions::is_imported,
        recorded::{RecordedKind, RecordedRun, RecordedStep, RecordedValue},
        traced_text,
    },
    xdr_codec::xdr::{ContractId, Hash, Limits, ReadXdr, ScVal},
};
use std::collections::VecDeque;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FrameKind {
    /// The operation's host function.
    #[default]
    Host,
    Wasm,
    /// The contract of a Stellar asset, which has no code.
    Asset,
}

pub struct HostCallRecord {
    pub function: &'static str,
    /// The index among all host calls of the run, in the order in which they began.
    pub number: u32,
    pub arguments: Vec<RecordedValue>,
    pub result: RecordedValue,
    pub ok: bool,
    /// The frame's own fuel before the call.
    pub fuel_before: u64,
    /// The meters when the call began, including the caller's wasm, and when it ended.
    pub cpu_before: u64,
    pub cpu_after: u64,
    pub memory_before: u64,
    pub memory_after: u64,
}

#[derive(Default)]
pub struct FrameRecord {
    pub kind: FrameKind,
    /// The calling frame, and the index of its host call.
    pub parent: Option<(usize, usize)>,
    pub contract: Option<String>,
    pub function: String,
    /// The first four bytes of its code's hash.
    pub code: Option<u32>,
    pub arguments: Vec<RecordedValue>,
    pub result: RecordedValue,
    pub ok: bool,
    pub host_calls: Vec<HostCallRecord>,
    /// All fuel of the frame's own code.
    pub fuel: u64,
    pub cpu_before: u64,
    pub cpu_after: u64,
    pub memory_before: u64,
    pub memory_after: u64,
}

impl FrameRecord {
    /// The fuel at the next host call, or at the end of the frame.
    pub fn fuel_before(&self, host_call: usize) -> u64 {
        self.host_calls.get(host_call).map_or(self.fuel, |call| call.fuel_before)
    }

    /// The stop of code that needs more fuel than the host counted. Either the host ended it there,
    /// or this is another run.
    pub fn limit_exceeded(&self, host_calls: usize) -> Stop {
        if !self.ok && host_calls == self.host_calls.len() {
            return Stop::Trapped(Trap::LimitExceeded);
        }
        Stop::Differs("the code needs more fuel than the host counted".into())
    }
}

/// The frames in the order in which they began.
pub fn frames(run: &RecordedRun, diagnostics: &[Vec<u8>]) -> Vec<FrameRecord> {
    let mut reader = Reader { run, calls: calls_in(diagnostics), ..Reader::new(run) };
    for (at, step) in run.steps.iter().enumerate() {
        reader.step(step, run.steps.get(at + 1));
    }
    while let Some(last) = run.steps.last().filter(|_| !reader.open.is_empty()) {
        reader.close(false, &RecordedValue::Unknown, last);
    }
    reader.frames
}

struct Reader<'a> {
    run: &'a RecordedRun,
    calls: VecDeque<CallEvents>,
    frames: Vec<FrameRecord>,
    open: Vec<Open>,
    host_calls: u32,
    fuel: u64,
}

struct Open {
    frame: usize,
    /// The host calls that have not returned. `None` for one that is not the frame's own.
    host_calls: Vec<Option<usize>>,
}

impl<'a> Reader<'a> {
    fn new(run: &'a RecordedRun) -> Reader<'a> {
        Reader { run, calls: VecDeque::new(), frames: vec![], open: vec![], host_calls: 0, fuel: 0 }
    }

    fn step(&mut self, step: &RecordedStep, next: Option<&RecordedStep>) {
        // The fuel since the last step belongs to the open frame.
        let fuel = step.fuel - self.fuel;
        self.fuel = step.fuel;
        if let Some(open) = self.open.last() {
            self.frames[open.frame].fuel += fuel;
        }
        match &step.kind {
            RecordedKind::Push(label) => self.push(label, step),
            RecordedKind::Pop { ok } => {
                let result = step.values.first().cloned().unwrap_or(RecordedValue::Unknown);
                self.close(*ok, &result, step);
            }
            RecordedKind::HostCall(name) => self.open_call(name, step, next),
            RecordedKind::HostReturn { ok } => self.close_call(*ok, step),
        }
    }

    fn push(&mut self, label: &str, step: &RecordedStep) {
        let parent = self.open.last().map(|open| {
            let host_calls = self.frames[open.frame].host_calls.len();
            (open.frame, open.host_calls.first().copied().flatten().unwrap_or(host_calls))
        });
        let parts: Vec<&str> = label.splitn(3, ':').collect();
        let kind = match parts[..] {
            ["VM", ..] => FrameKind::Wasm,
            ["SAC", ..] => FrameKind::Asset,
            _ => FrameKind::Host,
        };
        let function = match kind {
            FrameKind::Host => parts[0].to_string(),
            _ => self.name(label, parts.get(2).copied().unwrap_or_default()),
        };
        let contract = match kind {
            FrameKind::Host => None,
            _ => self.contract_of(&function),
        };
        let code = parts.get(1).filter(|_| kind == FrameKind::Wasm);
        self.frames.push(FrameRecord {
            kind,
            parent,
            contract,
            function,
            code: code.and_then(|code| u32::from_str_radix(code, 16).ok()),
            arguments: step.values.clone(),
            result: RecordedValue::Unknown,
            ok: false,
            host_calls: vec![],
            fuel: 0,
            cpu_before: step.cpu_instructions,
            cpu_after: step.cpu_instructions,
            memory_before: step.memory_bytes,
            memory_after: step.memory_bytes,
        });
        self.open.push(Open { frame: self.frames.len() - 1, host_calls: vec![] });
    }

    fn name(&self, label: &str, text: &str) -> String {
        let Some(handle) = traced_text::symbol_handle(label) else { return text.to_string() };
        let xdr = self.run.objects.get(&handle);
        let value = xdr.and_then(|xdr| ScVal::from_xdr(xdr, Limits::none()).ok());
        match value {
            Some(ScVal::Symbol(symbol)) => symbol.0.to_utf8_string_lossy(),
            _ => text.to_string(),
        }
    }

    /// The contract, from the diagnostic events. Calls before the matching one opened no frame.
    fn contract_of(&mut self, function: &str) -> Option<String> {
        let at = self.calls.iter().position(|call| call.function == function)?;
        let call = self.calls.drain(..=at).next_back()?;
        Some(ContractId(Hash(call.contract)).to_string())
    }

    fn close(&mut self, ok: bool, result: &RecordedValue, step: &RecordedStep) {
        let Some(open) = self.open.pop() else { return };
        let frame = &mut self.frames[open.frame];
        frame.ok = ok;
        frame.result = result.clone();
        (frame.cpu_after, frame.memory_after) = (step.cpu_instructions, step.memory_bytes);
        for call in open.host_calls.into_iter().flatten() {
            let call = &mut frame.host_calls[call];
            (call.cpu_after, call.memory_after) = (step.cpu_instructions, step.memory_bytes);
        }
    }

    fn open_call(&mut self, name: &'static str, step: &RecordedStep, next: Option<&RecordedStep>) {
        let number = self.host_calls;
        self.host_calls += 1;
        let Some(open) = self.open.last_mut() else { return };
        let frame = &mut self.frames[open.frame];
        // The caller's wasm is counted just after the call began.
        let counted = next.map_or(0, |next| next.fuel - step.fuel);
        // The host itself makes the other calls. Before any wasm has run, it makes all of them.
        let by_code = is_imported(name) && frame.fuel + counted > 0;
        let own = open.host_calls.is_empty() && (frame.kind != FrameKind::Wasm || by_code);
        open.host_calls.push(own.then_some(frame.host_calls.len()));
        if !own {
            return;
        }
        let wasm =
            next.map_or(0, |next| next.wasm_instructions.saturating_sub(step.wasm_instructions));
        let cpu = step.cpu_instructions + wasm;
        frame.host_calls.push(HostCallRecord {
            function: name,
            number,
            arguments: step.values.clone(),
            result: RecordedValue::Unknown,
            ok: false,
            fuel_before: frame.fuel + counted,
            cpu_before: cpu,
            cpu_after: cpu,
            memory_before: step.memory_bytes,
            memory_after: step.memory_bytes,
        });
    }

    fn close_call(&mut self, ok: bool, step: &RecordedStep) {
        let Some(open) = self.open.last_mut() else { return };
        let Some(Some(call)) = open.host_calls.pop() else { return };
        let call = &mut self.frames[open.frame].host_calls[call];
        call.ok = ok;
        call.result = step.values.first().cloned().unwrap_or(RecordedValue::Unknown);
        (call.cpu_after, call.memory_after) = (step.cpu_instructions, step.memory_bytes);
    }
}
