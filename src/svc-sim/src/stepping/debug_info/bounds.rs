// Measures debug information (DWARF) before anything is built from it. A few bytes can describe
// very much: units share a list of ranges, an abbreviation table or a line program; files share the
// name of a directory; and an attribute can take no bytes at all.

use super::Bytes;
use gimli::{AttributeValue, EndianSlice, LittleEndian, Reader, ReaderOffset, Section};
use std::collections::HashMap;

/// About ten times as many as a large contract's build has.
const MAX_UNITS: usize = 10_000;
/// The bytes of all units' tables, even if units share a table.
const MAX_ABBREVIATION_BYTES: usize = 8 << 20;
const MAX_LINE_HEADER_BYTES: usize = 1 << 20;
const MAX_LINE_PROGRAM_BYTES: usize = 4 << 20;
/// The bytes of all file names, each with its directory.
const MAX_PATH_BYTES: usize = 16 << 20;
const MAX_ATTRIBUTES: usize = 20_000_000;
/// The ranges of all entries, even if entries share a list.
const MAX_RANGES: usize = 1_000_000;

/// The rest of a bound.
struct Left(usize);

impl Left {
    fn take(&mut self, count: usize) -> Option<()> {
        self.0 = self.0.checked_sub(count)?;
        Some(())
    }
}

/// Says whether the debug information has a size that a contract's build can have.
pub fn is_bounded(dwarf: &gimli::Dwarf<Bytes>) -> bool {
    count(dwarf).is_some()
}

fn count(dwarf: &gimli::Dwarf<Bytes>) -> Option<()> {
    let mut units = Left(MAX_UNITS);
    let mut abbreviations = Left(MAX_ABBREVIATION_BYTES);
    let (mut line_headers, mut line_programs) =
        (Left(MAX_LINE_HEADER_BYTES), Left(MAX_LINE_PROGRAM_BYTES));
    let (mut paths, mut attributes, mut ranges) =
        (Left(MAX_PATH_BYTES), Left(MAX_ATTRIBUTES), Left(MAX_RANGES));
    let mut lists = HashMap::new();
    let mut headers = dwarf.units();
    // Unreadable parts are not used later either: readers stop where this one stops.
    while let Ok(Some(header)) = headers.next() {
        units.take(1)?;
        abbreviations.take(table_bytes(dwarf, &header, abbreviations.0)?)?;
        let (of_header, of_program) = line_bytes(dwarf, &header).unwrap_or_default();
        line_headers.take(of_header)?;
        line_programs.take(of_program)?;
        let Ok(unit) = dwarf.unit(header) else { continue };
        count_paths(dwarf, &unit, &mut paths)?;
        count_entries(dwarf, &unit, (&mut attributes, &mut ranges), &mut lists)?;
    }
    Some(())
}

/// The bytes of the abbreviation table that a unit uses. `None` if they exceed `most`.
fn table_bytes(
    dwarf: &gimli::Dwarf<Bytes>,
    header: &gimli::UnitHeader<Bytes>,
    most: usize,
) -> Option<usize> {
    let mut table = *dwarf.debug_abbrev.reader();
    if table.skip(header.debug_abbrev_offset().0).is_err() {
        return Some(0);
    }
    let first = table.len();
    let mut read = || -> gimli::Result<bool> {
        if table.read_uleb128()? == 0 {
            return Ok(false);
        }
        table.read_uleb128()?;
        table.read_u8()?;
        loop {
            let (name, form) = (table.read_uleb128()?, table.read_uleb128()?);
            if form == u64::from(gimli::DW_FORM_implicit_const.0) {
                table.read_sleb128()?;
            }
            if (name, form) == (0, 0) || first - table.len() > most {
                return Ok(first - table.len() <= most);
            }
        }
    };
    while let Ok(true) = read() {}
    let used = first - table.len();
    (used <= most).then_some(used)
}

/// The bytes of the header and the program of a unit's lines.
fn line_bytes(
    dwarf: &gimli::Dwarf<Bytes>,
    header: &gimli::UnitHeader<Bytes>,
) -> Option<(usize, usize)> {
    let abbreviations = header.abbreviations(&dwarf.debug_abbrev).ok()?;
    let mut entries = header.entries(&abbreviations);
    let (_, root) = entries.next_dfs().ok()??;
    let AttributeValue::DebugLineRef(offset) = root.attr_value(gimli::DW_AT_stmt_list).ok()??
    else {
        return None;
    };
    let mut lines: EndianSlice<LittleEndian> = *dwarf.debug_line.reader();
    lines.skip(offset.0).ok()?;
    let (length, format) = lines.read_initial_length().ok()?;
    let mut unit = lines.split(length.min(lines.len())).ok()?;
    let version = unit.read_u16().ok()?;
    unit.skip(if version >= 5 { 2 } else { 0 }).ok()?;
    let of_header = unit.read_length(format).ok()?.min(unit.len());
    Some((of_header, unit.len() - of_header))
}

fn count_paths(
    dwarf: &gimli::Dwarf<Bytes>,
    unit: &gimli::Unit<Bytes>,
    paths: &mut Left,
) -> Option<()> {
    let Some(program) = &unit.line_program else { return Some(()) };
    let header = program.header();
    let length = |value: AttributeValue<Bytes>| {
        dwarf.attr_string(unit, value).map_or(0, |text| text.len().into_u64() as usize)
    };
    let of_unit = unit.comp_dir.map_or(0, |directory| directory.len());
    for file in header.file_names() {
        let directory = file.directory(header).map_or(0, length);
        paths.take(of_unit)?;
        paths.take(directory)?;
        paths.take(length(file.path_name()))?;
    }
    Some(())
}

/// Counts a unit's entries. `lists` has the length of each list of ranges, by its offset.
fn count_entries(
    dwarf: &gimli::Dwarf<Bytes>,
    unit: &gimli::Unit<Bytes>,
    (attributes, ranges): (&mut Left, &mut Left),
    lists: &mut HashMap<usize, usize>,
) -> Option<()> {
    let Ok(mut entries) = unit.entries_raw(None) else { return Some(()) };
    while !entries.is_empty() {
        let Ok(abbreviation) = entries.read_abbreviation() else { return Some(()) };
        attributes.take(1)?;
        let Some(abbreviation) = abbreviation else { continue };
        let all = abbreviation.attributes();
        attributes.take(all.len())?;
        let has = |name: gimli::DwAt| all.iter().any(|each| each.name() == name);
        ranges.take(usize::from(has(gimli::DW_AT_low_pc)))?;
        if !has(gimli::DW_AT_ranges) {
            if entries.skip_attributes(all).is_err() {
                return Some(());
            }
            continue;
        }
        for each in all {
            let Ok(attribute) = entries.read_attribute(*each) else { return Some(()) };
            if attribute.name() != gimli::DW_AT_ranges {
                continue;
            }
            let offset = dwarf.attr_ranges_offset(unit, attribute.value());
            let Ok(Some(offset)) = offset else { continue };
            let most = ranges.0;
            let length = *lists.entry(offset.0).or_insert_with(|| {
                let Ok(mut list) = dwarf.ranges(unit, offset) else { return 0 };
                let mut length = 0;
                while let (Ok(Some(_)), true) = (list.next(), length <= most) {
                    length += 1;
                }
                length
            });
            ranges.take(length)?;
        }
    }
    Some(())
}
