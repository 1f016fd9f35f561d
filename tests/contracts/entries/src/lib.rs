// Entries that are looked up beside the one that is needed, or only if something stored has a
// value, and comparisons that compilers write in another way than their source. Shapes of public
// contracts: a version beside a value, rewards that are read once enough is staked, the suits of a
// card, the weight of signers, the settings of a reserve.
// tests/explain/deciding-entries.test.ts has for each failure what the source means.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, Address, BytesN, Env, Map, Vec,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Error {
    NotFound = 1,
    BadWeight = 2,
    BadSettings = 3,
    BadRequest = 4,
    BadCard = 5,
    Twice = 6,
}

#[contracttype]
#[derive(Clone)]
pub enum DataKey {
    Version(Address),
    Score(Address),
    LeastStake,
    Staked,
    Reward(u32),
    Admin,
    Pauser,
    Pools(BytesN<32>),
    Debts(Address),
    Stakes(Address),
}

#[contracttype]
#[derive(Clone)]
pub struct Score {
    pub points: u32,
    pub level: u32,
}

#[contracttype]
#[derive(Clone)]
pub struct Signer {
    pub key: u32,
    pub weight: u128,
}

#[contracttype]
#[derive(Clone)]
pub struct Settings {
    pub decimals: u32,
    pub factor: u32,
    pub limit: u32,
    pub rate: u32,
    pub usage: u32,
}

#[contracttype]
#[derive(Clone)]
pub struct Debts {
    pub collateral: Map<u32, i128>,
    pub liabilities: Map<u32, i128>,
}

#[contracttype]
#[derive(Clone)]
pub struct Stake {
    pub amount: i128,
    pub since: u64,
}

#[contract]
pub struct Entries;

#[contractimpl]
impl Entries {
    // An optional entry beside the one that is needed.

    pub fn score(env: Env, user: Address) -> u32 {
        let version: u32 = env
            .storage()
            .persistent()
            .get(&DataKey::Version(user.clone()))
            .unwrap_or(1);
        let score: Score = env
            .storage()
            .persistent()
            .get(&DataKey::Score(user))
            .unwrap();
        score.points * version
    }

    pub fn score_or_error(env: Env, user: Address) -> Result<u32, Error> {
        let storage = env.storage().persistent();
        let version: u32 = storage.get(&DataKey::Version(user.clone())).unwrap_or(1);
        let score: Score = storage.get(&DataKey::Score(user)).ok_or(Error::NotFound)?;
        Ok(score.points * version)
    }

    /// Either of two entries would do.
    pub fn paused_by(env: Env, who: Address) -> Result<(), Error> {
        let storage = env.storage().instance();
        let is = |key: DataKey| storage.get::<_, Address>(&key) == Some(who.clone());
        if !is(DataKey::Pauser) && !is(DataKey::Admin) {
            return Err(Error::BadRequest);
        }
        Ok(())
    }

    /// The entry is read only if enough is staked.
    pub fn reward(env: Env, at: u32) -> i128 {
        let storage = env.storage().persistent();
        let staked: i128 = storage.get(&DataKey::Staked).unwrap_or(0);
        let least: i128 = storage.get(&DataKey::LeastStake).unwrap_or(0);
        if staked < least {
            return 0;
        }
        storage.get(&DataKey::Reward(at)).unwrap()
    }

    pub fn pool(env: Env, tokens: BytesN<32>, index: BytesN<32>) -> Result<u32, Error> {
        let pools: Map<BytesN<32>, u32> = env
            .storage()
            .persistent()
            .get(&DataKey::Pools(tokens))
            .unwrap_or(Map::new(&env));
        pools.get(index).ok_or(Error::NotFound)
    }

    // Comparisons that compilers write in another way.

    pub fn suit(_env: Env, card: u32) -> Result<u32, Error> {
        match card {
            11 => Ok(1),
            12 => Ok(2),
            13 => Ok(3),
            _ => Err(Error::BadCard),
        }
    }

    pub fn no_suit(_env: Env, card: u32) -> Result<u32, Error> {
        if card >= 11 && card <= 13 {
            return Err(Error::BadCard);
        }
        Ok(card)
    }

    pub fn weigh(_env: Env, signers: Vec<Signer>, threshold: u128) -> Result<u128, Error> {
        let mut total = 0u128;
        for signer in signers.iter() {
            total = total.checked_add(signer.weight).ok_or(Error::BadWeight)?;
        }
        if threshold == 0 || total < threshold {
            return Err(Error::BadWeight);
        }
        Ok(total)
    }

    pub fn weigh_one(_env: Env, weight: u128, threshold: u128) -> Result<u128, Error> {
        if weight < threshold {
            return Err(Error::BadWeight);
        }
        Ok(weight)
    }

    pub fn configure(_env: Env, settings: Settings) -> Result<(), Error> {
        if settings.decimals > 18
            || settings.factor > 10_000_000
            || settings.usage > 9_000_000
            || (settings.limit > 10_000_000 || settings.limit <= settings.usage)
            || settings.rate < 1_000
        {
            return Err(Error::BadSettings);
        }
        Ok(())
    }

    pub fn collect(env: Env, items: Vec<Address>) -> Result<u32, Error> {
        let mut seen: Vec<Address> = Vec::new(&env);
        for item in items.iter() {
            if seen.contains(&item) {
                return Err(Error::Twice);
            }
            seen.push_back(item);
        }
        Ok(seen.len())
    }

    // Values of a stored struct.

    pub fn forgive(env: Env, user: Address) -> Result<(), Error> {
        let debts: Debts = env
            .storage()
            .persistent()
            .get(&DataKey::Debts(user))
            .unwrap_or(Debts {
                collateral: Map::new(&env),
                liabilities: Map::new(&env),
            });
        if !debts.collateral.is_empty() || debts.liabilities.is_empty() {
            return Err(Error::BadRequest);
        }
        Ok(())
    }

    pub fn unstake(env: Env, who: Address, amount: i128, since: u64) -> Result<u32, Error> {
        let stakes: Vec<Stake> = env
            .storage()
            .persistent()
            .get(&DataKey::Stakes(who))
            .unwrap_or(Vec::new(&env));
        stakes
            .iter()
            .position(|stake| stake.amount == amount && stake.since == since)
            .map(|at| at as u32)
            .ok_or(Error::NotFound)
    }
}
