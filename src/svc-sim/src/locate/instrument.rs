// Wasm that tells where it is: the same code with calls to the host's log in it, which the trace hook
// reads. wasmi does not tell where a trap was; with these, the last words before it do.
//
// Every function says when it begins; every call, before and after; every instruction that traps on
// purpose or on a divisor, before. Memory accesses are too many: a trap there is known by its function.

use super::leb::{read_unsigned, write_signed_64, write_unsigned};
use std::{collections::hash_map::RandomState, hash::BuildHasher, ops::Range};
use wasmparser::{
    BinaryReaderError, ElementItems, ElementKind, ElementSectionReader, ExportSectionReader,
    ExternalKind, FunctionBody, Operator, Parser, Payload, TypeRef,
};

/// What is run instead of the code that has this hash.
pub struct Instrumented {
    pub code_hash: [u8; 32],
    pub wasm: Vec<u8>,
    /// In every mark, and known to no contract.
    pub secret: [u32; 2],
}

/// The marks' first argument; the second is a function's index or an address. Addresses are what
/// DWARF has for wasm: offsets from the start of the code section's content.
pub mod mark {
    /// A function begins.
    pub const ENTER: u32 = 1;
    /// What comes next may not come back.
    pub const AT: u32 = 2;
    /// It came back.
    pub const BACK: u32 = 3;
}

const TYPE_SECTION: u8 = 1;
const IMPORT_SECTION: u8 = 2;
const EXPORT_SECTION: u8 = 7;
const START_SECTION: u8 = 8;
const ELEMENT_SECTION: u8 = 9;
const CODE_SECTION: u8 = 10;
const CUSTOM_SECTION: u8 = 0;

/// `log_from_linear_memory` of the host's interface (env.json), in every protocol.
const LOG: (&str, &str) = ("x", "_");

/// In words.
pub struct NotUnderstood(pub String);

impl From<BinaryReaderError> for NotUnderstood {
    fn from(error: BinaryReaderError) -> Self {
        NotUnderstood(error.to_string())
    }
}

type Result<T> = std::result::Result<T, NotUnderstood>;

fn unsupported<T>(what: &str) -> Result<T> {
    Err(NotUnderstood(format!("{what} cannot be instrumented")))
}

/// # Errors
/// What of the wasm is not understood.
pub fn instrument(wasm: &[u8], code_hash: [u8; 32]) -> Result<Instrumented> {
    let random = RandomState::new().hash_one(code_hash);
    let secret = [random as u32, (random >> 32) as u32];
    let module = Module::read(wasm)?;
    let wasm = module.write(wasm, secret)?;
    Ok(Instrumented { code_hash, wasm, secret })
}

/// The parts of a module that change.
#[derive(Default)]
struct Module<'a> {
    /// Every section: its id and where its content stands.
    sections: Vec<(u8, Range<usize>)>,
    types: u32,
    imported_functions: u32,
    bodies: Vec<FunctionBody<'a>>,
    code_start: usize,
}

impl<'a> Module<'a> {
    fn read(wasm: &'a [u8]) -> Result<Module<'a>> {
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

    fn write(&self, wasm: &[u8], secret: [u32; 2]) -> Result<Vec<u8>> {
        let mut output = wasm[..8].to_vec();
        let mut imported = false;
        for (id, range) in &self.sections {
            let content = &wasm[range.clone()];
            // Sections have an order; a module may have no imports of its own.
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
                CODE_SECTION => push_section(&mut output, *id, &self.code(wasm, secret)?),
                // Names are looked up in the wasm as it was.
                CUSTOM_SECTION if content.starts_with(b"\x04name") => {}
                _ => push_section(&mut output, *id, content),
            }
        }
        Ok(output)
    }

    /// The log comes after the imports that were there, so every function of the module moves.
    fn moved(&self, function: u32) -> u32 {
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

    /// Only the form that compilers for the contract host write: lists of functions for the one table.
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

    fn code(&self, wasm: &[u8], secret: [u32; 2]) -> Result<Vec<u8>> {
        let mut output = vec![];
        write_unsigned(&mut output, self.bodies.len() as u32);
        for (index, body) in (self.imported_functions..).zip(&self.bodies) {
            let body = self.body(wasm, index, body, secret)?;
            write_unsigned(&mut output, body.len() as u32);
            output.extend(body);
        }
        Ok(output)
    }

    fn body(
        &self,
        wasm: &[u8],
        function: u32,
        body: &FunctionBody,
        secret: [u32; 2],
    ) -> Result<Vec<u8>> {
        let marks = Marks { log: self.imported_functions, secret };
        let operators = body.get_operators_reader()?;
        let mut output = wasm[body.range().start..operators.original_position()].to_vec();
        marks.write(&mut output, mark::ENTER, function);
        let operators =
            operators.into_iter_with_offsets().collect::<wasmparser::Result<Vec<_>>>()?;
        let ends = operators.iter().skip(1).map(|(_, offset)| *offset).chain([body.range().end]);
        for ((operator, offset), end) in operators.iter().zip(ends) {
            let address = (offset - self.code_start) as u32;
            let watched = may_not_come_back(operator);
            if watched {
                marks.write(&mut output, mark::AT, address);
            }
            match operator {
                Operator::Call { function_index } => {
                    output.push(wasm[*offset]);
                    write_unsigned(&mut output, self.moved(*function_index));
                }
                Operator::RefFunc { .. }
                | Operator::ReturnCall { .. }
                | Operator::ReturnCallIndirect { .. } => return unsupported("a tail call"),
                _ => output.extend(&wasm[*offset..end]),
            }
            if watched && !matches!(operator, Operator::Unreachable) {
                marks.write(&mut output, mark::BACK, address);
            }
        }
        Ok(output)
    }
}

fn may_not_come_back(operator: &Operator) -> bool {
    use Operator::{
        Call, CallIndirect, I32DivS, I32DivU, I32RemS, I32RemU, I64DivS, I64DivU, I64RemS, I64RemU,
        Unreachable,
    };
    matches!(
        operator,
        Call { .. }
            | CallIndirect { .. }
            | Unreachable
            | I32DivS
            | I32DivU
            | I32RemS
            | I32RemU
            | I64DivS
            | I64DivU
            | I64RemS
            | I64RemU
    )
}

struct Marks {
    /// The log's function index.
    log: u32,
    secret: [u32; 2],
}

impl Marks {
    /// `drop(log(kind, value, secret…))`; the host's arguments are U32Vals.
    fn write(&self, output: &mut Vec<u8>, kind: u32, value: u32) {
        const I64_CONST: u8 = 0x42;
        const CALL: u8 = 0x10;
        const DROP: u8 = 0x1a;
        for number in [kind, value, self.secret[0], self.secret[1]] {
            output.push(I64_CONST);
            write_signed_64(output, u32_val(number));
        }
        output.push(CALL);
        write_unsigned(output, self.log);
        output.push(DROP);
    }
}

/// A `Val` of tag U32Val (4) with the number in its upper half.
fn u32_val(number: u32) -> i64 {
    ((u64::from(number) << 32) | 4) as i64
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
