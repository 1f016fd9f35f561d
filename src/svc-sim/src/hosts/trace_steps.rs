// The steps that the trace hook records, with the values of host calls, and the frame that each
// cost belongs to.

use super::soroban_env_host::{
    budget::Budget,
    xdr::{ContractCostType, ContractEventBody, DiagnosticEvent, Limits, ScVal, WriteXdr},
    EnvBase, Host, Val,
};
use crate::hosts::{
    trace::{Spent, Trace, TraceStep, TraceStepKind},
    traced_text::{self, Traced},
};

/// A loop can make millions of host calls. Accesses to storage have their own limit, so that other
/// calls do not displace them.
const MAX_HOST_CALLS: usize = 10_000;
const MAX_STORAGE_CALLS: usize = 10_000;
const MAX_VALUE_BYTES: usize = 16 * 1024;
const MAX_TOTAL_VALUE_BYTES: usize = 8 * 1024 * 1024;

#[derive(Default)]
pub struct Steps {
    pub taken: Vec<TraceStep>,
    /// CPU instructions and memory of each cost type at the last step.
    spent: Vec<(u64, u64)>,
    memory_bytes: u64,
    open: Vec<Open>,
    recorded: usize,
    recorded_storage_calls: usize,
    left_out: u64,
    /// For each log entry, its step and the indexes of its values among the step's values.
    logged: Vec<(usize, Vec<usize>)>,
}

/// A frame or a host call that has not ended.
struct Open {
    kind: OpenKind,
    began: Meters,
    /// The meters at which the cost of the next contract frame inside it begins. `None` if it opens
    /// no frame.
    frame_start: Option<Meters>,
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
        // From protocol 28 the metered memory is a peak: memory that was released earlier is
        // reserved again at no cost. Only what raised the meter counts.
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
        // The host function itself calls its contract right away.
        self.open(OpenKind::Frame, !is_contract_frame(label), now);
    }

    fn open(&mut self, kind: OpenKind, opens_contracts: bool, now: Meters) {
        self.open.push(Open { kind, began: now, frame_start: opens_contracts.then_some(now) });
    }

    /// Opens a host call. Returns whether it is recorded: above a limit, calls are only counted.
    pub fn open_host_call(&mut self, name: &str, trace: Trace, now: Meters) -> bool {
        let recorded = trace == Trace::Profile
            || trace == Trace::HostCalls && {
                let (count, most) = match name.contains("_contract_data") {
                    true => (&mut self.recorded_storage_calls, MAX_STORAGE_CALLS),
                    false => (&mut self.recorded, MAX_HOST_CALLS),
                };
                *count += 1;
                *count <= most
            };
        self.left_out += u64::from(trace == Trace::HostCalls && !recorded);
        self.open(OpenKind::HostCall { recorded }, calls_a_contract(name), now);
        recorded
    }

    /// Closes a host call. Returns whether its beginning was recorded.
    pub fn close_host_call(&mut self, now: Meters) -> bool {
        let Some(&Open { kind: OpenKind::HostCall { recorded }, began, .. }) = self.open.last()
        else {
            return false;
        };
        self.open.pop();
        // A host call inside another belongs to the outer one's cost. For example, the host reads a
        // function's name before it opens the frame.
        if let Some(frame_start) = self.next_frame_start() {
            frame_start.cpu += now.cpu - began.cpu;
            frame_start.memory += now.memory - began.memory;
        }
        recorded
    }

    fn next_frame_start(&mut self) -> Option<&mut Meters> {
        self.open.last_mut()?.frame_start.as_mut()
    }

    /// Closes the frame, and the host calls in it that never returned.
    pub fn close_frame(&mut self, now: Meters) {
        while self.open.pop().is_some_and(|open| open.kind != OpenKind::Frame) {}
        if let Some(frame_start) = self.next_frame_start() {
            *frame_start = now;
        }
    }

    /// A frame's cost begins with the host call, or the frame, that opens it. The wasm that the
    /// caller ran since its last host call is charged only after this host call began; it is the
    /// caller's.
    pub fn start_of_frame(&self, now: Meters) -> Meters {
        match self.open.last().and_then(|caller| caller.frame_start) {
            Some(frame_start) => Meters {
                cpu: frame_start.cpu + (now.wasm_cpu - frame_start.wasm_cpu),
                ..frame_start
            },
            None => now,
        }
    }

    /// Called before the frame changes, because the count belongs to the frame that made the calls.
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
                    // The upper half of a Val is the handle, and its lowest byte the tag.
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
        // The host does not report errors in its logging. The value is unknown then.
        let _ = host.log_from_slice(&format!("{name}:{}", self.logged.len()), &objects);
        self.logged.push((self.taken.len() - 1, positions));
    }

    /// Takes a log entry of this recorder. Returns true if the event is one.
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
            // People do not read a deeper or larger value.
            let limits = Limits { depth: 200, len: MAX_VALUE_BYTES };
            self.taken[*step].values[*position] = value.to_xdr(limits).ok();
        }
        true
    }

    pub fn bound_values(&mut self) {
        let mut left = MAX_TOTAL_VALUE_BYTES;
        for value in self.taken.iter_mut().flat_map(|step| &mut step.values) {
            let size = value.as_ref().map_or(0, Vec::len);
            match left.checked_sub(size) {
                Some(rest) => left = rest,
                None => *value = None,
            }
        }
    }
}

/// Says whether the frame is a contract's. `label` is the host's text for it.
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
            | "create_external_ref_contract"
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
