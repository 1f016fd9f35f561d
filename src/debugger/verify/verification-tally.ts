// Adds up verdicts into a Verification, in any order and from any number of workers.
// Invariant: memory does not grow with the number of transactions: of those that are not exact only
// `keep` are kept, the others are counted.

import type { VerdictKind } from "../../model/verdict.ts";
import type {
  NotExact,
  StateMismatch,
  VerdictCounts,
  Verification,
} from "../../model/verification.ts";

/** What a worker hands over; plain data. */
export interface TallyCounts {
  readonly ledgers: number;
  readonly classicTransactions: number;
  readonly refusedTransactions: number;
  readonly byProtocol: Readonly<Record<string, VerdictCounts>>;
  readonly byCause: Readonly<Record<string, number>>;
  readonly notExact: readonly NotExact[];
  readonly stateMismatches: number;
  readonly mismatches: readonly StateMismatch[];
}

type MutableCounts = Record<VerdictKind, number>;

export class VerificationTally {
  private readonly keep: number;
  ledgers = 0;
  private classicTransactions = 0;
  private refusedTransactions = 0;
  private readonly byProtocol = new Map<string, MutableCounts>();
  private readonly byCause = new Map<string, number>();
  private notExact: NotExact[] = [];
  private stateMismatches = 0;
  private readonly mismatches: StateMismatch[] = [];

  constructor(keep: number) {
    this.keep = keep;
  }

  get counts(): TallyCounts {
    return {
      ledgers: this.ledgers,
      classicTransactions: this.classicTransactions,
      refusedTransactions: this.refusedTransactions,
      byProtocol: Object.fromEntries(this.byProtocol),
      byCause: Object.fromEntries(this.byCause),
      notExact: this.notExact,
      stateMismatches: this.stateMismatches,
      mismatches: this.mismatches,
    };
  }

  get transactions(): number {
    return sum([...this.byProtocol.values()].flatMap(Object.values));
  }

  addLedger(classicTransactions: number, refusedTransactions: number): void {
    this.ledgers += 1;
    this.classicTransactions += classicTransactions;
    this.refusedTransactions += refusedTransactions;
  }

  addExact(protocolVersion: number): void {
    this.countsOf(protocolVersion).exact += 1;
  }

  addNotExact(transaction: NotExact): void {
    this.countsOf(transaction.protocolVersion)[transaction.verdict] += 1;
    this.addCause(transaction.cause, 1);
    this.list([transaction]);
  }

  addMismatch(mismatch: StateMismatch): void {
    this.stateMismatches += 1;
    if (this.mismatches.length < this.keep) this.mismatches.push(mismatch);
  }

  /** Adds what another tally, of this process or a worker, has counted. */
  add(counts: TallyCounts): void {
    this.ledgers += counts.ledgers;
    this.classicTransactions += counts.classicTransactions;
    this.refusedTransactions += counts.refusedTransactions;
    for (const [protocol, verdicts] of Object.entries(counts.byProtocol)) {
      const own = this.countsOf(protocol);
      for (const kind of KINDS) own[kind] += verdicts[kind];
    }
    for (const [cause, many] of Object.entries(counts.byCause)) this.addCause(cause, many);
    this.list(counts.notExact);
    this.stateMismatches += counts.stateMismatches;
    this.mismatches.push(...counts.mismatches.slice(0, this.keep - this.mismatches.length));
  }

  /** `inputs` in their order, which is the order of the list. */
  finish(inputs: readonly string[], elapsedMilliseconds: number): Verification {
    const verdicts = noVerdicts();
    for (const counts of this.byProtocol.values()) {
      for (const kind of KINDS) verdicts[kind] += counts[kind];
    }
    const transactions = sum(Object.values(verdicts));
    const inOrder = inOrderOf(inputs);
    this.notExact.sort((a, b) => inOrder(a, b) || a.applicationOrder - b.applicationOrder);
    this.mismatches.sort(inOrder);
    return {
      inputs,
      ledgers: this.ledgers,
      transactions,
      classicTransactions: this.classicTransactions,
      refusedTransactions: this.refusedTransactions,
      verdicts,
      byProtocol: Object.fromEntries(this.byProtocol),
      byCause: Object.fromEntries(this.byCause),
      notExact: this.notExact,
      notExactOmitted: transactions - verdicts.exact - this.notExact.length,
      stateMismatches: this.stateMismatches,
      mismatches: this.mismatches,
      elapsedMilliseconds,
    };
  }

  private countsOf(protocol: number | string): MutableCounts {
    const key = String(protocol);
    const known = this.byProtocol.get(key);
    if (known !== undefined) return known;
    const counts = noVerdicts();
    this.byProtocol.set(key, counts);
    return counts;
  }

  private addCause(cause: string, many: number): void {
    this.byCause.set(cause, (this.byCause.get(cause) ?? 0) + many);
  }

  private list(transactions: readonly NotExact[]): void {
    this.notExact.push(...transactions.slice(0, this.keep - this.notExact.length));
  }
}

const KINDS = ["exact", "equivalent", "diverged", "inconclusive"] as const;

function noVerdicts(): MutableCounts {
  return { exact: 0, equivalent: 0, diverged: 0, inconclusive: 0 };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

type Placed = Pick<NotExact, "source" | "ledger">;

function inOrderOf(inputs: readonly string[]): (a: Placed, b: Placed) => number {
  const position = new Map(inputs.map((input, index) => [input, index]));
  return (a, b) =>
    (position.get(a.source) ?? 0) - (position.get(b.source) ?? 0) || a.ledger - b.ledger;
}
