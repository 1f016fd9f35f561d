// Writes 64-bit numbers as text, because not every JSON reader keeps all their digits.

use serde::{Serialize, Serializer};

struct Text(u64);

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string())
    }
}

pub fn as_text<S: Serializer>(value: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    Text(*value).serialize(serializer)
}

pub fn as_text_if_known<S: Serializer>(
    value: &Option<u64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.map(Text).serialize(serializer)
}

/// Serializes a list of named numbers as an object of texts.
pub fn as_texts<S: Serializer>(
    values: &[(&'static str, u64)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(name, value)| (name, Text(*value))))
}
