// The contract of tests/contracts/origins, whose source is the truth, at each level of optimization: of
// the places where a value may have come from, the one that it came from is named.

import {
  CHECKED,
  OTHER,
  other,
  type Row,
  type Said,
  sayer,
  symbol,
  testRows,
  u32,
} from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();

const K = symbol("K");
/** In the ledger it is 9 wherever it can be. */
const IN_LEDGER = [[K, u32(9)]] as const;
const says = (level: string): Said =>
  sayer(simulator, `origins-${level}.wasm`, {
    persistent: IN_LEDGER,
    temporary: IN_LEDGER,
    ofOther: IN_LEDGER,
    absent: [],
    instance: [{ key: K, val: u32(9) }],
    writesInstance: true,
    hasOther: true,
  });

const before = (durability: string) => `K (9, ${durability} storage) is greater than 4`;
const written = (argument = 1) =>
  `K (7, written earlier in this transaction) is greater than 4; K was written as \`n\` (argument ${argument})`;
const ONE = [u32(1)];
const SEVEN = [u32(7)];

/** Whose write decided: by durability, block of code, deletion, call that failed, and other call. */
const WRITERS: readonly Row[] = [
  ["put_temporary_get_persistent", ONE, before("persistent")],
  ["put_persistent_get_temporary", ONE, before("temporary")],
  ["put_instance_get_persistent", ONE, before("persistent")],
  ["put_persistent_get_instance", ONE, before("instance")],
  ["delete_temporary_get_persistent", [], before("persistent")],
  ["put_get_persistent", SEVEN, written()],
  ["put_get_temporary", SEVEN, written()],
  ["put_get_instance", SEVEN, written()],
  ["get_then_put", ONE, before("persistent")],
  ["delete_then_get", ONE, 'there is no entry "K" in its persistent storage'],
  ["undone_checked_there", [other, u32(1)], before("persistent")],
  ["committed", [other, u32(7)], written(2)],
  [
    "undone",
    [other, u32(1)],
    `the result of \`read\` of ${OTHER} (9) is greater than 4; \`read\` returned K (persistent storage)`,
  ],
];

for (const level of CHECKED)
  testRows(`origins-${level}`, says(level), { rows: WRITERS, silent: [] });
