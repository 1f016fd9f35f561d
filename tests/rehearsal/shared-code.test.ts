// Contracts that take their code from one entry of another contract (CAP-85), made by hand: an
// upgrade of that entry touches all of them, and each runs with the new build in the host.

import { expect, test } from "bun:test";
import { rehearseBuild } from "../../src/debugger/what-if/rehearse-build.ts";
import { NO_OVERRIDES } from "../../src/model/overrides.ts";
import { compareRuns } from "../../src/rehearsal/compare-runs.ts";
import { KnownContracts } from "../../src/rehearsal/known-contracts.ts";
import { readBuild } from "../../src/rehearsal/new-builds.ts";
import { lookupIn } from "../../src/xdr/contract/lookup-in.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { contractEntries, entryOf, executeCall } from "../support/executed.ts";
import { hostCallContract } from "../support/host-call-contract.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { OWNER, ownContract, REFERENCE, referenceTo } from "../support/other-code.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();
const PROTOCOL = 28;
/** Takes one value, and returns what the host makes of it. */
const CALLED = { name: "f", host: ["l", "h"], parameters: 1 } as const;
const OLD = hostCallContract([CALLED], PROTOCOL);
const oldHash = sha256(OLD).toHex();

const built = (bytes: Uint8Array) => readBuild({ file: "new.wasm", bytes });

test("the report names the entry's owner and each contract with the same code", () => {
  const [one, two] = [1, 2].map((seed) => contractEntries(OLD, seed, REFERENCE));
  const alone = contractEntries(OLD, 3);
  if (one === undefined || two === undefined) throw new Error("two contracts");
  const made = [...one.entries, ...two.entries, ...alone.entries, referenceTo(oldHash)];
  const entries = [...new Map(made.map(entryOf).map((each) => [each.keyXdr, each])).values()];
  const build = built(ownContract("upgrade.wasm"));
  const known = new KnownContracts(new Map([[one.contract, build]]));
  const replaced = known.replacedIn(entries, lookupIn(entries));
  known.note(entries, lookupIn(entries), 1);
  const code = { build: one.contract, oldHash, newHash: build.hash, spec: build.spec };
  expect(replaced).toEqual([
    { contract: one.contract, ...code },
    { contract: two.contract, ...code },
  ]);
  const [rehearsed] = known.all();
  expect(rehearsed?.sharedCode).toEqual({ owner: OWNER, contracts: [two.contract] });
  expect(rehearsed?.oldHash).toBe(oldHash);
  // A contract with code of its own shares nothing.
  const other = new KnownContracts(new Map([[alone.contract, build]]));
  const ofOther = other.replacedIn(entries, lookupIn(entries));
  expect(ofOther.map(({ contract }) => contract)).toEqual([alone.contract]);
  other.note(entries, lookupIn(entries), 1);
  expect(other.all()[0]?.sharedCode).toBeNull();
});

test("a contract whose code is such an entry runs with the new build", async () => {
  const { contract, entries } = contractEntries(OLD, 1, REFERENCE);
  const readOnly = [...entries, referenceTo(oldHash)];
  const call = { contract, function: "f", arguments: [{ string: "other" }], readOnly };
  const { execution, ran } = await executeCall(simulator, call);
  expect(execution.outcome.kind).toBe("success");
  const groups: string[] = [];
  const more = hostCallContract([CALLED, { ...CALLED, name: "g" }], PROTOCOL);
  const gone = hostCallContract([{ ...CALLED, name: "g" }], PROTOCOL);
  for (const wasm of [more, gone]) {
    const build = built(wasm);
    const known = new KnownContracts(new Map([[contract, build]]));
    const lookup = lookupIn(ran.snapshot.entries);
    const replaced = known.replacedIn(ran.snapshot.entries, lookup);
    const overrides = { ...NO_OVERRIDES, wasm: new Map([[contract, build]]) };
    const findEntries = () => Promise.resolve({ entries: [], unknown: [] });
    const signal = { signal: NEVER_ABORTED };
    const run = { ...ran, execution };
    const after = await rehearseBuild({ simulator }, run, overrides, findEntries, signal);
    groups.push(compareRuns({ before: execution, after, replaced, lookup }).group);
  }
  expect(groups).toEqual(["same", "function-gone"]);
});
