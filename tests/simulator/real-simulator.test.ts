// The built svc-sim behind both ways to run it, on the recorded exchanges.

import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import type { Execution } from "../../src/model/execution.ts";
import { openOneShot } from "../../src/simulator/one-shot.ts";
import { openPool } from "../../src/simulator/pool.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";
import { greedyRequest } from "../support/greedy-contract.ts";

const BUILD_MILLISECONDS = 900_000;
const FOLDER = join(import.meta.dir, "..", "fixtures", "protocol");
const signal = new AbortController().signal;

interface Exchange {
  readonly request: ReplayRequest;
  readonly response: { readonly transaction_hash: string; readonly metrics: object };
}

const exchanges = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(join(FOLDER, name), "utf8")) as Exchange);
const first = exchanges[0]?.request as ReplayRequest;

beforeAll(ensureBuilt, BUILD_MILLISECONDS);

async function codeOf(simulator: Simulator, request: ReplayRequest): Promise<string> {
  try {
    const execution = await simulator.replay(request, { signal });
    return execution.outcome.kind;
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
}

function expectAnswered(executions: readonly Execution[]): void {
  for (const [i, { response }] of exchanges.entries()) {
    expect(executions[i]?.transactionHash).toBe(response.transaction_hash);
    expect(executions[i]?.metrics).toEqual(response.metrics as Record<string, string>);
  }
}

describe("the real svc-sim", () => {
  test("one at a time", async () => {
    await using simulator = openOneShot({ path: SIMULATOR_BINARY });
    const executions: Execution[] = [];
    for (const { request } of exchanges) {
      executions.push(await simulator.replay(request, { signal }));
    }
    expectAnswered(executions);
  });

  test("a worker names the entry that it cannot decode, however long", async () => {
    await using simulator = openPool({ path: SIMULATOR_BINARY, size: 1 });
    const [keyXdr = ""] = Object.keys(first.ledger_entries);
    const broken = { ...first, ledger_entries: { [keyXdr]: "A".repeat(2_000) } };
    for (const _ of [1, 2]) {
      const refused = simulator.replay(broken, { signal });
      await expect(refused).rejects.toMatchObject({
        code: "LEDGER_ENTRY_INVALID",
        message: expect.stringContaining(keyXdr),
      });
    }
    expect(await codeOf(simulator, first)).not.toBe("LEDGER_ENTRY_INVALID");
  });

  test("all at once in a pool of two", async () => {
    await using simulator = openPool({ path: SIMULATOR_BINARY, size: 2 });
    const again = await Promise.all(
      [...exchanges, ...exchanges].map(({ request }) => simulator.replay(request, { signal })),
    );
    expectAnswered(again);
    expectAnswered(again.slice(exchanges.length));
  });

  test("what it refuses has a code of the catalogue, and the worker goes on", async () => {
    await using simulator = openPool({ path: SIMULATOR_BINARY, size: 1 });
    const key = Object.keys(first.ledger_entries)[0] ?? "";
    const truncated = { ...first.ledger_entries, [key]: "AAAABg==" };
    const requests: [ReplayRequest, string][] = [
      [{ ...first, ledger_entries: truncated }, "LEDGER_ENTRY_INVALID"],
      [{ ...first, envelope_xdr: "AAAA" }, "REQUEST_INVALID"],
      [{ ...first, envelope_xdr: 5 as never }, "REQUEST_INVALID"],
      [{ ...first, ledger: { ...first.ledger, protocol_version: 99 } }, "PROTOCOL_UNKNOWN"],
      [{ ...first, ledger: { ...first.ledger, protocol_version: 19 } }, "PROTOCOL_UNSUPPORTED"],
      [first, "success"],
    ];
    const codes = await Promise.all(requests.map(([request]) => codeOf(simulator, request)));
    expect(codes).toEqual(requests.map(([, code]) => code));
  });

  test("a request that needs more memory than a worker may use fails alone", async () => {
    const limits = { workerMemoryBytes: 256 * 1024 * 1024 };
    await using simulator = openPool({ path: SIMULATOR_BINARY, size: 1, ...limits });
    const greedy = greedyRequest({ wants: "memory", instructions: 400_000_000, free: true });
    const requests = [first, greedy, first];
    const codes = await Promise.all(requests.map((request) => codeOf(simulator, request)));
    const [expected] = codes;
    expect(codes).toEqual([expected as string, "SIMULATOR_OUT_OF_MEMORY", expected as string]);
    expect(expected).not.toContain("SIMULATOR");
    expect(simulator.residentBytes()).toBeLessThan(2 * limits.workerMemoryBytes);
  });

  test("a request that needs more CPU time than a worker grants one is stopped, and only that", async () => {
    await using simulator = openPool({ path: SIMULATOR_BINARY, size: 1, cpuMilliseconds: 150 });
    const spin = (instructions: number) => greedyRequest({ wants: "instructions", instructions });
    const requests = [spin(1_000_000), spin(4_000_000_000), spin(1_000_000)];
    const codes = await Promise.all(requests.map((request) => codeOf(simulator, request)));
    expect(codes).toEqual(["failed", "SIMULATOR_TIMEOUT", "failed"]);
    expect(simulator.status().lost).toBe(0);
  });

  test("the CPU time of many small requests is not that of one", async () => {
    await using simulator = openPool({ path: SIMULATOR_BINARY, size: 1, cpuMilliseconds: 150 });
    for (let round = 0; round < 40; round += 1)
      expect(
        await codeOf(simulator, greedyRequest({ wants: "instructions", instructions: 10_000_000 })),
      ).toBe("failed");
    expect(simulator.status().lost).toBe(0);
  });

  test("an undecodable entry is named by its key", async () => {
    await using simulator = openOneShot({ path: SIMULATOR_BINARY });
    const key = Object.keys(first.ledger_entries)[0] ?? "";
    const request = { ...first, ledger_entries: { ...first.ledger_entries, [key]: "AAAABg==" } };
    const error = await simulator.replay(request, { signal }).catch((reason) => reason);
    expect(error.message).toContain(key);
    expect(error.remedy).toContain("at the transaction's ledger");
  });
});
