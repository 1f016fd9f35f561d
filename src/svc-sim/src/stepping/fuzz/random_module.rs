// Random valid modules, with the sections that compilers write for the hosts.

use super::{
    random_body::{Body, END, I32, I64},
    Random,
};
use crate::stepping::leb::write_unsigned;

/// Host functions: the module, the name, and the number of numbers that each takes.
pub const IMPORTS: [(&str, &str, usize); 3] = [("x", "4", 0), ("x", "0", 2), ("x", "_", 4)];

pub struct Signature {
    pub parameters: Vec<u8>,
    pub result: Option<u8>,
}

/// A module that exports a function `f` of two numbers, its memory and its globals.
pub fn module(random: &mut Random) -> Vec<u8> {
    let imported = IMPORTS.map(|(_, _, count)| (vec![I64; count], Some(I64)));
    let mut signatures = imported.to_vec();
    signatures.push((vec![I64, I64], Some(I64)));
    for _ in 0..random.below(4) {
        let parameters = (0..random.below(4)).map(|_| [I32, I64][random.below(2)]).collect();
        signatures.push((parameters, [None, Some(I32), Some(I64)][random.below(3)]));
    }
    let signatures: Vec<Signature> = signatures
        .into_iter()
        .map(|(parameters, result)| Signature { parameters, result })
        .collect();
    let types = signatures.iter().map(|Signature { parameters, result }| {
        let results = result.iter().map(|of_type| vec![*of_type]);
        [vec![0x60], list(parameters.iter().map(|of_type| vec![*of_type])), list(results)].concat()
    });
    let imports = IMPORTS.iter().enumerate().map(|(index, (module, name, _))| {
        [text(module), text(name), vec![0, index as u8]].concat()
    });
    let own = IMPORTS.len()..signatures.len();
    let table = list((0..6).map(|_| vec![random.below(signatures.len()) as u8]));
    let exports = [("f", 0, IMPORTS.len()), ("m", 2, 0), ("g0", 3, 0), ("g1", 3, 1)]
        .map(|(name, kind, index)| [text(name), vec![kind, index as u8]].concat());
    let globals = [[I32, 1, 0x41, 7, END], [I64, 1, 0x42, 9, END]].map(|global| global.to_vec());
    let bodies = own.clone().map(|index| function(random, &signatures, index));
    let data = [
        [vec![0, 0x41, 16, END], text("of the start")].concat(),
        [vec![1], text("on demand")].concat(),
    ];
    let sections = [
        (1, list(types)),
        (2, list(imports)),
        (3, list(own.clone().map(|index| vec![index as u8]))),
        (4, vec![1, 0x70, 0, 9]),
        (5, vec![1, 1, 1, 3]),
        (6, list(globals)),
        (7, list(exports)),
        (9, [vec![1, 0, 0x41, 1, END], table].concat()),
        (12, vec![2]),
        (10, list(bodies)),
        (11, list(data)),
    ];
    let mut wasm = b"\0asm\x01\0\0\0".to_vec();
    for (id, content) in sections {
        wasm.push(id);
        wasm.extend(sized(content));
    }
    wasm
}

fn function(random: &mut Random, signatures: &[Signature], index: usize) -> Vec<u8> {
    let Signature { parameters, result } = &signatures[index];
    let count = if random.one_in(20) { 2_000 } else { random.below(20) };
    let mut output = vec![1];
    write_unsigned(&mut output, count as u32);
    output.push(I64);
    let locals = [parameters.clone(), vec![I64; count]].concat();
    let (labels, left) = (vec![*result], 40 + random.below(200));
    let mut body = Body { random, signatures, locals, labels, output, left };
    if body.random.one_in(40) {
        body.recursion(index);
    }
    if index == IMPORTS.len() && body.random.one_in(2) {
        body.checks();
    }
    body.block(*result);
    body.output.push(END);
    sized(body.output)
}

fn list(items: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let items: Vec<Vec<u8>> = items.into_iter().collect();
    let mut output = vec![];
    write_unsigned(&mut output, items.len() as u32);
    output.extend(items.concat());
    output
}

fn sized(content: Vec<u8>) -> Vec<u8> {
    let mut output = vec![];
    write_unsigned(&mut output, content.len() as u32);
    output.extend(content);
    output
}

fn text(text: &str) -> Vec<u8> {
    [&[text.len() as u8], text.as_bytes()].concat()
}
