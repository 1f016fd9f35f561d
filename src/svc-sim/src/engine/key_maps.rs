// Maps and sets by key. A key is looked up several times for each change of a ledger, so its hash
// is faster than that of the standard library. It has a secret seed as there, because everybody can
// choose keys.

use super::changes::Key;
use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, RandomState},
    sync::LazyLock,
};

pub type ByKey<Value> = HashMap<Key, Value, KeyHash>;
pub type ByBorrowedKey<'a, Value> = HashMap<&'a Key, Value, KeyHash>;
pub type Keys = HashSet<Key, KeyHash>;

#[derive(Clone)]
pub struct KeyHash(ahash::RandomState);

impl Default for KeyHash {
    fn default() -> KeyHash {
        static SEEDED: LazyLock<ahash::RandomState> = LazyLock::new(|| {
            let seed = || RandomState::new().hash_one(0);
            ahash::RandomState::with_seeds(seed(), seed(), seed(), seed())
        });
        KeyHash(SEEDED.clone())
    }
}

impl BuildHasher for KeyHash {
    type Hasher = ahash::AHasher;

    fn build_hasher(&self) -> ahash::AHasher {
        self.0.build_hasher()
    }
}
