// Why a transaction failed, down to the value, as it is written in the response.

use ethnum::I256;
use serde::Serialize;

/// Of all types that the host has.
pub type Integer = I256;

/// The condition under which a contract's code failed.
#[derive(Serialize, Clone, Debug)]
pub struct Why {
    /// The number of its frame in a record.
    pub frame: usize,
    pub contract: Option<String>,
    pub function: String,
    /// How it ended: `stopped`, `error`, `returned`, `refused`.
    pub end: &'static str,
    /// It fails there whatever it is given.
    pub always: bool,
    /// All of them held. None of `refused`, which has its own.
    pub conditions: Vec<Condition>,
    /// Why a number that was compared is the default that it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Condition>,
    /// Where it was decided: hex of the code's hash, the address of the branch, its function.
    pub code: String,
    pub address: u32,
    pub function_index: u32,
    /// How often that branch had been executed in the frame before; null: no branch decided alone.
    pub count: Option<u64>,
    /// Which way it went.
    pub taken: u32,
    /// Of the contract's own source, where its code has debug information.
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

/// A host call that was refused or in vain, and where its arguments came from.
#[derive(Serialize, Clone, Debug)]
pub struct Refused {
    pub function: &'static str,
    /// Of a storage function only an `entry`, with what its key was made of.
    pub arguments: Vec<Term>,
    /// What the arguments were computed of: `time`, `sequence`, `random`, `state`, `arguments`.
    pub values: Vec<&'static str>,
    /// What else may have decided that it was made, and with these.
    pub control: Vec<&'static str>,
    /// There is nothing else.
    pub complete: bool,
    /// Branches that may have decided, those on the ledger first.
    pub reasons: Vec<Reason>,
}

/// A branch, as in `Why`, and its condition.
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

/// The same value in the call of the contract that gave it: a caller's or a callee's.
#[derive(Serialize, Clone, Debug)]
pub struct Origin {
    pub contract: Option<String>,
    pub function: String,
    /// It is the transaction's own call.
    pub outermost: bool,
    pub term: Term,
}

#[derive(Serialize, Clone, Debug)]
pub struct Condition {
    pub relation: &'static str,
    pub terms: Vec<Term>,
    /// Of `not_type` and `overflow`: the type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub of_type: Option<&'static str>,
    /// Of `one_of` and `not_one_of`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// Numbers of one of the terms, and whether the condition holds of them.
    #[serde(skip)]
    pub checks: Checks,
}

/// By the number of the term's node.
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
    /// An entry that this transaction wrote before.
    Written,
    /// Whether there is an entry.
    Entry,
    /// Whether a map has a key.
    Key,
    Ledger,
    Contract,
    Random,
    /// Of a call of another contract.
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
    /// What it is a part of, was made of, or what its key was made of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<Term>,
    /// Of a result: the number of the host call.
    #[serde(skip)]
    pub call: Option<usize>,
    /// Of an argument or a result.
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
