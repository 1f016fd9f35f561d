// Reads the body of a request as text and JSON. A body that is too large, too slow, of another type
// or not JSON is refused with its own code, as soon as this is known. A body with too many values
// is refused while it is read, so that parsing it delays no other request.

import { SvcError } from "../../base/errors/errors.ts";
import { unlessAborted } from "../../base/join-signals.ts";
import { type JsonBounds, openJsonMeter } from "../../base/json-bounds.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { durationInWords } from "../../base/text/time.ts";

export interface BodyRules {
  readonly maximumBytes: number;
  /** The time limit for the complete body. */
  readonly milliseconds: number;
}

/** The largest body of any route: a snapshot of a hundred large entries, in base64. */
export const BODY_RULES: BodyRules = { maximumBytes: 16 * 1024 * 1024, milliseconds: 10_000 };

/** A simulation names about a hundred entries, and values of a contract are not nested deeper. */
const JSON_BOUNDS: JsonBounds = { depth: 500, values: 20_000 };
/** A small body is read in one piece, which is faster. */
const SMALL_BYTES = 64 * 1024;
/** A body without an announced length counts as this much until it is longer. */
const UNANNOUNCED_BYTES = 64 * 1024;

/** The bytes that the body may have, according to its headers. */
export function announcedBytes({ headers }: Request, { maximumBytes }: BodyRules): number {
  const length = headers.get("content-length");
  if (length !== null) return Math.min(Number(length) || 0, maximumBytes);
  return headers.has("transfer-encoding") ? UNANNOUNCED_BYTES : 0;
}

const decoder = new TextDecoder();

export interface BodyOptions {
  readonly signal: AbortSignal;
  /** Called before more of a body is kept than was announced. */
  readonly grow: (bytes: number) => void;
}

/**
 * Reads the text. Throws CONTENT_TYPE_UNSUPPORTED, BODY_TOO_LARGE and BODY_TOO_SLOW, the errors of
 * `grow`, and the signal's reason.
 */
export async function readBodyText(
  request: Request,
  rules: BodyRules,
  options: BodyOptions,
): Promise<string> {
  refuseOtherTypes(request.headers.get("content-type"));
  refuseCompressed(request.headers.get("content-encoding"));
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > rules.maximumBytes) throw tooLarge(rules);
  return readText(request, rules, options);
}

/** Parses the text. Throws REQUEST_INVALID. */
export function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SvcError("REQUEST_INVALID", {
      message: `The body is not JSON: ${neutralise(cause instanceof Error ? cause.message : "")}`,
      remedy: "Send one JSON document.",
      cause,
    });
  }
}

function refuseOtherTypes(contentType: string | null): void {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="));
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (type.trim() === "application/json" && utf8) return;
  const sentType = contentType === null ? "no content type" : `"${neutralise(contentType)}"`;
  throw new SvcError("CONTENT_TYPE_UNSUPPORTED", {
    message: `The body has ${sentType.slice(0, 100)}; application/json in UTF-8 is required.`,
    remedy: "Send JSON, with the header Content-Type: application/json.",
  });
}

/** Refuses a compressed body, so that a body is never larger than it says. */
function refuseCompressed(encoding: string | null): void {
  if (encoding === null || /^\s*(identity)?\s*$/i.test(encoding)) return;
  throw new SvcError("CONTENT_TYPE_UNSUPPORTED", {
    message: `The body has the encoding "${neutralise(encoding).slice(0, 100)}"; it must have none.`,
    remedy: "Send JSON that is not compressed, without the header Content-Encoding.",
  });
}

async function readText(
  request: Request,
  rules: BodyRules,
  { signal, grow }: BodyOptions,
): Promise<string> {
  signal.throwIfAborted();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooSlow(rules)), rules.milliseconds);
  // A body with a content length is not longer than that.
  const length = request.headers.get("content-length");
  const isSmall = length !== null && Number(length) <= SMALL_BYTES;
  const announced = length === null ? UNANNOUNCED_BYTES : Number(length);
  const reader = isSmall ? undefined : request.body?.getReader();
  const text = isSmall ? readSmall(request) : readStream(reader, rules, { announced, grow });
  try {
    return await unlessAborted(Promise.race([text, late.promise]), signal);
  } catch (error) {
    // This is not awaited, because it would wait for a client that sends nothing.
    reader?.cancel().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function readSmall(request: Request): Promise<string> {
  const bytes = await request.bytes();
  const excess = openJsonMeter(JSON_BOUNDS)(bytes);
  if (excess !== null) throw tooManyValues(excess);
  return decoder.decode(bytes);
}

async function readStream(
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read"> | undefined,
  rules: BodyRules,
  { announced, grow }: Pick<BodyOptions, "grow"> & { readonly announced: number },
): Promise<string> {
  if (reader === undefined) return "";
  const chunks: Uint8Array[] = [];
  const meter = openJsonMeter(JSON_BOUNDS);
  let bytes = 0;
  let counted = announced;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return decoder.decode(Buffer.concat(chunks));
    bytes += value.length;
    if (bytes > rules.maximumBytes) throw tooLarge(rules);
    while (counted < bytes) {
      counted *= 2;
      grow(counted);
    }
    const excess = meter(value);
    if (excess !== null) throw tooManyValues(excess);
    chunks.push(value);
  }
}

function tooLarge({ maximumBytes }: BodyRules): SvcError {
  return new SvcError("BODY_TOO_LARGE", {
    message: `The body is larger than ${maximumBytes} bytes.`,
    remedy: "Send fewer or smaller entries.",
  });
}

function tooManyValues(excess: string): SvcError {
  return new SvcError("BODY_TOO_LARGE", {
    message: `The body is JSON that has ${excess}.`,
    remedy: "Send fewer entries.",
  });
}

function tooSlow({ milliseconds }: BodyRules): SvcError {
  return new SvcError("BODY_TOO_SLOW", {
    message: `The body did not arrive within ${durationInWords(milliseconds)}.`,
    remedy: "Send the request again over a faster connection.",
  });
}
