// Applies one transaction of a ledger that closes: its fee, its sequence number and signatures, its
// operations, its refund (stellar-core: TransactionFrame::processFeeSeqNum, commonPreApply,
// applyOperations, refundSorobanFee; FeeBumpTransactionFrame::apply).

import { decodeAccountKey } from "../../base/text/strkey.ts";
import { type Applying, checkApplying } from "../../explain/validity/check-validity.ts";
import type { Execution } from "../../model/execution.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { innerEnvelope } from "../../xdr/envelope/envelope-terms.ts";
import { readAccount } from "../../xdr/ledger/account.ts";
import { feeEventsXdr } from "../../xdr/outcome/fee-events.ts";
import type { EntryChange } from "../../xdr/outcome/meta.ts";
import { accountKeyOf } from "../../xdr/reader/keys.ts";
import type { Value } from "../../xdr/reader/value.ts";
import {
  type LedgerTerms,
  loadAccount,
  peekAccount,
  removeSigner,
  setAccount,
  withAdded,
  withSequenceUsed,
} from "./accounts.ts";
import { AssetEvents, partyOf } from "./asset-events.ts";
import type { Impersonated } from "./chain.ts";
import { freezableKeys, operationsOf, rulesOf, sourceOf } from "./known-operations.ts";
import type { Layer } from "./layers.ts";
import { type Body, type OperationContext, outcomeNamed, successOf } from "./operation.ts";
import { writtenChanges, writtenMeta, writtenResult } from "./written-xdr.ts";

/** The facts that hold for all transactions of the ledger. */
export interface ClassicContext {
  readonly networkPassphrase: string;
  readonly terms: LedgerTerms;
  readonly settingsXdr: readonly string[];
  readonly impersonated: Impersonated;
  readonly usedSequences: ReadonlyMap<string, bigint>;
}

/** A transaction while the ledger is applied. */
export interface Applied {
  readonly envelope: Envelope;
  /** The position, from 1. */
  readonly order: number;
  /** The network's fee for each operation, if it did not take the whole bid. */
  readonly baseFeeStroops: bigint | null;
  taken: bigint;
  feeChanges: readonly EntryChange[];
  readonly changesBefore: EntryChange[];
  /** The XDR name of the code. */
  code: string;
  operationResults: Uint8Array[];
  operations: {
    readonly changes: readonly EntryChange[];
    readonly events: readonly Uint8Array[];
  }[];
  formFlaw: string | null;
  execution: Execution | null;
  /** The fees of Soroban resources; null for classic transactions. */
  fees: {
    readonly nonRefundable: bigint;
    readonly refundable: bigint;
    readonly rent: bigint;
  } | null;
  changesAfter: readonly EntryChange[];
  refund: bigint;
  refundChanges: readonly EntryChange[] | null;
  waived: string[];
}

export function begin(envelope: Envelope, order: number, baseFeeStroops: bigint | null): Applied {
  return {
    envelope,
    order,
    baseFeeStroops,
    taken: 0n,
    feeChanges: [],
    changesBefore: [],
    code: "txSuccess",
    operations: [],
    formFlaw: null,
    execution: null,
    fees: null,
    operationResults: operationsOf(envelope).map(({ body }) => successOf(body.type)),
    changesAfter: [],
    refund: 0n,
    refundChanges: null,
    waived: [],
  };
}

/** Takes the fee. All fees of a ledger are taken before its first transaction runs. */
export function takeFee(applied: Applied, ledger: Layer): void {
  const layer = ledger.above();
  const account = loadAccount(layer, applied.envelope.terms.payer);
  if (account === null) throw new Error("no account pays the fee");
  const { envelope, baseFeeStroops } = applied;
  const count = Math.max(1, envelope.operationKinds.length + (envelope.isFeeBump ? 1 : 0));
  const due = feeOf(envelope, BigInt(envelope.feeBidStroops), baseFeeStroops, count);
  const { balance } = account;
  const left = balance - due;
  applied.taken = left < 0n ? balance : due;
  if (applied.taken > 0n) setAccount(layer, { ...account, balance: balance - applied.taken });
  applied.feeChanges = layer.changes();
  layer.commit();
}

function feeOf({ soroban }: Envelope, bid: bigint, baseFee: bigint | null, count: number): bigint {
  if (baseFee === null) return bid;
  const resourceFee = BigInt(soroban?.resourceFeeStroops ?? 0);
  const [inclusion, most] = [bid - resourceFee, baseFee * BigInt(count)];
  return resourceFee + (inclusion < most ? inclusion : most);
}

/** The refusals after which the sequence number is used up. */
const USES_SEQUENCE = new Set(["txBadMinSeqAgeOrGap", "txBadAuth", "txInsufficientBalance"]);

/**
 * Prepares a transaction, and says whether its operations run. `cost` is that of the declared
 * resources, if it is known.
 */
export function prepare(
  applied: Applied,
  ledger: Layer,
  context: ClassicContext,
  cost: bigint | undefined,
): boolean {
  const { envelope } = applied;
  const { terms, hash, innerHash } = envelope;
  if (envelope.isFeeBump) {
    const layer = ledger.above();
    // stellar-core writes the paying account even if it has no such signer.
    loadAccount(layer, terms.payer);
    removeOneTimeSigner(layer, terms.payer, hash);
    commitBefore(applied, layer);
  }
  const layer = ledger.above();
  const { refusal, signatures, formFlaw } = checkIn(applied, layer, context, cost);
  applied.formFlaw = formFlaw?.rule.code ?? null;
  if (refusal === null || USES_SEQUENCE.has(refusal.rule.code)) {
    const account = loadAccount(layer, terms.source);
    if (account === null) throw new Error("no account to take the sequence number of");
    setAccount(layer, withSequenceUsed({ ...account, seqNum: terms.sequence }, context.terms));
  }
  const sources = new Set([
    terms.source,
    ...operationsOf(envelope).map(({ sourceAccount }) => sourceOf(envelope, sourceAccount)),
  ]);
  for (const source of sources) removeOneTimeSigner(layer, source, innerHash ?? hash);
  commitBefore(applied, layer);
  if (refusal !== null) {
    applied.code = refusal.rule.code;
    return false;
  }
  const lacking = signatures.operations.map((lack) => lack !== null);
  if (lacking.includes(true)) {
    applied.code = "txFailed";
    applied.operationResults = operationsOf(envelope).map(({ body }, i) =>
      lacking[i] ? outcomeNamed(body.type, "opBadAuth").result : successOf(body.type),
    );
    return false;
  }
  if (signatures.unused !== null) applied.code = "txBadAuthExtra";
  return signatures.unused === null;
}

function checkIn(
  applied: Applied,
  layer: Layer,
  { terms, settingsXdr, impersonated }: ClassicContext,
  cost: bigint | undefined,
): Applying {
  const { envelope } = applied;
  const accounts = envelope.terms.signers.map((address) => {
    const entryXdr = layer.entryXdr(accountKeyOf(address));
    return [address, entryXdr === null ? null : readAccount(entryXdr)] as const;
  });
  const facts = {
    envelope,
    ledger: {
      ...terms,
      closesFrom: terms.closeTimeUnixSeconds,
      closesUntil: terms.closeTimeUnixSeconds,
    },
    settingsXdr,
    accounts: new Map(accounts),
    withoutQueue: true as const,
    accessedKeys: freezableKeys(envelope),
    ...(cost !== undefined && { resourceCostStroops: cost }),
  };
  const isWaived = waiver(impersonated);
  const waived = envelope.terms.signers.filter(isWaived);
  if (waived.length === 0) return checkApplying(facts);
  const { payer, source, operations } = checkApplying(facts).signatures;
  const isLacking = [payer, source, ...operations].some((lack) => lack !== null);
  applied.waived = isLacking ? waived : [];
  return checkApplying({ ...facts, isWaived });
}

export function waiver(impersonated: Impersonated): (address: string) => boolean {
  return (address) => impersonated === "all" || impersonated.has(address);
}

function commitBefore(applied: Applied, layer: Layer): void {
  applied.changesBefore.push(...layer.changes());
  layer.commit();
}

/** A signer that is the hash of this one transaction (stellar-core: removeAccountSigner). */
function removeOneTimeSigner(layer: Layer, address: string, hash: string): void {
  const isIt = ({ key }: Value<"Signer">) => key.type === 1 && key.preAuthTx.toHex() === hash;
  const at = peekAccount(layer, address)?.signers.findIndex(isIt) ?? -1;
  if (at === -1) return;
  const account = loadAccount(layer, address);
  if (account !== null) setAccount(layer, removeSigner(layer, account, at));
}

/** Applies the operations of a classic transaction, all or none. */
export function applyClassic(applied: Applied, ledger: Layer, context: ClassicContext): void {
  const { envelope } = applied;
  const whole = ledger.above();
  const operations: Applied["operations"] = [];
  const sponsors = new Map<string, string>();
  let success = true;
  applied.operationResults = operationsOf(envelope).map(({ body, sourceAccount }) => {
    const layer = whole.above();
    const { tx } = innerEnvelope(envelope.decoded);
    const own = sourceAccount ?? ("cond" in tx ? tx.sourceAccount : partyOf(envelope.terms.source));
    const { networkPassphrase, terms, usedSequences } = context;
    const { protocolVersion } = terms;
    const events = new AssetEvents({ networkPassphrase, protocolVersion }, tx.memo);
    const source = sourceOf(envelope, sourceAccount);
    const of = { layer, terms, source, sourceAccount: own, events, usedSequences, sponsors };
    const outcome = applyOperation(of, body);
    success &&= outcome.success;
    if (outcome.success) {
      operations.push({ changes: layer.changes(), events: events.emitted });
      layer.commit();
    }
    return outcome.result;
  });
  if (!success || sponsors.size > 0) {
    applied.code = success ? "txBadSponsorship" : "txFailed";
    return;
  }
  applied.operations = operations;
  whole.commit();
}

function applyOperation(context: OperationContext, body: Body) {
  const rules = rulesOf(body);
  if (rules === null) throw new Error(`no rules for operation ${body.type}`);
  if (context.layer.entryXdr(accountKeyOf(context.source)) === null)
    return outcomeNamed(body.type, "opNoAccount");
  const flaw = rules.flaw(body as never, context.source);
  const ended = flaw ?? rules.apply(context, body as never);
  return typeof ended === "string" ? outcomeNamed(body.type, ended) : ended;
}

/** Refunds what was declared and not used, if the account that paid can receive it. */
export function refund(
  applied: Applied,
  ledger: Layer,
  terms: LedgerTerms,
): readonly EntryChange[] {
  const { envelope, fees } = applied;
  if (fees === null || envelope.soroban === null) return [];
  const { nonRefundable, refundable } = fees;
  const due = BigInt(envelope.soroban.resourceFeeStroops) - nonRefundable - refundable;
  if (due === 0n) return [];
  const layer = ledger.above();
  const account = loadAccount(layer, envelope.terms.payer);
  const richer = account && withAdded(account, due, terms);
  if (richer === null) return [];
  setAccount(layer, richer);
  applied.refund = due;
  const changes = layer.changes();
  layer.commit();
  return changes;
}

/** Before protocol 21 the result of a fee-bump did not show the refund; 21 to 24 show it twice. */
export function resultXdrOf(applied: Applied, { protocolVersion }: LedgerTerms): Uint8Array {
  const { envelope, taken, code, operationResults } = applied;
  const { terms, isFeeBump, innerHash } = envelope;
  const shown = isFeeBump && protocolVersion < 21 ? 0n : applied.refund;
  const charged = { feeChargedStroops: taken - shown, code, operationResults };
  if (innerHash === null) return writtenResult({ ...charged, inner: null });
  const count = Math.max(1, envelope.operationKinds.length);
  const ofInner =
    protocolVersion >= 25
      ? 0n
      : feeOf(envelope, terms.feeStroops, applied.baseFeeStroops, count) - shown;
  return writtenResult({ ...charged, inner: { hash: innerHash, feeChargedStroops: ofInner } });
}

export function metaOf(applied: Applied, context: ClassicContext): Uint8Array {
  const { envelope, code, fees, execution, taken, refund: refunded } = applied;
  const { networkPassphrase, terms } = context;
  const { protocolVersion } = terms;
  const feeSourceKey = decodeAccountKey(envelope.terms.payer) ?? new Uint8Array(32);
  const isSuccess = code === "txSuccess";
  return writtenMeta({
    protocolVersion,
    isSuccess,
    changesBefore: applied.changesBefore,
    operations: isSuccess ? applied.operations : [],
    changesAfter: applied.changesAfter,
    soroban: fees && {
      nonRefundableStroops: fees.nonRefundable,
      refundableStroops: fees.refundable,
      rentStroops: fees.rent,
      execution,
    },
    waived: applied.waived,
    feeEventsXdr: feeEventsXdr({
      networkPassphrase,
      protocolVersion,
      feeSourceKey,
      taken,
      refunded,
    }),
  });
}

export function changesXdr(changes: readonly EntryChange[]): string {
  return writtenChanges(changes).toBase64();
}

/** OperationResult of a Soroban operation that never reached its contract. */
export function sorobanResult(envelope: Envelope, name: string): Uint8Array {
  const [operation] = operationsOf(envelope);
  if (operation === undefined) throw new Error("a transaction without an operation");
  const { type } = operation.body;
  const isOfAny = name.startsWith("op");
  return outcomeNamed(type, isOfAny ? name : `${envelope.operationKinds[0]}Malformed`).result;
}
