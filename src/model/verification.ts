// A Verification is the result of replaying every Soroban transaction of some ledgers. Each of its
// counts is one row of COUNTS: a fold over the outcomes of ledgers, whose schema is its type.
// Invariants: the order in which outcomes and counts are added does not change a count. Memory does
// not grow with the number of transactions, since lists keep only their first rows.

import * as v from "valibot";
import type { VerdictKind } from "./verdict.ts";

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A transaction that was not exact, or that could not be replayed at all. */
const notExact = v.object({
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  ledger: count,
  protocolVersion: count,
  /** The position in the ledger, from 1. */
  applicationOrder: count,
  /** The file or node that it was read from. */
  source: v.string(),
  verdict: v.picklist(["exact", "equivalent", "diverged", "inconclusive"]),
  /** A short phrase without values, which groups transactions with the same cause. */
  cause: v.string(),
  /** One sentence with the values. */
  detail: v.string(),
  /** The contract that the transaction calls; null if it calls none. */
  contract: v.nullable(v.string()),
  /** True if an entry or a setting from before the first ledger is unknown, or was assumed. */
  lacksHistory: v.boolean(),
});

/** An entry that the chain loaded or restored with another value than earlier ledgers gave it. */
const mismatch = v.object({
  kind: v.picklist(["state", "restored"]),
  ledger: count,
  /** The file or node that the ledger was read from. */
  source: v.string(),
  /** A LedgerKey, which may be that of a TTL entry. */
  keyXdr: v.string(),
  key: v.string(),
  /** The entry as text; null if it did not exist. */
  folded: v.nullable(v.string()),
  onChain: v.nullable(v.string()),
  /** A LedgerEntry; null if it did not exist, and for a TTL. */
  foldedXdr: v.nullable(v.string()),
  onChainXdr: v.nullable(v.string()),
});

/** A transaction that was run under another protocol too. */
const rehearsed = v.object({
  hash: v.string(),
  ledger: count,
  contract: v.nullable(v.string()),
  function: v.nullable(v.string()),
  /** The names of the parts that differ; empty if nothing does. */
  differences: v.array(v.string()),
  /** The first difference, with both values. */
  detail: v.string(),
});

/** The outcome of `--rehearse-protocol`. */
const rehearsal = v.object({
  protocolVersion: count,
  /**
   * The number of transactions that ran under it: those that were reproduced under their own
   * protocol.
   */
  transactions: count,
  /** The number of transactions that differ. */
  different: count,
  /** The first transactions that differ, at most as many as the caller requested. */
  differences: v.array(rehearsed),
});

/**
 * The first ledger that svc cannot verify, because its protocol is later than those that svc knows.
 */
const unknownProtocol = v.object({
  ledger: count,
  protocolVersion: count,
  /** The file or node that the ledger was read from. */
  source: v.string(),
  /**
   * The number of ledgers that were left out, with this one: the rest of a range. Of a file, only
   * the first is read; of an archive, all of the checkpoint, whose state proves those before it.
   */
  ledgers: count,
});

const verdictCounts = v.object({
  exact: count,
  equivalent: count,
  diverged: count,
  inconclusive: count,
});

export type NotExact = Readonly<v.InferOutput<typeof notExact>>;
export type UnknownProtocol = Readonly<v.InferOutput<typeof unknownProtocol>>;
export type StateMismatch = Readonly<v.InferOutput<typeof mismatch>>;
export type RehearsedTransaction = Readonly<v.InferOutput<typeof rehearsed>>;
export type Rehearsal = Readonly<v.InferOutput<typeof rehearsal>>;
export type VerdictCounts = Readonly<Record<VerdictKind, number>>;

/** The outcome of one Soroban transaction that ran. */
export interface TransactionOutcome {
  /** Null if the transaction is exact. */
  readonly notExact: NotExact | null;
  /** True if an input of the replay is known only from a node's answer. */
  readonly unconfirmed: boolean;
  /** True if the state came from earlier replays, with no meta that shows it. */
  readonly isChained?: boolean;
  /**
   * True if the next checkpoint has an entry that the transaction used or left with another value.
   */
  readonly isContradicted?: boolean;
  /** Null if it was not run under another protocol. */
  readonly rehearsed: RehearsedTransaction | null;
}

/** The outcome of one ledger. */
export interface LedgerOutcome {
  /** The protocol of its transactions. */
  readonly protocolVersion: number;
  /** The transactions in application order. */
  readonly transactions: readonly TransactionOutcome[];
  /** Transactions without a Soroban operation, which do not run in the contract host. */
  readonly classicTransactions: number;
  /**
   * Soroban transactions that were refused before their operation ran, so that there is nothing to
   * replay.
   */
  readonly refusedTransactions: number;
  readonly mismatches: readonly StateMismatch[];
  /** The protocol that is rehearsed, or null. */
  readonly rehearsedProtocol: number | null;
  /** The number of entries that replays wrote, and that the next checkpoint has alike. */
  readonly confirmedEntries?: number;
  /**
   * Present if the ledger is of a later protocol than svc knows. It was not verified, nor the
   * ledgers after it.
   */
  readonly unknownProtocol?: UnknownProtocol;
}

/** The way a tally orders and cuts its lists. */
export interface CountOrder {
  readonly keep: number;
  /** Compares places in the order of the inputs. */
  readonly byPlace: (left: OutcomePlace, right: OutcomePlace) => number;
}

export type OutcomePlace = Pick<NotExact, "source" | "ledger"> & {
  readonly applicationOrder?: number;
};

/** One count: its value without ledgers, its value for one ledger, and the sum of two values. */
export interface Count<Value, Outcome> {
  readonly schema: v.GenericSchema<Value>;
  readonly none: () => Value;
  readonly of: (outcome: Outcome) => Value;
  readonly add: (sum: Value, more: Value, order: CountOrder) => Value;
}

/** A count of any value. */
interface AnyCount<Outcome> {
  readonly schema: v.GenericSchema;
  readonly none: () => unknown;
  readonly of: (outcome: Outcome) => unknown;
  readonly add: (sum: never, more: never, order: CountOrder) => unknown;
}

export type CountTable<Outcome> = Readonly<Record<string, AnyCount<Outcome>>>;
export type ValuesOf<Rows extends CountTable<never>> = {
  readonly [Name in keyof Rows]: ReturnType<Rows[Name]["none"]>;
};

/** `help` is for the schema of the documents. */
export function numberCount<Outcome = LedgerOutcome>(
  help: string,
  of: (outcome: Outcome) => number,
): Count<number, Outcome> {
  return { schema: described(count, help), none: () => 0, of, add: (sum, more) => sum + more };
}

export type Numbers = Readonly<Record<string, number>>;

export function addNumbers<Sum extends Numbers>(sum: Sum, more: Numbers): Sum {
  let added: Record<string, number> | null = null;
  for (const [name, many] of Object.entries(more)) {
    added ??= { ...sum };
    added[name] = (added[name] ?? 0) + many;
  }
  return (added ?? sum) as Sum;
}

/** Counts how often each name occurs. */
function numbersOf(
  help: string,
  namesOf: (outcome: LedgerOutcome) => readonly string[],
): Count<Numbers, LedgerOutcome> {
  return {
    schema: described(v.record(v.string(), count), help),
    none: () => ({}),
    of: (outcome) =>
      namesOf(outcome).reduce<Numbers>((sum, name) => addNumbers(sum, { [name]: 1 }), {}),
    add: addNumbers,
  };
}

/** Keeps the first rows, in the order of the inputs. */
function firstOf<Row extends OutcomePlace>(
  help: string,
  schema: v.GenericSchema<Row>,
  of: (outcome: LedgerOutcome) => readonly Row[],
): Count<readonly Row[], LedgerOutcome> {
  const add = (sum: readonly Row[], more: readonly Row[], { keep, byPlace }: CountOrder) =>
    firstRows(sum, more, keep, byPlace);
  return { schema: described(v.array(schema), help), none: () => [], of, add };
}

function firstRows<Row>(
  sum: readonly Row[],
  more: readonly Row[],
  keep: number,
  inOrder: (left: Row, right: Row) => number,
): readonly Row[] {
  const last = sum[keep - 1];
  const newRows = last === undefined ? more : more.filter((row) => inOrder(row, last) < 0);
  return newRows.length === 0 ? sum : [...sum, ...newRows].sort(inOrder).slice(0, keep);
}

const notExactOf = ({ transactions }: LedgerOutcome) =>
  transactions.flatMap((each) => each.notExact ?? []);

export const noVerdicts = (): Record<VerdictKind, number> => ({
  exact: 0,
  equivalent: 0,
  diverged: 0,
  inconclusive: 0,
});

export const VERDICTS: Count<VerdictCounts, LedgerOutcome> = {
  schema: verdictCounts,
  none: noVerdicts,
  of({ transactions }) {
    const counts = noVerdicts();
    for (const { notExact: other } of transactions) counts[other?.verdict ?? "exact"] += 1;
    return counts;
  },
  add: addNumbers,
};

export type ByProtocol = Readonly<Record<string, VerdictCounts>>;

const BY_PROTOCOL: Count<ByProtocol, LedgerOutcome> = {
  schema: described(
    v.record(v.string(), verdictCounts),
    "Protocol version: number of each verdict.",
  ),
  none: () => ({}),
  of: (outcome) =>
    outcome.transactions.length === 0 ? {} : { [outcome.protocolVersion]: VERDICTS.of(outcome) },
  add: (sum, more) => {
    const added = { ...sum };
    for (const [protocol, counts] of Object.entries(more))
      added[protocol] = addNumbers(added[protocol] ?? noVerdicts(), counts);
    return added;
  },
};

const FIRST_OF_EACH: Count<readonly NotExact[], LedgerOutcome> = {
  schema: described(
    v.array(notExact),
    "The first transaction of each verdict and cause, in ledger order.",
  ),
  none: () => [],
  of: notExactOf,
  add(sum, more, { byPlace }) {
    if (more.length === 0) return sum;
    const firsts = new Map<string, NotExact>();
    for (const row of [...sum, ...more]) {
      const kind = `${row.verdict} ${row.cause}`;
      const first = firsts.get(kind);
      if (first === undefined || byPlace(row, first) < 0) firsts.set(kind, row);
    }
    return [...firsts.values()].sort(byPlace);
  },
};

const REHEARSAL: Count<Rehearsal | null, LedgerOutcome> = {
  schema: described(
    v.nullable(rehearsal),
    "With --rehearse-protocol: what would be different under that protocol; otherwise null.",
  ),
  none: () => null,
  of({ rehearsedProtocol: protocolVersion, transactions }) {
    if (protocolVersion === null) return null;
    const ran = transactions.flatMap((each) => each.rehearsed ?? []);
    const differences = ran.filter((each) => each.differences.length > 0);
    return {
      protocolVersion,
      transactions: ran.length,
      different: differences.length,
      differences,
    };
  },
  add(sum, more, { keep }) {
    if (sum === null || more === null) return sum ?? more;
    const byLedger = (left: RehearsedTransaction, right: RehearsedTransaction) =>
      left.ledger - right.ledger || (left.hash < right.hash ? -1 : 1);
    return {
      protocolVersion: more.protocolVersion,
      transactions: sum.transactions + more.transactions,
      different: sum.different + more.different,
      differences: [...firstRows(sum.differences, more.differences, keep, byLedger)],
    };
  },
};

/** The outcome for ledgers from that one on, which were not verified. */
export function notVerified(unknownProtocol: UnknownProtocol): LedgerOutcome {
  return {
    protocolVersion: unknownProtocol.protocolVersion,
    transactions: [],
    classicTransactions: 0,
    refusedTransactions: 0,
    mismatches: [],
    rehearsedProtocol: null,
    unknownProtocol,
  };
}

/** A new count needs only a row here. */
export const COUNTS = {
  ledgers: numberCount("Ledgers that were verified.", ({ unknownProtocol: later }) =>
    later === undefined ? 1 : 0,
  ),
  unknownProtocolLedgers: numberCount(
    "Ledgers that were not verified because the network has a later protocol there than svc knows.",
    ({ unknownProtocol: later }) => later?.ledgers ?? 0,
  ),
  unknownProtocols: firstOf(
    "The first ledger of each later protocol.",
    unknownProtocol,
    ({ unknownProtocol: later }) => (later === undefined ? [] : [later]),
  ),
  classicTransactions: numberCount(
    "Transactions without a Soroban operation; they do not run in the contract host.",
    (outcome) => outcome.classicTransactions,
  ),
  refusedTransactions: numberCount(
    "Soroban transactions refused before their operation ran.",
    (outcome) => outcome.refusedTransactions,
  ),
  byProtocol: BY_PROTOCOL,
  byCause: numbersOf("Cause: number of transactions that are not exact for it.", (outcome) =>
    notExactOf(outcome).map(({ cause }) => cause),
  ),
  byContract: numbersOf("Contract: number of its transactions that are not exact.", (outcome) =>
    notExactOf(outcome).flatMap((each) => each.contract ?? []),
  ),
  firstOfEach: FIRST_OF_EACH,
  exactUnconfirmed: numberCount(
    "Exact transactions with an entry or a network setting that only a node's answer shows.",
    ({ transactions }) =>
      transactions.filter((each) => each.notExact === null && each.unconfirmed).length,
  ),
  exactChained: numberCount(
    "With --archive: exact transactions with an entry that earlier replays left.",
    ({ transactions }) =>
      transactions.filter((each) => each.notExact === null && each.isChained).length,
  ),
  confirmedEntries: numberCount(
    "With --archive: entries and TTLs that replays wrote and the next checkpoint has alike.",
    ({ confirmedEntries }) => confirmedEntries ?? 0,
  ),
  notExactWithoutHistory: numberCount(
    "Transactions that are not exact while an entry or a setting from before the first ledger is unknown or was assumed: a run that begins earlier may find them exact.",
    (outcome) => notExactOf(outcome).filter(({ lacksHistory }) => lacksHistory).length,
  ),
  notExact: firstOf("The first of them, in ledger order.", notExact, notExactOf),
  stateMismatches: numberCount(
    "Entries that the chain loaded or restored with another value than earlier ledgers gave them: corrupted state.",
    (outcome) => outcome.mismatches.length,
  ),
  mismatches: firstOf(
    "The first of them, in ledger order.",
    mismatch,
    (outcome) => outcome.mismatches,
  ),
  rehearsal: REHEARSAL,
} as const satisfies CountTable<LedgerOutcome>;

export type Counts = ValuesOf<typeof COUNTS>;
export const countsSchema = v.object(entriesOf(COUNTS)) as unknown as v.GenericSchema<Counts>;

function entriesOf<Rows extends CountTable<never>>(
  table: Rows,
): Record<keyof Rows, v.GenericSchema> {
  return mapRows(table, (_, { schema }) => schema) as Record<keyof Rows, v.GenericSchema>;
}

function described<Value>(schema: v.GenericSchema<Value>, help: string): v.GenericSchema<Value> {
  return v.pipe(schema, v.description(help));
}

export function valuesOf<Rows extends CountTable<Outcome>, Outcome>(
  table: Rows,
  outcome: Outcome,
): ValuesOf<Rows> {
  return mapRows(table, (_, { of }) => of(outcome as never));
}

export function noValues<Rows extends CountTable<never>>(table: Rows): ValuesOf<Rows> {
  return mapRows(table, (_, { none }) => none());
}

export function sumOf<Rows extends CountTable<never>>(
  table: Rows,
  sum: ValuesOf<Rows>,
  more: ValuesOf<Rows>,
  order: CountOrder = UNORDERED,
): ValuesOf<Rows> {
  return mapRows(table, (name, { add }) => add(sum[name] as never, more[name] as never, order));
}

const UNORDERED: CountOrder = { keep: 0, byPlace: () => 0 };

function mapRows<Rows extends CountTable<never>>(
  table: Rows,
  read: (name: keyof Rows, row: AnyCount<never>) => unknown,
): ValuesOf<Rows> {
  // This runs for each ledger, so it makes no lists of pairs.
  const values: Partial<Record<keyof Rows, unknown>> = {};
  for (const name in table) values[name] = read(name, table[name] as AnyCount<never>);
  return values as ValuesOf<Rows>;
}

/** The nodes of a run, for the commands that its reports show. The addresses have no secrets. */
export interface VerificationNodes {
  /** Null if it is found out from the files. */
  readonly networkPassphrase: string | null;
  /** True if the ledgers were read from files: the source of a transaction is then a file's path. */
  readonly areFiles?: boolean;
  /** The addresses that the user has set. */
  readonly rpcUrls: NodeAddresses;
  readonly ledgerLakeUrls: NodeAddresses;
  /** The addresses of the archives, if an archive was verified. */
  readonly historyArchives?: NodeAddresses;
}

/** The addresses, or `hidden` if one of them has more than may be shown. */
export type NodeAddresses = readonly string[] | "hidden";

/** The fields of a verification beside its counts. */
const RUN = {
  inputs: described(v.array(v.string()), "The files that were read, or the ledger range."),
  transactions: described(count, "Soroban transactions that were judged: the sum of the verdicts."),
  verdicts: verdictCounts,
  notExactOmitted: described(count, "Transactions that are not exact and missing from `notExact`."),
  elapsedMilliseconds: v.number(),
  archive: v.exactOptional(
    v.pipe(
      v.string(),
      v.description("With --archive: the history archive. Results and checkpoints were compared."),
    ),
  ),
};

export const verificationSchema = v.object({ ...RUN, ...entriesOf(COUNTS) });
export type Verification = Counts & Readonly<v.InferOutput<v.ObjectSchema<typeof RUN, undefined>>>;
