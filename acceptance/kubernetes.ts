// Runs release/kubernetes/ on a real node of Kubernetes, under a steady load: a rolling update, an
// eviction, an update that cannot work, and a daemon that hangs. No request may fail. Then a daemon
// with TLS reads a new token and certificate. What was measured is in docs/internals/daemon.md.
//
//   bun acceptance/kubernetes.ts [--requests-per-second N]
//
// $KUBECONFIG names a cluster whose one node is this machine: pods are reached by their addresses,
// and their processes are stopped. Probes reach pods in the same way: a bridge of pods that is no
// gateway needs an address (ip address add 10.244.0.1/24 dev k8s0, after the first pod). The
// cluster has the image of release/kubernetes/ already. The namespace svc-verify is deleted before
// and after.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { report, until } from "./checks.ts";
import { type Endpoints, openCluster, processesOf } from "./cluster.ts";
import { reloadSecrets, tlsPatches, writeSecrets } from "./kubernetes-reload.ts";
import { startLoad } from "./service-load.ts";

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string; deletionTimestamp?: string };
  readonly status: {
    readonly startTime: string;
    readonly podIP?: string;
    readonly conditions: readonly { type: string; status: string; lastTransitionTime: string }[];
    readonly containerStatuses?: readonly {
      readonly restartCount: number;
      readonly lastState: { readonly terminated?: { readonly reason: string } };
    }[];
  };
}

const NAMESPACE = "svc-verify";
const MANIFESTS = resolve(import.meta.dir, "..", "release", "kubernetes");
const CLIENTS = 32;
const TOKEN = "0123456789abcdef0123456789abcdef";
/** The schema of these is not in a cluster without the Prometheus operator. */
const OF_PROMETHEUS = ["ServiceMonitor", "PrometheusRule"];

const { values } = parseArgs({
  args: Bun.argv.slice(2),
  options: { "requests-per-second": { type: "string", default: "200" } },
});
const requestsPerSecond = Number(values["requests-per-second"]);
const cluster = openCluster(NAMESPACE);
const { kubectl, watchEndpoints } = cluster;
const deployment = "deployment/svc";

await kubectl(["delete", "namespace", NAMESPACE, "--ignore-not-found"]);
try {
  await kubectl(["create", "namespace", NAMESPACE]);
  await kubectl(["create", "secret", "generic", "svc-daemon", `--from-literal=token=${TOKEN}`]);
  await deploy();
  await using endpoints = await watchEndpoints("svc");
  await until(60, () => endpoints.ready().length === 2);
  await checkPods();
  await underLoad("steady load", endpoints, () => Bun.sleep(20_000));
  await checkWorkers();
  await underLoad("rolling update", endpoints, update);
  await underLoad("eviction", endpoints, evict);
  await underLoad("update that cannot work", endpoints, updateThatFails);
  await hang(endpoints);
  await reload();
} finally {
  await kubectl(["delete", "namespace", NAMESPACE]);
}

/** The manifests as they are, without what this cluster does not have, and for few cores. */
async function deploy(others: readonly object[] = []): Promise<void> {
  const overlay = mkdtempSync(join(tmpdir(), "svc-kubernetes-"));
  const remove = OF_PROMETHEUS.map((kind) => ({
    target: { kind },
    patch: `{$patch: delete, apiVersion: monitoring.coreos.com/v1, kind: ${kind}, metadata: {name: svc}}`,
  }));
  const cpu = "/spec/template/spec/containers/0/resources/requests/cpu";
  const small = {
    target: { kind: "Deployment" },
    patch: JSON.stringify([{ op: "replace", path: cpu, value: "100m" }]),
  };
  const patches = [...remove, small, ...others];
  const kustomization = { resources: [relative(overlay, MANIFESTS)], patches };
  writeFileSync(join(overlay, "kustomization.yaml"), JSON.stringify(kustomization));
  await kubectl(["apply", "--kustomize", overlay]);
  rmSync(overlay, { recursive: true });
  await kubectl(["rollout", "status", deployment, "--timeout=120s"]);
}

async function checkPods(): Promise<void> {
  const ready = (await pods()).map(({ status }) => {
    const at = status.conditions.find(({ type }) => type === "Ready")?.lastTransitionTime ?? "";
    return (Date.parse(at) - Date.parse(status.startTime)) / 1000;
  });
  report("pods are ready after", ready.length === 2, `${ready.join(" and ")} s`);
}

/** Workers start when they are needed. */
async function checkWorkers(): Promise<void> {
  for (const { status } of await pods()) {
    const metrics = await (await fetch(`http://${status.podIP}:8080/metrics`)).text();
    const workers = /^svc_workers (\d+)/m.exec(metrics)?.[1];
    report("workers with a limit of 2 CPUs", workers === "2", `${workers}`);
  }
}

async function update(): Promise<void> {
  await kubectl(["rollout", "restart", deployment]);
  await kubectl(["rollout", "status", deployment, "--timeout=120s"]);
  // The last of the old pods still ends.
  await until(60, async () => (await pods()).length === 2);
}

/** The disruption budget allows one pod at a time. */
async function evict(): Promise<void> {
  const [one, other] = await pods();
  if (!one || !other) throw new Error("there are not two pods");
  await evictPod(one);
  const second = await evictPod(other).then(
    () => "evicted",
    (error: Error) => (/disruption budget/.test(error.message) ? "refused" : error.message),
  );
  report("a second eviction at the same time", second === "refused", second);
  await until(60, async () => (await pods()).length === 2);
  await kubectl(["rollout", "status", deployment, "--timeout=120s"]);
}

function evictPod({ metadata: { name } }: Pod): Promise<string> {
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
  const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`;
  return kubectl(["create", "--raw", path, "--filename", "-"], JSON.stringify(body));
}

/** The memory limit ends the new pod whenever it starts, and the old ones go on. */
async function updateThatFails(): Promise<void> {
  const little = ["--limits=memory=8Mi", "--requests=memory=8Mi"];
  await kubectl(["set", "resources", deployment, ...little]);
  const reasons = async () =>
    (await pods()).flatMap(({ status }) =>
      (status.containerStatuses ?? []).flatMap(({ lastState }) => lastState.terminated ?? []),
    );
  const killed = async () => (await reasons()).some(({ reason }) => reason === "OOMKilled");
  report("a pod above its memory limit", await until(60, killed), "OOMKilled");
  const rolled = await kubectl(["rollout", "status", deployment, "--timeout=15s"]).then(
    () => "goes on",
    () => "stops there",
  );
  report("the update", rolled === "stops there", rolled);
  await kubectl(["rollout", "undo", deployment]);
  await kubectl(["rollout", "status", deployment, "--timeout=60s"]);
  await until(60, async () => (await pods()).length === 2);
}

/** A stopped process is what a hung one is to its probes. */
async function hang(endpoints: Endpoints): Promise<void> {
  const [pod] = await pods();
  if (!pod) throw new Error("there is no pod");
  const begin = performance.now();
  const seconds = () => `${((performance.now() - begin) / 1000).toFixed(0)} s`;
  for (const id of processesOf(pod, "daemon")) process.kill(id, "SIGSTOP");
  const left = await until(60, () => endpoints.ready().length === 1);
  report("a hung daemon leaves the Service after", left, seconds());
  const restarted = async () =>
    (await pods()).some(
      ({ metadata: { uid }, status: { containerStatuses = [] } }) =>
        uid === pod.metadata.uid && containerStatuses.some(({ restartCount }) => restartCount > 0),
    );
  report("  is restarted after", await until(120, restarted), seconds());
  report("  is back after", await until(60, () => endpoints.ready().length === 2), seconds());
}

async function reload(): Promise<void> {
  await writeSecrets(cluster, "old");
  await deploy(tlsPatches());
  await until(60, async () => (await pods()).length === 2);
  const [pod] = await pods();
  const [processId] = pod === undefined ? [] : processesOf(pod, "daemon");
  const address = pod?.status.podIP;
  if (address === undefined || processId === undefined) throw new Error("there is no daemon");
  const seen = await reloadSecrets(cluster, { address, processId });
  report("new Secrets are files of the pod after", seen.seconds < 180, `${seen.seconds} s`);
  report("before SIGHUP", seen.before === "certificate old, token old", seen.before);
  report("after SIGHUP", seen.after === "certificate new, token new", seen.after);
  const { requests, failed, closed } = seen;
  const meanwhile = `${requests}, ${failed} failed, ${closed} closed before an answer`;
  report("requests meanwhile", failed === 0, meanwhile);
  const states = (await pods()).flatMap(({ status }) => status.containerStatuses ?? []);
  const restarts = states.reduce((sum, { restartCount }) => sum + restartCount, 0);
  report("restarts", restarts === 0, `${restarts}`);
}

async function underLoad(
  what: string,
  endpoints: Endpoints,
  during: () => Promise<void>,
): Promise<void> {
  const ready = () => endpoints.ready();
  const load = startLoad({ endpoints: ready, requestsPerSecond, clients: CLIENTS, token: TOKEN });
  await Bun.sleep(3_000);
  await during();
  await Bun.sleep(3_000);
  const { requests, failures, perSecond, ...times } = await load.stop();
  const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
  const { p50Milliseconds, p99Milliseconds, mostMilliseconds, replicas } = times;
  const seen = [
    `${requests} requests, ${perSecond.toFixed(0)}/s, ${failed} failed`,
    `p50 ${p50Milliseconds} ms, p99 ${p99Milliseconds} ms, most ${mostMilliseconds} ms`,
    `${Object.keys(replicas).length} replicas`,
  ];
  report(what, failed === 0 && perSecond > requestsPerSecond * 0.95, seen.join("; "));
  for (const [reason, count] of Object.entries(failures))
    process.stdout.write(`  ${count} × ${reason}\n`);
}

async function pods(): Promise<readonly Pod[]> {
  return JSON.parse(await kubectl(["get", "pods", "--output", "json"])).items;
}
