// A call that is made on the state of a replayed transaction, just before the transaction, as a
// migration after an upgrade is. The call runs in a host that records authorizations, so it needs
// no signatures.

import { neutralise } from "../../base/text/neutralise.ts";
import type { FixContext } from "../../fix/fix-context.ts";
import type { Overrides } from "../../model/overrides.ts";
import type { SimulatedChange } from "../../model/simulation.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import type { RecordingSimulator } from "../../simulator/recording-simulator.ts";
import { withInvocation } from "../../xdr/envelope/patch-envelope.ts";
import { ENTRY_TYPE, liveUntilOf, typeOfKey } from "../../xdr/reader/keys.ts";
import { decode } from "../../xdr/reader/value.ts";
import { type LackingState, simulateOnState } from "../fix/record-authorizations.ts";
import type { Engines } from "../run/replay.ts";
import { applyVariant } from "../run/run-variant.ts";
import { buildVariant } from "./build-variant.ts";
import { BY_USER } from "./variant-draft.ts";
import type { ReplayedRun } from "./what-if.ts";

export interface CallBeforehand {
  /** 32 bytes. */
  readonly contractId: Uint8Array;
  readonly function: string;
  /** ScVals. */
  readonly argumentsXdr: readonly string[];
}

export type MadeBeforehand =
  | { readonly kind: "made"; readonly changes: readonly ChangeBeforehand[] }
  | { readonly kind: "failed"; readonly failure: BeforehandFailure };

export interface BeforehandFailure {
  readonly function: string;
  readonly cause:
    | LackingState
    /** `message`: the first line of the host's error. */
    | { readonly kind: "host"; readonly message: string }
    /** Archived entries would have to be restored first. */
    | { readonly kind: "archived" };
}

export interface ChangeBeforehand {
  /** The entry before the call; null if it did not exist. */
  readonly beforeXdr: string | null;
  readonly after: SnapshotEntry;
}

/** About as long as networks let new persistent entries live. */
const NEW_ENTRY_LEDGERS = 120_960;

/** Makes the call with the new code. Throws OVERRIDE_IMPOSSIBLE and the errors of the simulator. */
export async function callBeforehand(
  engines: Engines & { readonly recorder: RecordingSimulator },
  replayed: ReplayedRun,
  { build, call }: { readonly build: Overrides; readonly call: CallBeforehand },
  findEntries: FixContext["findEntries"],
  options: { readonly signal: AbortSignal },
): Promise<MadeBeforehand> {
  const draft = await buildVariant(engines, replayed, build, options);
  const invokeContract = {
    contractAddress: { type: 1, contractId: call.contractId },
    functionName: new TextEncoder().encode(call.function),
    args: call.argumentsXdr.map((xdr) => decode("ScVal", xdr)),
  } as const;
  const envelope = withInvocation(draft.envelope, () => ({
    hostFunction: { type: 0, invokeContract },
    auth: [],
  }));
  const ran = applyVariant(replayed, { ...draft, envelope });
  const answer = await simulateOnState({ recorder: engines.recorder, findEntries }, ran, options);
  if (answer.kind === "failed") return failedBy(call, answer.lacking);
  const { error, restorePreamble, changes } = answer.simulation;
  if (error !== null) {
    const [line = ""] = error.split("\n");
    return failedBy(call, { kind: "host", message: neutralise(line) });
  }
  if (restorePreamble !== null) return failedBy(call, { kind: "archived" });
  const until = new Map(
    changes.flatMap(({ keyXdr, afterXdr }) =>
      typeOfKey(keyXdr) === ENTRY_TYPE.ttl && afterXdr !== null
        ? [[keyXdr, liveUntilOf(afterXdr)] as const]
        : [],
    ),
  );
  const written = changes.filter(({ keyXdr }) => typeOfKey(keyXdr) !== ENTRY_TYPE.ttl);
  const newUntil = replayed.record.ledger.sequence + NEW_ENTRY_LEDGERS;
  const made = written.map((change): ChangeBeforehand => {
    const before = answer.entries.get(change.keyXdr) ?? null;
    const liveUntil = until.get(change.keyXdr) ?? before?.liveUntilLedger ?? newUntil;
    return { beforeXdr: before?.entryXdr ?? null, after: writtenEntry(change, liveUntil) };
  });
  return { kind: "made", changes: made };
}

function failedBy(
  { function: name }: CallBeforehand,
  cause: BeforehandFailure["cause"],
): MadeBeforehand {
  return { kind: "failed", failure: { function: neutralise(name), cause } };
}

function writtenEntry({ keyXdr, afterXdr }: SimulatedChange, liveUntil: number): SnapshotEntry {
  const type = typeOfKey(keyXdr);
  const lives = type === ENTRY_TYPE.contractData || type === ENTRY_TYPE.contractCode;
  const isLive = lives && afterXdr !== null;
  return {
    keyXdr,
    entryXdr: afterXdr,
    liveUntilLedger: isLive ? liveUntil : null,
    archived: false,
    codeCached: null,
    provenance: BY_USER,
    ttlProvenance: isLive ? BY_USER : null,
  };
}
