// What a command tells the JavaScript engine of a compiled svc.

import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { ensureBuilt, SIMULATOR_BINARY, SVC_BINARY } from "../../scripts/ensure-built.ts";
import { needs } from "../support/needs.ts";

const BUILD_MILLISECONDS = 900_000;
const SETTING = "BUN_JSC_thresholdForFTLOptimizeAfterWarmUp";
const STAGE = "BUN_JSC_useDFGJIT";

/** The engine settings of `svc verify` while it asks a node, and how it ends when it is told to. */
async function settingOfVerify(given: Record<string, string>, range = "100-200") {
  const asked = Promise.withResolvers<void>();
  await using node = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      asked.resolve();
      return new Promise<Response>(() => {});
    },
  });
  const words = ["verify", range, "--rpc-url", `http://127.0.0.1:${node.port}`];
  const network = ["--network-passphrase", "test", "--ledger-lake-url", "none", "--quiet"];
  const child = Bun.spawn([SVC_BINARY, ...words, ...network, "--sim-path", SIMULATOR_BINARY], {
    env: { HOME: "/nonexistent", ...given },
    stdio: ["ignore", "ignore", "ignore"],
  });
  await asked.promise;
  const environment = readFileSync(`/proc/${child.pid}/environ`, "utf8").split("\0");
  child.kill("SIGTERM");
  const of = (name: string) => environment.find((each) => each.startsWith(`${name}=`)) ?? null;
  return { setting: of(SETTING), stage: of(STAGE), exitCode: await child.exited };
}

const linux = needs("Linux", process.platform === "linux");

linux.describe("svc verify", () => {
  beforeAll(ensureBuilt, BUILD_MILLISECONDS);

  test("of nodes has no optimizing stages of compilation, in the same process", async () => {
    const { setting, stage, exitCode } = await settingOfVerify({});
    expect(setting).toBe(`${SETTING}=1000000`);
    expect(stage).toBe(`${STAGE}=0`);
    expect(exitCode).toBe(130);
  });

  test("begins as it is where a few ledgers are asked for", async () => {
    const { setting, stage } = await settingOfVerify({}, "100-101");
    expect([setting, stage]).toEqual([null, null]);
  });

  test("keeps a setting that is given", async () => {
    const { setting, stage } = await settingOfVerify({ [SETTING]: "64000" });
    expect([setting, stage]).toEqual([`${SETTING}=64000`, null]);
  });
});
