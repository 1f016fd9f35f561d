// Closes one ledger in stellar-core's order (LedgerManagerImpl::applyLedger): all fees; classic
// transactions one by one; then Soroban transactions. Before protocol 23 these come one by one,
// each with its refund. From 23 on, all sequence numbers and signatures come first, then stage by
// stage, then all refunds. There are no upgrades, and nothing is evicted: an expired entry cannot
// be used either way.

import { type LedgerFacts, seedShiftOf } from "../../model/chain-record.ts";
import type { RunOptions, Simulator } from "../../simulator/simulator.ts";
import { openEnvelope } from "../../xdr/envelope/envelope.ts";
import { closesByMilliseconds, earliestNextIn } from "../../xdr/ledger/close-time.ts";
import { readLedgerHeader, type Seed, seedExtension } from "../../xdr/ledger/header.ts";
import type { EntryChange } from "../../xdr/outcome/meta.ts";
import { readEntryChanges, readTransactionMeta } from "../../xdr/outcome/meta.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { accountKeyOf } from "../../xdr/reader/keys.ts";
import { decode, encodeBytes, type Value } from "../../xdr/reader/value.ts";
import type { LedgerTerms } from "./accounts.ts";
import type { ClosedTransaction, Impersonated, Placed } from "./chain.ts";
import { isSoroban, operationsOf } from "./known-operations.ts";
import { type Below, Layer, NotApplied } from "./layers.ts";
import { ACCOUNT_MERGE_TYPE } from "./operation.ts";
import { applyAtOnce, costOf, runSoroban, type SorobanContext, Stages } from "./soroban.ts";
import {
  type Applied,
  applyClassic,
  begin,
  type ClassicContext,
  changesXdr,
  metaOf,
  prepare,
  refund,
  resultXdrOf,
  sorobanResult,
  takeFee,
} from "./transactions.ts";
import { PARALLEL_SINCE, resultSetHash, writtenSet } from "./written-xdr.ts";

export interface LedgerInput extends RunOptions {
  readonly simulator: Pick<Simulator, "replay">;
  readonly networkPassphrase: string;
  /** LedgerHeader of the ledger before, and its hash (hex). */
  readonly previousHeaderXdr: string;
  readonly previousHash: string;
  readonly sequence: number;
  readonly closeTimeUnixSeconds: bigint;
  /** Null for the first time in that second that is later than the ledger before. */
  readonly closeTimeUnixMilliseconds: bigint | null;
  readonly settingsXdr: readonly string[];
  readonly rentFeePer1KbStroops: string | null;
  readonly impersonated: Impersonated;
  /** The transactions in apply order. */
  readonly transactions: readonly Placed[];
  readonly transactionSetHash: string | null;
  /** The cost of declared resources by transaction hash. It is computed when needed, and kept. */
  readonly costs: Map<string, bigint>;
}

export interface LedgerOutput {
  readonly layer: Layer;
  readonly headerXdr: string;
  readonly hash: string;
  readonly transactionSet: Uint8Array;
  readonly transactions: readonly ClosedTransaction[];
}

/**
 * Thrown when the cost of a transaction's resources has become known, so that the ledger begins
 * anew.
 */
export class ResourceCostFound extends Error {}

/**
 * Closes a ledger without changing the state below. Throws ResourceCostFound, and NotApplied with
 * NotRead or an error of svc-sim.
 */
export async function closeLedger(state: Below, input: LedgerInput): Promise<LedgerOutput> {
  const layer = new Layer(state, input.sequence);
  const header = decode("LedgerHeader", input.previousHeaderXdr);
  const applied = inApplyOrder(input).map(({ envelope, placed }, i): InLedger => {
    const { baseFeeStroops = BigInt(header.baseFee) } = placed;
    return { placed, of: begin(envelope, i + 1, baseFeeStroops) };
  });
  const transactionSet = setOf(input, header, applied);
  const txSetHash = sha256(transactionSet);
  const seed = seedOf(input, txSetHash, applied);
  const terms: LedgerTerms = {
    protocolVersion: header.ledgerVersion,
    sequence: input.sequence,
    closeTimeUnixSeconds: input.closeTimeUnixSeconds,
    baseFeeStroops: header.baseFee,
    baseReserveStroops: header.baseReserve,
  };
  const ledger: ClosingLedger = {
    layer,
    input,
    terms,
    classic: { ...input, terms, usedSequences: usedSequences(applied) },
    soroban: sorobanContext(state, input, terms, seed),
  };
  for (const each of applied)
    await attributingFailures(each, () => {
      if (each.placed.recorded) adopt(layer, readEntryChanges(each.placed.recorded.feeChangesXdr));
      else takeFee(each.of, layer);
    });
  const isParallel = (each: InLedger) =>
    isSoroban(each.of.envelope) && terms.protocolVersion >= PARALLEL_SINCE;
  for (const each of applied)
    if (!isParallel(each)) await attributingFailures(each, () => applySequential(ledger, each));
  await applyParallel(ledger, applied.filter(isParallel));
  const transactions = applied.map((each, i) => closed(each, i + 1, ledger));
  const moved = applied.reduce((sum, each) => sum + feePoolGain(each), 0n);
  const next = encodeBytes("LedgerHeader", {
    ...withSkips(header, input.sequence, layer),
    previousLedgerHash: Uint8Array.fromHex(input.previousHash),
    ledgerSeq: input.sequence,
    scpValue: {
      txSetHash,
      closeTime: input.closeTimeUnixSeconds,
      upgrades: [],
      ext: seedExtension(seed, closeTimeMsOf(input)),
    },
    txSetResultHash: Uint8Array.fromHex(resultSetHash(transactions)),
    feePool: header.feePool + moved,
  });
  const hash = sha256(next).toHex();
  return { layer, headerXdr: next.toBase64(), hash, transactionSet, transactions };
}

/** Null if the ledger's close time has whole seconds. */
function closeTimeMsOf(input: LedgerInput): bigint | null {
  const before = readLedgerHeader(input.previousHeaderXdr);
  if (!closesByMilliseconds(before.protocolVersion)) return null;
  const least = earliestNextIn(input.closeTimeUnixSeconds, before);
  const closesAt = input.closeTimeUnixMilliseconds ?? least;
  if (least === null || closesAt === null || closesAt < least)
    throw new Error(`ledger ${input.sequence} closes no later than the one before`);
  return closesAt;
}

interface InLedger {
  readonly placed: Placed;
  readonly of: Applied;
}

/**
 * Attributes every failure during the application of a transaction to it, and not to the ledger.
 */
async function attributingFailures<T>(
  { of: { envelope } }: InLedger,
  apply: () => T | Promise<T>,
): Promise<T> {
  try {
    return await apply();
  } catch (cause) {
    throw cause instanceof ResourceCostFound ? cause : new NotApplied(envelope.hash, cause);
  }
}

interface ClosingLedger {
  readonly layer: Layer;
  readonly input: LedgerInput;
  readonly terms: LedgerTerms;
  readonly classic: ClassicContext;
  readonly soroban: SorobanContext;
}

/** The transactions in apply order: classic ones come first. */
function inApplyOrder({ transactions, networkPassphrase }: LedgerInput) {
  const opened = transactions.map((placed) => {
    return { placed, envelope: openEnvelope(placed.envelopeXdr, networkPassphrase) };
  });
  const isIn = (phase: boolean) => opened.filter(({ envelope }) => isSoroban(envelope) === phase);
  return [...isIn(false), ...isIn(true)];
}

function setOf(
  { previousHash }: LedgerInput,
  { ledgerVersion, baseFee }: { readonly ledgerVersion: number; readonly baseFee: number },
  applied: readonly InLedger[],
): Uint8Array {
  const xdrOf = (phase: boolean) =>
    applied.flatMap(({ of: { envelope } }) => (isSoroban(envelope) === phase ? envelope.xdr : []));
  return writtenSet({
    protocolVersion: ledgerVersion,
    previousHash,
    baseFeeStroops: baseFee,
    classicXdr: xdrOf(false),
    sorobanXdr: xdrOf(true),
  });
}

/** The seed. A transaction from the network's ledger has the seed of its position there. */
function seedOf(input: LedgerInput, txSetHash: Uint8Array, applied: readonly InLedger[]): Seed {
  const transactionSetHash = input.transactionSetHash ?? txSetHash.toHex();
  for (const { placed, of } of applied) {
    const { applicationOrder = of.order } = placed;
    const seedShift = seedShiftOf(of.order, applicationOrder);
    if (seedShift !== 0) return { transactionSetHash, seedShift };
  }
  return { transactionSetHash };
}

/**
 * The used sequence numbers; empty in a ledger that merges no account (stellar-core:
 * MAX_SEQ_NUM_TO_APPLY).
 */
function usedSequences(applied: readonly InLedger[]): ReadonlyMap<string, bigint> {
  const used = new Map<string, bigint>();
  const merges = applied.some(({ of: { envelope } }) =>
    operationsOf(envelope).some(({ body }) => body.type === ACCOUNT_MERGE_TYPE),
  );
  if (!merges) return used;
  for (const { of } of applied) {
    const { source, sequence } = of.envelope.terms;
    const known = used.get(source) ?? 0n;
    used.set(source, sequence > known ? sequence : known);
  }
  return used;
}

function sorobanContext(
  beginning: Below,
  input: LedgerInput,
  terms: LedgerTerms,
  seed: Seed,
): SorobanContext {
  const facts: LedgerFacts = {
    sequence: terms.sequence,
    protocolVersion: terms.protocolVersion,
    closeTimeUnixSeconds: terms.closeTimeUnixSeconds.toString(),
    baseFeeStroops: terms.baseFeeStroops,
    baseReserveStroops: terms.baseReserveStroops,
    ...seed,
  };
  return { ...input, facts, beginning, restored: new Set() };
}

async function applySequential(ledger: ClosingLedger, { placed, of }: InLedger): Promise<void> {
  const { layer, terms } = ledger;
  const { recorded } = placed;
  if (recorded) {
    const { changesBefore, operationChanges, changesAfter } = readTransactionMeta(recorded.metaXdr);
    for (const changes of [changesBefore, ...operationChanges, changesAfter]) adopt(layer, changes);
    return;
  }
  const runs = prepare(of, layer, ledger.classic, ledger.input.costs.get(of.envelope.hash));
  if (!isSoroban(of.envelope)) {
    if (runs) applyClassic(of, layer, ledger.classic);
    return;
  }
  await runOperation(ledger, of, runs);
  applyAtOnce(of, layer, ledger.soroban);
  of.changesAfter = refund(of, layer, terms);
}

async function applyParallel(ledger: ClosingLedger, applied: readonly InLedger[]): Promise<void> {
  const { layer, terms, input } = ledger;
  const runs: boolean[] = [];
  for (const each of applied) {
    const { of, placed } = each;
    const isRun = await attributingFailures(each, () => {
      if (!placed.recorded)
        return prepare(of, layer, ledger.classic, input.costs.get(of.envelope.hash));
      adopt(layer, readTransactionMeta(placed.recorded.metaXdr).changesBefore);
      return false;
    });
    runs.push(isRun);
  }
  const stages = new Stages(layer, ledger.soroban);
  for (const [i, each] of applied.entries())
    await attributingFailures(each, async () => {
      const { of, placed } = each;
      const { stage = 0, cluster = 0, recorded } = placed;
      stages.before(of, stage, cluster);
      if (recorded) {
        const { operationChanges } = readTransactionMeta(recorded.metaXdr);
        stages.adopt(of, operationChanges.flat(), cluster);
        return;
      }
      await runOperation(ledger, of, runs[i] === true);
      stages.apply(of, cluster);
    });
  stages.end();
  for (const each of applied)
    await attributingFailures(each, () => {
      const { of, placed } = each;
      if (placed.recorded) adopt(layer, readEntryChanges(placed.recorded.refundChangesXdr));
      else of.refundChanges = refund(of, layer, terms);
    });
}

/** Runs the operation. If it must not run, only its cost is computed. */
async function runOperation(ledger: ClosingLedger, of: Applied, runs: boolean): Promise<void> {
  const { envelope } = of;
  const [operation] = operationsOf(envelope);
  const own = operation?.sourceAccount ? envelope.terms.operationSource : null;
  const isSourceGone = own !== null && ledger.layer.entryXdr(accountKeyOf(own)) === null;
  const flaw = isSourceGone ? "opNoAccount" : of.formFlaw;
  if (runs && flaw === null) {
    const { fees } = await runSoroban(of, ledger.layer, ledger.soroban);
    const cost = BigInt(fees.nonRefundableStroops);
    const { costs } = ledger.input;
    const isTooLittle = BigInt(envelope.soroban?.resourceFeeStroops ?? 0) < cost;
    if (!isTooLittle || costs.has(envelope.hash)) return;
    costs.set(envelope.hash, cost);
    throw new ResourceCostFound();
  }
  const nonRefundable = ledger.input.costs.get(envelope.hash) ?? (await costOf(of, ledger.soroban));
  ledger.input.costs.set(envelope.hash, nonRefundable);
  of.fees = { nonRefundable, refundable: 0n, rent: 0n };
  if (!runs || flaw === null) return;
  of.code = "txFailed";
  of.operationResults = [sorobanResult(envelope, flaw)];
}

/** Adopts the network's record of a transaction that the fork does not apply itself. */
function adopt(layer: Layer, changes: readonly EntryChange[]): void {
  for (const { kind, keyXdr, entryXdr } of changes)
    if (kind !== "state") layer.write(keyXdr, entryXdr);
}

function feePoolGain({ placed: { recorded }, of }: InLedger): bigint {
  if (recorded) return decode("TransactionResult", recorded.resultXdr).feeCharged;
  return of.taken - of.refund;
}

function closed(
  { placed, of }: InLedger,
  applicationOrder: number,
  { terms, classic }: ClosingLedger,
): ClosedTransaction {
  const { envelope, code, waived } = of;
  const { hash, innerHash, xdr: envelopeXdr } = envelope;
  const known = { hash, innerHash, applicationOrder, envelopeXdr };
  const { recorded } = placed;
  if (recorded) {
    const isSuccess = decode("TransactionResult", recorded.resultXdr).result.code >= 0;
    return { ...known, ...recorded, isSuccess, waived: [] };
  }
  const refundChanges =
    terms.protocolVersion >= PARALLEL_SINCE ? changesXdr(of.refundChanges ?? []) : null;
  return {
    ...known,
    resultXdr: resultXdrOf(of, terms).toBase64(),
    isSuccess: code === "txSuccess",
    metaXdr: metaOf(of, classic).toBase64(),
    feeChangesXdr: changesXdr(of.feeChanges),
    refundChangesXdr: refundChanges,
    waived,
  };
}

type Header = Value<"LedgerHeader">;

/** After each so many ledgers, the hash of the buckets goes into the header's list. */
const SKIPS = [50, 5000, 50_000, 500_000] as const;

/**
 * The header's skip list (BucketManager::calculateSkipValues). A fork has no bucket list, so it
 * uses a hash of the hash before and of this ledger's changes instead.
 */
function withSkips(header: Header, sequence: number, layer: Layer): Header {
  const changed = sha256(Buffer.from(changesXdr(layer.changes()), "base64"));
  const bucketListHash = sha256(header.bucketListHash, changed);
  const skipList = [...header.skipList];
  let left = sequence;
  let count = 0;
  for (const each of SKIPS) {
    if (left <= 0 || left % each !== 0) break;
    left -= each;
    count += 1;
  }
  skipList.splice(0, count, ...[bucketListHash, ...header.skipList].slice(0, count));
  return { ...header, bucketListHash, skipList };
}
