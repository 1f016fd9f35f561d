// A source of randomness that has none: each call fails, as the contract of the crate allows. See
// Cargo.toml beside it.

#![no_std]
#![forbid(unsafe_code)]

use core::{fmt, num::NonZeroU32};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(NonZeroU32);

impl Error {
    pub const INTERNAL_START: u32 = 1 << 31;
    pub const CUSTOM_START: u32 = (1 << 31) + (1 << 30);
    pub const UNSUPPORTED: Error = match NonZeroU32::new(Self::INTERNAL_START) {
        Some(code) => Error(code),
        None => unreachable!(),
    };

    pub const fn code(self) -> NonZeroU32 {
        self.0
    }

    /// Always `None`, because there is no operating system.
    pub const fn raw_os_error(self) -> Option<i32> {
        None
    }
}

impl From<NonZeroU32> for Error {
    fn from(code: NonZeroU32) -> Error {
        Error(code)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("this module has no source of randomness")
    }
}

impl core::error::Error for Error {}

/// Fills nothing.
///
/// # Errors
///
/// Always `UNSUPPORTED`.
pub fn getrandom(_destination: &mut [u8]) -> Result<(), Error> {
    Err(Error::UNSUPPORTED)
}
