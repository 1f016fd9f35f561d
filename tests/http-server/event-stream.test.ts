// What a client that takes events gets, however much progress there is and however long it lasts.

import { expect, test } from "bun:test";
import {
  answerWithEvents,
  type EventStreamOptions,
} from "../../src/http-server/routes/event-stream.ts";
import type { RequestContext } from "../../src/http-server/routes/handle-request.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";

/** For each report, that it waits no more. */
const left: boolean[] = [];
type Work = Parameters<typeof answerWithEvents>[1];

function answer(work: Work, options: EventStreamOptions = {}) {
  const request = new Request("http://svc/");
  const context = {
    ...{ request, cut: NEVER_ABORTED, streams() {}, patience() {} },
    hold: () => ({ leave: () => left.push(true) }),
  } as unknown as RequestContext;
  return answerWithEvents(context, work, options);
}

test("progress is limited, and the report comes all the same", async () => {
  const work: Work = async ({ progress }) => {
    for (const text of ["one", "two", "three"]) progress(text);
    return "{}\n";
  };
  const text = await answer(work, { mostProgress: 2 }).text();
  expect(text.match(/^(event|data).*/gm)).toEqual([
    "event: progress",
    'data: {"text":"one"}',
    "event: progress",
    'data: {"text":"two"}',
    "event: report",
    "data: {}",
  ]);
});

test("silent work shows signs of life until it ends", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { body } = answer(() => promise, { signOfLifeMilliseconds: 1 });
  const received: string[] = [];
  for await (const chunk of body ?? []) {
    received.push(new TextDecoder().decode(chunk));
    if (received.length === 3) resolve("{}");
  }
  expect(received.slice(0, 3)).toEqual(Array(3).fill(": at work\n\n"));
  expect(received.at(-1)).toBe("event: report\ndata: {}\n\n");
  expect(left.length).toBeGreaterThan(0);
});
