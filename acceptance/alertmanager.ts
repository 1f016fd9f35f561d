// Alerts of `svc daemon --follow` in a real Prometheus Alertmanager: a chain on loopback whose
// transactions fail, and one of whose fees was changed. Prints what Alertmanager holds, by its API and
// by its own tool where that is installed; ends with 1 if an alert is missing.
//
//   bun acceptance/alertmanager.ts [PATH]
//
//   PATH   the program (default: prometheus-alertmanager or alertmanager of PATH; the Debian package
//          prometheus-alertmanager has it)

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SVC_BINARY } from "../scripts/ensure-built.ts";
import { readLedgerCloseMeta } from "../src/xdr/ledger/ledger-close-meta.ts";
import { openLongChain } from "../tests/support/long-chain.ts";

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly status: { readonly state: string };
}

const program =
  Bun.argv[2] ?? Bun.which("prometheus-alertmanager") ?? Bun.which("alertmanager") ?? null;
if (program === null) throw new Error("Alertmanager is not installed");
const LIMIT_MILLISECONDS = 60_000;
const LEDGERS = 5;
await ensureBuilt();
const directory = mkdtempSync(join(tmpdir(), "svc-alertmanager-"));
const port = freePort();
const address = `http://127.0.0.1:${port}`;
await using chain = openLongChain({ successes: 2, failures: 2 });
chain.tip = chain.first + LEDGERS;
await using node = lyingNode();

const alertmanager = startAlertmanager(program);
const daemon = startDaemon();
try {
  const begin = performance.now();
  const wanted = ["SvcReplayDiverged", "SvcTransactionFailed"];
  let alerts: readonly Alert[] = [];
  while (performance.now() - begin < LIMIT_MILLISECONDS) {
    alerts = await fetch(`${address}/api/v2/alerts`).then(
      async (answer) => (await answer.json()) as readonly Alert[],
      () => [],
    );
    const names = alerts.map(({ labels }) => labels.alertname ?? "");
    if (wanted.every((name) => names.includes(name))) break;
    await Bun.sleep(200);
  }
  for (const { labels, annotations, status } of alerts) {
    const { alertname, severity, contract = "", cause = "" } = labels;
    const about = [alertname, severity, status.state, contract, cause].filter(
      (part) => part !== "",
    );
    process.stdout.write(`${about.join(" ")}\n  ${annotations.summary}\n`);
  }
  const names = alerts.map(({ labels }) => labels.alertname);
  const missing = wanted.filter((name) => !names.includes(name));
  process.stdout.write(missing.length === 0 ? "ok\n" : `missing: ${missing.join(", ")}\n`);
  if (missing.length > 0) process.exitCode = 1;
  const tool = Bun.which("amtool");
  if (tool !== null) {
    const shown = Bun.spawnSync([tool, "alert", "query", `--alertmanager.url=${address}`]);
    process.stdout.write(shown.stdout);
  }
} finally {
  for (const child of [daemon, alertmanager]) {
    child.kill();
    await child.exited;
  }
  rmSync(directory, { recursive: true });
}

function startAlertmanager(path: string) {
  const config = join(directory, "alertmanager.yml");
  writeFileSync(config, "route:\n  receiver: none\nreceivers:\n  - name: none\n");
  const flags = [
    `--config.file=${config}`,
    `--storage.path=${join(directory, "alerts")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--cluster.listen-address=",
  ];
  return Bun.spawn([path, ...flags], { stdio: ["ignore", "ignore", "ignore"] });
}

function startDaemon() {
  const config = join(directory, "svc.json");
  const follow = {
    state: join(directory, "state"),
    behindLedgers: LEDGERS - 1,
    sinks: [{ kind: "alertmanager", name: "alertmanager", url: address }],
  };
  const settings = { rpcUrl: [node.url], networkPassphrase: chain.passphrase, follow };
  writeFileSync(config, JSON.stringify(settings));
  const words = ["daemon", "--follow", "--config", config, "--port", String(freePort())];
  return Bun.spawn([SVC_BINARY, ...words], {
    cwd: directory,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** The chain's node, with one bit of a fee of its last but one ledger changed. */
function lyingNode() {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const text = await request.text();
      const answer = await fetch(chain.url, { method: "POST", body: text });
      if (!text.includes('"getLedgers"')) return answer;
      const document = (await answer.json()) as {
        result: { ledgers: { sequence: number; metadataXdr: string }[] };
      };
      for (const ledger of document.result.ledgers) {
        if (ledger.sequence !== chain.tip - 1) continue;
        const bytes = Uint8Array.from(Buffer.from(ledger.metadataXdr, "base64"));
        const [changed] = readLedgerCloseMeta(bytes, chain.passphrase).transactions;
        const at = (changed?.result.byteOffset ?? 0) - bytes.byteOffset + 7;
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        ledger.metadataXdr = bytes.toBase64();
      }
      return Response.json(document);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/rpc`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port: free } = server;
  server.stop(true);
  return Number(free);
}
