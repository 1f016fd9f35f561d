// The input and output of the tools. Agents read the descriptions, and each word costs tokens.

import * as v from "valibot";
import { strkeyPattern } from "../base/text/strkey.ts";
import { transactionOfUrl } from "../model/transaction-url.ts";

const HASH = /[0-9a-fA-F]{64}/;
const HASH_ALONE = /^(.*[^0-9a-fA-F])?[0-9a-fA-F]{64}([^0-9a-fA-F].*)?$/;
const NO_HASH = "must be 64 hexadecimal characters";
/**
 * The hash may begin with `0x`, or be the URL of an explorer. Agents pay for the pattern in five
 * tools, so it is short.
 */
const hash = v.pipe(
  v.string(),
  v.regex(HASH, NO_HASH),
  v.check((text) => !HASH.test(text) || HASH_ALONE.test(text), NO_HASH),
  v.transform((text) => transactionOfUrl(text)?.hash ?? HASH.exec(text)?.[0] ?? ""),
  v.toLowerCase(),
);
const ledger = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(0xffffffff));
const subject = { hash: v.exactOptional(hash), capsule: v.exactOptional(v.string()) };

export const subjectSchema = v.strictObject(subject);
/**
 * The subject of the tool that is called first. Only this schema describes what several tools take.
 */
export const firstSchema = v.strictObject({
  ...subject,
  capsule: v.exactOptional(
    v.pipe(
      v.string(),
      v.description(
        "Instead of hash: a capsule file in the allowed directory, or demo:contract-error, an example.",
      ),
    ),
  ),
});
/** The same for a network with a history archive. */
export const provableSchema = v.strictObject({
  ...firstSchema.entries,
  prove: v.exactOptional(
    v.pipe(v.boolean(), v.description("Proves the state by validators' signatures.")),
  ),
  ledger: v.exactOptional(
    v.pipe(ledger, v.description("With prove: the transaction's ledger, if no node has it.")),
  ),
});
export const whatIfToolSchema = v.strictObject({
  ...subject,
  overrides: v.pipe(
    v.record(v.string(), v.unknown()),
    v.description(
      "Any of: arguments {name or position: JSON value}; limits {instructions, memoryBytes, " +
        "diskReadBytes, writeBytes, eventsBytes, resourceFeeStroops}; ledger {sequence, " +
        "protocolVersion, closeTime, baseReserveStroops}; entries [{account, balance} | {contract, " +
        'key, durability, value} | {contract, key, remove: true}], key and value as {"u32": 5}.',
    ),
  ),
});
export const sectionSchema = v.strictObject({
  id: v.pipe(v.string(), v.description("The id of the earlier answer.")),
  section: v.pipe(
    v.string(),
    v.description("A name from its sections, such as calls, events, changes, tokens, fees, xdr."),
  ),
  page: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
});
export const callSchema = v.strictObject({
  contract: v.pipe(v.string(), v.nonEmpty()),
  function: v.pipe(v.string(), v.nonEmpty()),
  arguments: v.exactOptional(
    v.pipe(
      // A record would take a list, too.
      v.union([v.array(v.unknown()), v.record(v.string(), v.unknown())]),
      v.description("By name or in order, as JSON of the specification's types."),
    ),
  ),
  as: v.exactOptional(v.pipe(v.string(), v.description("Account that calls, without its key."))),
  ledger: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(2))),
});

export const simulateSchema = v.strictObject({
  envelope: v.pipe(v.string(), v.nonEmpty(), v.description("TransactionEnvelope in base64.")),
  authMode: v.exactOptional(v.picklist(["enforce", "record", "record_allow_nonroot"])),
});
/** A text is read without a pause while other clients wait. */
const LONGEST_TEXT = 256 * 1024;
export const explainSchema = v.strictObject({
  text: v.pipe(v.string(), v.nonEmpty(), v.maxLength(LONGEST_TEXT)),
  contract: v.exactOptional(
    v.pipe(
      v.string(),
      v.regex(new RegExp(`^${strkeyPattern(["contract"])}$`), "must be an address C…"),
      v.description("Reads the names of error numbers from this contract."),
    ),
  ),
});
export const verifySchema = v.strictObject({ first: ledger, last: v.exactOptional(ledger) });
export const captureSchema = v.strictObject({
  hash,
  file: v.exactOptional(
    v.pipe(v.string(), v.description("New file name (default: <hash>.capsule.json).")),
  ),
});

/** The description of the network. `own` is the network of the server's settings. */
export const networkWords = (own: string) =>
  `testnet, mainnet, futurenet, local, or one saved in stellar-cli (default: ${own}).`;

const text = v.nullable(v.string());
const notice = v.string();
const cause = v.nullable(
  v.object({
    kind: v.string(),
    summary: v.string(),
    confidence: v.picklist(["known", "likely"]),
  }),
);

/** The findings, the most important first. */
const findings = {
  success: v.nullable(v.boolean()),
  headline: v.string(),
  cause,
  evidence: v.array(v.string()),
  remedy: text,
};
/** The call and, if it succeeded, its result. */
const called = {
  /** The calls of tools that continue from here. */
  next: v.array(v.string()),
  call: text,
  /** Null if it failed, or returned nothing. */
  returned: text,
  tokenFlow: v.array(v.string()),
};
/** The place of the rest. */
const frame = {
  caveats: v.array(v.string()),
  ledger: v.number(),
  id: v.pipe(v.string(), v.description("For the tool section.")),
  sections: v.pipe(v.record(v.string(), v.number()), v.description("Name → number of pages.")),
  shortened: v.pipe(v.boolean(), v.description("Sections have the texts in full.")),
  notice,
};

/** The first answer about a transaction. */
const answer = {
  verdict: v.pipe(
    v.nullable(v.picklist(["exact", "equivalent", "diverged", "inconclusive"])),
    v.description("Whether the replay matches the chain; null: nothing was replayed."),
  ),
  ...findings,
  ...called,
  fix: v.pipe(
    v.nullable(v.looseObject({ proof: text, summary: v.string() })),
    v.description("proof: succeeds, fails-next, recorded or unproven; null: svc found no fix."),
  ),
  hash: text,
  ...frame,
};
export const answerSchema = v.object(answer);
/** The answer for a network with a history archive. */
export const provenAnswerSchema = v.object({ ...answer, proven: v.exactOptional(v.string()) });
export const whyAnswerSchema = v.object({
  decided: v.pipe(v.nullable(v.string()), v.description("Null: no single value is known.")),
  /** The run that proves the fix; null if it is not proven. */
  proof: text,
  remedy: text,
  /** The next steps, with the proving run made again. */
  next: v.array(v.string()),
  conditions: v.array(
    v.object({
      text: v.string(),
      values: v.array(v.object({ name: text, value: text, origin: v.string() })),
    }),
  ),
  hash: text,
  ...frame,
});
/** The answer to a what-if. Everything except `chain` is about the run with the changes. */
export const whatIfAnswerSchema = v.object({
  ...findings,
  returned: called.returned,
  changed: v.array(v.string()),
  /** The reasons why the outcome is unknown. */
  unknown: v.array(v.string()),
  remarks: v.array(v.string()),
  chain: v.pipe(
    v.object({ success: v.boolean(), headline: v.string() }),
    v.description("The run without the changes."),
  ),
  hash: text,
  ...frame,
});
export const simulationAnswerSchema = v.object({
  ...findings,
  simulation: v.looseObject({ minResourceFeeStroops: v.string() }),
  ...frame,
});
export const pageSchema = v.object({
  section: v.string(),
  page: v.number(),
  pages: v.number(),
  entries: v.pipe(
    v.array(v.unknown()),
    v.description("The joined texts of {piece, of, text} are one entry."),
  ),
  notice,
});
/** Each list may be empty, but not both. */
export const explanationSchema = v.object({
  codes: v.array(
    v.object({ code: v.string(), kind: v.string(), meaning: v.string(), remedy: v.string() }),
  ),
  answers: v.array(
    v.object({
      headline: v.string(),
      hash: text,
      resultCodes: v.array(v.string()),
      cause,
      evidence: v.array(v.string()),
      remedy: text,
    }),
  ),
  shortened: v.boolean(),
  notice,
});
export const verificationAnswerSchema = v.object({
  verdicts: v.record(v.string(), v.number()),
  transactions: v.number(),
  ledgers: v.number(),
  byCause: v.record(v.string(), v.number()),
  id: v.string(),
  sections: v.record(v.string(), v.number()),
  shortened: v.boolean(),
  notice,
});
export const captureAnswerSchema = v.object({
  file: v.string(),
  hash: v.string(),
  ledger: v.number(),
  entries: v.nullable(v.number()),
  unknownEntries: v.number(),
});

export type ExplanationAnswer = v.InferOutput<typeof explanationSchema>;
export type ProvenAnswer = v.InferOutput<typeof provenAnswerSchema>;
export type WhyAnswer = v.InferOutput<typeof whyAnswerSchema>;
export type WhatIfAnswer = v.InferOutput<typeof whatIfAnswerSchema>;
export type SimulationAnswer = v.InferOutput<typeof simulationAnswerSchema>;
