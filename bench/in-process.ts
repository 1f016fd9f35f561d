// The lower bound of every other measurement: svc-sim's work in one process, without pipes or HTTP.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CARGO_TARGET_DIRECTORY, CRATE } from "../scripts/release/paths.ts";
import { EMPTY_REQUEST } from "../src/simulator/requests.ts";
import { SentEntries } from "../src/simulator/sent-entries.ts";

export interface InProcess {
  /** Milliseconds of the host alone and of a whole request, medians over the requests. */
  readonly host: number;
  readonly request: number;
  /** Milliseconds of the host alone over all requests. */
  readonly hostTotal: number;
}

/** How a line begins that only defines what later lines refer to, and is not measured. */
export const DEFINITION = '{"define"';

/** Each request as svc sends it to one process: what is large goes once, in a line before it. */
export function asSent(requests: readonly string[]): string[] {
  const sent = new SentEntries();
  return requests.flatMap((request, id) => {
    const { define, ...line } = JSON.parse(sent.line(id, JSON.parse(request)));
    if (Object.keys(define).length === 0) return [JSON.stringify(line)];
    return [JSON.stringify({ define, ...EMPTY_REQUEST }), JSON.stringify(line)];
  });
}

/** `requests`: one line each. */
export function inProcess(requests: readonly string[], rounds: number): InProcess {
  const scratch = mkdtempSync(join(tmpdir(), "svc-bench-"));
  try {
    const file = join(scratch, "requests.ndjson");
    writeFileSync(file, requests.join("\n"));
    const { stdout } = Bun.spawnSync(
      ["cargo", "bench", "--quiet", "--locked", "--bench", "in_process"],
      {
        cwd: CRATE,
        env: {
          ...process.env,
          SVC_BENCH_REQUESTS: file,
          SVC_BENCH_ROUNDS: String(rounds),
          CARGO_TARGET_DIR: CARGO_TARGET_DIRECTORY,
        },
        stderr: "inherit",
      },
    );
    const measured = JSON.parse(stdout.toString().trim().split("\n").at(-1) ?? "");
    return {
      host: measured.host_median_nanoseconds / 1e6,
      request: measured.request_median_nanoseconds / 1e6,
      hostTotal: measured.host_total_nanoseconds / 1e6,
    };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
