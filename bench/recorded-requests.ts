// The requests to /v1/simulate of tests/fixtures/protocol/, with their answers.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Recorded {
  readonly body: string;
  /** Equal to the recorded answer, including the metering. */
  readonly isAnswer: (text: string) => boolean;
}

const FIXTURES = resolve(import.meta.dir, "..", "tests", "fixtures", "protocol");

export const RECORDED: readonly Recorded[] = readdirSync(FIXTURES).map((name) => {
  const { request, response } = JSON.parse(readFileSync(join(FIXTURES, name), "utf8"));
  const answer = comparable(response);
  return {
    body: JSON.stringify(request),
    isAnswer: (text) => comparable(JSON.parse(text)) === answer,
  };
});

/** Without what differs from run to run. */
function comparable(response: Readonly<Record<string, unknown>>): string {
  const { host_nanoseconds: _, id: __, ...rest } = response;
  return JSON.stringify(rest);
}
