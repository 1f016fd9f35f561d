// A map that can forget the entries that were not used for long. It has two generations: an entry
// that is written or read moves to the young one, and `forget_unused` drops the old one. The map
// forgets nothing at other times.

use super::changes::Key;
use super::key_maps::ByKey;
use std::collections::BTreeSet;

pub struct Recent<Value> {
    young: ByKey<Value>,
    old: ByKey<Value>,
    size_of: fn(&Value) -> usize,
    /// The bytes of the keys and values in the young generation.
    pub bytes: usize,
    /// The keys that were used or changed since `take_touched`. `None` if the caller does not track
    /// them.
    touched: Option<BTreeSet<Key>>,
}

impl<Value: Clone> Recent<Value> {
    pub fn new(size_of: fn(&Value) -> usize, tracked: bool) -> Self {
        let touched = tracked.then(BTreeSet::new);
        Recent { young: ByKey::default(), old: ByKey::default(), size_of, bytes: 0, touched }
    }

    pub fn get(&mut self, key: &[u8]) -> Option<&Value> {
        if !self.young.contains_key(key) && !self.old.is_empty() {
            if let Some(older) = self.old.get(key).cloned() {
                self.set(key.into(), older);
            }
        }
        self.young.get(key)
    }

    pub fn set(&mut self, key: Key, value: Value) {
        self.touch(&key);
        self.bytes += (self.size_of)(&value);
        let size = key.len();
        match self.young.insert(key, value) {
            Some(before) => self.bytes -= (self.size_of)(&before),
            None => self.bytes += size,
        }
    }

    /// Adds a value to the old generation, as if it had not been used.
    pub fn set_old(&mut self, key: Key, value: Value) {
        self.old.insert(key, value);
    }

    /// Removes a key. Returns true if it was there.
    pub fn remove(&mut self, key: &[u8]) -> bool {
        let young = self.young.remove(key);
        if let Some(value) = &young {
            self.bytes -= key.len() + (self.size_of)(value);
        }
        self.touch(key);
        self.old.remove(key).is_some() || young.is_some()
    }

    /// The keys that were used or changed since the last call. `None` for a removed key.
    pub fn take_touched(&mut self) -> Vec<(Key, Option<Value>)> {
        let touched = self.touched.as_mut().map(std::mem::take).unwrap_or_default();
        let value_of = |key: &Key| self.young.get(key).or_else(|| self.old.get(key)).cloned();
        touched.into_iter().map(|key| (key.clone(), value_of(&key))).collect()
    }

    pub fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
        self.bytes = 0;
        if let Some(touched) = &mut self.touched {
            touched.clear();
        }
    }

    /// Drops the old generation. Returns true if something was forgotten.
    pub fn forget_unused(&mut self) -> bool {
        let forgets = !self.old.is_empty();
        self.old = std::mem::take(&mut self.young);
        self.bytes = 0;
        forgets
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Value)> {
        let old = self.old.iter().filter(|(key, _)| !self.young.contains_key(*key));
        self.young.iter().chain(old)
    }

    fn touch(&mut self, key: &[u8]) {
        if let Some(touched) = &mut self.touched {
            touched.insert(key.into());
        }
    }
}
