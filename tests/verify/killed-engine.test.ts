// The ledger engine is killed several times: what was counted before stays, each ledger is counted
// once, and the document is that of an engine that lives. An engine that always dies ends the run.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { fakeSimulator } from "../simulator/fake-simulator.ts";
import { type LongChain, openLongChain } from "../support/long-chain.ts";

const LEDGERS = 30;
const MAIN = join(import.meta.dir, "..", "..", "src", "main.ts");
const DEATHS = 2;

let chain: LongChain;
let directory: string;
let first: number;
let last: number;
beforeAll(() => {
  ensureBuilt();
  chain = openLongChain({ successes: 4, failures: 1, varied: true });
  directory = mkdtempSync(join(tmpdir(), "svc-killed-"));
  first = chain.first + 1;
  last = chain.first + LEDGERS;
  chain.tip = last + 1;
});
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/**
 * Each of the first engines is killed after so many bytes went in, or came out if it reads the
 * ledgers by itself; the first one after the least.
 */
function dyingEngine(bytes: readonly number[], counted: "input" | "output" = "input") {
  const simulator = `"${SIMULATOR_BINARY}" "$@"`;
  const deaths = bytes.map((most, index) => {
    const some = `dd bs=65536 count=${most} iflag=count_bytes status=none`;
    const run = counted === "input" ? `${some} | ${simulator}` : `${simulator} | ${some}`;
    return `if mkdir "$0.${index}" 2> /dev/null; then ${run}; kill -9 $$; fi;`;
  });
  const shell = `case "$1" in engine) ${deaths.join(" ")} esac; exec "${SIMULATOR_BINARY}" "$@"`;
  return fakeSimulator("", { engine: false, shell });
}

/** The bytes that each engine reads before it is killed: none, and most of the ledgers. */
const RANGE_BYTES = [0, 800_000];
/** The bytes that each engine writes about a file before it is killed. */
const FILE_BYTES = [0, 400_000];
const WATCH_BYTES = [0, 800_000];

async function svc(words: readonly string[], simulatorPath: string) {
  const network = ["--network-passphrase", chain.passphrase];
  const child = Bun.spawn([process.execPath, MAIN, ...words, ...network, "--jobs", "1", "--json"], {
    env: { ...process.env, SVC_SIM_PATH: simulatorPath, SVC_CONFIG: "" },
    cwd: directory,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

function ledgerFile(): string {
  const path = join(directory, "ledgers.xdr");
  const parts = Array.from({ length: LEDGERS }, (_, at) => {
    const bytes = chain.bytes(first + at);
    const mark = Buffer.alloc(4);
    mark.writeUInt32BE((bytes.length | 0x8000_0000) >>> 0);
    return Buffer.concat([mark, bytes]);
  });
  writeFileSync(path, Buffer.concat(parts));
  return path;
}

/** Without times. */
function documentOf(stdout: string): Record<string, unknown> {
  const { elapsedMilliseconds: _, ...rest } = JSON.parse(stdout);
  return rest;
}

describe("svc verify", () => {
  const commands = [
    ["a range of nodes", () => [`${first}-${last}`, "--rpc-url", chain.url], RANGE_BYTES, "input"],
    ["a file", () => [ledgerFile()], FILE_BYTES, "output"],
  ] as const;

  test.each(commands)(
    "of %s has the document of an engine that lives",
    async (_, words, bytes, counted) => {
      const command = ["verify", ...words()];
      const alive = await svc(command, SIMULATOR_BINARY);
      using dying = dyingEngine(bytes, counted);
      const killed = await svc(command, dying.path);
      expect(killed.stderr).not.toContain("SIMULATOR_");
      expect(killed.exitCode).toBe(alive.exitCode);
      expect(documentOf(killed.stdout)).toEqual(documentOf(alive.stdout));
      expect(documentOf(killed.stdout)).toMatchObject({
        transactions: 5 * LEDGERS,
        ledgers: LEDGERS,
      });
      for (let death = 0; death < DEATHS; death += 1)
        expect(() => readFileSync(`${dying.path}.${death}`)).toThrow("EISDIR");
    },
    60_000,
  );

  test.each(commands)(
    "of %s ends where every engine dies",
    async (_, words) => {
      using dying = fakeSimulator("", {
        engine: false,
        shell: `case "$1" in engine) kill -9 $$;; esac; exec "${SIMULATOR_BINARY}" "$@"`,
      });
      const { stdout, exitCode } = await svc(["verify", ...words()], dying.path);
      expect(exitCode).not.toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: "SIMULATOR_DIED" } });
    },
    60_000,
  );
});

describe("svc watch", () => {
  test.each([
    ["with a state", true],
    ["without a state", false],
  ])(
    "%s reports each failure once, and counts each ledger",
    async (_, hasState) => {
      using dying = dyingEngine(WATCH_BYTES);
      const state = hasState ? ["--state", join(directory, "state")] : [];
      const range = ["--from-ledger", String(first), "--until-ledger", String(last)];
      const { stdout, stderr, exitCode } = await svc(
        ["watch", ...range, "--rpc-url", chain.url, ...state],
        dying.path,
      );
      const events = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const ids = events.flatMap(({ kind, id }) => (kind === "failure" ? [id] : []));
      expect(new Set(ids).size).toBe(LEDGERS);
      expect(ids).toHaveLength(LEDGERS);
      expect(events.at(-1)).toMatchObject({
        kind: "end",
        totals: { ledgers: LEDGERS, failures: LEDGERS },
      });
      expect(events.at(-1).totals.verdicts.exact).toBe(5 * LEDGERS);
      expect(exitCode).toBe(0);
      expect(stderr.match(/svc-sim is started again/g)).toHaveLength(DEATHS);
    },
    60_000,
  );

  test("ends where every engine dies", async () => {
    using dying = fakeSimulator("", {
      engine: false,
      shell: `case "$1" in engine) kill -9 $$;; esac; exec "${SIMULATOR_BINARY}" "$@"`,
    });
    const range = ["--from-ledger", String(first), "--until-ledger", String(last)];
    const { stdout, exitCode } = await svc(["watch", ...range, "--rpc-url", chain.url], dying.path);
    expect(exitCode).not.toBe(0);
    expect(stdout).toContain('"SIMULATOR_DIED"');
  }, 60_000);
});
