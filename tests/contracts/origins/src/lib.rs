// Where a value came from, where more than one place would do: entries of the same key and another
// durability, writes that were undone, loops that are left, helpers that read storage, and checks
// with several alternatives.
// tests/explain/deciding-origins.test.ts has for each failure what the source means.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, symbol_short, Address, Env, Symbol, Vec,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Error {
    TooLarge = 1,
    Missing = 2,
    Already = 3,
    NoRole = 4,
    Refused = 5,
}

#[contracttype]
#[derive(Clone)]
pub enum DataKey {
    Admin,
    Owner(i128),
    Role(u32),
    Amount(i128),
}

const K: Symbol = symbol_short!("K");
const LIST: Symbol = symbol_short!("List");
const NAMES: Symbol = symbol_short!("Names");
const COUNTS: Symbol = symbol_short!("Counts");

fn at_most_four(found: u32) -> Result<u32, Error> {
    if found > 4 {
        return Err(Error::TooLarge);
    }
    Ok(found)
}

#[inline(never)]
fn owner_of(env: &Env, key: DataKey) -> Option<Address> {
    env.storage().persistent().get(&key)
}

#[inline(never)]
fn amount_of(env: &Env, key: DataKey, least: i128) -> i128 {
    env.storage().persistent().get(&key).unwrap_or(least)
}

#[contract]
pub struct Origins;

#[contractimpl]
impl Origins {
    // Whose write decided. In the ledger K is 9 in persistent and temporary storage, and of the
    // instance.

    pub fn put_temporary_get_persistent(env: Env, n: u32) -> Result<u32, Error> {
        env.storage().temporary().set(&K, &n);
        at_most_four(env.storage().persistent().get(&K).unwrap_or(0))
    }

    pub fn put_persistent_get_temporary(env: Env, n: u32) -> Result<u32, Error> {
        env.storage().persistent().set(&K, &n);
        at_most_four(env.storage().temporary().get(&K).unwrap_or(0))
    }

    pub fn put_instance_get_persistent(env: Env, n: u32) -> Result<u32, Error> {
        env.storage().instance().set(&K, &n);
        at_most_four(env.storage().persistent().get(&K).unwrap_or(0))
    }

    pub fn put_persistent_get_instance(env: Env, n: u32) -> Result<u32, Error> {
        env.storage().persistent().set(&K, &n);
        at_most_four(env.storage().instance().get(&K).unwrap_or(0))
    }

    pub fn put_get_persistent(env: Env, n: u32) -> Result<u32, Error> {
        env.storage().persistent().set(&K, &n);
        at_most_four(env.storage().persistent().get(&K).unwrap_or(0))
    }

    pub fn put_get_instance(env: Env, n: u32) -> Result<u32, Error> {
        env.storage().instance().set(&K, &n);
        at_most_four(env.storage().instance().get(&K).unwrap_or(0))
    }

    pub fn put_get_temporary(env: Env, n: u32) -> Result<u32, Error> {
        env.storage().temporary().set(&K, &n);
        at_most_four(env.storage().temporary().get(&K).unwrap_or(0))
    }

    pub fn get_then_put(env: Env, n: u32) -> Result<u32, Error> {
        let found = env.storage().persistent().get(&K).unwrap_or(0);
        env.storage().persistent().set(&K, &n);
        at_most_four(found)
    }

    pub fn delete_then_get(env: Env, n: u32) -> Result<u32, Error> {
        env.storage().persistent().set(&K, &n);
        env.storage().persistent().remove(&K);
        env.storage().persistent().get(&K).ok_or(Error::Missing)
    }

    pub fn delete_temporary_get_persistent(env: Env) -> Result<u32, Error> {
        env.storage().temporary().remove(&K);
        at_most_four(env.storage().persistent().get(&K).unwrap_or(0))
    }

    pub fn write(env: Env, n: u32) {
        env.storage().persistent().set(&K, &n);
    }

    pub fn write_and_fail(env: Env, n: u32) -> Result<(), Error> {
        env.storage().persistent().set(&K, &n);
        Err(Error::Refused)
    }

    pub fn write_through_and_fail(env: Env, of: Address, n: u32) -> Result<(), Error> {
        OriginsClient::new(&env, &of).write(&n);
        Err(Error::Refused)
    }

    pub fn read(env: Env) -> u32 {
        env.storage().persistent().get(&K).unwrap_or(0)
    }

    pub fn check(env: Env) -> Result<u32, Error> {
        at_most_four(env.storage().persistent().get(&K).unwrap_or(0))
    }

    /// The other contract's write is undone, and then it reads.
    pub fn undone(env: Env, other: Address, n: u32) -> Result<u32, Error> {
        let other = OriginsClient::new(&env, &other);
        let _ = other.try_write_and_fail(&n);
        at_most_four(other.read())
    }

    pub fn undone_checked_there(env: Env, other: Address, n: u32) -> u32 {
        let other = OriginsClient::new(&env, &other);
        let _ = other.try_write_and_fail(&n);
        other.check()
    }

    /// A call between them fails, and undoes the write of the call that it made.
    pub fn undone_between(env: Env, middle: Address, other: Address, n: u32) -> u32 {
        let _ = OriginsClient::new(&env, &middle).try_write_through_and_fail(&other, &n);
        OriginsClient::new(&env, &other).check()
    }

    pub fn committed(env: Env, other: Address, n: u32) -> u32 {
        let other = OriginsClient::new(&env, &other);
        other.write(&n);
        other.check()
    }

    // A loop that is left is no reason for itself.

    pub fn join(env: Env, who: Address) -> Result<(), Error> {
        let mut list: Vec<Address> = env.storage().instance().get(&LIST).unwrap();
        for member in list.iter() {
            if member == who {
                return Err(Error::Already);
            }
        }
        list.push_back(who);
        env.storage().instance().set(&LIST, &list);
        Ok(())
    }

    pub fn join_flag(env: Env, who: Address) -> Result<(), Error> {
        let list: Vec<Address> = env.storage().instance().get(&LIST).unwrap();
        let mut found = false;
        for member in list.iter() {
            if member == who {
                found = true;
                break;
            }
        }
        if found {
            return Err(Error::Already);
        }
        Ok(())
    }

    pub fn join_number(env: Env, number: u32) -> Result<(), Error> {
        let list: Vec<u32> = env.storage().instance().get(&COUNTS).unwrap();
        for at in 0..list.len() {
            if list.get(at).unwrap() == number {
                return Err(Error::Already);
            }
        }
        Ok(())
    }

    pub fn join_name(env: Env, name: Symbol) -> Result<(), Error> {
        let list: Vec<Symbol> = env.storage().instance().get(&NAMES).unwrap();
        for known in list.iter() {
            if known == name {
                return Err(Error::Already);
            }
        }
        Ok(())
    }

    pub fn leave(env: Env, who: Address) -> Result<(), Error> {
        let list: Vec<Address> = env.storage().instance().get(&LIST).unwrap();
        for member in list.iter() {
            if member == who {
                return Ok(());
            }
        }
        Err(Error::Missing)
    }

    // A helper that reads storage is no arithmetic.

    pub fn owned(env: Env, id: i128) -> Result<Address, Error> {
        owner_of(&env, DataKey::Owner(id)).ok_or(Error::Missing)
    }

    pub fn owned_by(env: Env, id: i128, who: Address) -> Result<(), Error> {
        match owner_of(&env, DataKey::Owner(id)) {
            Some(owner) if owner == who => Ok(()),
            Some(_) => Err(Error::Refused),
            None => Err(Error::Missing),
        }
    }

    pub fn amount(env: Env, id: i128, least: i128) -> Result<i128, Error> {
        let amount = amount_of(&env, DataKey::Amount(id), least);
        if amount < 100 {
            return Err(Error::TooLarge);
        }
        Ok(amount)
    }

    // None of several alternatives.

    pub fn role(env: Env, role: Symbol) -> Result<(), Error> {
        let names = [
            symbol_short!("Admin"),
            symbol_short!("Emergency"),
            symbol_short!("Rewards"),
            symbol_short!("Opers"),
            symbol_short!("Pause"),
            symbol_short!("Fee"),
            symbol_short!("System"),
        ];
        let _ = env;
        for name in names {
            if role == name {
                return Ok(());
            }
        }
        Err(Error::NoRole)
    }

    pub fn role_long(env: Env, role: Symbol) -> Result<(), Error> {
        let is = |name: &str| role == Symbol::new(&env, name);
        if is("Admin") || is("EmergencyAdmin") || is("RewardsAdmin") || is("SystemFeeAdmin") {
            return Ok(());
        }
        Err(Error::NoRole)
    }

    pub fn one_of_five(env: Env, who: Address) -> Result<(), Error> {
        let role = |at: u32| -> Address {
            env.storage().persistent().get(&DataKey::Role(at)).unwrap()
        };
        if who != role(0) && who != role(1) && who != role(2) && who != role(3) && who != role(4) {
            return Err(Error::NoRole);
        }
        Ok(())
    }

    pub fn either(env: Env, who: Address) -> Result<(), Error> {
        let admin: Address = env.storage().persistent().get(&DataKey::Role(0)).unwrap();
        if who == admin {
            return Ok(());
        }
        let emergency: Address = env.storage().persistent().get(&DataKey::Role(1)).unwrap();
        if who == emergency {
            return Ok(());
        }
        Err(Error::NoRole)
    }

    pub fn number_of_three(_env: Env, n: u32) -> Result<(), Error> {
        if n == 10 || n == 200 || n == 3000 {
            return Ok(());
        }
        Err(Error::NoRole)
    }

    pub fn wide_of_three(_env: Env, n: i128) -> Result<(), Error> {
        if n == 10 || n == 200 || n == 3000 {
            return Ok(());
        }
        Err(Error::NoRole)
    }

    pub fn either_amount(env: Env, n: u32, m: u32) -> Result<(), Error> {
        let _ = env;
        if n == 7 || m == 9 {
            return Ok(());
        }
        Err(Error::NoRole)
    }
}
