// Runs release/kubernetes/follow/ on a real node of Kubernetes: one replica with a volume follows a
// chain, and is killed twice while it does. Every ledger is verified, and every failure is told once.
// The figures are in docs/internals/follow.md.
//
//   bun acceptance/kubernetes-follow.ts [--ledgers N]
//
// $KUBECONFIG names a cluster whose one node is this machine, with the image of release/kubernetes/.
// The namespace svc-follow is deleted before and after, and its volume too.

import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openLongChain } from "../tests/support/long-chain.ts";
import { report, until } from "./checks.ts";
import { openCluster } from "./cluster.ts";

interface Event {
  readonly id: string;
  readonly kind: string;
}

const NAMESPACE = "svc-follow";
const RELEASE = resolve(import.meta.dir, "..", "release", "kubernetes");
const USER = 65_532;
const PORT = 18_080;
const FAILURES = 3;
const LEDGER_MILLISECONDS = 100;
const { values } = parseArgs({
  args: Bun.argv.slice(2),
  options: { ledgers: { type: "string", default: "300" } },
});
const ledgers = Number(values.ledgers);
const { kubectl } = openCluster(NAMESPACE);
const volume = mkdtempSync(join(tmpdir(), "svc-follow-"));
chownSync(volume, USER, USER);
await using chain = openLongChain({ successes: 5, failures: FAILURES });
const begun = chain.first + 1;
chain.tip = begun;

const clean = async () => {
  await kubectl(["delete", "namespace", NAMESPACE, "--ignore-not-found"]);
  await kubectl(["delete", "persistentvolume", NAMESPACE, "--ignore-not-found"]);
};
await clean();
try {
  await deploy();
  const begin = performance.now();
  report("ready", await until(60, isReady), `${seconds(begin)} s after its manifests`);
  const growing = setInterval(() => {
    chain.tip = Math.min(chain.first + ledgers, chain.tip + 1);
  }, LEDGER_MILLISECONDS);
  for (const share of [0.3, 0.6]) {
    await until(120, () => chain.tip >= chain.first + ledgers * share);
    const killed = performance.now();
    await kubectl(["delete", "pod", "svc-follow-0", "--grace-period=0", "--force"]);
    report("killed, and ready again", await until(120, isReady), `${seconds(killed)} s`);
  }
  const end = chain.first + ledgers;
  const reached = await until(180, async () => (await metric("svc_follow_last_ledger")) === end);
  clearInterval(growing);
  report("the last ledger is verified", reached, `${end}`);
  report("volume", (await claim()) === "Bound", await claim());
  const lines = readFileSync(join(volume, "events.ndjson"), "utf8").trimEnd().split("\n");
  const events = lines.map((line) => JSON.parse(line) as Event);
  const told = events.filter(({ kind }) => kind === "failure");
  const different = new Set(told.map(({ id }) => id)).size;
  const expected = (end - begun + 1) * FAILURES;
  const seen = `${told.length}, ${different} different, of ${expected}`;
  report("failures told", different === expected, seen);
  const others = events.filter(({ kind }) => kind !== "failure").map(({ kind }) => kind);
  const alarms = others.filter((kind) => kind !== "failure-summary").length;
  report("no other alarm", alarms === 0, `${others.join(", ")}`);
} finally {
  await clean();
  rmSync(volume, { recursive: true });
}

/** The manifests as they are, with the chain of this run, and a directory as the volume. */
async function deploy(): Promise<void> {
  const overlay = mkdtempSync(join(tmpdir(), "svc-kubernetes-"));
  const settings = {
    follow: { sinks: [{ kind: "ndjson", name: "file", file: "/var/lib/svc/events.ndjson" }] },
  };
  writeFileSync(join(overlay, "svc.json"), JSON.stringify(settings));
  const container = "/spec/template/spec/containers/0";
  const patch = [
    { op: "add", path: "/spec/template/spec/hostNetwork", value: true },
    { op: "replace", path: `${container}/args/5`, value: `--port=${PORT}` },
    { op: "replace", path: `${container}/ports/0/containerPort`, value: PORT },
    { op: "replace", path: `${container}/resources/requests/cpu`, value: "100m" },
    {
      op: "replace",
      path: `${container}/env/0`,
      value: { name: "SVC_NETWORK_PASSPHRASE", value: chain.passphrase },
    },
    {
      op: "add",
      path: `${container}/env/-`,
      value: { name: "SVC_RPC_URL", value: chain.url },
    },
  ];
  const kustomization = {
    resources: [relative(overlay, join(RELEASE, "follow"))],
    configMapGenerator: [{ name: "svc-follow", behavior: "replace", files: ["svc.json"] }],
    patches: [
      { target: { kind: "StatefulSet" }, patch: JSON.stringify(patch) },
      {
        target: { kind: "ServiceMonitor" },
        patch:
          "{$patch: delete, apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, " +
          "metadata: {name: svc-follow}}",
      },
    ],
  };
  writeFileSync(join(overlay, "kustomization.yaml"), JSON.stringify(kustomization));
  await kubectl(["create", "namespace", NAMESPACE]);
  const token = "--from-literal=token=0123456789abcdef0123456789abcdef";
  await kubectl(["create", "secret", "generic", "svc-daemon", token]);
  await kubectl(["apply", "--filename", join(RELEASE, "service-account.yaml")]);
  const persistent = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: NAMESPACE },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: volume },
      claimRef: { namespace: NAMESPACE, name: "state-svc-follow-0" },
    },
  };
  await kubectl(["apply", "--filename", "-"], JSON.stringify(persistent));
  await kubectl(["apply", "--kustomize", overlay]);
  rmSync(overlay, { recursive: true });
}

async function isReady(): Promise<boolean> {
  const path = "{.status.readyReplicas}";
  const ready = await kubectl(["get", "statefulset/svc-follow", "--output", `jsonpath=${path}`]);
  return (
    ready === "1" && (await fetch(`http://127.0.0.1:${PORT}/ready`).catch(() => null))?.ok === true
  );
}

async function claim(): Promise<string> {
  const path = "{.items[0].status.phase}";
  return kubectl(["get", "persistentvolumeclaims", "--output", `jsonpath=${path}`]);
}

async function metric(name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${PORT}/metrics`).catch(() => null);
  const text = (await answer?.text()) ?? "";
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
