// Runs release/slurm/pieces.sh under a real Slurm: `svc verify` and `svc rehearse` of ledger files, each
// as an array. In both, svc of one task is killed, and another task is requeued while it runs. The merged
// documents must be those of one run, and a task that finds results of another run must end its array.
// What was seen is in docs/internals/scale.md.
//
//   bun acceptance/slurm.ts [DIRECTORY]
//
//   DIRECTORY   the ledger files (default: the streams of the corpus)
//
// It needs slurmctld, slurmd, sbatch and munged (Debian: slurmctld slurmd slurm-client munge), and a user
// who may start them. It starts them itself, on loopback, with a configuration and a key of its own.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ensureBuilt, SVC_BINARY } from "../scripts/ensure-built.ts";
import { codesIn } from "../tests/support/archived-code.ts";
import { corpusPath } from "../tests/support/corpus.ts";
import { report, until } from "./checks.ts";

const ROOT = resolve(import.meta.dir, "..");
const SCRIPT = join(ROOT, "release/slurm/pieces.sh");
const STREAMS = join(ROOT, "tests/fixtures/streams");
const CONTRACT = "CBINMC5KSEB5K4UO4S4XUZBZTQ63SWJWNCTUYELBV3IJT2VBVOOQQ3JQ";
/** Code of another contract, so that the calls end in several groups. */
const BUILD = "752bffbd";
const PIECES = 6;
/** The tasks whose first attempt is killed, and hangs until the task is requeued. */
const [KILLED, REQUEUED] = [1, 2];
const START_SECONDS = 60;
const ARRAY_SECONDS = 900;

ensureBuilt();
const files = resolve(process.argv[2] ?? corpusPath("core-streams"));
const directory = mkdtempSync(join(tmpdir(), "svc-slurm-"));
// The daemon of munge and the tasks read it.
chmodSync(directory, 0o755);
const environment: Record<string, string> = {
  ...(process.env as Record<string, string>),
  SLURM_CONF: join(directory, "slurm.conf"),
  PATH: `${join(directory, "bin")}:${process.env.PATH}:/usr/sbin`,
};

await prepare();
const daemons = await startDaemons();
try {
  const isUp = await until(START_SECONDS, async () => /idle/.test((await run(["sinfo"])).stdout));
  report("Slurm", isUp, (await run(["sbatch", "--version"])).stdout.trim());
  if (isUp) {
    const build = `${CONTRACT}=${join(directory, "new.wasm")}`;
    await tryArray("verify", [files]);
    await tryArray("rehearse", [build, files]);
    await tryForeign(join(directory, "rehearse"), build);
  }
} finally {
  for (const daemon of daemons.reverse()) {
    daemon.kill();
    await daemon.exited;
  }
  rmSync(directory, { recursive: true });
}

/** One array, and one run of the same. */
async function tryArray(name: "verify" | "rehearse", words: readonly string[]): Promise<void> {
  const result = join(directory, name);
  const startedAt = performance.now();
  const job = await submit([name, ...words], result);
  const isRunning = await until(ARRAY_SECONDS, () => attemptsOf(job, REQUEUED) === 1);
  const requeued = await run(["scontrol", "requeue", `${job}_${REQUEUED}`]);
  report(`${name}: a running task is requeued`, isRunning && requeued.code === 0, requeued.stderr);
  const isOver = await ends(job);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const pieces = readdirSync(result).filter((each) => each.includes("-of-"));
  report(`${name}: the array`, isOver, `${pieces.length} of ${PIECES} results, ${seconds} s`);
  for (const [what, task] of [
    ["killed", KILLED],
    ["requeued", REQUEUED],
  ] as const)
    report(`${name}: the task that was ${what}`, attemptsOf(job, task) === 2, "2 attempts");
  const one = await run([SVC_BINARY, name, ...words, "--json"]);
  const merged = await run([SVC_BINARY, name, "merge", result, "--json"]);
  const isSame = untimed(merged.stdout) === untimed(one.stdout) && merged.code === one.code;
  const seen = `${one.stdout.length} bytes, exit code ${merged.code}`;
  report(`${name}: the merged document is that of one run`, isSame, seen);
}

/** Tasks that cannot succeed end the whole array. */
async function tryForeign(result: string, build: string): Promise<void> {
  const job = await submit(["rehearse", build, files, "--function", "other"], result);
  const isOver = await ends(job);
  const printed = readdirSync(directory)
    .filter((each) => each.startsWith(`${job}_`))
    .map((each) => readFileSync(join(directory, each), "utf8"));
  const refused = printed.filter((text) => text.includes("is a piece of another run")).length;
  report(
    "results of another run end the array",
    isOver && refused > 0,
    `${refused} of ${PIECES} tasks said so`,
  );
}

async function submit(words: readonly string[], result: string): Promise<string> {
  const array = [`--array=0-${PIECES - 1}`, `--output=${join(directory, "%A_%a.txt")}`];
  const command = ["sbatch", "--parsable", ...array, "--mem=0", SCRIPT, ...words];
  const submitted = await run(command, { SVC_RESULT: result });
  if (submitted.code !== 0) throw new Error(`sbatch: ${submitted.stderr}`);
  return submitted.stdout.trim();
}

function ends(job: string): Promise<boolean> {
  return until(ARRAY_SECONDS, async () => {
    const { stdout } = await run(["squeue", "--noheader", "--jobs", job]);
    return stdout.trim() === "";
  });
}

/** The number of times that a task has begun to run svc. */
function attemptsOf(job: string, task: number): number {
  const name = `${job}-${task}`;
  const attempts = join(directory, "attempts");
  return readdirSync(attempts).includes(name)
    ? Number(readFileSync(join(attempts, name), "utf8"))
    : 0;
}

async function prepare(): Promise<void> {
  for (const name of ["bin", "attempts", "state", "spool", "munge", "verify", "rehearse"])
    mkdirSync(join(directory, name));
  const user = String(process.getuid?.() ?? 0);
  const [controlPort, nodePort] = [freePort(), freePort()];
  const settings = {
    ClusterName: "svc",
    SlurmctldHost: "localhost",
    SlurmctldPort: controlPort,
    SlurmdPort: nodePort,
    SlurmUser: user,
    SlurmdUser: user,
    AuthType: "auth/munge",
    AuthInfo: `socket=${join(directory, "munge/socket")}`,
    ProctrackType: "proctrack/linuxproc",
    TaskPlugin: "task/none",
    SelectType: "select/cons_tres",
    SelectTypeParameters: "CR_Core",
    JobAcctGatherType: "jobacct_gather/none",
    ReturnToService: 2,
    MpiDefault: "none",
    StateSaveLocation: join(directory, "state"),
    SlurmdSpoolDir: join(directory, "spool"),
    SlurmctldPidFile: join(directory, "slurmctld.pid"),
    SlurmdPidFile: join(directory, "slurmd.pid"),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const node = `NodeName=localhost NodeHostname=${hostname()} NodeAddr=127.0.0.1 CPUs=2`;
  const partition = "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP";
  await Bun.write(environment.SLURM_CONF ?? "", [...lines, node, partition, ""].join("\n"));
  const key = join(directory, "munge/key");
  await Bun.write(key, crypto.getRandomValues(new Uint8Array(1024)));
  chmodSync(key, 0o400);
  const streams = readdirSync(STREAMS).filter((name) => name.endsWith(".xdr.zst"));
  const codes = streams.flatMap((name) => {
    const bytes = readFileSync(join(STREAMS, name));
    return [...codesIn(Buffer.from(Bun.zstdDecompressSync(bytes)))];
  });
  const code = codes.find(([hash]) => hash.startsWith(BUILD))?.[1] ?? "";
  await Bun.write(join(directory, "new.wasm"), code);
  await Bun.write(join(directory, "bin/svc"), faultyProgram());
  chmodSync(join(directory, "bin/svc"), 0o755);
}

/** svc, whose first attempt in one task is killed and in another hangs. */
function faultyProgram(): string {
  return `#!/bin/bash
mark="${directory}/attempts/$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID"
attempt=$(($(cat "$mark" 2>/dev/null || echo 0) + 1))
echo "$attempt" > "$mark"
case "$SLURM_ARRAY_TASK_ID:$attempt" in
  ${KILLED}:1) kill -9 $$ ;;
  ${REQUEUED}:1) sleep ${ARRAY_SECONDS} ;;
esac
exec "${SVC_BINARY}" "$@"
`;
}

async function startDaemons() {
  const munge = join(directory, "munge");
  const own = ["socket", "pid-file", "log-file", "seed-file"].map(
    (name) => `--${name}=${join(munge, name === "socket" ? name : `${name}.txt`)}`,
  );
  const conf = environment.SLURM_CONF ?? "";
  const commands = [
    ["munged", "--foreground", "--force", `--key-file=${join(munge, "key")}`, ...own],
    ["slurmctld", "-D", "-f", conf],
    ["slurmd", "-D", "-f", conf, "-N", "localhost"],
  ];
  const started: Bun.Subprocess[] = [];
  for (const [index, command] of commands.entries()) {
    started.push(Bun.spawn(command, { env: environment, stdio: ["ignore", "ignore", "ignore"] }));
    // The others speak to munged as soon as they begin.
    if (index === 0) await until(START_SECONDS, () => existsSync(join(munge, "socket")));
  }
  return started;
}

async function run(command: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([...command], {
    cwd: directory,
    env: { ...environment, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { stdout, stderr: stderr.trim(), code: await child.exited };
}

function untimed(text: string): string {
  return text.replace(/"elapsedMilliseconds": [\d.e+-]+/, "");
}

function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = server;
  server.stop(true);
  return port;
}
