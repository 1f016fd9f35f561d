// A tally of the outcomes of ledgers: it adds them up, and the counts of other tallies in this
// process or a worker.

import {
  addNumbers,
  type ByProtocol,
  COUNTS,
  type CountOrder,
  type Counts,
  type LedgerOutcome,
  type Numbers,
  noValues,
  noVerdicts,
  type OutcomePlace,
  sumOf,
  type VerdictCounts,
  type Verification,
  valuesOf,
} from "../verification.ts";

/** Adds up outcomes, and the counts of other tallies in this process or a worker. */
export class Tally {
  private values: Counts;
  private readonly order: CountOrder;

  /** With `rehearsedProtocol`, a rehearsal is shown even if nothing was rehearsed. */
  constructor(keep: number, inputs: readonly string[], rehearsedProtocol: number | null = null) {
    const position = new Map(inputs.map((input, index) => [input, index]));
    const at = ({ source }: OutcomePlace) => position.get(source) ?? 0;
    const byPlace = (left: OutcomePlace, right: OutcomePlace) =>
      at(left) - at(right) ||
      left.ledger - right.ledger ||
      (left.applicationOrder ?? 0) - (right.applicationOrder ?? 0);
    this.order = { keep, byPlace };
    const rehearsed = { protocolVersion: rehearsedProtocol ?? 0, transactions: 0, different: 0 };
    this.values = {
      ...noValues(COUNTS),
      rehearsal: rehearsedProtocol === null ? null : { ...rehearsed, differences: [] },
    };
  }

  /** The counts, sorted by name, so that they do not show the order of adding. */
  get counts(): Counts {
    const { byCause, byContract } = this.values;
    return { ...this.values, byCause: sorted(byCause), byContract: sorted(byContract) };
  }

  get progress() {
    const { ledgers, byProtocol } = this.values;
    return {
      ledgers,
      transactions: total(Object.values(byProtocol).reduce(addNumbers, noVerdicts())),
    };
  }

  addLedger(outcome: LedgerOutcome): void {
    this.add(valuesOf(COUNTS, outcome));
  }

  add(counts: Counts): void {
    this.values = sumOf(COUNTS, this.values, counts, this.order);
  }

  finish(inputs: readonly string[], elapsedMilliseconds: number): Verification {
    const { counts } = this;
    const verdicts = verdictsOf(counts.byProtocol);
    const transactions = total(verdicts);
    const notExactOmitted = transactions - verdicts.exact - counts.notExact.length;
    const run = { inputs: [...inputs], transactions, verdicts, notExactOmitted };
    return { ...run, ...counts, elapsedMilliseconds };
  }
}

function sorted(numbers: Numbers): Numbers {
  return Object.fromEntries(Object.entries(numbers).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function verdictsOf(byProtocol: ByProtocol): VerdictCounts {
  return Object.values(byProtocol).reduce<VerdictCounts>(addNumbers, noVerdicts());
}

function total({ exact, equivalent, diverged, inconclusive }: VerdictCounts): number {
  return exact + equivalent + diverged + inconclusive;
}
