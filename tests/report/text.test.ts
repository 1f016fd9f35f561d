import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Investigation } from "../../src/model/investigation.ts";
import type { Verdict } from "../../src/model/verdict.ts";
import { COUNTS, noValues, type Verification } from "../../src/model/verification.ts";
import { only } from "../../src/report/document/document.ts";
import { investigationDocument } from "../../src/report/document/investigation.ts";
import { renderJson } from "../../src/report/json.ts";
import { FINDINGS_RENDERERS, VERIFICATION_RENDERERS } from "../../src/report/renderers.ts";
import { isNamed, SECTION_NAMES } from "../../src/report/report-format.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { protocolWalks } from "../verdict/protocol-walk.ts";
import { findingsOf, found, overridden } from "./findings-of.ts";
import { pageOf } from "./html/pages.ts";
import { investigate, investigateClassic } from "./investigations.ts";

/** As svc prints it. */
const plain = (investigation: Investigation, verbose = false) =>
  FINDINGS_RENDERERS.text(findingsOf([found(investigation)], true), {
    color: false,
    verbose,
    messages: verbose,
  });

const diverged = investigate("sac-transfer", (walk) => ({
  ...walk,
  execution: { ...walk.execution, changes: walk.execution.changes.slice(1) },
}));

/** The full report: tests/report/golden. */
function golden(name: string): string {
  return readFileSync(join(import.meta.dir, "golden", `${name}.txt`), "utf8");
}

describe("the report for people", () => {
  test("a contract's own error", () => {
    expect(plain(investigate("contract-error"))).toBe(golden("contract-error"));
  });

  test("a transfer that succeeded", () => {
    expect(plain(investigate("sac-transfer"))).toBe(golden("sac-transfer"));
  });

  test("an entry restored on the way, with every comparison", () => {
    expect(plain(investigate("auto-restore-and-write"), true)).toBe(golden("restored-verbose"));
  });

  test("a divergence", () => {
    expect(plain(diverged)).toBe(golden("diverged"));
  });

  test("a classic transaction", () => {
    expect(plain(investigateClassic("one-of-several-failed"))).toBe(golden("classic-failed"));
    expect(plain(investigateClassic("fee-bump-payment"))).toContain("Payment (fee-bump) succeeded");
  });

  test("the cause comes next to the outcome, below a verdict that limits it, above any other", () => {
    const failed = investigate("contract-error");
    const verdictOf = (kind: Verdict["kind"]) => ({ ...(failed.verdict as Verdict), kind });
    for (const kind of ["exact", "equivalent"] as const) {
      const lines = plain({ ...failed, verdict: verdictOf(kind) })
        .trimEnd()
        .split("\n");
      expect(lines.slice(2, 4)).toEqual(["", "Cause"]);
      expect(lines.at(-2)).toStartWith(`Verdict: ${kind}. `);
    }
    for (const kind of ["diverged", "inconclusive"] as const) {
      const lines = plain({ ...failed, verdict: verdictOf(kind) }).split("\n");
      expect(lines[2]).toStartWith(`Verdict: ${kind}. `);
      expect(lines.slice(3, 5)).toEqual(["", "Cause"]);
    }
  });

  test("-vv has all of the sections whose names the last line has, and so has --show", () => {
    const names = (text: string) => /--show (\S+)\n$/.exec(text)?.[1]?.split(",") ?? [];
    const failed = investigate("write-bytes-exceeded");
    const cut = names(plain(failed));
    expect(cut).toContain("resources");
    expect(names(plain(failed, true))).toEqual([]);
    for (const name of SECTION_NAMES.filter((each) => each !== "costs")) {
      const options = { color: false, show: [name] };
      const text = FINDINGS_RENDERERS.text(findingsOf([found(failed)], true), options);
      const [, ...sections] = text.split("\n\n");
      expect(sections.length).toBe(cut.includes(name) ? 2 : Math.min(sections.length, 2));
      // With the host's messages there is more between the calls.
      const [shown = ""] = sections;
      expect(text.includes(`Nothing to show: ${name}.`)).toBe(sections.length === 1);
      const [body = ""] = shown.trimEnd().split("\nNothing to show");
      expect(plain(failed, true)).toContain(name === "calls" ? "\nCalls\n" : body);
    }
  });

  test("the cause is what the eye finds first", () => {
    const failed = findingsOf([found(investigate("contract-error"))], true);
    const text = FINDINGS_RENDERERS.text(failed, { color: true });
    expect(text.split("\u001b[1;31m")[1]).toStartWith("  fail(code: 1) of contract CAU7…ZUBV");
  });

  test("the short report says nothing that the full one does not say", () => {
    for (const { name } of protocolWalks()) {
      const investigation = investigate(name);
      const { sections } = only(investigationDocument(investigation, false), new Set(["terminal"]));
      const full = plain(investigation, true).replaceAll(/\s/g, "");
      for (const block of sections.flatMap(({ body }) => body))
        if (block.kind === "sentence") expect(full).toContain(block.text.replaceAll(/\s/g, ""));
    }
  });

  test("every section has a name for --show, and every name a section", () => {
    const { sections } = investigationDocument(
      overridden(investigate("contract-error"), investigate("sac-transfer")),
      false,
    );
    const ids = sections.map(({ id }) => id).filter((id) => id !== "xdr" && id !== "verdict");
    for (const id of ids) expect(SECTION_NAMES.some((name) => isNamed(id, name))).toBe(true);
    for (const name of SECTION_NAMES) expect(ids).toContain(name);
  });

  test("a call that returned is followed by what failed afterwards", () => {
    const base = investigate("sac-transfer");
    const transaction = {
      ...base.explanation.transaction,
      operationCodes: ["invokeHostFunctionResourceLimitExceeded"],
    };
    const late = { ...base, explanation: { ...base.explanation, success: false, transaction } };
    const sentence = "The call returned; the check of its resources failed afterwards.";
    expect(plain(late)).toMatch(new RegExp(`^Calls\\n(?:  .*\\n)+  ${sentence}\\n\\n`, "m"));
    expect(pageOf(late)).toContain(`${sentence}</p>`);
    expect(plain(base)).not.toContain(sentence);
  });

  test("a run with overrides, compared with the replay", () => {
    const [failed, transfer] = [investigate("contract-error"), investigate("sac-transfer")];
    expect(plain(overridden(failed, transfer))).toBe(golden("what-if"));
    const same = plain(overridden(transfer, transfer));
    expect(same).not.toContain("What if: calls");
    expect(same).not.toContain("What if: state changes");
    expect(same).toContain("  No call, state change, event or cost differs.");
  });

  test("a caveat names its key in words", () => {
    const text = plain(
      investigate("contract-error", (walk) => {
        const keyXdr = walk.snapshot.entries[0]?.keyXdr ?? "";
        const unknown = [{ keyXdr, reason: "no node has it" }];
        return { ...walk, snapshot: { ...walk.snapshot, unknown } };
      }),
    );
    expect(text).toContain("Verdict: inconclusive.");
    expect(text).toMatch(/- instance of contract C\w{3}…\w{4}: no node has it\./);
  });

  describe("a node that has nothing", () => {
    const REASON = "rpc.example refused getLedgerEntries: not recorded (JSON-RPC error -32601)";
    const keys = [...Array(15).keys()].map((id) => settingKeyOf(id));
    const found = investigate("contract-error", (walk) => ({
      ...walk,
      snapshot: {
        ...walk.snapshot,
        unknown: [...walk.snapshot.entries.map(({ keyXdr }) => keyXdr), ...keys].map((keyXdr) => ({
          keyXdr,
          reason: REASON,
        })),
      },
      execution: {
        ...walk.execution,
        metrics: Object.fromEntries(Object.keys(walk.execution.metrics).map((name) => [name, "0"])),
        assumed: [
          {
            what: "CONFIG_SETTING_CONTRACT_COMPUTE_V0",
            keyXdr: null,
            value: "that of a standalone protocol-28 network",
          },
        ],
      },
    }));
    const count = found.snapshot.unknown.length;

    test("is one caveat, and does not push the cause off the screen", () => {
      const lines = plain(found).split("\n");
      const text = lines.join(" ").replace(/ +/g, " ");
      expect(text.split("JSON-RPC error -32601")).toHaveLength(2);
      expect(text).toContain(`${REASON} (${count}): `);
      expect(text).toContain(`; and ${count - 3} more.`);
      expect(text).toMatch(
        /The replay's metering differs \(\d\): .*; CPU instructions: [\d,]+ in the diag/,
      );
      expect(text).toMatch(/More: -v, or --show caveats,/);
      expect(lines.indexOf("Cause (likely)")).toBe(4);
      expect(lines.indexOf("Caveats")).toBeGreaterThan(lines.indexOf("Cause (likely)"));
    });

    test("is shown for each key with --verbose, for a setting once and by its name", () => {
      const text = plain(found, true).replace(/\s+/g, " ").split(" Transaction ")[0] ?? "";
      expect(text).not.toContain(" more.");
      expect(text.split("CONFIG_SETTING_CONTRACT_COMPUTE_V0")).toHaveLength(2);
      expect(text).not.toContain("ContractComputeV0");
    });

    test("is complete in --json", () => {
      const { verdict } = JSON.parse(renderJson(found));
      const unknown = verdict.caveats.filter(({ kind }: { kind: string }) => kind === "unknown");
      expect(unknown).toHaveLength(count);
    });
  });
});

describe("an 80-column terminal", () => {
  for (const { name } of protocolWalks()) {
    test(`${name} fits, except for words that must not be cut`, () => {
      const lines = plain(investigate(name), true).split("\n");
      const long = lines.filter((line) => line.length > 80 && line.trim().includes(" "));
      // A line may be longer only if its last word alone is too long for any line.
      for (const line of long) expect(line.split(" ").at(-1)?.length).toBeGreaterThan(40);
    });
  }

  for (const columns of [40, 60, 120])
    test(`as wide as the terminal: ${columns} columns`, () => {
      for (const { name } of protocolWalks()) {
        const lines = drawn(name, columns).split("\n");
        for (const line of lines.filter((each) => each.length > columns))
          expect(line.split(" ").at(-1)?.length).toBeGreaterThan(columns / 2);
        const whole = (text: string) => text.replaceAll(/\s/g, "");
        const [wide, narrow] = [drawn(name, 120), lines.join("\n")].map((text) =>
          // The values of a call are cut to the width.
          whole(text.replace(/\n(Calls|Resources)[\s\S]*?\n(?=\n)/g, "")),
        );
        expect(narrow).toBe(wide as string);
      }
    });

  test("without a terminal it is 80 columns; never less than 40 or more than 120", () => {
    const at = (columns?: number) => drawn("sac-transfer", columns);
    for (const none of [undefined, 0, 80])
      expect(at(none)).toBe(plain(investigate("sac-transfer"), true));
    expect(at(1)).toBe(at(40));
    expect(at(500)).toBe(at(120));
    expect(new Set([40, 60, 80, 120].map(at)).size).toBe(4);
  });

  test("a table that is too wide becomes lists with the names of its columns", () => {
    const text = drawn("sac-transfer", 40);
    expect(text).toMatch(
      /\n {2}CPU instructions\n {4}used +[\d,]+\n {4}declared +[\d,]+\n {4}network limit {2}-\n {4}share {10}71 %\n/,
    );
  });

  test("colors are only used on request, and change nothing else", () => {
    const colored = renderText(diverged, { color: true, verbose: true, messages: true });
    expect(colored).toContain("\u001b[31m");
    const pattern = new RegExp(`${"\u001b"}\\[\\d+m`, "g");
    expect(colored.replace(pattern, "")).toBe(plain(diverged, true));
    expect(plain(diverged, true)).not.toContain("\u001b");
  });

  test("hostile text from anywhere is made visible", () => {
    const real = investigate("contract-error");
    const bad = "x\u001b]0;owned\u0007\u202e\r\ny";
    const text = plain(
      {
        ...real,
        record: { ...real.record, networkPassphrase: bad, origins: { meta: bad } },
        snapshot: {
          ...real.snapshot,
          entries: real.snapshot.entries.map((entry) => ({
            ...entry,
            provenance: { kind: "rpc-unchanged", detail: bad },
          })),
        },
        explanation: {
          ...real.explanation,
          headline: bad,
          remedy: bad,
          evidence: [bad],
          calls: { ...(real.explanation.calls as never as object), function: bad } as never,
        },
      },
      true,
    );
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text).toContain("\\u{1b}]0;owned\\u{7}\\u{202e}\\u{d}\\u{a}y");
  });
});

const VERIFICATION: Verification = {
  ...noValues(COUNTS),
  inputs: ["a.xdr.zst"],
  ledgers: 1234,
  transactions: 2392,
  classicTransactions: 17,
  refusedTransactions: 2,
  verdicts: { exact: 2389, equivalent: 1, diverged: 1, inconclusive: 1 },
  byProtocol: {
    "23": { exact: 264, equivalent: 0, diverged: 0, inconclusive: 1 },
    "9": { exact: 2125, equivalent: 1, diverged: 1, inconclusive: 0 },
  },
  byCause: { "an input is not known": 1, "return value differs": 1, "other metering": 1 },
  byContract: {},
  notExact: [
    {
      hash: "ab".repeat(32),
      ledger: 57500008,
      protocolVersion: 23,
      applicationOrder: 214,
      source: "pubnet-57500008.xdr.gz",
      verdict: "inconclusive",
      cause: "an input is not known",
      detail: "contract code 00 is not in the ledger.",
      contract: null,
      lacksHistory: true,
    },
  ],
  notExactOmitted: 2,
  stateMismatches: 0,
  mismatches: [],
  rehearsal: null,
  elapsedMilliseconds: 12_345,
};

describe("the summary of a range", () => {
  test("counts by verdict, protocol and cause, then the transactions that are not exact", () => {
    const text = VERIFICATION_RENDERERS.text(VERIFICATION, { color: false, nodes: null });
    expect(text).toBe(golden("verification"));
  });

  test("an empty range has no sections", () => {
    const nothing: Verification = {
      ...VERIFICATION,
      transactions: 0,
      classicTransactions: 0,
      refusedTransactions: 0,
      verdicts: { exact: 0, equivalent: 0, diverged: 0, inconclusive: 0 },
      byProtocol: {},
      byCause: {},
      notExact: [],
      notExactOmitted: 0,
      stateMismatches: 0,
      mismatches: [],
      rehearsal: null,
    };
    expect(VERIFICATION_RENDERERS.text(nothing, { color: false, nodes: null })).toBe(
      "0 Soroban transactions replayed: 0 exact.\n1,234 ledgers read in 12.3 s.\n",
    );
  });
});

/** As svc prints one investigation. */
function drawn(name: string, columns?: number): string {
  const options = {
    color: false,
    verbose: true,
    messages: true,
    ...(columns !== undefined && { columns }),
  };
  return FINDINGS_RENDERERS.text(findingsOf([found(investigate(name))], true), options);
}
