// Where no declared value helps, the fix says how the transaction fails then: the same way only with
// the same error number in the same call, and for another cause where an authorization alone does
// not help.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { RECORDING_BINARY } from "../../scripts/ensure-built.ts";
import { phraseFor, SHELL } from "../../src/base/phrase.ts";
import { openFixContext } from "../../src/debugger/fix/fix-transaction.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { findFix } from "../../src/fix/find-fix.ts";
import { CAUSES, type CauseKind } from "../../src/model/cause-kinds.ts";
import type { Execution } from "../../src/model/execution.ts";
import type { Cause } from "../../src/model/explanation.ts";
import { openRecordingOneShot } from "../../src/simulator/one-shot.ts";
import type { RecordingSimulator } from "../../src/simulator/recording-simulator.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { opened } from "../support/opened.ts";
import { openTestSimulator } from "../support/simulator.ts";

const BUILD_MILLISECONDS = 900_000;
const signal = NEVER_ABORTED;

describe("a failure that no declared value fixes", () => {
  const loopback = openLoopback();
  const simulator = openTestSimulator();
  let recorder: RecordingSimulator;
  beforeAll(() => {
    recorder = openRecordingOneShot({ path: RECORDING_BINARY });
  }, BUILD_MILLISECONDS);
  afterAll(() => loopback[Symbol.asyncDispose]());

  async function failedCalled(name: string) {
    const transaction = loopback.network.transactions.find((each) => each.name === name);
    if (transaction === undefined) throw new Error(`no transaction ${name}`);
    const before = loopback.network.file(transaction).preEntries?.result?.latestLedger;
    const walk = openWalk(loopback, { rpc: [`entries-at=${before ?? transaction.ledger}`] });
    const deps = { ...walk, simulator, progress: () => {} };
    const found = await debugTransaction(deps, transaction.hash, {
      signal,
      locate: { wasm: null },
    });
    const { record, snapshot, execution, explanation } = found;
    if (!snapshot || !execution || !explanation.cause) throw new Error("nothing failed");
    const contextWith = (cause: Cause, failed: Partial<Execution> = {}) =>
      openFixContext(
        { ...deps, recorder },
        {
          ...opened({ record, snapshot }),
          snapshot,
          cause: { by: "code", kind: cause.kind, facts: {} },
          execution: { ...execution, ...failed },
        },
        { signal },
      );
    return { found, execution, cause: explanation.cause, contextWith };
  }

  test("where the signatures lacked weight, the entry takes those of several signers", async () => {
    const { cause, contextWith } = await failedCalled("admin_set, entry not signed");
    for (const kind of ["authorization-unsigned", "authorization-weight"] as const) {
      const fix = await findFix(contextWith({ ...cause, kind }));
      expect(fix.proof?.outcome).toBe("recorded");
      const several = "the signatures of several signers of the account, sorted by public key";
      const summary = phraseFor(fix.summary, SHELL);
      expect([kind, summary.includes(several)]).toEqual([kind, kind === "authorization-weight"]);
    }
  });

  test("a limit that the maximum resources exceed too is not told as the contract's fault", async () => {
    const { cause, contextWith } = await failedCalled("contract error Err(NotFound)");
    const told = { limits: new Set<string>(), others: new Set<string>() };
    for (const kind of Object.keys(CAUSES) as CauseKind[]) {
      const failing = { ...cause, kind };
      const context = contextWith(failing);
      const fix = await findFix({ ...context, causeOf: () => ({ cause: failing, remedy: null }) });
      const of = CAUSES[kind].limit === undefined ? told.others : told.limits;
      of.add(phraseFor(fix.summary, SHELL).split(":")[0] ?? "");
    }
    expect([...told.limits]).toEqual([
      "No change to the declared resources, footprint or authorizations fixes this",
    ]);
    expect([...told.others]).toEqual([expect.stringMatching(/^The cause is in the contract, /)]);
    for (const kind of ["resource-limit-exceeded", "cpu-exceeded", "memory-exceeded"] as const)
      expect(CAUSES[kind].limit).toBeString();
  });

  test("is the same only with the same error number", async () => {
    const { cause, contextWith, execution } = await failedCalled("contract error Err(NotFound)");
    expect((await findFix(contextWith(cause))).summary).toContain("fails the same way");
    const { hostError } = execution;
    if (hostError === null) throw new Error("the host reported no error");
    const failed = { hostError: { ...hostError, contractCode: 2 } };
    const other = (await findFix(contextWith(cause, failed))).summary;
    expect(other).not.toContain("the same way");
    expect(other).toContain("the transaction still fails");
    expect(other).toContain("LabError::NotFound (Error(Contract, #1))");
  });

  test("is the same only in the same call", async () => {
    for (const name of ["panic -> unreachable trap", "integer overflow trap"]) {
      const { found, cause, contextWith, execution } = await failedCalled(name);
      expect(found.fix?.summary).toContain("the transaction fails the same way with");
      expect(found.fix?.summary).not.toContain("panicked");
      const { callTree } = execution;
      const elsewhere = { callTree: callTree && { ...callTree, function: "elsewhere" } };
      expect((await findFix(contextWith(cause, elsewhere))).summary).toContain("still fails");
    }
  });

  test("a recording run gives the cause that follows, and none for an authorization", async () => {
    const { cause, contextWith, found } = await failedCalled("SAC transfer insufficient balance");
    const { envelope } = opened(found);
    const attempt = { envelope, entries: new Map(), restoredFirst: [] };
    const run = await contextWith(cause).record?.(attempt);
    if (run?.kind !== "failed") throw new Error("it succeeds");
    expect(run.next?.cause.kind).toBe("token-balance");
    expect(run.next?.remedy).toStartWith("Transfer at most ");
    const reused = await failedCalled("auth entry replayed (nonce exists)");
    const context = reused.contextWith(reused.cause);
    const fix = await findFix({ ...context, record: () => Promise.resolve(run) });
    expect(fix.proof).toEqual({ outcome: "fails-next", ...run.next } as never);
    expect(fix.summary).toMatch(
      /^With the required authorizations the transaction gets further, then fails for another cause: .*BalanceError/,
    );
    expect(fix.kinds).toEqual(["authorization"]);
    expect(fix.envelopeXdr).toBeNull();
    const blind = await findFix({
      ...context,
      record: () => Promise.resolve({ ...run, next: null }),
    });
    expect(blind.proof?.outcome).toBe("unproven");
  });

  test("the error of an inner contract has its name", async () => {
    const { cause, contextWith, found } = await failedCalled("call propagates callee error");
    const { envelope } = opened(found);
    const attempt = { envelope, entries: new Map(), restoredFirst: [] };
    const run = await contextWith(cause).record?.(attempt);
    if (run?.kind !== "failed") throw new Error("it succeeds");
    expect(run.next?.cause.summary).toMatch(
      /^fail\(code: 2\) of contract CBDZ\w+ returned LabError::TooBig/,
    );
  });

  test("a used nonce is not simply signed anew, and an unsigned entry is not signed as a new one", async () => {
    const reused = (await failedCalled("auth entry replayed (nonce exists)")).found;
    expect(reused.remedy).toStartWith("Do not send this call again: it already succeeded in");
    expect(reused.remedy).toContain("Only if the call is to be made once more: simulate again");
    expect(reused.explanation.cause?.summary).toContain("may already have done");
    // Nothing is offered to be sent beside the advice not to send.
    expect(reused.fix).toMatchObject({ finding: "done", proof: null, envelopeXdr: null });
    expect(reused.next.some(({ kind }) => kind === "print-fix")).toBe(false);
    const unsigned = (await failedCalled("admin_set, entry not signed")).found;
    expect(unsigned.remedy).toContain("sign the authorization entry, with an expiration ledger");
    expect(unsigned.fix?.summary).toContain(
      "can sign the authorization, and svc cannot create that signature.",
    );
  });
});
