// A rehearsal of many calls loses nothing when svc-sim is killed.

import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { svcBinary } from "../cli/run-svc.ts";
import { openLongChain } from "../support/long-chain.ts";
import { needs } from "../support/needs.ts";
import { KITCHEN, recordedCode } from "../support/recorded-code.ts";

setDefaultTimeout(120_000);

const directory = mkdtempSync(join(tmpdir(), "svc-steady-"));
beforeAll(() => {
  svcBinary();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const LEDGERS = 40;

const linux = needs("/proc", process.platform === "linux");

linux.test("a killed svc-sim loses no call", async () => {
  const file = join(directory, "kitchen.wasm");
  await Bun.write(file, recordedCode("kitchen"));
  await using chain = openLongChain({ successes: 9, failures: 1 });
  const first = chain.first + 1;
  chain.tip = first + LEDGERS;
  const nodes = ["--rpc-url", chain.url, "--network-passphrase", chain.passphrase, "--json"];
  const range = `${first}-${first + LEDGERS - 1}`;
  const words = ["rehearse", `${KITCHEN}=${file}`, range, "--jobs", "2", ...nodes];
  const env = { PATH: process.env.PATH ?? "", HOME: directory };
  const child = Bun.spawn([svcBinary(), ...words], { cwd: directory, env, stderr: "ignore" });
  let isRunning = true;
  void child.exited.finally(() => {
    isRunning = false;
  });
  // A process that runs contracts, and then the one that folds the ledgers.
  const killed: string[] = [];
  for (const mode of ["engine-host", "engine"])
    while (isRunning && !killed.includes(mode)) {
      const [simulator] = simulatorsOf(child.pid, mode);
      if (simulator !== undefined) {
        process.kill(simulator, "SIGKILL");
        killed.push(mode);
      }
      await Bun.sleep(10);
    }
  const { calls, notJudged } = JSON.parse(await new Response(child.stdout).text());
  expect(killed).toContain("engine-host");
  expect(notJudged).toEqual([]);
  expect(calls).toHaveLength(10 * LEDGERS);
  for (const { group } of calls) expect(group).toBe("same");
});

/** The processes of svc-sim in that mode that a process of svc or its svc-sim has started. */
function simulatorsOf(parent: number, mode: string): number[] {
  const children = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, of] = /\(.*\) \w (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return Number(of) === parent ? [{ id: Number(name), words }] : [];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
  return children.flatMap(({ id, words }) =>
    words.includes(mode) ? [id] : simulatorsOf(id, mode),
  );
}
