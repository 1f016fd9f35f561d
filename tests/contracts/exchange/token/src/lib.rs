//! A token as small as a test needs: nobody authorizes anything.

#![no_std]
use soroban_sdk::{contract, contracterror, contractimpl, contracttype, Address, Env};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum TokenError {
    BalanceTooLow = 7,
    AmountNotPositive = 8,
}

#[contracttype]
#[derive(Clone)]
pub enum Key {
    Balance(Address),
}

#[contract]
pub struct Token;

#[contractimpl]
impl Token {
    pub fn balance(env: Env, of: Address) -> i128 {
        read(&env, &of)
    }

    pub fn transfer(env: Env, from: Address, to: Address, amount: i128) -> Result<(), TokenError> {
        if amount <= 0 {
            return Err(TokenError::AmountNotPositive);
        }
        let before = read(&env, &from);
        let left = before - amount;
        if left < 0 {
            return Err(TokenError::BalanceTooLow);
        }
        write(&env, &from, left);
        let received = read(&env, &to) + amount;
        write(&env, &to, received);
        Ok(())
    }
}

#[inline(never)]
fn read(env: &Env, of: &Address) -> i128 {
    env.storage().persistent().get(&Key::Balance(of.clone())).unwrap_or(0)
}

#[inline(never)]
fn write(env: &Env, of: &Address, balance: i128) {
    env.storage().persistent().set(&Key::Balance(of.clone()), &balance);
}
