// What the test of the core runs in a browser: the core with hashes of its own, and nothing of Node
// or Bun. Run by Bun, the same functions use Bun's hashes.

import { getPublicKey, hashes, verify } from "@noble/ed25519";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { useCrypto } from "../../src/base/crypto.ts";
import { reportSimulation } from "../../src/debugger/simulate/report-simulation.ts";
import { recordTransaction } from "../../src/debugger/travel/record-transaction.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import { openCapsule } from "../../src/debugger/walk/open-capsule.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import { renderPage } from "../../src/report/html/page.ts";
import { renderJson } from "../../src/report/json.ts";
import { LedgerEngine } from "../../src/simulator/ledger-engine.ts";
import { TravelSimulator } from "../../src/simulator/travel-simulator.ts";
import { openSources } from "../../src/sources/open-source.ts";
import { explainText } from "../../src/tools/explain-text.ts";

/** Everything whose imports must be there in a browser too. */
export const ENTRIES = [
  reportSimulation,
  recordTransaction,
  debugTransaction,
  replayCaptured,
  renderPage,
  renderJson,
  LedgerEngine,
  TravelSimulator,
  openSources,
];

/** `kind`: what the text is. JSON of what svc says of it, or of the error that it throws. */
export function answerOf(kind: "text" | "capsule", text: string): string {
  try {
    const answer =
      kind === "text"
        ? explainText({ text, name: "The text" })
        : openCapsule({ name: "The capsule", text }, null);
    return JSON.stringify(answer, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
  } catch (error) {
    return JSON.stringify({ error: String(error) });
  }
}

if (!("Bun" in globalThis)) {
  hashes.sha512 = sha512;
  useCrypto({
    sha256: (bytes) => new Uint8Array(sha256(bytes)),
    openSha256() {
      const hasher = sha256.create();
      return { update: (bytes) => void hasher.update(bytes), soFar: () => hasher.clone().digest() };
    },
    verifyEd25519: (publicKey, message, signature) => verify(signature, message, publicKey),
    ed25519PublicKey: (seed) => getPublicKey(seed),
    signEd25519: null,
  });
  Object.assign(globalThis, { answerOf });
}
