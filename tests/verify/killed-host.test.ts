// A host that runs contracts for the ledger engine is killed again and again: what it had is judged by
// its execution, and no transaction is left out.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openLongChain } from "../support/long-chain.ts";

const LEDGERS = 60;
const MAIN = join(import.meta.dir, "..", "..", "src", "main.ts");

test("costs nothing of the counts", async () => {
  ensureBuilt();
  await using chain = openLongChain({ successes: 9, failures: 1, varied: true });
  const first = chain.first + 1;
  chain.tip = chain.first + LEDGERS + 1;
  const nodes = ["--rpc-url", chain.url, "--network-passphrase", chain.passphrase];
  const range = `${first}-${chain.first + LEDGERS}`;
  const child = Bun.spawn(
    [process.execPath, MAIN, "verify", range, "--json", "--quiet", ...nodes],
    {
      env: { ...process.env, SVC_SIM_PATH: SIMULATOR_BINARY },
      stdout: "pipe",
    },
  );
  let kills = 0;
  const timer = setInterval(() => {
    const host = childOf(childOf(child.pid, "engine"), "engine-host");
    if (host === null || kills === 3) return;
    // It may have ended since.
    if (wasKilled(host)) kills += 1;
  }, 40);
  const document = JSON.parse(await new Response(child.stdout).text());
  clearInterval(timer);
  expect(await child.exited).toBe(0);
  expect(document).toMatchObject({ transactions: 10 * LEDGERS, ledgers: LEDGERS });
  expect(document.verdicts.exact).toBe(10 * LEDGERS);
  expect(kills).toBeGreaterThan(0);
}, 60_000);

function wasKilled(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

function childOf(parent: number | null, word: string): number | null {
  const { stdout } = Bun.spawnSync(["ps", "-eo", "pid,ppid,args"]);
  const rows = stdout
    .toString()
    .split("\n")
    .map((row) => row.trim().split(/\s+/));
  const found = rows.find(([, of, ...words]) => of === String(parent) && words.includes(word));
  return found === undefined ? null : Number(found[0]);
}
