// The reason why a transaction failed, down to the value, in the form of the response.

use ethnum::I256;
use serde::Serialize;

/// An integer that holds every integer type of the host.
pub type Integer = I256;

/// The condition under which a contract's code failed.
#[derive(Serialize, Clone, Debug)]
pub struct Why {
    /// The index of its frame in a record.
    pub frame: usize,
    pub contract: Option<String>,
    pub function: String,
    /// The kind of the end: `stopped`, `error`, `returned` or `refused`.
    pub end: &'static str,
    /// True if the code fails there with all values.
    pub always: bool,
    /// The conditions that all held. Empty for `refused`, which has its own.
    pub conditions: Vec<Condition>,
    /// The reason for a default that was compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Condition>,
    /// Conditions that also held. A run shows for each whether the call would have passed without
    /// it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Condition>,
    /// The place of the decision: the hex of the code's hash, the address of the branch, and its
    /// function.
    pub code: String,
    pub address: u32,
    pub function_index: u32,
    /// The number of earlier executions of that branch in the frame. Null if no branch decided
    /// alone.
    pub count: Option<u64>,
    /// The side that it took.
    pub taken: u32,
    /// The line of the contract's own source, if its code has debug information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<SourceLine>,
    /// The call that the host refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refused>,
    /// The look-up of the entry whose absence decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<Refused>,
}

#[derive(Serialize, Clone, Debug)]
pub struct SourceLine {
    pub file: String,
    pub line: u32,
}

/// A host call that was refused or found nothing, and the origins of its arguments.
#[derive(Serialize, Clone, Debug)]
pub struct Refused {
    pub function: &'static str,
    /// For a storage function only an `entry`, with what its key was made of.
    pub arguments: Vec<Term>,
    /// The arguments of the asset contract's function that a refused call ran, by their position.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<Term>,
    /// The sources of the arguments: `time`, `sequence`, `random`, `state`, `arguments`.
    pub values: Vec<&'static str>,
    /// Other sources that may have decided that the call was made, with these arguments.
    pub control: Vec<&'static str>,
    /// True if there are no other sources.
    pub complete: bool,
    /// The branches that may have decided, those on the ledger first.
    pub reasons: Vec<Reason>,
}

/// A branch, as in `Why`, with its condition.
#[derive(Serialize, Clone, Debug)]
pub struct Reason {
    pub frame: usize,
    pub contract: Option<String>,
    pub function: String,
    pub conditions: Vec<Condition>,
    pub code: String,
    pub address: u32,
    pub count: Option<u64>,
    pub taken: u32,
}

/// The same value in the contract call that passed it: a caller's or a callee's.
#[derive(Serialize, Clone, Debug)]
pub struct Origin {
    pub contract: Option<String>,
    pub function: String,
    /// True for the transaction's own call.
    pub outermost: bool,
    pub term: Term,
}

#[derive(Serialize, Clone, Debug)]
pub struct Condition {
    pub relation: &'static str,
    pub terms: Vec<Term>,
    /// The type, for `not_type` and `overflow`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub of_type: Option<&'static str>,
    /// The values, for `one_of` and `not_one_of`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// True if only a run of the transaction can show that this decided: the code would have asked
    /// the host for something else.
    #[serde(skip_serializing_if = "is_false")]
    pub needs_run: bool,
    /// Numbers of a term, each with whether the condition holds for it.
    #[serde(skip)]
    pub checks: Checks,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// Numbers, by the term's node.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    pub leaf: u32,
    pub numbers: Vec<(Integer, bool)>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum TermKind {
    Argument,
    Storage,
    /// An entry that this transaction wrote earlier.
    Written,
    /// The existence of an entry.
    Entry,
    /// The existence of a key in a map.
    Key,
    Ledger,
    Contract,
    Random,
    /// The result of a call of another contract.
    Result,
    Length,
    Field,
    Element,
    Constant,
    Computed,
    Unnamed,
}

#[derive(Serialize, Clone, Debug)]
pub struct Term {
    pub kind: TermKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_xdr: Option<String>,
    /// A number that was compared or computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_xdr: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durability: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<&'static str>,
    /// The value of which it is a part, or the values from which it or its key was made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<Term>,
    /// The index of the host call, for a result.
    #[serde(skip)]
    pub call: Option<usize>,
    /// The origin of an argument or a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<Origin>>,
}

impl Term {
    pub fn of(kind: TermKind) -> Term {
        Term {
            kind,
            value_xdr: None,
            number: None,
            index: None,
            name: None,
            key_xdr: None,
            durability: None,
            written: None,
            contract: None,
            operator: None,
            of: vec![],
            call: None,
            origin: None,
        }
    }

    pub fn with_number(mut self, number: Integer) -> Term {
        self.number = Some(number.to_string());
        self
    }
}
