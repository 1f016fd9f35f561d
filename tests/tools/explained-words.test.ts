// `svc explain` knows every word that svc prints, and what stands on people's screens beside codes.

import { describe, expect, test } from "bun:test";
import { phraseFor, SHELL } from "../../src/base/phrase.ts";
import { CATALOGUE } from "../../src/error-catalogue.ts";
import { CAUSES, STATUS_CAUSES } from "../../src/model/cause-kinds.ts";
import { LISTED_TOPICS } from "../../src/model/node-answer.ts";
import { PROVENANCES } from "../../src/model/provenance.ts";
import { CODE_LIST_RENDERERS } from "../../src/report/renderers.ts";
import { listTopic } from "../../src/tools/explain-name.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import { withXdrOfJson } from "../../src/tools/xdr-of-json.ts";
import { said } from "../support/said.ts";

function codesOf(text: string) {
  const found = explainText({ text, name: "the test" });
  return found.kind === "codes" ? found.codes : [];
}

/** Words of the report that mean what they mean in English, or name a field or a flag. */
const PLAIN = new Set(
  `success failed chain internal_error given_wasm contract system diagnostic bytes entries stroops calls changes
  resources tokens balances transfer mint burn clawback created updated removed restored read write delete argument
  extend same gone new arguments result outcome invoke_host_function extend_footprint_ttl
  restore_footprint call host-call event log report --fail-on --expect close-time entry
  argument-value code disk-read-bytes fee inner-fee sequence-number valid-until valid-before-ledger
  read-only read-write undecided nodes files nobody given authorizer own source fork none limit
  setting authorizations function element removed-entry`.split(/\s+/),
);
const isPlain = (word: string) => PLAIN.has(word) || /^fees\.|^look for$/.test(word);

async function wordsOfSchema(): Promise<string[]> {
  const path = `${import.meta.dir}/../../src/report/schema/debug-report.schema.json`;
  const words: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const each of "enum" in value ? (value.enum as unknown[]) : [])
      if (typeof each === "string") words.push(each);
    for (const each of Object.values(value)) visit(each);
  };
  visit(await Bun.file(path).json());
  return words;
}

describe("every word that svc prints", () => {
  test.each(Object.keys(CAUSES))("kind of cause %s", (kind) => {
    const isStatus = STATUS_CAUSES.some((each) => each === kind);
    const [found] = codesOf(kind).filter(
      (each) => each.kind === (isStatus ? "node status" : "kind of cause"),
    );
    expect(found?.meaning).toBe(CAUSES[kind as keyof typeof CAUSES].meaning);
  });

  test.each(Object.keys(CATALOGUE))("error %s", (code) => {
    for (const text of [code, code.toLowerCase(), `[${code}]`])
      expect(codesOf(text)[0]).toMatchObject({
        code,
        kind: expect.stringMatching(/^error of svc/),
      });
  });

  test("words of the users' glossary", async () => {
    const page = await Bun.file(`${import.meta.dir}/../../docs/glossary.md`).text();
    const words = [...page.matchAll(/^\| ([^|]+?) \|/gm)].map(([, word = ""]) => word);
    expect(words).toContain("ledger lake");
    const rows = words.filter((word) => !/^(word|---)$/.test(word));
    expect(rows.filter((word) => codesOf(word.replaceAll("`", "")).length === 0)).toEqual([]);
  });

  test("words of the report's schema: verdicts, caveats, comparisons, provenance, fixes", async () => {
    const words = await wordsOfSchema();
    for (const known of [
      "exact",
      "likely",
      "rpc-unchanged",
      "not-compared",
      "fails-next",
      "refund",
    ])
      expect(words).toContain(known);
    const unknown = words.filter((word) => !isPlain(word) && codesOf(word).length === 0);
    expect(unknown).toEqual([]);
  });
});

test("the report's schema has every kind of provenance, and no other", async () => {
  const path = `${import.meta.dir}/../../src/report/schema/debug-report.schema.json`;
  const { $defs } = await Bun.file(path).json();
  expect([...$defs.provenanceKind.enum].sort()).toEqual(Object.keys(PROVENANCES).sort());
  for (const [kind, { meaning }] of Object.entries(PROVENANCES))
    expect(codesOf(kind).map((each) => [each.kind, each.meaning])).toContainEqual([
      "source of an entry",
      meaning,
    ]);
});

test("a result of a classic operation has a remedy of its own, without a replay", () => {
  const classic = listTopic("codes").filter(
    ({ code }) => !/^(invokeHostFunction|extendFootprintTtl|restoreFootprint)/.test(code),
  );
  expect(classic.length).toBeGreaterThan(150);
  const without = classic.filter(({ remedy }) => phraseFor(remedy, SHELL).includes("svc debug"));
  expect(without.map(({ code }) => code)).toEqual([]);
});

describe("--list", () => {
  test.each([...LISTED_TOPICS])("%s lists what explain knows by that name", (topic) => {
    const listed = listTopic(topic);
    expect(listed.length).toBeGreaterThan(6);
    for (const { code, meaning, remedy } of listed) {
      expect(codesOf(code).map((each) => each.code)).toContain(code);
      expect(meaning).toMatch(/^(svc|[A-Z`]).*\.$/);
      expect(said(remedy)).toMatch(/^$|[.`]$/);
    }
    const lines = CODE_LIST_RENDERERS.text(listed, { color: false, columns: 80 }).split("\n");
    expect(lines.every((line) => line.length <= 80)).toBe(true);
  });
});

/** What stellar-cli, SDKs, nodes, wallets and svc print → what it is taken for. */
describe("texts as people paste them", async () => {
  const file = Bun.file(`${import.meta.dir}/../fixtures/pasted-texts.json`);
  const pasted = (await file.json()) as readonly (readonly [text: string, meant: string])[];

  test.each(pasted.map(([text, meant], n) => [n, meant, text] as const))(
    "%d is taken for %s",
    async (_, meant, text) => {
      const found = explainText({ text: await withXdrOfJson(text), name: "the test" });
      const names =
        found.kind === "codes"
          ? found.codes.map(({ code }) => code.slice(0, 60)).join(" | ")
          : found.kind === "answers"
            ? `cause ${found.answers.map(({ cause, headline }) => cause?.kind ?? headline).join(" | ")}`
            : found.kind;
      expect(names).toBe(meant);
      if (found.kind === "answers")
        for (const { cause, remedy } of found.answers)
          expect(cause !== null && remedy === null).toBe(false);
    },
  );
});
