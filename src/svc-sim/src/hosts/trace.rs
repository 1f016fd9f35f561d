// The steps that a host records of its run. None of them is metered.

/// How much of a run is recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Trace {
    Nothing,
    /// Records contract frames.
    Calls,
    /// Records host calls too, with their arguments and results.
    HostCalls,
    /// Records what is needed to run the contracts' code again, in `HostOutput::recorded`.
    Record,
    /// Records host calls by name, and the cost of each step by cost type.
    Profile,
}

/// One step of a run, with the meters at that moment.
pub struct TraceStep {
    pub kind: TraceStepKind,
    pub cpu_instructions: u64,
    pub memory_bytes: u64,
    /// The cost of wasm so far. It is charged late, when the next host call begins.
    pub wasm_cpu: u64,
    /// The cost since the previous step. Empty except in a profile.
    pub spent: Vec<Spent>,
    /// ScVal XDR of a host call's arguments, or of its one result. `None` if a value is unknown.
    pub values: Vec<Option<Vec<u8>>>,
}

pub struct Spent {
    pub cost_type: &'static str,
    pub cpu: u64,
    pub memory: u64,
}

#[derive(PartialEq, Eq)]
pub enum TraceStepKind {
    /// The host's text for the frame: `VM:1a2b3c4d:function`, `SAC:…:transfer`, `InvokeContract:`.
    Push(String),
    Pop {
        ok: bool,
    },
    HostCall(&'static str),
    HostReturn {
        ok: bool,
    },
    /// The number of host calls of this frame that were not recorded.
    LeftOut(u64),
    /// The end of the run, with the cost after the last event.
    End,
}
