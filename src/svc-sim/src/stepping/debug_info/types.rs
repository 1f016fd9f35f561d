// Types of the debug information: sizes, members, the active variant of an enum, and types that
// hold a value in the host's encoding.

use super::{location::number, registers::Contents, DebugInfo, Die, MAX_DEPTH};
use gimli::AttributeValue;

pub const MAX_BYTES: u64 = 1 << 16;
const MAX_CHILDREN: usize = 4000;
const MAX_NAME: usize = 200;

pub struct Member {
    pub name: String,
    pub of_type: Option<Die>,
    pub at: usize,
}

pub enum Variant {
    /// The type is not an enum with fields.
    None,
    Active(String, Die),
    Unknown,
}

impl DebugInfo<'_> {
    /// The type without qualifiers and aliases.
    pub(super) fn plain(&self, of_type: Die) -> Die {
        let mut at = of_type;
        for _ in 0..MAX_DEPTH {
            let tag = self.entry(at).map(|entry| entry.tag());
            let (Some(gimli::DW_TAG_typedef | gimli::DW_TAG_const_type), Some(inner)) =
                (tag, self.type_of(at))
            else {
                break;
            };
            at = inner;
        }
        at
    }

    pub(super) fn size(&self, of_type: Die) -> usize {
        let of_type = self.plain(of_type);
        let tag = self.entry(of_type).map(|entry| entry.tag());
        let size = match tag {
            Some(gimli::DW_TAG_pointer_type) => Some(4),
            Some(gimli::DW_TAG_array_type) => self.array_size(of_type),
            _ => self.number(of_type, gimli::DW_AT_byte_size),
        };
        size.filter(|size| *size <= MAX_BYTES).unwrap_or(0) as usize
    }

    fn array_size(&self, of_type: Die) -> Option<u64> {
        let element = self.type_of(of_type).filter(|element| *element != of_type)?;
        // The element of an array of arrays is an array itself. Deeper nesting is not shown.
        let size = match self.entry(element)?.tag() {
            gimli::DW_TAG_array_type => return None,
            _ => self.size(element) as u64,
        };
        let ranges = self.children(of_type);
        let range = ranges.first()?;
        let count = self.number(*range, gimli::DW_AT_count)?;
        size.checked_mul(count)
    }

    pub(super) fn type_name(&self, of_type: Die) -> String {
        let name = self.name(of_type).unwrap_or_default();
        name.chars().take(MAX_NAME).collect()
    }

    pub(super) fn base(&self, of_type: Die, contents: &Contents) -> Option<String> {
        let AttributeValue::Encoding(encoding) = self.attribute(of_type, gimli::DW_AT_encoding)?.0
        else {
            return None;
        };
        let bytes = contents.known()?;
        if bytes.is_empty() {
            return Some("()".into());
        }
        let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
        let fill = if encoding == gimli::DW_ATE_signed && negative { 0xff } else { 0 };
        let mut wide = [fill; 16];
        wide.get_mut(..bytes.len())?.copy_from_slice(&bytes);
        let unsigned = u128::from_le_bytes(wide);
        Some(match encoding {
            gimli::DW_ATE_boolean => match unsigned {
                0 => "false".into(),
                1 => "true".into(),
                _ => return None,
            },
            gimli::DW_ATE_UTF => format!("{:?}", char::from_u32(unsigned as u32)?),
            gimli::DW_ATE_signed => (unsigned as i128).to_string(),
            gimli::DW_ATE_unsigned => unsigned.to_string(),
            _ => return None,
        })
    }

    /// The name of the active variant of an enum without fields.
    pub(super) fn enumerator(&self, of_type: Die, contents: &Contents) -> Option<String> {
        let value = number(&contents.known()?);
        let is = |die: &&Die| {
            let constant = self.number(**die, gimli::DW_AT_const_value);
            constant.is_some_and(|constant| masked(constant, contents.bytes.len()) == value)
        };
        self.name(*self.children(of_type).iter().find(is)?)
    }

    pub(super) fn variant(&self, of_type: Die, contents: &Contents) -> Variant {
        let part = self.children(of_type).into_iter().find(|die| {
            self.entry(*die).is_some_and(|entry| entry.tag() == gimli::DW_TAG_variant_part)
        });
        let Some(part) = part else { return Variant::None };
        let value = match self.reference(part, gimli::DW_AT_discr) {
            None => None,
            Some(die) => {
                let Some(member) = self.member(die) else { return Variant::Unknown };
                let size = member.of_type.map_or(0, |of_type| self.size(of_type));
                match contents.part(member.at, size).known() {
                    Some(bytes) => Some((number(&bytes), size)),
                    None => return Variant::Unknown,
                }
            }
        };
        let variants = self.children(part).into_iter().filter(|die| {
            self.entry(*die).is_some_and(|entry| entry.tag() == gimli::DW_TAG_variant)
        });
        let mut default = None;
        for variant in variants {
            let inner = self.children(variant).into_iter().find_map(|die| self.member(die));
            let active = inner.and_then(|inner| Some((inner.name, self.plain(inner.of_type?))));
            let wanted = self.number(variant, gimli::DW_AT_discr_value);
            match (wanted, value) {
                (Some(wanted), Some((value, size))) if masked(wanted, size) == value => {
                    return active
                        .map_or(Variant::Unknown, |(name, die)| Variant::Active(name, die))
                }
                (None, _) => default = active,
                _ => {}
            }
        }
        default.map_or(Variant::Unknown, |(name, die)| Variant::Active(name, die))
    }

    pub(super) fn members(&self, of_type: Die) -> Vec<Member> {
        self.children(of_type).into_iter().filter_map(|die| self.member(die)).collect()
    }

    fn member(&self, die: Die) -> Option<Member> {
        if self.entry(die)?.tag() != gimli::DW_TAG_member {
            return None;
        }
        let at = self.number(die, gimli::DW_AT_data_member_location).unwrap_or(0);
        let name = self.name(die).unwrap_or_default();
        // The fields of a tuple.
        let name = name.strip_prefix("__").map_or(name.clone(), str::to_string);
        Some(Member { name, of_type: self.type_of(die), at: usize::try_from(at).ok()? })
    }

    fn children(&self, die: Die) -> Vec<Die> {
        let read = || -> gimli::Result<Vec<Die>> {
            let mut tree = self.units[die.unit].entries_tree(Some(die.offset))?;
            let mut children = tree.root()?.children();
            let mut found = vec![];
            while let (Some(child), true) = (children.next()?, found.len() < MAX_CHILDREN) {
                found.push(Die { unit: die.unit, offset: child.entry().offset() });
            }
            Ok(found)
        };
        read().unwrap_or_default()
    }

    /// The host's encoding that a soroban-sdk type holds: `Val`, or one field of such a type next
    /// to others without a size.
    pub(super) fn payload(&self, of_type: Die, contents: &Contents) -> Option<u64> {
        let mut at = of_type;
        for _ in 0..MAX_DEPTH {
            if self.size(at) != 8 {
                return None;
            }
            if self.type_name(at) == "Val" {
                return Some(number(&contents.part(0, 8).known()?));
            }
            let mut sized = self
                .members(at)
                .into_iter()
                .filter_map(|member| member.of_type.filter(|of_type| self.size(*of_type) > 0));
            let (only, None) = (sized.next()?, sized.next()) else { return None };
            at = self.plain(only);
        }
        None
    }
}

fn masked(value: u64, size: usize) -> u64 {
    if size >= 8 {
        value
    } else {
        value & ((1 << (size * 8)) - 1)
    }
}
