// Streams of ledgers that stellar-core's own tests wrote: verified with the product's engine, given
// what only these ledgers need. Their first ledger's network settings are in no meta, and the latest
// host of a test build is compiled with `testutils`, whose metering differs (docs/internals/conformance.md), so
// what the network's host does not reproduce is replayed with such a build too.

import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtProfile, ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { buildSimulator } from "../../scripts/release/build-simulator.ts";
import { targetOfThisMachine } from "../../scripts/release/targets.ts";
import { Tally } from "../../src/model/verification/tally.ts";
import type { NotExact, VerdictCounts, Verification } from "../../src/model/verification.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { planStreams } from "../../src/verify/plan-streams.ts";
import { openReplayEngines } from "../../src/verify/replay-transaction.ts";
import { openLedgers, tallyLedgers } from "../../src/verify/tally-ledgers.ts";
import { openOnce } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { firstMentionsOf } from "./folded-stream.ts";

/** svc-sim with the hosts of stellar-core's test builds. Nothing but tests and benchmarks has it. */
export const CORE_TEST_BINARY = join(dirname(SIMULATOR_BINARY), "svc-sim-core-test");

/** Builds the simulators, which takes minutes the first time. */
export function ensureCoreTestBuilt(): void {
  ensureBuilt();
  const target = targetOfThisMachine();
  if (target === null) throw new Error("no target for this machine");
  const features = ["--features", "core-test-build"];
  const built = buildSimulator(target, { features, profile: builtProfile() });
  mkdirSync(dirname(CORE_TEST_BINARY), { recursive: true });
  copyFileSync(built, CORE_TEST_BINARY);
}

export interface CoreStreamOptions {
  readonly signal: AbortSignal;
  /** Null: found out from the files. */
  readonly networkPassphrase?: string | null;
  /** Processes of svc-sim at a time. */
  readonly jobs?: number;
  readonly keepNotExact?: number;
  readonly progress?: (transactions: number) => void;
}

/** As `svc verify` counts: a transaction is exact that either build reproduces. */
export async function verifyCoreStreams(
  paths: readonly string[],
  options: CoreStreamOptions,
): Promise<Verification> {
  const byNetwork = await verifyWith(SIMULATOR_BINARY, paths, options);
  if (byNetwork.notExact.length === 0 || !existsSync(CORE_TEST_BINARY)) return byNetwork;
  const left = new Set(byNetwork.notExact.map(({ source }) => source));
  const byTestBuild = await verifyWith(
    CORE_TEST_BINARY,
    paths.filter((path) => left.has(path)),
    options,
  );
  const nameOf = ({ source, hash }: NotExact) => `${source} ${hash}`;
  const notExact = new Set(byTestBuild.notExact.map(nameOf));
  return withExact(byNetwork, (each) => !notExact.has(nameOf(each)));
}

async function verifyWith(
  simulatorPath: string,
  paths: readonly string[],
  options: CoreStreamOptions,
): Promise<Verification> {
  const startedAt = performance.now();
  const { signal, jobs = 2, progress = () => {} } = options;
  const given = options.networkPassphrase ?? null;
  const tally = new Tally(options.keepNotExact ?? 10_000, paths);
  await using engines = openReplayEngines({ path: simulatorPath }, jobs);
  for (const stream of await planStreams(paths, { signal, networkPassphrase: given })) {
    const read = async function* () {
      for (const path of stream.files)
        for await (const ledger of readLedgerFile(path, { signal }))
          yield { ...ledger, source: path };
    };
    const { networkPassphrase, fromGenesis: settingsOnly } = stream;
    const open = openOnce();
    const firstMentions = await firstMentionsOf(read(), { networkPassphrase, open, settingsOnly });
    await tallyLedgers(
      { engines, tally, rehearseProtocol: null, progress: (all) => progress(all.transactions) },
      { networkPassphrase, firstMentions },
      () => openLedgers(read(), (bytes) => open(bytes, networkPassphrase)),
      { signal },
    );
  }
  return tally.finish(paths, performance.now() - startedAt);
}

/** The counts as they are where those transactions are exact too. */
function withExact(
  verification: Verification,
  isExact: (transaction: NotExact) => boolean,
): Verification {
  const verdicts = { ...verification.verdicts };
  const byProtocol: Record<string, Record<keyof VerdictCounts, number>> = Object.fromEntries(
    Object.entries(verification.byProtocol).map(([key, counts]) => [key, { ...counts }]),
  );
  const byCause = { ...verification.byCause };
  const byContract = { ...verification.byContract };
  let { notExactWithoutHistory } = verification;
  for (const each of verification.notExact.filter(isExact)) {
    for (const counts of [verdicts, byProtocol[each.protocolVersion]]) {
      if (counts === undefined) continue;
      counts[each.verdict] -= 1;
      counts.exact += 1;
    }
    byCause[each.cause] = (byCause[each.cause] ?? 0) - 1;
    if (each.contract) byContract[each.contract] = (byContract[each.contract] ?? 0) - 1;
    if (each.lacksHistory === true) notExactWithoutHistory -= 1;
  }
  const some = (counts: Record<string, number>) =>
    Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  const notExact = verification.notExact.filter((each) => !isExact(each));
  const firsts = new Map<string, NotExact>();
  for (const each of notExact) {
    const kind = `${each.verdict} ${each.cause}`;
    if (!firsts.has(kind)) firsts.set(kind, each);
  }
  return {
    ...verification,
    ...{ verdicts, byProtocol, notExact, notExactWithoutHistory },
    byCause: some(byCause),
    byContract: some(byContract),
    firstOfEach: [...firsts.values()],
  };
}
