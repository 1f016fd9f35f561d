// POST /v1/debug: a hash → the report that `svc debug --json` prints.

import * as v from "valibot";
import { SvcError } from "../base/errors.ts";
import type { RequestContext } from "./handle-request.ts";
import type { Services } from "./services.ts";

const requestSchema = v.strictObject({
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/i), v.toLowerCase()),
});

export async function answerDebug(services: Services, context: RequestContext): Promise<Response> {
  const { hash } = parseDebugRequest(await context.json());
  const report = await services.debug(hash, { signal: context.signal, progress: () => {} });
  return new Response(report, { headers: { "content-type": "application/json" } });
}

/** Throws REQUEST_INVALID, or HASH_INVALID for a hash that is none. */
export function parseDebugRequest(body: unknown): { readonly hash: string } {
  const parsed = v.safeParse(requestSchema, body);
  if (parsed.success) return parsed.output;
  const given = (body as { hash?: unknown } | null)?.hash;
  const only = parsed.issues.length === 1 && typeof given === "string";
  if (only && v.getDotPath(parsed.issues[0]) === "hash")
    throw new SvcError("HASH_INVALID", {
      message: `The hash has ${given.length} characters, or some that are not hexadecimal.`,
      remedy: "Give the 64 hexadecimal characters of the hash.",
    });
  throw new SvcError("REQUEST_INVALID", {
    message: "The body is not an object with the field hash alone.",
    remedy: 'Send {"hash":"<64 hexadecimal characters>"}.',
  });
}
