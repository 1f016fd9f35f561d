// The steps that the trace hook records, with the values of host calls and where their costs belong.

use super::soroban_env_host::{
    budget::Budget,
    xdr::{ContractCostType, ContractEventBody, DiagnosticEvent, Limits, ScVal, WriteXdr},
    EnvBase, Host, Val,
};
use crate::hosts::{
    trace::{Spent, Trace, TraceStep, TraceStepKind},
    traced_text::{self, Traced},
};

/// A loop makes millions of host calls. Accesses to storage are counted apart, so that others do not
/// crowd them out.
const MOST_HOST_CALLS: usize = 10_000;
const MOST_STORAGE_CALLS: usize = 10_000;
const LARGEST_VALUE_BYTES: usize = 16 * 1024;
const MOST_VALUE_BYTES: usize = 8 * 1024 * 1024;

#[derive(Default)]
pub struct Steps {
    pub taken: Vec<TraceStep>,
    /// What each cost type had spent at the last step: cpu and memory.
    spent: Vec<(u64, u64)>,
    memory_bytes: u64,
    open: Vec<Open>,
    recorded: usize,
    recorded_of_storage: usize,
    left_out: u64,
    /// Of each log entry: its step, and which of the step's values it holds.
    logged: Vec<(usize, Vec<usize>)>,
}

/// A frame or a host call that has not ended.
struct Open {
    kind: OpenKind,
    began: Meters,
    /// Where the cost of the next contract's frame that it opens begins; `None` when it opens none.
    asked: Option<Meters>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenKind {
    Frame,
    HostCall { recorded: bool },
}

impl Steps {
    pub fn take_step(&mut self, kind: TraceStepKind, at: Meters, trace: Trace, budget: &Budget) {
        let spent = if trace == Trace::Profile { self.spent_since(budget) } else { vec![] };
        self.taken.push(TraceStep {
            kind,
            cpu_instructions: at.cpu,
            memory_bytes: at.memory,
            wasm_cpu: at.wasm_cpu,
            spent,
            values: vec![],
        });
    }

    fn spent_since(&mut self, budget: &Budget) -> Vec<Spent> {
        let types = ContractCostType::variants();
        self.spent.resize(types.len(), (0, 0));
        // From protocol 28 the metered memory is a peak: memory that was released before is reserved
        // again for nothing. Only what raised the meter counts.
        let metered = meters(budget).memory;
        let mut raised = metered - self.memory_bytes;
        self.memory_bytes = metered;
        let mut since = vec![];
        for (cost_type, before) in types.iter().zip(&mut self.spent) {
            let Ok(tracker) = budget.get_tracker(*cost_type) else { continue };
            let (cpu, memory) = (tracker.cpu - before.0, tracker.mem - before.1);
            *before = (tracker.cpu, tracker.mem);
            let memory = memory.min(raised);
            raised -= memory;
            if cpu > 0 || memory > 0 {
                since.push(Spent { cost_type: cost_type.name(), cpu, memory });
            }
        }
        since
    }

    pub fn open_frame(&mut self, label: &str, now: Meters) {
        // The host function itself asks for its contract right away.
        self.open(OpenKind::Frame, !is_contract_frame(label), now);
    }

    fn open(&mut self, kind: OpenKind, opens_contracts: bool, now: Meters) {
        self.open.push(Open { kind, began: now, asked: opens_contracts.then_some(now) });
    }

    /// Is it recorded? Not when there are too many already; that is counted.
    pub fn open_host_call(&mut self, name: &str, trace: Trace, now: Meters) -> bool {
        let recorded = trace == Trace::Profile
            || trace == Trace::HostCalls && {
                let (count, most) = match name.contains("_contract_data") {
                    true => (&mut self.recorded_of_storage, MOST_STORAGE_CALLS),
                    false => (&mut self.recorded, MOST_HOST_CALLS),
                };
                *count += 1;
                *count <= most
            };
        self.left_out += u64::from(trace == Trace::HostCalls && !recorded);
        self.open(OpenKind::HostCall { recorded }, calls_a_contract(name), now);
        recorded
    }

    /// Was its beginning recorded?
    pub fn close_host_call(&mut self, now: Meters) -> bool {
        let Some(&Open { kind: OpenKind::HostCall { recorded }, began, .. }) = self.open.last()
        else {
            return false;
        };
        self.open.pop();
        // The host asks itself for a contract's name, say, before it opens the frame: that is this
        // call's cost, and not the frame's.
        if let Some(asked) = self.open.last_mut().and_then(|caller| caller.asked.as_mut()) {
            asked.cpu += now.cpu - began.cpu;
            asked.memory += now.memory - began.memory;
        }
        recorded
    }

    /// With the host calls in it that never returned.
    pub fn close_frame(&mut self, now: Meters) {
        while self.open.pop().is_some_and(|open| open.kind != OpenKind::Frame) {}
        if let Some(asked) = self.open.last_mut().and_then(|caller| caller.asked.as_mut()) {
            *asked = now;
        }
    }

    /// Where a frame's cost begins: with the host call, or the frame, that asks for it. The wasm that the
    /// caller ran since its last host call is only charged after that one began, and is the caller's.
    pub fn start_of_frame(&self, now: Meters) -> Meters {
        match self.open.last().and_then(|caller| caller.asked) {
            Some(asked) => Meters { cpu: asked.cpu + (now.wasm_cpu - asked.wasm_cpu), ..asked },
            None => now,
        }
    }

    /// Before the frame changes, so that the count stands in the frame that made the calls.
    pub fn note_left_out(&mut self, at: Meters, budget: &Budget) {
        match std::mem::take(&mut self.left_out) {
            0 => {}
            count => self.take_step(TraceStepKind::LeftOut(count), at, Trace::HostCalls, budget),
        }
    }

    /// Gives the last step its values, and logs those that are objects.
    pub fn take_values(&mut self, texts: &[String], host: &Host, name: &str) {
        let Some(step) = self.taken.last_mut() else { return };
        let (mut objects, mut positions) = (vec![], vec![]);
        for (position, text) in texts.iter().enumerate() {
            step.values.push(match traced_text::read(text) {
                Traced::Value(xdr) => Some(xdr),
                Traced::Object { tag, handle } => {
                    // Val's layout: the handle in the upper half, the tag in the lowest byte.
                    objects.push(Val::from_payload((u64::from(handle) << 32) | u64::from(tag)));
                    positions.push(position);
                    None
                }
                Traced::Unknown => None,
            });
        }
        if objects.is_empty() {
            return;
        }
        // The host swallows what goes wrong in its logging: the value is then not known.
        let _ = host.log_from_slice(&format!("{name}:{}", self.logged.len()), &objects);
        self.logged.push((self.taken.len() - 1, positions));
    }

    /// True when it is an entry of this recorder.
    pub fn take_logged(&mut self, event: &DiagnosticEvent, name: &str) -> bool {
        let ContractEventBody::V0(body) = &event.event.body;
        let ScVal::Vec(Some(values)) = &body.data else { return false };
        let Some((ScVal::String(message), values)) = values.split_first() else { return false };
        let message = message.to_utf8_string_lossy();
        let Some(index) = message.strip_prefix(name).and_then(|rest| rest.strip_prefix(':')) else {
            return false;
        };
        let logged = index.parse::<usize>().ok().and_then(|index| self.logged.get(index));
        let Some((step, positions)) = logged else { return false };
        for (position, value) in positions.iter().zip(values) {
            // Deeper or larger than this is no value that a person reads.
            let limits = Limits { depth: 200, len: LARGEST_VALUE_BYTES };
            self.taken[*step].values[*position] = value.to_xdr(limits).ok();
        }
        true
    }

    pub fn bound_values(&mut self) {
        let mut left = MOST_VALUE_BYTES;
        for value in self.taken.iter_mut().flat_map(|step| &mut step.values) {
            let size = value.as_ref().map_or(0, Vec::len);
            match left.checked_sub(size) {
                Some(rest) => left = rest,
                None => *value = None,
            }
        }
    }
}

/// By the host's own text for a frame.
fn is_contract_frame(label: &str) -> bool {
    label.starts_with("VM:") || label.starts_with("SAC:")
}

/// Host functions that open a contract's frame, by their names in the host interface (env.json).
fn calls_a_contract(name: &str) -> bool {
    matches!(
        name,
        "call"
            | "try_call"
            | "create_contract"
            | "create_contract_with_constructor"
            | "create_asset_contract"
            | "require_auth"
            | "require_auth_for_args"
    )
}

#[derive(Clone, Copy)]
pub struct Meters {
    cpu: u64,
    memory: u64,
    wasm_cpu: u64,
}

pub fn meters(budget: &Budget) -> Meters {
    Meters {
        cpu: budget.get_cpu_insns_consumed().unwrap_or(0),
        memory: budget.get_mem_bytes_consumed().unwrap_or(0),
        wasm_cpu: budget.get_tracker(ContractCostType::WasmInsnExec).map(|t| t.cpu).unwrap_or(0),
    }
}
