// Why stellar-core would not take an envelope in the next ledger: `checkValid` of each protocol that
// svc supports, rule by rule and in its order, and what the queue of a node looks at besides.
// Nothing is fetched and nothing runs. What only a run shows (the operation's own failure) is not in
// here, nor the form of classic operations, nor what a node filters by its own settings.

import { SOROBAN_OPERATIONS } from "../../model/result-code.ts";
import { innerEnvelope } from "../../xdr/envelope/envelope-terms.ts";
import { readFrozenKeys, readTransactionLimits } from "../../xdr/ledger/transaction-limits.ts";
import { ACCOUNT, FEE_BUMP, QUEUE_FEE, UNUSED_SIGNATURES } from "./account-rules.ts";
import { DECLARED, FEE_FORM, OPERATION_FORM } from "./declared-rules.ts";
import { FORM, QUEUE_FORM } from "./form-rules.ts";
import type { Checked, Rule, SignatureFindings, ValidityFacts } from "./rule.ts";
import { weighSignatures } from "./signatures.ts";

export interface BrokenRule {
  readonly rule: Rule;
  /** The problem, as a sentence. */
  readonly words: string;
}

const OF_TRANSACTION: readonly Rule[] = [...FORM, ...DECLARED, ...ACCOUNT];

/** In the order in which stellar-core comes upon them: it answers the first. */
export const RULES: readonly Rule[] = [
  ...[...FEE_FORM, ...QUEUE_FEE].map((rule) => ({ ...rule, ofEnvelope: true as const })),
  ...FEE_BUMP.map((rule) => ofFeeBump(rule)),
  ...OF_TRANSACTION,
  ...OPERATION_FORM,
  ...UNUSED_SIGNATURES,
  ...QUEUE_FORM,
];

/** Empty when nothing that is known keeps the network from taking it. */
export function checkValidity(given: ValidityFacts): BrokenRule[] {
  return brokenOf(RULES, checkedFacts(given));
}

export interface Applying {
  /** Why no operation runs; null: they run, if their signatures and its form allow it. */
  readonly refusal: BrokenRule | null;
  readonly signatures: SignatureFindings;
  /** Of a Soroban operation. */
  readonly formFlaw: BrokenRule | null;
}

/** In a ledger that is applied (stellar-core: commonPreApply): a fee-bump was checked before. */
export function checkApplying(given: Omit<ValidityFacts, "feeIsTaken">): Applying {
  const facts = { ...checkedFacts(given), feeIsTaken: true as const };
  const [refusal] = brokenOf(OF_TRANSACTION, facts).filter(({ rule }) =>
    rule.code.startsWith("tx"),
  );
  const [formFlaw] = brokenOf(OPERATION_FORM, facts);
  return { refusal: refusal ?? null, signatures: facts.signatures, formFlaw: formFlaw ?? null };
}

function brokenOf(rules: readonly Rule[], facts: Checked): BrokenRule[] {
  const { protocolVersion } = facts.ledger;
  const seen = new Set<string>();
  return rules.flatMap((rule) => {
    const { from = 0, until = Number.POSITIVE_INFINITY, subject, ofQueue } = rule;
    if (protocolVersion < from || protocolVersion > until) return [];
    if (ofQueue && facts.withoutQueue) return [];
    if (subject !== undefined && seen.has(subject)) return [];
    const found = [rule.finds(facts)].flat().filter((each) => typeof each === "string");
    if (subject !== undefined && found.length > 0) seen.add(subject);
    return found.map((words) => ({ rule, words }));
  });
}

function checkedFacts(facts: ValidityFacts): Checked {
  const { envelope, settingsXdr } = facts;
  const { tx } = innerEnvelope(envelope.decoded);
  return {
    ...facts,
    operations: tx.operations,
    isSoroban: SOROBAN_OPERATIONS.has(envelope.operationKinds[0] ?? ""),
    data: tx.ext.v === 1 ? tx.ext.sorobanData : null,
    limits: readTransactionLimits(settingsXdr),
    frozenKeys: readFrozenKeys(settingsXdr),
    signatures: weighSignatures(facts, tx.operations),
  };
}

function ofFeeBump({ finds, ...rule }: Rule): Rule {
  const ofEnvelope = true;
  return { ...rule, ofEnvelope, finds: (facts) => facts.envelope.isFeeBump && finds(facts) };
}
