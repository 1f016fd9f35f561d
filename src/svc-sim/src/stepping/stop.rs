// The ways in which a run of a contract's code stops.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    Unreachable,
    MemoryOutOfBounds,
    DivisionByZero,
    IntegerOverflow,
    TableOutOfBounds,
    IndirectCallToNull,
    BadSignature,
    StackOverflow,
    HostCallFailed,
    /// A limit ended the run between two instructions.
    LimitExceeded,
}

impl Trap {
    pub fn text(self) -> &'static str {
        match self {
            Trap::Unreachable => "unreachable instruction",
            Trap::MemoryOutOfBounds => "memory access out of bounds",
            Trap::DivisionByZero => "division by zero",
            Trap::IntegerOverflow => "integer overflow in a division",
            Trap::TableOutOfBounds => "call of a table element out of bounds",
            Trap::IndirectCallToNull => "call of an empty table element",
            Trap::BadSignature => "indirect call of a function of another type",
            Trap::StackOverflow => "stack overflow",
            Trap::HostCallFailed => "a host call failed",
            Trap::LimitExceeded => "a limit was exceeded",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The run paused before the next instruction.
    Paused,
    Returned(u64),
    Trapped(Trap),
    /// The reason why this is not the run that the host recorded.
    Differs(String),
}
