// No failure ends without advice, and the advice works: every recorded failure has a fix, a remedy
// or commands that lead on; svc accepts each command, and the overrides in it can be made.

import { describe, expect, test } from "bun:test";
import { DEBUG } from "../../src/cli/arguments/debug-settings.ts";
import { readWords } from "../../src/cli/arguments/read-words.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import { nextSteps } from "../../src/explain/next-steps.ts";
import { CAUSES, type CauseKind } from "../../src/model/cause-kinds.ts";
import type { NextStep } from "../../src/model/explanation.ts";
import type { Investigation, OwnReference } from "../../src/model/investigation.ts";
import { readOverrides } from "../../src/overrides/read-overrides.ts";
import { nextCommand } from "../../src/report/document/next-command.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { contractLookup } from "../../src/xdr/contract/contract-specs.ts";
import { readTransactionResult } from "../../src/xdr/outcome/result.ts";
import { ENTRY_TYPE, typeOfKey } from "../../src/xdr/reader/keys.ts";
import { investigate } from "../report/investigations.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { opened } from "../support/opened.ts";
import { captureRecorded, type RecordedWalk } from "../support/recorded-walks.ts";
import { openTestRecorder, openTestSimulator } from "../support/simulator.ts";

const REPLAYS_MILLISECONDS = 60_000;

const failsAlways = (name: string) =>
  new RegExp(
    `^Likely, .${name}. (?:always stops there|stops there for all arguments that it accepts)[.]$`,
  );

describe("every recorded failure", () => {
  const simulator = openTestSimulator();
  const recorder = openTestRecorder();
  const replayed = (walk: RecordedWalk, overrides: unknown = null) => {
    const read = overrides === null ? null : readOverrides(overrides);
    if (read !== null && "problems" in read) throw new Error(read.problems.join());
    const dependencies = { simulator, recorder, progress: () => {} };
    return replayCaptured(dependencies, walk, {
      signal: NEVER_ABORTED,
      locate: { wasm: null },
      overrides: read === null ? null : { ...read, wasm: new Map() },
    });
  };

  test(
    "has advice that works",
    async () => {
      const without: string[] = [];
      let tried = 0;
      let count = 0;
      for (const walk of await captureRecorded()) {
        const found = await replayed(walk);
        const { explanation, fix, remedy, next, verdict } = found;
        if (explanation.success) {
          if (verdict?.kind === "exact") expect(next).toEqual([]);
          continue;
        }
        count += 1;
        if (remedy === null && next.length === 0 && !fix?.envelopeXdr) without.push(walk.name);
        const own = found.explanation.invocation?.function;
        if (explanation.evidence.some((line) => failsAlways(own ?? "").test(line)))
          expect(next.map(({ kind }) => kind)).not.toContain("what-if-argument");
        for (const step of next) {
          const { command } = nextCommand(step, found);
          expectAccepted(command, found);
          const [, name, value] = / --override-argument (\w+)=(\d+)$/.exec(command) ?? [];
          if (name === undefined) continue;
          const { whatIf } = await replayed(walk, { format: 1, arguments: { [name]: value } });
          expect(whatIf?.changed).not.toEqual([]);
          tried += 1;
        }
      }
      expect(count).toBeGreaterThan(50);
      expect(tried).toBeGreaterThan(3);
      expect(without).toEqual([]);
    },
    REPLAYS_MILLISECONDS,
  );

  test(
    "has advice where a part of the state is unknown, and none that needs a replay of the chain",
    async () => {
      for (const walk of await captureRecorded()) {
        const { snapshot, record } = walk;
        if (snapshot === null || readTransactionResult(record.resultXdr).success) continue;
        for (const type of [ENTRY_TYPE.contractCode, ENTRY_TYPE.contractData]) {
          const isGone = ({ keyXdr }: { keyXdr: string }) => typeOfKey(keyXdr) === type;
          const unknown = snapshot.entries.filter(isGone).map(({ keyXdr }) => {
            return { keyXdr, reason: "no node has it" };
          });
          const entries = snapshot.entries.filter((entry) => !isGone(entry));
          const found = await replayed({ ...walk, snapshot: { ...snapshot, entries, unknown } });
          if (found.verdict?.kind !== "inconclusive") continue;
          const kinds = found.next.map(({ kind }) => kind);
          expect(kinds.filter((kind) => kind !== "error-name")).toEqual(["other-sources"]);
          const isUnnamed = /nothing here shows|an error number of its own/.test(
            found.explanation.cause?.summary ?? "",
          );
          expect(kinds.includes("error-name")).toBe(isUnnamed);
          for (const step of found.next) expectAccepted(nextCommand(step, found).command, found);
        }
      }
    },
    REPLAYS_MILLISECONDS,
  );
});

/** As the command line reads it. Only contracts with code have code to replace. */
function expectAccepted(command: string, { record, snapshot }: Investigation): void {
  if (command.startsWith("svc explain")) {
    expect(command).toMatch(/^svc explain 'Error\(Contract, #\d+\)' --id C\w{55}$/);
    return;
  }
  const [program, name, ...words] = command.split(" ");
  expect([program, name]).toEqual(["svc", "debug"]);
  expect(words[0]).toBe(record.requestedHash);
  expect(() => readWords("debug", DEBUG, words)).not.toThrow();
  const contract = / --override-wasm (C\w{55})=FILE$/.exec(command)?.[1];
  const entries = snapshot?.entries.flatMap(({ entryXdr }) => entryXdr ?? []) ?? [];
  if (contract !== undefined) expect(contractLookup(entries)(contract)?.wasmHash).toBeString();
}

describe("the commands that lead on", () => {
  test("a second node, where the user's own does not have the state", () => {
    const { record, snapshot, verdict, ...others } = investigate("contract-error");
    if (verdict === null) throw new Error("not replayed");
    const known = { ...opened({ record, snapshot }), ...others };
    const unclear = { ...known, verdict: { ...verdict, kind: "inconclusive" as const } };
    const commandOf = (settings: OwnReference["settings"], namesRpc: boolean) => {
      const isOther = ({ kind }: NextStep) => kind === "other-sources";
      const reference = { from: null, settings, namesRpc };
      const step = nextSteps(unclear, reference).find(isOther);
      return step && nextCommand(step, { record, reference }).command;
    };
    const asked = `svc debug ${record.requestedHash}`;
    expect(commandOf([], false)).toBe(`${asked} --rpc-url URL`);
    expect(commandOf([{ name: "horizonUrl", value: null }], true)).toBe(
      `${asked} --horizon-url URL --rpc-url URL,OTHER_URL`,
    );
  });

  test("ask as the user asked: the capsule, or the network", () => {
    const { record, snapshot, ...others } = investigate("contract-error");
    const known = { ...opened({ record, snapshot }), ...others };
    const commandsFor = (reference?: OwnReference) =>
      nextSteps(known, reference).map(
        (step) =>
          nextCommand(step, { record, ...(reference && { reference }) }).command.split(
            " --override",
          )[0],
      );
    const hash = record.requestedHash;
    expect(commandsFor()[0]).toBe(`svc debug ${hash}`);
    expect(commandsFor({ from: "a b.json", settings: [], namesRpc: false })[0]).toBe(
      "svc debug --from 'a b.json'",
    );
    expect(
      commandsFor({
        from: null,
        settings: [{ name: "network", value: "local" }],
        namesRpc: false,
      })[0],
    ).toBe(`svc debug ${hash} --network local`);
  });

  test("a flamegraph shows what a limit is spent on, and nothing else", () => {
    const { record, snapshot, explanation, execution, ...others } = investigate("contract-error");
    const stepsFor = (kind: CauseKind) => {
      const cause = { kind, summary: "", confidence: "known" } as const;
      const failed = { ...explanation, cause, decidedBy: null };
      const known = { ...opened({ record, snapshot }), ...others, execution, explanation: failed };
      return nextSteps(known).map((step) => step.kind);
    };
    const kinds = Object.keys(CAUSES) as CauseKind[];
    const profiled = kinds.filter((kind) => stepsFor(kind).includes("profile"));
    expect(profiled.sort()).toEqual([
      "budget-exceeded",
      "cpu-exceeded",
      "memory-exceeded",
      "stack-exhausted",
    ]);
    expect(stepsFor("memory-out-of-bounds")).toContain("what-if-code");
    // No other build changes what the host, svc or the network did.
    for (const kind of ["internal-error", "host-internal", "bad-auth", "unexplained"] as const)
      expect(stepsFor(kind)).not.toContain("what-if-code");
  });

  test("are not needed after a success", () => {
    const text = renderText(investigate("sac-transfer"), { color: false });
    expect(text).toContain("Nothing to do: the transaction succeeded.");
  });
});
