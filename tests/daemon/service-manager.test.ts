// What systemd learns of the daemon (`Type=notify`), from the compiled program too, and the unit.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY, SVC_BINARY } from "../../scripts/ensure-built.ts";
import { openServiceManager } from "../../src/http-server/service-manager.ts";
import { openDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { needs } from "../support/needs.ts";
import { openNotifySocket } from "../support/notify-socket.ts";
import { resolveDaemonConfig } from "../support/settings.ts";
import { findTool, runTool } from "../support/tools.ts";

const SCRATCH = mkdtempSync(join(tmpdir(), "svc-notify-"));
const UNIT = resolve(import.meta.dir, "../../release/systemd/svc.service");
const ENVIRONMENT = resolve(import.meta.dir, "../../release/systemd/svc.env");
const onLinux = needs("Linux", process.platform === "linux");

let loopback: Loopback;
beforeAll(() => {
  loopback = openLoopback();
});
afterAll(async () => {
  await loopback[Symbol.asyncDispose]();
  rmSync(SCRATCH, { recursive: true });
});

let sockets = 0;
/** The names of a socket with a file, and of one without. */
function names(): string[] {
  sockets += 1;
  return [join(SCRATCH, `${sockets}.sock`), `@svc-test-${process.pid}-${sockets}`];
}

const isAlive = (text: string) => text === "WATCHDOG=1";
const states = (received: readonly string[]) => received.filter((text) => !isAlive(text));
const STOPPING = "STOPPING=1\nSTATUS=Finishing the requests in flight";

describe("a daemon tells its service manager", () => {
  onLinux.test("when it listens, when it stops, and that its thread is alive", async () => {
    for (const name of names()) {
      using socket = openNotifySocket(name);
      const environment = { NOTIFY_SOCKET: name, WATCHDOG_USEC: "2000" };
      await using daemon = await openDaemon(loopback, { environment });
      await socket.gets((text) => text.startsWith("READY=1"));
      expect(states(socket.received())).toEqual([`READY=1\nSTATUS=Listening on ${daemon.url}`]);
      expect((await daemon.get("/health")).status).toBe(200);
      const before = socket.received().length;
      await socket.gets((text) => isAlive(text) && socket.received().length > before + 2);
      daemon.stop();
      await daemon.ended;
      expect(states(socket.received()).slice(1)).toEqual([STOPPING]);
      const last = socket.received().length;
      await new Promise(setImmediate);
      expect(socket.received()).toHaveLength(last);
    }
  });

  onLinux.test("as the compiled program too, for the daemon and for a fork", async () => {
    ensureBuilt();
    const nodes = ["--horizon-url", loopback.url("horizon"), "--rpc-url", loopback.url("rpc")];
    const ofNetwork = ["--network-passphrase", loopback.network.passphrase, ...nodes];
    for (const words of [
      ["daemon", ...ofNetwork, "--workers", "1", "--shutdown-delay", "0"],
      ["fork", "--empty", "--accounts", "0"],
    ]) {
      for (const name of names()) {
        using socket = openNotifySocket(name);
        const run = Bun.spawn(
          [SVC_BINARY, ...words, "--port", "0", "--sim-path", SIMULATOR_BINARY],
          { env: { NOTIFY_SOCKET: name, HOME: SCRATCH }, stdout: "ignore", stderr: "ignore" },
        );
        await socket.gets((text) => /^READY=1\nSTATUS=Listening on http:/.test(text));
        run.kill("SIGTERM");
        await run.exited;
        expect(socket.received().slice(1)).toEqual([STOPPING]);
      }
    }
  });

  onLinux.test("no sign of life that is for another process, or not wanted", async () => {
    for (const watchdog of [
      {},
      { WATCHDOG_USEC: "0" },
      { WATCHDOG_USEC: "soon" },
      { WATCHDOG_USEC: "1", WATCHDOG_PID: "1" },
    ]) {
      const [name = ""] = names();
      using socket = openNotifySocket(name);
      await using daemon = await openDaemon(loopback, {
        environment: { NOTIFY_SOCKET: name, ...watchdog },
      });
      expect((await daemon.get("/health")).status).toBe(200);
      expect(socket.received().filter(isAlive)).toEqual([]);
    }
  });

  test("nothing without a socket, and goes on where nobody listens", async () => {
    await using silent = await openDaemon(loopback);
    expect(silent.log.filter(({ level }) => level === "warn")).toEqual([]);
    for (const name of [join(SCRATCH, "nobody.sock"), "@nobody", "vsock:2:1", "/".repeat(200)]) {
      await using daemon = await openDaemon(loopback, { environment: { NOTIFY_SOCKET: name } });
      expect((await daemon.get("/health")).status).toBe(200);
      const [warning] = daemon.log.filter(({ level }) => level === "warn");
      expect(warning).toMatchObject({ socket: name });
    }
  });

  test("nothing, as a function, where the environment has none", () => {
    const log = { write: () => expect.unreachable(), flush() {} };
    using manager = openServiceManager({ environment: {}, processId: 1, log });
    manager.ready("http://127.0.0.1:1");
    manager.stopping();
  });
});

/** The settings of a unit; one that is there several times has several values. */
function unit(): Map<string, string[]> {
  const lines = readFileSync(UNIT, "utf8").match(/^\w+=.*/gm) ?? [];
  const pairs = lines.map((line) => line.split(/=(.*)/s) as [string, string]);
  return new Map(
    [...Map.groupBy(pairs, ([name]) => name)].map(([name, found]) => [
      name,
      found.map(([, value]) => value),
    ]),
  );
}

describe("release/systemd", () => {
  test("the unit waits for the daemon, gives it time to end, and takes its privileges", () => {
    const found = unit();
    expect(found.get("Type")).toEqual(["notify"]);
    expect(found.get("ExecStart")).toEqual(["/usr/local/bin/svc daemon"]);
    expect(found.get("NoNewPrivileges")).toEqual(["yes"]);
    expect(found.get("CapabilityBoundingSet")).toEqual([""]);
    const lines = readFileSync(ENVIRONMENT, "utf8").match(/^#?[A-Z_]+=.*/gm) ?? [];
    const environment = Object.fromEntries(
      lines.map((line) => line.replace("#", "").split(/=(.*)/s).slice(0, 2)),
    );
    expect(Object.keys(environment)).toContain("SVC_NETWORK");
    const token = { SVC_DAEMON_TOKEN: "a-token-that-is-long-enough" };
    const daemon = resolveDaemonConfig({
      ...{ flags: {}, file: null, workingDirectory: "/" },
      environment: { ...environment, ...token },
    });
    const ends = daemon.shutdownDelayMilliseconds + daemon.drainMilliseconds;
    const [seconds] = found.get("TimeoutStopSec") ?? [];
    expect(Number(seconds) * 1000).toBeGreaterThan(ends);
    // "Limits" in docs/daemon.md: four times the workers, each with 128 MiB more, and 1 GiB.
    const workerBytes = daemon.workerMemoryBytes + 128 * 2 ** 20;
    const [most] = found.get("MemoryMax") ?? [];
    expect(most).toBe("4G");
    expect(4 * daemon.workers * workerBytes + 2 ** 30).toBeLessThanOrEqual(4 * 2 ** 30);
  });

  const analyze = findTool("systemd-analyze") ?? "";
  needs("systemd-analyze", analyze !== "").test("is what systemd accepts, and closed", () => {
    const { text } = runTool([analyze, "verify", UNIT]);
    const problems = text.split("\n").filter((line) => line !== "" && !isNotInstalled(line));
    expect(problems).toEqual([]);
    // The exposure in tenths: 1.5 of 10.
    const closed = [analyze, "security", "--offline=yes", "--threshold=15", UNIT];
    expect(runTool(closed)).toMatchObject({ exitCode: 0 });
  });
});

/** svc itself and its manual page need not be on this machine. */
function isNotInstalled(line: string): boolean {
  return line.includes("/usr/local/bin/svc is not executable") || line.includes("man svc(1)");
}
