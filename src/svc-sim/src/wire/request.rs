// The requests of README.md. This file decodes only their JSON, not their XDR.

use super::travel::RecordOption;
use crate::{error::Error, process::usual_deadline_milliseconds};
use serde::{
    de::{self, MapAccess, Visitor},
    Deserialize, Deserializer,
};
use serde_json::value::RawValue;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    fmt,
};

#[derive(Deserialize)]
pub struct Request<'a> {
    #[serde(borrow)]
    pub id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub envelope_xdr: Cow<'a, str>,
    #[serde(borrow)]
    pub result_meta_xdr: Cow<'a, str>,
    #[serde(borrow, default)]
    pub ledger_entries: Option<Entries<'a>>,
    #[serde(borrow, default)]
    pub ledger: LedgerSection<'a>,
    /// Names, each with the LedgerEntry XDR that it refers to from now on.
    #[serde(borrow, default)]
    pub define: HashMap<Cow<'a, str>, Cow<'a, str>>,
    /// Names that are no longer needed.
    #[serde(borrow, default)]
    pub forget: Vec<Cow<'a, str>>,
    #[serde(default)]
    pub options: Options,
}

/// The part of a request that is needed to answer an invalid one.
#[derive(Deserialize)]
pub struct RequestId<'a> {
    #[serde(borrow)]
    pub id: Option<&'a RawValue>,
    /// Present only in requests to a recording build.
    pub simulation: Option<de::IgnoredAny>,
    /// Present only in requests about a recorded transaction.
    #[serde(borrow)]
    pub travel: Option<&'a RawValue>,
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
    pub locate: Option<GivenWasm>,
    pub functions: Option<GivenWasm>,
    pub record: Option<RecordOption>,
    /// Asks which value decided the failure.
    pub why: bool,
    /// Asks which side a branch takes that decided in another run.
    pub branch: Option<AskedBranch>,
    /// Asks which branches each call took.
    pub branches: bool,
}

/// Identifies a branch by fields of a `Why`.
#[derive(Deserialize)]
pub struct AskedBranch {
    pub frame: usize,
    pub code: String,
    pub address: u32,
    pub count: u64,
}

/// Asks for a recorded run, in which the code runs again.
#[derive(Deserialize)]
pub struct GivenWasm {
    /// A contract's code with debug information, in base64.
    pub wasm: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            trace: Traced::Nothing,
            profile: false,
            diagnostics: true,
            deadline_milliseconds: usual_deadline_milliseconds(),
            memory_limit_bytes: None,
            locate: None,
            functions: None,
            record: None,
            why: false,
            branch: None,
            branches: false,
        }
    }
}

/// The option `options.trace`.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Traced {
    #[serde(skip)]
    Nothing,
    Calls,
    HostCalls,
}

/// Reads a name or a boolean. True means `calls`.
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

/// Reads a decimal string or a JSON integer. Absent and null are `None`.
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

/// Converts a number.
///
/// # Errors
///
/// `BAD_REQUEST` if the value of the request's `field` is out of range.
pub fn narrow<T: TryFrom<i128>>(value: i128, field: &str) -> Result<T, Error> {
    T::try_from(value).map_err(|_| Error::bad_request(format!("{field} is out of range: {value}")))
}

/// Entries by LedgerKey.
pub type Entries<'a> = BTreeMap<BorrowedText<'a>, EntryValue<'a>>;

#[derive(Deserialize, Default)]
pub struct Entry<'a> {
    #[serde(borrow)]
    pub entry_xdr: Cow<'a, str>,
    pub live_until_ledger: Option<u32>,
    #[serde(default)]
    pub archived: bool,
    pub code_cached: Option<bool>,
}

/// A string that borrows from the request if its JSON has no escapes.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(transparent)]
pub struct BorrowedText<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// A LedgerEntry: a base64 string, an object, or null.
pub struct EntryValue<'a>(pub Option<Entry<'a>>);

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
                Ok(EntryValue(Some(Entry { entry_xdr: text.into(), ..Entry::default() })))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                let entry_xdr = Cow::Owned(text.to_string());
                Ok(EntryValue(Some(Entry { entry_xdr, ..Entry::default() })))
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Self::Value, M::Error> {
                let entry = Entry::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(EntryValue(Some(entry)))
            }
        }
        deserializer.deserialize_any(EntryVisitor)
    }
}
