// Wasm that tells where it is: the same code with calls to the host's log in it, which the mark hook
// reads. wasmi tells neither where a trap was nor which function runs; with these, both are known.
//
// Every function says when it begins; every call and every instruction that traps on purpose or on a
// divisor, before and after. Accesses to memory are too many: they do it in one function, if asked.

use super::leb::{read_unsigned, write_signed_64, write_unsigned};
use crate::{
    apply::InstrumentedCode,
    hosts::marks::{mark, MarkedFunction, MOST_CODES},
};
use std::{collections::hash_map::RandomState, hash::BuildHasher, ops::Range};
use wasmparser::{
    BinaryReaderError, ElementItems, ElementKind, ElementSectionReader, ExportSectionReader,
    ExternalKind, FunctionBody, Operator, Parser, Payload, TypeRef,
};

/// Code to run in the place of contracts' own.
pub struct Instrumentation {
    /// In every mark, and known to no contract.
    pub secret: [u32; 2],
    pub codes: Vec<InstrumentedCode>,
}

impl Instrumentation {
    pub fn new() -> Instrumentation {
        let random = RandomState::new().hash_one("svc-sim");
        Instrumentation { secret: [random as u32, (random >> 32) as u32], codes: vec![] }
    }

    /// `memory_of`: the function whose accesses to memory are marked too.
    ///
    /// # Errors
    /// What of the wasm is not understood.
    pub fn add(&mut self, wasm: &[u8], hash: [u8; 32], memory_of: Option<u32>) -> Result<()> {
        let marking = Marking {
            secret: self.secret,
            code: u32::try_from(self.codes.len()).unwrap_or(u32::MAX),
            memory_of,
        };
        if marking.code >= MOST_CODES {
            return unsupported("more code");
        }
        let wasm = Module::read(wasm)?.write(wasm, marking)?;
        self.codes.push(InstrumentedCode { hash, wasm });
        Ok(())
    }
}

/// What the marks of one code say beside their kind.
#[derive(Clone, Copy)]
struct Marking {
    secret: [u32; 2],
    /// Among the instrumentation's.
    code: u32,
    memory_of: Option<u32>,
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

    fn write(&self, wasm: &[u8], marking: Marking) -> Result<Vec<u8>> {
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
                CODE_SECTION => push_section(&mut output, *id, &self.code(wasm, marking)?),
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

    fn code(&self, wasm: &[u8], marking: Marking) -> Result<Vec<u8>> {
        let mut output = vec![];
        write_unsigned(&mut output, self.bodies.len() as u32);
        for (index, body) in (self.imported_functions..).zip(&self.bodies) {
            let body = self.body(wasm, index, body, marking)?;
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
        Marking { secret, code, memory_of }: Marking,
    ) -> Result<Vec<u8>> {
        let marks = Marks { log: self.imported_functions, secret };
        let memory = memory_of == Some(function);
        let operators = body.get_operators_reader()?;
        let mut output = wasm[body.range().start..operators.original_position()].to_vec();
        let entered = MarkedFunction { code, index: function };
        marks.write(&mut output, mark::ENTER, entered.to_mark());
        let operators =
            operators.into_iter_with_offsets().collect::<wasmparser::Result<Vec<_>>>()?;
        let ends = operators.iter().skip(1).map(|(_, offset)| *offset).chain([body.range().end]);
        for ((operator, offset), end) in operators.iter().zip(ends) {
            let address = (offset - self.code_start) as u32;
            let watched = may_not_come_back(operator) || memory && accesses_memory(operator);
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

fn accesses_memory(operator: &Operator) -> bool {
    use Operator::{
        I32Load, I32Load16S, I32Load16U, I32Load8S, I32Load8U, I32Store, I32Store16, I32Store8,
        I64Load, I64Load16S, I64Load16U, I64Load32S, I64Load32U, I64Load8S, I64Load8U, I64Store,
        I64Store16, I64Store32, I64Store8, MemoryCopy, MemoryFill, MemoryInit,
    };
    matches!(
        operator,
        I32Load { .. }
            | I32Load16S { .. }
            | I32Load16U { .. }
            | I32Load8S { .. }
            | I32Load8U { .. }
            | I32Store { .. }
            | I32Store16 { .. }
            | I32Store8 { .. }
            | I64Load { .. }
            | I64Load16S { .. }
            | I64Load16U { .. }
            | I64Load32S { .. }
            | I64Load32U { .. }
            | I64Load8S { .. }
            | I64Load8U { .. }
            | I64Store { .. }
            | I64Store16 { .. }
            | I64Store32 { .. }
            | I64Store8 { .. }
            | MemoryCopy { .. }
            | MemoryFill { .. }
            | MemoryInit { .. }
    )
}

struct Marks {
    /// The log's function index.
    log: u32,
    secret: [u32; 2],
}

impl Marks {
    /// `drop(log(kind, value, secret…))`; the host's arguments are U32Vals. wasmi charges a block of
    /// code when it begins, to its end: in a loop of its own, a mark is charged when it is reached.
    fn write(&self, output: &mut Vec<u8>, kind: u32, value: u32) {
        const I64_CONST: u8 = 0x42;
        const CALL: u8 = 0x10;
        const DROP: u8 = 0x1a;
        const LOOP: u8 = 0x03;
        const NOTHING: u8 = 0x40;
        const END: u8 = 0x0b;
        output.extend([LOOP, NOTHING]);
        for number in [kind, value, self.secret[0], self.secret[1]] {
            output.push(I64_CONST);
            write_signed_64(output, u32_val(number));
        }
        output.push(CALL);
        write_unsigned(output, self.log);
        output.extend([DROP, END]);
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
