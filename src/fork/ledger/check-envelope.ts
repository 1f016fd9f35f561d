// Checks whether a node or a ledger would refuse an envelope: by the rules of `svc simulate`, and
// by the form of its classic operations. The refusal has the TransactionResult that a node answers
// (stellar-core: TransactionFrame::checkValid).

import { NEXT_LEDGERS_SECONDS } from "../../explain/sending.ts";
import { checkApplying, checkValidity } from "../../explain/validity/check-validity.ts";
import type { ValidityFacts } from "../../explain/validity/rule.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { readAccount } from "../../xdr/ledger/account.ts";
import { earliestNextSecond } from "../../xdr/ledger/close-time.ts";
import { accountKeyOf } from "../../xdr/reader/keys.ts";
import type { CheckOptions, ForkTip, Refusal } from "./chain.ts";
import type { LedgerInput } from "./close-ledger.ts";
import { formFlawOf, freezableKeys, isSoroban, operationsOf } from "./known-operations.ts";
import { type Below, Layer, UNREAD } from "./layers.ts";
import { outcomeNamed, successOf } from "./operation.ts";
import { costOf } from "./soroban.ts";
import { sorobanResult, waiver } from "./transactions.ts";
import { writtenResult } from "./written-xdr.ts";

export interface CheckInput
  extends CheckOptions,
    Pick<LedgerInput, "sequence" | "settingsXdr" | "rentFeePer1KbStroops" | "simulator" | "costs"> {
  readonly latest: ForkTip;
  /** True for the checks of a node's queue. False leaves out what the ledger decides by itself. */
  readonly inQueue: boolean;
}

/** Throws NotRead, and the errors of svc-sim. */
export async function checkEnvelope(
  envelope: Envelope,
  state: Below,
  input: CheckInput,
): Promise<Refusal | null> {
  const facts = await factsOf(envelope, state, input);
  const broken = checkValidity(facts);
  const isUnused = (code: string) => code === "txBadAuthExtra";
  const first = broken.find(({ rule }) => rule.ofEnvelope || !isUnused(rule.code));
  const flaw = first === undefined ? formFlawOf(envelope) : null;
  const rule = first?.rule ?? broken[0]?.rule;
  const problems = broken.map(({ words }) => words);
  if (flaw !== null) {
    const resultXdr = resultOf(envelope, "txFailed", flaw.results, input.latest, false);
    const words = "An operation is malformed.";
    return {
      resultXdr,
      code: flaw.code,
      problems: [words, ...problems],
      remedy: null,
      isNeverInLedger: true,
    };
  }
  if (rule === undefined) return null;
  const isOfEnvelope =
    rule.ofEnvelope === true || facts.accounts.get(envelope.terms.payer) === null;
  const isNeverInLedger = isOfEnvelope || rule.subject !== undefined;
  const ofTransaction = rule.code.startsWith("tx") && rule.code !== "txFailed";
  const results = ofTransaction ? [] : operationResults(envelope, rule.code, facts);
  const code = ofTransaction ? rule.code : "txFailed";
  const resultXdr = resultOf(envelope, code, results, input.latest, isOfEnvelope);
  const remedy = rule.code === "txBadSeq" ? SEQUENCE_REMEDY : (rule.remedy ?? null);
  return { resultXdr, code: rule.code, problems, remedy, isNeverInLedger };
}

/** An envelope for the network, such as the one of a fix, is often sent to a fork. */
const SEQUENCE_REMEDY =
  "Sign the transaction with the sequence number that the account has in the fork. The network's " +
  "account has a later one if it sent transactions that the fork does not have: send those to " +
  "the fork first, or fork a ledger after them.";

async function factsOf(
  envelope: Envelope,
  state: Below,
  input: CheckInput,
): Promise<ValidityFacts> {
  const { latest, sequence, settingsXdr, closeTimeUnixSeconds, impersonated = new Set() } = input;
  const layer = new Layer(state, sequence);
  const accounts = envelope.terms.signers.map((address) => {
    const entryXdr = layer.entryXdr(accountKeyOf(address));
    return [address, entryXdr === null ? null : readAccount(entryXdr)] as const;
  });
  const closed = BigInt(latest.closeTimeUnixSeconds);
  return {
    envelope,
    ledger: {
      ...latest,
      sequence,
      closesFrom: closeTimeUnixSeconds ?? earliestNextSecond(latest),
      closesUntil: closeTimeUnixSeconds ?? closed + NEXT_LEDGERS_SECONDS,
    },
    settingsXdr,
    accounts: new Map(accounts),
    isWaived: waiver(impersonated),
    accessedKeys: freezableKeys(envelope),
    ...(await cost(envelope, input)),
    ...(!input.inQueue && { withoutQueue: true as const }),
  };
}

/** The cost is computed once for each envelope, because the ledger that takes it needs it again. */
async function cost(envelope: Envelope, input: CheckInput) {
  const { costs, latest, sequence } = input;
  if (!isSoroban(envelope) || envelope.soroban === null) return {};
  const known = costs.get(envelope.hash);
  if (known !== undefined) return { resourceCostStroops: known };
  if (!input.inQueue) return {};
  const { baseFeeStroops, baseReserveStroops, protocolVersion, closeTimeUnixSeconds } = latest;
  const facts = {
    sequence,
    protocolVersion,
    closeTimeUnixSeconds,
    baseFeeStroops,
    baseReserveStroops,
    transactionSetHash: latest.hash,
  };
  const { networkPassphrase } = envelope;
  const resourceCostStroops = await costOf(
    { envelope, order: 1 },
    {
      ...input,
      facts,
      networkPassphrase,
      beginning: UNREAD,
      restored: new Set(),
    },
  );
  costs.set(envelope.hash, resourceCostStroops);
  return { resourceCostStroops };
}

function operationResults(envelope: Envelope, name: string, facts: ValidityFacts): Uint8Array[] {
  const results = operationsOf(envelope).map(({ body }) => successOf(body.type));
  if (name !== "opBadAuth") return results.with(0, sorobanResult(envelope, name));
  const at = checkApplying(facts).signatures.operations.findIndex((lack) => lack !== null);
  const { body } = operationsOf(envelope)[at] ?? {};
  return body === undefined ? results : results.with(at, outcomeNamed(body.type, name).result);
}

function resultOf(
  { innerHash, operationKinds, soroban }: Envelope,
  code: string,
  operationResults: readonly Uint8Array[],
  { baseFeeStroops }: ForkTip,
  isOfEnvelope: boolean,
): string {
  const count = Math.max(1, operationKinds.length + (innerHash === null ? 0 : 1));
  const fee = BigInt(soroban?.resourceFeeStroops ?? 0) + BigInt(baseFeeStroops * count);
  const feeChargedStroops = code === "txMalformed" && isOfEnvelope ? 0n : fee;
  const inner =
    innerHash === null || isOfEnvelope ? null : { hash: innerHash, feeChargedStroops: 0n };
  return writtenResult({ feeChargedStroops, code, operationResults, inner }).toBase64();
}
