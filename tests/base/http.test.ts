import { afterAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { SvcError } from "../../src/base/errors/errors.ts";
import { openAnswerRoom } from "../../src/base/http/answer-room.ts";
import { type HttpAttempt, type HttpRequest, openHttp } from "../../src/base/http/http.ts";
import { parseAnswer, readBody, withoutSecrets } from "../../src/base/http/http-body.ts";
import { failedConnection } from "../../src/base/http/http-failure.ts";
import { openRawServer } from "../support/raw-server.ts";
import { TestClock } from "../support/test-clock.ts";

type Handler = (request: Request) => Response | Promise<Response>;

let handler: Handler = () => new Response("{}");
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch: (request) => handler(request),
});
const ROOT = `http://127.0.0.1:${server.port}`;
afterAll(() => server.stop(true));

interface Run {
  readonly url?: string;
  readonly request?: Partial<HttpRequest>;
  readonly signal?: AbortSignal;
  readonly clock?: TestClock;
  readonly timeoutMilliseconds?: number;
  readonly brief?: boolean;
}

function run(options: Run = {}) {
  const attempts: HttpAttempt[] = [];
  const clock = options.clock ?? new TestClock({ grantedUpTo: 4000 });
  const http = openHttp({
    clock,
    timeoutMilliseconds: options.timeoutMilliseconds ?? 60_000,
    userAgent: "svc/test",
    observe: (attempt) => attempts.push(attempt),
  });
  const request: HttpRequest = {
    url: options.url ?? `${ROOT}/secret-key/x?token=secret`,
    method: "GET",
    maximumBytes: 1_000_000,
    ...options.request,
  };
  const signal = options.signal ?? new AbortController().signal;
  const { brief = false } = options;
  return { attempts, clock, answer: http.send(request, { signal, brief }) };
}

async function failure(promise: Promise<unknown>): Promise<SvcError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

function statuses(attempts: readonly HttpAttempt[]): string[] {
  return attempts.map((attempt) => attempt.status);
}

test("the answer is complete, and the attempt is observed without secrets", async () => {
  handler = async (request) => Response.json({ got: await request.json(), method: request.method });
  const { answer, attempts } = run({ request: { method: "POST", json: { a: 1 } } });
  expect(parseAnswer(await answer)).toEqual({ got: { a: 1 }, method: "POST" });
  expect(attempts).toHaveLength(1);
  expect(attempts[0]).toMatchObject({
    node: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+(\/…#[0-9a-f]{4})?$/),
    method: "POST",
    status: "200",
    succeeded: true,
  });
});

test("500 and 503 are tried again, with growing waits", async () => {
  let calls = 0;
  handler = () => {
    calls += 1;
    return calls < 3 ? new Response("", { status: calls === 1 ? 500 : 503 }) : new Response("{}");
  };
  const { answer, attempts, clock } = run();
  expect((await answer).status).toBe(200);
  expect(statuses(attempts)).toEqual(["500", "503", "200"]);
  expect(clock.waits).toEqual([250, 500]);
});

test("a node that stays broken is given up after four attempts", async () => {
  handler = () => new Response("", { status: 503 });
  const { answer, attempts } = run();
  const error = await failure(answer);
  expect(error.code).toBe("NETWORK_BAD_STATUS");
  expect(error.message).toContain("503");
  expect(attempts).toHaveLength(4);
});

test("a status that a retry cannot change is not retried", async () => {
  handler = () => new Response("", { status: 403 });
  const { answer, attempts } = run();
  expect((await failure(answer)).code).toBe("NETWORK_BAD_STATUS");
  expect(attempts).toHaveLength(1);
});

test("a status that the caller expects is an answer", async () => {
  handler = () => new Response("{}", { status: 404 });
  expect((await run({ request: { answers: [404] } }).answer).status).toBe(404);
});

test("429 waits for the time in Retry-After", async () => {
  let calls = 0;
  handler = () => {
    calls += 1;
    return calls === 1
      ? new Response("", { status: 429, headers: { "retry-after": "3" } })
      : new Response("{}");
  };
  const { answer, clock } = run();
  await answer;
  expect(clock.waits).toEqual([3000]);
});

test("where another node can be asked, one is asked twice at most, and not waited for", async () => {
  handler = () => new Response("", { status: 500 });
  const broken = run({ brief: true });
  expect((await failure(broken.answer)).code).toBe("NETWORK_BAD_STATUS");
  expect(broken.attempts).toHaveLength(2);
  handler = () => new Response("", { status: 429, headers: { "retry-after": "3" } });
  const limited = run({ brief: true });
  const { details } = await failure(limited.answer);
  expect(details.retryAfterMilliseconds).toBe(3000);
  expect(limited.attempts).toHaveLength(1);
});

test("a Retry-After of nothing does not make the waits shorter", async () => {
  handler = () => new Response("", { status: 503, headers: { "retry-after": "0" } });
  const { answer, clock } = run();
  await failure(answer);
  expect(clock.waits).toEqual([250, 500, 1000]);
});

test("Retry-After may be a date", async () => {
  let calls = 0;
  handler = () => {
    calls += 1;
    const date = new Date(1_800_000_002_000).toUTCString();
    return calls === 1
      ? new Response("", { status: 503, headers: { "retry-after": date } })
      : new Response("{}");
  };
  const { answer, clock } = run();
  await answer;
  expect(clock.waits).toEqual([2000]);
});

test("a Retry-After past the time allowed fails at once and shows the headers as received", async () => {
  handler = () =>
    new Response("", {
      status: 429,
      headers: { "retry-after": "3600", "x-ratelimit-remaining": "0", "x-ratelimit-limit": "3600" },
    });
  const { answer, attempts, clock } = run();
  const error = await failure(answer);
  expect(error.code).toBe("NETWORK_RATE_LIMITED");
  expect(error.message).toContain("retry-after: 3600");
  expect(error.details.rateLimitHeaders).toEqual({
    "retry-after": "3600",
    "x-ratelimit-limit": "3600",
    "x-ratelimit-remaining": "0",
  });
  expect(attempts).toHaveLength(1);
  expect(clock.waits).toEqual([]);
});

test("a silent node ends with NETWORK_TIMEOUT and is not asked twice", async () => {
  const clock = new TestClock({ grantedUpTo: 4000 });
  handler = () => {
    clock.passLimits();
    return new Promise(() => {});
  };
  const { answer, attempts } = run({ clock });
  const error = await failure(answer);
  expect(error.code).toBe("NETWORK_TIMEOUT");
  expect(error.message).toContain("15 s that");
  expect(statuses(attempts)).toEqual(["timeout"]);
});

test("a body that drips is cut when the attempt's time is up", async () => {
  const clock = new TestClock({ grantedUpTo: 4000 });
  handler = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          controller.enqueue(new Uint8Array([32]));
          await Bun.sleep(0);
          clock.passLimits();
        },
      }),
    );
  const { answer, attempts } = run({ clock });
  expect((await failure(answer)).code).toBe("NETWORK_TIMEOUT");
  expect(statuses(attempts)).toEqual(["timeout"]);
});

test("an endless body is cut at the limit", async () => {
  handler = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)),
      }),
    );
  const error = await failure(run().answer);
  expect(error.code).toBe("NETWORK_ANSWER_TOO_LARGE");
  expect(error.message).toContain("1000000 bytes");
});

test("answers without end have one bound together: the largest ends, and what was read makes room", async () => {
  const clock = new TestClock({ grantedUpTo: 4000 });
  const answers = openAnswerRoom(4_000_000);
  const http = openHttp({ clock, timeoutMilliseconds: 60_000, userAgent: "svc/test", answers });
  const { signal } = new AbortController();
  const ask = (maximumBytes: number) =>
    http.send({ url: ROOT, method: "GET", maximumBytes }, { signal });
  handler = () => {
    const chunk = new Uint8Array(100_000).fill(0x20);
    return new Response(new ReadableStream({ pull: (out) => out.enqueue(chunk) }));
  };
  const ended = await Promise.all(Array.from({ length: 8 }, () => failure(ask(64_000_000))));
  expect(new Set(ended.map(({ code }) => code))).toEqual(new Set(["ANSWER_ROOM_FULL"]));
  expect(ended[0]?.message).toContain("no more memory for answers");
  handler = () => new Response(" ".repeat(3_900_000));
  for (let count = 0; count < 3; count += 1) await ask(4_000_000);
});

test("JSON of too many values is a bad answer, and is not parsed", () => {
  const body = (text: string) => ({ node: "node", status: 200, body: Buffer.from(text) });
  for (const text of ["[".repeat(2 ** 24), "[],".repeat(2 ** 22), '{"a":'.repeat(501)])
    expect(() => parseAnswer(body(text))).toThrow("answered with JSON that has more than");
});

test("a packed body counts by its unpacked size", async () => {
  const packed = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  handler = () => new Response(packed, { headers: { "content-encoding": "gzip" } });
  expect((await failure(run().answer)).code).toBe("NETWORK_ANSWER_TOO_LARGE");
});

test("a page, which does not see how a body is encoded, counts what it unpacks", async () => {
  const packed = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  // A page gets the unpacked body, and the length of the packed one.
  const unpacked = new Response(packed).body?.pipeThrough(new DecompressionStream("gzip"));
  const headers = { "content-length": String(packed.length) };
  const limits = { node: "node", maximumBytes: 1_000_000, showsHeaders: false };
  const room = openAnswerRoom();
  const read = readBody(new Response(unpacked ?? null, { headers }), limits, room, () => {});
  expect((await failure(read)).code).toBe("NETWORK_ANSWER_TOO_LARGE");
});

test("a web page with status 200 is named as what it is", async () => {
  handler = () => new Response("<!doctype html><title>x</title>");
  const answer = await run().answer;
  const error = await failure(Promise.resolve().then(() => parseAnswer(answer)));
  expect(error.code).toBe("NETWORK_BAD_ANSWER");
  expect(error.message).toContain("web page");
});

test("JSON that is cut off, empty or nested without end is a bad answer", async () => {
  for (const body of ['{"a":[1,2', "", "[".repeat(900_000)]) {
    handler = () => new Response(body);
    const answer = await run().answer;
    const error = await failure(Promise.resolve().then(() => parseAnswer(answer)));
    expect(error.code).toBe("NETWORK_BAD_ANSWER");
  }
});

test("a refused connection and an unknown name are NETWORK_UNREACHABLE, without the URL", async () => {
  const cases: [string, string][] = [
    ["http://127.0.0.1:1/k3y?token=t0k3n", "refused the connection"],
    ["http://u:p4ss@nosuch.invalid/k3y", "cannot be resolved"],
  ];
  for (const [url, what] of cases) {
    const { answer, attempts } = run({ url });
    const error = await failure(answer);
    expect(error.code).toBe("NETWORK_UNREACHABLE");
    const shown = `${error.message} ${JSON.stringify(error.details)} ${String(error.cause)}`;
    expect(shown).not.toMatch(/k3y|t0k3n|p4ss/);
    expect(error.message).toContain(what);
    expect(new Set(statuses(attempts))).toEqual(new Set(["unreachable"]));
  }
});

test("a refused connection is tried once more, so that a node that restarts is not missed", async () => {
  const refused = run({ url: "http://127.0.0.1:1/" });
  expect((await failure(refused.answer)).code).toBe("NETWORK_UNREACHABLE");
  expect(refused.attempts).toHaveLength(2);
  expect(refused.clock.waits).toEqual([250]);

  const restarts = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("{}") });
  const { port } = restarts;
  await restarts.stop(true);
  let again: typeof restarts | null = null;
  class RestartClock extends TestClock {
    override sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
      if (milliseconds === 250)
        again = Bun.serve({
          hostname: "127.0.0.1",
          port: port ?? 0,
          fetch: () => new Response("{}"),
        });
      return super.sleep(milliseconds, signal);
    }
  }
  const { answer } = run({
    url: `http://127.0.0.1:${port}/`,
    clock: new RestartClock({ grantedUpTo: 4000 }),
  });
  expect((await answer).status).toBe(200);
  await (again as typeof restarts | null)?.stop(true);
});

test("a name server that was not reached is asked once more, and an unknown name is not", () => {
  const failureOf = (code: string) =>
    failedConnection("http://node", Object.assign(new Error("no"), { code }));
  const attempts = (code: string) => failureOf(code).attempts;
  expect(["EAI_AGAIN", "ENOTFOUND", "ECONNREFUSED"].map(attempts)).toEqual([2, 1, 2]);
  expect(failureOf("EAI_AGAIN").error.message).toContain("no name server answers");
});

test("the reason is found where a runtime has it", () => {
  const withCode = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const inNode = new Error("ofetch", { cause: new TypeError("fetch failed", { cause: withCode }) });
  expect(failedConnection("http://node", inNode).error.message).toBe(
    "http://node refused the connection (ECONNREFUSED).",
  );
  const inPage = new Error("ofetch", { cause: new TypeError("Failed to fetch") });
  expect(failedConnection("http://node", inPage).error).toMatchObject({
    ...{
      code: "NETWORK_UNREACHABLE",
      message: "http://node gave no answer, and the reason is unknown.",
    },
  });
  const ended = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  const closed = new Error("ofetch", { cause: new TypeError("fetch failed", { cause: ended }) });
  expect(failedConnection("http://node", closed).error.message).toContain("closed the connection");
});

test("TLS asked of a node that does not speak it is NETWORK_UNREACHABLE", async () => {
  const error = await failure(run({ url: `https://127.0.0.1:${server.port}/` }).answer);
  expect(error.code).toBe("NETWORK_UNREACHABLE");
  expect(error.message).toContain("TLS");
});

test("a connection that is closed early is tried again", async () => {
  using raw = openRawServer(() => "end");
  const error = await failure(run({ url: raw.url }).answer);
  expect(error.code).toBe("NETWORK_UNREACHABLE");
  expect(raw.connections()).toBeGreaterThanOrEqual(4);
});

test("an incomplete answer is not an answer", async () => {
  using raw = openRawServer((write) => {
    write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a":');
    return "end";
  });
  expect((await failure(run({ url: raw.url }).answer)).code).toBe("NETWORK_UNREACHABLE");
});

/** A server that announces a body of this length and sends only its beginning. */
function unfinished(length: number, begun = () => {}) {
  return openRawServer((write) => {
    write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n{"a":`);
    begun();
    return "keep";
  });
}

test("an announced body that never ends is cut when the attempt's time is up", async () => {
  const clock = new TestClock({ grantedUpTo: 4000 });
  using raw = unfinished(100, () => clock.passLimits());
  const { answer, attempts } = run({ url: raw.url, clock });
  expect((await failure(answer)).code).toBe("NETWORK_TIMEOUT");
  expect(statuses(attempts)).toEqual(["timeout"]);
});

test("an interruption while an announced body comes is no answer", async () => {
  const controller = new AbortController();
  const stop = new SvcError("INTERRUPTED", { message: "stop", remedy: "-" });
  using raw = unfinished(100, () => controller.abort(stop));
  const { answer, attempts } = run({ url: raw.url, signal: controller.signal });
  expect((await failure(answer)).code).toBe("INTERRUPTED");
  expect(statuses(attempts)).toEqual(["aborted"]);
});

test("an announced body has its whole share of the memory for answers from the beginning", async () => {
  const clock = new TestClock({ grantedUpTo: 4000 });
  const answers = openAnswerRoom(4_000_000);
  const http = openHttp({ clock, timeoutMilliseconds: 60_000, userAgent: "svc/test", answers });
  const begun = Promise.withResolvers<void>();
  using large = unfinished(3_000_000, begun.resolve);
  using small = unfinished(2_000_000, begun.resolve);
  const { signal } = new AbortController();
  const ask = (url: string) =>
    http.send({ url, method: "GET", maximumBytes: 4_000_000 }, { signal });
  const first = failure(ask(large.url));
  await begun.promise;
  const stopped = new AbortController();
  const second = failure(
    http.send({ url: small.url, method: "GET", maximumBytes: 4_000_000 }, stopped),
  );
  expect((await first).code).toBe("ANSWER_ROOM_FULL");
  stopped.abort(new SvcError("INTERRUPTED", { message: "stop", remedy: "-" }));
  expect((await second).code).toBe("INTERRUPTED");
  handler = () => new Response(" ".repeat(3_900_000));
  for (let count = 0; count < 3; count += 1) await ask(ROOT);
});

test("headers without end are refused", async () => {
  using raw = openRawServer((write) => {
    write("HTTP/1.1 200 OK\r\n");
    for (let line = 0; line < 2000; line += 1) write(`X-${line}: ${"y".repeat(500)}\r\n`);
    return "keep";
  });
  expect((await failure(run({ url: raw.url }).answer)).code).toBe("NETWORK_BAD_ANSWER");
});

test("redirects are followed on the same host, three times", async () => {
  handler = (request) => {
    const step = Number(new URL(request.url).searchParams.get("step") ?? 0);
    if (step === 3) return new Response("{}");
    return new Response(null, { status: 302, headers: { location: `/?step=${step + 1}` } });
  };
  expect((await run().answer).status).toBe(200);
});

test("redirects to another host, and without end, are refused", async () => {
  for (const location of ["http://10.0.0.1/admin", "/again", "file:///etc/passwd", "::"]) {
    handler = () => new Response(null, { status: 307, headers: { location } });
    const error = await failure(run().answer);
    expect(error.code).toBe("NETWORK_BAD_ANSWER");
    expect(error.message).toContain("redirects");
  }
});

test("a POST that is redirected away from POST is refused", async () => {
  handler = () => new Response(null, { status: 302, headers: { location: "/other" } });
  const error = await failure(run({ request: { method: "POST", json: {} } }).answer);
  expect(error.code).toBe("NETWORK_BAD_ANSWER");
});

test("an interruption while the answer comes is no answer", async () => {
  const controller = new AbortController();
  handler = () =>
    new Response(
      new ReadableStream({
        start: (stream) => stream.enqueue(new Uint8Array(8)),
        pull: () => controller.abort(new SvcError("INTERRUPTED", { message: "stop", remedy: "-" })),
      }),
    );
  const { answer, attempts } = run({ signal: controller.signal });
  expect((await failure(answer)).code).toBe("INTERRUPTED");
  expect(statuses(attempts)).toEqual(["aborted"]);
});

test("an interruption ends the call with its own error", async () => {
  const controller = new AbortController();
  handler = () => {
    controller.abort(new SvcError("INTERRUPTED", { message: "stop", remedy: "-" }));
    return new Promise(() => {});
  };
  const { answer, attempts } = run({ signal: controller.signal });
  expect((await failure(answer)).code).toBe("INTERRUPTED");
  expect(statuses(attempts)).toEqual(["aborted"]);
});

test("the run's own time limit is a NETWORK_TIMEOUT of the node that was asked", async () => {
  const controller = new AbortController();
  handler = () => {
    controller.abort(new DOMException("late", "TimeoutError"));
    return new Promise(() => {});
  };
  const error = await failure(run({ signal: controller.signal }).answer);
  expect(error.code).toBe("NETWORK_TIMEOUT");
});

test("when the time limit is reached during a wait, the node's last failure is reported", async () => {
  const controller = new AbortController();
  class EndingClock extends TestClock {
    override sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
      if (milliseconds === 20_000) controller.abort(new DOMException("late", "TimeoutError"));
      return super.sleep(milliseconds, signal);
    }
  }
  handler = () => new Response("", { status: 429, headers: { "retry-after": "20" } });
  const clock = new EndingClock({ grantedUpTo: 0 });
  const { answer, attempts } = run({ signal: controller.signal, clock });
  expect((await failure(answer)).code).toBe("NETWORK_RATE_LIMITED");
  expect(statuses(attempts)).toEqual(["429"]);
});

test("what a node repeats of a secret is removed, and other words of headers stay", () => {
  const seen = (text: string, headers: Record<string, string>) =>
    new TextDecoder().decode(withoutSecrets(new TextEncoder().encode(text), headers));
  const key = { Authorization: "Bearer s3cret-key" };
  expect(seen("no Bearer s3cret-key, é, s3cret-key", key)).toBe("no Bearer (secret), é, (secret)");
  const network = { "X-Network": "Standalone", "X-Id": "0123456789abcdef" };
  expect(seen("Standalone Network", network)).toBe("Standalone Network");
  expect(seen("0123456789abcdef", network)).toBe("(secret)");
});
