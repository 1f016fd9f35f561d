// The addresses of a daemon, and its end: requests in flight are finished, later ones are refused,
// and nothing waits forever.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { fakeSimulator } from "../simulator/fake-simulator.ts";
import { openDaemon, scrape, type TestDaemon } from "../support/daemon.ts";
import { failureOf } from "../support/failure.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { until } from "../support/until.ts";

const TLS = join(import.meta.dir, "..", "fixtures", "tls");

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

/** A clock with which the delay of a stop is over when the test says so, however long requests take. */
function openDelay() {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const sleep: Clock["sleep"] = (milliseconds, signal) =>
    milliseconds === DELAY_MILLISECONDS ? promise : systemClock.sleep(milliseconds, signal);
  return {
    daemon: { shutdownDelay: DELAY_MILLISECONDS / 1000 },
    clock: { ...systemClock, sleep },
    end,
  };
}
const DELAY_MILLISECONDS = 3_600_000;

test("a daemon that stops is first not ready, and still answers for a while", async () => {
  const { end, ...delay } = openDelay();
  await using daemon = await openDaemon(loopback, delay);
  expect((await daemon.get("/ready")).status).toBe(200);
  daemon.stop();
  const ready = await daemon.get("/ready");
  expect([ready.status, await ready.json()]).toMatchObject([
    503,
    { error: { code: "SHUTTING_DOWN" } },
  ]);
  expect(await (await daemon.get("/health")).json()).toMatchObject({ status: "stopping" });
  const answer = await daemon.post("/v1/debug", { hash });
  expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
  await answer.text();
  end();
  await daemon.ended;
  await expect(daemon.get("/health")).rejects.toThrow();
});

test("clients that keep their connections lose no request", async () => {
  const { end, ...delay } = openDelay();
  await using daemon = await openDaemon(loopback, delay);
  const clients = Array.from({ length: 32 }, () => askUntilClosed(daemon.url));
  const asked = () => daemon.log.filter(({ route }) => route === "/health").length;
  await until(() => asked() > 200);
  daemon.stop();
  const ends = await Promise.all(clients);
  expect(ends).toEqual(Array(32).fill("closed after an answer"));
  end();
  await daemon.ended;
});

test("a client that does not send the rest of its body does not keep the daemon", async () => {
  await using daemon = await openDaemon(loopback, { daemon: { drainTimeout: "30ms" } });
  const { hostname, port } = new URL(daemon.url);
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { data: () => {} } });
  const head = "POST /v1/debug HTTP/1.1\r\nhost: svc\r\ncontent-type: application/json\r\n";
  socket.write(`${head}content-length: 900\r\n\r\n{"hash":`);
  await until(async () => (await scrape(daemon)).get("svc_requests_in_flight") === 2);
  daemon.stop();
  await daemon.ended;
  socket.terminate();
});

/** Sends one request after the other on one connection. */
async function askUntilClosed(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const end = Promise.withResolvers<string>();
  const request = "GET /health HTTP/1.1\r\nhost: svc\r\n\r\n";
  let answer = "";
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, bytes) {
        answer += bytes.toString();
        const [head = "", body = ""] = answer.split("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
        if (body.length < length) return;
        if (/^connection: close/im.test(head)) end.resolve("closed after an answer");
        answer = "";
        socket.write(request);
      },
      close: () => end.resolve("closed without an answer"),
      error: (_, error) => end.resolve(error.message),
    },
  });
  socket.write(request);
  return end.promise;
}

describe("SIGHUP", () => {
  const certificate = (name: string) => readFileSync(join(TLS, `${name}certificate.pem`), "utf8");
  const copy = (name: string) => {
    for (const part of ["certificate.pem", "key.pem"])
      copyFileSync(join(TLS, `${name}${part}`), join(directory, part));
  };
  const files = () => ({
    tlsCertificate: join(directory, "certificate.pem"),
    tlsKey: join(directory, "key.pem"),
  });
  /** The status, if the daemon has this certificate. */
  const ask = async (url: string, ca: string) => {
    const options = { tls: { ca }, keepalive: false };
    return (await fetch(`${url}/health`, options).catch(() => null))?.status ?? null;
  };
  const logged = (daemon: TestDaemon, message: string) =>
    until(() => daemon.log.some((line) => line.message === message));

  test("takes a new certificate, and closes connections with the old one by and by", async () => {
    copy("");
    await using daemon = await openDaemon(loopback, { daemon: files() });
    const { port } = new URL(daemon.url);
    const url = `https://localhost:${port}`;
    expect([await ask(url, certificate("")), await ask(url, certificate("other-"))]).toEqual([
      200,
      null,
    ]);
    copy("other-");
    daemon.send("SIGHUP");
    await logged(daemon, "reloaded");
    await until(async () => {
      const asked = Array.from({ length: 20 }, () => ask(url, certificate("other-")));
      return (await Promise.all(asked)).every((status) => status === 200);
    });
    // Another daemon still cannot share the port.
    const second = await failureOf(openDaemon(loopback, { daemon: { ...files(), port } }));
    expect(second).toMatchObject({ code: "ADDRESS_UNAVAILABLE" });
  });

  test("keeps what it has when a file is wrong", async () => {
    copy("");
    const tokenFile = join(directory, "token");
    writeFileSync(tokenFile, "correct-horse-battery-staple");
    await using daemon = await openDaemon(loopback, { daemon: { ...files(), tokenFile } });
    writeFileSync(tokenFile, "another-horse-battery-staple");
    writeFileSync(files().tlsKey, "not a key");
    daemon.send("SIGHUP");
    await logged(daemon, "not reloaded");
    expect(daemon.log).toContainEqual(
      expect.objectContaining({ level: "error", code: "CONFIG_INVALID" }),
    );
    const url = daemon.url.replace("127.0.0.1", "localhost");
    expect(await ask(url, certificate(""))).toBe(200);
    const answer = await fetch(`${url}/v1/debug`, {
      method: "POST",
      headers: { authorization: "Bearer correct-horse-battery-staple" },
      body: "{}",
      tls: { ca: certificate("") },
    });
    expect(answer.status).toBe(415);
  });
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
