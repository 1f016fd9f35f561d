// --strict-validation on the compiled binary: of each kind of broken input it names the field, its
// path, what is wrong and what was expected. Without the flag, the remedy names the flag.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { svc } from "./run-svc.ts";

const EXAMPLE = resolve(import.meta.dir, "../../examples/write-bytes-too-low.capsule.json");
const directory = mkdtempSync(join(tmpdir(), "svc-strict-"));
afterAll(() => rmSync(directory, { recursive: true }));

interface Case {
  readonly words: (file: string) => readonly string[];
  readonly content: () => Promise<string>;
  /** Parts of the lines. */
  readonly says: readonly string[];
  /** The input has no fields. */
  readonly isWhole?: boolean;
}

const ofCapsule = (file: string) => ["debug", "--from", file];
const ofOverrides = (file: string) => ["debug", "--from", EXAMPLE, "--override", file];
const ofExpectations = (file: string) => ["debug", "--from", EXAMPLE, "--expect", file];
const ofEnvelope = (file: string) => ["simulate", file, "--rpc-url", "http://127.0.0.1:1"];

// biome-ignore lint/suspicious/noExplicitAny: a document of any form is broken on purpose.
async function broken(change: (capsule: any) => void): Promise<string> {
  const capsule = await Bun.file(EXAMPLE).json();
  change(capsule);
  return JSON.stringify(capsule);
}

async function envelope(): Promise<string> {
  return (await Bun.file(EXAMPLE).json()).record.envelopeXdr;
}

const CASES: Readonly<Record<string, Case>> = {
  "a field of the record that is missing": {
    words: ofCapsule,
    content: () => broken(({ record }) => delete record.ledger.sequence),
    says: ["record.ledger.sequence: is missing; expected: "],
  },
  "a field of another type": {
    words: ofCapsule,
    content: () =>
      broken(({ record }) => {
        record.ledger.sequence = "239";
      }),
    says: ['record.ledger.sequence: is "239"; expected: '],
  },
  "a field that there is not": {
    words: ofCapsule,
    content: () =>
      broken(({ record }) => {
        record.envelopeXdrr = "";
      }),
    says: ["record.envelopeXdrr: is not a known field; expected: no such field; did you mean"],
  },
  "an envelope that is no base64": {
    words: ofCapsule,
    content: () =>
      broken(({ record }) => {
        record.envelopeXdr = `AAA_${record.envelopeXdr}`;
      }),
    says: [
      'record.envelopeXdr: is not base64: character 4 is "_"; expected: must be TransactionEnvelope',
    ],
  },
  "an envelope that is cut off": {
    words: ofCapsule,
    content: () =>
      broken(({ record }) => {
        record.envelopeXdr = record.envelopeXdr.slice(0, 100);
      }),
    says: ["record.envelopeXdr: cannot be decoded: XDR ends"],
  },
  "a result in the place of the envelope": {
    words: ofCapsule,
    content: () =>
      broken(({ record }) => {
        record.envelopeXdr = record.resultXdr;
      }),
    says: ["record.envelopeXdr: is a TransactionResult; expected: must be TransactionEnvelope"],
  },
  "several fields, each on its line": {
    words: ofCapsule,
    content: () =>
      broken(({ record, snapshot }) => {
        record.resultMetaXdr = "AAAA";
        snapshot.entries[1].keyXdr = "AAAA";
        snapshot.settings[0].entryXdr = "!";
      }),
    says: [
      "record.resultMetaXdr: cannot be decoded",
      "snapshot.entries.1.keyXdr: cannot be decoded",
      'snapshot.settings.0.entryXdr: is not base64: character 1 is "!"',
    ],
  },
  "a capsule whose fields contradict one another": {
    words: ofCapsule,
    content: () =>
      broken(({ record }) => {
        record.ledger.sequence += 1;
      }),
    says: ["Each field has the expected form"],
  },
  "a capsule that is no JSON": {
    words: ofCapsule,
    content: async () => (await Bun.file(EXAMPLE).text()).slice(0, 500),
    says: ["the file: is not JSON; expected: must be one JSON object"],
  },
  overrides: {
    words: ofOverrides,
    content: async () => JSON.stringify({ format: 1, limits: { writeByte: 1 }, ledger: 5 }),
    says: [
      'limits.writeByte: is not a known field; expected: no such field; did you mean "writeBytes"?',
      "ledger: is 5; expected: must be",
    ],
  },
  expectations: {
    words: ofExpectations,
    content: async () =>
      JSON.stringify({
        format: 1,
        transactions: { ["ab".repeat(32)]: { outcome: "maybe", verdict: "exac" } },
      }),
    says: [
      'outcome: is "maybe"; expected: must be success or failed',
      'verdict: is "exac"; expected: must be',
    ],
  },
  "an envelope to simulate, cut off": {
    words: ofEnvelope,
    content: async () => (await envelope()).slice(0, 100),
    says: ["envelope_xdr: cannot be decoded: XDR ends", "expected: must be TransactionEnvelope"],
  },
  "an envelope to simulate that is a result": {
    words: ofEnvelope,
    content: async () => (await Bun.file(EXAMPLE).json()).record.resultXdr,
    says: ["envelope_xdr: is a TransactionResult; expected: must be TransactionEnvelope"],
  },
  "a ledger file": {
    words: (file) => [
      "debug",
      "ab".repeat(32),
      "--ledger-file",
      file,
      "--horizon-url",
      "http://127.0.0.1:1",
      "--rpc-url",
      "http://127.0.0.1:1",
    ],
    content: async () => "no ledgers at all, whatever its name says",
    says: ["case.txt: ", "expected: "],
    isWhole: true,
  },
};

test.each(Object.keys(CASES))("%s", async (name) => {
  const { words, content, says, isWhole = false } = CASES[name] as Case;
  const file = join(directory, "case.txt");
  writeFileSync(file, await content());
  const [strict, json, plain] = await Promise.all([
    svc([...words(file), "--strict-validation"]),
    svc([...words(file), "--strict-validation", "--json"]),
    svc(words(file)),
  ]);
  expect([strict.exitCode, plain.exitCode]).toEqual([2, 2]);
  const shown = strict.stderr.replace(/\s+/g, " ");
  for (const each of says) expect(shown).toContain(each);
  const { error } = JSON.parse(json.stdout);
  expect(Array.isArray(error.details.fields)).toBe(true);
  const isAdvised = plain.stderr.replace(/\s+/g, " ").includes("`--strict-validation` shows each");
  expect(isAdvised).toBe(!isWhole);
  for (const each of says) expect(plain.stderr.replace(/\s+/g, " ")).not.toContain(each);
});

test("the flag is not named for an input that has no fields", async () => {
  const file = join(directory, "empty.wasm");
  writeFileSync(file, "");
  const { stderr, exitCode } = await svc(["call", file, "f"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("is not a wasm file");
  expect(stderr).not.toContain("--strict-validation");
});
