// The package for programs, as it is published, in Chromium, in Node and in Deno: each transaction
// of the recorded network has the report that svc-sim as a program gives, and each simulation is
// that of svc.
// Run it with `bun test --timeout 1200000 ./acceptance/library.ts`, after release/prepare --module.
// It installs Node 22 and Deno 2 from npm.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ensureBuilt,
  ensureModulesBuilt,
  MODULE,
  RECORDING_MODULE,
} from "../scripts/ensure-built.ts";
import { openCapsule } from "../src/debugger/walk/open-capsule.ts";
import { replayCaptured } from "../src/debugger/walk/replay-captured.ts";
import { debugReport } from "../src/report/json.ts";
import { encodeCapsule } from "../src/sources/files/capsule.ts";
import { openPage } from "../tests/support/chromium.ts";
import { installLibrary, programOf, snippetWith } from "../tests/support/library-readme.ts";
import { openLoopback } from "../tests/support/loopback-server.ts";
import { withoutTimes } from "../tests/support/module.ts";
import { captureRecorded } from "../tests/support/recorded-walks.ts";
import { simulationOfSvc, withoutChance } from "../tests/support/simulated-by-library.ts";
import { openTestRecorder, openTestSimulator } from "../tests/support/simulator.ts";

const BUILD_MILLISECONDS = 3_600_000;
const RUNTIMES = ["node@22", "deno@2"];
const DIRECTORY = mkdtempSync(join(tmpdir(), "svc-library-"));
const PACKAGE = join(DIRECTORY, "node_modules/@svc-debugger/library");
const RUN = join(DIRECTORY, "run.mjs");
const simulator = openTestSimulator();
const recorder = openTestRecorder();
const loopback = openLoopback();
/** A name → the capsule, and the report by svc-sim as a program. */
const replays = new Map<string, Case>();
/** A name → the envelope with its nodes, and the document of svc. */
const simulations = new Map<string, Case>();

interface Case {
  readonly input: string;
  readonly expected: string;
}

/** In the page and in the programs: answers with the text of a document. Chance has no part. */
const ANSWER = `
import { replay } from "./replay.js";
import { toJson } from "./report.js";
import { simulate } from "./simulate.js";

crypto.getRandomValues = (array) => array.fill(7);

export async function answer(kind, input, [module, recordingModule]) {
  if (kind === "replay") return JSON.stringify(toJson(await replay(input, { module })));
  const { envelope, network } = JSON.parse(input);
  return JSON.stringify(await simulate(envelope, { module, recordingModule, network }));
}
`;

/** The program of Node and Deno: one line for each case. */
const PROGRAM = `
import { readFile } from "node:fs/promises";
import { answer } from "./node_modules/@svc-debugger/library/answer.js";

const compiled = async (name) =>
  WebAssembly.compile(await readFile(new URL("./node_modules/@svc-debugger/library/" + name, import.meta.url)));
const modules = [await compiled("svc-sim.wasm"), await compiled("svc-sim-recording.wasm")];
const cases = JSON.parse(await readFile(new URL("./cases.json", import.meta.url), "utf8"));
for (const { kind, name, input } of cases)
  console.log(JSON.stringify({ kind, name, document: await answer(kind, input, modules) }));
`;

beforeAll(async () => {
  ensureBuilt();
  ensureModulesBuilt();
  await installLibrary(DIRECTORY, { module: MODULE, recordingModule: RECORDING_MODULE });
  writeFileSync(join(PACKAGE, "answer.js"), ANSWER);
  writeFileSync(RUN, PROGRAM);
  using _ = withoutChance();
  for (const { name, record, snapshot } of await captureRecorded()) {
    const input = encodeCapsule(record, snapshot);
    const captured = openCapsule({ name: "The capsule", text: input }, null);
    const investigation = await replayCaptured({ simulator, progress: () => {} }, captured, {
      signal: new AbortController().signal,
      locate: { wasm: null },
      profile: true,
      hostCalls: true,
    });
    replays.set(name, { input, expected: JSON.stringify(debugReport(investigation)) });
  }
  for (const transaction of loopback.network.transactions.filter(({ soroban }) => soroban)) {
    const { envelopeXdr, network, document } = await simulationOfSvc(
      loopback,
      { simulator: recorder, replayer: simulator },
      transaction,
    );
    const input = JSON.stringify({ envelope: envelopeXdr, network });
    simulations.set(transaction.name, { input, expected: JSON.stringify(document) });
  }
  const cases = [
    ...[...replays].map(([name, { input }]) => ({ kind: "replay", name, input })),
    ...[...simulations].map(([name, { input }]) => ({ kind: "simulate", name, input })),
  ];
  writeFileSync(join(DIRECTORY, "cases.json"), JSON.stringify(cases));
}, BUILD_MILLISECONDS);
afterAll(async () => {
  await loopback[Symbol.asyncDispose]();
  rmSync(DIRECTORY, { recursive: true });
});

/** The path of Node or Deno, which are installed once. */
function runtime(program: "node" | "deno"): string {
  const home = join(DIRECTORY, "runtimes");
  const path = join(home, "node_modules/.bin", program);
  if (existsSync(path)) return path;
  const install = ["npm", "install", "--no-audit", "--no-fund", "--prefix", home, ...RUNTIMES];
  expect(Bun.spawnSync(install, { stdio: ["ignore", 2, 2] }).exitCode).toBe(0);
  return path;
}

function expectSame(kind: string, name: string, document: string): void {
  const expected = (kind === "replay" ? replays : simulations).get(name)?.expected ?? "";
  expect([name, withoutTimes(document)]).toEqual([name, withoutTimes(expected)]);
}

test.each([
  ["node", ["node"]],
  ["deno", ["deno", "run", "--allow-read", "--allow-net"]],
] as const)("%s gives each report and each simulation", async (_, [program, ...flags]) => {
  const run = Bun.spawn([runtime(program), ...flags, RUN], {
    stdin: "ignore",
    stderr: "inherit",
  });
  const lines = (await run.stdout.text()).trim().split("\n");
  expect(await run.exited).toBe(0);
  expect(lines.length).toBe(replays.size + simulations.size);
  for (const line of lines) {
    const { kind, name, document } = JSON.parse(line);
    expectSame(kind, name, document);
  }
});

test("the snippets of the README that run svc-sim do so in Node", async () => {
  const { network: recorded } = loopback;
  const failed = recorded.named("contract error Err(NotFound)");
  const before = `entries-at=${failed.ledger - 1},tip=${failed.ledger - 1}`;
  const nodes = (rpc: string) => ({
    networkPassphrase: recorded.passphrase,
    horizonUrls: [loopback.url("horizon")],
    rpcUrls: [loopback.url("rpc", rpc)],
  });
  // The README asks testnet.
  const snippet = (words: string) => snippetWith(words).replace('network: "testnet"', "network");
  const { envelopeXdr } = recorded.file(failed).rpcGetTransaction.result;
  const programs = [
    programOf(snippet("await debug(hash"), {
      hash: failed.hash,
      network: nodes(`entries-at=${failed.ledger}`),
    }),
    programOf(
      snippet("await simulate("),
      { network: nodes(before) },
      `const transaction = { toXDR: () => ${JSON.stringify(envelopeXdr)} };`,
    ),
  ];
  for (const [index, program] of programs.entries()) {
    const path = join(DIRECTORY, `snippet-${index}.mjs`);
    writeFileSync(path, program);
    const run = Bun.spawn([runtime("node"), path], { stdin: "ignore", stderr: "inherit" });
    expect(await run.stdout.text()).toContain("NotFound");
    expect(await run.exited).toBe(0);
  }
});

test("Chromium gives each report and each simulation", async () => {
  using served = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/")
        return new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
      if (pathname === "/favicon.ico") return new Response(null, { status: 404 });
      const type = pathname.endsWith(".wasm") ? "application/wasm" : "text/javascript";
      return new Response(readFileSync(join(PACKAGE, pathname)), {
        headers: { "content-type": type },
      });
    },
  });
  await using opened = await openPage();
  const { page } = opened;
  await page.goto(`http://127.0.0.1:${served.port}/`);
  await page.addScriptTag({
    type: "module",
    content: `import { answer } from "/answer.js";
const compiled = (name) => WebAssembly.compileStreaming(fetch("/" + name));
const modules = Promise.all([compiled("svc-sim.wasm"), compiled("svc-sim-recording.wasm")]);
globalThis.answerOf = async (kind, input) => answer(kind, input, await modules);`,
  });
  await page.waitForFunction("'answerOf' in globalThis");
  const ask = async (kind: string, cases: ReadonlyMap<string, Case>) => {
    for (const [name, { input }] of cases) {
      const call = `answerOf(${JSON.stringify(kind)}, ${JSON.stringify(input)})`;
      expectSame(kind, name, await page.evaluate(call));
    }
  };
  await ask("replay", replays);
  await ask("simulate", simulations);
});
