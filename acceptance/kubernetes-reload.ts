// A daemon with TLS in Kubernetes reads a new token and a new certificate: the Secrets change, the
// kubelet writes their files, and SIGHUP makes the daemon read them.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { until } from "./checks.ts";
import type { Cluster } from "./cluster.ts";

export interface Reloading {
  readonly address: string;
  readonly processId: number;
}

export interface Reloaded {
  /** From the new Secrets to their files in the pod. */
  readonly seconds: number;
  /** What the daemon took before and after SIGHUP. */
  readonly before: string;
  readonly after: string;
  /** Requests meanwhile, each over a new connection, with the token of that time. */
  readonly requests: number;
  readonly failed: number;
  /** Before an answer: see docs/internals/daemon.md for new connections while a listener is replaced. */
  readonly closed: number;
}

const PORT = 8080;
const MOUNT = "/run/secrets/tls";
/** For 2 s a new connection may still get the old certificate. */
const RETIREMENT_MILLISECONDS = 4_000;
const TOKENS = { old: "0123456789abcdef0123456789abcdef", new: "fedcba9876543210fedcba9876543210" };

/** Of the Deployment: TLS with the certificate of the Secret svc-tls. */
export function tlsPatches(): object[] {
  const container = "/spec/template/spec/containers/0";
  const add = (path: string, value: unknown) => ({ op: "add", path, value });
  const probes = ["startupProbe", "livenessProbe", "readinessProbe"];
  const patch = [
    add(`${container}/args/-`, `--tls-certificate=${MOUNT}/tls.crt`),
    add(`${container}/args/-`, `--tls-key=${MOUNT}/tls.key`),
    add(`${container}/volumeMounts/-`, { name: "tls", mountPath: MOUNT, readOnly: true }),
    add("/spec/template/spec/volumes/-", {
      name: "tls",
      secret: { secretName: "svc-tls", defaultMode: 0o440 },
    }),
    ...probes.map((probe) => add(`${container}/${probe}/httpGet/scheme`, "HTTPS")),
  ];
  return [{ target: { kind: "Deployment" }, patch: JSON.stringify(patch) }];
}

/** The Secrets svc-daemon and svc-tls, new or replaced. Returns the certificate. */
export async function writeSecrets({ kubectl }: Cluster, which: "old" | "new"): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "svc-certificate-"));
  const [key, certificate] = [join(directory, "tls.key"), join(directory, "tls.crt")];
  const openssl = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"];
  const made = ["ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", `/CN=${which}`];
  Bun.spawnSync([...openssl, ...made, "-keyout", key, "-out", certificate]);
  const dry = ["--dry-run=client", "--output", "json"];
  const token = `--from-literal=token=${TOKENS[which]}`;
  const pair = [`--cert=${certificate}`, `--key=${key}`];
  for (const words of [
    ["create", "secret", "generic", "svc-daemon", token],
    ["create", "secret", "tls", "svc-tls", ...pair],
  ])
    await kubectl(["apply", "--filename", "-"], await kubectl([...words, ...dry]));
  const text = readFileSync(certificate, "utf8");
  rmSync(directory, { recursive: true });
  return text;
}

export async function reloadSecrets(cluster: Cluster, daemon: Reloading): Promise<Reloaded> {
  const fileOf = (path: string) =>
    readFileSync(`/proc/${daemon.processId}/root/run/secrets/${path}`, "utf8");
  const begin = performance.now();
  let [requests, failed, closed, ended] = [0, 0, 0, false];
  let token = TOKENS.old;
  let switching = false;
  const asking = (async () => {
    for (; !ended; await Bun.sleep(20)) {
      requests += 1;
      const sent = token;
      const either = switching;
      const status = await statusOf(daemon, sent);
      if (status === 0) closed += 1;
      // A request at the time of the signal may meet either token.
      else if (status !== 200 && sent === token && !either && !switching) failed += 1;
    }
  })();
  const certificate = await writeSecrets(cluster, "new");
  while (fileOf("svc/token") !== TOKENS.new || fileOf("tls/tls.crt") !== certificate) {
    if (performance.now() - begin > 240_000) throw new Error("the Secret does not reach the pod");
    await Bun.sleep(500);
  }
  const seconds = Math.round((performance.now() - begin) / 1000);
  const before = await taken(daemon);
  switching = true;
  process.kill(daemon.processId, "SIGHUP");
  await until(10, async () => (await statusOf(daemon, TOKENS.new)) === 200);
  token = TOKENS.new;
  switching = false;
  await Bun.sleep(RETIREMENT_MILLISECONDS);
  const since = new Set<string>();
  for (let turn = 0; turn < 20; turn += 1) since.add(await taken(daemon));
  const after = [...since].join("; ");
  ended = true;
  await asking;
  return { seconds, before, after, requests, failed, closed };
}

/** Which certificate the daemon has, and which tokens it takes. */
async function taken(daemon: Reloading): Promise<string> {
  const certificate = await new Promise<string>((resolve, reject) => {
    const options = { host: daemon.address, port: PORT, rejectUnauthorized: false };
    const socket = connect(options, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    }).on("error", reject);
  });
  const statuses = await Promise.all(
    Object.entries(TOKENS).map(async ([name, token]) => [name, await statusOf(daemon, token)]),
  );
  const good = statuses.flatMap(([name, status]) => (status === 200 ? [name] : []));
  return `certificate ${certificate}, token ${good.join(" and ")}`;
}

async function statusOf({ address }: Reloading, token: string): Promise<number> {
  const answer = await fetch(`https://${address}:${PORT}/rpc`, {
    method: "POST",
    body: '{"jsonrpc":"2.0","id":1,"method":"nothing"}',
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      connection: "close",
    },
    tls: { rejectUnauthorized: false },
  }).catch(() => null);
  return answer?.status ?? 0;
}
