// The simulation of one envelope with its explanation: what `svc simulate` and POST /v1/simulate
// report.

import { phrase } from "../../base/phrase.ts";
import { refusalAsDeclared, withRemedy } from "../../explain/as-declared.ts";
import {
  causeOfSimulation,
  explainSimulation,
  type ForeseenWhy,
  type RanAsSimulated,
  type ReadState,
} from "../../explain/explain-simulation.ts";
import {
  refusalsOnSending,
  type SendingState,
  signersNotAsked,
  unsignedOf,
  withoutCheckAuth,
} from "../../explain/sending.ts";
import { withMaximumResources } from "../../fix/declared-resources.ts";
import type { Execution } from "../../model/execution.ts";
import { BASE_RESERVE_STROOPS } from "../../model/networks.ts";
import { SOROBAN_OPERATIONS } from "../../model/result-code.ts";
import type {
  Sending,
  SendingRefusal,
  Simulation,
  SimulationReport,
} from "../../model/simulation.ts";
import { replayRequest } from "../../simulator/requests.ts";
import type { RunOptions, Simulator } from "../../simulator/simulator.ts";
import { isFailureOfNode } from "../../sources/source.ts";
import { ownCall } from "../../xdr/envelope/created-contracts.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { ENVELOPE_TYPE } from "../../xdr/envelope/envelope-facts.ts";
import { openRecord } from "../../xdr/envelope/opened-record.ts";
import { withFootprint, withSorobanTransactionData } from "../../xdr/envelope/patch-envelope.ts";
import { withSourceAuthorization } from "../../xdr/envelope/source-authorization.ts";
import { readAccount } from "../../xdr/ledger/account.ts";
import { readTransactionLimits } from "../../xdr/ledger/transaction-limits.ts";
import { endingError } from "../../xdr/outcome/error-reports.ts";
import { resultOfOperation } from "../../xdr/outcome/result.ts";
import { accountKeyOf, isSettingKey, keyOfEntry } from "../../xdr/reader/keys.ts";
import { instanceKeyOfContract } from "../../xdr/values/value-parts.ts";
import { openGivenEnvelope } from "../run/open-given-envelope.ts";
import { optionalRun } from "../run/optional-run.ts";
import { RunSet } from "../run/run-set.ts";
import { findWhy } from "../walk/further-runs.ts";
import { asSimulated } from "./as-simulated.ts";
import { entriesOf } from "./current-state.ts";
import { envelopeToSign } from "./envelope-to-sign.ts";
import {
  allSettingsOf,
  settingsOf,
  uncheckedSettings,
  withAllSettings,
  withSettings,
} from "./next-ledger.ts";
import { runAsDeclared, snapshotOf } from "./run-as-declared.ts";
import { runAuthorized } from "./run-authorized.ts";
import {
  type SimulateDependencies,
  type SimulationParameters,
  simulateTransaction,
} from "./simulate-transaction.ts";

export interface ReportDependencies extends SimulateDependencies {
  /** svc-sim, which enforces what the envelope declares. */
  readonly replayer: Simulator;
}

export interface SimulationReportOptions extends RunOptions {
  /** True to show the calls of the contracts to the host, too. */
  readonly hostCalls?: boolean;
}

/**
 * `name` is that of the input. Throws FILE_INVALID if it is not an envelope, and the errors of
 * nodes and simulators.
 */
export async function reportSimulation(
  dependencies: ReportDependencies,
  parameters: SimulationParameters,
  options: SimulationReportOptions & { readonly name: string },
): Promise<SimulationReport> {
  const { networkPassphrase } = dependencies;
  const envelope = openGivenEnvelope(parameters.transactionXdr, networkPassphrase, options.name);
  if (envelope.operationKinds.some((kind) => SOROBAN_OPERATIONS.has(kind)))
    await withAllSettings(dependencies.state, namedKeys(envelope), options);
  const { simulation, read } = await simulateTransaction(dependencies, parameters, options);
  const known = {
    ...read,
    entriesXdr: [...read.entriesXdr, ...(await limitsOf(simulation, dependencies, options))],
  };
  const succeeds =
    simulation.error === null && causeOfSimulation(simulation, envelope, known) === null;
  const simulated = { simulation, succeeds };
  const [{ sending, ran }, why] = await Promise.all([
    checkSending(dependencies, envelope, simulated, options),
    unlessNodesFail(() => whyItFails(dependencies, envelope, simulation, read, options)),
  ]);
  const explanation = explainSimulation(simulation, envelope, known, sending, ran, why);
  const envelopeToSignXdr = envelopeToSign(envelope, simulated, sending);
  return { networkPassphrase, simulation, explanation, sending, envelopeToSignXdr };
}

/**
 * The keys of the entries that the simulation needs in any case. Entries that are asked for at once
 * come from one ledger.
 */
function namedKeys({ soroban, hostFunction, terms }: Envelope): string[] {
  const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
  const called = hostFunction?.kind === "invoke" ? hostFunction.contract : null;
  const instance = called === null ? null : instanceKeyOfContract(called);
  const declared = [...readOnly, ...readWrite];
  return [
    ...declared,
    ...(instance === null ? [] : [instance]),
    ...terms.signers.map(accountKeyOf),
  ];
}

/**
 * The network's settings, because some limits are in settings that a simulation does not read.
 * Empty if no node has them.
 */
async function limitsOf(
  { latestLedger }: Simulation,
  { state }: ReportDependencies,
  options: RunOptions,
): Promise<string[]> {
  const settings =
    latestLedger === 0 ? null : await unlessNodesFail(() => withSettings(state, [], options));
  return settings === null ? [] : settingsOf(settings).map(({ entryXdr }) => entryXdr);
}

interface CheckedSending {
  /** The reasons why the network would not apply it; null if they are unknown. */
  readonly sending: Sending | null;
  /**
   * The run with what the simulation reports; null if it did not run, or not with its host calls.
   */
  readonly ran: RanAsSimulated | null;
}

async function checkSending(
  dependencies: ReportDependencies,
  envelope: Envelope,
  { simulation, succeeds }: { readonly simulation: Simulation; readonly succeeds: boolean },
  options: SimulationReportOptions,
): Promise<CheckedSending> {
  const checked = await unlessNodesFail(async (): Promise<CheckedSending> => {
    const state = await sendingState(dependencies, envelope, options);
    // If the transaction runs nothing in the contract host, svc checks only its form.
    const runs = envelope.operationKinds.some((kind) => SOROBAN_OPERATIONS.has(kind));
    const refused = refusalsOnSending(envelope, state, simulation).filter(
      ({ isOfForm }) => runs || isOfForm,
    );
    const isInvalid = refused.some(({ isOfForm }) => isOfForm);
    const more = succeeds
      ? await checkDeclared(dependencies, envelope, { simulation, state, isInvalid }, options)
      : NONE;
    const refusals = [
      ...refused.map(({ code, detail, confidence }) => ({ code, detail, confidence })),
      ...(more?.refusals ?? []),
    ];
    // If the transaction did not run, it is unknown whether it would succeed.
    const { failsAsDeclared, simulatedRefusal, ran } = more ?? NONE;
    if (refusals.length === 0 && (more === null || simulation.latestLedger === 0))
      return { sending: null, ran };
    const { sequence: ledger, unchecked } = state;
    const waived = runs ? signersNotAsked(envelope, state) : [];
    const checks = { ledger, refusals, simulatedRefusal, unchecked, waived };
    return { sending: { ...checks, failsAsDeclared: isInvalid || failsAsDeclared }, ran };
  });
  return checked ?? { sending: null, ran: null };
}

async function sendingState(
  { state: current }: ReportDependencies,
  { terms: { signers } }: Envelope,
  options: RunOptions,
): Promise<SendingState & Pick<Sending, "unchecked">> {
  const known = await withAllSettings(current, signers.map(accountKeyOf), options);
  const accounts = new Map(
    entriesOf(known, signers.map(accountKeyOf)).map(([, entry], i) => [
      signers[i] ?? "",
      entry && readAccount(entry.entryXdr),
    ]),
  );
  const settingsXdr = allSettingsOf(known);
  const baseReserveStroops = BASE_RESERVE_STROOPS;
  const unchecked = uncheckedSettings(known);
  return { ...known.tip, accounts, settingsXdr, baseReserveStroops, unchecked };
}

const NONE = { refusals: [], failsAsDeclared: false, simulatedRefusal: null, ran: null } as const;

interface DeclaredRun {
  readonly simulation: Simulation;
  readonly state: SendingState;
  /** True if its form alone is a reason for a refusal, so that no run shows more. */
  readonly isInvalid: boolean;
}

/**
 * Null if it could not be run. An unsigned authorization is already one of the refusals, and would
 * hide the declared resources.
 */
async function checkDeclared(
  dependencies: ReportDependencies,
  envelope: Envelope,
  { simulation, state, isInvalid }: DeclaredRun,
  options: SimulationReportOptions,
): Promise<
  (Omit<Sending, "ledger" | "unchecked" | "waived"> & Pick<CheckedSending, "ran">) | null
> {
  const declaresNothing = envelope.soroban === null && simulation.transactionDataXdr === null;
  if (declaresNothing || envelope.decoded.type === ENVELOPE_TYPE.v0) return NONE;
  const unsigned = unsignedOf(simulation, envelope);
  if (unsigned.length > 0) return { ...NONE, simulatedRefusal: withoutCheckAuth(unsigned) };
  const refusalOf = async (declared: Envelope, resources: "declared" | "simulated") => {
    const hostCalls = resources === "simulated" && options.hostCalls === true;
    const ran = await runAsDeclared(dependencies, declared, { ...options, hostCalls });
    const run = { ...ran, envelope: declared };
    const refusal = refusalAsDeclared(run, state, `With the ${resources} resources`);
    return { refusal, ran: hostCalls ? ran : null };
  };
  const run = { ...options, caveats: [] };
  return optionalRun("To see whether it succeeds with the declared resources", run, async () => {
    const isRun = envelope.soroban !== null && !isInvalid;
    const declaredRefusal = isRun ? (await refusalOf(envelope, "declared")).refusal : null;
    const { refusal: simulated, ran } = await refusalOf(
      asSimulated(envelope, simulation),
      "simulated",
    );
    return {
      ran,
      refusals: declaredRefusal === null ? [] : [withRemedy(declaredRefusal, simulated)],
      failsAsDeclared: declaredRefusal?.isDeclared === true,
      simulatedRefusal: simulated?.isDeclared ? withMore(simulated.refusal) : null,
    };
  });
}

/** A transaction that no network takes, whatever it declares, has no such remedy. */
function withMore(refusal: SendingRefusal): SendingRefusal {
  if (refusal.code === "txSorobanInvalid") return refusal;
  return { ...refusal, detail: phrase`${refusal.detail} Declare the amounts that were used.` };
}

/** Zero of everything. */
const NO_SOROBAN_DATA = new Uint8Array(32).toBase64();
/**
 * Finds which value decides that a contract's code fails, with a run that svc-sim enforces on what
 * the simulation read, with the authorizations that its calls require. Null if no such run fails in
 * the same way.
 */
async function whyItFails(
  { replayer, simulator: recorder, state }: ReportDependencies,
  envelope: Envelope,
  { error, diagnosticsXdr }: Simulation,
  { entriesXdr, absentKeysXdr }: ReadState,
  options: RunOptions,
): Promise<ForeseenWhy | null> {
  const { networkPassphrase, decoded } = envelope;
  const call = ownCall(envelope);
  if (error === null || call === null || decoded.type === ENVELOPE_TYPE.v0) return null;
  const keys = [...entriesXdr.map(keyOfEntry), ...absentKeysXdr].filter(
    (key) => !isSettingKey(key),
  );
  const known = await withSettings(state, keys, options);
  const snapshot = snapshotOf(known, keys);
  const path = envelope.hostFunction?.kind === "invoke" ? [call] : [];
  const authorized =
    (envelope.authorizationsXdr.length === 0 && withSourceAuthorization(envelope, path)) ||
    envelope;
  const declared = withMaximumResources(
    withFootprint(withSorobanTransactionData(authorized, NO_SOROBAN_DATA), {
      readOnly: [],
      readWrite: keys,
    }),
    readTransactionLimits(snapshot.settings.map(({ entryXdr }) => entryXdr)),
  );
  const ledger = { ...NO_LEDGER, ...known.tip };
  const { hash, xdr: envelopeXdr } = declared;
  const unsent = { ...UNSENT, requestedHash: hash, hash, networkPassphrase, envelopeXdr, ledger };
  const run = { ...options, caveats: [] };
  const isAlike = (execution: Execution) =>
    firstError(execution.diagnosticsXdr) === firstError(diagnosticsXdr);
  const captured = { record: unsent, envelope: declared, snapshot };
  const findEntries = async (more: readonly string[]) =>
    snapshotOf(await withSettings(state, [...keys, ...more], options), more).entries;
  const ran = await optionalRun("To find which value decides", run, () =>
    runAuthorized(replayer, captured, isAlike, { ...options, findEntries }),
  );
  if (ran === null) return null;
  const { record, execution } = ran;
  const resultXdr = resultOfOperation(execution.operationResultXdr, false);
  const opened = openRecord({ ...record, resultXdr }, ran.envelope);
  const replayed = { ...opened, snapshot: ran.snapshot, execution };
  const traced = { trace: true, diagnostics: true, feeTakenStroops: null };
  const request = replayRequest(record, ran.snapshot, traced);
  const engines = { simulator: replayer, recorder };
  const reason = await findWhy(engines, new RunSet(engines, request), replayed, run);
  return reason && { ...reason, ledger };
}

/** A transaction that no chain has recorded. Its result is that of the run. */
const UNSENT = {
  innerHash: null,
  resultXdr: "",
  resultMetaXdr: null,
  feeChangesXdr: null,
  refundChangesXdr: null,
  diagnosticEventsXdr: [],
  applicationOrder: 1,
  origins: {},
};
const NO_LEDGER = {
  baseFeeStroops: 100,
  baseReserveStroops: BASE_RESERVE_STROOPS,
  transactionSetHash: "0".repeat(64),
};

function firstError(diagnosticsXdr: readonly string[]): string {
  const first = endingError(diagnosticsXdr);
  return JSON.stringify([first?.origin?.contract, first?.error, first?.origin?.message]);
}

/** A node that fails here costs a check, not the simulation. */
async function unlessNodesFail<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (!isFailureOfNode(error)) throw error;
    return null;
  }
}
