// Reads the sections of a wasm module, and writes them with one more import and other code.

use super::leb::{read_unsigned, write_unsigned};
use std::ops::Range;
use wasmparser::{
    BinaryReaderError, ElementItems, ElementKind, ElementSectionReader, ExportSectionReader,
    ExternalKind, FunctionBody, Parser, Payload, TypeRef,
};

const TYPE_SECTION: u8 = 1;
const IMPORT_SECTION: u8 = 2;
const EXPORT_SECTION: u8 = 7;
const START_SECTION: u8 = 8;
const ELEMENT_SECTION: u8 = 9;
const CODE_SECTION: u8 = 10;
const CUSTOM_SECTION: u8 = 0;

/// `log_from_linear_memory` of the host's interface (env.json), in every protocol.
const LOG: (&str, &str) = ("x", "_");

/// The reason, for people.
pub struct NotUnderstood(pub String);

impl From<BinaryReaderError> for NotUnderstood {
    fn from(error: BinaryReaderError) -> Self {
        NotUnderstood(error.to_string())
    }
}

pub type Result<T> = std::result::Result<T, NotUnderstood>;

pub fn unsupported<T>(what: &str) -> Result<T> {
    Err(NotUnderstood(format!("{what} cannot be instrumented")))
}

/// The parts of a module that change.
#[derive(Default)]
pub struct Module<'a> {
    /// Every section: its id and the range of its content.
    sections: Vec<(u8, Range<usize>)>,
    types: u32,
    pub imported_functions: u32,
    pub bodies: Vec<FunctionBody<'a>>,
    /// Where the code section's content begins.
    pub code_start: usize,
}

impl<'a> Module<'a> {
    pub fn read(wasm: &'a [u8]) -> Result<Module<'a>> {
        let mut module = Module::default();
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload?;
            if let Some((id, range)) = payload.as_section() {
                module.sections.push((id, range));
            }
            match payload {
                Payload::TypeSection(types) => module.types = types.count(),
                Payload::ImportSection(imports) => {
                    for import in imports {
                        if matches!(import?.ty, TypeRef::Func(_)) {
                            module.imported_functions += 1;
                        }
                    }
                }
                Payload::CodeSectionStart { range, .. } => module.code_start = range.start,
                Payload::CodeSectionEntry(body) => module.bodies.push(body),
                _ => {}
            }
        }
        Ok(module)
    }

    /// The module with the host's log as one more import, and with `bodies` as its code.
    ///
    /// # Errors
    /// What the wasm has that is not supported.
    pub fn write(&self, wasm: &[u8], bodies: &[Vec<u8>]) -> Result<Vec<u8>> {
        let mut output = wasm[..8].to_vec();
        let mut imported = false;
        for (id, range) in &self.sections {
            let content = &wasm[range.clone()];
            // The order of sections is fixed, and a module may have no imports.
            if !imported && *id > IMPORT_SECTION {
                push_section(&mut output, IMPORT_SECTION, &self.imports(&[0]));
                imported = true;
            }
            match *id {
                TYPE_SECTION => push_section(&mut output, *id, &self.with_log_type(content)),
                IMPORT_SECTION => {
                    push_section(&mut output, *id, &self.imports(content));
                    imported = true;
                }
                EXPORT_SECTION => push_section(&mut output, *id, &self.exports(content)?),
                START_SECTION => {
                    let mut start = vec![];
                    write_unsigned(&mut start, self.moved(read_unsigned(content).0));
                    push_section(&mut output, *id, &start);
                }
                ELEMENT_SECTION => push_section(&mut output, *id, &self.elements(content)?),
                CODE_SECTION => push_section(&mut output, *id, &code(bodies)),
                // Names are read from the original wasm.
                CUSTOM_SECTION if content.starts_with(b"\x04name") => {}
                _ => push_section(&mut output, *id, content),
            }
        }
        Ok(output)
    }

    /// The new index of a function. The log comes after the other imports, so every function of the
    /// module itself moves.
    pub fn moved(&self, function: u32) -> u32 {
        function + u32::from(function >= self.imported_functions)
    }

    fn with_log_type(&self, content: &[u8]) -> Vec<u8> {
        const I64: u8 = 0x7e;
        let log_type = [0x60, 4, I64, I64, I64, I64, 1, I64];
        with_one_more(content, self.types, &log_type)
    }

    fn imports(&self, content: &[u8]) -> Vec<u8> {
        let (count, _) = read_unsigned(content);
        let mut import = vec![];
        for name in [LOG.0, LOG.1] {
            write_unsigned(&mut import, name.len() as u32);
            import.extend(name.bytes());
        }
        import.push(0);
        write_unsigned(&mut import, self.types);
        with_one_more(content, count, &import)
    }

    fn exports(&self, content: &[u8]) -> Result<Vec<u8>> {
        let exports = ExportSectionReader::new(content, 0)?;
        let mut output = vec![];
        write_unsigned(&mut output, exports.count());
        for export in exports {
            let export = export?;
            write_unsigned(&mut output, export.name.len() as u32);
            output.extend(export.name.bytes());
            let (kind, index) = match export.kind {
                ExternalKind::Func => (0, self.moved(export.index)),
                ExternalKind::Table => (1, export.index),
                ExternalKind::Memory => (2, export.index),
                ExternalKind::Global => (3, export.index),
                ExternalKind::Tag => (4, export.index),
            };
            output.push(kind);
            write_unsigned(&mut output, index);
        }
        Ok(output)
    }

    /// Supports only what compilers for the contract host write: lists of functions for one table.
    fn elements(&self, content: &[u8]) -> Result<Vec<u8>> {
        let segments = ElementSectionReader::new(content, 0)?;
        let mut output = vec![];
        write_unsigned(&mut output, segments.count());
        for segment in segments {
            let segment = segment?;
            let ElementItems::Functions(functions) = segment.items else {
                return unsupported("an element segment");
            };
            let ElementKind::Active { table_index: None, offset_expr } = segment.kind else {
                return unsupported("an element segment");
            };
            write_unsigned(&mut output, 0);
            let mut reader = offset_expr.get_binary_reader();
            let expression = reader.range();
            output.extend(reader.read_bytes(expression.end - expression.start)?);
            write_unsigned(&mut output, functions.count());
            for function in functions {
                write_unsigned(&mut output, self.moved(function?));
            }
        }
        Ok(output)
    }
}

fn code(bodies: &[Vec<u8>]) -> Vec<u8> {
    let mut output = vec![];
    write_unsigned(&mut output, bodies.len() as u32);
    for body in bodies {
        write_unsigned(&mut output, body.len() as u32);
        output.extend(body);
    }
    output
}

fn with_one_more(content: &[u8], count: u32, item: &[u8]) -> Vec<u8> {
    let (_, length) = read_unsigned(content);
    let mut output = vec![];
    write_unsigned(&mut output, count + 1);
    output.extend(&content[length..]);
    output.extend(item);
    output
}

fn push_section(output: &mut Vec<u8>, id: u8, content: &[u8]) {
    output.push(id);
    write_unsigned(output, content.len() as u32);
    output.extend(content);
}
