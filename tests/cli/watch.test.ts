// svc watch as a user runs it.

import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { EXIT } from "../../src/base/errors/base-errors.ts";
import { killDaemon, killFollow, problemsOf } from "../support/kill-follow.ts";
import { openLongChain } from "../support/long-chain.ts";
import { until } from "../support/until.ts";
import { svc } from "./run-svc.ts";

beforeAll(ensureBuilt, 900_000);

const KITCHEN = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";
const OTHER = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";

describe("svc watch", () => {
  test("prints a block for each failure, and the counts at the end", async () => {
    await using chain = openLongChain({ successes: 1, failures: 2 });
    chain.tip = chain.first + 2;
    const words = [
      ...["--rpc-url", chain.url, "--network-passphrase", chain.passphrase],
      ...["--from-ledger", String(chain.first + 1), "--until-ledger", String(chain.tip)],
    ];
    const all = await svc(["watch", KITCHEN, "--label", `${KITCHEN}=kitchen`, ...words]);
    expect(all.exitCode).toBe(0);
    expect(all.stdout.match(/ Failed {2}ledger/g)).toHaveLength(4);
    expect(all.stdout).toContain("kitchen.trap: Error(WasmVm, InvalidAction)");
    expect(all.stdout).toContain("Occurred 4 times so far.");
    expect(all.stdout).toContain("2 ledgers verified. 6 Soroban transactions: 6 exact");
    for (const line of all.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    const filters = [[OTHER], ["--function", "mint"], ["--cause", "budget-exceeded"]];
    for (const filter of filters) {
      const none = await svc(["watch", ...filter, ...words]);
      expect(none.stdout).not.toContain("Failed");
      expect(none.stdout).toContain("6 exact");
    }
    const json = await svc(["watch", "--json", "--all", "--function", "trap", ...words]);
    const lines = json.stdout.trimEnd().split("\n");
    const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect(kinds).toEqual([...Array(4).fill("failure"), "failure-summary", "end"]);
    const everything = await svc(["watch", "--json", "--all", ...words]);
    expect(everything.stdout.match(/"kind":"success"/g)).toHaveLength(2);
  }, 60_000);

  test("refuses what is no address, no ledger and no host", async () => {
    const words = ["--rpc-url", "http://127.0.0.1:1", "--network-passphrase", "test"];
    for (const [more, text] of [
      [["GABC"], "is not the address of a contract or an account"],
      [[`C${"A".repeat(55)}`], "Copy the address again"],
      [["--from-ledger", "9", "--until-ledger", "5"], "--until-ledger 5 is before"],
      [["--cause", "budget-exeeded"], "Did you mean `budget-exceeded`?"],
      [["--cause", "sunspots"], "is not a kind of cause"],
      [["--memory", "1"], '--memory "1" must be a whole number from 16'],
      [["--rehearse-protocol", "900"], "no host of protocol 900"],
    ] as const) {
      const refused = await svc(["watch", ...more, ...words]);
      expect(refused.exitCode).not.toBe(0);
      expect(refused.stderr).toContain(text);
    }
  }, 60_000);

  test("with --json every line is a document: an error, and the end that a signal makes", async () => {
    const linesOf = (stdout: string) =>
      stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    const refused = await svc(["watch", "--json", "--memory", "1"]);
    expect(linesOf(refused.stdout)).toEqual([
      { kind: "error", error: expect.objectContaining({ code: "USAGE", exitCode: 2 }) },
    ]);
    await using chain = openLongChain({ successes: 1, failures: 0 });
    // The node is asked, and has not answered yet: no ledger is verified.
    chain.down = true;
    const words = [
      ...["watch", "--rpc-url", chain.url, "--network-passphrase", chain.passphrase],
      ...["--ledger-lake-url", "none"],
    ];
    for (const json of [true, false]) {
      const asked = chain.requests.get("refused") ?? 0;
      const interruptAfter = until(() => (chain.requests.get("refused") ?? 0) > asked);
      const all = [...words, ...(json ? ["--json"] : [])];
      const { exitCode, stdout } = await svc(all, { interruptAfter });
      expect(exitCode).toBe(130);
      if (json) expect(linesOf(stdout)).toMatchObject([{ kind: "end", totals: { ledgers: 0 } }]);
      else expect(stdout).toStartWith("0 ledgers verified. 0 Soroban transactions");
    }
  }, 60_000);

  test("says what the state has where svc-sim is killed, and goes on from there", async () => {
    await using chain = openLongChain({ successes: 2, failures: 0 });
    chain.tip = chain.first + 6;
    const directory = mkdtempSync(join(tmpdir(), "svc-watch-"));
    const killed = join(directory, "svc-sim");
    const script = `[ "$1" = engine ] && kill -9 $$\nexec ${SIMULATOR_BINARY} "$@"`;
    writeFileSync(killed, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const watch = (simulator: string, last: number) => {
      const nodes = ["--rpc-url", chain.url, "--network-passphrase", chain.passphrase];
      const ledgers = ["--from-ledger", `${chain.first + 1}`, "--until-ledger", `${last}`];
      const environment = { SVC_SIM_PATH: simulator };
      return svc(["watch", ...nodes, ...ledgers, "--state", "kept"], { directory, environment });
    };
    await watch(SIMULATOR_BINARY, chain.first + 3);
    const ended = await watch(killed, chain.tip);
    expect(ended.exitCode).toBe(EXIT.simulator);
    expect(ended.stderr).toContain(`The progress up to ledger ${chain.first + 3} is saved in`);
    const whole = await watch(SIMULATOR_BINARY, chain.tip);
    expect(whole.stdout).toStartWith("6 ledgers verified. 12 Soroban transactions: 12 exact");
    rmSync(directory, { recursive: true });
  }, 60_000);

  test("killed at random moments, loses nothing and counts nothing twice", async () => {
    for (const kill of [killFollow, killDaemon]) {
      expect(problemsOf(await kill(6, Math.random))).toEqual([]);
    }
  }, 120_000);
});
