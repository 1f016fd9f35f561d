// The first cause is the true one: failures of a recorded network whose names state why they were
// made to fail, each replayed with the built svc-sim.

import { afterAll, describe, expect, test } from "bun:test";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import type { CauseKind } from "../../src/model/cause-kinds.ts";
import type { ReplayedFact } from "../../src/model/explanation.ts";
import { failedAfterReturn } from "../../src/report/document/calls.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

/** Name of the transaction → kind of its cause, and what the summary must contain. */
const CAUSES: Readonly<Record<string, readonly [kind: CauseKind, summary: RegExp]>> = {
  "contract error Err(NotFound)": [
    "contract-error",
    /^fail\(code: 1\) of contract \w+ returned LabError::NotFound \(Error\(Contract, #1\)\)\.$/,
  ],
  panic_with_error: [
    "contract-error",
    /^fail_panic\(\) of contract \w+ failed with LabError::Teapot \(/,
  ],
  err_eek: ["contract-error", / returned Eek::BADNESS \(/],
  "call propagates callee error": [
    "contract-error",
    /^fail\(code: 2\) of contract \w+ returned LabError::TooBig \(/,
  ],
  "panic -> unreachable trap": ["contract-panic", /UnreachableCodeReached/],
  "cross-contract add overflow in callee": [
    "contract-panic",
    /^add\(a: 2147483647, b: 4\) of contract \w+ panicked /,
  ],
  "fee bump soroban failing": ["contract-panic", /trap\(\)/],
  "wrong argument type": [
    "argument-type",
    /^add\(a: x, b: 1\) of contract \w+ panicked \(\w+\)\.$/,
  ],
  "wrong argument count": ["argument-count", /takes 2 arguments, but 1 was given/],
  "function does not exist": ["function-missing", /no function nope\. Its functions are add/],
  "call of a contract that does not exist": [
    "contract-missing",
    /^Contract CALYLT\w+ does not exist; f\(\) was called on it/,
  ],
  "re-entry forbidden": ["contract-re-entry", /^Re-entry is not allowed: .*deep\(n: 1\)/],
  "spoofed system error": [
    "contract-action",
    /returned an error of a type that only the host may return/,
  ],
  "ed25519 verify bad signature": [
    "signature-invalid",
    /^A signature is not valid for.*in ed_verify/,
  ],
  "upload invalid wasm": ["wasm-invalid", /not wasm/],
  "deploy from contract, same salt (exists)": ["contract-exists", /already exists/],
  "footprint lacks the entry": [
    "footprint-miss",
    /data Count\(main\) of.*which is not in its footprint/,
  ],
  "footprint entry read-only but written": [
    "footprint-miss",
    /which is read-only in its footprint/,
  ],
  "spawn: constructor auth of the deployer contract missing": [
    "footprint-miss",
    /instance of contract CBHO4.*which is not in its footprint/,
  ],
  "cpu budget too low in resources": [
    "cpu-exceeded",
    /1,502,161 instructions used, 1,500,000 declared.*spin\(n: 500\)/,
  ],
  "cpu budget exceeded by infinite loop": ["budget-exceeded", /^CPU limit exceeded in iloop\(\)/],
  "memory budget exceeded": ["memory-exceeded", /41,960,595 bytes used, 41,943,040 allowed by/],
  "stack exhaustion": ["stack-exhausted", /nested too deeply/],
  "write bytes too low": ["write-bytes-exceeded", /8,288 bytes used, 300 declared/],
  "try_call catches trap with rollback": ["write-bytes-exceeded", /104 bytes used, 0 declared/],
  "too many events": ["events-size-exceeded", /16,432 bytes used, 16,384 allowed by/],
  "entry over the size limit": [
    "entry-size-exceeded",
    /data Blob\(2\) of contract CAU7Z\w+ has 79,968 bytes; the network allows 65,536 /,
  ],
  "refundable fee too low (rent of 16 KiB)": [
    "insufficient-refundable-fee",
    /rent: 1,612,388 stroops needed/,
  ],
  "read of archived entry, not restored": ["entry-archived", /persistent data p1/],
  "admin_set, entry not signed": ["authorization-unsigned", /is not signed/],
  "admin_set, no auth entries": ["authorization-missing", /contains no authorization entry/],
  "auth tree: one signer missing": [
    "authorization-missing",
    /contains no authorization entry of GA3M6P4DTZ/,
  ],
  "admin_set, signed by the wrong key": [
    "authorization-wrong-signer",
    /not a signer of the account/,
  ],
  "admin_set, signature expired": [
    "authorization-expired",
    /valid until ledger 314, but was used in ledger 318/,
  ],
  "admin_set, args differ from signed": [
    "authorization-mismatch",
    /argument `value` is 1005 in the call and 1006 in the authorization entry/,
  ],
  "auth entry replayed (nonce exists)": [
    "authorization-reused",
    / was already used\. It is for admin_set\(/,
  ],
  "custom account bad signature": ["authorization-refused", /failed ED25519 verification/],
  "SAC transfer insufficient balance": [
    "token-balance",
    / has 0\.0001234 LAB and sends 100,000,000 LAB\. .* BalanceError \(/,
  ],
  "SAC transfer to account without trustline": [
    "trustline-missing",
    /^Account GAH47CWQ7\w+ has no trustline for LAB:G\w+\./,
  ],
  "classic payment underfunded": ["result-code", /paymentUnderfunded/],
};

/** Name of the transaction → what the evidence must contain, or must not. */
const EVIDENCE: Readonly<Record<string, readonly [says: boolean, sentence: RegExp]>> = {
  "get of missing key -> contract error": [
    true,
    /^Likely, `get` failed because there is no entry Count\(nokey\) in its persistent storage \(`key`, argument 1\)\. Run with the entry Count\(nokey\) set to 1, it succeeds\.$/,
  ],
  "same ledger race: get #1": [
    true,
    /^Likely, `get` failed because there is no entry Count\(race\) in its persistent storage/,
  ],
  // Told once.
  "expired temporary entry is gone": [false, /^The contract looked up/],
  "contract error Err(NotFound)": [false, /^The contract looked up/],
  "divide by zero": [
    true,
    /^`divide` stopped because `denominator` \(argument 1\) is 0\. Run with `denominator` 1, /,
  ],
  "wrong argument type": [
    true,
    /^`add` stopped because `a` \(argument 1\) is a symbol, not a u32\. Run with `a` 0, it succeeds\.$/,
  ],
  "integer overflow trap": [false, /^Possible reason: /],
  "cross-contract add overflow in callee": [false, /^Possible reason: /],
  "panic -> unreachable trap": [false, /^(Possible reason|With )/],
  "upload invalid wasm": [false, /location in the code/],
};

describe("failures of a recorded network", () => {
  const loopback = openLoopback();
  const simulator = openTestSimulator();
  afterAll(() => loopback[Symbol.asyncDispose]());

  async function explained(name: string) {
    const { network } = loopback;
    const transaction = network.named(name);
    const before = network.file(transaction).preEntries?.result?.latestLedger;
    const walk = openWalk(loopback, { rpc: [`entries-at=${before ?? transaction.ledger}`] });
    const deps = { ...walk, simulator, progress: () => {} };
    const { hash } = transaction;
    return (await debugTransaction(deps, hash, { signal: NEVER_ABORTED, locate: { wasm: null } }))
      .explanation;
  }

  for (const [name, [says, sentence]] of Object.entries(EVIDENCE)) {
    test(`evidence: ${name}`, async () => {
      const { evidence } = await explained(name);
      expect(evidence.some((each) => sentence.test(each))).toBe(says);
    });
  }

  for (const [name, expected] of Object.entries(CAUSES)) {
    test(name, async () => {
      const { cause } = await explained(name);
      expect(cause?.kind).toBe(expected[0]);
      expect(cause?.summary).toMatch(expected[1]);
    });
  }

  test("a run shows whether a suspicious argument decided", async () => {
    const decides = async (name: string) => (await explained(name)).evidence[0];
    expect(await decides("integer overflow trap")).toBe(
      "`add` stopped because `a` (4294967295, argument 1) + `b` (1, argument 2) does not fit a u32. " +
        "Run with `a` 4294967294, it succeeds.",
    );
    // The argument of the callee was passed on by the call of the transaction.
    const passedOn = await explained("cross-contract add overflow in callee");
    expect(passedOn.evidence[0]).toEndWith(
      "does not fit an i32; `a` is `x` (argument 1) of `add_with`; `b` is `y` (argument 2) of `add_with`. " +
        "Run with 2147483643 as `x` of `add_with`, it succeeds.",
    );
    expect(await decides("panic -> unreachable trap")).not.toStartWith("With ");
  });

  test("where the host stopped is not what a transaction needs", async () => {
    const { cause, remedy } = await explained("cpu budget too low in resources");
    expect(cause?.summary).toEndWith("The host stopped there; the transaction may need more.");
    expect(remedy).toStartWith("Simulate again and declare the instructions that the simulation");
    expect(remedy).not.toContain("1,502,161");
  });

  test("a contract that calls itself is not told to change its callers", async () => {
    const { remedy } = await explained("cross-contract add_with");
    expect(remedy).toBe(
      "Do not call a contract that is still running. A contract cannot call itself either.",
    );
  });

  test("a call that returned before the transaction failed is followed by what failed", async () => {
    const after = async (name: string) => failedAfterReturn(await explained(name));
    for (const name of ["entry over the size limit", "write bytes too low", "too many events"])
      expect(await after(name)).toBe(
        "The call returned; the check of its resources failed afterwards.",
      );
    expect(await after("refundable fee too low (rent of 16 KiB)")).toBe(
      "The call returned; the check of its refundable fee failed afterwards.",
    );
    for (const name of ["memory budget exceeded", "contract error Err(NotFound)"])
      expect(await after(name)).toBeNull();
    const late = await explained("too many events");
    const calls: ReplayedFact[] = ["calls"];
    expect(failedAfterReturn({ ...late, replayOnly: calls })).toBeNull();
    expect(failedAfterReturn({ ...late, success: true })).toBeNull();
  });

  test("what a contract caught is no evidence for a limit, and comes after the host's own", async () => {
    const { evidence, details } = await explained("try_call catches trap with rollback");
    expect(evidence.some((each) => each.startsWith("Before that, "))).toBe(false);
    const [own = "", earlier = ""] = details.map(({ text }) => text);
    expect(own).toContain("operation byte-write resources exceeds amount specified");
    expect(earlier).toStartWith("Before that, ");
    expect(earlier).toContain("UnreachableCodeReached");
  });
});
