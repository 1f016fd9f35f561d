// Runs a call once more that fails in a simulation, which records the authorizations that it needs
// instead of checking them. This run checks them, as the run does that shows which value decides.
// Each authorization that the calls require is added, in the name of the operation's source
// account, whose authorization needs no signature. So one account can authorize everything, and it
// becomes the source: no contract can tell who that is.

import { isAccountAddress } from "../../base/text/strkey.ts";
import { type Required, requiredInCalls } from "../../explain/naming/required-authorizations.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { CallNode, Execution } from "../../model/execution.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { replayRequest } from "../../simulator/requests.ts";
import type { RunOptions, Simulator } from "../../simulator/simulator.ts";
import { lookupIn } from "../../xdr/contract/lookup-in.ts";
import type { ContractCall } from "../../xdr/envelope/authorizations.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { withAuthorizations, withOperationSource } from "../../xdr/envelope/patch-envelope.ts";
import { sourceEntryOf, withSourceAuthorization } from "../../xdr/envelope/source-authorization.ts";

/** Each round shows the next authorization that is missing. */
const MOST_ROUNDS = 8;

export interface AuthorizedRun {
  readonly record: ChainRecord;
  readonly envelope: Envelope;
  readonly execution: Execution;
}

/**
 * `isAlike` says whether a run failed as the simulation did. Null: no such run is possible, because
 * several accounts or a contract must authorize the calls. Throws what the simulator throws.
 */
export async function runAuthorized(
  replayer: Simulator,
  {
    record,
    envelope,
    snapshot,
  }: Omit<AuthorizedRun, "execution"> & { readonly snapshot: Snapshot },
  isAlike: (execution: Execution) => boolean,
  options: RunOptions,
): Promise<AuthorizedRun | null> {
  let tried = envelope;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { hash, xdr: envelopeXdr } = tried;
    const own = { ...record, requestedHash: hash, hash, envelopeXdr };
    const traced = { trace: "host_calls", diagnostics: true, feeTakenStroops: null } as const;
    const execution = await replayer.replay(replayRequest(own, snapshot, traced), options);
    if (isAlike(execution)) return { record: own, envelope: tried, execution };
    const next = withRequired(tried, execution.callTree, snapshot);
    if (next === null || next.xdr === tried.xdr) return null;
    tried = next;
  }
  return null;
}

/** The envelope with all authorizations that the calls required. Null: one account cannot. */
function withRequired(
  envelope: Envelope,
  tree: CallNode | null,
  snapshot: Snapshot,
): Envelope | null {
  if (tree === null) return null;
  const required = [...requiredInCalls(tree, lookupIn(snapshot.entries))].filter(
    ({ by }) => by === null,
  );
  const [signer, ...others] = new Set(required.map((each) => each.signer));
  if (signer === undefined || others.length > 0 || !isAccountAddress(signer)) return null;
  const calls = required.map(({ frame }) => callOf(frame));
  const known = calls.flatMap((call) => call ?? []);
  if (known.length < calls.length) return null;
  const sent = withAuthorizations(withOperationSource(envelope, signer), []);
  if (envelope.hostFunction?.kind === "create") return allowedBelowCreation(sent, known);
  const entries = known.flatMap((call) => sourceEntryOf(call) ?? []);
  return entries.length < known.length ? null : withAuthorizations(sent, entries);
}

/** What a constructor requires is allowed below the creation, and nowhere else. */
function allowedBelowCreation(envelope: Envelope, calls: readonly ContractCall[]): Envelope | null {
  const created = withSourceAuthorization(envelope, []);
  return calls.reduce<Envelope | null>(
    (allowed, call) => allowed && (withSourceAuthorization(allowed, [call]) ?? allowed),
    created,
  );
}

function callOf({
  contract,
  function: name,
  argumentsXdr,
}: Required["frame"]): ContractCall | null {
  const values = argumentsXdr.flatMap((value) => value ?? []);
  if (contract === null || name === null || values.length < argumentsXdr.length) return null;
  return { contract, function: name, argumentsXdr: values };
}
