// Runs the image of svc in a container engine (podman): read-only, unprivileged and without a
// network; then as the svc of release/compose/, with its health check, a crash and a normal end.
//
//   bun acceptance/containers.ts [DIRECTORY]     the image in dist/image/ or another directory
//
// The other services of release/compose/ are images of a registry. Prometheus runs with its
// configuration as a program of this machine, and Grafana does not run.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openConnection } from "../bench/keep-alive-connection.ts";
import { RECORDED } from "../bench/recorded-requests.ts";
import { version as VERSION } from "../package.json";
import { report } from "./checks.ts";

interface ComposeService {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly stop_grace_period: string;
  readonly restart: string;
}

const ROOT = resolve(import.meta.dir, "..");
const CAPSULE = join(ROOT, "examples", "overflow-in-callee.capsule.json");
const COMPOSE = join(ROOT, "release", "compose", "compose.yaml");
const NAME = "svc-verify";
const PORT = 8080;
const PROMETHEUS = "127.0.0.1:9090";
const CONFINED = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"];
/** Engines raise these limits, which not every machine allows. */
const LIMITS = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"];

const directory = resolve(Bun.argv[2] ?? join(ROOT, "dist", "image"));
const rootfs = fileOf(/-rootfs-linux-x64\.tar\.gz$/);
const archive = fileOf(/-image-linux-x64\.tar$/);
const compose = Bun.YAML.parse(await Bun.file(COMPOSE).text()) as {
  readonly services: { readonly svc: ComposeService };
};
const service = compose.services.svc;

const loaded = podman("load", "--quiet", "--input", join(directory, archive));
runOnce("the image of the release", loaded.replace(/^Loaded image: /, ""));
const containerfile = ["--file", join(ROOT, "release", "container", "Containerfile")];
const built = ["--build-arg", `ROOTFS=${rootfs}`, "--tag", service.image, directory];
podman("build", "--quiet", "--format=docker", ...containerfile, ...built);
runOnce("the image of the Containerfile", service.image);
try {
  await runService();
} finally {
  podman("rm", "--force", "--time=0", "--ignore", NAME);
}

function runOnce(what: string, image: string): void {
  const run = ["run", "--rm", "--network=none", ...LIMITS, ...CONFINED];
  const version = podman(...run, image, "version").split("\n")[0] ?? "";
  report(`${what}, version`, version.startsWith(`svc ${VERSION} `), version);
  const debug = [`--volume=${CAPSULE}:/capsule.json:ro`, image, "debug", "--from=/capsule.json"];
  const { verdict } = JSON.parse(podman(...run, ...debug, "--json"));
  report(`${what}, bundled transaction`, verdict.kind === "exact", verdict.kind);
}

/** What compose does with the service. The host's network replaces the published port. */
async function runService(): Promise<void> {
  const { environment, healthcheck, cap_drop, security_opt } = service;
  const set = Object.entries(environment).map(
    ([name, value]) => `--env=${name}=${value.replace(/^\$\{\w+:-(.*)\}$/, "$1")}`,
  );
  const health = `--health-cmd=${JSON.stringify(healthcheck.test.slice(1))}`;
  const options = [
    ...["--detach", `--name=${NAME}`, "--network=host", `--restart=${service.restart}`, health],
    ...[...LIMITS, ...set, `--read-only=${service.read_only}`],
    ...cap_drop.map((name) => `--cap-drop=${name}`),
    ...security_opt.map((option) => `--security-opt=${option}`),
  ];
  podman("run", ...options, service.image, ...service.command);
  report("compose: healthy", await until(healthy), "svc daemon --check");
  await simulate("compose: a simulation");
  await scrape();
  process.kill(Number(inspect("{{.State.Pid}}")), "SIGKILL");
  const restarted = () => inspect("{{.RestartCount}}") === "1" && healthy();
  report("compose: healthy again after a kill", await until(restarted), service.restart);
  await simulate("compose: a simulation after it");
  const grace = /^(\d+)s$/.exec(service.stop_grace_period)?.[1] ?? "0";
  const begin = performance.now();
  podman("stop", `--time=${grace}`, NAME);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const exitCode = inspect("{{.State.ExitCode}}");
  report("compose: stopped with exit code 0", exitCode === "0", `${exitCode} after ${seconds} s`);
}

/** With the configuration of release/prometheus/, whose target is this daemon. */
async function scrape(): Promise<void> {
  const config = join(ROOT, "release", "prometheus", "prometheus.yml");
  const data = mkdtempSync(join(tmpdir(), "svc-prometheus-"));
  const prometheus = Bun.spawn(
    [
      ...["prometheus", `--config.file=${config}`, `--storage.tsdb.path=${data}`],
      `--web.listen-address=${PROMETHEUS}`,
    ],
    { stdout: "ignore", stderr: "ignore" },
  );
  const up = async () => {
    const query = encodeURIComponent('up{job="svc"} == 1');
    const answer = await fetch(`http://${PROMETHEUS}/api/v1/query?query=${query}`).catch(
      () => null,
    );
    if (answer?.ok !== true) return false;
    const { data } = (await answer.json()) as { readonly data: { readonly result: unknown[] } };
    return data.result.length === 1;
  };
  report("compose: Prometheus scrapes it", await until(up), 'up{job="svc"} == 1');
  prometheus.kill();
  await prometheus.exited;
  rmSync(data, { recursive: true });
}

async function simulate(what: string): Promise<void> {
  await using connection = await openConnection(PORT);
  const [recorded] = RECORDED;
  if (!recorded) throw new Error("there is no recorded request");
  const { status, text } = await connection.send("POST", "/v1/simulate", recorded.body);
  report(what, status === 200 && recorded.isAnswer(text), `status ${status}`);
}

function healthy(): boolean {
  return Bun.spawnSync(["podman", "healthcheck", "run", NAME]).exitCode === 0;
}

function inspect(format: string): string {
  return podman("inspect", "--format", format, NAME);
}

/** Returns stdout. Throws with stderr. */
function podman(...words: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["podman", ...words]);
  if (exitCode === 0) return stdout.toString().trim();
  throw new Error(`podman ${words.join(" ")}: ${stderr.toString().trim()}`);
}

async function until(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let turn = 0; turn < 200; turn += 1) {
    if (await holds()) return true;
    await Bun.sleep(200);
  }
  return false;
}

function fileOf(pattern: RegExp): string {
  const found = readdirSync(directory).find((name) => pattern.test(name));
  if (found === undefined) throw new Error(`no ${pattern} in ${directory}`);
  return found;
}
