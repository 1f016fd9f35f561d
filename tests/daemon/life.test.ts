// The addresses of a daemon, and its end: requests in flight are finished, later ones are refused,
// and nothing waits forever.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeSimulator } from "../simulator/fake-simulator.ts";
import { openDaemon } from "../support/daemon.ts";
import { failureOf } from "../support/failure.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { until } from "../support/until.ts";

let loopback: Loopback;
let hash: string;
let directory: string;
beforeAll(() => {
  loopback = openLoopback();
  hash = loopback.network.transactions.find(({ soroban }) => soroban)?.hash ?? "";
  directory = mkdtempSync(join(tmpdir(), "svc-daemon-"));
});
afterAll(async () => {
  await loopback[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

test("a port in use is reported", async () => {
  await using first = await openDaemon(loopback);
  const { port } = new URL(first.url);
  const failure = await failureOf(openDaemon(loopback, { daemon: { port } }));
  expect(failure).toMatchObject({ code: "ADDRESS_UNAVAILABLE" });
  expect(failure.message).toContain(`127.0.0.1:${port}`);
});

test("a Unix socket is taken over after a crash, and never from a living daemon", async () => {
  const path = join(directory, "svc.sock");
  // A process that is killed leaves its file.
  const script = `Bun.serve({ unix: ${JSON.stringify(path)}, fetch: () => new Response() })`;
  const crashed = Bun.spawn([process.execPath, "-e", `${script}; console.log("up")`], {
    stdout: "pipe",
  });
  await crashed.stdout.getReader().read();
  crashed.kill("SIGKILL");
  await crashed.exited;
  expect(statSync(path).isSocket()).toBe(true);
  {
    await using daemon = await openDaemon(loopback, { daemon: { unixSocket: path } });
    expect(daemon.url).toBe(`unix:${path}`);
    const answer = await fetch("http://svc/health", { unix: path });
    expect(await answer.json()).toMatchObject({ status: "alive", network: "custom" });
    expect(statSync(path).mode & 0o777).toBe(0o660);
    const second = await failureOf(openDaemon(loopback, { daemon: { unixSocket: path } }));
    expect(second).toMatchObject({ code: "ADDRESS_UNAVAILABLE" });
  }
  expect(existsSync(path)).toBe(false);
  const file = join(directory, "file");
  writeFileSync(file, "precious");
  const refused = await failureOf(openDaemon(loopback, { daemon: { unixSocket: file } }));
  expect(refused).toMatchObject({ code: "ADDRESS_UNAVAILABLE" });
  expect(existsSync(file)).toBe(true);
});

/** Answers when the file `go` exists next to it; the file `asked` shows that it got a request. */
const WAITS =
  'if (process.argv[2] === "--version") out(JSON.stringify({ version: "0", hosts: [] })); ' +
  'else { const at = (name) => Bun.file(import.meta.dir + "/" + name); ' +
  'for await (const r of lines()) { await Bun.write(at("asked"), ""); ' +
  'while (!(await at("go").exists())) await Bun.sleep(5); say(r.id, { transaction_hash: await at("go").text() }); } }';

test("at shutdown it finishes requests in flight and takes no new ones", async () => {
  using fake = fakeSimulator(WAITS);
  await using daemon = await openDaemon(loopback, { simulatorPath: fake.path });
  const answer = daemon.post("/v1/debug", { hash });
  await appears(join(fake.directory, "asked"));
  daemon.stop();
  await expect(daemon.get("/health")).rejects.toThrow();
  writeFileSync(join(fake.directory, "going"), hash);
  renameSync(join(fake.directory, "going"), join(fake.directory, "go"));
  expect(await (await answer).json()).toMatchObject({ hash, format: 1 });
  await daemon.ended;
  expect(daemon.log.map(({ message }) => message)).toContain("stopped");
});

test("what does not end in time is given up with a reason", async () => {
  using fake = fakeSimulator(WAITS);
  const options = { simulatorPath: fake.path, daemon: { drainTimeout: "30ms" } };
  await using daemon = await openDaemon(loopback, options);
  const answer = daemon.post("/v1/debug", { hash });
  await appears(join(fake.directory, "asked"));
  daemon.stop();
  const { status, headers } = await answer;
  expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await (await answer).json()).toMatchObject({ error: { code: "SHUTTING_DOWN" } });
  await daemon.ended;
});

test("a client that leaves is not worked for any longer", async () => {
  using fake = fakeSimulator(WAITS);
  await using daemon = await openDaemon(loopback, { simulatorPath: fake.path });
  const leaving = new AbortController();
  const answer = fetch(`${daemon.url}/v1/debug`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ hash }),
    signal: leaving.signal,
  });
  await appears(join(fake.directory, "asked"));
  leaving.abort();
  await expect(answer).rejects.toThrow();
  await until(() => daemon.log.some(({ status }) => status === 499));
  expect(await (await daemon.get("/health")).json()).toMatchObject({
    simulator: { queued: 0, inFlight: 0 },
  });
});

const appears = (path: string) => until(() => existsSync(path));
