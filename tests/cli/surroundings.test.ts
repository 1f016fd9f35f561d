// The working directory may belong to somebody else: svc takes no code and no settings from it,
// except nodes in svc.json.

import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { inTemporaryDirectory, svc } from "./run-svc.ts";

test("neither .env nor bunfig.toml of the working directory is loaded", async () => {
  await inTemporaryDirectory(async (directory) => {
    const mark = join(directory, "preloaded");
    writeFileSync(join(directory, ".env"), "SVC_TIMEOUT=nonsense\nSVC_CONFIG=/nowhere.json\n");
    writeFileSync(join(directory, "bunfig.toml"), 'preload = ["./evil.ts"]\n');
    writeFileSync(join(directory, "evil.ts"), `await Bun.write(${JSON.stringify(mark)}, "x");\n`);
    const { exitCode, stderr } = await svc(["version"], { directory });
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(existsSync(mark)).toBe(false);
  });
});

test("a svc.json found there may not name a program to run", async () => {
  await inTemporaryDirectory(async (directory) => {
    const mark = join(directory, "ran");
    const program = join(directory, "evil.sh");
    writeFileSync(program, `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(directory, "svc.json"), JSON.stringify({ simPath: program }));
    const { exitCode, stderr } = await svc(["version"], { directory });
    expect(stderr).toContain("[CONFIG_INVALID]");
    expect(exitCode).toBe(3);
    expect(existsSync(mark)).toBe(false);
  });
});

test("a PIN in the environment is not passed on to the simulator", async () => {
  await inTemporaryDirectory(async (directory) => {
    const seen = join(directory, "environment");
    const program = join(directory, "svc-sim");
    writeFileSync(
      program,
      `#!/bin/sh\ncat /proc/$$/environ >> ${seen}\nexec ${SIMULATOR_BINARY} "$@"\n`,
    );
    chmodSync(program, 0o755);
    const capsule = join(import.meta.dir, "../fixtures/capsules/too-many-events.capsule.json");
    for (const words of [["debug", "--from", capsule], ["doctor", "--offline"], ["version"]])
      await svc([...words, "--sim-path", program], { environment: { SVC_PKCS11_PIN: "sEcReT" } });
    expect(existsSync(seen)).toBe(true);
    expect(readFileSync(seen, "utf8")).not.toContain("sEcReT");
  });
});

test("a settings file that is missing or wrong is reported", async () => {
  const missing = await svc(["version", "--config", "/nowhere/svc.json"]);
  expect([missing.exitCode, missing.stderr.includes("[FILE_UNREADABLE]")]).toEqual([2, true]);
  await inTemporaryDirectory(async (directory) => {
    writeFileSync(join(directory, "mine.json"), '{"netwrok": "testnet"}');
    const environment = { SVC_CONFIG: "mine.json" };
    const wrong = await svc(["version"], { directory, environment });
    expect([wrong.exitCode, wrong.stderr.includes('Did you mean "network"?')]).toEqual([3, true]);
  });
});

test("svc doctor names the simulator of simulations when it is missing", async () => {
  await inTemporaryDirectory(async (directory) => {
    const alone = join(directory, "svc-sim");
    copyFileSync(SIMULATOR_BINARY, alone);
    const words = ["--horizon-url", "http://127.0.0.1:9", "--rpc-url", "http://127.0.0.1:9"];
    const doctor = ["doctor", ...words, "--sim-path", alone];
    const { stdout } = await svc(doctor);
    expect(stdout).toMatch(/^MISSING +svc-sim-recording +The simulator svc-sim-recording was not/m);
    expect(stdout).toStartWith(
      "3 problems: svc-sim-recording is missing, so `svc simulate` cannot",
    );
    const { recorderProblem } = JSON.parse((await svc([...doctor, "--json"])).stdout);
    expect(recorderProblem.code).toBe("SIMULATOR_NOT_FOUND");
  });
});

test("svc version succeeds without a simulator", async () => {
  const { exitCode, stdout } = await svc(["version", "--sim-path", "/nowhere/svc-sim"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("svc-sim not found");
});
