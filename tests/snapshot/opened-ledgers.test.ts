// Ledgers whose bytes the engine has sent are kept only as long as an answer can need them.

import { afterAll, expect, test } from "bun:test";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";
import { LedgersFold } from "../../src/snapshot/stream/ledgers-fold.ts";
import { LedgersOfFiles, OpenedLedgers } from "../../src/snapshot/stream/opened-ledgers.ts";
import { MADE_PASSPHRASE, makeLedgers } from "../support/made-ledgers.ts";

const engine = openLedgerEngine({ path: SIMULATOR_BINARY }, 1);
afterAll(() => engine[Symbol.asyncDispose]());

const LEDGERS = 12;
/** The number of ledgers before each one that are not finished. */
const UNFINISHED = 3;

test("only unfinished ledgers and the one before them are kept", async () => {
  const fold = new LedgersFold(engine, { networkPassphrase: MADE_PASSPHRASE });
  const ledgers = new LedgersOfFiles(["ledgers.xdr"]);
  const opened = new OpenedLedgers(fold, ledgers, null);
  const made = makeLedgers(
    Array.from({ length: LEDGERS }, (_, at) => ({ sequence: 100 + at, transactions: [] })),
  );
  for (const [number, { sequence, ledgerCloseMeta }] of made.entries()) {
    const facts = { first_ledger: 100, young_since: 100, generation: 0, complete: false };
    const header = {
      sequence,
      hash: "",
      protocol_version: 28,
      close_time_unix_seconds: "0",
      forged: null,
      unknown_keys: [],
    };
    const place = {
      number,
      file: 0,
      sequence,
      ledger: ledgerCloseMeta.toBase64(),
      previous: number === 0 ? null : { number: number - 1, ledger: null },
      later: { read_to: 0, rows: [] },
      oldest: Math.max(0, number - UNFINISHED),
    };
    const folded = {
      sequence,
      protocol_version: 28,
      gap: false,
      facts,
      soroban: 0,
      refused: 0,
      classic: 0,
      running: 0,
      unobserved: 0,
      open: [],
      mismatches: [],
      rows: null,
      at: number,
      file: 0,
      left: false,
      settings_of: 0,
      header,
      place,
    };
    await opened.folded({ settings: undefined, folded });
  }
  const kept = made.map((_, number) => ledgers.get(number) !== null);
  const firstKept = LEDGERS - 1 - UNFINISHED - 1;
  expect(kept).toEqual(made.map((_, number) => number >= firstKept));
});
