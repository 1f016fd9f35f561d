// svc daemon as an operator runs it: its log is stderr, stdout stays empty, SIGTERM ends it with 0.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { until } from "../support/until.ts";
import { inTemporaryDirectory, svc, svcBinary } from "./run-svc.ts";

const TLS = resolve(import.meta.dir, "..", "fixtures", "tls");
const CERTIFICATE = join(TLS, "certificate.pem");
const KEY = join(TLS, "key.pem");
/** Nothing listens on the discard port. */
const NODES = ["--horizon-url", "http://127.0.0.1:9", "--rpc-url", "http://127.0.0.1:9"];
const COMMON = ["daemon", "--port", "0", "--sim-path", SIMULATOR_BINARY, ...NODES];

/** Stderr is a log: throws where it is anything else. */
const onlyLine = (stderr: string) => JSON.parse(stderr) as Readonly<Record<string, unknown>>;

interface Started {
  readonly address: string;
  readonly send: (signal: NodeJS.Signals) => void;
  /** Resolves when the log has such a line. */
  readonly logged: (message: string) => Promise<void>;
  readonly stop: (signal: NodeJS.Signals) => Promise<{
    readonly exitCode: number | null;
    readonly stdout: string;
    readonly log: readonly Readonly<Record<string, unknown>>[];
  }>;
}

async function start(words: readonly string[] = [], shutdownDelay = "0"): Promise<Started> {
  const delay = ["--shutdown-delay", shutdownDelay];
  const port = words.includes("--unix-socket") ? [] : ["--port", "0"];
  const child = Bun.spawn(
    [svcBinary(), "daemon", ...port, "--sim-path", SIMULATOR_BINARY, ...NODES, ...delay, ...words],
    {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH ?? "", HOME: tmpdir() },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: 50_000,
      killSignal: "SIGKILL",
    },
  );
  let stderr = "";
  const listening = Promise.withResolvers<string>();
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      stderr += decoder.decode(chunk, { stream: true });
      const line = stderr.split("\n").find((each) => each.includes('"listening"'));
      if (line !== undefined) listening.resolve(JSON.parse(line).address);
    }
    listening.reject(new Error(`it did not listen:\n${stderr}`));
  })();
  return {
    address: await listening.promise,
    send: (signal) => child.kill(signal),
    logged: (message) => until(() => stderr.includes(`"message":"${message}"`)),
    async stop(signal) {
      child.kill(signal);
      const stdout = await new Response(child.stdout).text();
      await ended;
      const log = stderr
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      return { exitCode: await child.exited, stdout, log };
    },
  };
}

for (const signal of ["SIGTERM", "SIGINT"] as const)
  test(`serves until ${signal}, and ends with 0`, async () => {
    const daemon = await start(["--network", "futurenet", "--verbose"]);
    const answer = await fetch(`${daemon.address}/health`);
    expect(await answer.json()).toMatchObject({ status: "alive", network: "futurenet" });
    const { exitCode, stdout, log } = await daemon.stop(signal);
    expect([exitCode, stdout]).toEqual([0, ""]);
    expect(log.map(({ message }) => message)).toEqual([
      "listening",
      "request",
      "stopping",
      "stopped",
    ]);
    expect(log[1]).toMatchObject({
      requestId: answer.headers.get("x-request-id"),
      route: "/health",
      status: 200,
    });
  });

test("SIGHUP and SIGUSR1 do not end it, and are in the log", async () => {
  await inTemporaryDirectory(async (directory) => {
    const file = join(directory, "token");
    await Bun.write(file, "correct-horse-battery-staple");
    const daemon = await start(["--token-file", file]);
    const statusWith = async (token: string) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      return (await fetch(`${daemon.address}/v1/debug`, { method: "POST", body: "{}", headers }))
        .status;
    };
    daemon.send("SIGUSR1");
    await daemon.logged("signal ignored");
    await Bun.write(file, "another-horse-battery-staple");
    expect(await statusWith("correct-horse-battery-staple")).toBe(400);
    daemon.send("SIGHUP");
    await daemon.logged("reloaded");
    expect(await statusWith("correct-horse-battery-staple")).toBe(401);
    expect(await statusWith("another-horse-battery-staple")).toBe(400);
    const { exitCode, log } = await daemon.stop("SIGTERM");
    expect(exitCode).toBe(0);
    expect(log).toContainEqual(
      expect.objectContaining({ level: "info", message: "signal ignored", signal: "SIGUSR1" }),
    );
    expect(log).toContainEqual(
      expect.objectContaining({ message: "reloaded", token: true, certificate: false }),
    );
  });
});

test("SIGINT does not wait for load balancers", async () => {
  const daemon = await start([], "5m");
  const { exitCode, log } = await daemon.stop("SIGINT");
  expect(exitCode).toBe(0);
  expect(log).toContainEqual(
    expect.objectContaining({ message: "stopping", delayMilliseconds: 0 }),
  );
});

test("speaks TLS", async () => {
  const daemon = await start(["--tls-certificate", CERTIFICATE, "--tls-key", KEY]);
  expect(daemon.address).toStartWith("https://127.0.0.1:");
  const tls = { ca: readFileSync(CERTIFICATE, "utf8") };
  const answer = await fetch(`${daemon.address}/ready`, { tls });
  expect(await answer.json()).toEqual({ ready: true });
  expect((await daemon.stop("SIGTERM")).exitCode).toBe(0);
});

test("does not start with settings that cannot work, and explains why", async () => {
  const attempts: [string[], number, string][] = [
    [["--host", "0.0.0.0"], 3, "CONFIG_INVALID"],
    [["--host", "192.0.2.1", "--allow-unauthenticated"], 3, "ADDRESS_UNAVAILABLE"],
    [["--tls-certificate", "/nonexistent", "--tls-key", KEY], 3, "CONFIG_INVALID"],
    [["--tls-certificate", KEY, "--tls-key", CERTIFICATE], 3, "CONFIG_INVALID"],
    [["--config", "/nonexistent"], 2, "FILE_UNREADABLE"],
  ];
  for (const [words, exitCode, code] of attempts) {
    const finished = await svc([...COMMON, ...words]);
    expect([words, finished.exitCode, finished.stdout]).toEqual([words, exitCode, ""]);
    expect(onlyLine(finished.stderr)).toMatchObject({ level: "error", code, exitCode });
  }
  const missing = await svc(["daemon", "--port", "0", "--sim-path", "/nonexistent", ...NODES]);
  expect(missing.exitCode).toBe(5);
  expect(onlyLine(missing.stderr)).toMatchObject({
    code: "SIMULATOR_NOT_FOUND",
    error: expect.stringContaining("/nonexistent"),
    remedy: expect.stringContaining("--sim-path"),
  });
});

test("has no flags of following without --follow", async () => {
  const { exitCode, stderr } = await svc([...COMMON, "--state", "directory"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("--state has no effect without --follow. [USAGE]");
});

test("a state that cannot be written ends it with a line of its log", async () => {
  await inTemporaryDirectory(async (directory) => {
    await Bun.write(join(directory, "file"), "");
    await Bun.write(join(directory, "svc.json"), "{}");
    const words = ["--follow", "--config", "svc.json", "--state", "file"];
    const { exitCode, stderr } = await svc([...COMMON, ...words], { directory });
    expect(exitCode).toBe(3);
    expect(onlyLine(stderr)).toMatchObject({
      code: "FOLLOW_STATE_UNWRITABLE",
      error: expect.stringContaining("(not a directory)"),
    });
  });
});

test("a svc.json that merely lies there does not open the door", async () => {
  await inTemporaryDirectory(async (directory) => {
    await Bun.write(join(directory, "svc.json"), '{"daemon": {"allowUnauthenticated": true}}');
    const { exitCode, stderr } = await svc([...COMMON, "--host", "0.0.0.0"], { directory });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining("who may connect")]);
    expect(onlyLine(stderr)).toMatchObject({ code: "CONFIG_INVALID" });
  });
});

test("--check shows whether the daemon with these settings is alive", async () => {
  const daemon = await start();
  const { hostname, port } = new URL(daemon.address);
  const words = ["daemon", "--check", "--port", port, "--json"];
  expect(await svc([...words, "--host", hostname])).toMatchObject({ exitCode: 0, stdout: "" });
  await daemon.stop("SIGTERM");
  const { exitCode, stdout } = await svc([...words, "--host", hostname]);
  expect(exitCode).toBe(4);
  expect(JSON.parse(stdout).error.code).toBe("DAEMON_NOT_ALIVE");
});

test("--check reaches a daemon on a Unix socket, with TLS, and on all addresses", async () => {
  await inTemporaryDirectory(async (directory) => {
    const socket = ["--unix-socket", join(directory, "svc.sock")];
    const tls = ["--tls-certificate", CERTIFICATE, "--tls-key", KEY];
    const open = ["--host", "0.0.0.0", "--allow-unauthenticated"];
    for (const words of [socket, tls, open]) {
      const daemon = await start(words);
      const place = words === open ? ["--host", "0.0.0.0"] : words;
      const port = words === socket ? [] : ["--port", new URL(daemon.address).port];
      expect((await svc(["daemon", "--check", ...place, ...port])).exitCode).toBe(0);
      await daemon.stop("SIGTERM");
    }
  });
});
