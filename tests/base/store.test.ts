// Stores of documents: a directory, and a real object store where one is installed.

import { beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, SVC_BINARY } from "../../scripts/ensure-built.ts";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { openStore } from "../../src/base/store/open-store.ts";
import type { Store } from "../../src/base/store/store.ts";
import { exitCodeOf } from "../../src/error-catalogue.ts";
import { inTemporaryDirectory, svc } from "../cli/run-svc.ts";
import { failureIn, failureOf } from "../support/failure.ts";
import { openLongChain } from "../support/long-chain.ts";
import { needs } from "../support/needs.ts";
import { motoServer, S3_ENVIRONMENT, startS3 } from "../support/s3-server.ts";

const BUILD_MILLISECONDS = 900_000;
const LIMIT_MILLISECONDS = 120_000;
const { signal } = new AbortController();

function open(word: string, environment: Readonly<Record<string, string>> = {}, clock?: Clock) {
  return openStore(word, {
    environment,
    workingDirectory: "/",
    clock: clock ?? systemClock,
    signal,
  });
}

async function checkStore(store: Store): Promise<void> {
  expect(await store.list()).toEqual([]);
  expect(await store.read("a.json")).toBeNull();
  await store.write("b.json", "first");
  await store.write("b.json", "in its place, é");
  await store.write("a.json", "");
  expect(await store.list()).toEqual(["a.json", "b.json"]);
  expect(await store.read("b.json")).toBe("in its place, é");
  await store.remove("b.json");
  await store.remove("b.json");
  expect(await store.read("b.json")).toBeNull();
  expect(await store.list()).toEqual(["a.json"]);
}

describe("a directory", () => {
  test("keeps documents", () =>
    inTemporaryDirectory((directory) => checkStore(open(join(directory, "made", "here")))));

  test("that cannot be used is an error", () =>
    inTemporaryDirectory(async (directory) => {
      const file = join(directory, "file");
      writeFileSync(file, "");
      expect((await failureOf(open(file).write("a.json", ""))).code).toBe("OUTPUT_UNWRITABLE");
      expect((await failureOf(open(file).list())).code).toBe("FILE_UNREADABLE");
      chmodSync(file, 0o600);
    }));
});

describe("SIGTERM ends a command", () => {
  beforeAll(ensureBuilt, BUILD_MILLISECONDS);

  const SETTINGS = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_REGION: "x" };

  test("while the object store does not answer", async () => {
    const asked = Promise.withResolvers<void>();
    await using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch() {
        asked.resolve();
        return new Promise<Response>(() => {});
      },
    });
    const environment = { ...SETTINGS, AWS_ENDPOINT_URL: `http://127.0.0.1:${server.port}` };
    const child = Bun.spawn([SVC_BINARY, "verify", "merge", "s3://bucket/run"], {
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    await asked.promise;
    child.kill("SIGTERM");
    expect(await child.exited).toBe(130);
    expect(await new Response(child.stderr).text()).toContain("Interrupted by SIGTERM.");
  });

  test("while a document is a FIFO that nobody writes to", () =>
    inTemporaryDirectory(async (directory) => {
      Bun.spawnSync(["mkfifo", join(directory, "a.json")]);
      const stop = new AbortController();
      const { signal } = stop;
      const facts = { environment: {}, workingDirectory: "/", clock: systemClock, signal };
      const store = openStore(directory, facts);
      const read = failureOf(store.read("a.json"));
      stop.abort(new SvcError("INTERRUPTED", { message: "Interrupted.", remedy: "None." }));
      expect((await read).code).toBe("INTERRUPTED");
    }));
});

test("an address that is no store is refused without what may be secret in it", async () => {
  for (const word of ["https://key:secret@host/x", "s3://", "s3://UPPER/x", "gs://bucket/x"]) {
    const failure = await failureIn(() => open(word));
    expect([failure.code, failure.message.includes("secret")]).toEqual(["USAGE", false]);
  }
});

const moto = needs("moto_server", motoServer() !== null);

moto.describe("an object store", () => {
  /** Waits of the store take no time; its limits never end. */
  const impatient: Clock = {
    ...systemClock,
    sleep: (milliseconds) => (milliseconds < 60_000 ? Promise.resolve() : new Promise(() => {})),
  };

  test(
    "keeps documents under its prefix, large ones in parts, and more than one page of them",
    async () => {
      await using s3 = await startS3("results");
      const environment = { ...S3_ENVIRONMENT, AWS_ENDPOINT_URL: s3.endpoint };
      for (const word of ["s3://results", "s3://results/deep/down/"]) {
        await checkStore(open(word, environment));
      }
      const store = open("s3://results/many", environment);
      const large = "large é".repeat(3_000_000);
      await store.write("0.json", large);
      expect((await store.read("0.json")) === large).toBe(true);
      const names = Array.from({ length: 1010 }, (_, index) => `n${index}`);
      for (const name of names) await store.write(name, name);
      expect(await store.list()).toEqual(["0.json", ...names].sort());
    },
    LIMIT_MILLISECONDS,
  );

  test(
    "that fails is tried again, and settings that cannot work are not",
    async () => {
      await using s3 = await startS3("results");
      let failing = 0;
      await using proxy = serveProxy(s3.endpoint, () => {
        failing -= 1;
        return failing >= 0 ? new Response("<Error/>", { status: 503 }) : null;
      });
      const environment = { ...S3_ENVIRONMENT, AWS_ENDPOINT_URL: proxy.url };
      const store = open("s3://results/x", environment, impatient);
      failing = 6;
      await store.write("a.json", "kept");
      failing = 6;
      expect(await store.read("a.json")).toBe("kept");
      failing = 7;
      const failure = await failureOf(store.read("a.json"));
      expect([failure.code, exitCodeOf(failure)]).toEqual(["NETWORK_UNREACHABLE", 4]);
      failing = 0;
      const missing = await failureOf(open("s3://missing", environment, impatient).list());
      expect([missing.code, exitCodeOf(missing)]).toEqual(["CONFIG_INVALID", 3]);
      const { AWS_SECRET_ACCESS_KEY: _, ...incomplete } = environment;
      const keyless = await failureOf(open("s3://results", incomplete, impatient).list());
      expect(keyless.code).toBe("CONFIG_INVALID");
      expect(keyless.remedy).toContain("environment alone");
    },
    LIMIT_MILLISECONDS,
  );

  test(
    "takes the pieces of a run and gives them together, without a word of its credentials",
    async () => {
      await using s3 = await startS3("results");
      await using chain = openLongChain({ successes: 1, failures: 0 });
      await using lake = chain.serveLake({ ledgersPerBatch: 4, last: 1019 });
      const environment = {
        ...S3_ENVIRONMENT,
        AWS_ENDPOINT_URL: s3.endpoint,
        SVC_LEDGER_LAKE_URL: lake.lakeUrl,
        SVC_RPC_URL: lake.rpcUrl,
        SVC_NETWORK_PASSPHRASE: chain.passphrase,
      };
      let seen = "";
      const run = async (words: readonly string[], exitCode = 0) => {
        const ended = await svc(["verify", ...words, "--debug"], { environment });
        expect([words, ended.exitCode, ended.stderr]).toEqual([
          words,
          exitCode,
          exitCode === 0 ? "" : ended.stderr,
        ]);
        seen += ended.stdout + ended.stderr;
        return ended.stdout;
      };
      const result = ["--result", "s3://results/run"];
      for (const shard of ["1/2", "2/2", "2/2"])
        await run(["1001-1016", "--shard", shard, ...result]);
      const untimed = (text: string) => text.replace(/"elapsedMilliseconds": [\d.e+-]+/, "");
      expect(untimed(await run(["merge", "s3://results/run", "--json"]))).toBe(
        untimed(await run(["1001-1016", "--json"])),
      );
      await run(["1001-1016", "--shard", "1/2", "--result", "s3://missing/run"], 3);
      expect(seen).not.toContain(S3_ENVIRONMENT.AWS_SECRET_ACCESS_KEY);
      expect(seen).not.toContain(S3_ENVIRONMENT.AWS_ACCESS_KEY_ID);
    },
    LIMIT_MILLISECONDS,
  );
});

function serveProxy(endpoint: string, fault: () => Response | null) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const faulty = fault();
      if (faulty !== null) return faulty;
      const { pathname, search } = new URL(request.url);
      return fetch(`${endpoint}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        ...(request.method === "PUT" && { body: await request.arrayBuffer() }),
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
