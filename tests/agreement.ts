// Do `svc verify` and `svc debug` say the same? Plays each stream of ledgers as Horizon and Stellar
// RPC on loopback and lets the code of `svc debug` investigate its transactions by hash.
//
//   bun tests/agreement.ts DIR… [--sample N] [--entries own-ledger|last-ledger|none] [--json]
//                               [--sim-path FILE]
//
//   --entries own-ledger   the nodes stand at each transaction's own ledger (default)
//             last-ledger  they stand at the stream's last ledger
//             none         the same, and they serve no ledger entries
//   --sample N             so many transactions of all, always the same ones
//
// Ends with 1 when `svc debug` calls exact what `svc verify` does not.

import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { SIMULATOR_BINARY } from "../scripts/ensure-built.ts";
import { systemClock } from "../src/base/clock.ts";
import { SvcError } from "../src/base/errors/errors.ts";
import { openHttp } from "../src/base/http/http.ts";
import { debugTransaction } from "../src/debugger/walk/debug-transaction.ts";
import { LedgerReader } from "../src/ledgers/ledger-reader.ts";
import type { VerdictKind } from "../src/model/verdict.ts";
import type { VerdictCounts } from "../src/model/verification.ts";
import { openLedgerEngine } from "../src/simulator/open-processes.ts";
import { decideSnapshot } from "../src/snapshot/decide-snapshot.ts";
import { LedgersFold } from "../src/snapshot/stream/ledgers-fold.ts";
import { readLedgerFile } from "../src/sources/files/ledger-file.ts";
import type { LedgerBytes } from "../src/sources/files/ledger-stream.ts";
import { openSources } from "../src/sources/open-source.ts";
import { parseVerifyInputs } from "../src/verification/commands/verify-inputs.ts";
import { type PlannedStream, planStreams } from "../src/verify/plan-streams.ts";
import {
  judgeTransaction,
  openReplayEngines,
  type ReplayEngines,
} from "../src/verify/replay-transaction.ts";
import { readSorobanFacts } from "../src/xdr/envelope/envelope-facts.ts";
import { ledgerFactsOf, readLedgerCloseMeta } from "../src/xdr/ledger/ledger-close-meta.ts";
import { reachedHost, readResultBytes } from "../src/xdr/outcome/result.ts";
import { isSettingKey } from "../src/xdr/reader/keys.ts";
import { CORE_TEST_BINARY } from "./support/core-streams.ts";
import { firstMentionsOf, givenLedger } from "./support/folded-stream.ts";
import { NEVER_ABORTED } from "./support/loopback-walk.ts";
import { StreamNetwork, type StreamNodes } from "./support/stream-network.ts";

export const ENTRIES = ["own-ledger", "last-ledger", "none"] as const;
export type Entries = (typeof ENTRIES)[number];

export interface AgreementOptions {
  readonly entries: Entries;
  /** Null: every transaction. */
  readonly sample: number | null;
  readonly simulatorPath: string;
  readonly progress?: (done: number, of: number) => void;
}

export interface Disagreement {
  readonly hash: string;
  readonly ledger: number;
  readonly file: string;
  readonly verify: VerdictKind;
  /** An error's code where there is no verdict. */
  readonly debug: string;
  /** The network's initial settings, which its nodes would have, are all that is unknown. */
  readonly initialSettingsOnly: boolean;
  readonly reasons: readonly string[];
}

export interface Agreement {
  readonly entries: Entries;
  readonly transactions: number;
  readonly verify: VerdictCounts;
  readonly debug: Readonly<Record<string, number>>;
  readonly disagreements: readonly Disagreement[];
}

interface Place {
  readonly hash: string;
  readonly ledger: number;
}

interface Stream extends PlannedStream {
  /** Of each transaction that ran in the contract host. */
  readonly places: readonly Place[];
}

/** Investigations at the same time. */
const CONCURRENCY = 4;
const DEBUG_MILLISECONDS = 300_000;
const context = { signal: NEVER_ABORTED };

export async function measureAgreement(
  paths: readonly string[],
  options: AgreementOptions,
): Promise<Agreement> {
  const streams: Stream[] = [];
  for (const planned of await planStreams(paths, { ...context, networkPassphrase: null })) {
    streams.push({ ...planned, places: await placesOf(planned) });
  }
  const chosen = choosePlaces(streams, options.sample);
  const verify = { exact: 0, equivalent: 0, diverged: 0, inconclusive: 0 };
  const debug: Record<string, number> = { ...verify };
  const disagreements: Disagreement[] = [];
  let done = 0;
  await using ofNetwork = openReplayEngines({ path: options.simulatorPath }, 2);
  await using ofTestBuild = openReplayEngines({ path: CORE_TEST_BINARY }, 2);
  for (const stream of streams) {
    const places = stream.places.filter((place) => chosen.has(place));
    if (places.length === 0) continue;
    const hashes = new Set(places.map(({ hash }) => hash));
    let engines = ofNetwork;
    let verified = await verifyPlaces(engines, stream, hashes);
    if ([...verified.values()].some((kind) => kind !== "exact")) {
      const byTestBuild = await verifyPlaces(ofTestBuild, stream, hashes);
      if ([...byTestBuild.values()].every((kind) => kind === "exact"))
        [engines, verified] = [ofTestBuild, byTestBuild];
    }
    const network = new StreamNetwork(await runOf(stream), stream.networkPassphrase);
    await using nodes = network.serve();
    await inParallel(places, async (place) => {
      const found = await debugPlace(engines, stream, network, nodes, place, options.entries);
      const expected = verified.get(place.hash) ?? "inconclusive";
      verify[expected] += 1;
      debug[found.debug] = (debug[found.debug] ?? 0) + 1;
      if (found.debug !== expected) {
        const [file = ""] = stream.files;
        disagreements.push({ ...place, file, verify: expected, ...found });
      }
      done += 1;
      options.progress?.(done, chosen.size);
    });
  }
  disagreements.sort((a, b) => (a.file + a.ledger < b.file + b.ledger ? -1 : 1));
  return { entries: options.entries, transactions: chosen.size, verify, debug, disagreements };
}

/** The gap-free beginning of a stream: what one node can play. */
async function runOf({ files }: PlannedStream): Promise<LedgerBytes[]> {
  const ledgers: LedgerBytes[] = [];
  let previous = "";
  for (const file of files) {
    for await (const ledger of readLedgerFile(file, context)) {
      const { hash, previousHash } = ledgerFactsOf(ledger.ledgerCloseMeta);
      if (ledgers.length > 0 && previousHash !== previous) return ledgers;
      ledgers.push(ledger);
      previous = hash ?? "";
    }
  }
  return ledgers;
}

async function placesOf(stream: PlannedStream): Promise<Place[]> {
  const places: Place[] = [];
  for (const { ledgerCloseMeta, sequence } of await runOf(stream)) {
    const view = readLedgerCloseMeta(ledgerCloseMeta, stream.networkPassphrase);
    for (const { hash, placed, result } of view.transactions) {
      const ran = readSorobanFacts(placed.envelope) && reachedHost(readResultBytes(result));
      if (ran) places.push({ hash, ledger: sequence });
    }
  }
  return places;
}

/** One transaction can be in several streams. What is chosen hangs on hash and stream alone. */
function choosePlaces(streams: readonly Stream[], sample: number | null): ReadonlySet<Place> {
  const all = streams.flatMap(({ places, files }) =>
    places.map((place) => ({
      place,
      order: Bun.hash(`${place.hash} ${basename(files[0] ?? "")}`),
    })),
  );
  all.sort((a, b) => (a.order < b.order ? -1 : 1));
  return new Set(all.slice(0, sample ?? all.length).map(({ place }) => place));
}

async function verifyPlaces(
  engines: ReplayEngines,
  stream: Stream,
  hashes: ReadonlySet<string>,
): Promise<Map<string, VerdictKind>> {
  const { networkPassphrase, fromGenesis } = stream;
  const ledgers = await runOf(stream);
  const read = async function* () {
    yield* ledgers;
  };
  const settingsOnly = fromGenesis;
  const firstMentions = await firstMentionsOf(read(), { networkPassphrase, settingsOnly });
  const fold = new LedgersFold(engines.ledgerEngine, { networkPassphrase, firstMentions });
  const verdicts = new Map<string, VerdictKind>();
  for (const { ledgerCloseMeta } of ledgers) {
    const given = givenLedger(ledgerCloseMeta, networkPassphrase);
    const { open } = await fold.fold(given, "", { run: false, want: true });
    for (const { record, evidence, settings } of open) {
      if (!hashes.has(record.hash)) continue;
      const folded = { record, snapshot: decideSnapshot(evidence, settings) };
      const { notExact } = await judgeTransaction(engines, folded, { source: "", ...context });
      verdicts.set(record.hash, notExact?.verdict ?? "exact");
    }
  }
  return verdicts;
}

type Debugged = Pick<Disagreement, "debug" | "initialSettingsOnly" | "reasons">;

async function debugPlace(
  engines: ReplayEngines,
  { networkPassphrase }: Stream,
  network: StreamNetwork,
  nodes: StreamNodes,
  { hash, ledger }: Place,
  entries: Entries,
): Promise<Debugged> {
  const tip = entries === "own-ledger" ? ledger : network.last;
  const clock = systemClock;
  const http = openHttp({ clock, timeoutMilliseconds: 60_000, userAgent: "svc/agreement" });
  const origins = { network: "default", networkPassphrase: "--network-passphrase" } as const;
  const { sources } = openSources(
    { http, clock },
    {
      network: "custom",
      networkPassphrase,
      horizonUrls: [nodes.horizonUrl(tip)],
      rpcUrls: [nodes.rpcUrl(tip, entries !== "none")],
      origins: { ...origins, horizonUrl: "--horizon-url", rpcUrl: "--rpc-url" } as never,
    },
  );
  const ledgers = new LedgerReader({ sources, networkPassphrase });
  const startEngine = () => openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
  const asked = { sources, ledgers, startEngine, networkPassphrase };
  const walk = { ...engines, ...asked, progress: () => {} };
  try {
    const signal = AbortSignal.timeout(DEBUG_MILLISECONDS);
    const { verdict } = await debugTransaction(walk, hash, { signal });
    const unknown = verdict?.caveats.filter(({ kind }) => kind === "unknown") ?? [];
    return {
      debug: verdict?.kind ?? "none",
      initialSettingsOnly:
        unknown.length > 0 &&
        unknown.every(({ keyXdr }) => keyXdr !== null && isSettingKey(keyXdr)),
      reasons: (verdict?.caveats ?? []).map(({ keyXdr, detail }) => `${keyXdr ?? ""} ${detail}`),
    };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { debug: error.code, initialSettingsOnly: false, reasons: [error.message] };
  }
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

function render({ entries, transactions, verify, debug, disagreements }: Agreement): string {
  const counts = (of: Readonly<Record<string, number>>) =>
    Object.entries(of)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", ");
  const initial = disagreements.filter(({ initialSettingsOnly }) => initialSettingsOnly).length;
  const lines = [
    `${transactions} transactions, entries: ${entries}`,
    `verify: ${counts(verify)}`,
    `debug:  ${counts(debug)}`,
    `${disagreements.length} disagreements, ${initial} of them for the initial network settings alone`,
  ];
  for (const { hash, ledger, file, initialSettingsOnly, reasons, ...kinds } of disagreements) {
    const why = initialSettingsOnly
      ? "the initial network settings never appear in the stream"
      : reasons.slice(0, 3).join("; ");
    lines.push(`${hash} ledger ${ledger} ${file}: ${kinds.verify}, ${kinds.debug}: ${why}`);
  }
  return `${lines.join("\n")}\n`;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    args: Bun.argv.slice(2),
    allowPositionals: true,
    options: {
      sample: { type: "string" },
      entries: { type: "string", default: "own-ledger" },
      json: { type: "boolean", default: false },
      "sim-path": { type: "string" },
    },
  });
  const entries = ENTRIES.find((name) => name === values.entries);
  const inputs = parseVerifyInputs(positionals, process.cwd());
  if (entries === undefined || inputs.kind !== "files") {
    process.stderr.write("usage: bun tests/agreement.ts DIR… [--sample N] [--entries KIND]\n");
    process.exitCode = 2;
  } else {
    const progress = (done: number, of: number) => {
      if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${of}`);
    };
    const agreement = await measureAgreement(inputs.paths, {
      entries,
      sample: values.sample === undefined ? null : Number(values.sample),
      simulatorPath: resolve(values["sim-path"] ?? join(import.meta.dir, "../dist/svc-sim")),
      progress,
    });
    process.stdout.write(values.json ? `${JSON.stringify(agreement)}\n` : render(agreement));
    const wrong = agreement.disagreements.some(({ debug }) => debug === "exact");
    process.exitCode = wrong ? 1 : 0;
  }
}
