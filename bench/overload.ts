// The daemon at its capacity and at ten times that, in turns, in one run: clients that ask again at
// once, whatever the answer is. Then one client sends requests that take as much as they can get,
// beside another client with small ones. Then clients send the largest bodies at the same time.
// `mixed`: one client simulates over 300 connections, one debugs over 12, and a third asks for one
// simulation after the other; beside that the same with a queue without end.
// The ratios within one run are meaningful; do not compare the times of two runs.
//
//   bun bench/overload.ts [--only loads|greed|bodies|mixed] [--seconds N] [--rounds N] [--clients N]
//     [--svc FILE --simulator FILE]

import { request } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Greed, greedyRequest } from "../tests/support/greedy-contract.ts";
import { RecordedNetwork } from "../tests/support/recorded-network.ts";
import { type Answer, type Connection, openConnection } from "./keep-alive-connection.ts";
import { line, type RunningDaemon, recordedBodies, startDaemon } from "./running-daemon.ts";

const { values } = parseArgs({
  args: Bun.argv.slice(2),
  options: {
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "5" },
    clients: { type: "string", default: "60" },
    only: { type: "string" },
    svc: { type: "string" },
    simulator: { type: "string" },
  },
});
const milliseconds = Number(values.seconds) * 1000;
const capacity = Number(values.clients);
const bodies = recordedBodies();
const NETWORK = new RecordedNetwork();
const HASHES = NETWORK.transactions.filter(({ soroban }) => soroban).map(({ hash }) => hash);
const NODE_PROGRAM = join(import.meta.dir, "../tests/support/loopback-server.ts");
const PROBES = ["/ready", "/health", "/metrics"];
const LARGEST_BODY = 16 * 1024 * 1024;
const LARGE_BODIES = 24;
/** Addresses of this machine: for the daemon, two clients. */
const CLIENT = "127.0.0.1";
const GREEDY_CLIENT = "127.0.0.2";
const GREEDY: readonly Greed[] = [
  { wants: "instructions", instructions: 4_294_967_295 },
  { wants: "instructions", instructions: 400_000_000 },
  { wants: "memory", instructions: 400_000_000, memoryBytes: 4_294_967_295 },
  { wants: "memory", instructions: 400_000_000, free: true },
];

const SIMULATING = 300;
const DEBUGGING = 12;
const LONG_QUEUE = 100_000;

const isWanted = (part: string) => values.only === undefined || values.only === part;
await using daemon = await startDaemon({ ...values, flags: ["--worker-memory", "512"] });
const { port } = daemon;
if (isWanted("loads")) {
  await load(capacity, milliseconds);
  await compareLoads();
}
if (isWanted("greed")) await measureGreed();
if (isWanted("bodies")) await measureBodies();
if (isWanted("mixed")) await measureMixed();

interface Load {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly refusedPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly probes: Readonly<Record<string, number>>;
}

async function compareLoads(): Promise<void> {
  const rounds: { readonly best: Load; readonly over: Load }[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1)
    rounds.push({
      best: await load(capacity, milliseconds),
      over: await load(10 * capacity, milliseconds),
    });
  show(
    `${capacity} clients, medians of ${rounds.length}`,
    rounds.map(({ best }) => best),
  );
  show(
    `${10 * capacity} clients`,
    rounds.map(({ over }) => over),
  );
  const ratio = (of: (load: Load) => number) =>
    median(rounds.map(({ best, over }) => of(over) / of(best)));
  process.stdout.write(`${10 * capacity} clients / ${capacity} clients\n`);
  line(
    "  accepted",
    ratio(({ perSecond }) => perSecond),
    "",
  );
  line(
    "  accepted for each second of CPU time",
    ratio(({ perCpuSecond }) => perCpuSecond),
    "",
  );
  line(
    "  99 % of the accepted within",
    ratio(({ p99 }) => p99),
    "",
  );
}

/** Each client has a connection of its own, and one request after the other. */
async function load(count: number, during: number): Promise<Load> {
  const times: number[] = [];
  let refused = 0;
  let next = 0;
  const begin = performance.now();
  const cpu = daemon.cpuSeconds();
  const going = () => performance.now() - begin < during;
  const probes = probeWhile(going);
  const ended = Bun.sleep(during).then(() => daemon.cpuSeconds() - cpu);
  const client = async () => {
    await using connection = openLasting(port);
    while (going()) {
      const index = next++;
      const start = performance.now();
      const { status } = await connection.send("POST", "/v1/simulate", bodyOf(index));
      // Who still waits for the refusal of the last request makes no load.
      if (!going()) return;
      if (status === 200) times.push(performance.now() - start);
      else refused += 1;
    }
  };
  await Promise.all(Array.from({ length: count }, client));
  return {
    perSecond: (times.length * 1000) / during,
    perCpuSecond: times.length / (await ended),
    refusedPerSecond: (refused * 1000) / during,
    ...percentiles(times),
    probes: await probes,
  };
}

/** The spaces make each request different: equal requests at the same time share one run. */
function bodyOf(index: number): string {
  return bodies[index % bodies.length] + " ".repeat(index % 1009);
}

/** The longest answer of each path for probes; NaN when one was not 200. */
async function probeWhile(going: () => boolean): Promise<Record<string, number>> {
  const longest: Record<string, number> = {};
  const probe = async (path: string) => {
    await using connection = await openConnection(port);
    while (going()) {
      const start = performance.now();
      const { status } = await connection.send("GET", path);
      const time = status === 200 ? performance.now() - start : Number.NaN;
      longest[path] = Math.max(longest[path] ?? 0, time);
      await Bun.sleep(100);
    }
  };
  await Promise.all(PROBES.map(probe));
  return longest;
}

/** Four requests at a time that want much, beside the small ones of another client. */
async function measureGreed(): Promise<void> {
  const alone = await smallRequests();
  line("one small request after the other, 99 %", alone.p99, "ms");
  for (const greed of GREEDY) {
    const outcomes = new Map<string, number>();
    let going = true;
    let most = 0;
    const greedy = Array.from({ length: 4 }, async (_, index) => {
      const text = JSON.stringify(greedyRequest(greed));
      for (let round = 0; going; round += 1) {
        const outcome = await post(GREEDY_CLIENT, text + " ".repeat(index + 4 * round));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (!outcome.startsWith("200")) await Bun.sleep(10);
      }
    });
    const watch = setInterval(() => {
      most = Math.max(most, daemon.residentMebibytes());
    }, 50);
    await Bun.sleep(500);
    const beside = await smallRequests();
    going = false;
    await Promise.all(greedy);
    clearInterval(watch);
    process.stdout.write(`${JSON.stringify(greed)}\n  ${listed(outcomes)}\n`);
    line("  small requests of another client, 99 %", beside.p99, "ms");
    line("  /ready, the longest", beside.probes["/ready"] ?? 0, "ms");
    line("  memory at most", most, "MiB");
  }
}

function listed(outcomes: ReadonlyMap<string, number>): string {
  return [...outcomes].map(([outcome, count]) => `${count} × ${outcome}`).join(", ");
}

async function smallRequests() {
  const times: number[] = [];
  const begin = performance.now();
  const going = () => performance.now() - begin < 2 * milliseconds;
  const probes = probeWhile(going);
  for (let index = 0; going(); index += 1) {
    const start = performance.now();
    await post(CLIENT, bodyOf(index));
    times.push(performance.now() - start);
    await Bun.sleep(10);
  }
  return { ...percentiles(times), probes: await probes };
}

/** Returns the status and the code of an error. */
function post(localAddress: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length };
    const to = { host: "127.0.0.1", port, path: "/v1/simulate", method: "POST" };
    const sent = request({ ...to, localAddress, headers, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () =>
        resolve(`${answer.statusCode} ${/"code":"(\w+)"/.exec(text.slice(0, 100))?.[1] ?? ""}`),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A connection that is opened again when the daemon has closed it, as it does after a refusal. */
function openLasting(to: number, client?: string) {
  const headers = client === undefined ? {} : { "x-client": client };
  let open: Connection | null = null;
  return {
    async send(...given: Parameters<Connection["send"]>): Promise<Answer> {
      for (;;) {
        if (open === null || open.closed()) open = await openConnection(to, { headers });
        const answer = await open.send(...given).catch(() => null);
        if (answer !== null) return answer;
        open = null;
      }
    },
    async [Symbol.asyncDispose]() {
      await open?.[Symbol.asyncDispose]();
    },
  };
}

interface Mix {
  readonly cpuSeconds: number;
  readonly simulations: number;
  readonly debugs: number;
  readonly refused: number;
  readonly third: { readonly done: number; readonly refused: number; readonly p99: number };
}

/** Measures what a daemon does in each second for clients of three kinds. */
async function mix(
  { port: to, cpuSeconds }: RunningDaemon,
  simulating: number,
  debugging: number,
): Promise<Mix> {
  const begin = performance.now();
  const cpu = cpuSeconds();
  const going = () => performance.now() - begin < milliseconds;
  const counts = { simulations: 0, debugs: 0, refused: 0 };
  const third = { done: 0, refused: 0 };
  const times: number[] = [];
  let next = 0;
  const simulates = async () => {
    await using connection = openLasting(to, "simulates");
    while (going()) {
      const { status } = await connection.send("POST", "/v1/simulate", bodyOf(next++));
      if (going()) counts[status === 200 ? "simulations" : "refused"] += 1;
    }
  };
  const debugs = async (_: unknown, first: number) => {
    await using connection = openLasting(to, "debugs");
    for (let index = first; going(); index += DEBUGGING) {
      const body = JSON.stringify({ hash: HASHES[index % HASHES.length] });
      const { status } = await connection.send("POST", "/v1/debug", body);
      if (going()) counts[status === 200 ? "debugs" : "refused"] += 1;
    }
  };
  const asksNow = async () => {
    await using connection = openLasting(to, "third");
    while (going()) {
      const start = performance.now();
      const { status } = await connection.send("POST", "/v1/simulate", bodyOf(next++));
      third[status === 200 ? "done" : "refused"] += 1;
      if (status === 200) times.push(performance.now() - start);
      await Bun.sleep(10);
    }
  };
  await Promise.all([
    ...Array.from({ length: simulating }, simulates),
    ...Array.from({ length: debugging }, debugs),
    asksNow(),
  ]);
  const seconds = milliseconds / 1000;
  return {
    cpuSeconds: (cpuSeconds() - cpu) / seconds,
    simulations: counts.simulations / seconds,
    debugs: counts.debugs / seconds,
    refused: counts.refused / seconds,
    third: { ...third, p99: percentiles(times).p99 },
  };
}

async function measureMixed(): Promise<void> {
  const node = Bun.spawn([process.execPath, NODE_PROGRAM], { stdout: "pipe" });
  const started = new TextDecoder().decode((await node.stdout.getReader().read()).value);
  const urlOf = (flag: string) => new RegExp(`--${flag} (\\S+)`).exec(started)?.[1] ?? "";
  const { passphrase } = NETWORK;
  const nodes = { rpcUrls: [urlOf("rpc-url")], horizonUrl: urlOf("horizon-url"), passphrase };
  const flags = ["--client-header", "x-client"];
  await using usual = await startDaemon({ ...values, nodes, flags });
  const long = ["--queue", String(LONG_QUEUE)];
  await using endless = await startDaemon({ ...values, nodes, flags: [...flags, ...long] });
  for (const each of [usual, endless]) await mix(each, 4, DEBUGGING);
  const rounds: Readonly<Record<"alone" | "debugs" | "mixed" | "long", Mix>>[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1)
    rounds.push({
      alone: await mix(usual, SIMULATING, 0),
      debugs: await mix(usual, 0, DEBUGGING),
      mixed: await mix(usual, SIMULATING, DEBUGGING),
      long: await mix(endless, SIMULATING, DEBUGGING),
    });
  node.kill();
  const of = (read: (round: (typeof rounds)[number]) => number) => median(rounds.map(read));
  process.stdout.write(`300 connections simulate, 12 debug, medians of ${rounds.length}\n`);
  const show = (what: string, name: keyof (typeof rounds)[number]) => {
    process.stdout.write(`${what}\n`);
    line(
      "  simulations",
      of((round) => round[name].simulations),
      "/s",
    );
    line(
      "  debugs",
      of((round) => round[name].debugs),
      "/s",
    );
    line(
      "  refused",
      of((round) => round[name].refused),
      "/s",
    );
    const refused = (round: (typeof rounds)[number]) =>
      (100 * round[name].third.refused) / (round[name].third.refused + round[name].third.done);
    line("  a third client, refused", of(refused), "%");
    line(
      "  a third client, 99 % within",
      of((round) => round[name].third.p99),
      "ms",
    );
  };
  show("only the simulations", "alone");
  show("only the debugs", "debugs");
  show("both", "mixed");
  show("both, with a queue without end", "long");
  /**
   * The CPU time that the work would take alone, for each second of CPU time that it took: other
   * programs of the machine change the times of a run, and not this.
   */
  const work = ({ simulations, debugs, cpuSeconds }: Mix, round: (typeof rounds)[number]) => {
    const { alone, debugs: own } = round;
    const alike = (count: number, kind: number, of: Mix) => (count / kind) * of.cpuSeconds;
    const simulating = alike(simulations, alone.simulations, alone);
    return (simulating + alike(debugs, own.debugs, own)) / cpuSeconds;
  };
  process.stdout.write("ratios\n");
  line(
    "  accepted work: both / with a queue without end",
    of((round) => work(round.mixed, round) / work(round.long, round)),
    "",
  );
  line(
    "  the third client's 99 %: both / only the simulations",
    of((round) => round.mixed.third.p99 / round.alone.third.p99),
    "",
  );
  line(
    "  the third client's 99 %: both / with a queue without end",
    of((round) => round.mixed.third.p99 / round.long.third.p99),
    "",
  );
}

async function measureBodies(): Promise<void> {
  const before = daemon.residentMebibytes();
  const outcomes = new Map<string, number>();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, daemon.residentMebibytes());
  }, 10);
  await Promise.all(
    Array.from({ length: LARGE_BODIES }, async (_, index) => {
      const body = `{"envelope_xdr":"${"A".repeat(LARGEST_BODY - 100 - index)}"}`;
      // A refusal may come, and the connection end, before the body is sent.
      const outcome = await post(CLIENT, body).catch(() => "closed");
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }),
  );
  clearInterval(watch);
  line(`${LARGE_BODIES} bodies of 16 MiB, more memory by`, most - before, "MiB");
  process.stdout.write(`  ${listed(outcomes)}\n`);
}

function percentiles(times: number[]) {
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

function median(numbers: number[]): number {
  return percentiles(numbers).p50;
}

function show(what: string, loads: readonly Load[]): void {
  const of = (read: (load: Load) => number) => median(loads.map(read));
  process.stdout.write(`${what}\n`);
  line(
    "  accepted",
    of(({ perSecond }) => perSecond),
    "/s",
  );
  line(
    "  refused",
    of(({ refusedPerSecond }) => refusedPerSecond),
    "/s",
  );
  line(
    "  half of the accepted within",
    of(({ p50 }) => p50),
    "ms",
  );
  line(
    "  99 % of the accepted within",
    of(({ p99 }) => p99),
    "ms",
  );
  for (const path of PROBES)
    line(
      `  ${path}, the longest`,
      of(({ probes }) => probes[path] ?? Number.NaN),
      "ms",
    );
}
