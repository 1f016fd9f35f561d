// POST /v1/debug: the report of `svc debug --json` for a hash. With `Accept: text/event-stream`,
// server-sent events with the progress come first.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { atClient, HTTP, phrase } from "../../base/phrase.ts";
import { counted } from "../../base/text/counted.ts";
import type { Investigation } from "../../model/investigation.ts";
import { renderJson } from "../../report/json.ts";
import type { Run, Subject, Tools } from "../../tools/tools.ts";
import type { Services } from "../services.ts";
import { answerWithEvents } from "./event-stream.ts";
import type { RequestContext } from "./handle-request.ts";
import { jsonAnswer } from "./json-answer.ts";
import { parseJsonBody } from "./read-body.ts";
import type { Answer } from "./reply.ts";

export const hashSchema = v.pipe(
  v.string(),
  v.regex(/^[0-9a-fA-F]{64}$/),
  v.toLowerCase(),
  v.description("The outer or the inner hash."),
);
/** The number of a ledger that was closed: ledger 1 was made. */
export const ledgerSchema = (description: string) =>
  v.pipe(
    v.number(),
    v.integer(),
    v.minValue(2),
    v.maxValue(0xffffffff),
    v.description(description),
  );

/**
 * The body of POST /v1/debug, with the parameters of debugTransaction. A ledger is only for a
 * proof.
 */
export const debugRequestSchema = v.variant("prove", [
  v.strictObject({ hash: hashSchema, prove: v.optional(v.literal(false), false) }),
  v.strictObject({
    hash: hashSchema,
    prove: v.pipe(
      v.literal(true),
      v.description("Prove the state by the validators' signatures, from a history archive."),
    ),
    ledger: v.exactOptional(
      ledgerSchema("The transaction's ledger, if no node has the transaction any more."),
    ),
  }),
]);

export async function answerDebug(services: Services, context: RequestContext): Promise<Answer> {
  const subject = parseDebugRequest(parseJsonBody(await context.text()));
  const { tools } = services;
  if (wantsEvents(context.request))
    return answerWithEvents(context, (run) => reportOf(tools, subject, run));
  return jsonAnswer([await reportOf(tools, subject, context.run)]);
}

/** The text of each report, which requests that share a walk share too. */
const TEXTS = new WeakMap<Investigation, string>();

/** The report of `svc debug --json`. Throws the errors of the walk, and OVERLOADED. */
export async function reportOf(tools: Tools, subject: Subject, run: Run): Promise<string> {
  const investigation = await tools.debug(subject, {}, run);
  const text = TEXTS.get(investigation) ?? renderJson(investigation, HTTP);
  TEXTS.set(investigation, text);
  return text;
}

/** Parses the body. Throws REQUEST_INVALID, or HASH_INVALID for a text that is not a hash. */
export function parseDebugRequest(body: unknown): Subject & { readonly hash: string } {
  const parsed = v.safeParse(debugRequestSchema, body);
  if (parsed.success) {
    const { output } = parsed;
    const prove = output.prove ? { ledger: output.ledger ?? null } : null;
    return { hash: output.hash, prove };
  }
  const hash = (body as { hash?: unknown } | null)?.hash;
  const only = parsed.issues.length === 1 && typeof hash === "string";
  const field = v.getDotPath(parsed.issues[0]);
  if (only && field === "ledger" && (body as { prove?: unknown }).prove !== true)
    throw new SvcError("REQUEST_INVALID", {
      message: "The field ledger is for a proof, and the request asks for none.",
      remedy: 'Add "prove":true, or leave ledger out: nodes have the ledger of a transaction.',
    });
  if (only && field === "hash")
    throw new SvcError("HASH_INVALID", {
      message:
        hash.length === 64
          ? "The hash has characters that are not hexadecimal."
          : `The hash has ${counted(hash.length, "character")}, not 64.`,
      remedy: phrase`${atClient("Send", "Enter")} the 64 hexadecimal characters of the hash.`,
    });
  throw new SvcError("REQUEST_INVALID", {
    message: "The request is not an object with the field hash, and at most prove and ledger.",
    remedy:
      'Send {"hash":"<64 hexadecimal characters>"}, and for a proof "prove":true and perhaps "ledger".',
  });
}

function wantsEvents(request: Request): boolean {
  return /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(request.headers.get("accept") ?? "");
}
