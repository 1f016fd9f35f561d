// Finds why stellar-core would not accept an envelope in the next ledger: `checkValid` of each
// protocol that svc supports, rule by rule and in its order, and the additional rules of a node's
// queue. Nothing is fetched, and nothing runs. It does not cover what only a run shows (the
// operation's own failure), the form of classic operations, and a node's own filters.

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

/** The rules in stellar-core's order, because it answers with the first broken one. */
export const RULES: readonly Rule[] = [
  ...[...FEE_FORM, ...QUEUE_FEE].map((rule) => ({ ...rule, ofEnvelope: true as const })),
  ...FEE_BUMP.map((rule) => ofFeeBump(rule)),
  ...OF_TRANSACTION,
  ...OPERATION_FORM,
  ...UNUSED_SIGNATURES,
  ...QUEUE_FORM,
];

/** The broken rules; empty if nothing known keeps the network from accepting it. */
export function checkValidity(input: ValidityFacts): BrokenRule[] {
  return brokenOf(RULES, checkedFacts(input));
}

export interface Applying {
  /**
   * The reason why no operation runs; null if they run, provided that their signatures and form
   * allow it.
   */
  readonly refusal: BrokenRule | null;
  readonly signatures: SignatureFindings;
  /** The flaw in the form of a Soroban operation. */
  readonly formFlaw: BrokenRule | null;
}

/**
 * The check in a ledger that is being applied (stellar-core: commonPreApply). A fee bump was
 * checked before.
 */
export function checkApplying(input: Omit<ValidityFacts, "feeIsTaken">): Applying {
  const facts = { ...checkedFacts(input), feeIsTaken: true as const };
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
    const violations = [rule.finds(facts)].flat().filter((each) => typeof each === "string");
    if (subject !== undefined && violations.length > 0) seen.add(subject);
    return violations.map((words) => ({ rule, words }));
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
