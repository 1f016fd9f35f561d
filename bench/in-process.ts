// The lower bound of every other measurement: svc-sim's work in one process, without pipes or HTTP.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";

export interface InProcess {
  /** Milliseconds of the host alone and of a whole request, medians over the requests. */
  readonly host: number;
  readonly request: number;
  /** Milliseconds of the host alone over all requests. */
  readonly hostTotal: number;
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
        cwd: resolve(import.meta.dir, "..", "src", "svc-sim"),
        env: {
          ...process.env,
          SVC_BENCH_REQUESTS: file,
          SVC_BENCH_ROUNDS: String(rounds),
          CARGO_TARGET_DIR:
            process.env.CARGO_TARGET_DIR ?? join(homedir(), ".cache", "svc", "cargo-target"),
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
