// The snippets of the library's README run as programs with the package as it is published, and its
// types are complete for a program that has no other package. acceptance/library.ts runs those that
// need svc-sim as a module.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../scripts/release/paths.ts";
import { valuesIn } from "../../src/xdr/contract/wasm-sections.ts";
import { encode } from "../../src/xdr/reader/value.ts";
import { openDaemon } from "../support/daemon.ts";
import {
  installLibrary,
  programOf,
  snippetsOfReadme,
  snippetWith,
} from "../support/library-readme.ts";
import { openLoopback } from "../support/loopback-server.ts";

const DIRECTORY = mkdtempSync(join(tmpdir(), "svc-readme-"));
/** Nothing here runs svc-sim. */
const NO_MODULE = join(ROOT, "LICENSE");
const EXPLAIN = 'import { explain, inWords } from "@svc-debugger/library/explain";';
const BUILD_MILLISECONDS = 120_000;

beforeAll(async () => {
  await installLibrary(DIRECTORY, { module: NO_MODULE, recordingModule: NO_MODULE });
}, BUILD_MILLISECONDS);
afterAll(() => rmSync(DIRECTORY, { recursive: true }));

/** What the program has shown. */
async function run(program: string): Promise<unknown[]> {
  const path = join(DIRECTORY, `${Bun.hash(program).toString(36)}.mjs`);
  writeFileSync(path, program);
  const child = Bun.spawn([process.execPath, path], { stdin: "ignore", stderr: "pipe" });
  const [printed, failed] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, failed]).toEqual([0, ""]);
  return printed
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

const HOST_ERROR = "HostError: Error(Contract, #1)";

test("the five lines show why a call failed", async () => {
  const failing = `const contract = { transfer: () => Promise.reject(new Error("${HOST_ERROR}")) };`;
  const values = { from: "G", to: "G", amount: 1 };
  const [[words] = []] = (await run(
    programOf(snippetWith("await contract.transfer"), values, failing),
  )) as [[string]];
  expect(words).toContain("pass the contract as `spec` of `explain`");
  expect(words).toEndWith(".");
});

test("the table has what a user reads", async () => {
  const readme = readFileSync(join(ROOT, "release/library/README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| `([^`]+)`[^|]*\| ([^|]+) \|$/gm)].filter(
    ([, caught = ""]) => !caught.startsWith("@svc"),
  );
  expect(rows.length).toBeGreaterThan(7);
  const texts = rows.map(([, caught]) => caught);
  const said = await run(`${EXPLAIN}
for (const text of ${JSON.stringify(texts)})
  console.log(JSON.stringify(inWords(await explain(new Error(text)), "user")));`);
  expect(said).toEqual(rows.map(([, , words]) => words));
});

test("a specification names the error", async () => {
  const wasm = await Bun.file(join(import.meta.dir, "../contracts/keys-z.wasm")).bytes();
  const entries = [...valuesIn(wasm, "contractspecv0", "ScSpecEntry", 100)];
  const specEntries = entries.map((each) => encode("ScSpecEntry", each));
  const program = programOf(
    `${snippetWith("spec: specEntries")}\nshow(explained.kind, inWords(explained, "user"));`,
    { error: HOST_ERROR, specEntries },
    EXPLAIN,
  );
  const [[kind, words] = []] = (await run(program)) as [[string, string]];
  expect(kind).toBe("codes");
  expect(words).toMatch(/\w+::\w+|`\w+`/);
});

test("the contract client of stellar-sdk has the specification at hand", async () => {
  await using loopback = openLoopback();
  await using daemon = await openDaemon(loopback);
  const program = programOf(
    // A client refuses an address without TLS. The function fails in each call.
    snippetWith("contract.Client.from")
      .replace("networkPassphrase })", "networkPassphrase, allowHttp: true })")
      .replace(/client\.transfer\(.*\)/, "client.fail_panic()"),
    {
      contractId: "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV",
      rpcUrl: `${daemon.url}/rpc`,
      networkPassphrase: loopback.network.passphrase,
    },
  );
  const [[words] = []] = (await run(program)) as [[string]];
  expect(words).toContain("Teapot");
});

test("a relayer logs the codes of an answer", async () => {
  const program = programOf(
    snippetWith("server.sendTransaction"),
    { transaction: null },
    `const answer = { status: "ERROR", errorResultXdr: "AAAAAAAAAGT////7AAAAAA==" };
const server = { sendTransaction: () => Promise.resolve(answer) };
const log = { warn: (fields) => console.log(JSON.stringify(fields)) };`,
  );
  expect(await run(program)).toMatchObject([{ codes: ["txBadSeq"], remedy: expect.any(String) }]);
});

test("an error is one by its class and its code", async () => {
  await using loopback = openLoopback();
  const program = programOf(
    // A module with the function of svc-sim, which does nothing.
    `const module = new WebAssembly.Module(Uint8Array.from(atob("AGFzbQEAAAABBAFgAAADAgEABw0BCXN2Y19zZXJ2ZQAACgQBAgAL"), (each) => each.charCodeAt(0)));
${snippetWith("instanceof SvcError")}`,
    {
      network: {
        networkPassphrase: loopback.network.passphrase,
        horizonUrls: [loopback.url("horizon")],
        rpcUrls: [loopback.url("rpc")],
      },
    },
  );
  expect(await run(program)).toEqual([["No node has this transaction yet."]]);
});

test("the component compiles, and every other snippet is run here or by acceptance", () => {
  const compiler = new Bun.Transpiler({ loader: "jsx" });
  const snippets = snippetsOfReadme();
  for (const { code } of snippets) {
    const { imports } = compiler.scan(code);
    for (const { path } of imports.filter((each) => each.path.startsWith("@svc-debugger/")))
      expect(exportsOf()).toContain(path);
    expect(compiler.transformSync(code)).not.toBe("");
  }
  expect(snippets.filter(({ language }) => language === "jsx")).toHaveLength(1);
  expect(snippets.filter(({ language }) => language === "js")).toHaveLength(7);
});

function exportsOf(): string[] {
  const manifest = readFileSync(
    join(DIRECTORY, "node_modules/@svc-debugger/library/package.json"),
    "utf8",
  );
  return Object.keys(JSON.parse(manifest).exports).map((name) =>
    name.replace(/^\./, "@svc-debugger/library"),
  );
}

/** A program whose types have no other package, and that names what an app reads. */
const TYPED = `
import { explain, explainTransaction, inWords, type AnswerExplanation } from "@svc-debugger/library/explain";
import { SvcError, type ErrorCode } from "@svc-debugger/library/errors";
import { replay, type Investigation } from "@svc-debugger/library/replay";
import { debug, type NetworkNodes } from "@svc-debugger/library/debug";
import { simulate, type SimulationDocument } from "@svc-debugger/library/simulate";
import { openSteps, type StepKey } from "@svc-debugger/library/step";
import { toCapsule, toHtml, toJson, type DebugReport } from "@svc-debugger/library/report";

type IsAny<Value> = 0 extends 1 & Value ? true : false;
const known = <Value,>(_: Value, isAny: IsAny<Value>) => isAny;
declare const module: WebAssembly.Module;

const explained = await explain(new Error("x"));
if (explained.kind === "answers") {
  const [first] = explained.answers;
  const remedy: string | null | undefined = first?.remedy;
  if (first?.cause?.kind === "contract-error") inWords(explained, "user");
  known(first?.cause, false);
} else if (explained.kind === "codes") {
  const remedies: readonly string[] = explained.codes.map((code) => code.remedy);
} else {
  const names: readonly string[] = explained.names;
}
const answer: AnswerExplanation | null = await explainTransaction({});
const nodes: NetworkNodes = { networkPassphrase: "", horizonUrls: [], rpcUrls: [] };
const investigation: Investigation = await replay("", { module, progress: (text) => text.length });
known(investigation.record.hash, false);
known(investigation.execution, false);
await debug("", { module, network: nodes, onRequest: ({ node, status }) => known(node, false) });
const report: DebugReport = toJson(investigation);
known(report.outcome.cause, false);
known(report.verdict, false);
const texts: string[] = [toHtml(investigation), toCapsule(investigation)];
const simulated: SimulationDocument = await simulate("", {
  module,
  recordingModule: async () => module,
  network: "testnet",
});
const { kind, cause } = simulated.outcome;
if (kind === "fails") known(cause, false);
known(simulated.rpc, false);
const key: StepKey = "n";
await using steps = await openSteps("", { module });
known((await steps.press(key)).scopes, false);
try {
} catch (error) {
  if (error instanceof SvcError) {
    const code: ErrorCode = error.code;
    if (error.code === "TRANSACTION_NOT_FOUND") known(error.remedy, false);
  }
}
`;

test("the types are whole without another package, and unions are narrowed", () => {
  writeFileSync(join(DIRECTORY, "app.mts"), TYPED);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom", "dom.iterable"],
    types: [],
  };
  writeFileSync(
    join(DIRECTORY, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["app.mts"] }),
  );
  const compiler = join(ROOT, "node_modules/.bin/tsc");
  const { exitCode, stdout } = Bun.spawnSync([compiler, "-p", DIRECTORY]);
  expect([stdout.toString(), exitCode]).toEqual(["", 0]);
}, 120_000);
