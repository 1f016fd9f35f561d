// GET /: what this is, for somebody who opened it in a browser. Static but for the build and the
// network; no script, nothing from elsewhere.

import { BUILD_INFO } from "../../base/build-info.ts";

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

const ROUTES: readonly (readonly [string, string])[] = [
  ["GET /health", "liveness: version, network, simulator, and how each node answered last"],
  ["GET /ready", "can it simulate now"],
  ["GET /metrics", "metrics for Prometheus"],
  ["GET /openapi.json", "all of this for machines"],
  ["POST /v1/debug", "a transaction's hash: what happened, why, and what would mend it"],
  ["POST /v1/simulate", "an envelope and ledger entries: what it would do"],
  ["POST /rpc", "JSON-RPC 2.0"],
];

/** `network` is one of svc's own names. */
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
<p>Runs Stellar smart-contract transactions again with the network's own host, and explains them.
Version ${BUILD_INFO.version}, network ${network}.</p>
<table>
${rows.join("\n")}
</table>
</html>
`,
    { headers: HEADERS },
  );
}
