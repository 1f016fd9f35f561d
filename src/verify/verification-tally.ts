// Adds up verdicts into a Verification, in any order and from any number of workers.
// Invariants: memory does not grow with the number of transactions: of those that are not exact
// only the first `keep` in the order of the inputs are kept, the others are counted. The order of
// adding does not change the result.

import type { VerdictKind } from "../model/verdict.ts";
import type {
  NotExact,
  Rehearsal,
  RehearsedTransaction,
  StateMismatch,
  VerdictCounts,
  Verification,
} from "../model/verification.ts";

/** What a worker hands over; plain data. */
export interface TallyCounts {
  readonly ledgers: number;
  readonly classicTransactions: number;
  readonly refusedTransactions: number;
  readonly byProtocol: Readonly<Record<string, VerdictCounts>>;
  readonly byCause: Readonly<Record<string, number>>;
  readonly byContract: Readonly<Record<string, number>>;
  readonly firstOfEach: readonly NotExact[];
  readonly exactUnconfirmed: number;
  readonly notExactWithoutHistory: number;
  readonly notExact: readonly NotExact[];
  readonly stateMismatches: number;
  readonly mismatches: readonly StateMismatch[];
  readonly rehearsal: Rehearsal | null;
}

type MutableCounts = Record<VerdictKind, number>;

export class VerificationTally {
  ledgers = 0;
  private classicTransactions = 0;
  private refusedTransactions = 0;
  private readonly byProtocol = new Map<string, MutableCounts>();
  private readonly byCause = new Map<string, number>();
  private readonly byContract = new Map<string, number>();
  private readonly firstOfEach = new Map<string, NotExact>();
  private exactUnconfirmed = 0;
  private notExactWithoutHistory = 0;
  private readonly notExact: FirstInOrder<NotExact>;
  private stateMismatches = 0;
  private readonly mismatches: FirstInOrder<StateMismatch>;
  private rehearsal: Omit<Rehearsal, "differences"> | null = null;
  private readonly rehearsed: FirstInOrder<RehearsedTransaction>;
  private readonly inOrder: (a: NotExact, b: NotExact) => number;

  /** `inputs` in their order, which is the order of the lists. */
  constructor(keep: number, inputs: readonly string[]) {
    const inOrder = inOrderOf(inputs);
    this.inOrder = (a, b) => inOrder(a, b) || a.applicationOrder - b.applicationOrder;
    this.notExact = new FirstInOrder(keep, this.inOrder);
    this.mismatches = new FirstInOrder<StateMismatch>(keep, inOrder);
    this.rehearsed = new FirstInOrder<RehearsedTransaction>(
      keep,
      (a, b) => a.ledger - b.ledger || (a.hash < b.hash ? -1 : 1),
    );
  }

  get counts(): TallyCounts {
    return {
      ledgers: this.ledgers,
      classicTransactions: this.classicTransactions,
      refusedTransactions: this.refusedTransactions,
      byProtocol: Object.fromEntries(this.byProtocol),
      byCause: sorted(this.byCause),
      byContract: sorted(this.byContract),
      firstOfEach: [...this.firstOfEach.values()].sort(this.inOrder),
      exactUnconfirmed: this.exactUnconfirmed,
      notExactWithoutHistory: this.notExactWithoutHistory,
      notExact: this.notExact.list(),
      stateMismatches: this.stateMismatches,
      mismatches: this.mismatches.list(),
      rehearsal: this.rehearsal && { ...this.rehearsal, differences: this.rehearsed.list() },
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

  /** `unconfirmed`: an input of the replay is only a node's word. */
  addExact(protocolVersion: number, unconfirmed: boolean): void {
    this.countsOf(protocolVersion).exact += 1;
    if (unconfirmed) this.exactUnconfirmed += 1;
  }

  addNotExact(transaction: NotExact): void {
    this.countsOf(transaction.protocolVersion)[transaction.verdict] += 1;
    addTo(this.byCause, transaction.cause, 1);
    if (transaction.contract) addTo(this.byContract, transaction.contract, 1);
    if (transaction.lacksHistory === true) this.notExactWithoutHistory += 1;
    this.addFirst(transaction);
    this.notExact.add([transaction]);
  }

  addMismatch(mismatch: StateMismatch): void {
    this.stateMismatches += 1;
    this.mismatches.add([mismatch]);
  }

  addRehearsed(protocolVersion: number, found: readonly RehearsedTransaction[]): void {
    const differences = found.filter((each) => each.differences.length > 0);
    const counts = { transactions: found.length, different: differences.length };
    this.addRehearsal({ protocolVersion, ...counts, differences });
  }

  private addRehearsal({ differences, ...counts }: Rehearsal): void {
    const before = this.rehearsal ?? { transactions: 0, different: 0 };
    this.rehearsal = {
      protocolVersion: counts.protocolVersion,
      transactions: before.transactions + counts.transactions,
      different: before.different + counts.different,
    };
    this.rehearsed.add(differences);
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
    for (const [cause, many] of Object.entries(counts.byCause)) addTo(this.byCause, cause, many);
    for (const [contract, many] of Object.entries(counts.byContract)) {
      addTo(this.byContract, contract, many);
    }
    for (const transaction of counts.firstOfEach) this.addFirst(transaction);
    this.exactUnconfirmed += counts.exactUnconfirmed;
    this.notExactWithoutHistory += counts.notExactWithoutHistory;
    this.notExact.add(counts.notExact);
    this.stateMismatches += counts.stateMismatches;
    this.mismatches.add(counts.mismatches);
    if (counts.rehearsal !== null) this.addRehearsal(counts.rehearsal);
  }

  finish(inputs: readonly string[], elapsedMilliseconds: number): Verification {
    const verdicts = noVerdicts();
    for (const counts of this.byProtocol.values()) {
      for (const kind of KINDS) verdicts[kind] += counts[kind];
    }
    const transactions = sum(Object.values(verdicts));
    const { counts } = this;
    return {
      inputs,
      ledgers: counts.ledgers,
      transactions,
      classicTransactions: counts.classicTransactions,
      refusedTransactions: counts.refusedTransactions,
      verdicts,
      byProtocol: counts.byProtocol,
      byCause: counts.byCause,
      byContract: counts.byContract,
      firstOfEach: counts.firstOfEach,
      exactUnconfirmed: counts.exactUnconfirmed,
      notExactWithoutHistory: counts.notExactWithoutHistory,
      notExact: counts.notExact,
      notExactOmitted: transactions - verdicts.exact - counts.notExact.length,
      stateMismatches: counts.stateMismatches,
      mismatches: counts.mismatches,
      rehearsal: counts.rehearsal,
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

  private addFirst(transaction: NotExact): void {
    const kind = `${transaction.verdict} ${transaction.cause}`;
    const first = this.firstOfEach.get(kind);
    if (first === undefined || this.inOrder(transaction, first) < 0) {
      this.firstOfEach.set(kind, transaction);
    }
  }
}

/** Keeps the first `keep` of what is added in any order. */
class FirstInOrder<T> {
  private readonly keep: number;
  private readonly inOrder: (a: T, b: T) => number;
  private kept: T[] = [];

  constructor(keep: number, inOrder: (a: T, b: T) => number) {
    this.keep = keep;
    this.inOrder = inOrder;
  }

  add(values: readonly T[]): void {
    for (const value of values) {
      this.kept.push(value);
      // Sorting once in so many is cheap, and so is a list twice as long.
      if (this.kept.length > 2 * this.keep) this.cut();
    }
  }

  list(): readonly T[] {
    this.cut();
    return this.kept;
  }

  private cut(): void {
    this.kept = this.kept.sort(this.inOrder).slice(0, this.keep);
  }
}

function addTo(counts: Map<string, number>, key: string, many: number): void {
  counts.set(key, (counts.get(key) ?? 0) + many);
}

/** By key, so that the order of adding does not show. */
function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
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
