// POST /v1/debug: a hash → the report of `svc debug --json`. With `Accept: text/event-stream`,
// server-sent events with the progress come first.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import type { Services } from "../services.ts";
import { answerWithEvents } from "./event-stream.ts";
import type { RequestContext } from "./handle-request.ts";
import { jsonAnswer } from "./json-answer.ts";
import { parseJsonText } from "./read-body.ts";

/** The body of POST /v1/debug. */
export const debugRequestSchema = v.strictObject({
  hash: v.pipe(
    v.string(),
    v.regex(/^[0-9a-fA-F]{64}$/),
    v.toLowerCase(),
    v.description("The outer or the inner hash."),
  ),
});

export async function answerDebug(services: Services, context: RequestContext): Promise<Response> {
  const { hash } = parseDebugRequest(parseJsonText(await context.text()));
  const { waiter } = context;
  if (wantsEvents(context.request))
    return answerWithEvents(context, (progress) => services.debug(hash, { ...waiter, progress }));
  return jsonAnswer(await services.debug(hash, waiter));
}

/** Throws REQUEST_INVALID, or HASH_INVALID for a text that is not a hash. */
export function parseDebugRequest(body: unknown): { readonly hash: string } {
  const parsed = v.safeParse(debugRequestSchema, body);
  if (parsed.success) return parsed.output;
  const given = (body as { hash?: unknown } | null)?.hash;
  const only = parsed.issues.length === 1 && typeof given === "string";
  if (only && v.getDotPath(parsed.issues[0]) === "hash")
    throw new SvcError("HASH_INVALID", {
      message:
        given.length === 64
          ? "The hash has characters that are not hexadecimal."
          : `The hash has ${given.length} characters, not 64.`,
      remedy: "Send the 64 hexadecimal characters of the hash.",
    });
  throw new SvcError("REQUEST_INVALID", {
    message: "The request is not an object with only the field hash.",
    remedy: 'Send {"hash":"<64 hexadecimal characters>"}.',
  });
}

function wantsEvents(request: Request): boolean {
  return /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(request.headers.get("accept") ?? "");
}
