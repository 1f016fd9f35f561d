// Runs the operation of a Soroban transaction: svc-sim runs it on the layer, and its changes go
// into the layer and into the meta, as stellar-core writes them (TransactionMeta.cpp,
// processOpLedgerEntryChanges: an entry from the archive is RESTORED).

import type { LedgerFacts } from "../../model/chain-record.ts";
import type { Execution, LedgerChange } from "../../model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../../model/snapshot.ts";
import { knownIn } from "../../model/state/entry-state.ts";
import { replayRequest } from "../../simulator/requests.ts";
import type { RunOptions, Simulator } from "../../simulator/simulator.ts";
import { type FootprintKey, footprintKeys } from "../../snapshot/footprint-keys.ts";
import { StageTtls } from "../../snapshot/stream/stage-ttls.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { KeyedChange } from "../../xdr/ledger/keyed-change.ts";
import type { EntryChange } from "../../xdr/outcome/meta.ts";
import { decodeBase64 } from "../../xdr/reader/cursor.ts";
import { ENTRY_TYPE, liveUntilOf, settingName, typeOfKey } from "../../xdr/reader/keys.ts";
import { encode } from "../../xdr/reader/value.ts";
import { type Below, type Layer, needed, UNREAD } from "./layers.ts";
import type { Applied } from "./transactions.ts";
import { PARALLEL_SINCE } from "./written-xdr.ts";

export interface SorobanContext extends RunOptions {
  readonly simulator: Pick<Simulator, "replay">;
  readonly networkPassphrase: string;
  readonly facts: LedgerFacts;
  readonly settingsXdr: readonly string[];
  readonly rentFeePer1KbStroops: string | null;
  /** The state after the ledger before. */
  readonly beginning: Below;
  /** The LedgerKeys that were restored from the hot archive in this ledger. */
  readonly restored: Set<string>;
}

const FORKED = { kind: "ledger-scan", detail: "the fork's own state" } as const;

/** The footprint's entries as the transaction sees them. */
function snapshotBelow(
  envelope: Envelope,
  layer: Below,
  context: Omit<SorobanContext, "simulator" | "signal">,
): Snapshot {
  const { settingsXdr, rentFeePer1KbStroops } = context;
  const keys = envelope.soroban === null ? [] : footprintKeys(envelope.soroban.footprint);
  return {
    entries: keys.map((key) => snapshotEntry(key, layer, context)),
    settings: settingsXdr.map((entryXdr) => {
      return { name: settingName(entryXdr), entryXdr, provenance: FORKED };
    }),
    rentFeePer1KbStroops,
    unknown: [],
  };
}

function snapshotEntry(
  { keyXdr, ttlKeyXdr, type }: FootprintKey,
  layer: Below,
  { facts, beginning, restored }: Pick<SorobanContext, "facts" | "beginning" | "restored">,
): SnapshotEntry {
  const held = needed(layer, keyXdr);
  const isCode = type === ENTRY_TYPE.contractCode && facts.protocolVersion >= PARALLEL_SINCE;
  const start = isCode ? knownIn(beginning, keyXdr) : null;
  // Before protocol 23 there is no hot archive: an expired entry stays in its place.
  const archived = held.archived && facts.protocolVersion >= PARALLEL_SINCE;
  const liveUntilLedger = archived ? null : liveUntil(layer, ttlKeyXdr, held.archived, facts);
  return {
    keyXdr,
    entryXdr: held.entryXdr,
    liveUntilLedger: held.entryXdr === null ? null : liveUntilLedger,
    archived,
    codeCached: isCode ? start?.entryXdr !== null && start?.archived === false : null,
    provenance: held.provenance ?? FORKED,
    ttlProvenance: ttlKeyXdr === null ? null : FORKED,
    ...(held.entryXdr === null && restored.has(keyXdr) && { restoredEarlier: true as const }),
  };
}

function liveUntil(
  layer: Below,
  ttlKeyXdr: string | null,
  isExpired: boolean,
  { sequence }: LedgerFacts,
): number | null {
  if (ttlKeyXdr === null) return null;
  const ttl = knownIn(layer, ttlKeyXdr)?.entryXdr ?? null;
  return isExpired || ttl === null ? sequence - 1 : liveUntilOf(ttl);
}

/** The cost of the declared resources, whatever the transaction's result is. */
export async function costOf(
  { envelope, order }: Pick<Applied, "envelope" | "order">,
  context: SorobanContext,
): Promise<bigint> {
  const snapshot = snapshotBelow({ ...envelope, soroban: null }, UNREAD, context);
  const { fees } = await run({ envelope, order }, snapshot, context, false);
  return BigInt(fees.nonRefundableStroops);
}

function run(
  { envelope, order }: Pick<Applied, "envelope" | "order">,
  snapshot: Snapshot,
  { simulator, networkPassphrase, facts, signal, client }: SorobanContext,
  isWanted: boolean,
): Promise<Execution> {
  const record = {
    envelopeXdr: envelope.xdr,
    networkPassphrase,
    ledger: facts,
    applicationOrder: order,
  };
  const options = { trace: false, diagnostics: isWanted, feeTakenStroops: null };
  return simulator.replay(replayRequest(record, snapshot, options), { signal, client });
}

/** Runs the operation. The caller applies the changes in `applied` if its code is `txSuccess`. */
export async function runSoroban(
  applied: Applied,
  layer: Layer,
  context: SorobanContext,
): Promise<Execution> {
  const execution = await run(
    applied,
    snapshotBelow(applied.envelope, layer, context),
    context,
    true,
  );
  const { outcome, operationResultXdr, fees } = execution;
  applied.execution = execution;
  applied.fees = {
    nonRefundable: BigInt(fees.nonRefundableStroops),
    refundable: BigInt(fees.refundableConsumedStroops),
    rent: BigInt(fees.rentStroops),
  };
  applied.code =
    outcome.kind === "success"
      ? "txSuccess"
      : outcome.kind === "failed"
        ? "txFailed"
        : "txInternalError";
  if (operationResultXdr !== null)
    applied.operationResults = [decodeBase64(operationResultXdr, "OperationResult")];
  const gone = goneKeys(applied.envelope, layer, context.facts.sequence);
  const changes = execution.changes.flatMap((change) => metaChanges(change, layer, gone));
  const events = execution.eventsXdr.map((event) => decodeBase64(event, "ContractEvent"));
  applied.operations = [{ changes, events }];
  return execution;
}

/** Persistent entries that are archived or have expired, and the keys of their TTLs. */
function goneKeys(envelope: Envelope, layer: Below, sequence: number): ReadonlySet<string> {
  const keys = envelope.soroban === null ? [] : footprintKeys(envelope.soroban.footprint);
  const gone = new Set<string>();
  for (const { keyXdr, ttlKeyXdr, temporary } of keys) {
    if (ttlKeyXdr === null || temporary) continue;
    const held = needed(layer, keyXdr);
    const ttl = knownIn(layer, ttlKeyXdr)?.entryXdr ?? null;
    const isExpired = held.entryXdr !== null && (ttl === null || liveUntilOf(ttl) < sequence);
    if (held.archived || isExpired) gone.add(keyXdr).add(ttlKeyXdr);
  }
  return gone;
}

function metaChanges(
  { kind, keyXdr, beforeXdr, afterXdr }: LedgerChange,
  layer: Below,
  gone: ReadonlySet<string>,
): EntryChange[] {
  if (kind === "created" || kind === "restored") return [{ kind, keyXdr, entryXdr: afterXdr }];
  // svc-sim knows how long an entry lives, but not which ledger wrote its TTL.
  const before = beforeXdr ?? knownIn(layer, keyXdr)?.entryXdr ?? null;
  const state: EntryChange = {
    kind: gone.has(keyXdr) ? "restored" : "state",
    keyXdr,
    entryXdr: before,
  };
  return [state, { kind, keyXdr, entryXdr: afterXdr }];
}

/** Applies the operation's changes at once, as in ledgers before protocol 23. */
export function applyAtOnce(applied: Applied, layer: Layer, context: SorobanContext): void {
  if (applied.code !== "txSuccess") return;
  for (const change of applied.execution?.changes ?? []) applyChange(change, layer, context);
}

function applyChange({ keyXdr, afterXdr }: LedgerChange, layer: Layer, context: SorobanContext) {
  const held = knownIn(layer, keyXdr);
  if (held?.archived) context.restored.add(keyXdr);
  layer.write(keyXdr, afterXdr);
}

/**
 * The parallel phase (CAP-63): TTL extensions of read-only entries are visible to the transactions
 * of the same cluster that write the entries, and to all others after the stage.
 */
export class Stages {
  private readonly ttls: StageTtls;
  private stage: number | null = null;

  constructor(
    private readonly layer: Layer,
    private readonly context: SorobanContext,
  ) {
    const ledger = context.facts.sequence;
    const write = (ttlKeyXdr: string, until: number) =>
      layer.write(ttlKeyXdr, ttlEntry(ttlKeyXdr, until, ledger));
    this.ttls = new StageTtls({
      liveUntilLedger: (ttlKeyXdr) => {
        const ttl = knownIn(layer, ttlKeyXdr)?.entryXdr;
        return ttl ? liveUntilOf(ttl) : null;
      },
      extendTtl: write,
      applyOne: ({ keyXdr, liveUntilLedger }) => {
        if (liveUntilLedger !== null) write(keyXdr, liveUntilLedger);
        else layer.write(keyXdr, null);
      },
    });
  }

  before({ envelope }: Applied, stage: number, cluster: number): void {
    if (stage !== this.stage) this.ttls.end();
    this.stage = stage;
    this.ttls.beforeTransaction(cluster, footprintOf(envelope));
  }

  apply({ envelope, code, execution }: Applied, cluster: number): void {
    if (code !== "txSuccess" || execution === null) return;
    const ttls: KeyedChange[] = [];
    for (const change of execution.changes) {
      if (typeOfKey(change.keyXdr) === ENTRY_TYPE.ttl) ttls.push(ttlChange(change));
      else applyChange(change, this.layer, this.context);
    }
    this.ttls.applyOperation(cluster, footprintOf(envelope), ttls);
  }

  /** Adopts the network's record of a transaction that the fork does not apply itself. */
  adopt({ envelope }: Applied, changes: readonly EntryChange[], cluster: number): void {
    const ttls: KeyedChange[] = [];
    for (const { kind, keyXdr, entryXdr } of changes) {
      if (kind === "state") continue;
      if (typeOfKey(keyXdr) === ENTRY_TYPE.ttl)
        ttls.push(ttlChange({ kind, keyXdr, afterXdr: entryXdr }));
      else this.layer.write(keyXdr, entryXdr);
    }
    this.ttls.applyOperation(cluster, footprintOf(envelope), ttls);
  }

  end(): void {
    this.ttls.end();
  }
}

function footprintOf({ soroban }: Envelope): FootprintKey[] {
  return soroban === null ? [] : footprintKeys(soroban.footprint);
}

function ttlChange({
  kind,
  keyXdr,
  afterXdr,
}: Pick<KeyedChange, "kind"> & Pick<LedgerChange, "keyXdr" | "afterXdr">): KeyedChange {
  const liveUntilLedger = afterXdr === null ? null : liveUntilOf(afterXdr);
  return { kind, keyXdr, type: ENTRY_TYPE.ttl, entryXdr: null, liveUntilLedger };
}

/** LedgerEntry. */
export function ttlEntry(ttlKeyXdr: string, liveUntilLedgerSeq: number, ledger: number): string {
  const keyHash = decodeBase64(ttlKeyXdr, "LedgerKey").subarray(4);
  const ttl = { keyHash, liveUntilLedgerSeq };
  return encode("LedgerEntry", {
    lastModifiedLedgerSeq: ledger,
    data: { type: ENTRY_TYPE.ttl, ttl },
    ext: { v: 0 },
  });
}
