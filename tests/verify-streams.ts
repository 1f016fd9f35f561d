// bun tests/verify-streams.ts DIRECTORY… [--json] [--jobs N] [--network-passphrase TEXT]
//
// Verifies ledgers that stellar-core's own tests wrote, with the product's engine, and prints what
// `svc verify` prints of ledger files. The first run builds the hosts of stellar-core's test builds.
// The exit code is 0 when every transaction is exact, otherwise 1.

import { parseArgs } from "node:util";
import { VERIFICATION_RENDERERS } from "../src/report/renderers.ts";
import { parseVerifyInputs } from "../src/verification/commands/verify-inputs.ts";
import { ensureCoreTestBuilt, verifyCoreStreams } from "./support/core-streams.ts";

const { values, positionals } = parseArgs({
  args: Bun.argv.slice(2),
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
    "network-passphrase": { type: "string" },
  },
});
const inputs = parseVerifyInputs(positionals, process.cwd());
if (inputs.kind !== "files" || inputs.paths.length === 0) throw new Error("no ledger files");
ensureCoreTestBuilt();
const networkPassphrase = values["network-passphrase"] ?? null;
const verification = await verifyCoreStreams(inputs.paths, {
  signal: new AbortController().signal,
  jobs: Number(values.jobs),
  networkPassphrase,
});
const nodes = { networkPassphrase, areFiles: true, rpcUrls: [], ledgerLakeUrls: [] };
const render = VERIFICATION_RENDERERS[values.json ? "json" : "text"];
await Bun.write(Bun.stdout, await render(verification, { color: false, nodes }));
process.exitCode = verification.verdicts.exact === verification.transactions ? 0 : 1;
