// What a command tells the JavaScript engine of a compiled svc.

import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { ensureBuilt, SIMULATOR_BINARY, SVC_BINARY } from "../../scripts/ensure-built.ts";
import { needs } from "../support/needs.ts";

const BUILD_MILLISECONDS = 900_000;
const SETTING = "BUN_JSC_thresholdForFTLOptimizeAfterWarmUp";

/** The engine setting of `svc verify` while it asks a node, and how it ends when it is told to. */
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
  const setting = environment.find((each) => each.startsWith(`${SETTING}=`)) ?? null;
  return { setting, exitCode: await child.exited };
}

const linux = needs("Linux", process.platform === "linux");

linux.describe("svc verify", () => {
  beforeAll(ensureBuilt, BUILD_MILLISECONDS);

  test("begins the engine's highest stage of compilation late, in the same process", async () => {
    const { setting, exitCode } = await settingOfVerify({});
    expect(setting).toBe(`${SETTING}=1000000`);
    expect(exitCode).toBe(130);
  });

  test("begins as it is where a few ledgers are asked for", async () => {
    expect((await settingOfVerify({}, "100-101")).setting).toBeNull();
  });

  test("keeps a setting that is given", async () => {
    expect((await settingOfVerify({ [SETTING]: "64000" })).setting).toBe(`${SETTING}=64000`);
  });
});
