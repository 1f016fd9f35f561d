// Limits on amounts that a loop over a path made, tests of several values that compilers fold into
// one, fields of elements of stored vectors, and keys that were made beside a skipped branch.
// tests/explain/deciding-routes.test.ts has for each failure what the source means.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, symbol_short, Address, Env, Symbol, Vec,
    I256,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Error {
    TooLittle = 1,
    TooMuch = 2,
    Negative = 3,
    NoMilestone = 4,
    Done = 5,
    NotApprover = 6,
    NoPair = 7,
    NoBlock = 8,
    NoPail = 9,
    Path = 10,
    Role = 11,
    Empty = 12,
}

#[contracttype]
#[derive(Clone)]
pub enum DataKey {
    Pair(u32, u32),
    Milestones,
    Block,
    Pail(Address, u32),
}

#[contracttype]
#[derive(Clone)]
pub struct Reserves {
    pub a: i128,
    pub b: i128,
}

#[contracttype]
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Role {
    Buyer = 0,
    Seller = 1,
    Arbiter = 2,
}

#[contracttype]
#[derive(Clone)]
pub struct Milestone {
    pub amount: i128,
    pub approver: Address,
    pub done: bool,
    pub role: Role,
}

#[contracttype]
#[derive(Clone)]
pub struct Block {
    pub time: u64,
    pub staked: i128,
}

const INDEX: Symbol = symbol_short!("Index");

fn reserves(env: &Env, from: u32, to: u32) -> Result<Reserves, Error> {
    env.storage().persistent().get(&DataKey::Pair(from, to)).ok_or(Error::NoPair)
}

fn amount_out(amount: i128, pair: &Reserves) -> i128 {
    let after_fee = amount * 997;
    after_fee * pair.b / (pair.a * 1000 + after_fee)
}

fn amount_in(amount: i128, pair: &Reserves) -> i128 {
    pair.a * amount * 1000 / ((pair.b - amount) * 997) + 1
}

fn amounts_out(env: &Env, amount: i128, path: &Vec<u32>) -> Result<Vec<i128>, Error> {
    if path.len() < 2 {
        return Err(Error::Path);
    }
    let mut amounts = Vec::new(env);
    amounts.push_back(amount);
    for at in 0..path.len() - 1 {
        let pair = reserves(env, path.get(at).unwrap(), path.get(at + 1).unwrap())?;
        amounts.push_back(amount_out(amounts.get(at).unwrap(), &pair));
    }
    Ok(amounts)
}

fn amounts_in(env: &Env, amount: i128, path: &Vec<u32>) -> Result<Vec<i128>, Error> {
    if path.len() < 2 {
        return Err(Error::Path);
    }
    let mut amounts = Vec::new(env);
    amounts.push_front(amount);
    for at in (1..path.len()).rev() {
        let pair = reserves(env, path.get(at - 1).unwrap(), path.get(at).unwrap())?;
        let first = amounts.get(0).unwrap();
        amounts.push_front(amount_in(first, &pair));
    }
    Ok(amounts)
}

fn milestones(env: &Env) -> Vec<Milestone> {
    env.storage().persistent().get(&DataKey::Milestones).unwrap()
}

#[contract]
pub struct Routes;

#[contractimpl]
impl Routes {
    // Slippage limits.

    pub fn swap_in(
        env: Env,
        amount: i128,
        least: i128,
        path: Vec<u32>,
    ) -> Result<Vec<i128>, Error> {
        let amounts = amounts_out(&env, amount, &path)?;
        if amounts.get(amounts.len() - 1).unwrap() < least {
            return Err(Error::TooLittle);
        }
        Ok(amounts)
    }

    pub fn swap_last(env: Env, amount: i128, least: i128, path: Vec<u32>) -> Result<i128, Error> {
        let amounts = amounts_out(&env, amount, &path)?;
        let last = amounts.last().unwrap();
        if last < least {
            panic!("too little");
        }
        Ok(last)
    }

    pub fn swap_out(
        env: Env,
        amount: i128,
        most: i128,
        path: Vec<u32>,
    ) -> Result<Vec<i128>, Error> {
        let amounts = amounts_in(&env, amount, &path)?;
        if amounts.get(0).unwrap() > most {
            return Err(Error::TooMuch);
        }
        Ok(amounts)
    }

    pub fn swap_number(env: Env, amount: i128, least: i128, path: Vec<u32>) -> Result<i128, Error> {
        let mut made = amount;
        for at in 0..path.len() - 1 {
            let pair = reserves(&env, path.get(at).unwrap(), path.get(at + 1).unwrap())?;
            made = amount_out(made, &pair);
        }
        if made < least {
            return Err(Error::TooLittle);
        }
        Ok(made)
    }

    pub fn swap_wide(env: Env, amount: i128, least: i128) -> Result<i128, Error> {
        let pair = reserves(&env, 1, 2)?;
        let wide = |number: i128| I256::from_i128(&env, number);
        let after_fee = wide(amount).mul(&wide(997));
        let made = after_fee
            .mul(&wide(pair.b))
            .div(&wide(pair.a).mul(&wide(1000)).add(&after_fee))
            .to_i128()
            .unwrap();
        if made < least {
            return Err(Error::TooLittle);
        }
        Ok(made)
    }

    // Several tests in one.

    pub fn either_negative(_env: Env, a: i128, b: i128) -> Result<i128, Error> {
        if a < 0 || b < 0 {
            return Err(Error::Negative);
        }
        Ok(a ^ b)
    }

    pub fn any_negative(_env: Env, a: i128, b: i128, c: i128) -> Result<i128, Error> {
        if a < 0 || b < 0 || c < 0 {
            panic!("negative");
        }
        Ok(a ^ b ^ c)
    }

    pub fn either_narrow(_env: Env, a: i64, b: i32) -> Result<i64, Error> {
        if a < 0 || b < 0 {
            return Err(Error::Negative);
        }
        Ok(a ^ b as i64)
    }

    pub fn either_zero(_env: Env, a: i128, b: i128) -> Result<i128, Error> {
        if a == 0 || b == 0 {
            return Err(Error::Empty);
        }
        Ok(a ^ b)
    }

    pub fn both_zero(_env: Env, a: i128, b: i128) -> Result<i128, Error> {
        if a == 0 && b == 0 {
            return Err(Error::Empty);
        }
        Ok(a ^ b)
    }

    pub fn either_at_most_zero(_env: Env, a: i128, b: i128) -> Result<i128, Error> {
        if a <= 0 || b <= 0 {
            return Err(Error::Empty);
        }
        Ok(a ^ b)
    }

    // Elements and their fields.

    pub fn milestone(env: Env, at: u32) -> Result<i128, Error> {
        let found = milestones(&env).get(at).ok_or(Error::NoMilestone)?;
        Ok(found.amount)
    }

    pub fn milestone_in_range(env: Env, at: u32) -> Result<i128, Error> {
        let all = milestones(&env);
        if at >= all.len() {
            return Err(Error::NoMilestone);
        }
        Ok(all.get(at).unwrap().amount)
    }

    pub fn release(env: Env, at: u32) -> Result<i128, Error> {
        let found = milestones(&env).get(at).ok_or(Error::NoMilestone)?;
        if found.done {
            return Err(Error::Done);
        }
        Ok(found.amount)
    }

    pub fn approve(env: Env, who: Address, at: u32) -> Result<i128, Error> {
        let found = milestones(&env).get(at).ok_or(Error::NoMilestone)?;
        if found.approver != who {
            return Err(Error::NotApprover);
        }
        Ok(found.amount)
    }

    pub fn arbitrate(env: Env, at: u32) -> Result<i128, Error> {
        let found = milestones(&env).get(at).ok_or(Error::NoMilestone)?;
        if found.role != Role::Arbiter {
            return Err(Error::Role);
        }
        Ok(found.amount)
    }

    pub fn claim(env: Env, at: u32, most: i128) -> Result<i128, Error> {
        let found = milestones(&env).get(at).unwrap();
        if found.amount > most {
            panic!("too much");
        }
        Ok(found.amount)
    }

    pub fn first_open(env: Env) -> Result<u32, Error> {
        for (at, each) in milestones(&env).iter().enumerate() {
            if !each.done {
                return Ok(at as u32);
            }
        }
        Err(Error::Done)
    }

    // Keys.

    pub fn plant(env: Env, who: Address, amount: i128) -> Result<(), Error> {
        let block: Block = env.storage().temporary().get(&DataKey::Block).ok_or(Error::NoBlock)?;
        let mut index: u32 = env.storage().instance().get(&INDEX).unwrap_or(0);
        if env.ledger().timestamp() >= block.time + 300 {
            index += 1;
        }
        let key = DataKey::Pail(who, index);
        let held: i128 = env.storage().temporary().get(&key).ok_or(Error::NoPail)?;
        env.storage().temporary().set(&key, &(held + amount + block.staked));
        Ok(())
    }
}
