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

/// `body`: an `Execution`, a `Failure`, or what the recording build answers.
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
    /// In order. Present only when host calls were recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_calls: Option<Vec<HostCall>>,
    #[serde(skip_serializing_if = "is_zero")]
    pub host_calls_left_out: u64,
}

/// Integers of 64 bits are decimal strings.
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
    /// `None` when the value is unknown or too large.
    pub arguments_xdr: Vec<Option<String>>,
    pub result_xdr: Option<String>,
    pub failed: bool,
    /// 0 when the contract called it; more when it is within another host call.
    pub depth: u32,
    /// The number of the frame's calls before it.
    pub after_calls: usize,
    /// Includes the host calls within it, but not the calls that it opened.
    #[serde(serialize_with = "decimal")]
    pub cpu_instructions: u64,
    #[serde(serialize_with = "decimal")]
    pub memory_bytes: u64,
}

/// Where in a contract's code the transaction failed.
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
    /// The wasm that has the source lines: `contract`, `given_wasm`, or none.
    pub lines_from: Option<&'static str>,
    /// The innermost function first.
    pub frames: Vec<LocatedFrame>,
    pub frames_left_out: usize,
}

#[derive(Serialize)]
pub struct LocatedFrame {
    pub function_index: u32,
    pub function: Option<String>,
    /// From the start of the code section's content. `None` where only the function is known.
    pub address: Option<u32>,
    /// The innermost inlined function first. Empty without debug information.
    pub sources: Vec<SourcePlace>,
}

/// A place in a contract's source: where the code was written, or where it was inlined.
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

/// Whether the stacks include the functions of wasm.
#[derive(Serialize)]
pub struct FunctionAttribution {
    pub available: bool,
    /// Why they do not, or not all of them.
    pub reason: Option<String>,
}

#[derive(Serialize)]
pub struct ProfileStack {
    /// The outermost first: the kind of host function, contracts, functions of their wasm, host
    /// calls within one another, and the cost type.
    pub frames: Vec<String>,
    #[serde(serialize_with = "decimal")]
    pub cpu: u64,
    #[serde(serialize_with = "decimal")]
    pub memory: u64,
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

/// The answer to a replay. No field of one is in the other.
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
    /// Present only when asked for, and where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<super::why::Why>,
    /// Present only when asked for, and where the branch is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_taken: Option<u32>,
    pub assumed: Vec<Assumption>,
    pub host_nanoseconds: u64,
}
