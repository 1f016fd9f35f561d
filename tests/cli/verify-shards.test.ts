// svc verify in pieces, with processes in the place of pods: killed, restarted, two at a time, on a
// lake that fails; the results together are the document of one run.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { openLongChain } from "../support/long-chain.ts";
import { framed } from "../support/made-archive.ts";
import { inTemporaryDirectory, svc, svcBinary } from "./run-svc.ts";

const LAST = 1063;
const RANGE = "1005-1060";
const PLANTED = 1033;
const PIECES = 4;
const WARM_UP = ["--warm-up", "3", "--jobs", "1"];
const LIMIT_MILLISECONDS = 120_000;

/** The first transaction of the ledger paid another fee than it says. */
function planted(passphrase: string) {
  return (sequence: number, ledger: Uint8Array): Uint8Array => {
    if (sequence !== PLANTED) return ledger;
    const copy = new Uint8Array(ledger);
    const [first] = readLedgerCloseMeta(copy, passphrase).transactions;
    // The part of the fee that is not refunded, in the meta, which has no hash.
    const { sorobanFees } = readTransactionMeta(first?.metaXdr ?? "");
    const fee = Buffer.alloc(8);
    fee.writeBigInt64BE(BigInt(sorobanFees?.nonRefundableStroops ?? "0"));
    const start = (first?.meta.byteOffset ?? 0) - copy.byteOffset;
    const at = Buffer.from(copy.buffer).indexOf(fee, start) + 7;
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };
}

interface Run {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Set to make the lake fail. */
  readonly lake: { fault: ((path: string) => Response | Promise<Response> | null) | null };
}

async function onLake(action: (run: Run) => Promise<void>): Promise<void> {
  await using chain = openLongChain({ successes: 1, failures: 1 });
  const lake: Run["lake"] = { fault: null };
  await using served = chain.serveLake({
    ledgersPerBatch: 4,
    last: LAST,
    change: planted(chain.passphrase),
    fault: (path) => lake.fault?.(path) ?? null,
  });
  const environment = {
    SVC_LEDGER_LAKE_URL: served.lakeUrl,
    SVC_RPC_URL: served.rpcUrl,
    SVC_NETWORK_PASSPHRASE: chain.passphrase,
  };
  await inTemporaryDirectory((directory) => action({ directory, environment, lake }));
}

/** Times aside. */
function untimed(stdout: string): string {
  return stdout.replace(/"elapsedMilliseconds": [\d.e+-]+/, "");
}

test(
  "pieces by processes, two at a time, give the document of one run",
  () =>
    onLake(async (run) => {
      const words = ["verify", RANGE, ...WARM_UP];
      const piece = async (index: number) => {
        const environment = {
          ...run.environment,
          SVC_SHARDS: String(PIECES),
          JOB_COMPLETION_INDEX: String(index),
        };
        const flags = ["--shard", "env", "--result", "out"];
        const ended = await svc([...words, ...flags], { ...run, environment });
        expect([index, ended.exitCode, ended.stderr]).toEqual([index, 0, ""]);
        return ended.stdout;
      };
      await Promise.all([piece(0), piece(1)]);
      const early = await svc(["verify", "merge", "out"], run);
      expect(early.exitCode).toBe(6);
      expect(early.stderr).toContain("missing: 3-4 of 4");
      // The divergence is in the third: a finished piece ends with 0 all the same.
      await Promise.all([piece(2), piece(3)]);
      const results = readdirSync(join(run.directory, "out"));
      expect(results.sort()).toEqual([1, 2, 3, 4].map((each) => `piece-${each}-of-4.json`));
      expect(await piece(1)).toContain("The result was there already");

      const whole = await svc([...words, "--json"], run);
      const merged = await svc(["verify", "merge", "out", "--json"], run);
      expect(untimed(merged.stdout)).toBe(untimed(whole.stdout));
      expect([merged.exitCode, whole.exitCode]).toEqual([1, 1]);
      const document = JSON.parse(merged.stdout);
      expect(document.verdicts).toEqual({
        exact: 111,
        equivalent: 0,
        diverged: 1,
        inconclusive: 0,
      });
      expect(document.firstOfEach).toHaveLength(1);
      expect(document.firstOfEach[0]).toMatchObject({ ledger: PLANTED, verdict: "diverged" });
      expect(document.byContract).toEqual({ [document.firstOfEach[0].contract]: 1 });

      const text = await svc(["verify", "merge", "out"], run);
      const command = [
        `svc debug ${document.firstOfEach[0].hash}`,
        "--network-passphrase 'Standalone Network ; February 2017'",
        `--rpc-url ${run.environment.SVC_RPC_URL} --ledger-lake-url "$SVC_LEDGER_LAKE_URL"`,
      ].join(" ");
      expect(text.stdout).toContain(`    ${command}\n`);
      const page = await svc(["verify", "merge", "out", "--format", "html"], run);
      expect(page.exitCode).toBe(1);
      expect(page.stdout).toContain(
        "<h1>112 Soroban transactions replayed: 111 exact, 1 diverged.",
      );
      expect(page.stdout).toContain(document.firstOfEach[0].hash);
      const markdown = await svc(["verify", "merge", "out", "--format", "markdown"], run);
      expect(markdown.stdout).toContain("| protocol 28 | 111 | 0 | 1 | 0 |");

      const half = join(run.directory, "out", "piece-2-of-4.json");
      writeFileSync(half, readFileSync(half).subarray(0, 300));
      const damaged = await svc(["verify", "merge", "out"], run);
      expect(damaged.stderr).toContain("piece-2-of-4.json in ");
      expect(damaged.stderr).toContain("is cut off or is not JSON");
      const again = await svc([...words, "--shard", "2/4", "--result", "out"], run);
      expect(again.stderr).toContain("svc makes it again");
      expect(untimed((await svc(["verify", "merge", "out", "--json"], run)).stdout)).toBe(
        untimed(whole.stdout),
      );
    }),
  LIMIT_MILLISECONDS,
);

test(
  "a piece that is killed is run again whole, and the merged result is that of one run",
  () =>
    onLake(async (run) => {
      const all = ["verify", RANGE, ...WARM_UP];
      const words = [...all, "--shard", "3/4", "--result", "out"];
      const reached = Promise.withResolvers<void>();
      const never = new Promise<Response>(() => {});
      // The first process waits for a ledger in the middle of the piece.
      run.lake.fault = (path) => {
        if (!path.includes("--1044-")) return null;
        reached.resolve();
        return never;
      };
      const child = Bun.spawn([svcBinary(), ...words], {
        cwd: run.directory,
        env: { PATH: process.env.PATH ?? "", HOME: run.directory, ...run.environment },
        stdio: ["ignore", "ignore", "ignore"],
      });
      await reached.promise;
      child.kill("SIGKILL");
      await child.exited;
      const out = join(run.directory, "out");
      run.lake.fault = null;
      const ended = await svc(words, run);
      expect([ended.exitCode, ended.stderr]).toEqual([0, ""]);
      expect(readdirSync(out)).toEqual(["piece-3-of-4.json"]);
      for (const shard of [1, 2, 4])
        await svc([...all, "--shard", `${shard}/4`, "--result", "out"], run);
      const whole = await svc([...all, "--json"], run);
      const merged = await svc(["verify", "merge", "out", "--json"], run);
      expect(untimed(merged.stdout)).toBe(untimed(whole.stdout));
    }),
  LIMIT_MILLISECONDS,
);

test(
  "exit codes tell a cluster what to retry, and what to stop for",
  () =>
    onLake(async (run) => {
      const words = ["verify", RANGE, "--result", "out"];
      run.lake.fault = (path) => (path === "/rpc" ? null : new Response("", { status: 500 }));
      const timeout = ["--timeout", "300ms"];
      const failing = await svc([...words, "--shard", "1/4", ...timeout], run);
      expect(failing.exitCode).toBe(4);
      run.lake.fault = null;
      const first = await svc([...words, "--shard", "1/4"], run);
      expect(first.exitCode).toBe(0);
      const otherRun = await svc([...words, "--shard", "1/4", "--warm-up", "9"], run);
      expect(otherRun.exitCode).toBe(3);
      expect(otherRun.stderr).toContain("is of another run: warmUpLedgers is 0, not 9.");

      const indexed = (extra: Readonly<Record<string, string>>) =>
        svc([...words, "--shard", "env"], {
          ...run,
          environment: { ...run.environment, ...extra },
        });
      for (const environment of [
        {},
        { SVC_SHARDS: "4" },
        { JOB_COMPLETION_INDEX: "1" },
        { SVC_SHARDS: "4", JOB_COMPLETION_INDEX: "4" },
        { SVC_SHARDS: "4", JOB_COMPLETION_INDEX: "1", SLURM_ARRAY_TASK_ID: "1" },
      ]) {
        expect([environment, (await indexed(environment)).exitCode]).toEqual([environment, 3]);
      }
      const ended = await indexed({ SVC_SHARDS: "4", SLURM_ARRAY_TASK_ID: "0" });
      expect(ended.stdout).toContain("Piece 1 of 4, ledgers 1005 to 1018");
      for (const flags of [
        ["--shard", "0/4"],
        ["--shard", "5/4"],
        ["--shard", "1/57"],
        ["--shard", "1/4", "--checkpoint", "5"],
        ["--shard", "1/4", "--warm-up", "x"],
      ]) {
        expect([flags, (await svc([...words, ...flags], run)).exitCode]).toEqual([flags, 2]);
      }
      const nowhere = await svc(["verify", RANGE, "--shard", "1/4"], run);
      expect(nowhere.stderr).toContain("--shard has no effect without --result.");
      const elsewhere = ["--shard", "1/4", "--result", "https://key:secret@example.com/x"];
      const refused = await svc(["verify", RANGE, ...elsewhere], run);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).not.toContain("secret");
      writeFileSync(join(run.directory, "piece-1-of-4.json"), "{}");
      for (const wrong of [
        ["verify", RANGE, "--shard", "1/4", "--result", "piece-1-of-4.json"],
        ["verify", "merge", "piece-1-of-4.json"],
      ]) {
        const { exitCode, stderr } = await svc(wrong, run);
        expect([exitCode, stderr]).toEqual([
          2,
          "error: piece-1-of-4.json is a file, not a directory of results. [USAGE]\n" +
            "  what to do: Pass the directory or s3://bucket/prefix that has the results.\n",
        ]);
      }
      const nosuch = await svc(["verify", "merge", "nosuch"], run);
      expect(nosuch.exitCode).toBe(2);
      expect(nosuch.stderr).toContain("The directory nosuch does not exist. [FILE_UNREADABLE]");
    }),
  LIMIT_MILLISECONDS,
);

test(
  "the plan has the pieces that the shards verify, with an estimate from the lake",
  () =>
    onLake(async (run) => {
      const words = ["verify", "plan", RANGE, "--shards", "4", "--warm-up", "3"];
      const text = await svc(words, run);
      expect([text.exitCode, text.stderr]).toEqual([0, ""]);
      expect(text.stdout).toContain("3/4    ledgers 1033 to 1046");
      const document = JSON.parse((await svc([...words, "--json"], run)).stdout);
      expect(document.pieces.map(({ part }: { part: { first: number } }) => part.first)).toEqual([
        1005, 1019, 1033, 1047,
      ]);
      expect(document.estimate).toMatchObject({ ledgers: 14, sorobanTransactions: 28 });
      run.lake.fault = (path) => (path === "/rpc" ? null : new Response("", { status: 404 }));
      const blind = await svc(words, run);
      expect([blind.exitCode, blind.stdout.includes("There is no estimate")]).toEqual([0, true]);
      expect((await svc(["verify", "plan", RANGE, "--shards", "57"], run)).exitCode).toBe(2);
    }),
  LIMIT_MILLISECONDS,
);

test("pieces of files: each opens only its own, and together they are one run", async () => {
  await using chain = openLongChain({ successes: 1, failures: 1 });
  await inTemporaryDirectory(async (directory) => {
    const environment = { SVC_NETWORK_PASSPHRASE: chain.passphrase };
    // Each is a stream of its own.
    const names = [0, 1, 2, 3, 4, 5, 6, 7].map((file) => {
      const metas = Array.from({ length: 2 + file }, (_, i) => chain.bytes(1005 + i));
      writeFileSync(join(directory, `${file}.xdr`), framed(metas));
      return `${file}.xdr`;
    });
    const words = ["verify", ...names, "--jobs", "1"];
    const run = (more: readonly string[]) => svc([...words, ...more], { directory, environment });
    const whole = await run(["--json"]);
    const plan = ["verify", "plan", ...names, "--shards", "3", "--result", "out", "--json"];
    const planned = JSON.parse((await svc(plan, { directory, environment })).stdout);
    expect(planned.pieces).toHaveLength(3);
    for (const shard of [1, 2, 3]) {
      const ended = await run(["--shard", `${shard}/3`, "--result", "out"]);
      expect([shard, ended.exitCode, ended.stderr]).toEqual([shard, 0, ""]);
    }
    const merged = await svc(["verify", "merge", "out", "--json"], { directory, environment });
    expect(untimed(merged.stdout)).toBe(untimed(whole.stdout));
    // Files of other pieces are not opened: what is in them now would end any piece that reads them.
    const { part } = JSON.parse(
      readFileSync(join(directory, "out", "piece-2-of-3.json"), "utf8"),
    ).piece;
    const own = part.files.map(({ at }: { at: number }) => names[at]);
    for (const name of names.filter((each) => !own.includes(each)))
      writeFileSync(
        join(directory, name),
        Buffer.alloc(Bun.file(join(directory, name)).size, 0xff),
      );
    rmSync(join(directory, "out", "piece-2-of-3.json"));
    const again = await run(["--shard", "2/3", "--result", "out"]);
    expect([again.exitCode, again.stderr]).toEqual([0, ""]);
  });
});
