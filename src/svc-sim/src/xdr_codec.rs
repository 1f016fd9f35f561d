// Base64 and XDR at the border. Decoding has stellar-core's depth limit and no length slack: bytes
// left over are an error.

use crate::wire::WireError;
use base64::{engine::general_purpose::STANDARD, Engine};
use sha2::{Digest, Sha256};

/// The protocol-agnostic XDR: that of the newest host, which reads all earlier protocols' values.
pub use soroban_env_host_p30::xdr;
use xdr::{Limits, ReadXdr, WriteXdr};

/// stellar-core's marshalling limit.
const DEPTH_LIMIT: u32 = 1000;

pub fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub fn from_base64(text: &str, field: &'static str) -> Result<Vec<u8>, WireError> {
    STANDARD.decode(text).map_err(|e| WireError {
        code: "BAD_XDR",
        message: format!("{field} is not base64: {e}"),
        field: Some(field),
        key_xdr: None,
    })
}

pub fn decode<T: ReadXdr>(bytes: &[u8], field: &'static str) -> Result<T, WireError> {
    T::from_xdr(bytes, Limits { depth: DEPTH_LIMIT, len: bytes.len() }).map_err(|e| WireError {
        code: "BAD_XDR",
        message: format!("{field} cannot be decoded as XDR: {e}"),
        field: Some(field),
        key_xdr: None,
    })
}

/// XDR of a value that was itself decoded or built here.
pub fn encode<T: WriteXdr>(value: &T) -> Vec<u8> {
    value
        .to_xdr(Limits { depth: DEPTH_LIMIT, len: usize::MAX })
        .expect("a value within the decoding limits encodes within them")
}

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

pub fn from_hex32(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let mut bytes = [0u8; 32];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(bytes)
}
