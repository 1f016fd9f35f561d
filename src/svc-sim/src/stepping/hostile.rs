// Readers of contracts' wasm and debug information survive any bytes, and use memory in proportion
// to them. The tests mutate valid files, and use files that are made to take much memory.

use super::{
    code::Code,
    debug_info::{DebugInfo, Reading, Registers},
    debug_names::DebugNames,
    disassembly::disassemble,
    leb::write_unsigned,
    lines::Lines,
};
use crate::{counted_memory::peak_bytes, random::Random};

/// The number of mutations of each file. The variable SVC_FUZZ_BYTES changes it.
const MUTATIONS: u64 = 400;
/// The memory that any bytes may take. The rest must be in proportion to the bytes.
const MOST_FIXED_BYTES: usize = 400 << 20;

fn contract(name: &str) -> Vec<u8> {
    let root = std::path::PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    std::fs::read(root.join("../../tests/contracts").join(name)).unwrap()
}

/// Reads everything of a contract that is read before stepping, and places in it.
fn read_all(wasm: &[u8], random: &mut Random) {
    let code = Code::read([0; 32], wasm);
    let names = DebugNames::read(wasm);
    let info = DebugInfo::read(wasm);
    if let (Ok(code), Ok(names)) = (&code, &names) {
        let lines = Lines::of(code, Some((names, wasm)));
        lines.bindable(code);
    }
    disassemble(wasm, random.below(4), |index| index.to_string());
    let empty = Code::default();
    let code = code.as_ref().unwrap_or(&empty);
    for _ in 0..4 {
        let address = random.below(0x4000) as u32;
        if let Ok(names) = &names {
            names.function(address);
            names.rows(address);
            names.places(address);
        }
        if let Some(info) = &info {
            info.inlined();
            let memory = [7; 4096];
            let registers = Registers {
                code,
                function: 0,
                op: 0,
                memory: &memory,
                locals: vec![(16, false), (1 << 40, true)],
                globals: vec![(1024, false)],
                operands: vec![],
            };
            if !code.ops.is_empty() {
                Reading::variables(info, address, random.below(3), registers);
            }
        }
    }
}

fn survives(wasm: &[u8], what: &str, random: &mut Random) {
    let peak = peak_bytes(|| read_all(wasm, random));
    let most = MOST_FIXED_BYTES + 60 * wasm.len();
    assert!(peak < most, "{what}: {} bytes of wasm took {peak}", wasm.len());
}

#[test]
fn mutations_of_contracts_are_read_or_refused() {
    let most = std::env::var("SVC_FUZZ_BYTES").map_or(MUTATIONS, |text| text.parse().unwrap());
    for name in ["panics-debug.wasm", "token-debug.wasm", "pool-debug.wasm", "why-z.wasm"] {
        let valid = contract(name);
        survives(&valid, name, &mut Random(0));
        assert!(Code::read([0; 32], &valid).is_ok(), "{name}");
        for seed in 0..most {
            let mut random = Random(seed);
            let wasm = random.mutated(&valid);
            survives(&wasm, &format!("{name}, mutation {seed}"), &mut random);
        }
    }
}

fn unsigned(value: u32) -> Vec<u8> {
    let mut bytes = vec![];
    write_unsigned(&mut bytes, value);
    bytes
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id], &unsigned(content.len() as u32)[..], content].concat()
}

fn module(sections: &[Vec<u8>]) -> Vec<u8> {
    [b"\0asm\x01\0\0\0", &sections.concat()[..]].concat()
}

fn custom(name: &str, content: &[u8]) -> Vec<u8> {
    section(0, &[&[name.len() as u8], name.as_bytes(), content].concat())
}

/// A module with one function `() -> ()` for each body.
fn with_bodies(bodies: &[Vec<u8>], more: &[Vec<u8>]) -> Vec<u8> {
    let count = unsigned(bodies.len() as u32);
    let all: Vec<u8> = bodies
        .iter()
        .flat_map(|body| [unsigned(body.len() as u32), body.clone()].concat())
        .collect();
    let functions = vec![0; bodies.len()];
    let mut sections = vec![
        section(1, &[1, 0x60, 0, 0]),
        section(3, &[&count[..], &functions].concat()),
        section(10, &[&count[..], &all].concat()),
    ];
    sections.extend_from_slice(more);
    module(&sections)
}

const MANY: [u8; 5] = [0xff, 0xff, 0xff, 0xff, 0x0f];

#[test]
fn what_no_host_runs_is_refused_before_it_takes_memory() {
    let type_and_function = [section(1, &[1, 0x60, 0, 0]), section(3, &[1, 0])].concat();
    let code = section(10, &[1, 2, 0, 0x0b]);
    let table = |initial: &[u8]| section(4, &[&[1, 0x70, 0], initial].concat());
    let memory = |initial: &[u8]| section(5, &[&[1, 0], initial].concat());
    let element = |offset: &[u8]| section(9, &[&[1, 0, 0x41], offset, &[0x0b, 1, 0]].concat());
    let of = |sections: &[Vec<u8>]| module(&[type_and_function.clone(), sections.concat()]);
    let locals = [&[1][..], &unsigned(50_000), &[0x7e, 0x0b]].concat();
    let large_body = [&[0][..], &vec![1; 2 << 20], &[0x0b]].concat();
    let hostile = [
        ("a table of 2^32 - 1 elements", of(&[table(&MANY), code.clone()])),
        ("a table of ten million elements", of(&[table(&unsigned(10_000_000)), code.clone()])),
        ("4 GiB of memory", of(&[memory(&unsigned(65_536)), code.clone()])),
        ("an element at -1", of(&[table(&[1]), element(&[0x7f]), code.clone()])),
        ("2^32 - 1 locals", with_bodies(&[[&[1][..], &MANY, &[0x7e, 0x0b]].concat()], &[])),
        ("5 * 10^8 locals of all", with_bodies(&vec![locals; 10_000], &[])),
        ("2 MiB of code", with_bodies(&[large_body], &[])),
    ];
    for (what, wasm) in hostile {
        let peak = peak_bytes(|| assert!(Code::read([0; 32], &wasm).is_err(), "{what}"));
        assert!(peak < (64 << 20) + 4 * wasm.len(), "{what}: {peak} bytes");
    }
}

/// Debug information of one unit: `entries` after its root, these abbreviations, whose first one is
/// the root's, and this list of ranges.
fn dwarf(abbreviations: &[u8], entries: &[u8], ranges: &[u8], lines: &[u8]) -> Vec<u8> {
    // Version 4, abbreviations at 0, addresses of 4 bytes.
    let unit = [&[4, 0, 0, 0, 0, 0, 4][..], entries].concat();
    let info = [&(unit.len() as u32).to_le_bytes()[..], &unit].concat();
    with_bodies(
        &[vec![0, 0x0b]],
        &[
            custom(".debug_abbrev", abbreviations),
            custom(".debug_info", &info),
            custom(".debug_ranges", ranges),
            custom(".debug_line", lines),
        ],
    )
}

/// Ranges of two bytes each, then the end of the list.
fn ranges(count: u32) -> Vec<u8> {
    let all = (0..count).flat_map(|at| [4 * at + 1, 4 * at + 3]).chain([0, 0]);
    all.flat_map(u32::to_le_bytes).collect()
}

const COMPILE_UNIT: u8 = 0x11;
const SUBPROGRAM: u8 = 0x2e;
const INLINED: u8 = 0x1d;
/// DW_AT_ranges as DW_FORM_sec_offset, and the end of the attributes.
const RANGES: [u8; 4] = [0x55, 0x17, 0, 0];

#[test]
fn ranges_that_many_share_are_not_taken_many_times() {
    let root = [&[1, COMPILE_UNIT, 1][..], &RANGES].concat();
    let function = [&[2, SUBPROGRAM, 1][..], &RANGES].concat();
    let inlined = [&[3, INLINED, 0][..], &RANGES].concat();
    let abbreviations = [root, function, inlined, vec![0]].concat();
    let entry = |code: u8| [code, 0, 0, 0, 0];
    // The root, a function, and the functions that are inlined in it.
    let entries =
        |count: usize| [&entry(1)[..], &entry(2), &entry(3).repeat(count), &[0, 0]].concat();
    // 15 MB of ranges in one unit; then few ranges that many functions share.
    for (count, shared_by) in [(1_900_000, 1), (100_000, 50_000), (20_000, 1_000_000)] {
        let wasm = dwarf(&abbreviations, &entries(shared_by), &ranges(count), &[0; 64]);
        let what = format!("{count} ranges for {shared_by}");
        survives(&wasm, &what, &mut Random(1));
    }
    // As many ranges as a large contract has are read.
    let wasm = dwarf(&abbreviations, &entries(3), &ranges(2), &[]);
    let found = DebugInfo::read(&wasm).unwrap().inlined();
    assert_eq!(found.iter().map(|(_, ranges)| ranges.len()).collect::<Vec<_>>(), [2, 2, 2]);
}

#[test]
fn attributes_without_bytes_and_shared_tables_are_counted() {
    // DW_AT_artificial as DW_FORM_flag_present, which takes no byte.
    let empty = [0x34, 0x19].repeat(100_000);
    let table = [&[1, COMPILE_UNIT, 1][..], &empty, &[0, 0, 0]].concat();
    survives(&dwarf(&table, &[1].repeat(200_000), &[], &[0; 64]), "attributes", &mut Random(1));
    // Many units share one large table, and each of them reads it.
    let unit = [&8u32.to_le_bytes()[..], &[4, 0, 0, 0, 0, 0, 4, 1]].concat();
    let more = [
        custom(".debug_abbrev", &table),
        custom(".debug_info", &unit.repeat(100_000)),
        custom(".debug_line", &[0; 64]),
    ];
    survives(&with_bodies(&[vec![0, 0x0b]], &more), "units", &mut Random(1));
}

#[test]
fn files_that_share_a_long_directory_are_not_written_out() {
    // DW_AT_stmt_list as DW_FORM_sec_offset.
    let table = [1, COMPILE_UNIT, 0, 0x10, 0x17, 0, 0, 0];
    let directory = [&vec![b'd'; 60_000][..], &[0, 0]].concat();
    let files = [b'f', 0, 1, 0, 0].repeat(100_000);
    // The lengths of instructions, flags, the first line, its range, and the lengths of 12
    // operations.
    let fixed = [&[1, 1, 1, 0, 1, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1][..]].concat();
    let content = [&fixed[..], &directory, &files, &[0]].concat();
    let header = [&[4, 0][..], &(content.len() as u32).to_le_bytes(), &content].concat();
    let lines = [&(header.len() as u32).to_le_bytes()[..], &header].concat();
    survives(&dwarf(&table, &[1, 0, 0, 0, 0], &[], &lines), "files", &mut Random(1));
}

#[test]
fn branches_of_one_table_are_read_in_a_moment() {
    // Nested blocks, and a table that leaves each of them.
    let depth = 40_000u32;
    let targets: Vec<u8> = (0..depth).flat_map(unsigned).collect();
    let body = [
        &[0][..],
        &[0x02, 0x40].repeat(depth as usize),
        &[0x41, 0, 0x0e],
        &unsigned(depth),
        &targets,
        &[0],
        &[0x0b].repeat(depth as usize + 1),
    ]
    .concat();
    survives(&with_bodies(&[body], &[]), "one table", &mut Random(1));
    // Nested loops, with as many branches back to the outermost.
    let body = [
        &[0][..],
        &[0x03, 0x40].repeat(20_000),
        &[[0x41, 0, 0x0d].to_vec(), unsigned(19_999)].concat().repeat(40_000),
        &[0x0b].repeat(20_001),
    ]
    .concat();
    survives(&with_bodies(&[body], &[]), "loops", &mut Random(1));
}
