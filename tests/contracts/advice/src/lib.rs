// Failures beside which advice goes wrong easily: optional entries that are looked up before
// another condition decides, keys that are made of arguments, arguments of 0 that nothing divides
// by, ranges of which one side is refused earlier, and a constructor that refuses.
// tests/explain/advice-beside.test.ts has what each function's source means.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, panic_with_error, symbol_short, Address,
    Env, Symbol, Vec,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum AdviceError {
    BadSetting = 1,
    NegativeAmount = 2,
    UnknownCurrency = 3,
    FeeTooHigh = 4,
    AlreadyDone = 5,
}

#[contracttype]
#[derive(Clone)]
pub enum DataKey {
    Paused,
    Limit(Address),
    Currency(Symbol),
    Fee,
    Done(u32),
}

#[contract]
pub struct Advice;

#[contractimpl]
impl Advice {
    /// `fee`: in basis points.
    pub fn __constructor(env: Env, admin: Address, fee: u32) {
        if fee > 1_000 {
            panic_with_error!(&env, AdviceError::FeeTooHigh);
        }
        env.storage()
            .instance()
            .set(&symbol_short!("admin"), &admin);
    }

    /// An optional flag of the instance is looked up first.
    pub fn flagged(env: Env, limit: i128) -> i128 {
        let paused: bool = env
            .storage()
            .instance()
            .get(&DataKey::Paused)
            .unwrap_or(false);
        if limit < 0 {
            panic!();
        }
        if paused {
            0
        } else {
            limit
        }
    }

    /// As `flagged`, with an error of its own.
    pub fn refused(env: Env, limit: i128) -> Result<i128, AdviceError> {
        let paused: bool = env
            .storage()
            .instance()
            .get(&DataKey::Paused)
            .unwrap_or(false);
        if limit < 0 {
            return Err(AdviceError::NegativeAmount);
        }
        Ok(if paused { 0 } else { limit })
    }

    /// An optional persistent entry is looked up first.
    pub fn limited(env: Env, who: Address, amount: i128) -> i128 {
        let limit: i128 = env
            .storage()
            .persistent()
            .get(&DataKey::Limit(who))
            .unwrap_or(500);
        if amount > limit {
            panic!();
        }
        limit - amount
    }

    /// Sets what is not set, and refuses a bad setting.
    pub fn initialize(env: Env, fee: u32) {
        if env.storage().instance().has(&DataKey::Fee) {
            panic!();
        }
        if fee > 1_000 {
            panic_with_error!(&env, AdviceError::BadSetting);
        }
        env.storage().instance().set(&DataKey::Fee, &fee);
    }

    /// A key that is made of the argument.
    pub fn currency(env: Env, denomination: Symbol) -> u32 {
        env.storage()
            .instance()
            .get(&DataKey::Currency(denomination))
            .unwrap()
    }

    /// As `currency`, with an error of its own.
    pub fn currency_or(env: Env, denomination: Symbol) -> Result<u32, AdviceError> {
        env.storage()
            .instance()
            .get(&DataKey::Currency(denomination))
            .ok_or(AdviceError::UnknownCurrency)
    }

    /// `tip` has no part in what overflows.
    pub fn share(_env: Env, a: i128, b: i128, tip: i128) -> i128 {
        a * 1_000 / b + tip
    }

    /// As `share`, of numbers that no sum is made of.
    pub fn product(_env: Env, a: u64, b: u64) -> u64 {
        a * b
    }

    /// A negative amount is refused before the product overflows.
    pub fn priced(_env: Env, reserve: i128, amount: i128) -> i128 {
        if amount < 0 {
            panic!("negative");
        }
        reserve * amount
    }

    /// Nothing of the list is read.
    pub fn listed(env: Env, items: Vec<u32>, limit: u32) -> u32 {
        if limit > 10 {
            panic_with_error!(&env, AdviceError::BadSetting);
        }
        items.len() + limit
    }
}
