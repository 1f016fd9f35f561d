// The bodies of answers: read with a limit while they stream, then parsed. Nodes, and the proxies
// in front of them, sometimes send a web page instead of JSON. A compressed body counts by its
// uncompressed size.

import { SvcError } from "../errors/errors.ts";
import { neutralise } from "../text/neutralise.ts";

export interface HttpAnswer {
  /** Public part of the node's URL. */
  readonly node: string;
  readonly status: number;
  readonly body: Uint8Array;
}

export interface BodyLimits {
  /** Public part of the node's URL. */
  readonly node: string;
  readonly maximumBytes: number;
}

const EXCERPT_CHARACTERS = 120;

/** Throws NETWORK_ANSWER_TOO_LARGE as soon as the limit is exceeded. */
export async function readBody(response: Response, limits: BodyLimits): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return join(chunks, length);
    length += value.length;
    if (length > limits.maximumBytes) {
      await reader.cancel();
      throw tooLarge(limits);
    }
    chunks.push(value);
  }
}

/** Throws NETWORK_BAD_ANSWER when the body is not JSON. */
export function parseJson({ node, body }: HttpAnswer): unknown {
  const text = new TextDecoder().decode(body);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notJson(node, text.trim(), cause);
  }
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const only = chunks[0];
  if (chunks.length === 1 && only !== undefined) return only;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function tooLarge({ node, maximumBytes }: BodyLimits): SvcError {
  return new SvcError("NETWORK_ANSWER_TOO_LARGE", {
    message: `${node} answered with more than ${maximumBytes} bytes.`,
    remedy: "Set another node with `--horizon-url` or `--rpc-url`.",
    details: { node, maximumBytes },
  });
}

function notJson(node: string, text: string, cause: unknown): SvcError {
  const excerpt = neutralise(text.slice(0, EXCERPT_CHARACTERS));
  const details = { node, bytes: text.length, excerpt };
  if (text.startsWith("<")) {
    return new SvcError("NETWORK_BAD_ANSWER", {
      message: `${node} answered with a web page instead of JSON.`,
      remedy:
        "Check that the URL is the node's API, not its home page, or set another node or `--network`.",
      cause,
      details,
    });
  }
  const what = text === "" ? "an empty body" : "text that is not JSON, or is incomplete";
  return new SvcError("NETWORK_BAD_ANSWER", {
    message: `${node} answered with ${what} (${text.length} characters).`,
    remedy: "Run the command again. If the error persists, set another node.",
    cause,
    details,
  });
}
