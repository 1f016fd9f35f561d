// A ledger file without nodes: the report has the facts of the ledger, and claims nothing else.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RecordedNetwork } from "../support/recorded-network.ts";
import { svc } from "./run-svc.ts";

const NOBODY = ["--horizon-url", "http://127.0.0.1:1", "--rpc-url", "http://127.0.0.1:1"];

const network = new RecordedNetwork();
const directory = mkdtempSync(join(tmpdir(), "svc-offline-"));
afterAll(() => rmSync(directory, { recursive: true }));

async function debug(name: string, nodes: readonly string[]) {
  const found = network.named(name);
  const file = join(directory, `${found.ledger}.xdr`);
  writeFileSync(file, network.ledgerBytes(found.ledger) as Buffer);
  const passphrase = ["--network-passphrase", network.passphrase];
  const words = ["debug", found.hash, "--ledger-file", file, ...passphrase, ...nodes, "--json"];
  const { exitCode, stdout, stderr } = await svc(words);
  return { exitCode, stderr, report: JSON.parse(stdout), file, source: `file ${file}` };
}

test.each([
  { nodes: [], reason: "no source has ledger entries" },
  { nodes: NOBODY, reason: "http://127.0.0.1:1 refused the connection (ECONNREFUSED)." },
])("a Soroban transaction is explained, and what is missing said: $reason", async (one) => {
  const found = await debug("SAC transfer alice -> bob", one.nodes);
  const { exitCode, stderr, report, source, file } = found;
  expect([exitCode, stderr, report.verdict.kind]).toEqual([6, "", "inconclusive"]);
  expect(report.outcome.success).toBe(true);
  expect(new Set(Object.values(report.origins))).toEqual(new Set([source]));
  expect(report.ledger.sequence).toBe(356);
  expect(report.tokens.moves).toMatchObject([{ kind: "transfer", symbol: "LAB", units: "1234" }]);
  const unknown = report.verdict.caveats.filter(
    (caveat: { kind: string }) => caveat.kind === "unknown",
  );
  expect(unknown[0].detail).toBe(one.reason);
  const ofMeta = report.snapshot.entries.filter(
    (entry: { provenance: { kind: string } }) => entry.provenance.kind === "meta",
  );
  expect(ofMeta.length).toBeGreaterThan(0);
  // No node has the transaction, so the next command needs the file too.
  const next = report.outcome.next.at(-1);
  expect(next.command).toContain(` --ledger-file ${file} --rpc-url URL`);
});

test("a classic transaction needs no more than its ledger", async () => {
  const { exitCode, stderr, report } = await debug("classic payment underfunded", NOBODY);
  expect([exitCode, stderr, report.classic]).toEqual([0, "", true]);
  expect(report.outcome.cause.summary).toContain("paymentUnderfunded");
});

test("for a hash that is not in the file, nodes are asked", async () => {
  const file = join(directory, "380.xdr");
  writeFileSync(file, network.ledgerBytes(380) as Buffer);
  const words = ["--ledger-file", file, "--network-passphrase", network.passphrase, ...NOBODY];
  const { exitCode, stdout, stderr } = await svc(["debug", "ab".repeat(32), ...words]);
  expect([exitCode, stdout]).toEqual([4, ""]);
  expect(stderr).toContain("[NETWORK_UNREACHABLE]");
});
