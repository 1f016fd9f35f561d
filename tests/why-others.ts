// Which value decided, on contracts of others: `bun tests/why-others.ts DIRECTORY [--most N]
// [--only TEXT] [--cases FILE] [--seed N]` takes each code with a specification in DIRECTORY, makes
// good calls of it on a network of its own, changes one thing of them at a time, and collects what
// svc says of those that fail in a contract's own code. Each sentence is then tested by a run with
// the named value across the named boundary. Printed are counts by code and by kind; --cases writes
// each case as a line of JSON, to be read. What a boundary cannot test is no contradiction.

import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, RECORDING_BINARY, SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { withShortAddresses, withShortBytes } from "../src/base/text/found-by-form.ts";
import { RunSet } from "../src/debugger/run/run-set.ts";
import { decideWhy } from "../src/debugger/walk/further-runs.ts";
import { testWhy } from "../src/debugger/walk/prove-why.ts";
import { decidingValue } from "../src/explain/naming/deciding-value.ts";
import { provenRemedy } from "../src/explain/naming/proven-remedy.ts";
import { isSameComparison } from "../src/explain/naming/same-reason.ts";
import { failedPath } from "../src/model/execution.ts";
import type { Why, WhyProof } from "../src/model/why.ts";
import { openPool, openRecordingPool } from "../src/simulator/pool.ts";
import { replayRequest } from "../src/simulator/requests.ts";
import { type ContractSpec, readContractSpec } from "../src/xdr/contract/contract-spec.ts";
import { contractLookup } from "../src/xdr/contract/contract-specs.ts";
import { keyOfEntry } from "../src/xdr/reader/keys.ts";
import { showError } from "../src/xdr/values/value-text.ts";
import { NEVER_ABORTED } from "./support/loopback-walk.ts";
import { type Neighbour, neighboursOf } from "./support/others/neighbours.ts";
import { changesOf, type Json, type Maker, madeValue, randomOf } from "./support/others/values.ts";
import {
  type Call,
  changedStates,
  create,
  deployedAt,
  type Engines,
  enforceCall,
  firstState,
  LEDGER,
  LIVE_UNTIL,
  type Recorded,
  recordCall,
  type State,
  withRootArguments,
} from "./support/others/world.ts";

const KINDS = ["plain", "hard", "silent", "contradicted", "refused", "refused, silent"] as const;
type Kind = (typeof KINDS)[number];

/** A good call, and the state that it ran on. */
interface Good {
  readonly call: Call;
  readonly state: State;
  readonly recorded: Recorded;
}

interface Failing {
  readonly call: Call;
  readonly state: State;
  readonly what: string;
  readonly ledger?: Parameters<typeof recordCall>[3];
}

interface Case {
  readonly code: string;
  readonly function: string;
  readonly arguments: readonly Json[];
  readonly what: string;
  readonly error: string;
  readonly kind: Kind;
  readonly says: string | null;
  readonly isProven: boolean;
  readonly remedy: string | null;
  /** The run that ended at the same branch, although the named value was across the boundary. */
  readonly contradiction?: string;
  readonly milliseconds: number;
}

const [directory, ...flags] = process.argv.slice(2);
if (directory === undefined) throw new Error("Name a directory with contract codes.");
const flag = (name: string, otherwise: string) => {
  const at = flags.indexOf(`--${name}`);
  return at === -1 ? otherwise : (flags[at + 1] ?? otherwise);
};
const MOST = Number(flag("most", "60"));
const ONLY = flag("only", "");
const CASES = flag("cases", "");
const SEED = Number(flag("seed", "1"));
const ROUNDS = Number(flag("rounds", "3"));
const TRIES = 8;
/** At most so many cases of one function that end at one place. */
const MOST_ALIKE = 4;
/** Codes with a large state have thousands of them. */
const MOST_CHANGED = 400;
/** Words that a reader of the contract's source would not use. */
const HARD = /\{\}|\bxor\b|\^|because \d+ \(|its argument|\bentry \[|\]\[| = -?\d+ .* = -?\d+ /;
/** The characters of a sentence, with addresses and hashes as reports show them. */
const LONG = 330;
const NOT_CALLED = /^(upgrade|set_admin|transfer_ownership|__)/;

ensureBuilt();
await using simulator = openPool({ path: SIMULATOR_BINARY, size: 1 });
await using recorder = openRecordingPool({ path: RECORDING_BINARY, size: 1 });
const engines: Engines = { simulator, recorder };

const cases: Case[] = [];
const files = readdirSync(directory).filter(
  (name) => name.endsWith(".wasm") && name.includes(ONLY),
);
for (const name of files.sort()) {
  const wasm = new Uint8Array(readFileSync(join(directory, name)));
  const spec = readContractSpec(wasm);
  if (spec === null || spec.functions.size === 0) continue;
  try {
    const found = await casesOf(name, wasm, spec);
    cases.push(...found);
    if (CASES !== "")
      appendFileSync(CASES, found.map((each) => `${JSON.stringify(each)}\n`).join(""));
    console.log(rowOf(name, found));
  } catch (error) {
    console.log(`${name}: ${error instanceof Error ? error.stack : error}`);
  }
}
console.log(rowOf("all", cases));
const times = cases.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
const quantile = (of: number) => times[Math.floor(times.length * of)]?.toFixed(0) ?? "-";
console.log(
  `milliseconds: median ${quantile(0.5)}, nine of ten ${quantile(0.9)}, most ${quantile(0.9999)}`,
);

function rowOf(name: string, of: readonly Case[]): string {
  const own = of.filter(({ kind }) => !kind.startsWith("refused"));
  const count = (kind: Kind) => of.filter((each) => each.kind === kind).length;
  const plain = own.length === 0 ? "-" : `${Math.round((100 * count("plain")) / own.length)} %`;
  const proven = of.filter(({ isProven }) => isProven).length;
  const counts = KINDS.map((kind) => `${kind} ${count(kind)}`).join(", ");
  return `${name}: ${plain} of ${own.length}: ${counts}; proven ${proven}`;
}

async function casesOf(name: string, wasm: Uint8Array, spec: ContractSpec): Promise<Case[]> {
  const random = randomOf(SEED + [...name].reduce((sum, each) => sum + each.charCodeAt(0), 0));
  const first = firstState();
  const unixSeconds = Number(LEDGER.closeTimeUnixSeconds);
  const maker: Maker = {
    ...{ spec, random, unixSeconds, people: first.people },
    ledger: LEDGER.sequence,
  };
  const given = (called: string) =>
    (spec.functions.get(called)?.inputs ?? []).map((input) =>
      madeValue(input.type, input.name, maker),
    );
  let state: State = first.state;
  let contract = first.people.contract;
  if (spec.functions.has("__constructor")) {
    for (let tried = 0; ; tried += 1) {
      const made = await create(engines, state, wasm, given("__constructor"));
      if (!("error" in made)) {
        ({ contract, state } = made);
        break;
      }
      if (tried > 20) throw new Error(`no constructor: ${made.error?.split("\n")[0]}`);
    }
  } else state = new Map([...state, ...deployedAt(21, wasm)]);

  const good: Good[] = [];
  const failing: Failing[] = [];
  const names = [...spec.functions.keys()].filter((each) => !NOT_CALLED.test(each));
  const isFirst = (each: string) => /^init/.test(each);
  const inOrder = [...names.filter(isFirst), ...names.filter((each) => !isFirst(each))];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const called of inOrder) {
      if (isFirst(called) && good.some(({ call }) => call.function === called)) continue;
      for (let tried = 0; tried < TRIES; tried += 1) {
        const call = { contract, function: called, arguments: given(called) };
        const recorded = await recordCall(engines, state, call);
        if (recorded.error !== null) {
          if (tried === TRIES - 1 && round === ROUNDS - 1)
            failing.push({ call, state, what: "as it is" });
          continue;
        }
        good.push({ call, state, recorded });
        failing.push({ call, state: recorded.state, what: "again" });
        state = recorded.state;
        break;
      }
    }
  const changed = good.flatMap((each) => changedCalls(each, first.people.others, state));
  // A few of each function, spread evenly over what was changed.
  const order = [...failing, ...shuffled(changed, random).slice(0, MOST_CHANGED)];
  const found: Case[] = [];
  const seen = new Map<string, number>();
  for (const each of order) {
    if (found.length >= MOST) break;
    const made = await caseOf(name, each, good, seen);
    if (made !== null) found.push(made);
  }
  return found;
}

function changedCalls({ call, state, recorded }: Good, others: readonly string[], last: State) {
  const changes = (value: Json, at: string) => changesOf(value, at, others);
  const given = call.arguments.flatMap((value, i) =>
    changes(value, `argument ${i + 1}`).map(({ what, value: other }): Failing => {
      return { call: { ...call, arguments: call.arguments.with(i, other) }, state, what };
    }),
  );
  // A large state has many of them, and most are never needed.
  const stored = changedStates(state, recorded.keysXdr, changes).map(
    ({ what, state: other }): Failing => ({
      call,
      get state() {
        return other();
      },
      what,
    }),
  );
  const now = Number(LEDGER.closeTimeUnixSeconds);
  const times = [now - 10 ** 8, now - 1000, now + 1000, now + 10 ** 8].map((time): Failing => {
    const ledger = { closeTimeUnixSeconds: `${time}` };
    return { call, state, ledger, what: `the time is ${time - now} s later` };
  });
  return [...given, ...stored, ...times, { call, state: last, what: "after all others" }];
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((each) => [random(), each] as const)
    .sort(([one], [other]) => one - other)
    .map(([, each]) => each);
}

async function caseOf(
  code: string,
  failing: Failing,
  good: readonly Good[],
  seen: Map<string, number>,
): Promise<Case | null> {
  const ran = await runFailing(failing, good);
  if (ran === null) return null;
  const { hostError, callTree } = ran.execution;
  const error = hostError === null ? "" : showError(hostError);
  // The network does not take this code.
  if (error === "Error(WasmVm, InvalidInput)") return null;
  const at = failedPath(callTree).at(-1);
  const spread = `${failing.call.function} ${error} ${at?.contract} ${at?.function}`;
  const alike = seen.get(spread) ?? 0;
  if (alike >= MOST_ALIKE) return null;
  const started = performance.now();
  const known = await explained(ran);
  const milliseconds = performance.now() - started;
  const isOwn = hostError?.type === "Contract" || hostError?.type === "WasmVm";
  const isToken =
    at?.contract === failing.call.arguments.find((x) => x.address === at?.contract)?.address;
  if (!isOwn && known?.why.refused === undefined && hostError?.type !== "Value") return null;
  if (isToken && known === null) return null;
  seen.set(spread, alike + 1);
  const says = known?.said?.summary ?? null;
  const isRefused = known?.why.refused !== undefined || !isOwn || isToken;
  // Of what the host refused, only the rule of the asset contract names a boundary.
  const isTested = !isRefused || (known?.why.conditions.length ?? 0) > 0;
  const contradiction =
    known && says !== null && isTested ? await contradictionOf(failing, good, ran, known) : null;
  return {
    ...{ code, function: failing.call.function, arguments: failing.call.arguments },
    ...{ what: failing.what, error, says, milliseconds },
    kind:
      contradiction !== null
        ? "contradicted"
        : isRefused
          ? says === null
            ? "refused, silent"
            : "refused"
          : says === null
            ? "silent"
            : isHard(says)
              ? "hard"
              : "plain",
    isProven: known?.proof != null,
    remedy: known?.said ? provenRemedy(known.said, ran.record.ledger) : null,
    ...(contradiction !== null && { contradiction }),
  };
}

function isHard(says: string): boolean {
  return HARD.test(says) || withShortBytes(withShortAddresses(says)).length > LONG;
}

/** Null: it does not fail, or in no contract. */
async function runFailing(failing: Failing, good: readonly Good[]) {
  const { call, state, ledger = {} } = failing;
  const recorded = await recordCall(engines, state, call, ledger);
  if (recorded.error === null) return null;
  const like = good.findLast(({ call: { function: name } }) => name === call.function);
  const recordedXdr = recorded.authorizationsXdr;
  const authorizationsXdr =
    recordedXdr.length > 0
      ? recordedXdr
      : withRootArguments(like?.recorded.authorizationsXdr ?? [], call);
  const allowed = { keysXdr: recorded.keysXdr, authorizationsXdr };
  const ran = await enforceCall(engines, state, call, allowed, ledger);
  return ran.execution.outcome.kind === "failed" ? ran : null;
}

type Ran = NonNullable<Awaited<ReturnType<typeof runFailing>>>;

interface Known {
  readonly why: Why;
  readonly proof: WhyProof | null;
  readonly said: ReturnType<typeof decidingValue>;
}

async function decided(ran: Ran): Promise<Why | null> {
  const options = { trace: true, diagnostics: true, feeTakenStroops: null };
  const request = replayRequest(ran.record, ran.snapshot, options);
  const run = { signal: NEVER_ABORTED, caveats: [] };
  return decideWhy(new RunSet({ simulator }, request), ran.execution, run, 20_000);
}

async function explained(ran: Ran): Promise<Known | null> {
  const why = await decided(ran);
  if (why === null) return null;
  const run = { signal: NEVER_ABORTED, caveats: [] };
  const tested = await testWhy(engines, ran, why, run);
  if (tested === null) return null;
  const { proof } = tested;
  const lookup = contractLookup(ran.snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []));
  return { ...tested, said: decidingValue(tested.why, lookup, proof) };
}

/**
 * A run with the named value across the boundary that ends at the same place for the same reason, or
 * a call that succeeded of a function that is said to fail always.
 */
async function contradictionOf(
  failing: Failing,
  good: readonly Good[],
  ran: Ran,
  { why, proof }: Known,
): Promise<string | null> {
  const error = ran.execution.hostError;
  const isOutermost = why.function === failing.call.function;
  if (why.always && isOutermost && good.some(({ call }) => call.function === why.function))
    return "another call of it succeeded";
  for (const neighbour of neighboursOf(why, proof, ran)) {
    const other = changedBy(failing, neighbour);
    const again = await runFailing(other, good);
    const ended = again?.execution.hostError ?? null;
    const isSame = ended !== null && error !== null && showError(ended) === showError(error);
    const decidedAgain = isSame && again !== null ? await decided(again) : null;
    const isSamePlace = decidedAgain !== null && isSameComparison(decidedAgain, why);
    if (neighbour.flips ? isSamePlace : again === null) {
      return `${neighbour.what}: ${again === null ? "succeeds" : showError(ended as never)}`;
    }
  }
  return null;
}

function changedBy(failing: Failing, { overrides }: Neighbour): Failing {
  const { call, state } = failing;
  const given = call.arguments.map((value, i) => overrides.arguments.get(`${i}`)?.json ?? value);
  const entries = new Map(state);
  for (const entryXdr of overrides.entriesXdr) {
    const keyXdr = keyOfEntry(entryXdr);
    const { liveUntilLedger = LIVE_UNTIL } = state.get(keyXdr) ?? {};
    entries.set(keyXdr, { entryXdr, liveUntilLedger, archived: false });
  }
  for (const keyXdr of overrides.removed) entries.delete(keyXdr);
  const ledger = { ...failing.ledger, ...overrides.ledger };
  const changed = { ...failing, call: { ...call, arguments: given }, state: entries };
  return { ...changed, ledger };
}
