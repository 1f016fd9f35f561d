// Server-sent events: progress while the work runs, then the answer or the error.
// Invariant: a client that reads slowly or not at all delays nobody, and memory does not grow: the
// number of progress events is limited, and there is one answer.

import type { Run } from "../../tools/tools.ts";
import type { RequestContext } from "./handle-request.ts";
import { asAnswer, errorBody } from "./json-answer.ts";

export interface EventOptions {
  /** Proxies and Bun close a silent connection, most of them after half a minute. */
  readonly signOfLifeMilliseconds?: number;
  readonly mostProgress?: number;
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Without this, nginx would buffer events.
  "x-accel-buffering": "no",
};

/** `work` tells its progress, and returns JSON text. */
export function answerWithEvents(
  { streams, run }: RequestContext,
  work: (run: Run) => Promise<string>,
  { signOfLifeMilliseconds = 10_000, mostProgress = 1_000 }: EventOptions = {},
): Response {
  const encoder = new TextEncoder();
  let closed = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => {
        if (!closed) controller.enqueue(encoder.encode(text));
      };
      const alive = setInterval(() => send(": at work\n\n"), signOfLifeMilliseconds);
      let sent = 0;
      const progress = (text: string) => {
        sent += 1;
        if (sent <= mostProgress) send(event("progress", JSON.stringify({ text })));
      };
      const finished = work({ ...run, progress }).then(
        (answer) => {
          send(event("report", answer.trimEnd()));
          return null;
        },
        (thrown) => {
          const error = asAnswer(thrown);
          send(event("error", JSON.stringify({ error: errorBody(error) })));
          return error;
        },
      );
      streams(
        finished.finally(() => {
          clearInterval(alive);
          if (!closed) controller.close();
          closed = true;
        }),
      );
    },
    cancel() {
      closed = true;
    },
  });
  return new Response(body, { headers: HEADERS });
}

/** `data` may have several lines; the client joins them again. */
function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${data.replaceAll("\n", "\ndata: ")}\n\n`;
}
