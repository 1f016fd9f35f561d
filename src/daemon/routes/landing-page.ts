// GET /: a page for people who open the daemon in a browser. It is static except for the build and
// the network, and has no script and no external content.

import { BUILD_INFO } from "../../base/build-info.ts";

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

const ROUTES: readonly (readonly [string, string])[] = [
  ["GET /health", "liveness: version, network, simulator, and the last answer of each node"],
  ["GET /ready", "readiness: 200 if the daemon can simulate now, an error otherwise"],
  ["GET /metrics", "metrics for Prometheus"],
  ["GET /openapi.json", "these routes for machines"],
  ["POST /v1/debug", "a transaction's hash: what happened, why, and how to fix it"],
  ["POST /v1/simulate", "an envelope, with or without ledger entries: the result of running it"],
  ["POST /rpc", "JSON-RPC 2.0, as a node of Stellar RPC answers it"],
];

/** `network`: a name from svc's list, so it needs no escaping. */
export function landingPage(network: string): Response {
  const rows = ROUTES.map(([route, what]) => {
    const [method, path = ""] = route.split(" ");
    const link = method === "GET" ? `<a href="${path}">${path}</a>` : path;
    return `<tr><td><code>${method} ${link}</code></td><td>${what}</td></tr>`;
  });
  return new Response(
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>svc daemon</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 3rem auto; padding: 0 1rem }
td { padding: 0.2rem 1.5rem 0.2rem 0; vertical-align: top }
:root { color-scheme: light dark }
</style>
<h1>svc daemon</h1>
<p>Replays Stellar smart-contract transactions in the network's own contract host, and explains them.
Version ${BUILD_INFO.version}, network ${network}.</p>
<table>
${rows.join("\n")}
</table>
</html>
`,
    { headers: HEADERS },
  );
}
