import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SvcError } from "../../src/base/errors/errors.ts";
import { openPool } from "../../src/simulator/pool.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { until } from "../support/until.ts";
import { fakeSimulator, sampleRequest } from "./fake-simulator.ts";

const never = new AbortController().signal;

/** Answers each request with its own tag as the transaction hash. */
const ECHO = "for await (const r of lines()) say(r.id, { transaction_hash: tag(r) });";

async function outcomeOf(simulator: Simulator, tag: string, deadline?: number): Promise<string> {
  try {
    const execution = await simulator.replay(sampleRequest(tag, deadline), { signal: never });
    return execution.transactionHash;
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
}

const tags = (count: number) => Array.from({ length: count }, (_, i) => `request ${i}`);

describe("a pool of svc-sim workers", () => {
  test("answers belong to their requests", async () => {
    using fake = fakeSimulator(ECHO);
    await using pool = openPool({ path: fake.path, size: 2 });
    const asked = tags(50);
    expect(await Promise.all(asked.map((tag) => outcomeOf(pool, tag)))).toEqual(asked);
  });

  test("answers out of order are matched by id", async () => {
    using fake = fakeSimulator(
      "const held = []; for await (const r of lines()) { held.push(r); " +
        "if (held.length === 4) for (const h of held.splice(0).reverse()) " +
        "say(h.id, { transaction_hash: tag(h) }); }",
    );
    await using pool = openPool({ path: fake.path, size: 1, window: 4 });
    const asked = tags(8);
    expect(await Promise.all(asked.map((tag) => outcomeOf(pool, tag)))).toEqual(asked);
  });

  test("answers split and joined at any byte are put together", async () => {
    using fake = fakeSimulator(
      "for await (const r of lines()) { " +
        'const text = JSON.stringify({ id: r.id, ...response, transaction_hash: "é" + tag(r) }) + "\\n"; ' +
        "for (const byte of new TextEncoder().encode(text)) " +
        "await Bun.write(Bun.stdout, new Uint8Array([byte])); }",
    );
    await using pool = openPool({ path: fake.path, size: 1 });
    expect(await outcomeOf(pool, "x")).toBe("éx");
  });

  test("a crash costs only the request that causes it", async () => {
    using fake = fakeSimulator(
      'for await (const r of lines()) { if (tag(r) === "crash") process.exit(134); ' +
        "say(r.id, { transaction_hash: tag(r) }); }",
    );
    await using pool = openPool({ path: fake.path, size: 2 });
    const asked = [...tags(10), "crash", ...tags(10), "crash", ...tags(3)];
    const expected = asked.map((tag) => (tag === "crash" ? "SIMULATOR_DIED" : tag));
    expect(await Promise.all(asked.map((tag) => outcomeOf(pool, tag)))).toEqual(expected);
  });

  test("a worker that is killed from outside is replaced and nothing is lost", async () => {
    using fake = fakeSimulator(
      'const marker = import.meta.dir + "/died"; ' +
        'for await (const r of lines()) { if (tag(r) === "once" && !(await Bun.file(marker).exists())) ' +
        '{ await Bun.write(marker, "1"); process.kill(process.pid, "SIGKILL"); } ' +
        "say(r.id, { transaction_hash: tag(r) }); }",
    );
    await using pool = openPool({ path: fake.path, size: 1 });
    const asked = ["before", "once", "after"];
    expect(await Promise.all(asked.map((tag) => outcomeOf(pool, tag)))).toEqual(asked);
  });

  test("garbage costs only the request that it answers", async () => {
    using fake = fakeSimulator(
      'for await (const r of lines()) { if (tag(r) === "garbage") out("oops\\n"); ' +
        "else say(r.id, { transaction_hash: tag(r) }); }",
    );
    await using pool = openPool({ path: fake.path, size: 1 });
    const asked = ["a", "garbage", "b"];
    const outcomes = await Promise.all(asked.map((tag) => outcomeOf(pool, tag)));
    expect(outcomes).toEqual(["a", "SIMULATOR_INVALID_JSON", "b"]);
  });

  test("an answer to nothing is a breach of the protocol", async () => {
    using fake = fakeSimulator("for await (const r of lines()) say(r.id + 1000);");
    await using pool = openPool({ path: fake.path, size: 1 });
    expect(await outcomeOf(pool, "a")).toBe("SIMULATOR_INVALID_JSON");
  });

  test("a refusal leaves the worker at work", async () => {
    using fake = fakeSimulator(
      "let n = 0; for await (const r of lines()) { n += 1; " +
        'if (tag(r) === "refuse") fail(r.id, { code: "SIM_PANIC", message: "boom" }); ' +
        "else say(r.id, { transaction_hash: tag(r) + n }); }",
    );
    await using pool = openPool({ path: fake.path, size: 1 });
    const outcomes = await Promise.all(["a", "refuse", "b"].map((tag) => outcomeOf(pool, tag)));
    expect(outcomes).toEqual(["a1", "SIMULATOR_FAILED", "b3"]);
  });

  test("an abort affects only its caller", async () => {
    using fake = fakeSimulator(
      'for await (const r of lines()) { if (tag(r) === "slow") await Bun.file(import.meta.dir + "/x").exists(); ' +
        "say(r.id, { transaction_hash: tag(r) }); }",
    );
    await using pool = openPool({ path: fake.path, size: 1 });
    const controller = new AbortController();
    const slow = pool.replay(sampleRequest("slow"), { signal: controller.signal });
    const other = outcomeOf(pool, "other");
    controller.abort();
    expect(await slow.catch((error: SvcError) => error.code)).toBe("INTERRUPTED");
    expect(await other).toBe("other");
  });

  test("a hanging request runs into its own deadline; the ones behind it are answered", async () => {
    using fake = fakeSimulator(
      'for await (const r of lines()) { if (tag(r) === "hang") await new Promise(() => {}); ' +
        "say(r.id, { transaction_hash: tag(r) }); }",
    );
    await using pool = openPool({ path: fake.path, size: 1 });
    const outcomes = await Promise.all([
      outcomeOf(pool, "hang", 10),
      outcomeOf(pool, "b"),
      outcomeOf(pool, "c"),
    ]);
    expect(outcomes).toEqual(["SIMULATOR_TIMEOUT", "b", "c"]);
  });

  test("closing it ends what is in flight and the processes", async () => {
    using fake = fakeSimulator(
      'await Bun.write(import.meta.dir + "/pid", String(process.pid)); ' +
        'for await (const r of lines()) if (tag(r) === "a") say(r.id);',
    );
    const pool = openPool({ path: fake.path, size: 1 });
    await pool.replay(sampleRequest("a"), { signal: never });
    const unanswered = outcomeOf(pool, "never answered");
    await pool[Symbol.asyncDispose]();
    expect(await unanswered).toBe("INTERRUPTED");
    expect(await outcomeOf(pool, "late")).toBe("INTERRUPTED");
    const pid = readFileSync(join(fake.directory, "pid"), "utf8");
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  test("a job without a caller is not run to its end", async () => {
    using fake = fakeSimulator(
      'for await (const r of lines()) { if (tag(r) === "hang") await new Promise(() => {}); ' +
        "say(r.id, { transaction_hash: tag(r) }); }",
    );
    await using pool = openPool({ path: fake.path, size: 1 });
    const controller = new AbortController();
    const hang = pool.replay(sampleRequest("hang"), { signal: controller.signal });
    const others = ["b", "c"].map((tag) => outcomeOf(pool, tag));
    controller.abort();
    expect(await hang.catch((error: SvcError) => error.code)).toBe("INTERRUPTED");
    expect(await Promise.all(others)).toEqual(["b", "c"]);
    expect(pool.status().lost).toBe(0);
  });

  test("a worker that has grown too large is replaced between two requests", async () => {
    using fake = fakeSimulator(
      "for await (const r of lines()) say(r.id, { transaction_hash: String(process.pid) });",
    );
    await using pool = openPool({ path: fake.path, size: 1, workerMemoryBytes: 1 });
    const pids = await Promise.all(tags(200).map((tag) => outcomeOf(pool, tag)));
    expect(pids.filter((pid) => !/^\d+$/.test(pid))).toEqual([]);
    expect(new Set(pids).size).toBe(4);
    expect(pool.status().lost).toBe(0);
  });

  test("a slow request delays no other client, and its own client gets no further workers", async () => {
    // A request whose tag begins with "slow" ends when the test says so; the others end at once.
    using fake = fakeSimulator(
      'for await (const r of lines()) { if (tag(r).startsWith("slow")) ' +
        'while (!(await Bun.file(import.meta.dir + "/go").exists())) await Bun.sleep(1); ' +
        "say(r.id, { transaction_hash: tag(r) }); }",
    );
    await using pool = openPool({ path: fake.path, size: 2, window: 4, slowMilliseconds: 5 });
    const run = (client: string, tag: string) =>
      pool.replay(sampleRequest(tag), { signal: never, client });
    let ended = 0;
    const greedy = Array.from({ length: 6 }, async (_, index) => {
      await run("greedy", `slow ${index}`);
      ended += 1;
    });
    // These would be behind slow ones in both workers.
    const small = tags(8).map((tag) => run("small", tag));
    expect((await Promise.all(small)).map(({ transactionHash }) => transactionHash)).toEqual(
      tags(8),
    );
    for (const tag of tags(3)) await run("another", tag);
    expect(ended).toBe(0);
    expect(pool.status()).toMatchObject({ queued: 4, inFlight: 2, lost: 0 });
    expect(pool.status().workers).toBeLessThanOrEqual(4);
    writeFileSync(join(fake.directory, "go"), "");
    await Promise.all(greedy);
    await until(() => pool.status().workers <= 2);
    expect(pool.status()).toMatchObject({ queued: 0, inFlight: 0, lost: 0 });
  });

  test("slow requests of one client leave the queue one by one, as workers become free", async () => {
    using fake = fakeSimulator(
      "for await (const r of lines()) { await Bun.sleep(20); say(r.id, { transaction_hash: tag(r) }); }",
    );
    await using pool = openPool({ path: fake.path, size: 2, slowMilliseconds: 1 });
    const asked = tags(12);
    expect(await Promise.all(asked.map((tag) => outcomeOf(pool, tag)))).toEqual(asked);
    expect(pool.status().lost).toBe(0);
  });

  test("a worker that ends at a deadline of its own is not lost, and what was behind runs", async () => {
    using fake = fakeSimulator(
      'for await (const r of lines()) { if (tag(r) === "late") ' +
        '{ fail(r.id, { code: "DEADLINE", message: "late" }); process.exit(1); } ' +
        "say(r.id, { transaction_hash: tag(r) }); }",
    );
    await using pool = openPool({ path: fake.path, size: 1 });
    const asked = ["a", "late", "b", "c", "late"];
    const outcomes = await Promise.all(asked.map((tag) => outcomeOf(pool, tag)));
    expect(outcomes).toEqual(["a", "SIMULATOR_TIMEOUT", "b", "c", "SIMULATOR_TIMEOUT"]);
    expect(pool.status().lost).toBe(0);
  });

  test("a worker that hangs is lost, at the pool's deadline when the request has a later one", async () => {
    using fake = fakeSimulator(
      'for await (const r of lines()) { if (tag(r) === "hang") await new Promise(() => {}); ' +
        "say(r.id, { transaction_hash: tag(r) }); }",
    );
    await using pool = openPool({ path: fake.path, size: 1, deadlineMilliseconds: 10 });
    expect(await outcomeOf(pool, "hang", 1e9)).toBe("SIMULATOR_TIMEOUT");
    expect(pool.status().lost).toBe(1);
  });

  test("workers are started with the limits of the pool", async () => {
    using fake = fakeSimulator(
      'for await (const r of lines()) say(r.id, { transaction_hash: process.argv.slice(2).join(" ") });',
    );
    const limits = { workerMemoryBytes: 512 * 1024 * 1024, cpuMilliseconds: 10_000 };
    await using pool = openPool({ path: fake.path, size: 1, ...limits });
    const bytes = (512 + 128) * 1024 * 1024;
    expect(await outcomeOf(pool, "")).toBe(
      `serve --memory-bytes ${bytes} --cpu-milliseconds 10000`,
    );
  });

  test("a program that cannot be started fails every request and hangs none", async () => {
    await using pool = openPool({ path: "/nonexistent/svc-sim", size: 2 });
    const outcomes = await Promise.all(tags(5).map((tag) => outcomeOf(pool, tag)));
    expect(new Set(outcomes)).toEqual(new Set(["SIMULATOR_DIED"]));
  });

  test("a program that ends at once fails every request and hangs none", async () => {
    using fake = fakeSimulator("process.exit(9);");
    await using pool = openPool({ path: fake.path, size: 1 });
    const outcomes = await Promise.all(tags(2).map((tag) => outcomeOf(pool, tag)));
    expect(outcomes).toEqual(["SIMULATOR_DIED", "SIMULATOR_DIED"]);
  });
});
