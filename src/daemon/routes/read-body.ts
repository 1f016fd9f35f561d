// The body of a request → text → JSON. A body that is too large, too slow, of another type or not
// JSON is refused with a code of its own, as soon as this is known.

import { SvcError } from "../../base/errors/errors.ts";
import { neutralise } from "../../base/text/neutralise.ts";

export interface BodyRules {
  readonly maximumBytes: number;
  /** The time limit for the complete body. */
  readonly milliseconds: number;
}

/** A snapshot of a hundred large entries, in base64. */
export const BODY_RULES: BodyRules = { maximumBytes: 16 * 1024 * 1024, milliseconds: 10_000 };

/** Throws CONTENT_TYPE_UNSUPPORTED, BODY_TOO_LARGE and BODY_TOO_SLOW. */
export async function readBodyText(request: Request, rules: BodyRules): Promise<string> {
  refuseOtherTypes(request.headers.get("content-type"));
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > rules.maximumBytes) throw tooLarge(rules);
  return readText(request, rules);
}

/** Throws REQUEST_INVALID. */
export function parseJsonText(text: string): unknown {
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
  const given = contentType === null ? "no content type" : `"${neutralise(contentType)}"`;
  throw new SvcError("CONTENT_TYPE_UNSUPPORTED", {
    message: `The body has ${given.slice(0, 100)}; application/json in UTF-8 is required.`,
    remedy: "Send JSON, with the header Content-Type: application/json.",
  });
}

async function readText(request: Request, rules: BodyRules): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow(rules)), rules.milliseconds);
  });
  // A body with a content length is not longer than that, and is faster to read in one piece.
  const whole = request.headers.has("content-length");
  const text = whole ? request.text() : readStream(request, rules, late);
  try {
    return await Promise.race([text, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function readStream(
  request: Request,
  rules: BodyRules,
  late: Promise<never>,
): Promise<string> {
  const reader = request.body?.getReader();
  if (reader === undefined) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return Buffer.concat(chunks).toString("utf8");
      chunks.push(value);
      bytes += value.length;
      if (bytes > rules.maximumBytes) throw tooLarge(rules);
    }
  } catch (error) {
    // Not awaited: this would wait for a client that sends nothing.
    reader.cancel().catch(() => {});
    throw error;
  }
}

function tooLarge({ maximumBytes }: BodyRules): SvcError {
  return new SvcError("BODY_TOO_LARGE", {
    message: `The body is larger than ${maximumBytes} bytes.`,
    remedy: "Send fewer or smaller entries.",
  });
}

function tooSlow({ milliseconds }: BodyRules): SvcError {
  return new SvcError("BODY_TOO_SLOW", {
    message: `The body did not arrive within ${milliseconds / 1000} s.`,
    remedy: "Send the request again over a faster connection.",
  });
}
