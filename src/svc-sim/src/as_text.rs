// Numbers of 64 bits as text: not every reader of JSON has them all.

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

/// By name.
pub fn as_texts<S: Serializer>(
    values: &[(&'static str, u64)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(name, value)| (name, Text(*value))))
}
