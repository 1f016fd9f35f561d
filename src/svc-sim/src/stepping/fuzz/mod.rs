// Compares the interpreter with the engine of the hosts: random modules must end the same way in
// both, with the same fuel at each host call and at the end, the same memory and the same globals.

mod random_body;
mod random_lines;
mod random_module;

use super::{
    code::Code,
    host_effects::Objects,
    machine::Machine,
    record::{FrameKind, FrameRecord, HostCallRecord},
    stop::{Stop, Trap},
    why::{branch_side, shadow::Shadow, slice::Slicer, why_alone},
};
use crate::{
    hosts::{
        host_functions::host_function,
        recorded::{RecordedRun, RecordedValue},
    },
    random::Random,
    wire::why::{Term, TermKind},
};
use random_module::IMPORTS;
use std::{
    ops::Range,
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering},
};
use wasmi::{
    core::{TrapCode, ValueType},
    Caller, Config, Engine, Error, Linker, Module, Store, Value,
};

/// The variable SVC_FUZZ_MODULES changes this number.
const MODULES: u64 = 4000;

#[test]
fn random_modules_run_as_in_the_engine_of_the_hosts() {
    let modules = std::env::var("SVC_FUZZ_MODULES").map_or(MODULES, |text| text.parse().unwrap());
    let mut ends = std::collections::BTreeMap::new();
    for seed in 0..modules {
        let mut random = Random(seed);
        let wasm = random_module::module(&mut random);
        let most_fuel = [300, 3_000, 30_000, 300_000][random.below(4)];
        let end = compare(&wasm, most_fuel, &mut random)
            .unwrap_or_else(|why| panic!("module {seed}, {most_fuel} of fuel: {why}"));
        *ends.entry(end).or_insert(0) += 1;
    }
    let said = SAID.load(Ordering::Relaxed);
    // The modules must end in all ways and lead to many explanations, or they test little.
    assert!(modules < MODULES || ends.len() == 11 && said > 500, "{ends:?}, {said}");
}

/// The end that both have in common.
fn compare(wasm: &[u8], most_fuel: u64, random: &mut Random) -> Result<String, String> {
    let mut config = Config::default();
    config.consume_fuel(true).wasm_multi_value(false).wasm_reference_types(false).floats(false);
    let mut costs = wasmi::FuelCosts::default();
    // The fuel costs of every host (`load_calibrated_fuel_costs`).
    (costs.base, costs.entity, costs.load, costs.store, costs.call) = (1, 3, 2, 1, 67);
    config.set_fuel_costs(costs).fuel_consumption_mode(wasmi::FuelConsumptionMode::Eager);
    let engine = Engine::new(&config);
    let module = Module::new(&engine, wasm).map_err(|error| format!("invalid: {error}"))?;
    let calls: Vec<HostCallRecord> = vec![];
    let refuses_one_in = [30, usize::MAX][random.below(2)];
    let mut store = Store::new(&engine, (calls, Random(random.next())));
    store.add_fuel(most_fuel).map_err(|error| error.to_string())?;
    let mut linker = Linker::new(&engine);
    for (module, name, count) in IMPORTS {
        let function = host_function(module, name).ok_or("no host function")?;
        let of_type = wasmi::FuncType::new(vec![ValueType::I64; count], [ValueType::I64]);
        let host = move |mut caller: Caller<(Vec<HostCallRecord>, Random)>,
                         numbers: &[Value],
                         result: &mut [Value]| {
            let fuel_before = caller.fuel_consumed().unwrap_or(0);
            let (calls, random) = caller.data_mut();
            let (number, ok) = (random.number(), !random.one_in(refuses_one_in));
            calls.push(HostCallRecord {
                function: function.name,
                number: 0,
                arguments: numbers.iter().map(|value| RecordedValue::Number(bits(value))).collect(),
                result: RecordedValue::Number(number as u64),
                ok,
                fuel_before,
                cpu_before: 0,
                cpu_after: 0,
                memory_before: 0,
                memory_after: 0,
            });
            result[0] = Value::I64(number);
            ok.then_some(()).ok_or_else(|| wasmi::core::Trap::new("refused"))
        };
        linker.func_new(module, name, of_type, host).map_err(|error| error.to_string())?;
    }
    let instance =
        linker.instantiate(&mut store, &module).and_then(|started| started.start(&mut store));
    let instance = instance.map_err(|error| format!("not started: {error}"))?;
    let entry = instance.get_func(&store, "f").ok_or("no function")?;
    // Some numbers have the host's encoding.
    let number = |random: &mut Random| match random.below(2) {
        0 => random.number(),
        _ => (random.below(9) as i64) << 32 | 4,
    };
    let (mut result, numbers) = ([Value::I64(0)], [number(random), number(random)]);
    let ended = entry.call(&mut store, &numbers.map(Value::I64), &mut result);
    let fuel = store.fuel_consumed().unwrap_or(0);
    let expected = match &ended {
        Ok(()) => Stop::Returned(bits(&result[0])),
        Err(Error::Trap(trap)) => {
            Stop::Trapped(trap.trap_code().map_or(Trap::HostCallFailed, trap_of))
        }
        Err(error) => return Err(error.to_string()),
    };
    let frame = FrameRecord {
        kind: FrameKind::Wasm,
        parent: None,
        contract: None,
        function: "f".into(),
        code: None,
        arguments: numbers.map(|number| RecordedValue::Number(number as u64)).to_vec(),
        result: RecordedValue::Unknown,
        ok: ended.is_ok(),
        host_calls: std::mem::take(&mut store.data_mut().0),
        fuel,
        cpu_before: 0,
        cpu_after: 0,
        memory_before: 0,
        memory_after: 0,
    };
    let code = Rc::new(Code::read([0; 32], wasm)?);
    let arguments = numbers.map(|number| number as u64).to_vec();
    let mut machine =
        Machine::start(code.clone(), code.exports["f"], arguments).ok_or("no start")?;
    let (run, mut known) = (RecordedRun::default(), vec![]);
    let mut objects = Objects { run: &run, known: &mut known };
    // The run has two parts, with a checkpoint between them.
    let mut stop = machine.run(&frame, &mut objects, random.below(200) as u64, |_, _| false);
    if stop == Stop::Paused {
        machine = Machine::resume(code.clone(), &machine.checkpoint());
        stop = machine.run(&frame, &mut objects, u64::MAX, |_, _| false);
    }
    watch(&code, &frame, numbers, 0..0)?;
    let first = random.below(60) as u64;
    watch(&code, &frame, numbers, first..first + random.below(200) as u64)?;
    let differ = |what: &str| {
        Err(format!(
            "{what}; the engine: {expected:?}, {fuel} of fuel; here: {stop:?}, {}",
            machine.fuel
        ))
    };
    if stop != expected {
        return differ("another end");
    }
    if machine.fuel != fuel && expected != Stop::Trapped(Trap::LimitExceeded) {
        return differ("other fuel");
    }
    if machine.host_calls != frame.host_calls.len() {
        return differ("other host calls");
    }
    explain(&code, frame, numbers)?;
    let memory = instance.get_memory(&store, "m").ok_or("no memory")?;
    if memory.data(&store) != machine.memory {
        return differ("other memory");
    }
    for (index, name) in ["g0", "g1"].into_iter().enumerate() {
        let global = instance.get_global(&store, name).ok_or("no global")?;
        if bits(&global.get(&store)) != machine.globals[index] {
            return differ("another global");
        }
    }
    Ok(match expected {
        Stop::Trapped(trap) => trap.text().into(),
        _ => "returned".into(),
    })
}

/// Checks that each node has its value, and that the reason of the end can be searched. A part of
/// the run is not watched.
fn watch(
    code: &Rc<Code>,
    frame: &FrameRecord,
    numbers: [i64; 2],
    gap: Range<u64>,
) -> Result<(), String> {
    let arguments = numbers.map(|number| number as u64).to_vec();
    let mut machine =
        Machine::start(code.clone(), code.exports["f"], arguments).ok_or("no start")?;
    let (run, mut known) = (RecordedRun::default(), vec![]);
    let mut objects = Objects { run: &run, known: &mut known };
    let mut shadow = Shadow::new(code.clone(), MOST_NODES);
    let mut differs = None;
    machine.run(frame, &mut objects, u64::MAX, |machine, op| {
        if gap.contains(&machine.instructions) {
            return shadow.skip(machine, op);
        }
        shadow.end_gap(machine);
        shadow.follow(machine);
        if !shadow.agrees(machine) || shadow.full && shadow.nodes.len() <= MOST_NODES {
            differs = Some(op);
        }
        differs.is_some() || shadow.observe(machine, op)
    });
    if let Some(op) = differs {
        return Err(format!("another value is watched before operation {op}"));
    }
    let error = shadow.last.last().map(|id| (*id, shadow.last_op));
    if !shadow.full && !frame.ok && frame.host_calls.last().is_none_or(|call| call.ok) {
        Slicer::new(&shadow, &|_| false).decide(Some(shadow.last_control), error);
    }
    Ok(())
}

/// Checks an explanation of an argument: with a number on the other side of the condition, the
/// deciding branch goes another way, or the code does not reach it. With a number on the same side
/// nothing succeeds, also if no branch decided alone.
fn explain(code: &Rc<Code>, frame: FrameRecord, numbers: [i64; 2]) -> Result<(), String> {
    let (why, frame) = why_alone(code.clone(), frame, MOST_EXPLAINED);
    let Some(why) = why else { return Ok(()) };
    let ([held], Some(op)) = (&why.conditions[..], code.op_at(why.address)) else {
        return Ok(());
    };
    let mut named = held.terms.iter().filter(|term| term.kind != TermKind::Constant);
    let (Some(Term { kind: TermKind::Argument, index: Some(index), .. }), None) =
        (named.next(), named.next())
    else {
        return Ok(());
    };
    let index = *index as usize;
    for (number, holds) in &held.checks.numbers {
        let Ok(number) = u32::try_from(*number) else { continue };
        let mut arguments = numbers.map(|number| number as u64).to_vec();
        if arguments[index] as u8 != 4 {
            continue;
        }
        arguments[index] = u64::from(number) << 32 | 4;
        SAID.fetch_add(1, Ordering::Relaxed);
        if *holds && succeeds(code, &frame, arguments.clone()) {
            return Err(format!("{} {:?} is said, and {number} succeeds", held.relation, why));
        }
        let side = why.count.and_then(|count| side_taken(code, &frame, arguments, (op, count)));
        if side.is_some_and(|side| (side == why.taken) != *holds) {
            return Err(format!("{} {:?} is said, and not so with {number}", held.relation, why));
        }
    }
    Ok(())
}

/// Says whether the code returns no error with other arguments.
fn succeeds(code: &Rc<Code>, frame: &FrameRecord, arguments: Vec<u64>) -> bool {
    let Some(mut machine) = Machine::start(code.clone(), code.exports["f"], arguments) else {
        return false;
    };
    let (run, mut known) = (RecordedRun::default(), vec![]);
    let mut objects = Objects { run: &run, known: &mut known };
    let ended = machine.run(frame, &mut objects, u64::MAX, |_, _| false);
    matches!(ended, Stop::Returned(payload) if payload as u8 != 3)
}

/// The side that a branch takes with other arguments. `None` if the code does not reach it.
fn side_taken(
    code: &Rc<Code>,
    frame: &FrameRecord,
    arguments: Vec<u64>,
    (branch, count): (u32, u64),
) -> Option<u32> {
    let mut machine = Machine::start(code.clone(), code.exports["f"], arguments)?;
    let (run, mut known) = (RecordedRun::default(), vec![]);
    let mut objects = Objects { run: &run, known: &mut known };
    let (mut before, mut taken) = (0, None);
    machine.run(frame, &mut objects, u64::MAX, |machine, op| {
        before += u64::from(op == branch);
        let is_it = op == branch && before == count + 1;
        if is_it {
            taken = machine.stack.last().and_then(|top| branch_side(code, op, *top));
        }
        is_it
    });
    taken
}

/// How many numbers were tried against explanations.
static SAID: AtomicU64 = AtomicU64::new(0);
const MOST_EXPLAINED: usize = 20_000;
const MOST_NODES: usize = 200_000;

fn bits(value: &Value) -> u64 {
    match value {
        Value::I32(number) => u64::from(*number as u32),
        Value::I64(number) => *number as u64,
        _ => 0,
    }
}

fn trap_of(code: TrapCode) -> Trap {
    match code {
        TrapCode::UnreachableCodeReached => Trap::Unreachable,
        TrapCode::MemoryOutOfBounds => Trap::MemoryOutOfBounds,
        TrapCode::IntegerDivisionByZero => Trap::DivisionByZero,
        TrapCode::IntegerOverflow => Trap::IntegerOverflow,
        TrapCode::TableOutOfBounds => Trap::TableOutOfBounds,
        TrapCode::IndirectCallToNull => Trap::IndirectCallToNull,
        TrapCode::BadSignature => Trap::BadSignature,
        TrapCode::StackOverflow => Trap::StackOverflow,
        _ => Trap::LimitExceeded,
    }
}
