// Reads core metrics, which are most of a meta's diagnostic events (stellar-core,
// InvokeHostFunctionOpFrame.cpp, metricsEvent). They differ only in a name and a number.

/// The bytes of no extension, no contract, type diagnostic, body V0, and two topics: the symbol
/// `core_metrics`, and another symbol. The word before says whether the call succeeded.
const METRIC_HEAD: &[u8] = b"\0\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x02\
    \0\0\0\x0f\0\0\0\x0ccore_metrics\0\0\0\x0f";
const U64_TYPE: u32 = 5;
const SYMBOL_LIMIT: usize = 32;

pub fn is_metric(event: &[u8]) -> bool {
    event.get(4..).is_some_and(|event| event.starts_with(METRIC_HEAD))
}

/// The name and the value. `None` if the value is not a u64.
pub fn metric_of(event: &[u8]) -> Option<(&[u8], &[u8])> {
    let name_at = 4 + METRIC_HEAD.len() + 4;
    let length = word_at(event, name_at - 4)? as usize;
    let type_at = name_at + length.next_multiple_of(4);
    let is_u64 = type_at + 12 == event.len() && word_at(event, type_at)? == U64_TYPE;
    is_u64.then(|| (&event[name_at..name_at + length], &event[type_at + 4..]))
}

/// The length of the core metric that the bytes begin with. Most of a meta's events are core
/// metrics and need not be decoded. `None` if it is another event or has another form.
pub fn metric_length(bytes: &[u8]) -> Option<usize> {
    let name_at = 4 + METRIC_HEAD.len() + 4;
    if word_at(bytes, 0)? > 1 || !is_metric(bytes) {
        return None;
    }
    let length = word_at(bytes, name_at - 4)? as usize;
    let type_at = name_at + length.next_multiple_of(4);
    let end = type_at + 12;
    let is_whole = length <= SYMBOL_LIMIT
        && bytes.len() >= end
        && bytes[name_at + length..type_at].iter().all(|byte| *byte == 0)
        && word_at(bytes, type_at)? == U64_TYPE;
    is_whole.then_some(end)
}

fn word_at(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(word.try_into().expect("4 bytes")))
}
