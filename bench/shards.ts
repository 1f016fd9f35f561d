// The same range in one run and in pieces: the CPU time of each, and two pieces side by side on two
// cores. With --kubernetes instead: release/kubernetes/verify on a real node, two pods at a time, while
// pods, kubelet and containerd are killed and the object store fails for a minute. The merged document must
// be that of one run. --rehearse: `svc rehearse` with its manifests in the place of `svc verify`. What was
// measured is in docs/internals/scale.md.
//
//   bun bench/shards.ts [--rehearse] [--ledgers N] [--pieces N] [--transactions N] [--faults]
//                       [--kubernetes [--node DIRECTORY --restart COMMAND]]
//
// A ledger has N transactions (10), copies of 48 recorded ones: one of ten fails. --faults: the pieces
// again, as processes, two at a time: as many are killed as there are pieces, and the object store fails
// for a minute. CPU times are those of svc and svc-sim together.
//
// $KUBECONFIG names a cluster whose one node is this machine and which has the image svc:0.1.0.
// DIRECTORY has kubelet.pid and containerd.pid; COMMAND starts again what was killed. The object store is
// moto's server. The namespace svc-shards is deleted before and after.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openCluster, processesOf } from "../acceptance/cluster.ts";
import { SVC_BINARY } from "../scripts/ensure-built.ts";
import { openLongChain } from "../tests/support/long-chain.ts";
import { KITCHEN, recordedCode } from "../tests/support/recorded-code.ts";
import { S3_ENVIRONMENT, startS3 } from "../tests/support/s3-server.ts";

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status: { readonly phase: string };
}

const { values } = parseArgs({
  args: Bun.argv.slice(2),
  options: {
    ledgers: { type: "string", default: "20480" },
    pieces: { type: "string", default: "16" },
    "warm-up": { type: "string", default: "64" },
    transactions: { type: "string", default: "10" },
    faults: { type: "boolean", default: false },
    rehearse: { type: "boolean", default: false },
    kubernetes: { type: "boolean", default: false },
    node: { type: "string" },
    restart: { type: "string" },
  },
});
const NAMESPACE = "svc-shards";
const MANIFESTS = resolve(import.meta.dir, "..", "release", "kubernetes");
const name = values.rehearse ? "rehearse" : "verify";
/** The name that the manifests mount. */
const BUILD = "new.wasm";
const BATCH = 64;
const OUTAGE_MILLISECONDS = 60_000;
const MINIMUM_KILL_MILLISECONDS = 5000;
const KILLED_PODS = 6;
const pieces = Number(values.pieces);
const directory = mkdtempSync(join(tmpdir(), "svc-shards-"));

const transactions = Number(values.transactions);
const fails = Math.ceil(transactions / 10);
await using chain = openLongChain({
  successes: transactions - fails,
  failures: fails,
  varied: true,
});
const first = chain.first + BATCH;
const last = first + Number(values.ledgers) - 1;
const objects = makeLake();
let storeFails = false;
let failures = 0;
await using s3 = await startS3("results");
await using server = serve();
const base = `http://127.0.0.1:${server.port}`;
const range = `${first}-${last}`;
const warmUp = ["--warm-up", values["warm-up"]];
const settings = {
  SVC_LEDGER_LAKE_URL: `${base}/lake`,
  SVC_RPC_URL: `${base}/rpc`,
  SVC_NETWORK_PASSPHRASE: chain.passphrase,
};

const work = values.rehearse ? ["rehearse", `${KITCHEN}=${BUILD}`, range] : ["verify", range];

try {
  // Another contract's code, so that the calls end in several groups.
  if (values.rehearse) writeFileSync(join(directory, BUILD), recordedCode("err"));
  const before = values.rehearse ? [] : warmUp;
  const one = await svc([...work, ...before, "--jobs", "1", "--json"]);
  report(
    "one run",
    one.exitCode === (values.rehearse ? 0 : 1),
    `${one.seconds} s, ${one.cpuSeconds} s of CPU time`,
  );
  if (values.kubernetes) await onKubernetes(one.stdout);
  // Beside a node of Kubernetes the times say little.
  if (!values.kubernetes) {
    await asProcesses(one);
    if (values.faults) await withFaults(one, "s3://results/faults");
    await sideBySide();
  }
} finally {
  rmSync(directory, { recursive: true });
}

async function asProcesses(one: Ended): Promise<void> {
  let cpuSeconds = 0;
  for (let piece = 1; piece <= pieces; piece += 1) {
    const ended = await svc(pieceWords(piece, "one-by-one"));
    if (ended.exitCode !== 0) throw new Error(`piece ${piece} ended with ${ended.exitCode}`);
    cpuSeconds += ended.cpuSeconds;
  }
  const merged = await svc([name, "merge", "one-by-one", "--json"]);
  report("pieces one by one: same document", untimed(merged.stdout) === untimed(one.stdout), "");
  const cost = (cpuSeconds / one.cpuSeconds).toFixed(3);
  report(`CPU time of ${pieces} pieces by one run`, Number(cost) <= 1.1, `${cost}`);
}

/** Exit codes of a wrong command line or wrong settings, which no other attempt changes. */
const FINAL_CODES: readonly number[] = [2, 3];
const MOST_ATTEMPTS = 10;

/** Runs the pieces as an engine does: two at a time, and a piece that failed again. */
async function withFaults(one: Ended, result: string): Promise<void> {
  const startedAt = performance.now();
  const waiting = Array.from({ length: pieces }, (_, index) => index + 1);
  const running = new Set<ReturnType<typeof start>>();
  const codes = new Map<number, number>();
  let kills = 0;
  let goesOn = true;
  const killer = async () => {
    while (goesOn && kills < pieces) {
      await Bun.sleep(MINIMUM_KILL_MILLISECONDS * (1 + 2 * Math.random()));
      const [...list] = running;
      const victim = list[Math.floor(Math.random() * list.length)];
      if (victim === undefined || !goesOn) continue;
      victim.kill("SIGKILL");
      kills += 1;
    }
  };
  const outage = setTimeout(failStore, MINIMUM_KILL_MILLISECONDS);
  const attend = async () => {
    for (let piece = waiting.shift(); piece !== undefined; piece = waiting.shift()) {
      for (let attempt = 1, exitCode = -1; exitCode !== 0; attempt += 1) {
        const begun = start(pieceWords(piece, result));
        running.add(begun);
        exitCode = await begun.exited;
        running.delete(begun);
        codes.set(exitCode, (codes.get(exitCode) ?? 0) + 1);
        if (exitCode !== 0 && (FINAL_CODES.includes(exitCode) || attempt === MOST_ATTEMPTS))
          throw new Error(`piece ${piece}: exit code ${exitCode}, attempt ${attempt}`);
      }
    }
  };
  void killer();
  await Promise.all([attend(), attend()]);
  goesOn = false;
  clearTimeout(outage);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const ended = [...codes].map(([code, times]) => `${times} with ${code}`).join(", ");
  report("pieces with faults", kills > 0, `${kills} killed; ended ${ended}; ${seconds} s`);
  report("requests that the object store refused", failures > 0, `${failures}`);
  const merged = await svc([name, "merge", result, "--json"]);
  const same = untimed(merged.stdout) === untimed(one.stdout);
  report("merged document", same, `exit code ${merged.exitCode}`);
}

function failStore(): void {
  storeFails = true;
  setTimeout(() => {
    storeFails = false;
  }, OUTAGE_MILLISECONDS);
}

/** Each on a core of its own. */
async function sideBySide(): Promise<void> {
  const run = (piece: number, core: number, name: string) =>
    svc(pieceWords(piece, name), ["taskset", "--cpu-list", String(core)]);
  const alone = [await run(1, 0, "alone"), await run(2, 1, "alone")];
  const startedAt = performance.now();
  await Promise.all([run(1, 0, "together"), run(2, 1, "together")]);
  const together = (performance.now() - startedAt) / 1000;
  const ratio = alone.reduce((sum, { seconds }) => sum + seconds, 0) / together;
  report("two pieces side by side by one", ratio >= 1.8, ratio.toFixed(2));
}

function pieceWords(piece: number, result: string): string[] {
  const shard = ["--shard", `${piece}/${pieces}`, "--result", result];
  return [...work, ...warmUp, "--jobs", "1", ...shard];
}

async function onKubernetes(document: string): Promise<void> {
  const { kubectl } = openCluster(NAMESPACE);
  await kubectl(["delete", "namespace", NAMESPACE, "--ignore-not-found"]);
  await kubectl(["create", "namespace", NAMESPACE]);
  try {
    const startedAt = performance.now();
    await kubectl(["apply", "--kustomize", overlay()]);
    const pods = async () => {
      const text = await kubectl(["get", "pods", "--output", "json"]).catch(() => '{"items":[]}');
      return (JSON.parse(text) as { readonly items: readonly Pod[] }).items;
    };
    const kills = await disturb(kubectl, pods);
    await until(1200, async () => /Complete|Failed/.test(await conditions(kubectl)));
    const status = await conditions(kubectl);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    report("the Job", /Complete/.test(status), `${status}; ${seconds} s`);
    report("pods killed", kills === KILLED_PODS, `${kills}`);
    report("requests that the object store refused", failures > 0, `${failures}`);
    const merged = await svc([name, "merge", "s3://results/run", "--json"]);
    report(
      "merged document",
      untimed(merged.stdout) === untimed(document),
      `exit code ${merged.exitCode}`,
    );
    const again = await svc([name, "merge", "s3://results/run"]);
    process.stdout.write(again.stdout);
  } finally {
    await kubectl(["delete", "namespace", NAMESPACE]);
  }
}

type Kubectl = (words: readonly string[]) => Promise<string>;

/** Pods are deleted, and svc in others is killed, in turn. Returns how many while they ran. */
async function disturb(kubectl: Kubectl, pods: () => Promise<readonly Pod[]>): Promise<number> {
  let kills = 0;
  const killOne = async () => {
    await Bun.sleep(MINIMUM_KILL_MILLISECONDS * (0.5 + Math.random()));
    for (let tries = 0; tries < 120; tries += 1, await Bun.sleep(1000)) {
      const running = (await pods()).filter(({ status }) => status.phase === "Running");
      const victim = running[Math.floor(Math.random() * running.length)];
      if (victim === undefined) continue;
      if (kills % 2 === 0) {
        const { name } = victim.metadata;
        await kubectl(["delete", "pod", name, "--grace-period=0", "--force"]);
      } else {
        const [processId] = processesOf(victim, name);
        if (processId === undefined) continue;
        process.kill(processId, "SIGKILL");
      }
      kills += 1;
      return;
    }
  };
  await killOne();
  await killOne();
  for (const name of ["kubelet", "containerd"]) await killProgram(name);
  failStore();
  await killOne();
  await Bun.sleep(OUTAGE_MILLISECONDS);
  for (const _ of [1, 2, 3]) await killOne();
  return kills;
}

async function killProgram(name: string): Promise<void> {
  if (values.node === undefined || values.restart === undefined) return;
  process.kill(Number(readFileSync(join(values.node, `${name}.pid`), "utf8")), "SIGKILL");
  await Bun.sleep(3000);
  const restart = Bun.spawn(["bash", "-c", values.restart], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  report(`${name} killed and started again`, (await restart.exited) === 0, "");
}

async function conditions(kubectl: Kubectl): Promise<string> {
  const path = "{.status.conditions[*].type} {.status.succeeded} of {.spec.completions}";
  return kubectl(["get", `job/svc-${name}`, "--output", `jsonpath=${path}`]).catch(() => "");
}

/** The manifests as they are, with the variables of this run, and the loopback of this machine. */
function overlay(): string {
  const manifests = mkdtempSync(join(directory, "kubernetes-"));
  cpSync(MANIFESTS, manifests, { recursive: true });
  if (values.rehearse) cpSync(join(directory, BUILD), join(manifests, name, BUILD));
  const path = join(manifests, "overlay");
  mkdirSync(path);
  const variables = {
    ...settings,
    ...S3_ENVIRONMENT,
    ...(values.rehearse && { SVC_CONTRACT: KITCHEN }),
    SVC_RANGE: range,
    SVC_SHARDS: String(pieces),
    SVC_RESULT: "s3://results/run",
    SVC_WARM_UP: values["warm-up"],
    AWS_ENDPOINT_URL: `${base}/s3`,
  };
  const literals = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const patch = [
    { op: "replace", path: "/spec/parallelism", value: 2 },
    { op: "replace", path: "/spec/completions", value: pieces },
    { op: "add", path: "/spec/template/spec/hostNetwork", value: true },
    {
      op: "replace",
      path: "/spec/template/spec/containers/0/resources/requests",
      value: { cpu: "100m", memory: "256Mi" },
    },
    {
      op: "add",
      path: "/spec/template/spec/containers/0/imagePullPolicy",
      value: "Never",
    },
  ];
  const kustomization = {
    resources: [`../${name}`],
    configMapGenerator: [{ name: "svc", behavior: "replace", literals }],
    patches: [{ target: { kind: "Job" }, patch: JSON.stringify(patch) }],
  };
  writeFileSync(join(path, "kustomization.yaml"), JSON.stringify(kustomization));
  return path;
}

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

function start(words: readonly string[], before: readonly string[] = []) {
  return Bun.spawn([...before, SVC_BINARY, ...words], {
    cwd: directory,
    env: {
      PATH: process.env.PATH ?? "",
      ...settings,
      ...S3_ENVIRONMENT,
      AWS_ENDPOINT_URL: `${base}/s3`,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function svc(words: readonly string[], before: readonly string[] = []): Promise<Ended> {
  const startedAt = performance.now();
  const child = start(words, before);
  const stdout = await new Response(child.stdout).text();
  const exitCode = await child.exited;
  // svc waits for the end of svc-sim, whose time is in it then.
  const microseconds = Number(child.resourceUsage()?.cpuTime.total ?? 0);
  return {
    exitCode,
    stdout,
    seconds: Number(((performance.now() - startedAt) / 1000).toFixed(1)),
    cpuSeconds: Number((microseconds / 1e6).toFixed(1)),
  };
}

/** The fee of one transaction in the middle is another: a divergence. */
function makeLake(): ReadonlyMap<number, Uint8Array> {
  const made = new Map<number, Uint8Array>();
  chain.divergent = first + Math.floor((last - first) / 2);
  chain.tip = last;
  for (let start = chain.first - (chain.first % BATCH); start <= last; start += BATCH) {
    const from = Math.max(start, chain.first);
    const to = Math.min(start + BATCH - 1, last);
    const ledgers = Array.from({ length: to - from + 1 }, (_, index) => chain.bytes(from + index));
    const head = Buffer.alloc(12);
    for (const [at, value] of [from, to, ledgers.length].entries())
      head.writeUInt32BE(value, 4 * at);
    made.set(start, Bun.zstdCompressSync(Buffer.concat([head, ...ledgers])));
  }
  return made;
}

/** The lake, a node that has entries and no ledgers, and the way to the object store. */
function serve() {
  const listening = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (pathname === "/rpc") return answerRpc(request);
      if (pathname.startsWith("/s3/")) return passOn(request, pathname.slice(3) + search);
      if (pathname.endsWith(".config.json")) {
        return Response.json({ ledgersPerBatch: BATCH, batchesPerPartition: 1 });
      }
      const start = Number(/--(\d+)-\d+\.xdr\.zst$/.exec(pathname)?.[1]);
      const found = objects.get(start);
      return found === undefined
        ? new Response("", { status: 404 })
        : new Response(new Uint8Array(found));
    },
  });
  return { port: listening.port, [Symbol.asyncDispose]: () => listening.stop(true) };
}

async function answerRpc(request: Request): Promise<Response> {
  const text = await request.text();
  const { id, method } = JSON.parse(text) as { readonly id: unknown; readonly method: string };
  if (method === "getLedgers") {
    const error = { code: -32600, message: "start ledger is out of range" };
    return Response.json({ jsonrpc: "2.0", id, error });
  }
  const headers = { "content-type": "application/json" };
  return fetch(chain.url, { method: "POST", headers, body: text });
}

async function passOn(request: Request, path: string): Promise<Response> {
  if (storeFails) {
    failures += 1;
    return new Response("<Error><Code>ServiceUnavailable</Code></Error>", { status: 503 });
  }
  return fetch(`${s3.endpoint}${path}`, {
    method: request.method,
    headers: request.headers,
    ...(request.method === "PUT" && { body: await request.arrayBuffer() }),
  });
}

function untimed(text: string): string {
  return text.replace(/"elapsedMilliseconds": [\d.e+-]+/, "");
}

async function until(seconds: number, holds: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await holds()); waited += 1) {
    if (waited > seconds) throw new Error(`not within ${seconds} s: ${holds}`);
    await Bun.sleep(1000);
  }
}

function report(what: string, good: boolean, values: string): void {
  process.stdout.write(`${good ? "ok  " : "FAIL"} ${what}: ${values}\n`);
  if (!good) process.exitCode = 1;
}
