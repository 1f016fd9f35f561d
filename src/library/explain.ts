// Explains texts that people paste and errors that programs catch. It asks no node and runs
// nothing.

import "./standard.ts";

import { SvcError } from "../base/errors/errors.ts";
import type { Phrased } from "../base/phrase.ts";
import { withFullStop } from "../base/text/sentence.ts";
import type { KnownContract } from "../explain/explain-answer.ts";
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
 * remedies name commands of svc. If the input is unknown because svc cannot read it, `problem` says
 * why.
 */
type Explained =
  | Exclude<Phrased<ExplainedText>, { readonly kind: "unknown" }>
  | (Extract<Phrased<ExplainedText>, { readonly kind: "unknown" }> & {
      readonly problem?: InputProblem;
    });

/** What a `SvcError` would have said of the input. */
type InputProblem = Pick<SvcError, "code" | "message" | "remedy">;

export interface SpecificationOptions {
  /**
   * The specification of the contract whose errors the input contains: its wasm, or the entries
   * that its bindings have (ScSpecEntry, base64). Without it an error of a contract is a number.
   */
  readonly spec?: Uint8Array | readonly string[] | null;
}

/** Who reads the sentences: a user of an app, or the developer of it. */
export type Reader = "user" | "developer";

/**
 * Explains an error, a code, a log, an envelope, or an answer of a node: a text, an Error as an SDK
 * throws it, or a parsed answer. Whatever a program has caught has an answer, which may be
 * `unknown`. Throws a SvcError only if the specification is not one (XDR_INVALID).
 */
async function explainCaught(
  input: unknown,
  { spec }: SpecificationOptions = {},
): Promise<Explained> {
  const contract = spec === undefined || spec === null ? null : contractOfSpec(spec);
  // The first text is the nearest to what the program has caught.
  let unknown: Explained | null = null;
  for (const text of textsOf(input)) {
    const explained = await explainText(text, contract);
    if (explained.kind !== "unknown") return explained;
    unknown ??= explained;
  }
  return unknown ?? { kind: "unknown", names: [] };
}

async function explainText(text: string, contract: KnownContract | null): Promise<Explained> {
  try {
    return await explainFor(text, PROGRAM, contract);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message, remedy } = error;
    return { kind: "unknown", names: [], problem: { code, message, remedy } };
  }
}

/**
 * Explains an answer about one transaction, of Horizon or of Stellar RPC (`getTransaction`,
 * `sendTransaction`, `simulateTransaction`). Returns null if it is not such an answer, or if svc
 * cannot read it. Throws as `explain`.
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

const MOST_CAUSES = 8;

/**
 * The texts that can say what was caught, the most telling one first. An error of an SDK contains
 * the answer of the node, which says more than its message. Its cause may say more than both.
 */
function textsOf(input: unknown): string[] {
  const texts: string[] = [];
  let caught: unknown = input;
  for (let depth = 0; depth <= MOST_CAUSES; depth += 1) {
    if (typeof caught === "string") return [...texts, caught];
    const { response, message, cause } = (caught ?? {}) as {
      response?: { data?: unknown };
      message?: unknown;
      cause?: unknown;
    };
    if (response?.data !== undefined) texts.push(written(response.data));
    texts.push(typeof message === "string" ? message : written(caught));
    if (!(caught instanceof Error) || cause === undefined) break;
    caught = cause;
  }
  return texts;
}

function written(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(withXdr(value), withoutCircles()) ?? "";
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

/** Replaces what JSON does not have: large integers, and an object that is within itself. */
function withoutCircles() {
  const around: unknown[] = [];
  return function plain(this: unknown, _name: string, value: unknown): unknown {
    if (typeof value === "bigint") return `${value}`;
    if (typeof value !== "object" || value === null) return value;
    while (around.length > 0 && around.at(-1) !== this) around.pop();
    if (around.includes(value)) return undefined;
    around.push(value);
    return value;
  };
}
