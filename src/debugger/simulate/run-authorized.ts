// Runs a call once more that fails in a simulation. A simulation records the authorizations that
// the call needs, and does not check them. This run checks them, as the run does that shows which
// value decides. svc adds each authorization that the calls require. If one account has to give all
// of them, it becomes the operation's source account, whose authorization needs no signature. No
// contract can see which account that is. For several accounts, and for contracts, there are
// stand-ins.

import { isAccountAddress } from "../../base/text/strkey.ts";
import { type Required, requiredInCalls } from "../../explain/naming/required-authorizations.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { CallNode, Execution } from "../../model/execution.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { replayRequest } from "../../simulator/requests.ts";
import type { RunOptions, Simulator } from "../../simulator/simulator.ts";
import { lookupIn } from "../../xdr/contract/lookup-in.ts";
import { type ContractCall, CREDENTIALS } from "../../xdr/envelope/authorizations.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { withAuthorizations, withOperationSource } from "../../xdr/envelope/patch-envelope.ts";
import {
  authorizedCall,
  withSourceAuthorization,
} from "../../xdr/envelope/source-authorization.ts";
import { encode } from "../../xdr/reader/value.ts";
import { type AllowedCall, type Signed, signerKeyOf, standIn } from "./stand-in-signers.ts";

/** Each round shows the next authorization that is missing. */
const MOST_ROUNDS = 8;

export interface AuthorizedRun {
  readonly record: ChainRecord;
  readonly envelope: Envelope;
  /** The state of the run. */
  readonly snapshot: Snapshot;
  readonly execution: Execution;
}

/**
 * `isAlike` says whether a run failed as the simulation did. Null if svc cannot give the
 * authorizations that the calls require. Throws the errors of the simulator.
 */
export async function runAuthorized(
  replayer: Simulator,
  { record, envelope, snapshot }: Omit<AuthorizedRun, "execution">,
  isAlike: (execution: Execution) => boolean,
  { findEntries, ...options }: RunOptions & FindsEntries,
): Promise<AuthorizedRun | null> {
  let tried: Prepared = { envelope, snapshot };
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { hash, xdr: envelopeXdr } = tried.envelope;
    const own = { ...record, requestedHash: hash, hash, envelopeXdr };
    const traced = { trace: "host_calls", diagnostics: true, feeTakenStroops: null } as const;
    const execution = await replayer.replay(replayRequest(own, tried.snapshot, traced), options);
    if (isAlike(execution)) return { record: own, ...tried, execution };
    const { sequence } = record.ledger;
    const first = { envelope, snapshot };
    const next = await withRequired(first, execution.callTree, sequence, findEntries);
    if (next === null || next.envelope.xdr === tried.envelope.xdr) return null;
    tried = next;
  }
  return null;
}

interface FindsEntries {
  /** The current entries of keys. */
  readonly findEntries: (keysXdr: readonly string[]) => Promise<Snapshot["entries"]>;
}

interface Prepared {
  readonly envelope: Envelope;
  readonly snapshot: Snapshot;
}

/** The run with all authorizations that the calls required. Null if svc cannot give them. */
async function withRequired(
  { envelope, snapshot }: Prepared,
  tree: CallNode | null,
  ledger: number,
  findEntries: FindsEntries["findEntries"],
): Promise<Prepared | null> {
  if (tree === null) return null;
  const required = [...requiredInCalls(tree, lookupIn(snapshot.entries))].filter(
    ({ by }) => by === null,
  );
  const [signer, ...others] = new Set(required.map((each) => each.signer));
  if (signer === undefined) return null;
  const isCreation = envelope.hostFunction?.kind === "create";
  if (others.length === 0 && isAccountAddress(signer)) {
    const sent = withAuthorizations(withOperationSource(envelope, signer), []);
    const allowed = isCreation
      ? allowedBelowCreation(sent, required)
      : allowedBySource(sent, rootsOf(signer, required, tree));
    return allowed && { envelope: allowed, snapshot };
  }
  if (isCreation) return null;
  const all: Signed[] = [];
  for (const each of [signer, ...others]) {
    const roots = rootsOf(each, required, tree);
    if (roots === null) return null;
    all.push({ signer: each, roots });
  }
  // A recording reads no account that only has to sign.
  const known = new Set(snapshot.entries.map(({ keyXdr }) => keyXdr));
  const missing = all.map(({ signer: each }) => signerKeyOf(each)).filter((key) => !known.has(key));
  const more = missing.length === 0 ? [] : await findEntries(missing);
  const entries = [...snapshot.entries, ...more];
  return standIn({ envelope, snapshot: { ...snapshot, entries } }, all, tree, ledger);
}

type RequiredOfCall =
  ReturnType<typeof requiredInCalls> extends Generator<infer Each> ? Each : never;

/**
 * The calls that an address has to authorize, each with those below it: separate authorizations
 * would not do for a call and one below it. Null if a call is not known in full.
 */
function rootsOf(
  signer: string,
  required: readonly RequiredOfCall[],
  tree: CallNode,
): AllowedCall[] | null {
  const own = required.filter((each) => each.signer === signer);
  let isKnown = true;
  const below = (node: CallNode): AllowedCall[] => {
    const subInvocations = node.calls.flatMap(below);
    const functions = own.flatMap(({ node: of, frame }) => {
      if (of !== node) return [];
      const call = callOf(frame);
      const allowed = call && authorizedCall(call);
      isKnown &&= allowed !== null;
      return allowed ?? [];
    });
    const [first, ...more] = functions;
    if (first === undefined) return subInvocations;
    return [
      { function: first, subInvocations },
      ...more.map((each) => ({ function: each, subInvocations: [] })),
    ];
  };
  const roots = below(tree);
  return isKnown ? roots : null;
}

/** Null if `roots` is. */
function allowedBySource(
  envelope: Envelope,
  roots: readonly AllowedCall[] | null,
): Envelope | null {
  const credentials = { type: CREDENTIALS.sourceAccount } as const;
  const entries = roots?.map((rootInvocation) =>
    encode("SorobanAuthorizationEntry", { credentials, rootInvocation }),
  );
  return entries === undefined ? null : withAuthorizations(envelope, entries);
}

/**
 * The authorizations that a constructor requires, below the creation and nowhere else. Null if a
 * call is not known in full.
 */
function allowedBelowCreation(
  envelope: Envelope,
  required: readonly RequiredOfCall[],
): Envelope | null {
  const calls = required.flatMap(({ frame }) => callOf(frame) ?? []);
  if (calls.length < required.length) return null;
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
