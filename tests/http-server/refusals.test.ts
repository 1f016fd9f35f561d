// Requests for paths that do not exist, and requests that are wrong, too large or too slow: one
// form of error, with the status of the catalogue, and nothing is left behind.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ErrorCode } from "../../src/base/errors/errors.ts";
import { CATALOGUE } from "../../src/error-catalogue.ts";
import { readBodyText } from "../../src/http-server/routes/read-body.ts";
import { openDaemon, type TestDaemon } from "../support/daemon.ts";
import { failureOf } from "../support/failure.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { resolveDaemonConfig } from "../support/settings.ts";
import { until } from "../support/until.ts";

const TOKEN = "correct-horse-battery-staple";
const HASH = "ab".repeat(32);

let loopback: Loopback;
let daemon: TestDaemon;
beforeAll(async () => {
  loopback = openLoopback();
  daemon = await openDaemon(loopback);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

async function expectError(answer: Response, code: ErrorCode): Promise<void> {
  expect(answer.headers.get("content-type")).toStartWith("application/json");
  const { error } = (await answer.json()) as { error: Record<string, string> };
  expect(Object.keys(error)).toEqual(["code", "message", "remedy"]);
  expect([error.code, answer.status]).toEqual([code, CATALOGUE[code].httpStatus]);
}

async function refused(answered: Promise<Response>) {
  const answer = await answered;
  const text = await answer.text();
  const [, code] = /"code":"(\w+)"/.exec(text) ?? [];
  const [, message] = /"message":"([^"]*)"/.exec(text) ?? [];
  return { status: answer.status, code, message };
}

describe("a request", () => {
  test("for a path that is not there", async () => {
    await expectError(await daemon.get("/v2/debug"), "ROUTE_NOT_FOUND");
  });

  test("with a method that the path does not take", async () => {
    const answer = await daemon.get("/v1/debug");
    expect(answer.headers.get("allow")).toBe("POST");
    await expectError(answer, "METHOD_NOT_ALLOWED");
    const posted = await daemon.post("/health", {});
    expect(posted.headers.get("allow")).toBe("GET, HEAD");
    await expectError(posted, "METHOD_NOT_ALLOWED");
  });

  test("with HEAD is GET without its body, or refused as GET is", async () => {
    const head = (path: string) => fetch(new URL(path, daemon.url), { method: "HEAD" });
    const got = await head("/health");
    expect([got.status, await got.text()]).toEqual([200, ""]);
    const refused = await head("/v1/debug");
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("whose body is of another type", async () => {
    for (const type of ["text/plain", "application/json; charset=utf-16", "application/xml"]) {
      const answer = await daemon.post("/v1/debug", { hash: HASH }, { "content-type": type });
      await expectError(answer, "CONTENT_TYPE_UNSUPPORTED");
    }
  });

  test("whose body is compressed, or says so", async () => {
    const text = JSON.stringify({ hash: HASH });
    for (const [body, encoding] of [
      [Bun.gzipSync(text), "gzip"],
      [new TextEncoder().encode(text), "gzip"],
      [new TextEncoder().encode(text), "identity, br"],
    ] as const) {
      const headers = { "content-type": "application/json", "content-encoding": encoding };
      const answer = await fetch(`${daemon.url}/v1/debug`, { method: "POST", body, headers });
      await expectError(answer, "CONTENT_TYPE_UNSUPPORTED");
    }
    const plain = await daemon.post("/v1/debug", text, { "content-encoding": "identity" });
    await expectError(plain, "TRANSACTION_NOT_FOUND");
  });

  test("whose body is not JSON, or not a request of the route", async () => {
    for (const body of ["", "{", '"x"', "null", "[]", "{}", { hash: HASH, more: 1 }, { hash: 1 }])
      await expectError(await daemon.post("/v1/debug", body), "REQUEST_INVALID");
    const deep = "[".repeat(500) + "]".repeat(500);
    await expectError(await daemon.post("/v1/debug", deep), "REQUEST_INVALID");
    await expectError(await daemon.post("/v1/simulate", `{"hash":${deep}}`), "BODY_TOO_LARGE");
  });

  test("for a hash that is none", async () => {
    await expectError(await daemon.post("/v1/debug", { hash: "12" }), "HASH_INVALID");
  });

  test("for an unknown transaction", async () => {
    await expectError(await daemon.post("/v1/debug", { hash: HASH }), "TRANSACTION_NOT_FOUND");
  });

  test("is found in the log by its ID, and an invalid ID is replaced", async () => {
    const answer = await daemon.post("/v1/debug", {}, { "x-request-id": "mine-1" });
    expect(answer.headers.get("x-request-id")).toBe("mine-1");
    const line = () => daemon.log.find(({ requestId }) => requestId === "mine-1");
    await until(() => line() !== undefined);
    expect(line()).toMatchObject({
      level: "info",
      route: "/v1/debug",
      status: 400,
      code: "REQUEST_INVALID",
    });
    const other = await daemon.post("/v1/debug", {}, { "x-request-id": "x y" });
    expect(other.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test("the id of an answer is that of the call, however large it is", async () => {
  const calls = ["9007199254740993", "-9007199254740993", "12345678901234567890", "1.10", "1e400"];
  const call = (id: string, method = "nothing") =>
    `{"jsonrpc":"2.0","params":{"id":7},"id":${id},"method":"${method}"}`;
  for (const id of [...calls, "7", '"a"', "null"])
    expect(await (await daemon.post("/rpc", call(id))).text()).toStartWith(
      `{"jsonrpc":"2.0","id":${id},"error":`,
    );
  const batch = await (await daemon.post("/rpc", `[${calls.map((id) => call(id))}]`)).text();
  expect([...batch.matchAll(/"id":([^,]+),"error"/g)].map(([, id]) => id)).toEqual(calls);
});

describe("a body", () => {
  const rules = { maximumBytes: 100, milliseconds: 20 };
  const options = { signal: new AbortController().signal, grow() {} };
  const request = (body: string | ReadableStream, headers: Record<string, string> = {}) =>
    new Request("http://svc/", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });

  test("that is too large is refused, announced or not", async () => {
    const announced = request("1", { "content-length": "101" });
    expect(await failureOf(readBodyText(announced, rules, options))).toMatchObject({
      code: "BODY_TOO_LARGE",
    });
    let pulled = 0;
    const endless = new ReadableStream({
      pull(out) {
        pulled += 1;
        out.enqueue(new Uint8Array(40).fill(0x20));
      },
    });
    expect(await failureOf(readBodyText(request(endless), rules, options))).toMatchObject({
      code: "BODY_TOO_LARGE",
    });
    expect(pulled).toBeLessThan(8);
  });

  test("that would become too many values is refused while it is read, on every route", async () => {
    const brackets = ["[".repeat(2 ** 22), "[],".repeat(2 ** 20), `"${"\\n".repeat(2 ** 20)}"`];
    for (const path of ["/v1/simulate", "/rpc", "/mcp"]) {
      for (const body of brackets) {
        const { status, code } = await refused(daemon.post(path, body));
        expect([path, status, code]).toEqual([path, 413, "BODY_TOO_LARGE"]);
      }
    }
    let pulled = 0;
    const endless = new ReadableStream({
      pull(out) {
        pulled += 1;
        out.enqueue(new Uint8Array(10_000).fill(0x5b));
      },
    });
    const sent = readBodyText(request(endless), { ...rules, maximumBytes: 2 ** 24 }, options);
    expect((await failureOf(sent)).message).toBe("The body is JSON that has more than 500 levels.");
    expect(pulled).toBeLessThan(8);
  });

  test("in chunks with trailers gets one answer", async () => {
    const call = '{"jsonrpc":"2.0","id":1,"method":"nothing"}';
    const text =
      "POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" +
      `transfer-encoding: chunked\r\n\r\n${call.length.toString(16)}\r\n${call}\r\n0\r\n`;
    const answersTo = async (parts: readonly string[]) => {
      const { promise, resolve } = Promise.withResolvers<string>();
      let answer = "";
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port: Number(new URL(daemon.url).port),
        socket: {
          data(_, bytes) {
            answer += bytes.toString();
          },
          close: () => resolve(answer),
        },
      });
      for (const part of parts) {
        socket.write(part);
        socket.flush();
        await new Promise(setImmediate);
      }
      return [...(await promise).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    };
    expect(await answersTo([`${text}\r\n`])).toEqual(["200"]);
    expect(await answersTo([`${text}x-trailer: 1\r\n\r\n`])).toEqual(["400"]);
    expect(await answersTo([text, "x-trailer: 1\r\n\r\n"])).toHaveLength(1);
  });

  test("has as much as its route needs", async () => {
    for (const [path, most] of [
      ["/v1/debug", 1024],
      ["/transactions", 1024],
      ["/simulations", 512 * 1024],
      ["/what-ifs", 512 * 1024],
      ["/replayable-pages", 1024],
      ["/rpc", 4 * 1024 ** 2],
      ["/mcp", 2 * 1024 ** 2],
      ["/v1/simulate", 16 * 1024 ** 2],
    ] as const) {
      const within = await refused(daemon.post(path, " ".repeat(most)));
      expect([path, within.code]).not.toEqual([path, "BODY_TOO_LARGE"]);
      const beyond = await refused(daemon.post(path, " ".repeat(most + 1)));
      expect([path, beyond.status, beyond.code]).toEqual([path, 413, "BODY_TOO_LARGE"]);
      expect(beyond.message).toBe(`The body is larger than ${most} bytes.`);
    }
  });

  test("that is refused before it arrived leaves no connection, which a stop would wait for", async () => {
    for (const [path, bytes, connection] of [
      ["/nothing", 4 * 1024 ** 2, "close"],
      ["/v1/debug", 4 * 1024 ** 2, "close"],
      ["/nothing", 100, null],
      ["/v1/debug", 100, null],
    ] as const) {
      const { status, headers } = await daemon.post(path, " ".repeat(bytes));
      expect(status).toBeGreaterThanOrEqual(400);
      expect([path, bytes, headers.get("connection")]).toEqual([path, bytes, connection]);
    }
  });

  test("that does not arrive is not waited for", async () => {
    const silent = new ReadableStream({ pull: () => new Promise(() => {}) });
    expect(await failureOf(readBodyText(request(silent), rules, options))).toMatchObject({
      code: "BODY_TOO_SLOW",
    });
  });
});

describe("the token", () => {
  test("guards work and not the view of it", async () => {
    const environment = { SVC_DAEMON_TOKEN: TOKEN };
    await using guarded = await openDaemon(loopback, { environment });
    const wrong: Record<string, string>[] = [
      {},
      { authorization: "Bearer wrong" },
      { authorization: TOKEN },
    ];
    for (const given of wrong) {
      const answer = await guarded.post("/v1/debug", { hash: HASH }, given);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      await expectError(answer, "UNAUTHORIZED");
    }
    const right = { authorization: `Bearer ${TOKEN}` };
    await expectError(
      await guarded.post("/v1/debug", { hash: HASH }, right),
      "TRANSACTION_NOT_FOUND",
    );
    for (const path of ["/health", "/ready", "/metrics"])
      expect((await guarded.get(path)).status).toBe(200);
    expect(JSON.stringify(guarded.log)).not.toContain(TOKEN);
  });
});

describe("the Host header", () => {
  const FINE = [200, "no error"];
  const first = async ({ url }: TestDaemon, path: string, header: string, version = "1.1") => {
    const received = Promise.withResolvers<string>();
    let text = "";
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: Number(new URL(url).port),
      socket: {
        data: (_, bytes) => {
          text += bytes.toString();
          if (/[\r\n]\r\n[\s\S]/.test(text)) received.resolve(text);
        },
        close: () => received.resolve(text),
      },
    });
    socket.write(`GET ${path} HTTP/${version}\r\n${header}\r\n`);
    socket.flush();
    const answer = await received.promise;
    socket.terminate();
    return [Number(answer.split(" ")[1]), /"code":"(\w+)"/.exec(answer)?.[1] ?? "no error"];
  };
  const host = (name: string) => `Host: ${name}\r\n`;

  test("of a name that anybody can register is refused, whatever the path is", async () => {
    await using named = await openDaemon(loopback, {
      daemon: { allowedHosts: "svc.example.org,svc.example.com" },
    });
    const foreign = [
      "evil.example",
      "evil.example:8080",
      "localhost.evil.example",
      "127.0.0.1.evil.example",
      "a@127.0.0.1.evil.example",
      "SVC.example.net",
    ];
    for (const name of foreign)
      for (const path of ["/", "/health", "/metrics", "/openapi.json", "/v1/debug", "/nothing"])
        expect([name, await first(named, path, host(name))]).toEqual([
          name,
          [421, "HOST_NOT_ALLOWED"],
        ]);
    const own = [
      "127.0.0.1",
      "10.1.2.3:8080",
      "[::1]:8080",
      "localhost:1",
      "svc",
      "svc.default.svc.cluster.local.",
      "SVC.example.org:443",
      "svc.example.com",
    ];
    for (const name of own)
      expect([name, await first(named, "/health", host(name))]).toEqual([name, FINE]);
  });

  test("is not looked at when there is a token, which no web page has", async () => {
    await using guarded = await openDaemon(loopback, { environment: { SVC_DAEMON_TOKEN: TOKEN } });
    expect(await first(guarded, "/health", host("evil.example"))).toEqual(FINE);
    expect(await first(guarded, "/v1/debug", host("evil.example"))).toEqual([
      405,
      "METHOD_NOT_ALLOWED",
    ]);
  });

  test("is absent in HTTP/1.0", async () => {
    for (const path of ["/health", "/health?x=1", "/ready", "/metrics"])
      expect([path, await first(daemon, path, "", "1.0")]).toEqual([path, FINE]);
    expect(await first(daemon, "/nothing", "", "1.0")).toEqual([404, "ROUTE_NOT_FOUND"]);
  });
});

describe("the settings", () => {
  const resolve = (
    flags: Record<string, unknown>,
    environment: Record<string, string> = {},
    file: Record<string, unknown> | null = null,
  ) =>
    resolveDaemonConfig({
      flags,
      environment,
      file: file && { path: "/etc/svc.json", settings: { daemon: file } },
      workingDirectory: "/",
    });
  const refusal = (...inputs: Parameters<typeof resolve>) => {
    try {
      resolve(...inputs);
    } catch (error) {
      return `${(error as { code: string }).code}: ${(error as Error).message}`;
    }
    return "taken";
  };

  test("a flag beats a variable, which beats the file, which beats the default", () => {
    const variable = { SVC_DAEMON_PORT: "2" };
    expect(resolve({ port: "1" }, variable, { port: 3 }).port).toBe(1);
    expect(resolve({}, variable, { port: 3 }).port).toBe(2);
    expect(resolve({}, {}, { port: 3 }).port).toBe(3);
    expect(resolve({})).toMatchObject({ port: 8080, host: "127.0.0.1", token: null, tls: null });
  });

  test("a door that others reach needs a token, or a word", () => {
    for (const host of ["0.0.0.0", "::", "10.0.0.1", "example.org"]) {
      expect(refusal({ host })).toStartWith("CONFIG_INVALID: Other machines can reach the address");
      expect(refusal({ host }, { SVC_DAEMON_TOKEN: TOKEN })).toBe("taken");
      expect(refusal({ host, allowUnauthenticated: true })).toBe("taken");
      expect(refusal({ host, unixSocket: "/run/svc.sock" })).toBe("taken");
    }
    for (const host of ["127.0.0.1", "127.8.8.8", "localhost", "::1", "0:0:0:0:0:0:0:1"])
      expect(refusal({ host })).toBe("taken");
  });

  test("what cannot be meant is refused, and secrets are not repeated", () => {
    expect(refusal({ port: "80a" })).toStartWith('USAGE: --port "80a" must be a whole number');
    expect(refusal({}, { SVC_DAEMON_WORKERS: "0" })).toStartWith("CONFIG_INVALID");
    expect(refusal({}, {}, { prot: 1 })).toContain("daemon.prot in ");
    expect(refusal({}, {}, [] as never)).toContain("is not an object of settings");
    expect(refusal({ tlsKey: "key.pem" })).toContain("only one of them");
    const short = refusal({}, { SVC_DAEMON_TOKEN: "hunter2" });
    expect(short).toStartWith("CONFIG_INVALID: The token in SVC_DAEMON_TOKEN");
    expect(short).not.toContain("hunter2");
    expect(refusal({ tokenFile: "/nonexistent/token" })).toStartWith("FILE_UNREADABLE");
  });

  test("origins are origins, and a delay may be none", () => {
    const two = "https://app.example, http://localhost:3000";
    const list = ["https://app.example", "http://localhost:3000"];
    expect(resolve({ allowedOrigins: two }).allowedOrigins).toEqual(list);
    expect(resolve({}, {}, { allowedOrigins: list }).allowedOrigins).toEqual(list);
    expect([resolve({}).allowedOrigins, resolve({ allowedOrigins: "*" }).allowedOrigins]).toEqual([
      [],
      ["*"],
    ]);
    for (const wrong of ["app.example", "https://app.example/", "https://a.example,", "null"])
      expect(refusal({ allowedOrigins: wrong })).toStartWith("USAGE: --allowed-origins");
    for (const [given, milliseconds] of [
      ["0", 0],
      ["0s", 0],
      ["500ms", 500],
      ["7", 7_000],
    ] as const)
      expect(resolve({ shutdownDelay: given }).shutdownDelayMilliseconds).toBe(milliseconds);
    expect(refusal({ shutdownDelay: "-1" })).toStartWith("USAGE: --shutdown-delay");
  });

  test("the token is read from a file, without its line break", () => {
    const directory = mkdtempSync(join(tmpdir(), "svc-token-"));
    try {
      const path = join(directory, "token");
      writeFileSync(path, `${TOKEN}\n`);
      expect(resolve({ tokenFile: path }).token).toBe(TOKEN);
      expect(refusal({ tokenFile: path }, { SVC_DAEMON_TOKEN: TOKEN })).toContain("both set");
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
