// A request's body → text → JSON. What is too large, too slow, of another type or no JSON is refused with
// its own code, and no more of it is read than it takes to know.

import { SvcError } from "../../base/errors/errors.ts";
import { neutralise } from "../../base/text/neutralise.ts";

export interface BodyRules {
  readonly maximumBytes: number;
  /** For the whole body to arrive. */
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
    message: `The body has ${given.slice(0, 100)}; this takes application/json in UTF-8.`,
    remedy: "Send JSON, with the header Content-Type: application/json.",
  });
}

async function readText(request: Request, rules: BodyRules): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow(rules)), rules.milliseconds);
  });
  // What announced its length is no longer than that, and quicker to read whole.
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
    // Not awaited: a client that sends nothing would be waited for again.
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
    remedy: "Send it again, over a better connection.",
  });
}
