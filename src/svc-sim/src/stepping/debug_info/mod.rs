// The variables of sources, from a build's debug information (DWARF): which are in scope at an
// address, where they are, and what they hold. The information may be hostile: whatever cannot be
// read is unknown.

mod bounds;
mod location;
mod registers;
mod types;
mod values;

use gimli::{EndianSlice, LittleEndian, UnitOffset, UnitSectionOffset};
use std::collections::HashMap;
use wasmparser::{Parser, Payload};

pub use registers::Registers;
pub use values::{Node, Reading};

pub type Bytes<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'u, 'a> = gimli::DebuggingInformationEntry<'u, 'u, Bytes<'a>>;
type Attribute<'a> = gimli::AttributeValue<Bytes<'a>>;

/// Deeper nesting than this is hostile.
const MAX_DEPTH: usize = 64;
const MAX_VARIABLES: usize = 200;
const MAX_INLINED: usize = 100_000;
const MAX_INDEX_BYTES: usize = 1 << 20;

pub struct DebugInfo<'a> {
    dwarf: gimli::Dwarf<Bytes<'a>>,
    units: Vec<gimli::Unit<Bytes<'a>>>,
}

/// An entry of the debug information.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Die {
    unit: usize,
    offset: UnitOffset,
}

/// The functions that are open at an address, the innermost inlined one last.
#[derive(Default)]
struct Scope {
    /// The function that has the frame base.
    subprogram: Option<Die>,
    /// The variables, those of the innermost block first.
    variables: Vec<Vec<Die>>,
}

/// The debug information of wasm. `None` if there is none, or more than a contract's build can
/// have.
pub fn dwarf_of<'a>(sections: &HashMap<&str, &'a [u8]>) -> Option<gimli::Dwarf<Bytes<'a>>> {
    let section = |id: gimli::SectionId| -> Result<Bytes<'a>, gimli::Error> {
        let data = sections.get(id.name()).copied().unwrap_or_default();
        // The section is only an index of the other sections.
        let is_large = id == gimli::SectionId::DebugAranges && data.len() > MAX_INDEX_BYTES;
        Ok(EndianSlice::new(if is_large { &[] } else { data }, LittleEndian))
    };
    gimli::Dwarf::load(section).ok().filter(bounds::is_bounded)
}

impl<'a> DebugInfo<'a> {
    /// Reads the debug information. `None` if the wasm has none.
    pub fn read(wasm: &'a [u8]) -> Option<DebugInfo<'a>> {
        let mut sections: HashMap<&str, &'a [u8]> = HashMap::new();
        for payload in Parser::new(0).parse_all(wasm) {
            if let Payload::CustomSection(section) = payload.ok()? {
                if section.name().starts_with(".debug_") {
                    sections.insert(section.name(), section.data());
                }
            }
        }
        let dwarf = dwarf_of(&sections)?;
        let mut units = vec![];
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            units.push(dwarf.unit(header).ok()?);
        }
        Some(DebugInfo { dwarf, units })
    }

    /// The variables of a function at `address`, and the function that has the frame base.
    /// `inlined` counts inlined functions from the innermost, which is 0.
    fn variables(&self, address: u32, inlined: usize) -> Option<(Vec<Die>, Option<Die>)> {
        let address = u64::from(address);
        let mut scope = Scope::default();
        for (index, unit) in self.units.iter().enumerate() {
            let mut ranges = self.dwarf.unit_ranges(unit).ok()?;
            let mut here = false;
            while let Ok(Some(range)) = ranges.next() {
                here |= (range.begin..range.end).contains(&address);
            }
            if !here {
                continue;
            }
            let mut tree = unit.entries_tree(None).ok()?;
            self.descend(index, tree.root().ok()?, address, &mut scope, 0);
            if scope.subprogram.is_some() {
                break;
            }
        }
        let level = scope.variables.len().checked_sub(inlined + 1)?;
        let mut variables = scope.variables.swap_remove(level);
        variables.truncate(MAX_VARIABLES);
        Some((variables, scope.subprogram))
    }

    /// The depth of every inlined function, including itself, and its addresses.
    pub fn inlined(&self) -> Vec<(usize, Vec<gimli::Range>)> {
        let mut found = vec![];
        for unit in &self.units {
            let mut entries = unit.entries();
            let (mut depth, mut open) = (0, vec![]);
            while let Ok(Some((delta, entry))) = entries.next_dfs() {
                depth += delta;
                while open.last().is_some_and(|last| *last >= depth) {
                    open.pop();
                }
                if entry.tag() != gimli::DW_TAG_inlined_subroutine || found.len() >= MAX_INLINED {
                    continue;
                }
                open.push(depth);
                let Ok(mut ranges) = self.dwarf.die_ranges(unit, entry) else { continue };
                let mut own = vec![];
                while let (Ok(Some(range)), true) = (ranges.next(), own.len() < MAX_INLINED) {
                    own.push(range);
                }
                found.push((open.len(), own));
            }
        }
        found
    }

    fn descend(
        &self,
        unit: usize,
        node: gimli::EntriesTreeNode<Bytes>,
        address: u64,
        scope: &mut Scope,
        depth: usize,
    ) {
        let mut children = node.children();
        let mut own = vec![];
        let level = scope.variables.len();
        while let (Ok(Some(child)), true) = (children.next(), depth < MAX_DEPTH) {
            let die = Die { unit, offset: child.entry().offset() };
            match child.entry().tag() {
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter if level > 0 => {
                    own.push(die)
                }
                gimli::DW_TAG_namespace
                | gimli::DW_TAG_structure_type
                | gimli::DW_TAG_enumeration_type
                    if level == 0 =>
                {
                    self.descend(unit, child, address, scope, depth + 1);
                }
                gimli::DW_TAG_subprogram
                    if level == 0 && self.has(unit, child.entry(), address) =>
                {
                    scope.subprogram = Some(die);
                    scope.variables.push(vec![]);
                    self.descend(unit, child, address, scope, depth + 1);
                }
                gimli::DW_TAG_inlined_subroutine if self.has(unit, child.entry(), address) => {
                    scope.variables.push(vec![]);
                    self.descend(unit, child, address, scope, depth + 1);
                }
                gimli::DW_TAG_lexical_block if self.has(unit, child.entry(), address) => {
                    self.descend(unit, child, address, scope, depth + 1);
                }
                _ => {}
            }
        }
        if let Some(variables) = level.checked_sub(1).and_then(|at| scope.variables.get_mut(at)) {
            // The blocks inside the function came first. In one block, the last variable shadows
            // the others.
            let parameters = self.parameters(&own);
            variables.extend(own.drain(parameters..).rev());
            variables.append(&mut own);
        }
    }

    /// The number of parameters among the entries. Parameters come first.
    fn parameters(&self, dies: &[Die]) -> usize {
        let is = |die: &&Die| {
            let entry = self.entry(**die);
            entry.is_some_and(|entry| entry.tag() == gimli::DW_TAG_formal_parameter)
        };
        dies.iter().take_while(is).count()
    }

    fn has(&self, unit: usize, entry: &Entry, address: u64) -> bool {
        let Ok(mut ranges) = self.dwarf.die_ranges(&self.units[unit], entry) else { return false };
        while let Ok(Some(range)) = ranges.next() {
            if (range.begin..range.end).contains(&address) {
                return true;
            }
        }
        false
    }

    fn entry(&self, die: Die) -> Option<Entry<'_, 'a>> {
        self.units.get(die.unit)?.entry(die.offset).ok()
    }

    /// An attribute of an entry, or of the entry that it is an instance of.
    fn attribute(&self, die: Die, name: gimli::DwAt) -> Option<(Attribute<'a>, usize)> {
        let mut at = die;
        for _ in 0..MAX_DEPTH {
            if let Some(value) = self.entry(at)?.attr_value(name).ok()? {
                return Some((value, at.unit));
            }
            at = self
                .reference(at, gimli::DW_AT_abstract_origin)
                .or_else(|| self.reference(at, gimli::DW_AT_specification))?;
        }
        None
    }

    fn reference(&self, die: Die, name: gimli::DwAt) -> Option<Die> {
        match self.entry(die)?.attr_value(name).ok()?? {
            gimli::AttributeValue::UnitRef(offset) => Some(Die { unit: die.unit, offset }),
            gimli::AttributeValue::DebugInfoRef(offset) => {
                let of = |unit: &gimli::Unit<Bytes>| {
                    UnitSectionOffset::from(offset).to_unit_offset(unit)
                };
                let unit = self.units.iter().position(|unit| of(unit).is_some())?;
                Some(Die { unit, offset: of(&self.units[unit])? })
            }
            _ => None,
        }
    }

    fn name(&self, die: Die) -> Option<String> {
        let (value, unit) = self.attribute(die, gimli::DW_AT_name)?;
        let text = self.dwarf.attr_string(&self.units[unit], value).ok()?;
        Some(String::from_utf8_lossy(text.slice()).into_owned())
    }

    fn number(&self, die: Die, name: gimli::DwAt) -> Option<u64> {
        self.attribute(die, name)?.0.udata_value()
    }

    fn type_of(&self, die: Die) -> Option<Die> {
        let mut at = die;
        for _ in 0..MAX_DEPTH {
            if let Some(found) = self.reference(at, gimli::DW_AT_type) {
                return Some(found);
            }
            at = self.reference(at, gimli::DW_AT_abstract_origin)?;
        }
        None
    }
}
