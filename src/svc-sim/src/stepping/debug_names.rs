// Names in wasm: functions (from the name section and the exports), and source files and lines
// (from DWARF). The wasm may be hostile: whatever cannot be read is unknown.

use super::debug_info::{dwarf_of, Bytes};
use crate::wire::response::SourcePlace;
use std::{borrow::Cow, collections::HashMap};
use wasmparser::{ExternalKind, Name, NameSectionReader, Parser, Payload, TypeRef};

pub struct DebugNames<'a> {
    pub imported_functions: u32,
    /// The content of the code section.
    pub code: &'a [u8],
    functions: HashMap<u32, String>,
    exports: HashMap<u32, String>,
    lines: Option<addr2line::Context<Bytes<'a>>>,
}

/// Deeper inlining is not shown.
const MAX_PLACES: usize = 16;
const MAX_NAMES: usize = 200_000;
/// The rest of a longer name is left out.
const MAX_NAME_BYTES: usize = 4096;

impl<'a> DebugNames<'a> {
    /// Reads the names.
    ///
    /// # Errors
    ///
    /// The reason, for people, if the bytes are not wasm.
    pub fn read(wasm: &'a [u8]) -> Result<DebugNames<'a>, String> {
        let mut names = DebugNames {
            imported_functions: 0,
            code: &[],
            functions: HashMap::new(),
            exports: HashMap::new(),
            lines: None,
        };
        let mut debug_sections: HashMap<&str, &[u8]> = HashMap::new();
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.map_err(|error| error.to_string())? {
                Payload::ImportSection(imports) => {
                    let functions = imports.into_iter().map_while(Result::ok);
                    let functions = functions.filter(|i| matches!(i.ty, TypeRef::Func(_)));
                    names.imported_functions = functions.count() as u32;
                }
                Payload::ExportSection(exports) => {
                    for export in exports.into_iter().map_while(Result::ok).take(MAX_NAMES) {
                        if export.kind == ExternalKind::Func {
                            names.exports.insert(export.index, export.name.to_string());
                        }
                    }
                }
                Payload::CodeSectionStart { range, .. } => {
                    names.code = wasm.get(range).unwrap_or_default();
                }
                Payload::CustomSection(section) if section.name() == "name" => {
                    let reader = NameSectionReader::new(section.data(), section.data_offset());
                    names.functions = function_names(reader);
                }
                Payload::CustomSection(section) if section.name().starts_with(".debug_") => {
                    debug_sections.insert(section.name(), section.data());
                }
                _ => {}
            }
        }
        if debug_sections.contains_key(".debug_line") {
            let dwarf = dwarf_of(&debug_sections);
            names.lines = dwarf.and_then(|dwarf| addr2line::Context::from_dwarf(dwarf).ok());
        }
        Ok(names)
    }

    /// Says whether addresses and function indexes mean the same in both.
    pub fn is_of_same_code(&self, other: &DebugNames) -> bool {
        self.code == other.code && self.imported_functions == other.imported_functions
    }

    pub fn has_lines(&self) -> bool {
        self.lines.is_some()
    }

    pub fn function(&self, index: u32) -> Option<String> {
        let named = self.functions.get(&index).or_else(|| self.exports.get(&index));
        named.map(|name| plain_name(name).into_owned())
    }

    /// Every row of the line table before address `end`: address, length, file, line and column.
    pub fn rows(&self, end: u32) -> Vec<(u32, u32, &str, u32, u32)> {
        let Some(lines) = &self.lines else { return vec![] };
        let Ok(rows) = lines.find_location_range(0, u64::from(end)) else { return vec![] };
        let mut read = vec![];
        for (address, length, at) in rows {
            let (Ok(address), Ok(length)) = (u32::try_from(address), u32::try_from(length)) else {
                continue;
            };
            if let (Some(file), Some(line)) = (at.file, at.line) {
                read.push((address, length, file, line, at.column.unwrap_or(0)));
            }
        }
        read
    }

    /// The source places of an address, the innermost first. Empty if the line table does not have
    /// the address.
    pub fn places(&self, address: u32) -> Vec<SourcePlace> {
        let Some(lines) = &self.lines else { return vec![] };
        let mut places = vec![];
        let Ok(mut frames) = lines.find_frames(u64::from(address)).skip_all_loads() else {
            return places;
        };
        while let (Ok(Some(frame)), true) = (frames.next(), places.len() < MAX_PLACES) {
            let function = frame.function.as_ref().and_then(|function| {
                function.raw_name().ok().map(|name| plain_name(&name).into_owned())
            });
            let at = frame.location.as_ref();
            places.push(SourcePlace {
                function,
                file: at.and_then(|at| at.file).map(str::to_string),
                line: at.and_then(|at| at.line),
                column: at.and_then(|at| at.column),
            });
        }
        places
    }
}

fn function_names(sections: NameSectionReader) -> HashMap<u32, String> {
    let sections = sections.into_iter().map_while(Result::ok);
    let functions = sections.filter_map(|names| match names {
        Name::Function(functions) => Some(functions),
        _ => None,
    });
    let named = functions.flat_map(|functions| functions.into_iter().map_while(Result::ok));
    named.take(MAX_NAMES).map(|naming| (naming.index, naming.name.to_string())).collect()
}

/// The demangled name, without the hash that rustc appends.
fn plain_name(name: &str) -> Cow<'_, str> {
    let name = &name[..name.floor_char_boundary(MAX_NAME_BYTES)];
    if let Ok(demangled) = rustc_demangle::try_demangle(name) {
        return Cow::Owned(format!("{demangled:#}"));
    }
    // Linkers write demangled names together with their hash.
    match name.rsplit_once("::h") {
        Some((plain, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            Cow::Borrowed(plain)
        }
        _ => Cow::Borrowed(name),
    }
}
