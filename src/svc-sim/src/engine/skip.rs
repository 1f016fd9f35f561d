// The lengths of the usual values of a meta: entries, contracts' values and events. Most of them are
// only skipped, and decoding one takes memory for each part of it. Invariant: where a length is
// found, the value decodes and has that length. Everything unusual is `None`, and is decoded.

use super::changes::Key;
use crate::xdr_codec::xdr::LedgerEntryType;

/// An entry as a meta has it.
pub struct SkippedEntry {
    pub length: usize,
    pub entry_type: LedgerEntryType,
    /// The LedgerKey. Empty for an entry that is neither a contract's nor an account's.
    pub key: Key,
    /// `None` unless it is a TTL entry.
    pub live_until: Option<u32>,
}

/// The bytes of the LedgerEntry at the beginning.
pub fn entry(bytes: &[u8]) -> Option<SkippedEntry> {
    let mut skip = Skip { bytes, at: 0 };
    skip.take(4)?;
    let entry_type = LedgerEntryType::try_from(i32::try_from(skip.u32()?).ok()?).ok()?;
    // A key has the type and the parts of the entry that follow here.
    let start = skip.at;
    let mut key = (start, start);
    let mut live_until = None;
    use LedgerEntryType as T;
    match entry_type {
        T::Account => {
            skip.account_id()?;
            key = (start, skip.at);
            skip.account()?;
        }
        T::Trustline => {
            skip.account_id()?;
            skip.trustline_asset()?;
            key = (start, skip.at);
            skip.trustline()?;
        }
        T::Offer => skip.offer()?,
        T::ContractData => {
            skip.arm(0)?;
            let contract = skip.at;
            skip.address()?;
            skip.value(0)?;
            skip.arm(1)?;
            key = (contract, skip.at);
            skip.value(0)?;
        }
        T::ContractCode => {
            if skip.arm(1)? == 1 {
                skip.arm(0)?;
                skip.arm(0)?;
                skip.take(10 * 4)?;
            }
            let hash = skip.at;
            skip.take(32)?;
            key = (hash, skip.at);
            skip.opaque(usize::MAX)?;
        }
        T::Ttl => {
            skip.take(32)?;
            key = (start, skip.at);
            live_until = Some(skip.u32()?);
        }
        T::Data | T::ClaimableBalance | T::LiquidityPool | T::ConfigSetting => return None,
    }
    skip.entry_extension()?;
    let parts = &bytes[key.0..key.1];
    let key = if parts.is_empty() { vec![] } else { [&bytes[4..8], parts].concat() };
    Some(SkippedEntry { length: skip.at, entry_type, key: key.into(), live_until })
}

/// The length of the ScVal at the beginning.
pub fn value(bytes: &[u8]) -> Option<usize> {
    let mut skip = Skip { bytes, at: 0 };
    skip.value(0)?;
    Some(skip.at)
}

/// The length of the ContractEvent at the beginning.
pub fn contract_event(bytes: &[u8]) -> Option<usize> {
    let mut skip = Skip { bytes, at: 0 };
    skip.contract_event()?;
    Some(skip.at)
}

/// The length of the DiagnosticEvent at the beginning.
pub fn diagnostic_event(bytes: &[u8]) -> Option<usize> {
    let mut skip = Skip { bytes, at: 0 };
    skip.arm(1)?;
    skip.contract_event()?;
    Some(skip.at)
}

/// The length of the TransactionEvent at the beginning.
pub fn transaction_event(bytes: &[u8]) -> Option<usize> {
    let mut skip = Skip { bytes, at: 0 };
    skip.arm(2)?;
    skip.contract_event()?;
    Some(skip.at)
}

/// Values within more values than this are decoded, because the decoder counts its depth otherwise.
const MOST_DEPTH: usize = 32;

struct Skip<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Skip<'_> {
    fn take(&mut self, size: usize) -> Option<()> {
        let end = self.at.checked_add(size)?;
        if end > self.bytes.len() {
            return None;
        }
        self.at = end;
        Some(())
    }

    fn u32(&mut self) -> Option<u32> {
        let start = self.at;
        self.take(4)?;
        Some(u32::from_be_bytes(self.bytes[start..self.at].try_into().expect("4 bytes")))
    }

    /// Reads a discriminant that is at most `last`.
    fn arm(&mut self, last: u32) -> Option<u32> {
        self.u32().filter(|arm| *arm <= last)
    }

    fn optional(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        if self.arm(1)? == 1 {
            read(self)?;
        }
        Some(())
    }

    /// Each element takes at least four bytes, so that a false count ends with the bytes.
    fn list(&mut self, most: u32, mut read: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        for _ in 0..self.arm(most)? {
            read(self)?;
        }
        Some(())
    }

    /// Skips opaque bytes or a string, whose padding is zero.
    fn opaque(&mut self, most: usize) -> Option<()> {
        let length = self.u32()? as usize;
        if length > most {
            return None;
        }
        self.take(length)?;
        let padding = self.at;
        self.take(length.wrapping_neg() % 4)?;
        self.bytes[padding..self.at].iter().all(|byte| *byte == 0).then_some(())
    }

    fn account_id(&mut self) -> Option<()> {
        self.arm(0)?;
        self.take(32)
    }

    fn address(&mut self) -> Option<()> {
        match self.u32()? {
            0 => self.account_id(),
            1 => self.take(32),
            _ => None,
        }
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > MOST_DEPTH {
            return None;
        }
        match self.u32()? {
            // A truth value; void.
            0 => self.arm(1).map(|_| ()),
            1 => Some(()),
            // An error: a contract's own number, or one of ten codes.
            2 => match self.arm(9)? {
                0 => self.take(4),
                _ => self.arm(9).map(|_| ()),
            },
            // Numbers, from 32 to 256 bits.
            3 | 4 => self.take(4),
            5..=8 => self.take(8),
            9 | 10 => self.take(16),
            11 | 12 => self.take(32),
            // Bytes, a string and a symbol.
            13 | 14 => self.opaque(usize::MAX),
            15 => self.opaque(32),
            16 => self.optional(|skip| skip.list(u32::MAX, |skip| skip.value(depth + 1))),
            17 => self.optional(|skip| skip.map(depth)),
            18 => self.address(),
            // An instance: of a code, or of an asset's contract; and its storage.
            19 => {
                match self.u32()? {
                    0 => self.take(32)?,
                    1 => {}
                    _ => return None,
                }
                self.optional(|skip| skip.map(depth))
            }
            // The key of an instance.
            20 => Some(()),
            // A nonce.
            21 => self.take(8),
            _ => None,
        }
    }

    fn map(&mut self, depth: usize) -> Option<()> {
        self.list(u32::MAX, |skip| {
            skip.value(depth + 1)?;
            skip.value(depth + 1)
        })
    }

    fn contract_event(&mut self) -> Option<()> {
        self.arm(0)?;
        self.optional(|skip| skip.take(32))?;
        self.arm(2)?;
        self.arm(0)?;
        self.list(u32::MAX, |skip| skip.value(0))?;
        self.value(0)
    }

    fn account(&mut self) -> Option<()> {
        // The balance, the sequence number and the number of subentries.
        self.take(8 + 8 + 4)?;
        self.optional(Self::account_id)?;
        // Flags, home domain, thresholds and signers.
        self.take(4)?;
        self.opaque(32)?;
        self.take(4)?;
        self.list(20, |skip| {
            match skip.arm(3)? {
                3 => {
                    skip.take(32)?;
                    skip.opaque(64)?;
                }
                _ => skip.take(32)?,
            }
            skip.take(4)
        })?;
        if self.arm(1)? == 0 {
            return Some(());
        }
        // Liabilities.
        self.take(8 + 8)?;
        match self.u32()? {
            0 => return Some(()),
            2 => {}
            _ => return None,
        }
        // Sponsorships.
        self.take(4 + 4)?;
        self.list(20, |skip| skip.optional(Self::account_id))?;
        match self.u32()? {
            0 => Some(()),
            // The ledger and the time of the sequence number.
            3 => {
                self.arm(0)?;
                self.take(4 + 8)
            }
            _ => None,
        }
    }

    fn asset(&mut self) -> Option<()> {
        let code_length = match self.arm(2)? {
            0 => return Some(()),
            1 => 4,
            _ => 12,
        };
        self.take(code_length)?;
        self.account_id()
    }

    fn trustline_asset(&mut self) -> Option<()> {
        const POOL_SHARE: [u8; 4] = [0, 0, 0, 3];
        match self.bytes[self.at..].starts_with(&POOL_SHARE) {
            true => self.take(4 + 32),
            false => self.asset(),
        }
    }

    fn trustline(&mut self) -> Option<()> {
        // The balance, the limit and flags.
        self.take(8 + 8 + 4)?;
        if self.arm(1)? == 0 {
            return Some(());
        }
        // Liabilities.
        self.take(8 + 8)?;
        match self.u32()? {
            0 => Some(()),
            // The number of pools that use it.
            2 => {
                self.take(4)?;
                self.arm(0).map(|_| ())
            }
            _ => None,
        }
    }

    fn offer(&mut self) -> Option<()> {
        self.account_id()?;
        self.take(8)?;
        self.asset()?;
        self.asset()?;
        // The amount, the price and flags.
        self.take(8 + 8 + 4)?;
        self.arm(0).map(|_| ())
    }

    fn entry_extension(&mut self) -> Option<()> {
        if self.arm(1)? == 0 {
            return Some(());
        }
        self.optional(Self::account_id)?;
        self.arm(0).map(|_| ())
    }
}
