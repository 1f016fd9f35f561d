// Failures whose condition is in plain sight here: tests/simulator/why.test.ts has for each the
// sentence that its source means. Shapes that compilers hide, and ones that mislead.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, panic_with_error, symbol_short, Address,
    Bytes, BytesN, Env, Map, Symbol, Vec,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq)]
#[repr(u32)]
pub enum Failed {
    NotFound = 1,
    Invalid = 2,
    TooSmall = 3,
    TooLarge = 4,
    Late = 5,
}

#[contracttype]
pub enum Key {
    Count(Symbol),
    Limit,
    Maybe,
}

#[contracttype]
#[derive(Clone)]
pub struct Order {
    pub amount: i128,
    pub buyer: Address,
    pub tokens: Vec<u32>,
}

#[contracttype]
#[derive(Clone)]
pub struct Pail {
    pub gap: Option<u32>,
    pub stake: i128,
}

#[contracttype]
#[derive(Copy, Clone)]
#[repr(u32)]
pub enum Color {
    Red = 0,
    Green = 1,
    Blue = 2,
}

#[contract]
pub struct Why;

#[inline(never)]
fn checked_get(env: &Env, key: Symbol) -> Result<u32, Failed> {
    match env.storage().persistent().get::<Key, u32>(&Key::Count(key)) {
        Some(count) => Ok(count),
        None => Err(Failed::NotFound),
    }
}

#[inline(never)]
fn positive(amount: i128) -> Result<(), Failed> {
    if amount <= 0 {
        return Err(Failed::TooSmall);
    }
    Ok(())
}

#[inline(never)]
fn stop(env: &Env, error: Failed) -> ! {
    panic_with_error!(env, error)
}

#[contractimpl]
impl Why {
    pub fn set(env: Env, key: Symbol, count: u32) {
        env.storage().persistent().set(&Key::Count(key), &count);
    }
    pub fn add(_env: Env, a: u32, b: u32) -> u32 {
        a + b
    }
    pub fn sub(_env: Env, a: u32, b: u32) -> u32 {
        a - b
    }
    pub fn mul(_env: Env, a: u32, b: u32) -> u32 {
        a * b
    }
    pub fn add_i32(_env: Env, a: i32, b: i32) -> i32 {
        a + b
    }
    pub fn add_u64(_env: Env, a: u64, b: u64) -> u64 {
        a + b
    }
    pub fn add_i128(_env: Env, a: i128, b: i128) -> i128 {
        a + b
    }
    pub fn sub_i128(_env: Env, a: i128, b: i128) -> i128 {
        a - b
    }
    pub fn divide(_env: Env, numerator: u32, denominator: u32) -> u32 {
        numerator / denominator
    }
    pub fn divide_i128(_env: Env, numerator: i128, denominator: i128) -> i128 {
        numerator / denominator
    }
    pub fn fail(_env: Env, code: u32) -> Result<u32, Failed> {
        match code {
            1 => Err(Failed::NotFound),
            2 => Err(Failed::Invalid),
            3 => Err(Failed::TooSmall),
            418 => Err(Failed::Late),
            other => Ok(other),
        }
    }
    pub fn table(_env: Env, code: u32) -> Result<(), Failed> {
        match code {
            1 => Err(Failed::Late),
            2 => Err(Failed::TooLarge),
            3 => Err(Failed::Invalid),
            4 => Err(Failed::NotFound),
            _ => Ok(()),
        }
    }
    pub fn get(env: Env, key: Symbol) -> Result<u32, Failed> {
        checked_get(&env, key)
    }
    pub fn unwrapped(env: Env, key: Symbol) -> u32 {
        env.storage().persistent().get(&Key::Count(key)).unwrap()
    }
    pub fn limited(env: Env, amount: u32) -> Result<u32, Failed> {
        let limit: u32 = env.storage().persistent().get(&Key::Count(symbol_short!("limit"))).unwrap_or(0);
        if amount > limit {
            return Err(Failed::TooLarge);
        }
        Ok(amount)
    }
    pub fn positive(_env: Env, who: Address, amount: i128) -> Result<Address, Failed> {
        positive(amount)?;
        Ok(who)
    }
    pub fn not_negative(env: Env, amount: i128) -> i128 {
        if amount < 0 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        amount
    }
    pub fn least(env: Env, amount: i128, least: i128) -> i128 {
        if amount < least {
            panic_with_error!(&env, Failed::TooSmall);
        }
        amount - least
    }
    pub fn least_u128(env: Env, amount: u128, least: u128) -> u128 {
        if amount < least {
            stop(&env, Failed::TooSmall);
        }
        amount - least
    }
    pub fn equal(env: Env, from: u32, to: u32) -> u32 {
        if from == to {
            stop(&env, Failed::Invalid);
        }
        from
    }
    pub fn equal_i128(env: Env, from: i128, to: i128) -> i128 {
        if from == to {
            stop(&env, Failed::Invalid);
        }
        from
    }
    pub fn same(env: Env, from: Address, to: Address) -> Address {
        if from == to {
            panic_with_error!(&env, Failed::Invalid);
        }
        from
    }
    pub fn named(env: Env, name: Symbol) -> u32 {
        if name != symbol_short!("open") {
            panic_with_error!(&env, Failed::Invalid);
        }
        1
    }
    pub fn range(env: Env, updates: Vec<u32>) -> u32 {
        let count = updates.len();
        if count == 0 || count > 256 {
            panic_with_error!(&env, Failed::Invalid);
        }
        count
    }
    pub fn within(env: Env, value: u32) -> u32 {
        if value < 10 || value > 20 {
            panic_with_error!(&env, Failed::Invalid);
        }
        value
    }
    pub fn either(env: Env, a: u32, b: u32) -> u32 {
        if a == 7 || b > 100 {
            panic_with_error!(&env, Failed::Invalid);
        }
        a
    }
    pub fn both(env: Env, a: u32, b: u64) -> u32 {
        if a > 5 {
            panic_with_error!(&env, Failed::Invalid);
        }
        if b > 1000 {
            panic_with_error!(&env, Failed::Invalid);
        }
        a
    }
    pub fn order(env: Env, order: Order) -> i128 {
        if order.tokens.is_empty() {
            panic_with_error!(&env, Failed::Invalid);
        }
        if order.amount < 1 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        order.amount
    }
    pub fn each(env: Env, values: Vec<u32>) -> u32 {
        let mut sum = 0;
        for value in values.iter() {
            if value > 50 {
                panic_with_error!(&env, Failed::TooLarge);
            }
            sum += value;
        }
        sum
    }
    pub fn late(env: Env, deadline: u64) -> u64 {
        let now = env.ledger().timestamp();
        if now > deadline {
            panic_with_error!(&env, Failed::Late);
        }
        now
    }
    pub fn since(env: Env, last: u64, wait: u64) -> u64 {
        let now = env.ledger().timestamp();
        if now - last < wait {
            panic_with_error!(&env, Failed::Late);
        }
        now
    }
    pub fn sequence(env: Env, until: u32) -> u32 {
        if env.ledger().sequence() > until {
            panic_with_error!(&env, Failed::Late);
        }
        until
    }
    pub fn always(_env: Env, key: Symbol) -> Symbol {
        let _ = key;
        panic!()
    }
    pub fn always_error(env: Env, key: Symbol) -> Symbol {
        let _ = key;
        panic_with_error!(&env, Failed::Invalid)
    }
    pub fn always_err(env: Env, key: Symbol) -> Result<Symbol, Failed> {
        env.storage().persistent().set(&Key::Count(key), &1u32);
        Err(Failed::Invalid)
    }
    pub fn hash(_env: Env, hash: BytesN<32>) -> BytesN<32> {
        hash
    }
    pub fn color(_env: Env, color: Color) -> u32 {
        color as u32
    }
    pub fn allowed(env: Env, allowed: Map<u32, bool>, id: u32) -> bool {
        match allowed.get(id) {
            Some(yes) => yes,
            None => panic_with_error!(&env, Failed::NotFound),
        }
    }
    pub fn pail(env: Env, pail: Pail) -> u32 {
        match pail.gap {
            Some(gap) => gap,
            None => panic_with_error!(&env, Failed::NotFound),
        }
    }
    pub fn multiple(env: Env, time: u64, step: u64) -> u64 {
        if time % step != 0 {
            panic_with_error!(&env, Failed::Invalid);
        }
        time
    }
    pub fn paused(env: Env, paused: bool) -> bool {
        if paused {
            panic_with_error!(&env, Failed::Invalid);
        }
        paused
    }
    pub fn share(env: Env, amount: i128, total: i128, least: i128) -> i128 {
        let share = amount * 997 / total;
        if share < least {
            panic_with_error!(&env, Failed::TooSmall);
        }
        share
    }
    pub fn empty(env: Env, bytes: Bytes) -> u32 {
        if bytes.len() != 4 {
            panic_with_error!(&env, Failed::Invalid);
        }
        4
    }
    pub fn maybe(env: Env, first: Option<u32>) -> u32 {
        let limit = first.unwrap_or(10);
        if limit < 20 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        limit
    }
    /// A flag that is set only where the entry is there.
    pub fn flagged(env: Env, key: Symbol, amount: i128) -> i128 {
        let mut known = false;
        if let Some(count) = env.storage().persistent().get::<Key, u32>(&Key::Count(key)) {
            if count > 3 {
                known = true;
            }
        }
        let doubled = amount * 2;
        if !known {
            panic_with_error!(&env, Failed::NotFound);
        }
        doubled
    }
    /// One error for two conditions that are apart.
    pub fn apart(env: Env, a: u32, b: u32) -> Result<u32, Failed> {
        if a > 10 {
            return Err(Failed::Invalid);
        }
        let known = env.storage().persistent().has(&Key::Limit);
        if b > 10 && !known {
            return Err(Failed::Invalid);
        }
        Ok(a + b)
    }
    pub fn deposit(env: Env, name: Symbol, amount: i128) {
        env.storage().persistent().set(&Key::Count(name), &amount);
    }
    pub fn spend(env: Env, from: Symbol, amount: i128) -> Result<i128, Failed> {
        let balance: i128 = env.storage().persistent().get(&Key::Count(from)).unwrap_or(0);
        if balance < amount {
            return Err(Failed::TooLarge);
        }
        Ok(balance - amount)
    }
    /// Reads what it wrote itself.
    pub fn written(env: Env, key: Symbol, count: u32, most: u32) -> u32 {
        let key = Key::Count(key);
        env.storage().persistent().set(&key, &count);
        let now: u32 = env.storage().persistent().get(&key).unwrap();
        if now > most {
            panic_with_error!(&env, Failed::TooLarge);
        }
        now
    }
    /// No single element is the reason.
    pub fn found(env: Env, values: Vec<u32>, wanted: u32) -> u32 {
        let mut found = false;
        for value in values.iter() {
            if value == wanted {
                found = true;
                break;
            }
        }
        if !found {
            panic_with_error!(&env, Failed::NotFound);
        }
        wanted
    }
    pub fn twice(_env: Env, a: i128, b: i128) -> Result<i128, Failed> {
        positive(a)?;
        positive(b)?;
        Ok(a)
    }
    pub fn bits(_env: Env, code: u32) -> Result<(), Failed> {
        if matches!(code, 1 | 2 | 4 | 7 | 11 | 13 | 14) {
            return Err(Failed::Invalid);
        }
        Ok(())
    }
    pub fn quotient(env: Env, amount: i128, by: i128) -> i128 {
        let share = amount / by;
        if share == 0 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        share
    }
    pub fn orders(env: Env, orders: Vec<Order>) -> u32 {
        for order in orders.iter() {
            if order.amount < 0 {
                panic_with_error!(&env, Failed::TooSmall);
            }
        }
        orders.len()
    }
    pub fn at(_env: Env, values: Vec<u32>, index: u32) -> u32 {
        values.get(index).unwrap()
    }
    pub fn later(env: Env, start: u64) -> u64 {
        let now = env.ledger().timestamp();
        let passed = now.checked_sub(start).unwrap();
        passed
    }
    pub fn not_both(env: Env, a: bool, b: bool) -> bool {
        if !(a && b) {
            panic_with_error!(&env, Failed::Invalid);
        }
        a
    }
    /// It fails with and without the condition.
    pub fn guarded(_env: Env, a: u32) -> Result<u32, Failed> {
        if a > 10 {
            return Err(Failed::TooLarge);
        }
        Err(Failed::Invalid)
    }
    pub fn count(env: Env, values: Vec<u32>) -> u32 {
        let mut count = 0;
        for value in values.iter() {
            if value > 5 {
                count += 1;
            }
        }
        if count < 2 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        count
    }
    pub fn since_default(env: Env, last: u64, wait: u64) -> u64 {
        let passed = env.ledger().timestamp().saturating_sub(last);
        if passed < wait {
            panic_with_error!(&env, Failed::Late);
        }
        passed
    }
}
