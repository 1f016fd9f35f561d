//! A pool that sells a token for credits, and rewards with it. It has two bugs: the fee of a sale,
//! three functions below `buy`, and a reward that counts as paid although the token refused it.

#![no_std]
use soroban_sdk::{
    contract, contractclient, contracterror, contractimpl, contracttype, panic_with_error,
    symbol_short, Address, Env, Symbol,
};

#[contractclient(name = "TokenClient")]
pub trait Token {
    fn transfer(env: Env, from: Address, to: Address, amount: i128);
}

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PoolError {
    TooFewTokens = 21,
    FeeTooHigh = 22,
}

/// The price of a token, in credits.
#[contracttype]
#[derive(Clone)]
pub struct Terms {
    pub price: i128,
    pub fee_percent: u32,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Side {
    Buy { least: i128 },
    Reward(u32),
}

pub struct Order {
    pub side: Side,
    pub credits: i128,
    pub fee: i128,
    pub tokens: i128,
}

const TERMS: Symbol = symbol_short!("terms");
const SOLD: Symbol = symbol_short!("sold");
const REWARDED: Symbol = symbol_short!("rewarded");

#[contract]
pub struct Pool;

#[contractimpl]
impl Pool {
    /// Tokens for `credits`; `least` of them, or none.
    pub fn buy(
        env: Env,
        token: Address,
        buyer: Address,
        credits: i128,
        least: i128,
    ) -> Result<i128, PoolError> {
        let mut order = Order { side: Side::Buy { least }, credits, fee: 0, tokens: 0 };
        quote(&env, &mut order);
        if order.tokens < least {
            return Err(PoolError::TooFewTokens);
        }
        add(&env, &SOLD, order.tokens);
        let pool = env.current_contract_address();
        TokenClient::new(&env, &token).transfer(&pool, &buyer, &order.tokens);
        Ok(order.tokens)
    }

    pub fn reward(env: Env, token: Address, of: Address, level: u32) -> i128 {
        let mut order = Order { side: Side::Reward(level), credits: 0, fee: 0, tokens: 0 };
        quote(&env, &mut order);
        let pool = env.current_contract_address();
        // The bug: nobody looks at the result.
        let _ = TokenClient::new(&env, &token).try_transfer(&pool, &of, &order.tokens);
        add(&env, &REWARDED, order.tokens)
    }
}

#[inline(never)]
fn quote(env: &Env, order: &mut Order) {
    let terms: Terms = env.storage().instance().get(&TERMS).unwrap();
    charge(env, &terms, order);
    order.tokens = match order.side {
        Side::Buy { .. } => (order.credits - order.fee) / terms.price,
        Side::Reward(level) => i128::from(level) * 1_000,
    };
}

#[inline(never)]
fn charge(env: &Env, terms: &Terms, order: &mut Order) {
    order.fee = fee_of(order, terms.fee_percent);
    if order.fee > order.credits {
        panic_with_error!(env, PoolError::FeeTooHigh);
    }
}

#[inline(never)]
fn fee_of(order: &Order, percent: u32) -> i128 {
    let share = i128::from(percent);
    // The bug: this is to be divided by 100.
    let fee = order.credits * share;
    match order.side {
        Side::Buy { .. } => fee,
        Side::Reward(_) => 0,
    }
}

#[inline(never)]
fn add(env: &Env, key: &Symbol, tokens: i128) -> i128 {
    let before: i128 = env.storage().persistent().get(key).unwrap_or(0);
    let after = before + tokens;
    env.storage().persistent().set(key, &after);
    after
}
