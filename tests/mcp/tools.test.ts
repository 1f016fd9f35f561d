// Each tool through the official client: its work, its errors, progress and cancellation, and who
// may call it at all.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CATALOGUE } from "../../src/error-catalogue.ts";
import { inTemporaryDirectory, svcBinary } from "../cli/run-svc.ts";
import { FOR_COMMAND_LINE, openDaemon, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { connectHttp, connectStdio, type McpClient, nodeFlags } from "../support/mcp-client.ts";
import { until } from "../support/until.ts";

const MILLISECONDS = 120_000;

let loopback: Loopback;
let daemon: TestDaemon;
let overHttp: McpClient;
beforeAll(async () => {
  loopback = openLoopback();
  daemon = await openDaemon(loopback);
  overHttp = await connectHttp(daemon.url);
});
afterAll(async () => {
  await overHttp[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

function called(name: string) {
  const found = loopback.network.transactions.find((each) => each.name === name);
  if (found === undefined) throw new Error(`No transaction is called ${name}.`);
  return found;
}

describe("section", () => {
  test(
    "pages have every entry of the report, and pieces are the whole of an entry",
    async () => {
      const { hash } = called("cross-contract add overflow in callee");
      const answer = await overHttp.call("debug_transaction", { hash });
      const report = (await (await daemon.post("/v1/debug", { hash })).json()) as Report;
      const sections = answer.sections as Record<string, number>;
      const envelope = await entriesOf(answer.id, "xdr", sections.xdr ?? 0);
      expect(envelope).toContainEqual({ envelope: report.xdr.envelope });
      expect(envelope).toContainEqual({ resultMeta: report.xdr.resultMeta });
      const calls = await entriesOf(answer.id, "calls", sections.calls ?? 0);
      expect(calls.length).toBe(callsIn(report.calls));
      expect(await entriesOf(answer.id, "resources", sections.resources ?? 0)).toEqual([
        ...report.resources,
      ]);
      for (const [section, pages] of Object.entries(sections))
        expect([section, (await entriesOf(answer.id, section, pages)).length > 0]).toEqual([
          section,
          true,
        ]);
    },
    MILLISECONDS,
  );

  test("an id of nobody, a section of nothing and a page too many are errors", async () => {
    const { hash } = called("divide by zero");
    const { id } = await overHttp.call("debug_transaction", { hash });
    const section = (given: object) => overHttp.fail("section", given);
    expect((await section({ id: "nobody", section: "calls" })).code).toBe("ANSWER_NOT_FOUND");
    const unknown = await section({ id, section: "constructor" });
    expect(unknown).toMatchObject({ code: "REQUEST_INVALID" });
    expect(unknown.message).toContain("calls");
    expect((await section({ id, section: "calls", page: 99 })).message).toContain("from 1 to");
  });

  async function entriesOf(id: unknown, section: string, pages: number): Promise<unknown[]> {
    const entries: unknown[] = [];
    let text = "";
    for (let page = 1; page <= pages; page += 1) {
      const found = await overHttp.call("section", { id, section, page });
      expect(found).toMatchObject({ section, page, pages });
      for (const entry of found.entries as Piece[]) {
        if (entry.piece === undefined) entries.push(entry);
        else text += entry.text;
        if (entry.piece === undefined || entry.piece < entry.of) continue;
        entries.push(JSON.parse(text));
        text = "";
      }
    }
    return entries;
  }
});

interface Piece {
  readonly piece?: number;
  readonly of: number;
  readonly text: string;
}
interface Call {
  readonly calls: readonly Call[];
}
interface Report {
  readonly xdr: Readonly<Record<string, string>>;
  readonly calls: Call;
  readonly resources: readonly unknown[];
}
const callsIn = ({ calls }: Call): number => calls.reduce((sum, each) => sum + callsIn(each), 1);

test("why_failed has the condition, its values and where they came from", async () => {
  const { hash } = called("divide by zero");
  const answer = await overHttp.call("why_failed", { hash });
  expect(answer.conditions).toMatchObject([
    { values: [{ name: "`denominator`", value: "0", origin: "argument 1" }] },
  ]);
  // What decided, its proof and the remedy are sentences about that value.
  for (const sentence of [answer.decided, answer.proof, answer.remedy])
    expect(sentence).toContain("`denominator`");
  expect(answer.next).toContainEqual(
    expect.stringContaining('`what_if` with overrides {"arguments": {"denominator": 1}}'),
  );
  const { hash: succeeded } = called("SAC transfer alice -> bob");
  expect(await overHttp.call("why_failed", { hash: succeeded })).toMatchObject({
    ...{ decided: null, conditions: [], proof: null },
  });
});

describe("runs", () => {
  test("fix_transaction has the proof and the whole envelope, or says where it is", async () => {
    const { hash } = called("write bytes too low");
    const { fix, id, sections } = await overHttp.call("fix_transaction", { hash });
    const { envelopeXdr, proof } = fix as { envelopeXdr: string; proof: string };
    expect(proof).toBe("succeeds");
    const report = (await (await daemon.post("/v1/debug", { hash })).json()) as {
      fix: { envelopeXdr: string };
    };
    expect(envelopeXdr).toBe(report.fix.envelopeXdr);
    expect(sections).toHaveProperty("fix");
    expect(id).toBeString();
  });

  test("what_if has what changed beside what the chain ran", async () => {
    const { hash } = called("write bytes too low");
    const overrides = { limits: { writeBytes: 100_000 } };
    const answer = await overHttp.call("what_if", { hash, overrides });
    expect(answer).toMatchObject({ success: true, cause: null, chain: { success: false } });
    expect(answer.changed).toContain("write bytes declared: 300 → 100000");
    const list = await overHttp.fail("what_if", { hash, overrides: { arguments: [5] } });
    expect(list.message).toContain("arguments must be an object, by name or position");
    const wrong = await overHttp.fail("what_if", { hash, overrides: { limits: { writeByte: 1 } } });
    expect(wrong.code).toBe("REQUEST_INVALID");
    expect(wrong.message).toContain('did you mean "writeBytes"?');
    const wasm = { wasm: { CA: "a.wasm" } };
    expect((await overHttp.fail("what_if", { hash, overrides: wasm })).code).toBe(
      "REQUEST_INVALID",
    );
  });

  test("simulate has the result and the fee, and sends nothing", async () => {
    const { hash } = called("divide by zero");
    const report = (await (await daemon.post("/v1/debug", { hash })).json()) as Report;
    const { envelope } = report.xdr;
    const answer = await overHttp.call("simulate", { envelope });
    expect(answer).toMatchObject({ success: false, simulation: { result: null } });
    expect((answer.simulation as { call: string }).call).toMatch(
      /^divide\(denominator: 0\) of C\w+$/,
    );
    expect(loopback.requests).not.toContain("sendTransaction");
    expect((await overHttp.fail("simulate", { envelope: "AAAA" })).code).toBe("FILE_INVALID");
  });

  test("explain knows codes of svc and of results, and a printed error with its log", async () => {
    const { codes } = await overHttp.call("explain", { text: "overloaded" });
    expect(codes).toMatchObject([{ code: "OVERLOADED", meaning: CATALOGUE.OVERLOADED.summary }]);
    const known = await overHttp.call("explain", { text: "txBadSeq" });
    expect(known.codes).toMatchObject([{ code: "txBadSeq", kind: "transaction result" }]);
    const text =
      "HostError: Error(Storage, ExceededLimit)\n\nEvent log (newest first):\n   0: [Diagnostic " +
      'Event] topics:[error, Error(Storage, ExceededLimit)], data:"x"';
    const { answers } = await overHttp.call("explain", { text });
    expect(answers).toMatchObject([{ cause: { kind: "footprint-miss" } }]);
    expect((await overHttp.fail("explain", { text: "OVERLODED" })).code).toBe("USAGE");
  });
});

describe("answers", () => {
  test("are of a hash as it is pasted", async () => {
    const { hash } = called("divide by zero");
    for (const pasted of [`0x${hash}`, hash.toUpperCase(), `https://stellar.expert/x/tx/${hash}#a`])
      expect(await overHttp.call("debug_transaction", { hash: pasted })).toMatchObject({ hash });
    for (const wrong of [`a${hash}`, `${hash}0`, hash.slice(1)])
      expect((await overHttp.fail("debug_transaction", { hash: wrong })).code).toBe(
        "REQUEST_INVALID",
      );
  });

  test("of a success have the call, what it returned and what was paid", async () => {
    const paid = await overHttp.call("debug_transaction", {
      hash: called("SAC transfer alice -> bob").hash,
    });
    expect(paid.success).toBe(true);
    expect(paid.call).toMatch(
      /^transfer\(from: G\w+, to: G\w+, amount: 1234 \(0\.0001234 LAB\)\) of C\w+$/,
    );
    expect(paid.tokenFlow).toEqual([
      expect.stringMatching(/^transfer of [\d.]+ \w+.* from G\w+ to G\w+$/),
    ]);
    const failed = await overHttp.call("debug_transaction", {
      hash: called("divide by zero").hash,
    });
    expect(failed).toMatchObject({ returned: null, tokenFlow: [] });
    expect(failed.call).toMatch(/^divide\(/);
    expect(String(failed.next)).toContain("Call `what_if` with overrides {");
  });

  test(
    "name tools and arguments, no commands and no flags",
    async () => {
      const failures = loopback.network.transactions.filter(({ status }) => status === "FAILED");
      for (const { hash, name } of failures) {
        const { evidence, remedy, next, caveats, fix } = await overHttp.call("debug_transaction", {
          hash,
        });
        const said = JSON.stringify([evidence, remedy, next, caveats, fix]);
        expect([name, /`svc |--[a-z]/.exec(said)?.[0]]).toEqual([name, undefined]);
      }
    },
    MILLISECONDS,
  );
});

test("a server has the networks that stellar-cli has saved, each with its own nodes", () =>
  inTemporaryDirectory(async (directory) => {
    mkdirSync(join(directory, "network"));
    const toml = [
      `rpc_url = "${loopback.url("rpc")}"`,
      `network_passphrase = "${loopback.network.passphrase}"`,
    ].join("\n");
    writeFileSync(join(directory, "network", "recorded.toml"), toml);
    const nowhere = ["--rpc-url", "http://127.0.0.1:1", "--horizon-url", "http://127.0.0.1:1"];
    await using mcp = await connectStdio(nowhere, "legacy", { STELLAR_CONFIG_HOME: directory });
    const { hash } = called("write bytes too low");
    const there = await mcp.call("debug_transaction", { hash, network: "recorded" });
    expect(there).toMatchObject({ hash, success: false, fix: { proof: "succeeds" } });
    expect((await mcp.fail("debug_transaction", { hash })).remedy).not.toMatch(/`svc |--[a-z]/);
    const unknown = await mcp.fail("debug_transaction", { hash, network: "recroded" });
    expect(unknown).toMatchObject({ code: "USAGE", message: '`network` cannot be "recroded".' });
    const { tools } = await mcp.client.listTools();
    const takers = tools.filter(({ inputSchema }) => inputSchema.properties?.network);
    expect(takers.map(({ name }) => name).sort()).toEqual(
      tools
        .map(({ name }) => name)
        .filter((name) => name !== "section")
        .sort(),
    );
  }));

const fileTransports = [
  [
    "standard input",
    (allowed: string) => connectStdio([...nodeFlags(loopback), "--allow-directory", allowed]),
  ],
  [
    "HTTP",
    async (allowed: string): Promise<McpClient> => {
      const environment = { SVC_DAEMON_ALLOW_DIRECTORY: allowed };
      const server = await openDaemon(loopback, { environment });
      const mcp = await connectHttp(server.url);
      const dispose = async () => {
        await mcp[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      };
      return { ...mcp, [Symbol.asyncDispose]: dispose };
    },
  ],
] as const;

describe.each(fileTransports)("files, over %s", (_, open) => {
  test(
    "capture writes a new file that other tools read, and nothing else anywhere",
    () =>
      inTemporaryDirectory(async (directory) => {
        writeFileSync(join(directory, "secret.json"), "{}");
        const allowed = join(directory, "allowed");
        mkdirSync(allowed);
        symlinkSync(join(directory, "secret.json"), join(allowed, "link.capsule.json"));
        symlinkSync(directory, join(allowed, "out"));
        symlinkSync(join(directory, "later.json"), join(allowed, "dangling.capsule.json"));
        await using mcp = await open(allowed);
        const { hash, ledger } = called("write bytes too low");
        const captured = await mcp.call("capture_transaction", { hash });
        expect(captured).toMatchObject({ hash, ledger });
        const name = `${hash}.capsule.json`;
        expect(existsSync(join(allowed, name))).toBe(true);
        const given = { capsule: name };
        expect(await mcp.call("debug_transaction", given)).toMatchObject({ hash, success: false });
        const overrides = { limits: { writeBytes: 100_000 } };
        expect(await mcp.call("what_if", { ...given, overrides })).toMatchObject({
          success: true,
          chain: { success: false },
        });
        const taken = [name, "link.capsule.json", "dangling.capsule.json"];
        const wrong = ["../x.capsule.json", ".git", "a/b", "x.sh", "out/x.capsule.json", "x\0", ""];
        for (const file of [...taken, ...wrong])
          expect([file, (await mcp.fail("capture_transaction", { hash, file })).code]).toEqual([
            file,
            "FILE_NOT_ALLOWED",
          ]);
        for (const capsule of [
          "../secret.json",
          // Whether a file outside exists is not said.
          "../nothing.json",
          "/etc/nothing",
          "../allowed-too/x",
          join(directory, "secret.json"),
          "link.capsule.json",
          "out/secret.json",
          "",
          ".",
        ])
          expect([capsule, (await mcp.fail("debug_transaction", { capsule })).code]).toEqual([
            capsule,
            "FILE_NOT_ALLOWED",
          ]);
        for (const capsule of ["no", `${"x".repeat(5_000)}`, "a\0b"])
          expect((await mcp.fail("debug_transaction", { capsule })).code).toBe("FILE_UNREADABLE");
        const rest = ["dangling.capsule.json", "link.capsule.json", "out"];
        expect(readdirSync(allowed).sort()).toEqual([name, ...rest].sort());
        expect(readdirSync(directory).sort()).toEqual(["allowed", "secret.json"]);
        const all = ["a.capsule.json", "a.capsule.json"].map((file) =>
          mcp.client.callTool({ name: "capture_transaction", arguments: { hash, file } }),
        );
        const errors = (await Promise.all(all)).map(({ isError = false }) => isError);
        expect(errors.sort()).toEqual([false, true]);
      }),
    MILLISECONDS,
  );
});

test("a daemon's directory holds a thousand files at most", () =>
  inTemporaryDirectory(async (directory) => {
    for (let index = 0; index < 1_000; index += 1) writeFileSync(join(directory, `${index}`), "");
    const environment = { SVC_DAEMON_ALLOW_DIRECTORY: directory };
    await using server = await openDaemon(loopback, { environment });
    await using mcp = await connectHttp(server.url);
    const { hash } = called("divide by zero");
    const refused = await mcp.fail("capture_transaction", { hash });
    expect(refused).toMatchObject({ code: "FILE_NOT_ALLOWED" });
    expect(refused.message).toContain("1000 files");
  }));

describe("ledgers and no files", () => {
  test.each([
    ["standard input", () => connectStdio(nodeFlags(loopback), "auto")],
    ["HTTP", () => connectHttp(daemon.url)],
  ] as const)(
    "over %s, verify_ledgers counts verdicts, and without a directory there are no files",
    async (_, open) => {
      await using mcp = await open();
      const { ledger } = called("divide by zero");
      const { verdicts, transactions } = await mcp.call("verify_ledgers", { first: ledger });
      const counts = Object.values(verdicts as Record<string, number>);
      expect(counts.reduce((sum, each) => sum + each, 0)).toBe(transactions as number);
      expect(transactions).toBeGreaterThan(0);
      expect((await mcp.fail("verify_ledgers", { first: 9, last: 8 })).code).toBe(
        "REQUEST_INVALID",
      );
      const { tools } = await mcp.client.listTools();
      expect(tools.map(({ name }) => name)).not.toContain("capture_transaction");
      const carried = await mcp.call("debug_transaction", { capsule: "demo:contract-error" });
      expect(carried).toMatchObject({ verdict: "exact", success: false });
      const unknown = await mcp.fail("debug_transaction", { capsule: "demo:../secret" });
      expect(unknown.code).toBe("USAGE");
      const refused = await mcp.fail("debug_transaction", { capsule: "a.capsule.json" });
      expect(refused.code).toBe("FILE_NOT_ALLOWED");
    },
    MILLISECONDS,
  );

  test("a daemon verifies one range at a time, and answers others meanwhile", async () => {
    await using other = await connectHttp(daemon.url);
    const ledgers = loopback.network.transactions.map((each) => each.ledger);
    const range = { first: Math.min(...ledgers), last: Math.min(...ledgers) };
    const both = [overHttp, other].map(({ client }) =>
      client.callTool({ name: "verify_ledgers", arguments: range }),
    );
    expect((await daemon.get("/ready")).status).toBe(200);
    const ended = await Promise.all(both);
    const refused = ended.filter(({ isError }) => isError === true);
    expect(refused.length).toBe(1);
    expect(JSON.stringify(refused)).toContain("OVERLOADED");
  });
});

describe("errors", () => {
  test("have code, message and remedy; over HTTP, the remedy is for a client", async () => {
    for (const [given, code] of [
      [{ hash: "0".repeat(64) }, "TRANSACTION_NOT_FOUND"],
      [{ hash: "xyz" }, "REQUEST_INVALID"],
      [{}, "REQUEST_INVALID"],
      [{ hash: "0".repeat(64), capsule: "a" }, "REQUEST_INVALID"],
      [{ capsule: "a" }, "FILE_NOT_ALLOWED"],
      [{ hsah: "0".repeat(64) }, "REQUEST_INVALID"],
    ] as const) {
      const error = await overHttp.fail("debug_transaction", given);
      expect(error.code).toBe(code);
      expect(error.message).not.toBe("");
      expect(error.remedy).not.toMatch(FOR_COMMAND_LINE);
    }
  });
});

describe("progress and cancellation", () => {
  const transports = [
    ["HTTP, 2025", (hanging: TestDaemon) => connectHttp(hanging.url)],
    ["HTTP, 2026", (hanging: TestDaemon) => connectHttp(hanging.url, {}, { pin: "2026-07-28" })],
    ["standard input", () => connectStdio(nodeFlags(loopback, "silent", "silent"))],
  ] as const;

  test.each(transports)(
    "over %s, progress arrives, and a cancelled call ends",
    async (name, open) => {
      await using hanging = await openDaemon(loopback, { horizon: "silent", rpc: "silent" });
      await using mcp = await open(hanging);
      const cancelled = new AbortController();
      const messages: (string | undefined)[] = [];
      const given = { name: "debug_transaction", arguments: { hash: "0".repeat(64) } };
      const call = mcp.client.callTool(given, {
        signal: cancelled.signal,
        onprogress({ message }) {
          messages.push(message);
          cancelled.abort();
        },
      });
      await expect(call).rejects.toThrow();
      expect(messages[0]).toBeString();
      if (name === "HTTP, 2026") await until(() => hanging.log.some(isCancelled));
    },
    MILLISECONDS,
  );

  const isCancelled = ({ route, code }: Readonly<Record<string, unknown>>) =>
    route === "/mcp" && code === "INTERRUPTED";
});

test("svc mcp ends without an error on SIGTERM, and a line that is not JSON ends nothing", async () => {
  const child = Bun.spawn([svcBinary(), "mcp"], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  const ping = (id: number) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`;
  child.stdin.write(`${ping(1)}not JSON\n${ping(2)}`);
  child.stdin.flush();
  let text = "";
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('"id":2')) break;
  }
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

describe("who may call", () => {
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const accept = { accept: "application/json, text/event-stream" };

  test("a flood of small calls does not hold up readiness", async () => {
    let ended = 0;
    const flood = Array.from({ length: 200 }, async () => {
      await (await daemon.post("/mcp", list, accept)).text();
      ended += 1;
    });
    expect((await daemon.get("/ready")).status).toBe(200);
    expect(ended).toBeLessThan(200);
    await Promise.all(flood);
  });

  test("with a token, only those who have it", async () => {
    await using guarded = await openDaemon(loopback, { environment: { SVC_DAEMON_TOKEN: TOKEN } });
    expect((await guarded.post("/mcp", list, accept)).status).toBe(401);
    await expect(connectHttp(guarded.url)).rejects.toThrow();
    await using mcp = await connectHttp(guarded.url, { authorization: `Bearer ${TOKEN}` });
    expect((await mcp.client.listTools()).tools.length).toBe(9);
  });

  test("no page of another site, and no other name of this machine", async () => {
    const strangers = [{ origin: "https://evil.example" }, { host: "evil.example" }];
    for (const headers of strangers) {
      const answer = await daemon.post("/mcp", list, { ...accept, ...headers });
      expect([headers, answer.ok]).toEqual([headers, false]);
    }
    expect((await daemon.post("/mcp", list, accept)).status).toBe(200);
    expect((await daemon.get("/mcp")).status).toBe(405);
  });
});

const TOKEN = "a-token-of-thirty-two-characters";
