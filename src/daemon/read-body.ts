// A request's body → JSON. What is too large, too slow, of another type or no JSON is refused with
// its own code, and no more of it is read than it takes to know.

import { SvcError } from "../base/errors.ts";
import { neutralise } from "../base/neutralise.ts";

export interface BodyRules {
  readonly maximumBytes: number;
  /** For the whole body to arrive. */
  readonly milliseconds: number;
}

/** A snapshot of a hundred large entries, in base64. */
export const BODY_RULES: BodyRules = { maximumBytes: 16 * 1024 * 1024, milliseconds: 10_000 };

/** Throws CONTENT_TYPE_UNSUPPORTED, BODY_TOO_LARGE, BODY_TOO_SLOW, REQUEST_INVALID. */
export async function readJsonBody(request: Request, rules: BodyRules): Promise<unknown> {
  refuseOtherTypes(request.headers.get("content-type"));
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > rules.maximumBytes) throw tooLarge(rules);
  const text = await readText(request, rules);
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
  const reader = request.body?.getReader();
  if (reader === undefined) return "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow(rules)), rules.milliseconds);
  });
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
  } finally {
    clearTimeout(timer);
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
