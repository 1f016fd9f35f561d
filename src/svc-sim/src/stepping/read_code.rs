// Reads the sections of a contract's wasm, which may be hostile. The wasm is validated first. Code
// that no host runs, or that would take much more memory here than it has bytes, cannot be stepped
// through.

use super::{
    code::{Code, Function, Signature},
    translate::Translation,
};
use crate::hosts::host_functions::host_function;
use wasmparser::{
    BinaryReaderError, ConstExpr, DataKind, ElementItems, ElementKind, ExternalKind, FunctionBody,
    Operator, Parser, Payload, TypeRef, Validator,
};

pub type Result<T> = std::result::Result<T, String>;

pub fn text(error: BinaryReaderError) -> String {
    error.to_string()
}

/// `WASMI_LIMITS_CONFIG` of every host (soroban-env-host, budget/wasmi_helper.rs).
const MAX_TABLE_ELEMENTS: u32 = 1000;
/// Eight times the largest contract that the public network accepts.
const MAX_CODE_BYTES: usize = 1 << 20;
/// The locals of all functions.
const MAX_LOCALS: usize = 1 << 20;
/// 256 MiB, far above the memory limit of any network.
pub const MAX_PAGES: usize = 1 << 12;

impl Code {
    /// Reads a contract's code.
    ///
    /// # Errors
    ///
    /// The part of the wasm that cannot be stepped through, for people.
    pub fn read(hash: [u8; 32], wasm: &[u8]) -> Result<Code> {
        Validator::new().validate_all(wasm).map_err(text)?;
        let mut code = Code { hash, max_memory_pages: 65_536, ..Code::default() };
        let mut signatures_of: Vec<u32> = vec![];
        let mut bodies: Vec<FunctionBody> = vec![];
        let mut code_start = 0;
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.map_err(text)? {
                Payload::TypeSection(types) => {
                    for group in types {
                        for sub_type in group.map_err(text)?.types() {
                            let wasmparser::CompositeType::Func(function) =
                                &sub_type.composite_type
                            else {
                                return Err("a type that is not a function's".into());
                            };
                            code.signatures.push(Signature {
                                parameters: function.params().to_vec(),
                                results: function.results().to_vec(),
                            });
                        }
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports {
                        let import = import.map_err(text)?;
                        let TypeRef::Func(signature) = import.ty else {
                            return Err("an import that is not a function".into());
                        };
                        code.imports.push((signature, host_function(import.module, import.name)));
                    }
                }
                Payload::FunctionSection(functions) => {
                    for function in functions {
                        signatures_of.push(function.map_err(text)?);
                    }
                }
                Payload::TableSection(tables) => {
                    for table in tables {
                        let size = table.map_err(text)?.ty.initial;
                        if size > MAX_TABLE_ELEMENTS {
                            return Err("a table with more elements than a host allows".into());
                        }
                        code.table = vec![None; size as usize];
                    }
                }
                Payload::MemorySection(memories) => {
                    for memory in memories {
                        let memory = memory.map_err(text)?;
                        if memory.initial > MAX_PAGES as u64 {
                            return Err("more memory than any network allows".into());
                        }
                        code.memory_pages = memory.initial as usize;
                        code.max_memory_pages = memory.maximum.unwrap_or(65_536) as usize;
                    }
                }
                Payload::GlobalSection(globals) => {
                    for global in globals {
                        let global = global.map_err(text)?;
                        code.globals.push(constant(&global.init_expr, &code.globals)?);
                        code.global_types.push(global.ty.content_type);
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export.map_err(text)?;
                        if export.kind == ExternalKind::Func {
                            code.exports.insert(export.name.to_string(), export.index);
                        }
                    }
                }
                Payload::ElementSection(elements) => {
                    for element in elements {
                        let element = element.map_err(text)?;
                        let (
                            ElementItems::Functions(functions),
                            ElementKind::Active { offset_expr, .. },
                        ) = (element.items, element.kind)
                        else {
                            return Err("an element segment".into());
                        };
                        let offset = constant(&offset_expr, &code.globals)? as usize;
                        for (at, function) in functions.into_iter().enumerate() {
                            let slot = code.table.get_mut(offset.saturating_add(at));
                            *slot.ok_or("an element outside its table")? =
                                Some(function.map_err(text)?);
                        }
                    }
                }
                Payload::DataSection(segments) => {
                    for segment in segments {
                        let segment = segment.map_err(text)?;
                        let at = match segment.kind {
                            DataKind::Passive => None,
                            DataKind::Active { offset_expr, .. } => {
                                Some(constant(&offset_expr, &code.globals)? as usize)
                            }
                        };
                        code.data.push((at, segment.data.to_vec()));
                    }
                }
                Payload::CodeSectionStart { range, .. } => {
                    if range.len() > MAX_CODE_BYTES {
                        return Err("more code than any network allows".into());
                    }
                    code_start = range.start;
                }
                Payload::CodeSectionEntry(body) => bodies.push(body),
                _ => {}
            }
        }
        code.functions = signatures_of
            .into_iter()
            .map(|signature| Function {
                first: 0,
                end: 0,
                signature,
                locals: vec![],
                most_values: 0,
            })
            .collect();
        let mut locals = 0;
        for (index, body) in bodies.iter().enumerate() {
            Translation::of(&mut code, index, wasm, code_start).body(body)?;
            locals += code.functions[index].locals.len();
            if locals > MAX_LOCALS {
                return Err("too many locals".into());
            }
        }
        Ok(code)
    }
}

fn constant(expression: &ConstExpr, globals: &[u64]) -> Result<u64> {
    let mut reader = expression.get_operators_reader();
    match reader.read().map_err(text)? {
        Operator::I32Const { value } => Ok(u64::from(value as u32)),
        Operator::I64Const { value } => Ok(value as u64),
        Operator::GlobalGet { global_index } => {
            globals.get(global_index as usize).copied().ok_or("an unknown global".into())
        }
        _ => Err("a constant expression".into()),
    }
}
