// The reason why a request has no answer: a stable code for the caller, and a message for people.

use serde::Serialize;

/// Makes the enum and README.md's table from one list.
macro_rules! error_codes {
    ($($code:ident: $meaning:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        pub enum ErrorCode {
            $(#[doc = $meaning] $code,)*
        }

        #[cfg(test)]
        const TABLE: &[(ErrorCode, &str)] = &[$((ErrorCode::$code, $meaning),)*];
    };
}

error_codes! {
    BadRequest: "not JSON, or a field is missing or has the wrong type",
    BadXdr: "a field's base64 or XDR cannot be decoded; `field` names it, `key_xdr` the entry",
    NotDefined: "a reference to a name that is not defined",
    WrongBuild: "a request to simulate was sent to the build that replays",
    UnsupportedProtocol: "there is no host for the protocol: it is older than the oldest host's",
    UnknownProtocol: "the protocol is later than the latest that this svc-sim knows",
    NotSoroban: "the transaction has no Soroban operation",
    WasmDiffers: "the supplied wasm has another code section than the contract",
    Deadline: "the deadline or the limit of CPU time passed",
    SimPanic: "svc-sim itself panicked (a panic in a host is an `internal_error` outcome, as in stellar-core)",
}

/// The `error` field of a response.
#[derive(Serialize, Debug)]
pub struct Error {
    pub code: ErrorCode,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_xdr: Option<String>,
}

impl Error {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), field: None, key_xdr: None }
    }

    pub fn bad_request(message: impl Into<String>) -> Error {
        Error::new(ErrorCode::BadRequest, message)
    }

    pub fn in_field(code: ErrorCode, field: &'static str, message: impl Into<String>) -> Error {
        Error { field: Some(field), ..Error::new(code, message) }
    }

    /// An error of one ledger entry, which names the entry's key (base64 XDR).
    pub fn at_key(self, key_xdr: &str) -> Error {
        Error { key_xdr: Some(key_xdr.to_string()), ..self }
    }
}

/// A frame of the engine that ends too early becomes an error.
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::bad_request(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_and_the_schema_have_these_codes() {
        let name = |code: &ErrorCode| serde_json::to_value(code).unwrap();
        let row = |(code, meaning): &(ErrorCode, &str)| {
            format!("| `{}` | {meaning} |\n", name(code).as_str().unwrap())
        };
        let table: String = TABLE.iter().map(row).collect();
        let expected = format!("| code | meaning |\n|---|---|\n{table}");
        assert!(include_str!("../README.md").contains(&expected), "not in README.md:\n{expected}");
        let schema: serde_json::Value =
            serde_json::from_str(include_str!("../schema/response.schema.json")).unwrap();
        let codes = &schema["$defs"]["failure"]["properties"]["error"]["properties"]["code"];
        let names: serde_json::Value = TABLE.iter().map(|(code, _)| name(code)).collect();
        assert_eq!(codes["enum"], names);
    }
}
