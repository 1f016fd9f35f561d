// Decodes and encodes base64 and XDR. Decoding uses stellar-core's depth limit, and bytes that are
// left over are an error.

use crate::error::{Error, ErrorCode};
use base64::{engine::general_purpose::STANDARD, Engine};
use sha2::{Digest, Sha256};

/// The XDR of the latest host, which can read the values of all earlier protocols.
pub use crate::protocols::latest_host::xdr;
use xdr::{Limited, Limits, ReadXdr, WriteXdr};

/// stellar-core's marshalling limit.
pub const DEPTH_LIMIT: u32 = 1000;
/// The usual size of keys, entries and events in bytes.
pub const USUAL_XDR_BYTES: usize = 256;

pub fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub fn from_base64(text: &str, field: &'static str) -> Result<Vec<u8>, Error> {
    STANDARD.decode(text).map_err(|e| {
        Error::in_field(ErrorCode::BadXdr, field, format!("{field} is not base64: {e}"))
    })
}

pub fn decode<T: ReadXdr>(bytes: &[u8], field: &'static str) -> Result<T, Error> {
    T::from_xdr(bytes, Limits { depth: DEPTH_LIMIT, len: bytes.len() }).map_err(|e| {
        Error::in_field(ErrorCode::BadXdr, field, format!("{field} cannot be decoded as XDR: {e}"))
    })
}

/// The XDR of a value that was decoded or built here.
pub fn encode<T: WriteXdr>(value: &T) -> Vec<u8> {
    let limits = Limits { depth: DEPTH_LIMIT, len: usize::MAX };
    let mut bytes = Limited::new(Vec::with_capacity(USUAL_XDR_BYTES), limits);
    value.write_xdr(&mut bytes).expect("a value within the decoding limits encodes within them");
    bytes.inner
}

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

pub fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).expect("four bits are a digit");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

pub fn from_hex32(text: &str, field: &str) -> Result<[u8; 32], Error> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?);
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
    bytes
        .and_then(|bytes| bytes.try_into().ok())
        .ok_or_else(|| Error::bad_request(format!("{field} must be 64 hexadecimal characters")))
}

/// The XDR name of a variant: `Trapped` of `invoke_host_function` is
/// `INVOKE_HOST_FUNCTION_TRAPPED`.
pub fn xdr_name(prefix: &str, variant: &str) -> String {
    let mut name = prefix.to_string();
    for letter in variant.chars() {
        if letter.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(letter);
    }
    name.to_ascii_uppercase()
}
