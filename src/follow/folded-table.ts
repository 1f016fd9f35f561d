// The folded state in the database of a follow state: a row an entry, written in the transaction
// that moves the cursor, so that both are always of the same ledger.

import type {
  KeptRow,
  SavedState,
  StateChanges,
  StateFacts,
} from "../snapshot/stream/state-changes.ts";
import type { StateDatabase } from "./state-database.ts";

export interface FoldedTable {
  /** Within the caller's transaction. */
  apply(changes: StateChanges): void;
  read(facts: StateFacts): SavedState;
}

interface TableRow {
  readonly key: string;
  readonly value: string | number | null;
  readonly generation: number;
}

export function createFoldedTable(database: StateDatabase): void {
  database.run("CREATE TABLE folded (key TEXT PRIMARY KEY, value, generation INTEGER NOT NULL)");
}

/** `generation`: of what the table has now. */
export function openFoldedTable(database: StateDatabase, generation: number): FoldedTable {
  const write = database.query("INSERT OR REPLACE INTO folded VALUES (?1, ?2, ?3)");
  const remove = database.query("DELETE FROM folded WHERE key = ?1");
  const forget = database.query("DELETE FROM folded WHERE generation < ?1");
  let latest = generation;
  return {
    apply({ reset, facts, rows }) {
      if (reset) database.run("DELETE FROM folded");
      for (const [key, value] of rows) {
        if (value === undefined) remove.run(key);
        else write.run(key, value, facts.generation);
      }
      if (facts.generation !== latest) forget.run(facts.generation - 1);
      latest = facts.generation;
    },
    read(facts) {
      const table = database.query<TableRow>("SELECT * FROM folded");
      const kept = function* (): Generator<KeptRow> {
        for (const { key, value, generation: its } of table.iterate()) {
          yield { row: [key, value], generation: its };
        }
      };
      return { facts, rows: { [Symbol.iterator]: kept } };
    },
  };
}
