// Kills `svc watch --state`, or `svc daemon --follow` with a webhook, again and again at random
// moments, with SIGKILL, and collects what they printed or sent. By hand:
//
//   bun tests/support/kill-follow.ts [--kills 200] [--daemon]

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt, SVC_BINARY } from "../../scripts/ensure-built.ts";
import { openFollowStore } from "../../src/follow/follow-store.ts";
import type { FollowTotals } from "../../src/model/follow.ts";
import { openLongChain } from "./long-chain.ts";
import { until } from "./until.ts";

export interface KillRun {
  readonly kills: number;
  /** Runs that were killed before they had printed anything, after, and that ended by themselves. */
  readonly moments: Readonly<Record<"before" | "within", number>>;
  readonly ledgers: number;
  readonly transactions: number;
  readonly failures: number;
  readonly totals: FollowTotals;
  /** Ids of failures in the order in which they were printed. */
  readonly ids: readonly string[];
}

const PER_LEDGER = { successes: 3, failures: 2 };
/** Until the first ledger is verified, on an idle machine. */
const START_MILLISECONDS = 250;

/** `random`: from 0 to 1. */
export async function killFollow(kills: number, random: () => number): Promise<KillRun> {
  await using chain = openLongChain(PER_LEDGER);
  const directory = mkdtempSync(join(tmpdir(), "svc-"));
  const ledgers = kills * 4;
  const end = chain.first + ledgers;
  const words = [
    ...[SVC_BINARY, "watch", "--json", "--quiet", "--state", join(directory, "state")],
    ...["--rpc-url", chain.url, "--network-passphrase", chain.passphrase, "--jobs", "1"],
    ...["--from-ledger", String(chain.first + 1), "--until-ledger", String(end)],
  ];
  const moments = { before: 0, within: 0 };
  let usual = START_MILLISECONDS;
  let printed = "";
  const start = () => Bun.spawn(words, { cwd: directory, stdout: "pipe", stderr: "inherit" });
  for (let kill = 1; kill <= kills; kill += 1) {
    // The chain grows while it runs, so that there is always a ledger under way.
    chain.tip = chain.first + Math.ceil((ledgers * kill) / (kills + 1));
    const run = start();
    const begin = performance.now();
    let first: number | null = null;
    let text = "";
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of run.stdout) {
        first ??= performance.now() - begin;
        text += decoder.decode(chunk, { stream: true });
      }
    })();
    await Bun.sleep(usual * (0.2 + 1.6 * random()));
    run.kill("SIGKILL");
    await Promise.all([run.exited, reading]);
    moments[first === null ? "before" : "within"] += 1;
    // The kills stay around the moment in which the work is done, however busy the machine is.
    usual = first === null ? usual * 1.15 : (usual + first) / 2;
    printed += wholeLines(text);
  }
  chain.tip = end;
  const last = start();
  printed += await new Response(last.stdout).text();
  await last.exited;
  const events = printed
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string; id: string; totals: FollowTotals });
  const totals = events.at(-1)?.totals as FollowTotals;
  const { successes, failures } = PER_LEDGER;
  return {
    kills,
    moments,
    ledgers,
    transactions: ledgers * (successes + failures),
    failures: ledgers * failures,
    totals,
    ids: events.flatMap(({ kind, id }) => (kind === "failure" ? id : [])),
  };
}

/** The same for the daemon: what its webhook got. */
export async function killDaemon(kills: number, random: () => number): Promise<KillRun> {
  await using chain = openLongChain(PER_LEDGER);
  const directory = mkdtempSync(join(tmpdir(), "svc-"));
  const ledgers = kills * 4;
  const ids: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const event = (await request.json()) as { kind: string; id: string };
      if (event.kind === "failure") ids.push(event.id);
      return new Response();
    },
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const sinks = [{ kind: "webhook", name: "all", url, events: "all" }];
  const settings = join(directory, "svc.json");
  await Bun.write(settings, JSON.stringify({ follow: { state: "state", sinks } }));
  const words = [
    ...[SVC_BINARY, "daemon", "--follow", "--config", settings, "--port", "0"],
    ...["--rpc-url", chain.url, "--network-passphrase", chain.passphrase],
  ];
  const start = () => Bun.spawn(words, { cwd: directory, stdout: "ignore", stderr: "ignore" });
  const moments = { before: 0, within: 0 };
  chain.tip = chain.first + 1;
  let run = start();
  await until(() => ids.length > 0);
  let usual = START_MILLISECONDS;
  for (let kill = 1; kill <= kills; kill += 1) {
    chain.tip = chain.first + Math.ceil((ledgers * kill) / (kills + 1));
    const known = ids.length;
    await Bun.sleep(usual * (0.2 + 1.6 * random()));
    run.kill("SIGKILL");
    await run.exited;
    const isBefore = ids.length === known;
    moments[isBefore ? "before" : "within"] += 1;
    usual *= isBefore ? 1.15 : 0.9;
    run = start();
  }
  chain.tip = chain.first + ledgers;
  const { successes, failures } = PER_LEDGER;
  await until(() => new Set(ids).size === ledgers * failures);
  run.kill("SIGKILL");
  await run.exited;
  await server.stop(true);
  using store = openFollowStore(join(directory, "state"), chain.passphrase, null);
  return {
    ...{ kills, moments, ledgers, ids },
    transactions: ledgers * (successes + failures),
    failures: ledgers * failures,
    totals: store.cursor?.totals as FollowTotals,
  };
}

/** What a killed process had not finished is no line. */
function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

/** Problems of a run; empty when nothing was lost or counted twice. */
export function problemsOf(run: KillRun): string[] {
  const { totals, ledgers, transactions, failures, ids } = run;
  const expected: readonly (readonly [string, number, number])[] = [
    ["ledgers", totals.ledgers, ledgers],
    ["exact transactions", totals.verdicts.exact, transactions],
    ["failures counted", totals.failures, failures],
    ["failures reported", new Set(ids).size, failures],
  ];
  return expected.flatMap(([what, found, wanted]) =>
    found === wanted ? [] : [`${what}: ${found}, not ${wanted}`],
  );
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Bun.argv.slice(2),
    options: {
      kills: { type: "string", default: "200" },
      daemon: { type: "boolean", default: false },
    },
  });
  await ensureBuilt();
  const kill = values.daemon ? killDaemon : killFollow;
  const run = await kill(Number(values.kills), Math.random);
  const { ids, totals, moments } = run;
  const repeated = ids.length - new Set(ids).size;
  process.stdout.write(
    `${run.kills} kills (${moments.before} before anything came, ${moments.within} after that): ` +
      `${totals.ledgers} ledgers, ${ids.length} failures reported, ${repeated} of them again\n` +
      `problems: ${problemsOf(run).join("; ") || "none"}\n`,
  );
  process.exitCode = problemsOf(run).length === 0 ? 0 : 1;
}
