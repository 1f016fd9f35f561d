// The folded state in the database of a follow state: a row an entry, written in the transaction
// that moves the cursor, so that both are always of the same ledger.
// Invariant: the number of rows and the sum of their checksums are kept beside them: a row that is
// changed, added or lost is noticed before anything is taken from it.

import type { FoldChanges, FoldFacts, SavedFold } from "../../snapshot/stream/ledgers-fold.ts";
import type { KeptRow } from "../../snapshot/stream/state-changes.ts";
import type { StateDatabase } from "./state-database.ts";

export interface FoldedTable {
  /** Within the caller's transaction. */
  apply(changes: FoldChanges, ledger: number): FoldedSummary;
  /** Null when the rows are not those of the summary. */
  read(summary: FoldedSummary): SavedFold | null;
}

/** Kept, with a checksum, beside the cursor. */
export interface FoldedSummary {
  /** The last ledger that was folded. */
  readonly ledger: number;
  readonly facts: FoldFacts;
  readonly rows: number;
  /** Of the checksums, modulo 2^32. */
  readonly sum: number;
}

interface TableRow {
  readonly key: string;
  readonly value: string | number | null;
  readonly generation: number;
  readonly checksum: number;
}

type Counted = Pick<FoldedSummary, "rows" | "sum">;

const MODULUS = 2 ** 32;

export function createFoldedTable(database: StateDatabase): void {
  database.run(
    "CREATE TABLE folded (key TEXT PRIMARY KEY, value, generation INTEGER NOT NULL, checksum INTEGER NOT NULL)",
  );
}

/** `before`: what the table has now; null: nothing that counts. */
export function openFoldedTable(
  database: StateDatabase,
  before: FoldedSummary | null,
): FoldedTable {
  let counted: Counted = before ?? { rows: 0, sum: 0 };
  const add = (rows: number, sum: number) => {
    counted = { rows: counted.rows + rows, sum: (counted.sum + sum + MODULUS) % MODULUS };
  };
  const find = database.query<{ checksum: number }>("SELECT checksum FROM folded WHERE key = ?1");
  const write = database.query("INSERT OR REPLACE INTO folded VALUES (?1, ?2, ?3, ?4)");
  const remove = database.query("DELETE FROM folded WHERE key = ?1");
  const count = (generation: number) =>
    database
      .query<Counted>(
        `SELECT count(*) AS rows, coalesce(sum(checksum) % ${MODULUS}, 0) AS sum
         FROM folded WHERE generation < ?1`,
      )
      .get(generation) as Counted;
  let generation = before?.facts.generation ?? 0;
  return {
    apply({ reset, facts, rows }, ledger) {
      if (reset) {
        database.run("DELETE FROM folded");
        counted = { rows: 0, sum: 0 };
      }
      for (const [key, value] of rows) {
        const known = find.get(key);
        if (known !== null) add(-1, -known.checksum);
        if (value === undefined) {
          if (known !== null) remove.run(key);
          continue;
        }
        const checksum = checksumOf({ key, value, generation: facts.generation });
        write.run(key, value, facts.generation, checksum);
        add(1, checksum);
      }
      if (facts.generation !== generation) {
        const forgotten = count(facts.generation - 1);
        database.query("DELETE FROM folded WHERE generation < ?1").run(facts.generation - 1);
        add(-forgotten.rows, -forgotten.sum);
        generation = facts.generation;
      }
      return { ledger, facts, ...counted };
    },
    read({ facts, rows, sum }) {
      const table = database.query<TableRow>("SELECT * FROM folded");
      let [seen, total] = [0, 0];
      for (const row of table.iterate()) {
        if (checksumOf(row) !== row.checksum) return null;
        seen += 1;
        total = (total + row.checksum) % MODULUS;
      }
      if (seen !== rows || total !== sum) return null;
      const kept = function* (): Generator<KeptRow> {
        for (const { key, value, generation: its } of table.iterate()) {
          yield { row: [key, value], generation: its };
        }
      };
      return { facts, rows: { [Symbol.iterator]: kept } };
    },
  };
}

function checksumOf({ key, value, generation }: Omit<TableRow, "checksum">): number {
  return Bun.hash.crc32(`${generation} ${key} ${JSON.stringify(value)}`);
}
