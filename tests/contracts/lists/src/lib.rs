// Looks for keys in maps and for elements in vectors that are stored, or empty where nothing is.
// tests/explain/deciding-lists.test.ts has for each failure what the source means.
#![no_std]
use soroban_sdk::{contract, contracterror, contractimpl, contracttype, Address, Env, Map, Vec};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Error {
    NoPool = 1,
    NoToken = 2,
}

#[contracttype]
#[derive(Clone)]
pub enum DataKey {
    Pools(Address),
    Tokens,
}

fn pools(env: &Env, owner: Address) -> Map<u32, u32> {
    let key = DataKey::Pools(owner);
    env.storage().persistent().get(&key).unwrap_or(Map::new(env))
}

#[inline(never)]
fn tokens(env: &Env) -> Vec<Address> {
    env.storage().instance().get(&DataKey::Tokens).unwrap_or(Vec::new(env))
}

#[contract]
pub struct Lists;

#[contractimpl]
impl Lists {
    pub fn pool(env: Env, owner: Address, id: u32) -> Result<u32, Error> {
        pools(&env, owner).get(id).ok_or(Error::NoPool)
    }

    pub fn pool_or_panic(env: Env, owner: Address, id: u32) -> u32 {
        pools(&env, owner).get(id).unwrap()
    }

    pub fn has_pool(env: Env, owner: Address, id: u32) -> Result<(), Error> {
        if !pools(&env, owner).contains_key(id) {
            return Err(Error::NoPool);
        }
        Ok(())
    }

    pub fn token(env: Env, token: Address) -> Result<u32, Error> {
        tokens(&env).first_index_of(token).ok_or(Error::NoToken)
    }

    pub fn has_token(env: Env, token: Address) -> Result<(), Error> {
        if !tokens(&env).contains(token) {
            return Err(Error::NoToken);
        }
        Ok(())
    }

    /// Nothing stored is searched.
    pub fn never(env: Env, id: u32) -> Result<u32, Error> {
        let none: Map<u32, u32> = Map::new(&env);
        none.get(id).ok_or(Error::NoPool)
    }
}
