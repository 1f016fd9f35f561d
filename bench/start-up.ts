// The cost of starting svc, in CPU milliseconds of the process and its children: the median of
// several runs. `svc version` has a budget of 20 ms; above it, the exit code is 1.
//
//   bun bench/start-up.ts

import { ensureBuilt, SVC_BINARY } from "../scripts/ensure-built.ts";

const RUNS = 21;
const CASES: readonly { words: readonly string[]; budgetMilliseconds: number | null }[] = [
  { words: ["version"], budgetMilliseconds: 20 },
  { words: ["debug", "--help"], budgetMilliseconds: 20 },
  { words: ["explain", "USAGE"], budgetMilliseconds: 20 },
];

ensureBuilt();
for (const { words, budgetMilliseconds } of CASES) {
  const times = Array.from({ length: RUNS }, () => cpuMilliseconds(words)).sort((a, b) => a - b);
  const median = times[Math.floor(RUNS / 2)] ?? Number.NaN;
  const over = budgetMilliseconds !== null && median > budgetMilliseconds;
  const budget = budgetMilliseconds === null ? "" : ` (budget ${budgetMilliseconds})`;
  process.stdout.write(
    `svc ${words.join(" ")}: ${median.toFixed(1)} CPU ms${budget}${over ? " OVER" : ""}\n`,
  );
  if (over) process.exitCode = 1;
}

function cpuMilliseconds(words: readonly string[]): number {
  const { exitCode, resourceUsage } = Bun.spawnSync([SVC_BINARY, ...words], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  if (exitCode !== 0) throw new Error(`svc ${words.join(" ")} ended with ${exitCode}`);
  return Number(resourceUsage.cpuTime.total) / 1000;
}
