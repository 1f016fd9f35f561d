// Every group of a rehearsal occurs, and none is taken for another. The truth of each pair of runs
// is known, because the second is the first with one thing changed.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RehearsedBuild } from "../../src/debugger/what-if/rehearse-build.ts";
import type { Execution } from "../../src/model/execution.ts";
import { compareRuns } from "../../src/rehearsal/compare-runs.ts";
import { differencesInWords } from "../../src/rehearsal/difference-words.ts";
import { GROUPS } from "../../src/rehearsal/rehearsal.ts";
import type { ContractSpec } from "../../src/xdr/contract/contract-spec.ts";
import { contractLookup } from "../../src/xdr/contract/contract-specs.ts";
import { contractCodeKey } from "../../src/xdr/ledger/patch-entry.ts";
import { SCV } from "../../src/xdr/reader/scval-type.ts";
import { encode } from "../../src/xdr/reader/value.ts";
import { instanceKeyOfContract } from "../../src/xdr/values/value-parts.ts";

const CONTRACT = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";
const OTHER = "CCJS5G6RXTAEELZR53VZTJH6QVDPMW7SCOASEGG43AXT6DDUANXCMDAA";
const [OLD, NEW] = ["aa".repeat(32), "bb".repeat(32)] as const;
const instanceKey = instanceKeyOfContract(CONTRACT) ?? "";
const u32 = (value: number) => encode("ScVal", { type: SCV.u32, u32: value });

/** The instance with this code and one number in its storage. */
function instance(hash: string, value: number): string {
  const contract = { type: 1, contractId: contractIdOf() } as const;
  const storage = [
    { key: { type: SCV.symbol, sym: Buffer.from("n") }, val: { type: SCV.u32, u32: value } },
  ] as const;
  return encode("LedgerEntry", {
    lastModifiedLedgerSeq: 5,
    data: {
      type: 6,
      contractData: {
        ext: { v: 0 },
        contract,
        key: { type: SCV.instanceKey },
        durability: 1,
        val: {
          type: SCV.instance,
          instance: {
            executable: { type: 0, wasmHash: Uint8Array.fromHex(hash) },
            storage: [...storage],
          },
        },
      },
    },
    ext: { v: 0 },
  });
}

function contractIdOf(): Uint8Array {
  // A LedgerKey of contract data: its type, the address's type, and the 32 bytes.
  return Uint8Array.fromBase64(instanceKey).slice(8, 40);
}

const change = (hash: string, value: number) => ({
  kind: "updated" as const,
  keyXdr: instanceKey,
  beforeXdr: null,
  afterXdr: instance(hash, value),
});

const succeeded = (changed: Partial<Execution> = {}): Execution =>
  ({
    outcome: { kind: "success" },
    hostError: null,
    returnValueXdr: u32(1),
    eventsXdr: ["AAAA"],
    changes: [change(OLD, 1)],
    ...changed,
  }) as unknown as Execution;

const failed = (contractCode: number): Execution =>
  ({
    outcome: { kind: "failed", operation: "invokeHostFunction", code: "trapped" },
    hostError: { type: "Contract", code: "x", contractCode },
    returnValueXdr: null,
    eventsXdr: [],
    changes: [],
    callTree: null,
  }) as unknown as Execution;

/** Fails in these calls, each within the one before it. `caught`: the last one ended before that. */
function failedIn(path: readonly (readonly [contract: string, name: string])[], caught = false) {
  const callTree = path.reduceRight<object | null>((inner, [contract, name]) => {
    const logged =
      inner !== null && caught
        ? [inner, { contract: null, function: null, failed: true, calls: [] }]
        : [inner];
    const calls = inner === null ? [] : logged;
    return { contract, function: name, failed: true, calls };
  }, null);
  return { ...failed(1), callTree } as unknown as Execution;
}

/** Only what is looked at of a specification: that it has the function `increase`. */
const SPEC = { functions: new Map([["increase", {}]]) } as unknown as ContractSpec;

function groupOf(
  before: Execution,
  execution: Execution,
  { spec = SPEC, ...more }: Partial<RehearsedBuild> & { readonly spec?: ContractSpec } = {},
) {
  const replaced = [{ contract: CONTRACT, build: CONTRACT, oldHash: OLD, newHash: NEW, spec }];
  const explain = (() => ({ cause: null })) as unknown as RehearsedBuild["explain"];
  const decide = async () => null;
  const after = { execution, explain, decide, redeclared: [], signers: [], blocked: null, ...more };
  return compareRuns({ before, after, replaced, lookup: contractLookup([]) });
}

const because = (kind: string) =>
  (() => ({ cause: { kind, summary: kind } })) as unknown as RehearsedBuild["explain"];

const renewed = succeeded({ changes: [change(NEW, 1)] });

const CASES = {
  same: () => groupOf(succeeded(), renewed),
  "declared-too-little": () => groupOf(succeeded(), renewed, { redeclared: ["footprint"] }),
  "other-result": () => groupOf(succeeded(), { ...renewed, returnValueXdr: u32(2) }),
  "other-state": () => groupOf(succeeded(), succeeded({ changes: [change(NEW, 2)] })),
  "other-events": () => groupOf(succeeded(), { ...renewed, eventsXdr: ["AAAB"] }),
  "newly-failing": () => groupOf(succeeded(), failed(1)),
  "newly-succeeding": () => groupOf(failed(1), renewed),
  "other-failure": () => groupOf(failed(1), failed(2)),
  "function-gone": () => groupOf(succeeded(), failed(1), { explain: because("function-missing") }),
  "arguments-misfit": () => groupOf(succeeded(), failed(1), { explain: because("argument-count") }),
  "needs-signatures": () => groupOf(succeeded(), failed(1), { signers: ["GA7Q"] }),
  "state-unknown": () => groupOf(succeeded(), renewed, { blocked: { kind: "entry-unreported" } }),
};

describe("the group of a call", () => {
  test("a function that is gone within another contract's call is no other failure", () => {
    const explain = because("function-missing");
    const nested = failedIn([
      [OTHER, "fwd"],
      [CONTRACT, "increese"],
    ]);
    for (const before of [succeeded(), failed(2)])
      expect(groupOf(before, nested, { explain })).toEqual({
        group: "function-gone",
        differences: [
          { kind: "function-gone", contract: CONTRACT, function: "increese", near: "increase" },
          {
            kind: "cause",
            cause: "function-missing",
            failed: { contract: CONTRACT, function: "increese" },
            after: { kind: "host-error", type: "Contract", code: 1 },
            summary: "function-missing",
          },
        ],
      });
  });

  test("a caller that catches the lack of a function, and fails itself, fails for that", () => {
    const path = [
      [OTHER, "fwd_try"],
      [CONTRACT, "inc"],
    ] as const;
    const caught = failedIn(path, true);
    expect(groupOf(succeeded(), caught, { explain: because("contract-error") })).toMatchObject({
      group: "function-gone",
      differences: [
        { kind: "function-gone", contract: CONTRACT, function: "inc", near: "increase" },
        { kind: "cause", cause: "contract-error", summary: "contract-error" },
      ],
    });
    // The function may be in the part of the specification that was not read.
    const spec = { ...SPEC, unread: { reason: "limit", readEntries: 1 } } as const;
    expect(groupOf(succeeded(), caught, { explain: because("contract-error"), spec }).group).toBe(
      "newly-failing",
    );
    // The host calls these, and a specification need not have them.
    const hosts = failedIn([[CONTRACT, "__check_auth"]]);
    expect(groupOf(succeeded(), hosts, { explain: because("contract-error") }).group).toBe(
      "newly-failing",
    );
  });

  test("what a contract lacks that stays as it is, the new code should not have called", () => {
    const path = [
      [CONTRACT, "increase"],
      [OTHER, "gone"],
    ] as const;
    for (const kind of ["function-missing", "argument-count"]) {
      const more = { explain: because(kind) };
      expect(groupOf(succeeded(), failedIn(path), more).group).toBe("newly-failing");
      expect(groupOf(failed(2), failedIn(path), more).group).toBe("other-failure");
    }
  });

  test("arguments that no longer fit are no other failure", () => {
    const explain = because("argument-count");
    expect(groupOf(failed(2), failed(1), { explain }).group).toBe("arguments-misfit");
  });

  test("the page of the command names each group as the report does", () => {
    const page = readFileSync(join(import.meta.dir, "../../docs/rehearse.md"), "utf8");
    const named = [...page.matchAll(/^\| `([a-z-]+)` \| ([^|]+) \| [^|]+ \|$/gm)];
    expect(named.map(([, kind, words]) => [kind, words])).toEqual(Object.entries(GROUPS));
  });

  for (const [group, made] of Object.entries(CASES))
    test(group, () => expect(made().group as string).toBe(group));

  test("each group has a case, except those without a run to compare", () => {
    const all = Object.keys(GROUPS).filter(
      (kind) => kind !== "no-result" && kind !== "first-fails",
    );
    expect(Object.keys(CASES).sort()).toEqual(all.sort());
  });

  test("two failures with the same error are the same", () => {
    expect(groupOf(failed(1), failed(1))).toEqual({ group: "same", differences: [] });
  });

  test("a change of the code's own entry is the same with another hash", () => {
    const code = (hash: string) => ({
      kind: "restored" as const,
      keyXdr: contractCodeKey(hash),
      beforeXdr: null,
      afterXdr: "AAAA",
    });
    const [before, after] = [code(OLD), code(NEW)].map((each) => succeeded({ changes: [each] }));
    expect(groupOf(before as Execution, after as Execution).group).toBe("same");
  });

  test("the value before and after is known", () => {
    expect(CASES["other-result"]().differences).toEqual([
      { kind: "result", before: "1", after: "2" },
    ]);
    const [entry] = CASES["other-state"]().differences;
    expect(entry).toMatchObject({ kind: "entry", others: 0, before: { change: "updated" } });
  });
});

test("a function that is gone is named once, with the nearest name", () => {
  const gone = {
    kind: "function-gone",
    contract: CONTRACT,
    function: "inc",
    near: "incr",
  } as const;
  const after = { kind: "host-error", type: "Contract", code: 1 } as const;
  const words = (cause: "function-missing" | "contract-error", summary: string) =>
    differencesInWords({
      differences: [gone, { kind: "cause", cause, failed: null, after, summary }],
    });
  expect(words("function-missing", "There is no inc.")).toBe(
    "There is no inc. Did the author mean `incr` instead of `inc`?",
  );
  expect(words("contract-error", "Error 1.")).toBe(
    `Contract ${CONTRACT} has no function inc. Did the author mean \`incr\` instead of \`inc\`? Error 1.`,
  );
});
