// Prints values of every type of the crate stellar-xdr, one a line: the type, the value in base64,
// and the value as the crate writes it in JSON. A test reads, walks and writes them with svc's own
// readers, which share no code with this crate. Each run prints the same.

use arbitrary::Unstructured;
use std::collections::{HashMap, HashSet};
use stellar_xdr::{Limits, Type, TypeVariant, WriteXdr};

/// Bytes that a value may be made of.
const SIZES: [usize; 5] = [24, 64, 160, 400, 1200];
const TRIES: u64 = 800;
/// Values of a type that are kept whatever they are.
const ANY: usize = 5;
/// The first four bytes of a union or an enum are below it, or a small negative number.
const MOST_CASES: i32 = 4000;
/// Bytes of a value.
const LARGEST: usize = 2500;

fn main() {
    for variant in TypeVariant::VARIANTS {
        for line in lines_of(variant) {
            println!("{line}");
        }
    }
}

fn lines_of(variant: TypeVariant) -> Vec<String> {
    let mut random = Random(0x5356_4331);
    let mut seen = HashSet::new();
    let mut cases: HashMap<i32, usize> = HashMap::new();
    let mut lines = Vec::new();
    for attempt in 0..TRIES {
        let bytes = random.bytes(SIZES[attempt as usize % SIZES.len()]);
        let Ok(value) = Type::arbitrary(variant, &mut Unstructured::new(&bytes)) else {
            continue;
        };
        let Ok(xdr) = value.to_xdr(Limits::none()) else {
            continue;
        };
        if xdr.len() > LARGEST || !seen.insert(xdr.clone()) {
            continue;
        }
        if lines.len() >= ANY && !is_new_case(&xdr, &mut cases) {
            continue;
        }
        is_new_case(&xdr, &mut cases);
        let base64 = value.to_xdr_base64(Limits::none()).expect("XDR");
        let json = serde_json::to_string(&value).expect("JSON");
        lines.push(format!(r#"["{}","{base64}",{json}]"#, variant.name()));
    }
    lines
}

/// A union or an enum begins with its case: one value of each.
fn is_new_case(xdr: &[u8], cases: &mut HashMap<i32, usize>) -> bool {
    let Some(first) = xdr.first_chunk::<4>() else {
        return false;
    };
    let case = i32::from_be_bytes(*first);
    let known = cases.entry(case).or_insert(0);
    *known += 1;
    *known == 1 && (-MOST_CASES..MOST_CASES).contains(&case)
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}
