// svc debug in a pipeline: several transactions, also unknown ones, conditions, expectations, and
// documents for other programs.

import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { EXIT_CODES, mostSevere } from "../../src/base/errors/exit-codes.ts";
import listSchema from "../../src/report/schema/debug-list.schema.json";
import { schemaProblems } from "../report/check-schema.ts";
import { parseXml } from "../report/parse-xml.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { type Finished, inTemporaryDirectory, type RunOptions, svc } from "./run-svc.ts";

const EXAMPLE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const EXAMPLE_HASH = "bb9cd617c83fafb9bd6d88e3d113f160ce38cb7f0335ebf66e55c3e9c284364e";
const UNKNOWN = "0".repeat(64);

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());

const { passphrase } = loopback.network;
const hashNamed = (name: string) => loopback.network.named(name).hash;
const TRANSFER = hashNamed("SAC transfer alice -> bob");
const TRAP = hashNamed("panic -> unreachable trap");
const CLASSIC = hashNamed("classic payment underfunded");

function debug(words: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const nodes = ["--horizon-url", loopback.url("horizon"), "--rpc-url", loopback.url("rpc")];
  return svc(["debug", ...words, ...nodes, "--network-passphrase", passphrase], options);
}

describe("several transactions", () => {
  test("each is investigated; an unknown one does not stop the others", async () => {
    const { exitCode, stdout, stderr } = await debug([TRAP, UNKNOWN, TRANSFER, "--json"]);
    const document = JSON.parse(stdout);
    expect(schemaProblems(listSchema, document)).toEqual([]);
    const items = document.transactions as { subject: string; exitCode: number }[];
    expect(items.map(({ subject }) => subject)).toEqual([TRAP, UNKNOWN, TRANSFER]);
    expect(items.map((item) => item.exitCode)).toEqual([0, 4, 0]);
    expect(document.transactions[0].report.verdict.kind).toBe("exact");
    expect(document.transactions[1].error.code).toBe("TRANSACTION_NOT_FOUND");
    expect([exitCode, document.exitCode]).toEqual([4, 4]);
    expect(stderr).toContain(`error: ${UNKNOWN}: `);
  });

  test("- reads them from standard input, with comments, each once", async () => {
    const stdin = `# nightly\n${TRAP}\n\n  ${TRANSFER.toUpperCase()} # the transfer\r\n${TRAP}\n`;
    const { exitCode, stdout } = await debug(["-", "--json"], { stdin });
    const { transactions: items } = JSON.parse(stdout);
    expect(items.map(({ subject }: { subject: string }) => subject)).toEqual([TRAP, TRANSFER]);
    expect(exitCode).toBe(0);
    const one = await debug(["-", "--format=json"], { stdin: TRAP });
    expect(JSON.parse(one.stdout).transactions).toHaveLength(1);
  });

  test("a line that is not a hash is reported, and nothing is investigated", async () => {
    const before = loopback.requests.length;
    const { exitCode, stdout, stderr } = await debug(["-"], { stdin: `${TRAP}\nxyz\n` });
    expect(stderr).toContain('"xyz" (line 2 of the input) is not a transaction hash');
    expect([exitCode, stdout, loopback.requests.length]).toEqual([2, "", before]);
  });

  test("the text has each report under its hash, and all of them at the end", async () => {
    const { exitCode, stdout } = await debug([TRANSFER, CLASSIC]);
    expect(stdout).toMatch(/^── 1 of 2 ─+\n\n`transfer\(\)` succeeded in ledger 356\.\n/);
    expect(stdout.split(TRANSFER)).toHaveLength(3);
    expect(stdout).toContain(
      "2 transactions: 1 succeeded, 1 failed on chain, 1 replayed exactly, 1 not\nreplayed.\n",
    );
    expect(exitCode).toBe(0);
  });

  test("the exit code is the most severe, by the order that docs/ci.md lists", async () => {
    expect(mostSevere([0, 6, 1, 7])).toBe(7);
    expect(mostSevere([0, 6, 1])).toBe(1);
    expect(mostSevere([7, 4, 5])).toBe(5);
    expect(mostSevere([])).toBe(0);
    const page = await Bun.file(resolve(import.meta.dir, "../../docs/ci.md")).text();
    const [, listed = ""] = /^Most severe first: (.*)\.$/m.exec(page) ?? [];
    expect(listed.split(", ").map(Number)).toEqual(EXIT_CODES.map(({ code }) => code));
  });
});

describe("conditions and expectations", () => {
  test("--fail-on exits with code 7, and reports the condition and the excess", async () => {
    const words = ["--from", EXAMPLE, "--fail-on", "tx-failed,cpu>585000,diverged"];
    const { exitCode, stdout } = await svc(["debug", ...words]);
    expect(stdout).toContain("Failed expectations\n  - --fail-on tx-failed");
    expect(stdout).toContain("585,170 instructions, 170 above the limit of\n    585,000.");
    expect(exitCode).toBe(7);
    const well = await svc(["debug", "--from", EXAMPLE, "--fail-on", "cpu>585170,diverged"]);
    expect([well.exitCode, well.stderr]).toEqual([0, ""]);
    expect(well.stdout).toContain("\nAll expectations passed.\n");
  });

  test("one document has the failed expectations, and stderr has them too", async () => {
    const words = ["--from", EXAMPLE, "--json", "--fail-on", "tx-failed"];
    const { exitCode, stdout, stderr } = await svc(["debug", ...words]);
    const report = JSON.parse(stdout);
    expect([report.hash, report.failedExpectations[0].condition]).toEqual([
      EXAMPLE_HASH,
      "tx-failed",
    ]);
    expect(stderr).toBe("error: --fail-on tx-failed: The transaction failed (txFailed).\n");
    expect(exitCode).toBe(7);
  });

  test("--expect names the transactions, too", async () => {
    await inTemporaryDirectory(async (directory) => {
      const expectations = {
        format: 1,
        defaults: { verdict: "exact" },
        transactions: {
          [TRANSFER]: { outcome: "success", atMost: { cpu: 100_000_000 } },
          [TRAP]: { outcome: "failed", cause: "contract-error", events: 2 },
        },
      };
      writeFileSync(join(directory, "expected.json"), JSON.stringify(expectations));
      const { exitCode, stdout } = await debug(["--expect", "expected.json", "--json"], {
        directory,
      });
      const { transactions: items } = JSON.parse(stdout);
      expect(items.map(({ exitCode: each }: { exitCode: number }) => each)).toEqual([0, 7]);
      expect(
        items[1].failedExpectations.map(({ message }: { message: string }) => message),
      ).toEqual([
        "Expected cause contract-error, found contract-panic.",
        "Expected events 2, found 0.",
      ]);
      expect(exitCode).toBe(7);
    });
  });

  test("--save refuses a file with several transactions", async () => {
    await inTemporaryDirectory(async (directory) => {
      const expectations = { format: 1, transactions: { [TRAP]: {}, [TRANSFER]: {} } };
      writeFileSync(join(directory, "e.json"), JSON.stringify(expectations));
      const words = ["--expect", "e.json", "--save", "x.json"];
      const { exitCode, stderr } = await debug(words, { directory });
      expect([exitCode, stderr.includes("--save works with one transaction")]).toEqual([2, true]);
    });
  });

  test("the example in docs/ci.md is right for the bundled transaction", async () => {
    const page = await Bun.file(resolve(import.meta.dir, "../../docs/ci.md")).text();
    const [shown = ""] = /^ {4}\{\n(.*\n)*? {4}\}\n/m.exec(page) ?? [];
    await inTemporaryDirectory(async (directory) => {
      writeFileSync(join(directory, "expected.json"), shown);
      const words = ["debug", "--from", EXAMPLE, "--expect", "expected.json"];
      const { exitCode, stdout } = await svc(words, { directory });
      expect(stdout).toContain("\nAll expectations passed.\n");
      expect(exitCode).toBe(0);
    });
  });

  test("a file of expectations that is not understood: FILE_INVALID", async () => {
    await inTemporaryDirectory(async (directory) => {
      const spoiled = { format: 1, transactions: { [TRAP]: { outcom: "failed" } } };
      writeFileSync(join(directory, "e.json"), JSON.stringify(spoiled));
      const { exitCode, stdout, stderr } = await debug(["--expect", "e.json"], { directory });
      expect(stderr).toContain('did you mean "outcome"?');
      expect(stderr).toContain("[FILE_INVALID]");
      expect([exitCode, stdout]).toEqual([2, ""]);
    });
  });
});

describe("documents", () => {
  test("junit, sarif, markdown and github of the same run", async () => {
    const words = [TRAP, TRANSFER, "--fail-on", "tx-failed"];
    const run = async (format: string) => {
      const { exitCode, stdout } = await debug([...words, "--format", format]);
      expect(exitCode).toBe(7);
      return stdout;
    };
    const [suite] = parseXml(await run("junit")).children;
    expect([suite?.attributes.tests, suite?.attributes.failures]).toEqual(["2", "1"]);
    const [sarif] = JSON.parse(await run("sarif")).runs;
    expect(sarif.results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
      "failed-expectation",
      "cause/contract-panic",
    ]);
    expect(await run("markdown")).toStartWith(
      "### svc debug\n\n2 transactions: 1 succeeded, 1 failed on chain, 2 replayed exactly. 1 did " +
        "not meet the expectations.\n",
    );
    const github = await run("github");
    expect(github.split("\n")[0]).toStartWith("::error title=svc%3A --fail-on tx-failed::");
  });

  test("--report writes each format to its file, beside the one on standard output", async () => {
    await inTemporaryDirectory(async (directory) => {
      const expectations = { format: 1, transactions: { [TRAP]: { outcome: "success" } } };
      const written = JSON.stringify(expectations, null, 2);
      writeFileSync(join(directory, "expected.json"), written);
      const reports = ["junit=out/a.xml", "sarif=b.sarif", "markdown=c.md", "html=d.html"];
      const flags = ["--format", "github", ...reports.flatMap((each) => ["--report", each])];
      const run = await debug(["--expect", "expected.json", ...flags], { directory });
      expect([run.exitCode, run.stdout.split(" ")[0]]).toEqual([7, "::error"]);
      const read = (name: string) => readFileSync(join(directory, name), "utf8");
      expect(parseXml(read("out/a.xml")).children[0]?.attributes.failures).toBe("1");
      const [{ results }] = JSON.parse(read("b.sarif")).runs;
      expect(results[0].locations[0].physicalLocation).toEqual({
        artifactLocation: { uri: "expected.json" },
        region: { startLine: 1 + written.split("\n").findIndex((line) => line.includes(TRAP)) },
      });
      expect(read("c.md")).toStartWith("### svc debug\n");
      const again = await svc(["debug", "--from", "d.html", "--json"], { directory });
      expect(JSON.parse(again.stdout).hash).toBe(TRAP);
      expect(readdirSync(directory).filter((name) => name.startsWith("."))).toEqual([]);
    });
  });

  test("a workflow of GitHub is the place where no file names the transaction", async () => {
    const environment = {
      GITHUB_REPOSITORY: "o/r",
      GITHUB_WORKFLOW_REF: "o/r/.github/workflows/ci.yml@refs/heads/main",
    };
    const { stdout } = await debug([TRAP, "--format", "sarif"], { environment });
    const [{ results }] = JSON.parse(stdout).runs;
    const { physicalLocation } = results[0].locations[0];
    expect(physicalLocation.artifactLocation.uri).toBe(".github/workflows/ci.yml");
  });

  test("a report that cannot be written, or is not a format, is named", async () => {
    await inTemporaryDirectory(async (directory) => {
      writeFileSync(join(directory, "file"), "");
      const run = (...words: string[]) =>
        svc(["debug", "--from", EXAMPLE, ...words.flatMap((each) => ["--report", each])], {
          directory,
        });
      const bad = await run("junit=file/a.xml");
      expect([bad.exitCode, bad.stderr.includes("file/a.xml (")]).toEqual([3, true]);
      for (const [words, why] of [
        [["yaml=a.yml"], "--report needs one of text, json, markdown"],
        [["junit"], "--report needs one of"],
        [["junit="], "--report needs a file after =."],
        [["junit=a.xml", "sarif=./a.xml"], "Two reports go to ./a.xml."],
      ] as const) {
        const { exitCode, stdout, stderr } = await run(...words);
        expect([exitCode, stdout, stderr]).toEqual([2, "", expect.stringContaining(why)]);
      }
    });
  });

  test("with --report, a transaction without an answer is in every report", async () => {
    await inTemporaryDirectory(async (directory) => {
      const words = [UNKNOWN, "--report", "junit=a.xml"];
      const { exitCode, stdout, stderr } = await debug(words, { directory });
      expect([exitCode, stdout]).toEqual([4, expect.stringContaining("TRANSACTION_NOT_FOUND")]);
      expect(stderr).toBe("Wrote the junit report to a.xml.\n");
      const text = readFileSync(join(directory, "a.xml"), "utf8");
      expect(parseXml(text).children[0]?.attributes.errors).toBe("1");
    });
  });

  test("--format json is --json, errors included", async () => {
    for (const words of [["--format", "json"], ["--format=json"], ["--json"]]) {
      const { exitCode, stdout } = await debug([UNKNOWN, ...words]);
      expect([exitCode, JSON.parse(stdout).error.code]).toEqual([4, "TRANSACTION_NOT_FOUND"]);
    }
  });

  test("an error is in the document, also when there is one transaction", async () => {
    const { exitCode, stdout } = await debug([UNKNOWN, "--format", "junit"]);
    expect(parseXml(stdout).children[0]?.attributes.errors).toBe("1");
    expect(exitCode).toBe(4);
  });
});

test("an interruption ends the run, and no document is written", async () => {
  const asked = Promise.withResolvers<void>();
  const silent = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch() {
      asked.resolve();
      return new Promise<Response>(() => {});
    },
  });
  const url = `http://127.0.0.1:${silent.port}`;
  const nodes = ["--horizon-url", url, "--rpc-url", url, "--network-passphrase", passphrase];
  const words = ["debug", TRAP, TRANSFER, ...nodes, "--format", "junit"];
  const { exitCode, stdout, stderr } = await svc(words, { interruptAfter: asked.promise });
  await silent.stop(true);
  expect(stderr).toContain("[INTERRUPTED]");
  expect([exitCode, stdout]).toEqual([130, ""]);
});
