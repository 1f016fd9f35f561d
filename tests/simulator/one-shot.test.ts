import { describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SvcError } from "../../src/base/errors/errors.ts";
import type { Execution } from "../../src/model/execution.ts";
import { type OneShotOptions, openOneShot } from "../../src/simulator/one-shot.ts";
import { failureOf } from "../support/failure.ts";
import { fakeSimulator, sampleRequest } from "./fake-simulator.ts";

const never = new AbortController().signal;

async function run(
  body: string,
  options: Partial<OneShotOptions> & { deadline?: number; signal?: AbortSignal } = {},
): Promise<Execution> {
  using fake = fakeSimulator(body);
  await using simulator = openOneShot({ path: fake.path, ...options });
  return await simulator.replay(sampleRequest("", options.deadline), {
    signal: options.signal ?? never,
  });
}

describe("one svc-sim for one request", () => {
  test("its answer becomes an Execution with every integer kept", async () => {
    const execution = await run("for await (const r of lines()) say(r.id);");
    expect(execution.host).toEqual({ protocol: 23, crateVersion: "23.0.0" });
    expect(execution.metrics).toEqual({ cpu_insn: "9007199254740993" });
    expect(execution.limits).toEqual({ instructions: "100", memory_bytes: "41943040" });
    expect(execution.changes).toEqual([
      { kind: "created", keyXdr: "AAAA", beforeXdr: null, afterXdr: "BBBB" },
    ]);
    expect(execution.callTree?.kind).toBe("host");
    expect(execution.hostError).toEqual({ type: "Contract", code: "1", contractCode: 1 });
  });

  test("a request larger than a pipe's buffer arrives completely", async () => {
    using fake = fakeSimulator(
      "for await (const r of lines()) say(null, { transaction_hash: String(r.envelope_xdr.length) });",
    );
    const simulator = openOneShot({ path: fake.path });
    const request = { ...sampleRequest(), envelope_xdr: "A".repeat(3_000_000) };
    const execution = await simulator.replay(request, { signal: never });
    expect(execution.transactionHash).toBe("3000000");
  });

  test("garbage on stdout: SIMULATOR_INVALID_JSON with the remedies of the catalogue", async () => {
    const error = await failureOf(
      run('process.stderr.write("thread main panicked at boom"); out("not json \\u001b[31m");'),
    );
    expect(error.code).toBe("SIMULATOR_INVALID_JSON");
    expect(error.message).toContain("thread main panicked at boom");
    expect(error.message).not.toContain("\u001b");
    expect(error.remedy).toMatch(/base64.*--debug.*stderr/s);
  });

  test("JSON that is not the protocol names the field", async () => {
    const error = await failureOf(run('out(JSON.stringify({ ...response, changes: "none" }));'));
    expect(error.code).toBe("SIMULATOR_INVALID_JSON");
    expect(error.message).toContain("`changes`");
  });

  test("a response of another format version is refused", async () => {
    const error = await failureOf(run("say(null, { format: 2 });"));
    expect(error.code).toBe("SIMULATOR_INVALID_JSON");
    expect(error.message).toContain("`format`");
  });

  test("death without an answer: SIMULATOR_DIED with exit code and panic text", async () => {
    const error = await failureOf(
      run('process.stderr.write("panic: index 7"); process.exit(101);'),
    );
    expect(error.code).toBe("SIMULATOR_DIED");
    expect(error.message).toContain("exit code 101");
    expect(error.message).toContain("panic: index 7");
  });

  // Then two writes fail; a failure that nothing awaited ended svc with exit code 1.
  test("death before the request is read: SIMULATOR_DIED, every time", async () => {
    const directory = mkdtempSync(join(tmpdir(), "svc-dead-sim-"));
    try {
      const path = join(directory, "svc-sim");
      writeFileSync(path, "#!/bin/sh\nexit 3\n");
      chmodSync(path, 0o755);
      const request = { ...sampleRequest(), envelope_xdr: "A".repeat(1_000_000) };
      for (let i = 0; i < 40; i += 1) {
        await using simulator = openOneShot({ path });
        const error = await failureOf(simulator.replay(request, { signal: never }));
        expect(error.code).toBe("SIMULATOR_DIED");
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  test("death by a signal names it", async () => {
    const error = await failureOf(run('process.kill(process.pid, "SIGKILL");'));
    expect(error.code).toBe("SIMULATOR_DIED");
    expect(error.message).toContain("SIGKILL");
  });

  test("a flood on stderr is drained, its end is kept", async () => {
    const error = await failureOf(
      run(
        'const { writeSync } = require("node:fs"); ' +
          'for (let i = 0; i < 300; i += 1) writeSync(2, "x".repeat(10_000)); ' +
          'writeSync(2, "the last words"); process.exit(3);',
      ),
    );
    expect(error.code).toBe("SIMULATOR_DIED");
    expect(error.message).toContain("the last words");
    expect(error.message.length).toBeLessThan(5_000);
  });

  test("an endless answer stops at the limit", async () => {
    const error = await failureOf(
      run('const part = "x".repeat(65536); while (true) await Bun.write(Bun.stdout, part);', {
        responseLimitBytes: 1_000_000,
      }),
    );
    expect(error.code).toBe("SIMULATOR_INVALID_JSON");
    expect(error.message).toContain("longer than 1000000 bytes");
  });

  test("a process that never answers is killed when the signal is aborted", async () => {
    const error = await failureOf(
      run("setInterval(() => {}, 1000);", { signal: AbortSignal.timeout(50) }),
    );
    expect(error.code).toBe("SIMULATOR_TIMEOUT");
    expect(error.remedy).toContain("--timeout");
  });

  test("an abort with a SvcError ends with that error", async () => {
    const controller = new AbortController();
    const reason = new SvcError("INTERRUPTED", { message: "stopped", remedy: "Run it again." });
    queueMicrotask(() => controller.abort(reason));
    const attempt = run("setInterval(() => {}, 1000);", { signal: controller.signal });
    expect(await failureOf(attempt)).toBe(reason);
  });

  test("a program that cannot be started: SIMULATOR_DIED", async () => {
    const simulator = openOneShot({ path: "/nonexistent/svc-sim" });
    const error = await failureOf(simulator.replay(sampleRequest(), { signal: never }));
    expect(error.code).toBe("SIMULATOR_DIED");
    expect(error.message).toContain("/nonexistent/svc-sim");
  });
});

describe("svc-sim's error codes", () => {
  const cases: [string, object, string, RegExp, RegExp][] = [
    [
      "BAD_XDR with a key",
      { code: "BAD_XDR", message: "truncated", field: "ledger_entries", key_xdr: "AAAABg==" },
      "LEDGER_ENTRY_INVALID",
      /AAAABg==/,
      /at the transaction's ledger/,
    ],
    [
      "BAD_XDR of a field",
      { code: "BAD_XDR", message: "bad base64", field: "envelope_xdr" },
      "REQUEST_INVALID",
      /envelope_xdr: bad base64/,
      /--strict-validation.*envelope_xdr and result_meta_xdr are required/s,
    ],
    [
      "BAD_REQUEST",
      { code: "BAD_REQUEST", message: "missing", field: "result_meta_xdr" },
      "REQUEST_INVALID",
      /result_meta_xdr: missing/,
      /--strict-validation/,
    ],
    [
      "UNSUPPORTED_PROTOCOL",
      { code: "UNSUPPORTED_PROTOCOL", message: "no contract host for protocol 19" },
      "PROTOCOL_UNSUPPORTED",
      /protocol 19/,
      /svc version/,
    ],
    [
      "UNKNOWN_PROTOCOL",
      { code: "UNKNOWN_PROTOCOL", message: "protocol 99; it knows protocols up to 30" },
      "PROTOCOL_UNKNOWN",
      /does not know protocol 99; it knows protocols up to 30/,
      /Update svc/,
    ],
    ["DEADLINE", { code: "DEADLINE", message: "5 s" }, "SIMULATOR_TIMEOUT", /5 s/, /--timeout/],
    [
      "SIM_PANIC",
      { code: "SIM_PANIC", message: "index out of bounds" },
      "SIMULATOR_FAILED",
      /index out of bounds/,
      /--debug/,
    ],
    ["one to come", { code: "NEW", message: "?" }, "SIMULATOR_FAILED", /NEW/, /--debug/],
  ];
  for (const [name, wire, code, message, remedy] of cases) {
    test(`${name} becomes ${code}`, async () => {
      const error = await failureOf(run(`fail(null, ${JSON.stringify(wire)}); process.exit(1);`));
      expect(error.code as string).toBe(code);
      expect(error.message).toMatch(message);
      expect(error.remedy).toMatch(remedy);
    });
  }
});
