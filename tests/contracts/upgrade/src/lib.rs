//! A counter, and next builds of it that differ in one thing each, so that the truth of a rehearsal
//! is known.

#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, symbol_short, Address, Env, Symbol,
};

#[cfg(not(feature = "code"))]
#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CounterError {
    TooMuch = 1,
}

/// The error has another number.
#[cfg(feature = "code")]
#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CounterError {
    TooMuch = 2,
}

#[cfg(not(feature = "types"))]
#[contracttype]
#[derive(Clone)]
pub struct Config {
    pub admin: Address,
    pub limit: u32,
}

/// What is stored lacks the step.
#[cfg(feature = "types")]
#[contracttype]
#[derive(Clone)]
pub struct Config {
    pub admin: Address,
    pub limit: u32,
    pub step: u32,
}

#[contracttype]
#[derive(Clone)]
pub enum Key {
    Config,
    Count(Symbol),
    Total,
}

#[contract]
pub struct Counter;

// The macro sees functions that `cfg` leaves out, so each choice is a block of its own.

#[cfg(not(feature = "types"))]
#[contractimpl]
impl Counter {
    pub fn __constructor(env: Env, admin: Address, limit: u32) {
        env.storage().instance().set(&Key::Config, &Config { admin, limit });
    }
}

#[cfg(feature = "types")]
#[contractimpl]
impl Counter {
    /// Completes what the build without `types` has stored.
    pub fn migrate(env: Env, admin: Address, limit: u32, step: u32) {
        env.storage().instance().set(&Key::Config, &Config { admin, limit, step });
    }
}

#[contractimpl]
impl Counter {
    pub fn config(env: Env) -> Config {
        read(&env)
    }
}

#[cfg(not(any(feature = "gone", feature = "misfit")))]
#[contractimpl]
impl Counter {
    pub fn inc(env: Env, key: Symbol, by: u32) -> Result<u32, CounterError> {
        add(&env, key, by)
    }
}

/// Takes one argument more.
#[cfg(feature = "misfit")]
#[contractimpl]
impl Counter {
    pub fn inc(env: Env, key: Symbol, by: u32, _memo: u32) -> Result<u32, CounterError> {
        add(&env, key, by)
    }
}

#[cfg(feature = "gone")]
#[contractimpl]
impl Counter {
    pub fn increase(env: Env, key: Symbol, by: u32) -> Result<u32, CounterError> {
        add(&env, key, by)
    }
}

fn read(env: &Env) -> Config {
    env.storage().instance().get(&Key::Config).unwrap()
}

fn add(env: &Env, key: Symbol, by: u32) -> Result<u32, CounterError> {
    let config = read(env);
    if cfg!(feature = "auth") {
        config.admin.require_auth();
    }
    let limit = match () {
        _ if cfg!(feature = "lenient") => u32::MAX,
        _ if cfg!(feature = "strict") => 4,
        _ => config.limit,
    };
    if by > limit {
        return Err(CounterError::TooMuch);
    }
    if cfg!(feature = "dearer") {
        for _ in 0..50 {
            env.crypto().sha256(&soroban_sdk::Bytes::from_array(env, &[0; 32]));
        }
    }
    // No function ever writes the total, so that only the read is different.
    let total = match cfg!(feature = "reads") {
        true => env.storage().persistent().get(&Key::Total).unwrap_or(0),
        false => 0u32,
    };
    let place = Key::Count(key.clone());
    let before = env.storage().persistent().get(&place).unwrap_or(0u32);
    let count = before + by + total;
    let stored = count + cfg!(feature = "state") as u32;
    env.storage().persistent().set(&place, &stored);
    let topic = if cfg!(feature = "events") { symbol_short!("more") } else { symbol_short!("inc") };
    env.events().publish((topic, key), count);
    Ok(count + cfg!(feature = "result") as u32)
}
