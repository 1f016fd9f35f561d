// Simulates the recorded network's transactions again, each on the state of the ledger of its
// recorded simulation, and returns both answers.

import { StrKey } from "@stellar/stellar-sdk";
import { ScVal } from "@stellar/stellar-sdk/xdr";
import { openCurrentState } from "../../src/debugger/simulate/current-state.ts";
import { simulateTransaction } from "../../src/debugger/simulate/simulate-transaction.ts";
import { rpcSimulation } from "../../src/report/rpc-simulation.ts";
import type { RecordingSimulator } from "../../src/simulator/recording-simulator.ts";
import type { Envelope } from "../../src/xdr/envelope/envelope.ts";
import { withArguments, withAuthorizations } from "../../src/xdr/envelope/patch-envelope.ts";
import { readDiagnosticEvent } from "../../src/xdr/outcome/diagnostics.ts";
import { elementsOf, voidValue } from "../../src/xdr/values/value-parts.ts";
import type { Loopback } from "./loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "./loopback-walk.ts";
import { openAnywhere } from "./opened.ts";
import type { RecordedTransaction } from "./recorded-network.ts";
import { TestClock } from "./test-clock.ts";

export interface SimulatedAgain {
  readonly recorded: Readonly<Record<string, unknown>>;
  readonly again: Readonly<Record<string, unknown>>;
}

/** Null when no simulation was recorded, or the close time of its ledger was not. */
export async function simulateAgain(
  loopback: Loopback,
  simulator: RecordingSimulator,
  transaction: RecordedTransaction,
): Promise<SimulatedAgain | null> {
  const { network } = loopback;
  const { simulation, rpcGetTransaction } = network.file(transaction);
  if (!simulation || network.closeTime(simulation.latestLedger) === null) return null;
  const tip = `tip=${simulation.latestLedger}`;
  const { sources, networkPassphrase } = openWalk(loopback, { horizon: [], rpc: [tip] });
  const state = openCurrentState({ sources, clock: new TestClock({ grantedUpTo: 5000 }) });
  const envelope = openAnywhere(String(rpcGetTransaction.result.envelopeXdr));
  const { simulation: found } = await simulateTransaction(
    { simulator, state, networkPassphrase },
    { transactionXdr: asSimulated(envelope, simulation).xdr },
    { signal: NEVER_ABORTED },
  );
  return { recorded: withPlainNonces(simulation), again: withPlainNonces(rpcSimulation(found)) };
}

/**
 * The sent envelope has the authorizations of the simulation's answer, signed. Where the
 * transaction had to fail, it has another call than the simulated one, which is in the first event
 * of the simulation.
 */
function asSimulated(envelope: Envelope, simulation: Readonly<Record<string, unknown>>): Envelope {
  const [result] = (simulation.results ?? []) as { auth: readonly string[] }[];
  if (result === undefined) return envelope;
  const answered = withAuthorizations(envelope, result.auth).authorizations;
  const given = answered.some(({ address, signed }) => address !== null && signed);
  const [called] = (simulation.events ?? []) as string[];
  const simulated = called === undefined ? envelope : withCall(envelope, called);
  return withAuthorizations(simulated, given ? result.auth : []);
}

/**
 * `eventXdr`: the host's `fn_call`, whose data are the arguments: none, the only one, or several.
 */
function withCall(envelope: Envelope, eventXdr: string): Envelope {
  const { topicsXdr, dataXdr } = readDiagnosticEvent(eventXdr);
  const [name, contract, called] = topicsXdr.map((topic) =>
    ScVal.schema.decode(Buffer.from(topic, "base64")),
  );
  const sent = envelope.hostFunction;
  if (sent?.kind !== "invoke" || name?.type !== SYMBOL || String(name.sym) !== "fn_call")
    return envelope;
  if (contract?.type !== BYTES || called?.type !== SYMBOL) return envelope;
  const single = dataXdr === voidValue() ? [] : [dataXdr];
  const args = elementsOf(dataXdr) ?? single;
  // In the operation, the function follows the contract, in front of the arguments.
  const before = calledBytes(StrKey.decodeContract(sent.contract), Buffer.from(sent.function));
  const after = calledBytes(contract.bytes, called.sym.bytes);
  const hex = Buffer.from(envelope.xdr, "base64").toString("hex").replace(before, after);
  return withArguments(openAnywhere(Buffer.from(hex, "hex").toString("base64")), args);
}

/** In hex: the 32 bytes of the contract, the function's length, its name and the padding. */
function calledBytes(contract: Uint8Array, name: Uint8Array): string {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(name.length);
  const filling = Buffer.alloc((4 - (name.length % 4)) % 4);
  return Buffer.concat([contract, length, name, filling]).toString("hex");
}

const BYTES = 13;
const SYMBOL = 15;

/** Nonces are random: the first becomes 1, the second 2, in every place. */
function withPlainNonces(answer: object): Readonly<Record<string, unknown>> {
  const found = answer as { results?: readonly { auth: readonly string[] }[] };
  const auth = found.results?.[0]?.auth ?? [];
  const nonces = auth.map(nonceOf).filter((nonce) => nonce !== null);
  const plain = (value: unknown): unknown => {
    if (typeof value === "string") return plainText(value, nonces);
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
  };
  return plain(answer) as Readonly<Record<string, unknown>>;
}

function plainText(text: string, nonces: readonly string[]): string {
  if (nonces.length === 0 || !/^[A-Za-z0-9+/]{16,}=*$/.test(text)) return text;
  let hex = Buffer.from(text, "base64").toString("hex");
  for (const [i, nonce] of nonces.entries()) {
    hex = hex.replaceAll(nonce, String(i + 1).padStart(16, "0"));
  }
  return Buffer.from(hex, "hex").toString("base64");
}

/** In hex; null with the source account's credentials. */
function nonceOf(authorizationXdr: string): string | null {
  const bytes = Buffer.from(authorizationXdr, "base64");
  if (bytes.readInt32BE(0) === 0) return null;
  const isAccount = bytes.readInt32BE(4) === 0;
  const at = isAccount ? 44 : 40;
  return bytes.subarray(at, at + 8).toString("hex");
}
