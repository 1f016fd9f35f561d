// Explains texts that people paste and errors that programs catch. It asks no node and runs
// nothing. A result code needs little of svc. The rest is loaded when an input needs it.

import "./standard.ts";

import { type Audience, type Phrased, phrased, SHELL } from "../base/phrase.ts";
import { withFullStop } from "../base/text/sentence.ts";
import type { KnownContract } from "../explain/explain-answer.ts";
import type { AnswerExplanation, CodeExplanation } from "../model/node-answer.ts";
import { contractOfSpec } from "../tools/contract-of-spec.ts";
import { explainTextWith } from "../tools/explain-text-with.ts";
import type { ExplainedText } from "../tools/text-to-explain.ts";
import { prepareHashes } from "./hashes.ts";
import { withRarerParts } from "./rarer-parts.ts";

export type { AnswerExplanation, CodeExplanation, Explained as ExplainedText };
export { explainAnswer as explainTransaction, explainCaught as explain, sentencesOf as inWords };

export interface SpecificationOptions {
  /**
   * The specification of the contract whose errors the input contains: its wasm, or the entries
   * that its bindings have (ScSpecEntry, base64). Without it an error of a contract is a number.
   */
  readonly spec?: Uint8Array | readonly string[];
}

/** Who reads the sentences: a user of an app, or the developer of it (default). */
export type Reader = "user" | "developer";

/** The explanation as plain data. Its remedies name the commands of svc. */
type Explained = Phrased<ExplainedText>;

/**
 * Explains an error, a code, a log, an envelope, or an answer of a node: a text, an Error as an SDK
 * throws it, or a parsed answer.
 */
function explainCaught(input: unknown, options: SpecificationOptions = {}): Promise<Explained> {
  return explainFor(input, SHELL, options);
}

/**
 * The same, with remedies for another audience. Throws XDR_INVALID for a wrong specification.
 */
export async function explainFor(
  input: unknown,
  audience: Audience,
  { spec }: SpecificationOptions = {},
): Promise<Explained> {
  prepareHashes();
  return explainOf(textOf(input), audience, spec === undefined ? null : contractOfSpec(spec));
}

/** The same for a text, with the names of a contract if there is one. */
export async function explainOf(
  text: string,
  audience: Audience,
  contract: KnownContract | null,
): Promise<Explained> {
  const request = { text, name: "The text", contract };
  return phrased(await withRarerParts((parts) => explainTextWith(parts, request)), audience);
}

/**
 * Explains an answer about one transaction, of Horizon or of Stellar RPC (`getTransaction`,
 * `sendTransaction`, `simulateTransaction`). Returns null if it is not such an answer.
 */
async function explainAnswer(
  answer: unknown,
  options: SpecificationOptions = {},
): Promise<Phrased<AnswerExplanation> | null> {
  const explained = await explainCaught(answer, options);
  return (explained.kind === "answers" && explained.answers[0]) || null;
}

/**
 * Says in a few sentences what it means and what to do; null if there is nothing to explain. A user
 * of an app reads only why it failed. A developer also reads what to do.
 */
function sentencesOf(explained: Explained, reader: Reader = "developer"): string | null {
  if (explained.kind === "unknown") return null;
  const isUser = reader === "user";
  const sentences =
    explained.kind === "codes"
      ? explained.codes.flatMap(({ meaning, remedy }) => [meaning, isUser ? null : remedy])
      : explained.answers.flatMap(({ headline, cause, remedy }) =>
          isUser ? [cause?.summary ?? headline] : [headline, cause?.summary, remedy],
        );
  const said = sentences.flatMap((each) => each || []);
  return [...new Set(said)].map(withFullStop).join(" ");
}

/** An error of an SDK contains the answer of the node, which says more than its message. */
function textOf(input: unknown): string {
  if (typeof input === "string") return input;
  const { response, message } = (input ?? {}) as {
    response?: { data?: unknown };
    message?: unknown;
  };
  if (response?.data !== undefined) return written(response.data);
  return typeof message === "string" ? message : written(input);
}

function written(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(withXdr(value), plain) ?? "";
}

/**
 * An SDK reads `errorResultXdr` of a node into the object `errorResult`, which is bytes again here.
 */
function withXdr(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    const xdr = base64Of(field);
    return [xdr === null || /xdr$/i.test(name) ? name : `${name}Xdr`, xdr ?? field];
  });
  return Object.fromEntries(fields);
}

function base64Of(value: unknown): string | null {
  const { toXDR } = (value ?? {}) as { toXDR?: unknown };
  return typeof toXDR === "function" ? String(toXDR.call(value, "base64")) : null;
}

function plain(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}
