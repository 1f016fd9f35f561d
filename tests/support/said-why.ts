// What is said of the value that decided a failure of a contract of tests/contracts, called once.

import { describe, expect, test } from "bun:test";
import { RunSet } from "../../src/debugger/run/run-set.ts";
import type { Replayable } from "../../src/debugger/run/run-variant.ts";
import { decideWhy } from "../../src/debugger/walk/further-runs.ts";
import { testWhy } from "../../src/debugger/walk/prove-why.ts";
import { decidingValue } from "../../src/explain/naming/deciding-value.ts";
import { provenRemedy } from "../../src/explain/naming/proven-remedy.ts";
import type { Execution } from "../../src/model/execution.ts";
import type { RecordingSimulator } from "../../src/simulator/recording-simulator.ts";
import { replayRequest } from "../../src/simulator/requests.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { contractLookup } from "../../src/xdr/contract/contract-specs.ts";
import { withCreated } from "../../src/xdr/envelope/created-contracts.ts";
import { contractEntries, executeCall, SOURCE } from "./executed.ts";
import { NEVER_ABORTED } from "./loopback-walk.ts";
import { ownContract } from "./other-code.ts";

export type Json = ReturnType<typeof JSON.parse>;

/** Builds of those contracts: the levels of optimization, with checks for overflows and without. */
export const CHECKED = ["z", "s", "3"];
export const WRAPPING = CHECKED.map((level) => `${level}-wrapping`);

export const symbol = (name: string): Json => ({ symbol: name });
export const u32 = (number: number): Json => ({ u32: number });
export const i32 = (number: number): Json => ({ i32: number });
export const u64 = (number: bigint | number): Json => ({ u64: `${number}` });
export const i64 = (number: bigint | number): Json => ({ i64: `${number}` });
export const i128 = (number: bigint | number): Json => ({ i128: `${number}` });
export const u128 = (number: bigint | number): Json => ({ u128: `${number}` });
export const u256 = (number: bigint): Json => ({ u256: `${number}` });
export const i256 = (number: bigint): Json => ({ i256: `${number}` });
export const bytes = (hex: string): Json => ({ bytes: hex });
export const vec = (...items: readonly Json[]): Json => ({ vec: items });
export const list = (...items: readonly number[]) => vec(...items.map(u32));
export const wide = (...items: readonly number[]) => vec(...items.map(i128));
export const map = (fields: Readonly<Record<string, Json>>): Json => ({
  map: Object.entries(fields).map(([name, val]) => ({ key: symbol(name), val })),
});
/** An enum's variant, as contracts encode the keys of their entries. */
export const key = (name: string, ...parts: readonly Json[]) => vec(symbol(name), ...parts);
export const address: Json = { address: SOURCE };
/** A contract that is not the one that is called. */
const OTHER_NUMBER = 8;
/** The address of the contract with that number. */
export const addressOf = (number: number): Json => ({
  address: contractEntries(new Uint8Array(), number).contract,
});

export const OTHER = contractEntries(new Uint8Array(), OTHER_NUMBER).contract;
export const other: Json = { address: OTHER };

/** What the contract has stored: values by key, of which absent ones are in the footprint. */
export interface Stored {
  readonly persistent: readonly (readonly [key: Json, val: Json])[];
  readonly absent: readonly Json[];
  readonly temporary?: Stored["persistent"];
  readonly absentTemporary?: readonly Json[];
  readonly instance?: Json;
  /** The contract `OTHER` exists, and has the same code. */
  readonly hasOther?: boolean;
  /** Its persistent entries. */
  readonly ofOther?: Stored["persistent"];
  /** The contract writes to the storage of its instance. */
  readonly writesInstance?: boolean;
}

/**
 * Calls a function. Null: it succeeded. Undefined: it failed, and no value is named. With `remedy`
 * the sentence is what a proof shows to help, or null.
 */
export type Said = (
  name: string,
  given: readonly Json[],
  proves?: boolean | "remedy",
) => Promise<string | null | undefined>;

export function sayer(simulator: Simulator, wasm: string, stored: Stored): Said {
  const call = caller(simulator, wasm, stored);
  return async (name, given, proves = false) => {
    const ran = await call(name, given);
    if (ran.execution.outcome.kind === "success") return null;
    const found = await whyOf(simulator, ran, proves !== false);
    if (proves === "remedy") return found?.said && provenRemedy(found.said, ran.record.ledger);
    return found?.said?.summary.replace(/^Likely, /, proves ? "$&" : "");
  };
}

/** Calls a function of a contract that has this stored. */
export function caller(simulator: Simulator, wasm: string, stored: Stored) {
  const { contract, entries } = contractEntries(ownContract(wasm), 7);
  const [instance, ...code] = entries as Json[];
  instance.contract_data.val.contract_instance.storage = stored.instance ?? null;
  const { persistent, temporary = [], absent, absentTemporary = [], hasOther } = stored;
  const { ofOther = [], writesInstance = false } = stored;
  const missing = (durability: string) => (key: Json) => ({
    contract_data: { contract, key, durability },
  });
  const entry =
    (durability: string, of = contract) =>
    ([key, val]: readonly [Json, Json]) => ({
      contract_data: { ext: "v0", contract: of, key, durability, val },
    });
  const made = {
    contract,
    absent: [...absent.map(missing("persistent")), ...absentTemporary.map(missing("temporary"))],
    readWrite: [
      ...persistent.map(entry("persistent")),
      ...temporary.map(entry("temporary")),
      ...ofOther.map(entry("persistent", OTHER)),
      ...(writesInstance ? [instance] : []),
    ],
    readOnly: writesInstance ? code : [instance, ...code],
  };
  if (hasOther)
    made.readOnly.push(...contractEntries(ownContract(wasm), OTHER_NUMBER).entries.slice(0, 1));
  return async (name: string, given: readonly Json[]) => {
    const { ran, execution } = await executeCall(simulator, {
      ...made,
      function: name,
      arguments: given,
    });
    return { ...ran, execution };
  };
}

/** A call, and what its source means, in all words that are true. None: nothing may be said. */
export type Row = readonly [name: string, given: readonly Json[], ...means: string[]];

/** What is said after "because", or all that is said. */
export function reasonIn(words: string | null | undefined): string | null | undefined {
  return words && (/^`\w+` (?:stopped|failed) because (.*)\.$/.exec(words)?.[1] ?? words);
}

/** The same with its names and clauses in a fixed order: theirs is the compiler's. */
export function inOrder<T extends string | null | undefined>(reason: T): T | string {
  if (!reason) return reason;
  const [, before, names] = /^(.* is none of )([\w, ]+)$/.exec(reason) ?? [];
  if (names !== undefined) return `${before}${names.split(", ").sort().join(", ")}`;
  return reason.split(" and ").sort().join(" and ");
}

/** Tests one build. Of the rows `silent` nothing has to be said, and nothing else may be. */
export function testRows(
  build: string,
  said: Said,
  { rows, silent }: { readonly rows: readonly Row[]; readonly silent: readonly Row[] },
): void {
  describe(`${build}: what the source means is what is said`, () => {
    for (const [name, given, ...means] of rows)
      test(`${name} because ${means[0]}`, async () => {
        expect(means.map(inOrder)).toContain(inOrder(reasonIn(await said(name, given))) as never);
      });
  });
  describe(`${build}: what the source means is said, or nothing`, () => {
    for (const [name, given, ...means] of silent)
      test(name, async () => {
        const all = [undefined, ...means].map(inOrder);
        expect(all).toContain(inOrder(reasonIn(await said(name, given))) as never);
      });
  });
}

/** The time to explain a run: a long one needs it on a busy machine. */
const PATIENCE_MILLISECONDS = 60_000;

/** Why an execution failed; undefined: nothing is known of it. */
export async function whyOf(
  simulator: Simulator,
  replayed: Replayable & { readonly execution: Execution },
  proves: boolean,
  recorder: RecordingSimulator | null = null,
) {
  const { record, snapshot, execution } = replayed;
  const options = { trace: true, diagnostics: true, feeTakenStroops: null };
  const caveats: string[] = [];
  const run = { signal: NEVER_ABORTED, caveats };
  const request = replayRequest(record, snapshot, options);
  const why = await decideWhy(
    new RunSet({ simulator }, request),
    execution,
    run,
    PATIENCE_MILLISECONDS,
  );
  expect(caveats).toEqual([]);
  if (why === null) return undefined;
  expect(disagreements(why)).toEqual([]);
  const engines = { simulator, recorder };
  const tested = proves ? await testWhy(engines, replayed, why, run) : { why, proof: null };
  if (tested === null) return undefined;
  const { proof, why: said } = tested;
  const known = contractLookup(snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []));
  const lookup = withCreated(known, replayed.envelope, execution.callTree);
  return { why: said, proof, run, said: decidingValue(said, lookup, proof) };
}

/** Values whose origin, in another call, has another value of the same type, or another number. */
function disagreements(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  const { origin, ...own } = part as { origin?: { term?: TermValue } | null } & TermValue;
  const from = origin?.term;
  const within = Object.values(part).flatMap(disagreements);
  if (!from) return within;
  const agree =
    own.number != null && from.number != null
      ? own.number === from.number
      : typeOfValue(own) !== typeOfValue(from) || own.valueXdr === from.valueXdr;
  return agree ? within : [`${JSON.stringify(own)} from ${JSON.stringify(from)}`, ...within];
}

interface TermValue {
  readonly number?: string | null;
  readonly valueXdr?: string | null;
}

const typeOfValue = ({ valueXdr }: TermValue) =>
  valueXdr == null ? null : Buffer.from(valueXdr, "base64").readInt32BE();
