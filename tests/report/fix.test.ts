import { describe, expect, test } from "bun:test";
import type { Investigated } from "../../src/model/finding.ts";
import type { Fix } from "../../src/model/fix.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import { envelopesOf, notesOfPipe } from "../../src/report/document/fix.ts";
import { renderFixJson, renderFixXdr } from "../../src/report/formats/json.ts";
import { renderJson } from "../../src/report/json.ts";
import debugSchema from "../../src/report/schema/debug-report.schema.json";
import { renderFixText, renderText } from "../../src/report/text/render-text.ts";
import { shownOf } from "../../src/report/tui/tabs.ts";
import { schemaProblems, undescribedFields } from "./check-schema.ts";
import { investigate } from "./investigations.ts";

const NOTHING: Fix = {
  finding: "nothing-helps",
  kinds: [],
  summary: "No change to the declared resources fixes this.",
  changes: [],
  proof: null,
  prelude: null,
  headroom: null,
  resubmission: [],
  signers: [],
  authorizationSigners: [],
  transactionSigners: [],
  envelopeXdr: null,
  leastEnvelopeXdr: null,
};

const SUCCEEDS: Fix = {
  ...NOTHING,
  kinds: ["restore", "instructions"],
  summary:
    "The transaction succeeds with 1 archived entry restored first and 500 more instructions.",
  changes: [{ part: "instructions", what: "instructions", from: "1000000", to: "1000500" }],
  proof: {
    outcome: "succeeds",
    cost: {
      instructions: "1000500",
      memoryBytes: "2000",
      diskReadBytes: "30",
      writeBytes: "0",
      nonRefundableStroops: "100",
      refundableStroops: "20",
      rentStroops: "10",
    },
    least: ["instructions"],
    assumed: ["data a of contract C: absent in ledger 7"],
  },
  prelude: {
    summary: "Send this transaction first. It restores the archived entries.",
    changes: [{ part: "restored", what: "restored", from: null, to: "data a of contract C" }],
    envelopeXdr: "AAAB",
  },
  headroom: {
    instructions: "1050500",
    resourceFeeStroops: "150",
    feeStroops: "250",
    changes: [
      { part: "instructions", what: "instructions", from: "1000500", to: "1050500" },
      { part: "resource-fee", what: "resource fee", from: "140", to: "150" },
      { part: "fee", what: "fee", from: "240", to: "250" },
    ],
  },
  resubmission: [
    { part: "sequence-number", what: "sequence number", from: "1000", to: "1002" },
    { part: "valid-until", what: "valid until", from: "2026-11-21T02:40:08Z", to: null },
  ],
  signers: ["GAAA"],
  transactionSigners: ["GAAA"],
  envelopeXdr: "AAAC",
  leastEnvelopeXdr: "AAAG",
};

const FAILS_NEXT: Fix = {
  ...NOTHING,
  kinds: ["footprint"],
  changes: [
    {
      part: "footprint",
      what: "footprint",
      from: "read-only: a",
      to: "read-write: a",
      access: { name: "a", from: "read-only", to: "read-write" },
    },
  ],
  proof: {
    outcome: "fails-next",
    cause: { kind: "contract-error", summary: "It fails.", confidence: "known" },
    remedy: "Call it otherwise.",
  },
};

const UNPROVEN: Fix = { ...NOTHING, proof: { outcome: "unproven", reason: "It is unknown." } };

test("an envelope opens in a wallet, and in Stellar Lab if Lab knows the network", () => {
  const { passphrase } = NETWORKS.testnet;
  const envelopeXdr = "AAAA+/8=";
  const addresses = (networkPassphrase: string) =>
    envelopesOf({ ...SUCCEEDS, prelude: null, envelopeXdr }, networkPassphrase)
      .flatMap(({ openers = [] }) => openers)
      .map(({ url }) => new URL(url));
  const [wallet, lab] = addresses(passphrase);
  expect([wallet?.protocol, wallet?.pathname]).toEqual(["web+stellar:", "tx"]);
  expect(lab?.origin).toBe("https://lab.stellar.org");
  expect(Object.fromEntries(lab?.searchParams ?? [])).toEqual({
    xdr: envelopeXdr,
    networkPassphrase: passphrase,
  });
  expect(addresses("Standalone Network ; February 2017")).toHaveLength(1);
  expect(envelopesOf(RECORDED, passphrase).flatMap(({ openers = [] }) => openers)).toEqual([]);
});

const CALL = { contract: "CAAA", function: "set", arguments: ["1"], argumentNames: ["value"] };

const RECORDED: Fix = {
  ...NOTHING,
  kinds: ["authorization"],
  summary:
    "The transaction needs an authorization signed by GBBB; no other account's signature replaces it.",
  changes: [
    { part: "authorization", what: "authorization", from: "GBBB: set(2) of CAAA", to: null },
    { part: "authorization", what: "authorization", from: null, to: "GBBB: set(1) of CAAA" },
    {
      part: "footprint",
      what: "footprint",
      from: "read-write: temporary data a of CAAA",
      to: null,
      access: { name: "temporary data a of CAAA", from: "read-write", to: null },
    },
    { part: "instructions", what: "instructions", from: "2000", to: "1500" },
  ],
  proof: {
    outcome: "recorded",
    authorizations: [
      {
        signer: null,
        signed: true,
        validUntilLedger: null,
        invocation: { ...CALL, calls: [] },
        entryXdr: "AAAD",
      },
      {
        signer: "GBBB",
        signed: false,
        validUntilLedger: null,
        invocation: { ...CALL, calls: [{ ...CALL, function: "get", calls: [] }] },
        entryXdr: "AAAE",
      },
    ],
  },
  signers: ["GBBB", "GAAA"],
  authorizationSigners: ["GBBB"],
  transactionSigners: ["GAAA"],
  envelopeXdr: "AAAF",
};

function findingOf(fix: Fix | null): Investigated {
  return {
    kind: "investigated",
    subject: "capsule.json",
    exitCode: 0,
    elapsedMilliseconds: 1,
    investigation: { ...investigate("contract-error"), fix },
    failedExpectations: null,
  };
}

const findingsOf = (...fixes: (Fix | null)[]) => ({
  single: fixes.length === 1,
  list: fixes.map(findingOf),
  exitCode: 0,
  beganUnixMilliseconds: 0,
});

test("a pipe has proven envelopes alone, in the order of sending, and says what is missing", () => {
  const piped = (...fixes: (Fix | null)[]) => {
    const findings = findingsOf(...fixes);
    return [renderFixXdr(findings), ...notesOfPipe(findings)];
  };
  const alone = { ...SUCCEEDS, prelude: null };
  expect(piped(alone)).toEqual(["AAAC\n"]);
  expect(piped(SUCCEEDS)).toEqual([
    "AAAB\nAAAC\n",
    "There are two envelopes, each on its own line: sign and send the first, which restores archived entries, then " +
      "the second.",
  ]);
  expect(piped(alone, alone)).toEqual([
    "AAAC\nAAAC\n",
    "Each line is an envelope; `stellar tx sign` reads one at a time.",
  ]);
  for (const [fix, why] of [
    [RECORDED, ": GBBB must sign authorizations first."],
    [null, ": there is nothing to fix."],
    [FAILS_NEXT, `. ${FAILS_NEXT.summary} `],
    [UNPROVEN, `. ${UNPROVEN.summary} `],
    [NOTHING, `. ${NOTHING.summary} `],
  ] as const) {
    const [xdr, note] = piped(fix);
    expect([xdr, note]).toEqual(["", expect.stringContaining(`No envelope${why}`)]);
  }
});

describe("a fix", () => {
  const all = {
    none: NOTHING,
    succeeds: SUCCEEDS,
    "fails-next": FAILS_NEXT,
    recorded: RECORDED,
    unproven: UNPROVEN,
  };
  for (const [name, fix] of Object.entries(all)) {
    test(`of outcome ${name} follows the schema, and the schema describes all of it`, () => {
      const { investigation } = findingOf(fix);
      const document = JSON.parse(renderJson(investigation));
      expect(document.fix).toEqual(fix);
      expect(schemaProblems(debugSchema, document)).toEqual([]);
      expect(undescribedFields(debugSchema, document)).toEqual([]);
    });
  }

  // Once, lines were indented after they were wrapped, and exceeded the terminal's width.
  test("the required authorizations stay within the columns", () => {
    const words = (length: number) => [...Array(30).fill("a".repeat(length)), "b"].join(" ");
    for (let length = 1; length < 12; length += 1) {
      const invocation = { ...CALL, arguments: [words(length)], argumentNames: null, calls: [] };
      const [, signed] =
        RECORDED.proof?.outcome === "recorded" ? RECORDED.proof.authorizations : [];
      if (signed === undefined) throw new Error("The fix has no authorization.");
      const proof = { outcome: "recorded" as const, authorizations: [{ ...signed, invocation }] };
      const text = renderText(findingOf({ ...RECORDED, proof }).investigation, { color: false });
      expect(text).toContain("  Required authorizations:\n    GBBB, not signed\n    └─ set(");
      const isCommand = (line: string) => /^ +`[^`]+`$/.test(line);
      for (const line of text.split("\n"))
        if (!isCommand(line)) expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  test("is in the report with its values, its proof and the rows for resubmission", () => {
    const text = renderText(findingOf(SUCCEEDS).investigation, { color: false });
    const section = /\nFix \(proven by a run\)\n([\s\S]*?)\n\n/.exec(text)?.[1];
    expect(section).toBe(
      `  The transaction succeeds with 1 archived entry restored first and 500 more
  instructions.
  Send this transaction first. It restores the archived entries.
    restored  data a of contract C
  Then:
    instructions  1,000,000 -> 1,000,500
  Proven: the transaction was run on the same state with these values, and
  succeeded. Used: 1,000,500 instructions, 30 disk read bytes, 0 write bytes,
  and 20 stroops for rent and events.
  Minimum proven: with one instruction less it fails.
  - assumed: data a of contract C: absent in ledger 7
  These are the minimum values. Ledger state changes over time, so the envelope
  to send declares more: 1,050,500 instructions, a resource fee of 150 stroops
  and a fee of 250 stroops. This envelope was run too, and succeeded.
  To resubmit the transaction:
    sequence number  1000 -> 1002
    valid until      2026-11-21T02:40:08Z -> no limit
    signer           GAAA`,
    );
    // A proven fix replaces the remedy.
    expect(text).not.toContain("\nRemedy\n");
  });

  test("--fix prints the envelopes last, each on its own line, in the order they are sent", () => {
    const lines = renderFixText(findingsOf(SUCCEEDS), { color: false }).trimEnd().split("\n");
    expect(lines.slice(-5)).toEqual([
      "Sign and send first:",
      "AAAB",
      "",
      "Then sign and send:",
      "AAAC",
    ]);
  });

  test("--fix prints who has to sign which calls, and the entries before the envelope", () => {
    const text = renderFixText(findingsOf(RECORDED), { color: false });
    expect(text.slice(text.indexOf("    authorization"))).toBe(
      `    authorization  GBBB: set(2) of CAAA -> replaced by the authorizations below
    footprint      remove: temporary data a of CAAA
  Required authorizations:
    the source account, by its signature
    └─ set(value: 1) in CAAA
    GBBB, not signed
    └─ set(value: 1) in CAAA
       └─ get(value: 1) in CAAA
  Recorded resources:
    instructions  2,000 -> 1,500
  To resubmit the transaction:
    authorization signer  GBBB
    transaction signer    GAAA

Authorization entry for GBBB to sign:
AAAE

Envelope with these authorizations. Sign and send it after they are signed:
AAAF
`,
    );
  });

  test("is in the interactive view with the same words", () => {
    const text64 = (_: string, value: unknown) =>
      typeof value === "bigint" ? String(value) : value;
    const shown = (fix: Fix) => JSON.stringify(shownOf(findingOf(fix).investigation).tabs, text64);
    expect(shown(RECORDED)).toContain(
      "GBBB: set(2) of CAAA -> replaced by the authorizations below",
    );
    expect(shown(FAILS_NEXT)).toContain("footprint: read-only -> read-write: a");
    expect(shown(FAILS_NEXT)).toContain("Remedy for that cause: Call it otherwise.");
    const text = renderText(findingOf(FAILS_NEXT).investigation, { color: false });
    expect(text).toContain("  Remedy for that cause: Call it otherwise.\n");
  });

  test("--fix of a transaction that succeeded says that there is nothing to fix", () => {
    expect(renderFixText(findingsOf(null), { color: false })).toContain("There is nothing to fix.");
  });

  test("--fix --json is one document for one transaction, and a list for several", () => {
    const one = JSON.parse(renderFixJson(findingsOf(SUCCEEDS)));
    expect(one.fix).toEqual(SUCCEEDS);
    const two = JSON.parse(renderFixJson(findingsOf(SUCCEEDS, NOTHING)));
    expect(two.transactions.map(({ fix }: { fix: Fix }) => fix)).toEqual([SUCCEEDS, NOTHING]);
  });

  test("a conflicting transaction is shown with the cause, and follows the schema", () => {
    const conflict = {
      transactionHash: "0".repeat(64),
      ledger: 7,
      applicationOrder: 1,
      repeats: null,
      entries: [{ keyXdr: "AAAB", key: "data a of contract C", before: "1", after: null }],
      summary: "Conflicting transaction: it removed data a of contract C.",
    };
    const investigation = { ...findingOf(NOTHING).investigation, conflict };
    const document = JSON.parse(renderJson(investigation));
    expect(document.conflict).toEqual(conflict);
    expect(schemaProblems(debugSchema, document)).toEqual([]);
    expect(undescribedFields(debugSchema, document)).toEqual([]);
    const text = renderText(investigation, { color: false });
    expect(text).toContain("  - Conflicting transaction: it removed data a of contract C.\n");
  });

  test("hostile text in it comes out neutral", () => {
    const hostile: Fix = { ...SUCCEEDS, summary: "a\u001b[2Jb\u202ec", changes: [] };
    const report = renderText(findingOf(hostile).investigation, { color: false });
    const fix = renderFixText(findingsOf(hostile), { color: false });
    for (const text of [report, fix])
      for (const sign of ["\u001b", "\u202e"]) expect(text).not.toContain(sign);
  });
});
