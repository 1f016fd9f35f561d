// Conditions that look like the reason of a failure and are not: that a loop began, that a helper
// has the signature of a compiler's routine, and the last one of several alternatives.
// tests/explain/deciding-reasons.test.ts has for each failure what the source means.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, symbol_short, Address, Env, Map, Symbol,
    Vec,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Error {
    Already = 1,
    Missing = 2,
    NoRole = 3,
    TooMuch = 4,
    Empty = 5,
    Negative = 6,
}

#[contracttype]
#[derive(Clone)]
pub enum DataKey {
    Admin,
    Emergency,
    Owner(i128),
    Pair(i128, i128),
    Role(u32),
    Paused,
    Step,
}

#[contracttype]
#[derive(Clone)]
pub struct Entry {
    pub who: Address,
    pub amount: i128,
}

#[contracttype]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Open,
    Locked,
    Settled,
    Closed,
}

const LIST: Symbol = symbol_short!("List");
const NAMES: Symbol = symbol_short!("Names");
const COUNTS: Symbol = symbol_short!("Counts");
const MEMBERS: Symbol = symbol_short!("Members");
const SHARES: Symbol = symbol_short!("Shares");

fn addresses(env: &Env) -> Vec<Address> {
    env.storage().instance().get(&LIST).unwrap()
}

#[inline(never)]
fn owner_of(env: &Env, key: DataKey) -> Option<Address> {
    env.storage().persistent().get(&key)
}

#[inline(never)]
fn has_owner(env: &Env, id: i128, at: i128) -> Option<i128> {
    env.storage().persistent().get(&DataKey::Pair(id, at))
}

#[inline(never)]
fn pair_of(env: &Env, id: i128, at: i128) -> i128 {
    env.storage().persistent().get(&DataKey::Pair(id, at)).unwrap_or(0)
}

/// Arithmetic with the signature of a routine, which is none.
#[inline(never)]
fn mixed(a: i128, b: i128) -> i128 {
    if b > 1 {
        a / b
    } else {
        a.wrapping_sub(b).wrapping_add(b / 3)
    }
}

#[inline(never)]
fn is_admin(env: &Env, who: &Address) -> bool {
    env.storage().persistent().get::<_, Address>(&DataKey::Admin).as_ref() == Some(who)
}

#[inline(never)]
fn is_emergency(env: &Env, who: &Address) -> bool {
    match env.storage().persistent().get::<_, Address>(&DataKey::Emergency) {
        Some(found) => found == *who,
        None => false,
    }
}

#[contract]
pub struct Reasons;

#[contractimpl]
impl Reasons {
    // A loop that is left is no reason for itself.

    pub fn name_taken(env: Env, name: Symbol) -> Result<(), Error> {
        let list: Vec<Symbol> = env.storage().instance().get(&NAMES).unwrap();
        for known in list.iter() {
            if known == name {
                return Err(Error::Already);
            }
        }
        Ok(())
    }

    pub fn name_given(_env: Env, list: Vec<Symbol>, name: Symbol) -> Result<u32, Error> {
        let mut seen = 0;
        for known in list.iter() {
            if known == name {
                return Err(Error::Already);
            }
            seen += 1;
        }
        Ok(seen)
    }

    pub fn name_any(env: Env, name: Symbol) -> Result<(), Error> {
        let list: Vec<Symbol> = env.storage().instance().get(&NAMES).unwrap();
        if list.iter().any(|known| known == name) {
            return Err(Error::Already);
        }
        Ok(())
    }

    pub fn name_contains(env: Env, name: Symbol) -> Result<(), Error> {
        let list: Vec<Symbol> = env.storage().instance().get(&NAMES).unwrap();
        if list.contains(&name) {
            return Err(Error::Already);
        }
        Ok(())
    }

    pub fn name_missing(env: Env, name: Symbol) -> Result<(), Error> {
        let list: Vec<Symbol> = env.storage().instance().get(&NAMES).unwrap();
        for known in list.iter() {
            if known == name {
                return Ok(());
            }
        }
        Err(Error::Missing)
    }

    pub fn not_empty(env: Env, name: Symbol) -> Result<u32, Error> {
        let list: Vec<Symbol> = env.storage().instance().get(&NAMES).unwrap();
        if list.is_empty() {
            return Err(Error::Empty);
        }
        let mut found = 0;
        for known in list.iter() {
            if known == name {
                found += 1;
            }
        }
        Ok(found)
    }

    pub fn not_too_many(env: Env, name: Symbol) -> Result<u32, Error> {
        let list: Vec<Symbol> = env.storage().instance().get(&NAMES).unwrap();
        if list.len() > 2 {
            return Err(Error::TooMuch);
        }
        let mut found = 0;
        for known in list.iter() {
            if known == name {
                found += 1;
            }
        }
        Ok(found)
    }

    pub fn member_taken(env: Env, who: Address) -> Result<(), Error> {
        for member in addresses(&env).iter() {
            if member == who {
                return Err(Error::Already);
            }
        }
        Ok(())
    }

    pub fn member_taken_backwards(env: Env, who: Address) -> Result<(), Error> {
        let list = addresses(&env);
        let mut at = list.len();
        while at > 0 {
            at -= 1;
            if list.get_unchecked(at) == who {
                return Err(Error::Already);
            }
        }
        Ok(())
    }

    pub fn member_missing(env: Env, who: Address) -> Result<u32, Error> {
        let list = addresses(&env);
        for at in 0..list.len() {
            if list.get(at).unwrap() == who {
                return Ok(at);
            }
        }
        Err(Error::Missing)
    }

    pub fn member_position(env: Env, who: Address) -> Result<u32, Error> {
        let list = addresses(&env);
        let found = list.iter().position(|member| member == who);
        found.map(|at| at as u32).ok_or(Error::Missing)
    }

    pub fn share_too_large(env: Env, who: Address, most: i128) -> Result<(), Error> {
        let list: Vec<Entry> = env.storage().instance().get(&SHARES).unwrap();
        for entry in list.iter() {
            if entry.who == who && entry.amount > most {
                return Err(Error::TooMuch);
            }
        }
        Ok(())
    }

    pub fn count_taken(env: Env, number: u64) -> Result<(), Error> {
        let list: Vec<u64> = env.storage().instance().get(&COUNTS).unwrap();
        for known in list.iter() {
            if known == number {
                return Err(Error::Already);
            }
        }
        Ok(())
    }

    pub fn first_of(env: Env, rounds: u32, number: u64) -> Result<(), Error> {
        let list: Vec<u64> = env.storage().instance().get(&COUNTS).unwrap();
        for at in 0..rounds {
            if list.get(at).unwrap() == number {
                return Err(Error::Already);
            }
        }
        Ok(())
    }

    pub fn key_taken(env: Env, who: Address) -> Result<(), Error> {
        let map: Map<Address, bool> = env.storage().instance().get(&MEMBERS).unwrap();
        for (member, active) in map.iter() {
            if member == who && active {
                return Err(Error::Already);
            }
        }
        Ok(())
    }

    pub fn any_inactive(env: Env) -> Result<(), Error> {
        let map: Map<Address, bool> = env.storage().instance().get(&MEMBERS).unwrap();
        for active in map.values().iter() {
            if !active {
                return Err(Error::Missing);
            }
        }
        Ok(())
    }

    pub fn sum_too_large(env: Env, most: u64) -> Result<(), Error> {
        let list: Vec<u64> = env.storage().instance().get(&COUNTS).unwrap();
        let mut sum = 0;
        for known in list.iter() {
            sum += known;
        }
        if sum > most {
            return Err(Error::TooMuch);
        }
        Ok(())
    }

    // A helper that reads storage is no arithmetic.

    pub fn owned(env: Env, id: i128) -> Result<Address, Error> {
        owner_of(&env, DataKey::Owner(id)).ok_or(Error::Missing)
    }

    pub fn owned_by_admin(env: Env, who: Address) -> Result<(), Error> {
        match owner_of(&env, DataKey::Admin) {
            Some(owner) if owner == who => Ok(()),
            Some(_) => Err(Error::NoRole),
            None => Err(Error::Missing),
        }
    }

    pub fn owned_pair(env: Env, id: i128, at: i128) -> Result<i128, Error> {
        has_owner(&env, id, at).ok_or(Error::Missing)
    }

    pub fn pair_amount(env: Env, id: i128, at: i128) -> Result<i128, Error> {
        let amount = pair_of(&env, id, at);
        let other = pair_of(&env, at, id);
        if amount + other == 0 {
            return Err(Error::Missing);
        }
        Ok(amount)
    }

    pub fn pair_at_least(env: Env, id: i128, at: i128, least: i128) -> Result<i128, Error> {
        let amount = pair_of(&env, id, at);
        if amount < least {
            return Err(Error::TooMuch);
        }
        Ok(amount + pair_of(&env, at, id))
    }

    pub fn mixed_amount(_env: Env, a: i128, b: i128, c: i128) -> Result<i128, Error> {
        let made = mixed(a, b);
        if made < 100 {
            return Err(Error::TooMuch);
        }
        Ok(made.wrapping_mul(mixed(a, c)))
    }

    pub fn share_of(_env: Env, a: i128, b: i128, c: i128) -> Result<i128, Error> {
        let made = a / b;
        if made < 100 {
            return Err(Error::TooMuch);
        }
        Ok(made + b / c)
    }

    // None of several alternatives.

    pub fn role_short(_env: Env, role: Symbol) -> Result<u32, Error> {
        if role == symbol_short!("Admin") || role == symbol_short!("Emergency") {
            return Ok(1);
        }
        if role == symbol_short!("Rewards") {
            return Ok(2);
        }
        Err(Error::NoRole)
    }

    pub fn role_long(env: Env, role: Symbol) -> Result<(), Error> {
        let is = |name: &str| role == Symbol::new(&env, name);
        if !is("Admin")
            && !is("EmergencyAdmin")
            && !is("RewardsAdmin")
            && !is("OperationsAdmin")
            && !is("PauseAdmin")
            && !is("FeeAdmin")
            && !is("SystemFeeAdmin")
        {
            return Err(Error::NoRole);
        }
        Ok(())
    }

    pub fn five_stored(env: Env, who: Address) -> Result<(), Error> {
        let role =
            |at: u32| -> Address { env.storage().persistent().get(&DataKey::Role(at)).unwrap() };
        let (a, b, c, d, e) = (role(0), role(1), role(2), role(3), role(4));
        if who != a && who != b && who != c && who != d && who != e {
            return Err(Error::NoRole);
        }
        Ok(())
    }

    pub fn either_helper(env: Env, who: Address) -> Result<(), Error> {
        if is_admin(&env, &who) || is_emergency(&env, &who) {
            return Ok(());
        }
        Err(Error::NoRole)
    }

    pub fn either_then(env: Env, who: Address, amount: i128) -> Result<i128, Error> {
        if amount < 0 {
            return Err(Error::Negative);
        }
        let admin: Address = env.storage().persistent().get(&DataKey::Admin).unwrap();
        let emergency: Address = env.storage().persistent().get(&DataKey::Emergency).unwrap();
        if who != admin && who != emergency {
            return Err(Error::NoRole);
        }
        env.storage().persistent().set(&DataKey::Owner(amount), &who);
        Ok(amount)
    }

    pub fn either_or_panic(env: Env, who: Address) {
        let admin: Address = env.storage().persistent().get(&DataKey::Admin).unwrap();
        let emergency: Address = env.storage().persistent().get(&DataKey::Emergency).unwrap();
        if who != admin && who != emergency {
            panic!("no role");
        }
        env.storage().persistent().set(&DataKey::Role(9), &who);
    }

    pub fn number_of_three(_env: Env, n: u64) -> Result<u64, Error> {
        match n {
            10 => Ok(1),
            200 => Ok(4),
            3000 => Ok(9),
            _ => Err(Error::NoRole),
        }
    }

    pub fn wide_of_three(_env: Env, n: i128) -> Result<(), Error> {
        if n != 10 && n != 200 && n != 3000 {
            return Err(Error::NoRole);
        }
        Ok(())
    }

    pub fn two_subjects(_env: Env, n: u32, m: u32) -> Result<(), Error> {
        if n == 7 || m == 9 {
            return Ok(());
        }
        Err(Error::NoRole)
    }

    pub fn two_limits(env: Env, n: i128, m: i128) -> Result<i128, Error> {
        if n >= 700 || m >= 900 {
            env.storage().persistent().set(&DataKey::Owner(n), &m);
            return Ok(n);
        }
        Err(Error::TooMuch)
    }

    pub fn both_limits(_env: Env, n: i128, m: i128) -> Result<i128, Error> {
        if n >= 700 && m >= 900 {
            return Ok(n);
        }
        Err(Error::TooMuch)
    }

    pub fn step_open(env: Env) -> Result<(), Error> {
        let step: Step = env.storage().persistent().get(&DataKey::Step).unwrap();
        match step {
            Step::Open | Step::Settled => Ok(()),
            _ => Err(Error::TooMuch),
        }
    }

    pub fn to_oneself(env: Env, from: Address, to: Address, amount: i128) -> Result<(), Error> {
        if from == to {
            return Ok(());
        }
        let have: i128 = env.storage().persistent().get(&DataKey::Owner(1)).unwrap_or(0);
        if have < amount {
            return Err(Error::TooMuch);
        }
        Ok(())
    }

    pub fn owner_or_listed(env: Env, who: Address) -> Result<(), Error> {
        let admin: Address = env.storage().persistent().get(&DataKey::Admin).unwrap();
        if who == admin || addresses(&env).contains(&who) {
            return Ok(());
        }
        Err(Error::NoRole)
    }
}
