// The value that decided is wherever the cause is: as data, and in each report with a way to where
// it came from.

import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { withShortAddresses } from "../../src/base/text/found-by-form.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import { withDecided } from "../../src/explain/explain.ts";
import { inWords } from "../../src/explain/words/cause-words.ts";
import type { CauseFinding } from "../../src/explain/words/found-cause.ts";
import { nextForAgents } from "../../src/mcp/for-agents.ts";
import type { DecidedBy, DecidingTerm } from "../../src/model/explanation.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { readOverrides, type WrittenOverrides } from "../../src/overrides/read-overrides.ts";
import { nextCommand, overrideFlag } from "../../src/report/document/next-command.ts";
import { originsOf } from "../../src/report/document/origins.ts";
import { renderMarkdown } from "../../src/report/formats/markdown.ts";
import { renderPage } from "../../src/report/html/page.ts";
import { renderJson } from "../../src/report/json.ts";
import debugSchema from "../../src/report/schema/debug-report.schema.json";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { captureRecorded, type RecordedWalk } from "../support/recorded-walks.ts";
import { openTestRecorder, openTestSimulator } from "../support/simulator.ts";
import { schemaProblems, undescribedFields } from "./check-schema.ts";
import { findingsOf, found, hostileText, poisoned } from "./findings-of.ts";
import { capsuleOf, elementsOf } from "./html/pages.ts";
import { openAtFailure, press, screen, selectedRow } from "./tui/screens.ts";

type Decided = Investigation & { readonly decidedBy: DecidedBy };

const dependencies = {
  simulator: openTestSimulator(),
  recorder: openTestRecorder(),
  progress: () => {},
};
const replayed = (walk: RecordedWalk, fast = false, overrides: object | null = null) =>
  replayCaptured(dependencies, walk, {
    overrides: overrides && { ...read({ format: 1, ...overrides }), wasm: new Map() },
    signal: NEVER_ABORTED,
    locate: { wasm: null },
    hostCalls: true,
    fast,
  });
function read(document: object): WrittenOverrides {
  const overrides = readOverrides(document);
  if ("problems" in overrides) throw new Error(overrides.problems.join());
  return overrides;
}
const CALL = { contract: null, function: "f", argumentsXdr: [], whole: "f()", short: "`f`" };
const walks: RecordedWalk[] = [];
const all: Decided[] = [];

beforeAll(async () => {
  for (const walk of await captureRecorded()) {
    const investigation = await replayed(walk);
    const { decidedBy } = investigation.explanation;
    if (decidedBy === null) continue;
    walks.push(walk);
    all.push({ ...investigation, decidedBy });
  }
}, 60_000);

const termsOf = (terms: readonly DecidingTerm[]): DecidingTerm[] =>
  terms.flatMap((term) => [term, ...termsOf(term.of)]);
const pageOf = (investigation: Investigation) =>
  renderPage(findingsOf([found(investigation)], true), { capsuleOf });

test("it is the first evidence, and its data follows the schema", () => {
  expect(all.length).toBeGreaterThan(10);
  for (const investigation of all) {
    const { decidedBy, explanation } = investigation;
    expect(explanation.evidence[0]).toBe(decidedBy.summary);
    const document = JSON.parse(renderJson(investigation));
    const { proof, parts, firstSentence, ...others } = decidedBy;
    expect(parts.map(({ text }) => text).join("")).toBe(decidedBy.summary);
    expect(decidedBy.summary).toStartWith(firstSentence);
    // Values as data are for svc alone.
    const { other, wasNumber, ...shown } = proof ?? {};
    const inDocument = {
      ...others,
      proof: proof && { ...shown, flags: overrideFlag(proof.override) },
    };
    expect(document.outcome.decidedBy).toEqual(JSON.parse(JSON.stringify(inDocument)));
    expect(schemaProblems(debugSchema, document)).toEqual([]);
    expect(undescribedFields(debugSchema, document)).toEqual([]);
    for (const { text, terms } of decidedBy.conditions) {
      expect(decidedBy.summary).toContain(text);
      for (const term of termsOf(terms))
        if (term.text !== null) expect(decidedBy.summary).toContain(term.text);
    }
    expect(decidedBy.confidence === "known").toBe(!decidedBy.summary.startsWith("Likely, "));
    if (decidedBy.confidence === "known" && decidedBy.end !== "refused")
      expect(decidedBy.proof).not.toBeNull();
  }
});

test("each value of the page leads to the call or the storage that it came from", () => {
  let links = 0;
  for (const investigation of all) {
    const elements = elementsOf(pageOf(investigation));
    const of = (name: string) =>
      elements.flatMap(({ attributes }) => attributes.flatMap(([a, v]) => (a === name ? [v] : [])));
    const ids = of("id");
    expect(new Set(ids).size).toBe(ids.length);
    const leading = of("href").filter((href) => /origin/.test(href));
    for (const href of leading) expect(ids).toContain(href.slice(1));
    links += leading.length;
    const named = investigation.decidedBy.conditions.flatMap(({ terms }) => termsOf(terms));
    const isPlaced = ({ kind, text }: DecidingTerm) =>
      text !== null && ["argument", "storage", "written"].includes(kind);
    if (named.some(isPlaced)) expect(leading.length).toBeGreaterThan(0);
  }
  expect(links).toBeGreaterThan(10);
});

test("o goes there in the terminal view, whichever tab it is in", () => {
  for (const investigation of all) {
    const { links } = originsOf(investigation.explanation);
    if (links.length === 0) continue;
    let state = openAtFailure(investigation, { columns: 120, rows: 50 });
    const [{ words = "" } = {}] = links;
    for (
      let line = 0;
      line < 60 && !selectedRow(state).includes(withShortAddresses(words).slice(0, 12));
      line += 1
    )
      state = press(state, "j");
    const there = press(state, "o");
    expect(screen(there)).not.toContain("no origin");
    expect(there.tab === state.tab && selectedRow(there) === selectedRow(state)).toBe(false);
  }
  const elsewhere = press(openAtFailure(all[0] as Decided), "g", "o");
  expect(screen(elsewhere)).toContain("no origin");
});

test("a number that no specification names has its condition, and its author is not asked", () => {
  const by = all.find(({ decidedBy }) => decidedBy.end === "returned")?.decidedBy ?? null;
  const unnamed = {
    call: CALL,
    contract: null,
    returned: false,
    number: 7,
    names: [],
    doc: "",
    numberOf: "specification",
    last: null,
    miss: null,
  } as const;
  const found: CauseFinding = {
    by: "own-error",
    kind: "contract-error",
    facts: unnamed,
    confidence: "known",
    evidence: [{ kind: "failed-call", call: CALL }],
  };
  const { cause, evidence, remedy } = inWords(found);
  expect(remedy).not.toBeNull();
  expect(withDecided(by, found)).toEqual({
    cause,
    causeInBrief: cause.summary,
    evidence: [`${by?.summary}`, ...evidence],
    ownEvidence: 2,
    namesCall: true,
    details: [],
    remedy: null,
    isDone: false,
  });
  expect(withDecided(null, found)).toMatchObject({ cause, evidence, details: [], remedy });
});

test("a look-up is no evidence where something decided", () => {
  const place = { call: CALL, trap: "UnreachableCodeReached", place: null };
  const entry = "persistent data total of contract C, which did not exist";
  const found: CauseFinding = {
    by: "trap",
    kind: "contract-panic",
    facts: { ...place, after: null, hasAbsent: false, hasArguments: false, miss: null },
    confidence: "known",
    evidence: [
      { kind: "looked-up", entry },
      { kind: "failed-call", call: CALL },
    ],
  };
  for (const { decidedBy } of all)
    expect(withDecided(decidedBy, found).evidence).toEqual([
      decidedBy.summary,
      "Failed call: f().",
    ]);
  expect(withDecided(null, found).evidence).toEqual([
    `The contract looked up ${entry}.`,
    "Failed call: f().",
  ]);
});

test("Markdown has it under the cause", () => {
  for (const investigation of all) {
    const lines = renderMarkdown(findingsOf([found(investigation)], true)).split("\n");
    const plain = (text: string) => text.replaceAll(/[`\\]/g, "");
    const start = plain(investigation.decidedBy.summary).slice(0, 40);
    const line = lines.find((each) => plain(each).includes(start) && each.startsWith("  - "));
    // What GitHub would link to is a code span as a whole, and nothing else is.
    expect(line?.includes("``")).toBe(/[#&]/.test(investigation.decidedBy.summary));
  }
});

test("with --fast it is left out", async () => {
  for (const walk of walks.slice(0, 4)) {
    const { explanation } = await replayed(walk, true);
    expect(explanation.decidedBy).toBeNull();
    expect(explanation.evidence.join()).not.toContain(" because ");
  }
});

test("the next step makes the run that proved it, from a shell and for agents", async () => {
  let proven = 0;
  let entries = 0;
  for (const [i, investigation] of all.entries()) {
    const { next, decidedBy } = investigation;
    const { proof } = decidedBy;
    const step = next.find(({ kind }) => kind === "what-if-argument" || kind === "what-if-state");
    if (proof === null || step === undefined) continue;
    expect(nextCommand(step, investigation).flags).toBe(overrideFlag(proof.override));
    const [, overrides = ""] =
      / with overrides (\{.*\}): /.exec(nextForAgents([step])[0] ?? "") ?? [];
    if (proof.override.kind === "entry") {
      const [flag, written = "", ...others] = shellWords(overrideFlag(proof.override));
      expect([flag, others]).toEqual(["--override-entry", []]);
      expect(JSON.parse(overrides)).toEqual({ entries: [JSON.parse(written)] });
      entries += 1;
    }
    const walk = walks[i] as RecordedWalk;
    const { whatIf } = await replayed(walk, false, JSON.parse(overrides));
    expect(whatIf?.success).toBe(proof.outcome === "succeeds");
    proven += 1;
  }
  expect(proven).toBeGreaterThan(5);
  expect(entries).toBeGreaterThan(1);
});

/** The words that a POSIX shell makes of a command. */
function shellWords(command: string): string[] {
  const { stdout } = Bun.spawnSync(["sh", "-c", `printf '%s\\0' ${command}`]);
  return stdout.toString().split("\0").slice(0, -1);
}

describe("text of the chain in it", () => {
  test("is never markup and never moves the cursor", () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 0, max: 9 }), (text, at) => {
        const page = pageOf(poisoned(all[at] as Decided, text));
        for (const { name, attributes } of elementsOf(page)) {
          expect(["iframe", "img"]).not.toContain(name);
          for (const [attribute, value] of attributes)
            if (attribute === "href") expect(value).toMatch(/^#[a-z0-9-]+$/);
        }
      }),
      { numRuns: 20, examples: [["", 0]] },
    );
  });
});
