// The simulation of one envelope with its explanation: what `svc simulate` and POST /v1/simulate
// report.

import { refusalAsDeclared, withRemedy } from "../../explain/as-declared.ts";
import { causeOfSimulation, explainSimulation } from "../../explain/explain-simulation.ts";
import { refusalsOnSending, unsignedOf } from "../../explain/sending.ts";
import type { Sending, Simulation, SimulationReport } from "../../model/simulation.ts";
import type { RunOptions, Simulator } from "../../simulator/simulator.ts";
import { isFailureOfNode } from "../../sources/source.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { ENVELOPE_TYPE } from "../../xdr/envelope/envelope-terms.ts";
import {
  withAuthorizations,
  withSorobanTransactionData,
} from "../../xdr/envelope/patch-envelope.ts";
import { readAccount } from "../../xdr/ledger/account.ts";
import { accountKeyOf } from "../../xdr/reader/keys.ts";
import { instanceKeyOfContract } from "../../xdr/values/value-parts.ts";
import { openGivenEnvelope } from "../run/open-given-envelope.ts";
import { optionalRun } from "../run/optional-run.ts";
import { settingsOf, withSettings } from "./current-settings.ts";
import { BASE_RESERVE_STROOPS } from "./current-state.ts";
import { runAsDeclared } from "./run-as-declared.ts";
import {
  type SimulateDependencies,
  type SimulationWish,
  simulateTransaction,
} from "./simulate-transaction.ts";

export interface ReportDependencies extends SimulateDependencies {
  /** svc-sim, which enforces what the envelope declares. */
  readonly replayer: Simulator;
}

/** `name`: of the input. Throws FILE_INVALID when it is not an envelope, and what nodes and simulators fail with. */
export async function reportSimulation(
  dependencies: ReportDependencies,
  wish: SimulationWish,
  options: RunOptions & { readonly name: string },
): Promise<SimulationReport> {
  const { networkPassphrase } = dependencies;
  const envelope = openGivenEnvelope(wish.transactionXdr, networkPassphrase, options.name);
  await withSettings(dependencies.state, namedKeys(envelope), options);
  const { simulation, read } = await simulateTransaction(dependencies, wish, options);
  const known = {
    ...read,
    entriesXdr: [...read.entriesXdr, ...(await limitsOf(simulation, dependencies, options))],
  };
  const succeeds =
    simulation.error === null && causeOfSimulation(simulation, envelope, known) === null;
  const sending = await checkSending(dependencies, envelope, { simulation, succeeds }, options);
  const explanation = explainSimulation(simulation, envelope, known, sending);
  return { networkPassphrase, simulation, explanation, sending };
}

/** The entries that it will need in any case: asked for at once, they are of one ledger. */
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

/** The settings that a simulation does not read have limits too. */
async function limitsOf(
  { latestLedger }: Simulation,
  { state }: ReportDependencies,
  options: RunOptions,
): Promise<string[]> {
  const settings =
    latestLedger === 0 ? null : await unlessNodesFail(() => withSettings(state, [], options));
  return settings === null ? [] : settingsOf(settings).map(({ entryXdr }) => entryXdr);
}

/** What keeps it from being applied. Null where that is not known. */
async function checkSending(
  dependencies: ReportDependencies,
  envelope: Envelope,
  { simulation, succeeds }: { readonly simulation: Simulation; readonly succeeds: boolean },
  options: RunOptions,
): Promise<Sending | null> {
  const { state: current } = dependencies;
  if (simulation.latestLedger === 0) return null;
  const { signers } = envelope.terms;
  return unlessNodesFail(async () => {
    const latest = await current.latest(options);
    const { tip, entries } = await current.withKeys(latest, signers.map(accountKeyOf), options);
    const accounts = new Map(
      signers.map((address) => {
        const entry = entries.get(accountKeyOf(address));
        return [address, entry ? readAccount(entry.entryXdr) : null];
      }),
    );
    const state = { ...tip, accounts, baseReserveStroops: BASE_RESERVE_STROOPS };
    const refusals = refusalsOnSending(envelope, state, simulation);
    const more = succeeds ? await checkDeclared(dependencies, envelope, simulation, options) : NONE;
    const all = [...refusals, ...(more?.refusals ?? [])];
    if (more === null && all.length === 0) return null;
    const { failsAsDeclared, simulatedRefusal } = more ?? NONE;
    return { ledger: tip.sequence, refusals: all, failsAsDeclared, simulatedRefusal };
  });
}

const NONE = { refusals: [], failsAsDeclared: false, simulatedRefusal: null } as const;

/**
 * Null where it could not be run. An unsigned authorization is one of the refusals already, and
 * would hide what is declared.
 */
async function checkDeclared(
  dependencies: ReportDependencies,
  envelope: Envelope,
  simulation: Simulation,
  options: RunOptions,
): Promise<Omit<Sending, "ledger"> | null> {
  const declaresNothing = envelope.soroban === null && simulation.transactionDataXdr === null;
  if (declaresNothing || envelope.decoded.type === ENVELOPE_TYPE.v0) return NONE;
  if (unsignedOf(simulation, envelope).length > 0) return NONE;
  const refusalOf = async (declared: Envelope, how: "As it stands" | "With these") => {
    const ran = await runAsDeclared(dependencies, declared, options);
    return refusalAsDeclared({ ...ran, envelope: declared }, how);
  };
  const run = { ...options, caveats: [] };
  return optionalRun("To see whether it succeeds as it stands", run, async () => {
    const found = envelope.soroban === null ? null : await refusalOf(envelope, "As it stands");
    const simulated = await refusalOf(asSimulated(envelope, simulation), "With these");
    return {
      refusals: found === null ? [] : [withRemedy(found, simulated)],
      failsAsDeclared: found?.isDeclared === true,
      simulatedRefusal: simulated?.isDeclared ? simulated.refusal : null,
    };
  });
}

/** The envelope with the resources, footprint and authorizations that a simulation reports. */
export function asSimulated(
  envelope: Envelope,
  { transactionDataXdr, authorizationsXdr }: Simulation,
): Envelope {
  if (transactionDataXdr === null) return envelope;
  const declared = withSorobanTransactionData(envelope, transactionDataXdr);
  if (envelope.hostFunction === null) return declared;
  return withAuthorizations(declared, authorizationsXdr);
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
