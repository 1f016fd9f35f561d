// The responses of README.md: those to a replay, and errors.

use super::travel::TravelRecord;
use crate::{
    as_text::{as_text_if_known, as_texts},
    error::Error,
    hosts::interface::{CostByType, HostErrorInfo},
};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

pub const FORMAT: u32 = 1;

/// A response. `body` is an `Execution`, a `Failure`, or the answer of a recording build.
#[derive(Serialize)]
pub struct Response<'a, Body> {
    pub id: Option<&'a RawValue>,
    pub format: u32,
    #[serde(flatten)]
    pub body: Body,
}

#[derive(Serialize)]
pub struct Failure {
    pub error: Error,
}

#[derive(Serialize)]
pub struct HostIdentity {
    pub protocol: u32,
    pub crate_version: String,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    Success,
    Failed { code: String },
    InternalError { message: String },
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    Created,
    Updated,
    Removed,
    Restored,
}

#[derive(Serialize)]
pub struct Change {
    pub kind: ChangeKind,
    pub key_xdr: String,
    pub before_xdr: Option<String>,
    pub after_xdr: Option<String>,
}

#[derive(Serialize)]
pub struct Fees {
    pub resource_fee_stroops: String,
    pub non_refundable_stroops: String,
    pub rent_stroops: String,
    pub refundable_consumed_stroops: String,
    pub refund_stroops: String,
}

#[derive(Serialize, Default)]
pub struct CallNode {
    pub kind: &'static str,
    pub contract: Option<String>,
    pub function: Option<String>,
    pub arguments_xdr: Vec<String>,
    pub result_xdr: Option<String>,
    pub failed: bool,
    #[serde(serialize_with = "decimal")]
    pub cpu_instructions: u64,
    #[serde(serialize_with = "decimal")]
    pub memory_bytes: u64,
    pub calls: Vec<CallNode>,
    /// The host calls in order. Present only if they were recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_calls: Option<Vec<HostCall>>,
    #[serde(skip_serializing_if = "is_zero")]
    pub host_calls_left_out: u64,
}

/// Writes a 64-bit integer as a decimal string.
fn decimal<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A call of a host function, by a contract or by the host itself.
#[derive(Serialize)]
pub struct HostCall {
    pub function: &'static str,
    /// `None` for a value that is unknown or too large.
    pub arguments_xdr: Vec<Option<String>>,
    pub result_xdr: Option<String>,
    pub failed: bool,
    /// 0 if the contract made the call, and more if it is inside another host call.
    pub depth: u32,
    /// The number of the frame's contract calls before it.
    pub after_calls: usize,
    /// The cost includes the host calls inside it, but not the contract calls that it opened.
    #[serde(serialize_with = "decimal")]
    pub cpu_instructions: u64,
    #[serde(serialize_with = "decimal")]
    pub memory_bytes: u64,
}

/// The place in a contract's code at which the transaction failed.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Location {
    Known(CodeLocation),
    Unknown { reason: String },
}

#[derive(Serialize)]
pub struct CodeLocation {
    pub contract: String,
    pub code_hash: String,
    /// The wasm that has the source lines: `contract`, `given_wasm`, or `None`.
    pub lines_from: Option<&'static str>,
    /// The frames, the innermost function first.
    pub frames: Vec<LocatedFrame>,
    pub frames_left_out: usize,
}

#[derive(Serialize)]
pub struct LocatedFrame {
    pub function_index: u32,
    pub function: Option<String>,
    /// The address from the start of the code section's content. `None` if only the function is
    /// known.
    pub address: Option<u32>,
    /// The source places, the innermost inlined function first. Empty without debug information.
    pub sources: Vec<SourcePlace>,
}

/// A place in a contract's source: of the code itself, or of the call that was inlined.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct SourcePlace {
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

#[derive(Serialize)]
pub struct Profile {
    pub stacks: Vec<ProfileStack>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<FunctionAttribution>,
}

/// Says whether the stacks include wasm functions.
#[derive(Serialize)]
pub struct FunctionAttribution {
    pub available: bool,
    /// The reason why some or all functions are missing.
    pub reason: Option<String>,
}

#[derive(Serialize)]
pub struct ProfileStack {
    /// The stack, the outermost first: the kind of host function, contracts, their wasm functions,
    /// nested host calls, and the cost type.
    pub frames: Vec<ProfileFrame>,
    #[serde(serialize_with = "decimal")]
    pub cpu: u64,
    #[serde(serialize_with = "decimal")]
    pub memory: u64,
}

/// Frames are in the order of their names.
#[derive(Serialize, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProfileFrame {
    pub name: String,
    pub kind: ProfileFrameKind,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum ProfileFrameKind {
    /// The host function that the transaction invoked.
    Entry,
    /// A function of a contract: `C…:function`.
    Contract,
    /// A function of a contract's wasm.
    Function,
    /// A host call, or a frame of the host within another one.
    Host,
    /// A cost type.
    Cost,
    /// The costs that no cost type explains.
    Other,
}

#[derive(Serialize)]
pub struct Assumption {
    pub what: String,
    pub key_xdr: Option<String>,
    pub value: String,
}

impl Assumption {
    pub fn new(what: &str, value: impl ToString) -> Assumption {
        Assumption { what: what.to_string(), key_xdr: None, value: value.to_string() }
    }
}

/// The answer to a replay. Its two parts have no field in common.
#[derive(Serialize)]
pub struct Execution {
    pub host: HostIdentity,
    pub transaction_hash: String,
    pub operation: &'static str,
    pub outcome: Outcome,
    pub operation_result_xdr: Option<String>,
    pub result_xdr: Option<String>,
    pub success_hash: Option<String>,
    pub return_value_xdr: Option<String>,
    pub changes: Vec<Change>,
    pub events_xdr: Vec<String>,
    pub diagnostics_xdr: Vec<String>,
    pub host_error: Option<HostErrorInfo>,
    pub fees: Fees,
    #[serde(serialize_with = "as_texts")]
    pub metrics: Vec<(&'static str, u64)>,
    #[serde(serialize_with = "as_text_if_known", skip_serializing_if = "Option::is_none")]
    pub cpu_insn_before_22: Option<u64>,
    pub limits: BTreeMap<&'static str, String>,
    pub costs: Vec<CostByType>,
    pub call_tree: Option<CallNode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<TravelRecord>,
    /// Present only if the request asked for it and it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<super::why::Why>,
    /// Present only if the request asked for it and the branch is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_taken: Option<u32>,
    /// Present only if the request asked for it and the run could be recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branches: Option<Vec<TakenBranches>>,
    pub assumed: Vec<Assumption>,
    pub host_nanoseconds: u64,
}

/// The branches that one call of a contract's code took.
#[derive(Serialize)]
pub struct TakenBranches {
    pub contract: Option<String>,
    pub function: String,
    /// A hash over the branches and the sides that they took, hex. `None` if the code could not run
    /// again.
    pub taken: Option<String>,
}
