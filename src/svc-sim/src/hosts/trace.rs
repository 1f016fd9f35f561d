// What a host records of its run, step by step. None of it is metered.

/// How much of a run is recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Trace {
    Nothing,
    /// Contract frames.
    Calls,
    /// Host calls too, with their arguments and results.
    HostCalls,
    /// What it takes to run the contracts' code again; in `HostOutput::recorded`.
    Record,
    /// Host calls by name, and what each step spent by cost type.
    Profile,
}

/// One step of a run, with the meters at that moment.
pub struct TraceStep {
    pub kind: TraceStepKind,
    pub cpu_instructions: u64,
    pub memory_bytes: u64,
    /// The cost of wasm so far. It is charged late, when the next host call begins.
    pub wasm_cpu: u64,
    /// Spent since the previous step; only in a profile.
    pub spent: Vec<Spent>,
    /// ScVal XDR: a host call's arguments, or its one result; `None` where it is unknown.
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
    /// The end of the run, with what was spent after the last event.
    End,
}
