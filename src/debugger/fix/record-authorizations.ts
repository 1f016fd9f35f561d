// Runs a transaction again on the same state, in a host that records the required authorizations
// instead of checking them.

import { indexOfBytes } from "../../base/bytes.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { lacksCheckAuth } from "../../explain/causes/authorization.ts";
import { causeOfTrap } from "../../explain/causes/cause.ts";
import { type Failure, failureInConstructor, failureOf } from "../../explain/causes/failure.ts";
import { causeOfSimulation } from "../../explain/explain-simulation.ts";
import { nameAuthorization } from "../../explain/naming/authorizations.ts";
import { inWords } from "../../explain/words/cause-words.ts";
import type { FixContext, RecordedRun, RemediedCause } from "../../fix/fix-context.ts";
import type { RecordedAuthorization } from "../../model/fix.ts";
import { invokeHostFunctionCode } from "../../model/result-code.ts";
import type { Simulation } from "../../model/simulation.ts";
import { type SnapshotEntry, snapshotState } from "../../model/snapshot.ts";
import { knownIn } from "../../model/state/entry-state.ts";
import type { RecordingRequest } from "../../simulator/recording-schema.ts";
import type { RecordingSimulator } from "../../simulator/recording-simulator.ts";
import { type LiveEntry, preflightRequest, recordingModeOf } from "../../simulator/requests.ts";
import { type ContractLookup, contractLookup } from "../../xdr/contract/contract-specs.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { addressCredentials, readAuthorization } from "../../xdr/envelope/authorizations.ts";
import { withAuthorizations } from "../../xdr/envelope/patch-envelope.ts";
import { judgeAuthorization } from "../../xdr/envelope/sign-authorization.ts";
import { ENTRY_TYPE, keyOfEntry } from "../../xdr/reader/keys.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { addressText } from "../../xdr/reader/to-json.ts";
import { decode, encode, type Value } from "../../xdr/reader/value.ts";
import type { Replayable } from "../run/run-variant.ts";

export interface RecordDependencies {
  readonly recorder: RecordingSimulator;
  readonly findEntries: FixContext["findEntries"];
}

type Outcome = Omit<Simulation, "latestLedger">;

const NOT_RECORDED = "The required authorizations could not be recorded";

/**
 * The maximum number of runs. Each one can find an entry that is needed only after another one was
 * read.
 */
const MAXIMUM_ROUNDS = 100;

/** Returns a reason if it cannot run. Throws only if it is interrupted, or for a defect of svc. */
export async function recordAuthorizations(
  dependencies: RecordDependencies,
  captured: Replayable,
  options: { readonly signal: AbortSignal },
): Promise<RecordedRun> {
  try {
    return await record(dependencies, captured, options);
  } catch (error) {
    if (options.signal.aborted || !(error instanceof SvcError)) throw error;
    return failed(`${NOT_RECORDED}. ${error.message}`);
  }
}

async function record(
  dependencies: RecordDependencies,
  ran: Replayable,
  options: { readonly signal: AbortSignal },
): Promise<RecordedRun> {
  const answer = await simulateOnState(dependencies, ran, options);
  if (answer.kind === "failed")
    return failed(`${NOT_RECORDED}: ${lackingStateInWords(answer.lacking)}.`);
  const { simulation, entries } = answer;
  const entriesXdr = [...entries.values()].flatMap((entry) => entry?.entryXdr ?? []);
  const run = readRun(simulation, ran, contractLookup(entriesXdr));
  return run.kind === "failed" ? run : (overLimits(simulation, ran, entriesXdr) ?? run);
}

export type SimulationOnState =
  | {
      readonly kind: "simulated";
      readonly simulation: Outcome;
      /** The state that the run read; null for an entry that does not exist. */
      readonly entries: ReadonlyMap<string, LiveEntry | null>;
    }
  | { readonly kind: "failed"; readonly lacking: LackingState };

/** The state that a simulation lacks. */
export type LackingState =
  /** `entry`: its name. */
  | { readonly kind: "entry-unknown"; readonly entry: string }
  /** Each run asked for more entries. */
  | { readonly kind: "incomplete"; readonly rounds: number };

/** A clause. */
export function lackingStateInWords(lacking: LackingState): string {
  return lacking.kind === "entry-unknown"
    ? `the state of ${lacking.entry} is unknown`
    : `the state was not complete in ${lacking.rounds} rounds`;
}

/**
 * Simulates the transaction on its own state, in a host that records authorizations. Throws the
 * errors of the simulator.
 */
export async function simulateOnState(
  { recorder, findEntries }: RecordDependencies,
  ran: Replayable,
  { signal }: { readonly signal: AbortSignal },
): Promise<SimulationOnState> {
  const known = new Map(ran.snapshot.entries.map((entry) => [entry.keyXdr, liveEntry(entry)]));
  for (const { entryXdr } of ran.snapshot.settings)
    known.set(keyOfEntry(entryXdr), { entryXdr, archived: false, liveUntilLedger: null });
  for (let round = 1; round <= MAXIMUM_ROUNDS; round += 1) {
    const answer = await recorder.record(requestOf(ran, known), { signal });
    if (answer.kind === "simulated") return { ...answer, entries: known };
    const { entries, unknown } = await findEntries(answer.keysXdr);
    const [missing] = unknown;
    if (missing !== undefined) {
      const entriesXdr = [...known.values()].flatMap((entry) => entry?.entryXdr ?? []);
      const entry = describeTypedKey(missing.keyXdr, contractLookup(entriesXdr));
      return { kind: "failed", lacking: { kind: "entry-unknown", entry } };
    }
    for (const entry of entries) known.set(entry.keyXdr, liveEntry(entry));
  }
  return { kind: "failed", lacking: { kind: "incomplete", rounds: MAXIMUM_ROUNDS } };
}

function requestOf(
  { record, envelope }: Replayable,
  known: ReadonlyMap<string, LiveEntry | null>,
): RecordingRequest {
  return preflightRequest({
    envelopeXdr: withAuthorizations(envelope, []).xdr,
    networkPassphrase: record.networkPassphrase,
    ledger: record.ledger,
    entries: known,
    // The hash as the seed gives the same nonces in every run, and no other transaction has them.
    seed: record.hash,
    authMode: recordingModeOf(record.ledger.protocolVersion),
  });
}

function liveEntry(entry: SnapshotEntry): LiveEntry | null {
  const { entryXdr, archived, liveUntilLedger } = entry;
  return entryXdr === null ? null : { entryXdr, archived, liveUntilLedger };
}

function readRun(simulation: Outcome, ran: Replayable, lookup: ContractLookup): RecordedRun {
  const { error, transactionDataXdr, restorePreamble } = simulation;
  if (error !== null || transactionDataXdr === null) {
    const [words = ""] = (error ?? "").split("\n");
    const failure = failureIn(simulation, ran, lookup);
    const reason = `A run that records authorizations instead of checking them also fails: ${neutralise(words)}.`;
    const { error: ended } = failureInConstructor(failure);
    return { kind: "failed", reason, next: causeOf(failure), error: ended };
  }
  if (restorePreamble !== null) return failed("Archived entries have to be restored first.");
  const data = Uint8Array.fromBase64(transactionDataXdr);
  const entriesXdr = keepSigned(simulation.authorizationsXdr, data, ran);
  const authorizations = entriesXdr.map((entryXdr): RecordedAuthorization => {
    const facts = readAuthorization(decode("SorobanAuthorizationEntry", entryXdr));
    const named = nameAuthorization(facts, lookup);
    // The signer sets the expiration ledger.
    return facts.signed ? { ...named, entryXdr } : { ...named, validUntilLedger: null, entryXdr };
  });
  const unable = authorizations.find(({ signer }) => lacksCheckAuth(signer, lookup));
  if (unable !== undefined)
    return failed(`${unable.signer} is a contract without \`__check_auth\`, so it cannot sign.`);
  return { kind: "succeeded", authorizations, transactionDataXdr: data.toBase64() };
}

/**
 * The reason why the network refuses a transaction that needs more than the network allows. Null if
 * it does not refuse it.
 */
function overLimits(
  simulation: Outcome,
  { envelope }: Replayable,
  entriesXdr: readonly string[],
): RecordedRun | null {
  const read = { entriesXdr, absentKeysXdr: [] };
  const over = causeOfSimulation({ ...simulation, latestLedger: 0 }, envelope, read);
  if (over === null) return null;
  const { cause, remedy } = inWords(over);
  return { kind: "failed", reason: cause.summary, next: { cause, remedy }, error: null };
}

/**
 * Keeps the authorizations that an account signed with its own key for the same calls, if their
 * nonces were not used. In the footprint, the nonce of each takes the place of the recorded one. If
 * none was missing, all authorizations are new.
 */
function keepSigned(
  recordedXdr: readonly string[],
  data: Uint8Array,
  { envelope, snapshot, record: { ledger, networkPassphrase } }: Replayable,
): readonly string[] {
  const state = snapshotState(snapshot);
  const reusable = envelope.authorizationsXdr.flatMap((entryXdr) => {
    const entry = decode("SorobanAuthorizationEntry", entryXdr);
    const credentials = addressCredentials(entry.credentials);
    const signatures = judgeAuthorization(entry, networkPassphrase);
    if (credentials === null || credentials.signatureExpirationLedger < ledger.sequence) return [];
    const nonceXdr = nonceKey(credentials);
    const unused = knownIn(state, nonceXdr)?.entryXdr === null;
    const isOwn = signatures?.some(({ signer }) => signer === addressText(credentials.address));
    const holds = isOwn === true && signatures?.every((each) => each.holds) === true;
    return unused && holds ? [{ entryXdr, nonceXdr, allowed: allowedBy(entry, credentials) }] : [];
  });
  const kept = recordedXdr.map((entryXdr) => {
    const entry = decode("SorobanAuthorizationEntry", entryXdr);
    const credentials = addressCredentials(entry.credentials);
    if (credentials === null) return { entryXdr, isNew: false };
    const at = reusable.findIndex(({ allowed }) => allowed === allowedBy(entry, credentials));
    const [same] = at === -1 ? [] : reusable.splice(at, 1);
    return same === undefined
      ? { entryXdr, isNew: true }
      : { ...same, isNew: false, replacedXdr: nonceKey(credentials) };
  });
  if (!kept.some(({ isNew }) => isNew)) return recordedXdr;
  const nonces = kept.flatMap((each) => {
    if (!("replacedXdr" in each)) return [];
    const place = indexOfBytes(data, Uint8Array.fromBase64(each.replacedXdr));
    return [{ place, bytes: Uint8Array.fromBase64(each.nonceXdr) }];
  });
  if (nonces.some(({ place }) => place === -1)) return recordedXdr;
  for (const { place, bytes } of nonces) data.set(bytes, place);
  return kept.map(({ entryXdr }) => entryXdr);
}

type AuthorizationEntry = Value<"SorobanAuthorizationEntry">;
type Credentials = Value<"SorobanAddressCredentials">;

function allowedBy({ rootInvocation }: AuthorizationEntry, { address }: Credentials): string {
  return `${addressText(address)} ${encode("SorobanAuthorizedInvocation", rootInvocation)}`;
}

function nonceKey({ address, nonce }: Credentials): string {
  const key = { type: SCV.nonceKey, nonceKey: { nonce } } as const;
  const contractData = { contract: address, key, durability: 0 } as const;
  return encode("LedgerKey", { type: ENTRY_TYPE.contractData, contractData });
}

function failureIn(
  { diagnosticsXdr }: Outcome,
  { record, envelope, snapshot }: Replayable,
  lookup: ContractLookup,
): Failure {
  return failureOf(diagnosticsXdr, {
    result: invokeHostFunctionCode("trapped"),
    envelope,
    ledger: record.ledger.sequence,
    snapshot,
    execution: null,
    lookup,
    simulated: true,
  });
}

/** Null if the host reported nothing, or reported an authorization that it cannot record either. */
function causeOf(failure: Failure): RemediedCause | null {
  if (failure.error === null || failure.error.type === "Auth") return null;
  const { cause, remedy } = inWords(causeOfTrap(failure));
  return { cause, remedy };
}

function failed(reason: string): RecordedRun {
  return { kind: "failed", reason, next: null, error: null };
}
