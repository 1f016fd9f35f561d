// A node that cannot or will not answer: the user always gets a code, a remedy and exit code 4,
// never a verdict, and never waits longer than --timeout.

import { afterAll, expect, test } from "bun:test";
import { resolve } from "node:path";
import { type Finished, svc } from "./run-svc.ts";

const HASH = "8ebd6ecebca316c26da747720af100f590bf5e0ed0464badfab8b10e67a7d528";
const PASSPHRASE = "Standalone Network ; February 2017";

const EXAMPLE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");

const servers: Bun.Server<undefined>[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop(true)));
});

interface Condition {
  readonly name: string;
  readonly answer: () => Response | Promise<Response>;
  readonly code: string;
  readonly says: readonly string[];
  readonly timeout?: string;
}

const CONDITIONS: readonly Condition[] = [
  {
    name: "a web page instead of JSON",
    answer: () => new Response("<!doctype html><title>sign in</title>"),
    code: "NETWORK_BAD_ANSWER",
    says: ["home page", "--network"],
  },
  {
    name: "JSON cut off",
    answer: () => new Response('{"envelope_xdr": "AAAA'),
    code: "NETWORK_BAD_ANSWER",
    says: ["what to do:"],
  },
  {
    name: "JSON of another shape",
    answer: () => Response.json({ envelope_xdr: 7 }),
    code: "NETWORK_BAD_ANSWER",
    says: ["envelope_xdr"],
  },
  {
    name: "a rate limit, with its headers as received",
    answer: () =>
      new Response("slow down", {
        status: 429,
        headers: { "retry-after": "3600", "x-ratelimit-limit": "3600", "x-ratelimit-reset": "17" },
      }),
    code: "NETWORK_RATE_LIMITED",
    says: ["retry-after: 3600", "x-ratelimit-limit: 3600", "x-ratelimit-reset: 17"],
  },
  {
    name: "an error status",
    answer: () => new Response("broken", { status: 500, headers: { "retry-after": "0" } }),
    code: "NETWORK_BAD_STATUS",
    says: ["status 500", "status page"],
  },
  {
    name: "silence",
    answer: () => new Promise<Response>(() => {}),
    code: "NETWORK_TIMEOUT",
    says: ["--timeout"],
    timeout: "2s",
  },
  {
    name: "a body without an end",
    answer: () => new Response(endless()),
    code: "NETWORK_ANSWER_TOO_LARGE",
    says: ["what to do:"],
  },
];

for (const { name, answer, code, says, timeout } of CONDITIONS)
  test(`${name}: ${code}`, async () => {
    const more = timeout === undefined ? [] : ["--timeout", timeout];
    const finished = await debug(openNode(answer), more);
    expect(finished.stderr).toContain(`[${code}]`);
    for (const text of says) expect(finished.stderr).toContain(text);
    expect([finished.exitCode, finished.stdout]).toEqual([4, ""]);
  });

test("no source has the transaction: TRANSACTION_NOT_FOUND, with what to check", async () => {
  const finished = await debug(
    openNode(async (request) =>
      request.method === "POST"
        ? Response.json({ jsonrpc: "2.0", id: 1, result: NOT_FOUND })
        : Response.json({ title: "Resource Missing" }, { status: 404 }),
    ),
  );
  expect(finished.stderr).toContain("[TRANSACTION_NOT_FOUND]");
  for (const text of ["64 hexadecimal", "--network", "10 to 30 seconds"])
    expect(finished.stderr).toContain(text);
  expect(finished.exitCode).toBe(4);
});

test("no source has an envelope's transaction: what the envelope shows, and how to simulate it", async () => {
  const capsule = await Bun.file(EXAMPLE).json();
  const { hash, envelopeXdr } = capsule.record;
  const node = openNode(async (request) =>
    request.method === "POST"
      ? Response.json({ jsonrpc: "2.0", id: 1, result: NOT_FOUND })
      : Response.json({ title: "Resource Missing" }, { status: 404 }),
  );
  const nodes = ["--horizon-url", node, "--rpc-url", node, "--network-passphrase", PASSPHRASE];
  const finished = await svc(["debug", envelopeXdr, ...nodes]);
  for (const text of [
    hash,
    "The envelope shows",
    "It calls",
    "the source account, signed the envelope",
  ])
    expect(finished.stderr).toContain(text);
  for (const text of ["svc simulate", "10 to 30 seconds"]) expect(finished.stderr).toContain(text);
  expect(finished.stderr).toContain("[TRANSACTION_NOT_FOUND]");
  expect([finished.exitCode, finished.stdout]).toEqual([4, ""]);
});

const NOT_FOUND = {
  status: "NOT_FOUND",
  latestLedger: 470,
  latestLedgerCloseTime: "1795229040",
  oldestLedger: 71,
  oldestLedgerCloseTime: "1795228641",
};

test("a node that answers with another transaction is not believed: NODE_LIED", async () => {
  const { record } = await Bun.file(EXAMPLE).json();
  const finished = await debug(
    openNode(() =>
      Response.json({
        hash: HASH,
        envelope_xdr: record.envelopeXdr,
        result_xdr: record.resultXdr,
        result_meta_xdr: record.resultMetaXdr,
        ledger: record.ledger.sequence,
        paging_token: "1460288884736",
      }),
    ),
  );
  expect(finished.stderr).toContain("[NODE_LIED]");
  expect([finished.exitCode, finished.stdout]).toEqual([4, ""]);
});

test("ledgers that no node has: LEDGER_NOT_FOUND", async () => {
  const url = openNode(() =>
    Response.json({ jsonrpc: "2.0", id: 1, result: { ...NOT_FOUND, ledgers: [], cursor: "7" } }),
  );
  const nodes = ["--rpc-url", url, "--network-passphrase", PASSPHRASE];
  const finished = await svc(["verify", "7-9", ...nodes]);
  expect(finished.stderr).toContain("[LEDGER_NOT_FOUND]");
  expect([finished.exitCode, finished.stdout]).toEqual([4, ""]);
});

test("nothing listens: NETWORK_UNREACHABLE, with --json on stdout too", async () => {
  const finished = await debug("http://127.0.0.1:1", ["--json"]);
  expect(finished.stderr).toContain("[NETWORK_UNREACHABLE]");
  const { error } = JSON.parse(finished.stdout);
  expect([error.code, error.exitCode, finished.exitCode]).toEqual(["NETWORK_UNREACHABLE", 4, 4]);
});

test("a network of one's own needs nodes: CONFIG_INVALID", async () => {
  const finished = await svc(["debug", HASH, "--network-passphrase", PASSPHRASE]);
  expect(finished.stderr).toContain("[CONFIG_INVALID]");
  expect(finished.stderr).toContain("--horizon-url");
  expect(finished.exitCode).toBe(3);
});

test("a node's secrets are in no message", async () => {
  const url = openNode(() => new Response("no", { status: 500, headers: { "retry-after": "0" } }));
  const secret = url.replace("http://", "http://user:hunter2@");
  for (const command of ["debug", "doctor"]) {
    const finished = await debug(`${secret}/v2/s3cret?token=t0ken`, ["--debug"], command);
    expect(finished.stderr + finished.stdout).not.toMatch(/hunter2|s3cret|t0ken/);
    expect(finished.exitCode).toBe(4);
  }
});

test("an interruption ends at once with 130", async () => {
  const asked = Promise.withResolvers<void>();
  const url = openNode(() => {
    asked.resolve();
    return new Promise<Response>(() => {});
  });
  const finished = await debug(url, ["--json"], "debug", asked.promise);
  expect(finished.exitCode).toBe(130);
  expect(finished.stderr).toContain("[INTERRUPTED]");
  expect(JSON.parse(finished.stdout).error.code).toBe("INTERRUPTED");
});

function openNode(answer: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: answer });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

function debug(
  url: string,
  more: readonly string[] = [],
  command = "debug",
  interruptAfter?: Promise<void>,
): Promise<Finished> {
  const nodes = ["--horizon-url", url, "--rpc-url", url, "--network-passphrase", PASSPHRASE];
  const timeout = more.includes("--timeout") ? [] : ["--timeout", "2m"];
  const words = [command, ...(command === "debug" ? [HASH] : []), ...nodes, ...timeout];
  return svc([...words, ...more], interruptAfter === undefined ? {} : { interruptAfter });
}

/** A body above the size limit, in pieces, as long as the client reads. */
function endless(): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(1024 * 1024).fill(0x20);
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(piece);
    },
  });
}
