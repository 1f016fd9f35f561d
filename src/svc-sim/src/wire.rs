// The request and response of README.md. What is decoded here is only JSON; XDR is `input.rs`.

use crate::{
    error::Error,
    hosts::interface::{CostByType, HostErrorInfo},
    instrumented::SourcePlace,
};
use serde::{
    de::{self, MapAccess, Visitor},
    Deserialize, Deserializer, Serialize,
};
use serde_json::value::RawValue;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    fmt,
};

pub const FORMAT: u32 = 1;

#[derive(Deserialize)]
pub struct Request<'a> {
    #[serde(borrow)]
    pub id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub envelope_xdr: Cow<'a, str>,
    #[serde(borrow)]
    pub result_meta_xdr: Cow<'a, str>,
    #[serde(borrow)]
    pub ledger_entries: Entries<'a>,
    #[serde(borrow, default)]
    pub ledger: LedgerSection<'a>,
    /// Names, and the LedgerEntry XDR that each stands for from now on.
    #[serde(borrow, default)]
    pub define: HashMap<Cow<'a, str>, Cow<'a, str>>,
    /// Names that stand for nothing any more.
    #[serde(borrow, default)]
    pub forget: Vec<Cow<'a, str>>,
    #[serde(default)]
    pub options: Options,
}

/// Only what answering a request needs that is otherwise not valid.
#[derive(Deserialize)]
pub struct RequestId<'a> {
    #[serde(borrow)]
    pub id: Option<&'a RawValue>,
    /// There: it is a request for a recording build.
    pub simulation: Option<de::IgnoredAny>,
}

#[derive(Deserialize, Default)]
pub struct LedgerSection<'a> {
    pub protocol_version: Option<u32>,
    pub sequence: Option<u32>,
    #[serde(default, deserialize_with = "decimal")]
    pub close_time_unix_seconds: Option<i128>,
    #[serde(borrow)]
    pub network_passphrase: Option<Cow<'a, str>>,
    pub base_reserve_stroops: Option<u32>,
    #[serde(borrow)]
    pub base_prng_seed: Option<Cow<'a, str>>,
    pub application_order: Option<u32>,
    #[serde(borrow, default)]
    pub restored_earlier: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    pub settings: Option<Vec<Cow<'a, str>>>,
    #[serde(default, deserialize_with = "decimal")]
    pub rent_fee_per_1kb_stroops: Option<i128>,
    #[serde(default, deserialize_with = "decimal")]
    pub fee_charged_before_refund_stroops: Option<i128>,
    pub refund_is_paid: Option<bool>,
}

#[derive(Deserialize)]
#[serde(default)]
pub struct Options {
    #[serde(deserialize_with = "traced")]
    pub trace: Traced,
    pub profile: bool,
    pub diagnostics: bool,
    pub deadline_milliseconds: u64,
    pub memory_limit_bytes: Option<u64>,
    pub locate: Option<Named>,
    pub functions: Option<Named>,
}

/// Asked of a second run, with instrumented code: where did it fail, or which functions ran?
#[derive(Deserialize)]
pub struct Named {
    /// Base64: a contract's code with debug information.
    pub wasm: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            trace: Traced::Nothing,
            profile: false,
            diagnostics: true,
            deadline_milliseconds: 30_000,
            memory_limit_bytes: None,
            locate: None,
            functions: None,
        }
    }
}

/// `options.trace`.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Traced {
    #[serde(skip)]
    Nothing,
    Calls,
    HostCalls,
}

/// A name, or a boolean: true is `calls`.
fn traced<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Traced, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Flag(bool),
        Name(Traced),
    }
    Ok(match Given::deserialize(deserializer)? {
        Given::Flag(false) => Traced::Nothing,
        Given::Flag(true) => Traced::Calls,
        Given::Name(name) => name,
    })
}

/// A decimal string or a JSON integer; absent and null are `None`.
pub fn decimal<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i128>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Decimal {
        Text(String),
        Unsigned(u64),
        Signed(i64),
    }
    Ok(match Option::<Decimal>::deserialize(deserializer)? {
        None => None,
        Some(Decimal::Text(text)) => Some(text.parse().map_err(|_| {
            de::Error::invalid_value(de::Unexpected::Str(&text), &"a decimal integer")
        })?),
        Some(Decimal::Unsigned(value)) => Some(value.into()),
        Some(Decimal::Signed(value)) => Some(value.into()),
    })
}

/// `value` of a request's `field`, if it is in range.
pub fn narrow<T: TryFrom<i128>>(value: i128, field: &str) -> Result<T, Error> {
    T::try_from(value).map_err(|_| Error::bad_request(format!("{field} is out of range: {value}")))
}

/// `ledger_entries`: LedgerKey → entry, in the order given.
pub struct Entries<'a>(pub Vec<(Cow<'a, str>, Option<Entry<'a>>)>);

#[derive(Deserialize)]
pub struct Entry<'a> {
    #[serde(borrow)]
    pub entry_xdr: Cow<'a, str>,
    pub live_until_ledger: Option<u32>,
    #[serde(default)]
    pub archived: bool,
    pub code_cached: Option<bool>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;
        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object of base64 LedgerKey to entry")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut entries = Vec::with_capacity(map.size_hint().unwrap_or(8));
                while let Some(BorrowedText(key)) = map.next_key()? {
                    let EntryValue(entry) = map.next_value()?;
                    entries.push((key, entry));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor)
    }
}

/// A string that borrows from the request where JSON escapes allow it.
struct BorrowedText<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for BorrowedText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = BorrowedText<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(BorrowedText(Cow::Borrowed(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(BorrowedText(Cow::Owned(text.to_string())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// A LedgerEntry as a bare string, an object, or null.
struct EntryValue<'a>(Option<Entry<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for EntryValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntryVisitor;
        impl<'de> Visitor<'de> for EntryVisitor {
            type Value = EntryValue<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a base64 LedgerEntry, an object with entry_xdr, or null")
            }
            fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(EntryValue(None))
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(EntryValue(Some(bare(Cow::Borrowed(text)))))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(EntryValue(Some(bare(Cow::Owned(text.to_string())))))
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
                let entry = Entry::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(EntryValue(Some(entry)))
            }
        }
        deserializer.deserialize_any(EntryVisitor)
    }
}

fn bare(entry_xdr: Cow<'_, str>) -> Entry<'_> {
    Entry { entry_xdr, live_until_ledger: None, archived: false, code_cached: None }
}

#[derive(Serialize)]
pub struct Response<'a> {
    pub id: Option<&'a RawValue>,
    pub format: u32,
    #[serde(flatten)]
    pub body: Body,
}

#[derive(Serialize)]
#[serde(untagged)]
pub enum Body {
    Execution(Box<Execution>),
    #[cfg(feature = "recording")]
    Simulation(Box<crate::recording::wire::SimulationBody>),
    Error {
        error: Error,
    },
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
    Failed { code: &'static str },
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

#[derive(Serialize)]
pub struct CallNode {
    pub kind: &'static str,
    pub contract: Option<String>,
    pub function: Option<String>,
    pub arguments_xdr: Vec<String>,
    pub result_xdr: Option<String>,
    pub failed: bool,
    pub cpu_instructions: String,
    pub memory_bytes: String,
    pub calls: Vec<CallNode>,
    /// In order; only when host calls were recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_calls: Option<Vec<HostCall>>,
    #[serde(skip_serializing_if = "is_zero")]
    pub host_calls_left_out: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What a contract, or the host within it, asked of the host.
#[derive(Serialize)]
pub struct HostCall {
    pub function: &'static str,
    /// `None`: the value could not be had, or was too large.
    pub arguments_xdr: Vec<Option<String>>,
    pub result_xdr: Option<String>,
    pub failed: bool,
    /// 0: asked by the contract; more: within the host call above it.
    pub depth: u32,
    /// So many of the frame's calls came before it.
    pub after_calls: usize,
    /// With the host calls within it, without the calls that it opened.
    pub cpu_instructions: String,
    pub memory_bytes: String,
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
    /// What has the source lines: `contract`, `given_wasm`, or nothing.
    pub lines_from: Option<&'static str>,
    /// The innermost function first.
    pub frames: Vec<LocatedFrame>,
    pub frames_left_out: usize,
}

#[derive(Serialize)]
pub struct LocatedFrame {
    pub function_index: u32,
    pub function: Option<String>,
    /// From the start of the code section's content; `None` where only the function is known.
    pub address: Option<u32>,
    /// The innermost inlined function first; empty without debug information.
    pub sources: Vec<SourcePlace>,
}

#[derive(Serialize)]
pub struct Profile {
    pub stacks: Vec<ProfileStack>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<FunctionsTold>,
}

/// Whether the stacks tell the functions of wasm.
#[derive(Serialize)]
pub struct FunctionsTold {
    pub told: bool,
    /// Why not, or not all of them.
    pub reason: Option<String>,
}

#[derive(Serialize)]
pub struct ProfileStack {
    /// Outermost first: host function kind, contracts, functions of their wasm and host calls as
    /// they nest, the cost type.
    pub frames: Vec<String>,
    pub cpu: String,
    pub memory: String,
}

#[derive(Serialize)]
pub struct Assumption {
    pub what: &'static str,
    pub key_xdr: Option<String>,
    pub value: String,
}

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
    pub metrics: BTreeMap<&'static str, String>,
    pub limits: BTreeMap<&'static str, String>,
    pub costs: Vec<CostByType>,
    pub call_tree: Option<CallNode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    pub assumed: Vec<Assumption>,
    pub host_nanoseconds: u64,
}
