// Explains texts that people paste and errors that programs catch. It asks no node and runs
// nothing.

import "./standard.ts";

import type { Phrased } from "../base/phrase.ts";
import { withFullStop } from "../base/text/sentence.ts";
import type { CauseKind } from "../model/cause-kinds.ts";
import type { Cause } from "../model/explanation.ts";
import type { AnswerExplanation, CodeExplanation, ExplainedText } from "../model/node-answer.ts";
import { contractOfSpec } from "../tools/contract-of-spec.ts";
import { PROGRAM } from "./audience.ts";
import { explainFor } from "./explain-for.ts";

export type {
  Cause,
  CauseKind,
  Explained as ExplainedText,
  ExplainedAnswer as AnswerExplanation,
  ExplainedCode as CodeExplanation,
};
export { explainAnswer as explainTransaction, explainCaught as explain, sentencesOf as inWords };

/** The explanation of one answer of a node, or of an error with its log. */
type ExplainedAnswer = Phrased<AnswerExplanation>;

/** The meaning of one code. */
type ExplainedCode = Phrased<CodeExplanation>;

/**
 * The explanation as plain data. `kind` says which one it is: `answers`, `codes` or `unknown`. Some
 * remedies name commands of svc.
 */
type Explained = Phrased<ExplainedText>;

export interface SpecificationOptions {
  /**
   * The specification of the contract whose errors the input contains: its wasm, or the entries
   * that its bindings have (ScSpecEntry, base64). Without it an error of a contract is a number.
   */
  readonly spec?: Uint8Array | readonly string[];
}

/** Who reads the sentences: a user of an app, or the developer of it. */
export type Reader = "user" | "developer";

/**
 * Explains an error, a code, a log, an envelope, or an answer of a node: a text, an Error as an SDK
 * throws it, or a parsed answer. Throws a SvcError if the input is JSON or XDR that svc cannot read
 * (FILE_INVALID, PROTOCOL_UNKNOWN), or if the specification is not one (XDR_INVALID).
 */
async function explainCaught(
  input: unknown,
  { spec }: SpecificationOptions = {},
): Promise<Explained> {
  const contract = spec === undefined ? null : contractOfSpec(spec);
  const explained = await explainFor(textOf(input), PROGRAM, contract);
  const cause = explained.kind === "unknown" && input instanceof Error ? input.cause : undefined;
  return cause === undefined ? explained : explainCaught(cause, spec === undefined ? {} : { spec });
}

/**
 * Explains an answer about one transaction, of Horizon or of Stellar RPC (`getTransaction`,
 * `sendTransaction`, `simulateTransaction`). Returns null if it is not such an answer. Throws as
 * `explain`.
 */
async function explainAnswer(
  answer: unknown,
  options: SpecificationOptions = {},
): Promise<ExplainedAnswer | null> {
  const explained = await explainCaught(answer, options);
  return (explained.kind === "answers" && explained.answers[0]) || null;
}

/**
 * Says in a few sentences what it means and what to do; null if there is nothing to explain. A user
 * of an app reads only why it failed. A developer (default) also reads what to do.
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
