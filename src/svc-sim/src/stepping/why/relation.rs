// Relations between two values, and types by their tags.

use crate::wire::why::{Condition, Integer, Term};

/// Type names, each with the tags of its values.
const TYPES: [(&str, &[u8]); 20] = [
    ("bool", &[0, 1]),
    ("void", &[2]),
    ("error", &[3]),
    ("u32", &[4]),
    ("i32", &[5]),
    ("u64", &[6, 64]),
    ("i64", &[7, 65]),
    ("timepoint", &[8, 66]),
    ("duration", &[9, 67]),
    ("u128", &[10, 68]),
    ("i128", &[11, 69]),
    ("u256", &[12, 70]),
    ("i256", &[13, 71]),
    ("symbol", &[14, 74]),
    ("bytes", &[72]),
    ("string", &[73]),
    ("vec", &[75]),
    ("map", &[76]),
    ("address", &[77]),
    ("muxed address", &[78]),
];

pub fn type_of(tag: u8) -> Option<&'static str> {
    TYPES.iter().find(|(_, tags)| tags.contains(&tag)).map(|(name, _)| *name)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

pub use Relation::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};

impl Relation {
    pub fn not(self) -> Relation {
        match self {
            Equal => NotEqual,
            NotEqual => Equal,
            Less => GreaterOrEqual,
            LessOrEqual => Greater,
            Greater => LessOrEqual,
            GreaterOrEqual => Less,
        }
    }

    /// The relation with its sides exchanged.
    pub fn turned(self) -> Relation {
        match self {
            Less => Greater,
            LessOrEqual => GreaterOrEqual,
            Greater => Less,
            GreaterOrEqual => LessOrEqual,
            same => same,
        }
    }

    pub fn named(name: &str) -> Option<Relation> {
        let all = [Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual];
        all.into_iter().find(|relation| relation.name() == name)
    }

    pub fn holds(self, a: Integer, b: Integer) -> bool {
        match self {
            Equal => a == b,
            NotEqual => a != b,
            Less => a < b,
            LessOrEqual => a <= b,
            Greater => a > b,
            GreaterOrEqual => a >= b,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Equal => "equal",
            NotEqual => "not_equal",
            Less => "less",
            LessOrEqual => "less_or_equal",
            Greater => "greater",
            GreaterOrEqual => "greater_or_equal",
        }
    }
}

/// The relation that an instruction tests, and whether its operands are signed.
pub fn comparison(opcode: u8) -> Option<(Relation, bool)> {
    Some(match opcode {
        0x46 | 0x51 => (Equal, false),
        0x47 | 0x52 => (NotEqual, false),
        0x48 | 0x53 => (Less, true),
        0x49 | 0x54 => (Less, false),
        0x4a | 0x55 => (Greater, true),
        0x4b | 0x56 => (Greater, false),
        0x4c | 0x57 => (LessOrEqual, true),
        0x4d | 0x58 => (LessOrEqual, false),
        0x4e | 0x59 => (GreaterOrEqual, true),
        0x4f | 0x5a => (GreaterOrEqual, false),
        _ => return None,
    })
}

/// Bits 64 to 127.
pub fn upper_word(number: Integer) -> u64 {
    (number.as_i128() >> 64) as u64
}

pub fn relation(name: &'static str, terms: Vec<Term>) -> Condition {
    let (of_type, values, needs_run, checks) = Default::default();
    Condition { relation: name, terms, of_type, values, needs_run, checks }
}

pub type Found = Option<Vec<Condition>>;

impl Relation {
    pub fn when(self, truth: bool) -> Relation {
        if truth {
            self
        } else {
            self.not()
        }
    }
}
