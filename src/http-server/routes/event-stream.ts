// Server-sent events: progress while the work runs, then the answer or the error. Invariant: a
// client that reads slowly or not at all delays no other, and memory does not grow: the number of
// progress events is limited, and the answer counts until it is sent.

import type { Run } from "../../tools/tools.ts";
import type { WaitingAnswer } from "../limits/answer-memory.ts";
import { endOfRequest, type RequestContext } from "./handle-request.ts";
import { errorBody } from "./json-answer.ts";
import { type Part, sendParts } from "./reply.ts";

export interface EventStreamOptions {
  /**
   * The time between signs of life. Proxies and Bun close a silent connection, most of them after
   * half a minute.
   */
  readonly signOfLifeMilliseconds?: number;
  readonly mostProgress?: number;
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Without this, nginx would buffer events.
  "x-accel-buffering": "no",
};

/** Answers with events. `work` reports its progress, and returns JSON text. */
export function answerWithEvents(
  { streams, run, request, hold, cut, patience, audience }: RequestContext,
  work: (run: Run) => Promise<string>,
  { signOfLifeMilliseconds = 10_000, mostProgress = 1_000 }: EventStreamOptions = {},
): Response {
  const waiting: Part[] = [];
  let awake = Promise.withResolvers<void>();
  let isOver = false;
  const send = (...texts: readonly string[]) => {
    waiting.push(...texts);
    awake.resolve();
  };
  let sent = 0;
  const progress = (text: string) => {
    sent += 1;
    if (sent <= mostProgress) send(event("progress", JSON.stringify({ text })));
  };
  // A client that reads nothing gets no further sign of life, because it still has the last one to
  // read.
  const live = () => {
    if (waiting.length === 0) send(": at work\n\n");
  };
  const alive = setInterval(live, signOfLifeMilliseconds);
  let held: WaitingAnswer | null = null;
  const finished = work({ ...run, progress })
    .then((answer) => {
      const text = event("report", answer.trimEnd());
      held = hold(text.length);
      send(text);
      return null;
    })
    .catch((thrown) => {
      const error = endOfRequest(request, thrown);
      send(event("error", JSON.stringify({ error: errorBody(error, audience) })));
      return error;
    })
    .finally(() => {
      clearInterval(alive);
      isOver = true;
      awake.resolve();
    });
  const parts = (async function* () {
    while (!isOver || waiting.length > 0) {
      const part = waiting.shift();
      if (part !== undefined) yield part;
      else {
        await awake.promise;
        awake = Promise.withResolvers();
      }
    }
  })();
  // The request ends with its work. Sending the rest is not work.
  streams(finished);
  const way = { request, hold, cut, patience, streams: () => {} };
  const leave = () => held?.leave();
  return new Response(sendParts(parts, way, leave), { headers: HEADERS });
}

/** The text of an event. `data` may have several lines, which the client joins again. */
function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${data.replaceAll("\n", "\ndata: ")}\n\n`;
}
