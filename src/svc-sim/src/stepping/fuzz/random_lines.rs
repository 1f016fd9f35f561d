// Random lines on random code, mixed as an optimizing compiler mixes them, and random paths through
// the code.

use super::{random_module, Random};
use crate::stepping::{
    code::{successors, Code, EXIT},
    lines::{loops, Lines, Row},
};
use std::collections::HashSet;

const MODULES: u64 = 1500;
const WAYS: usize = 20;
const MOST_STEPS: usize = 300;

#[test]
fn every_line_that_does_something_is_begun_in_each_round_of_a_loop() {
    let mut checked = 0;
    for seed in 0..MODULES {
        let mut random = Random(seed);
        let Ok(code) = Code::read([0; 32], &random_module::module(&mut random)) else { continue };
        let lines = Lines::with_rows(&code, rows(&code, &mut random));
        for function in &code.functions {
            let loops = loops(&code, function.first, function.end);
            for _ in 0..WAYS {
                let rounds = rounds(&code, function.first, &loops, &mut random);
                checked += check(&code, &lines, &rounds, seed);
            }
        }
    }
    assert!(checked > 10_000, "{checked}");
}

/// Rows in which each instruction has the line of the one before it, or one of a few others.
fn rows(code: &Code, random: &mut Random) -> Vec<Row> {
    let count = 2 + random.below(6);
    let mut line = 1;
    let mut row = |address: u32| {
        if random.one_in(3) {
            line = random.below(count) as u32;
        }
        Row { address, end: address + 1, file: 0, line, column: 0 }
    };
    code.addresses.iter().map(|address| row(*address)).collect()
}

/// The operations of a random path to the end of the function, split at loops. `None` if the path
/// never ends.
fn rounds(code: &Code, first: u32, loops: &HashSet<u32>, random: &mut Random) -> Vec<Vec<u32>> {
    let mut rounds = vec![vec![]];
    let mut op = first;
    for _ in 0..MOST_STEPS {
        if loops.contains(&op) {
            rounds.push(vec![]);
        }
        rounds.last_mut().unwrap().push(op);
        let next = successors(code, op);
        if next.is_empty() {
            break;
        }
        op = next[random.below(next.len())];
        if op == EXIT {
            return rounds;
        }
    }
    vec![]
}

/// Checks where statements begin. A line that the path does not leave continues in the next round.
fn check(code: &Code, lines: &Lines, rounds: &[Vec<u32>], seed: u64) -> usize {
    let mut checked = 0;
    // The current line, and whether it began since the path reached it, or earlier in that round.
    let mut here: Option<((u32, u32), bool)> = None;
    for round in rounds {
        for (at, op) in round.iter().enumerate() {
            if code.ops[*op as usize].is_hidden() {
                continue;
            }
            let Some(line) = lines.line(*op) else {
                here = None;
                continue;
            };
            let is_begun = |round: &[u32]| {
                let same = |other: &&u32| lines.line(**other) == Some(line);
                round.iter().filter(same).any(|other| lines.begins(*other, 0))
            };
            let went_on = here.is_some_and(|(of, begun)| of == line && begun);
            let begun = went_on || is_begun(round);
            here = Some((line, begun));
            if code.ops[*op as usize].weight() > 0 {
                assert!(begun, "module {seed}, operation {op} at {at} of {round:?}");
                checked += 1;
            }
        }
    }
    checked
}
