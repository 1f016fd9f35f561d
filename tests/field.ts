// Texts of the kinds that people paste, which are beside the repository (../shared/field): `svc explain`
// must say the facts of each, and nothing that the text does not show.
//
//   bun tests/field.ts          prints what is missing or wrong; the exit code is 1 if anything is

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { SvcError } from "../src/base/errors/errors.ts";
import { explainText } from "../src/tools/explain-text.ts";

export const FIELD = resolve(import.meta.dir, "../../shared/field");
export const HAS_FIELD = existsSync(FIELD);

interface Facts {
  readonly says: readonly RegExp[];
  /** Sentences about what was not seen, or advice that cannot work. */
  readonly not?: readonly RegExp[];
}

const SPENDS: Facts = { says: [/\b100 units/, /\b500 units/] };
const WITHOUT_HASH = /svc debug` with the transaction's hash/;

/** By the beginning of a file's name. The longest that fits counts. */
const EXPECTED: Readonly<Record<string, Facts>> = {
  K1a: {
    says: [/GCATS\w+, the destination/, /for mainnet/, /GCFIR\w+, the source account, has not/],
  },
  K1b: { says: [/GCFIR\w+, the source account/, /for testnet/, /too little weight/] },
  K1c: {
    says: [/authorization of GCATS\w+ for transfer is not signed/, /futurenet/, /in a ledger/],
  },
  K1d: { says: [/authorization of GCATS\w+ for transfer is not signed/, /futurenet/] },
  K1e: { says: [/no SorobanTransactionData/, /Simulate it/] },
  K1f: { says: [/not in order \(b, a\)/, /no SorobanTransactionData/] },
  K2: SPENDS,
  K3: SPENDS,
  K3d: { says: [/2,047,981/, /\b1 declared/] },
  K4a: { says: [/own authorization check with Error\(Contract, #3\)/], not: [/has no signature/] },
  K4b: { says: [/No signature helps/], not: [/Sign the authorization entry again/] },
  K5: { says: [/redeem/, /panicked/], not: [WITHOUT_HASH] },
  K6: { says: [/verify of contract \w+ returned false/, /contracterror/], not: [/--id C/] },
  K7a: { says: [/argument id/, /Address/] },
  K7b: { says: [/no function query_asset/] },
  K7c: { says: [/could not reach the node/] },
  K7d: { says: [/protocol/] },
  K7e: { says: [/#8/] },
  K9: { says: [/of its own/], not: [/nothing here shows/] },
  K11a: { says: [/ledger key/, /Balance, GCFIR/] },
  K11b: { says: [/not signed/, /transfer/] },
  K11c: { says: [/not in order \(b, a\)/] },
  K12a: { says: [/second copy of the SDK/, /native value/], not: [/older than the network/] },
  K12b: { says: [/contract \(C…\)/, /account \(G…\)/] },
  K13: { says: [/966001/, /transaction 5/, /testnet/] },
  K15: { says: [/diagnosticEventsXdr/, /limit of the network/] },
  K16: { says: [/wrong number of arguments/], not: [/should be impossible/] },
  K17: { says: [/in a ledger/, /fee was charged/], not: [/did not accept/] },
  // One log in many forms.
  "": { says: [/10,000,000 units/, /999,999,902,309,115,978/] },
  "n-oneevent": { says: [/10,000,000 units/, /-999,999,902,309,115,978 units/] },
};
/** What the whole log says, and each form of it that has the calls. */
const WHOLE: Facts = { says: [/97,690,884,022 units/, /1,000,000,000,000,000,000 units/] };
const PARTS: ReadonlySet<string> = new Set(["n-oneevent.txt", "o-dataonly.txt"]);

export interface FieldResult {
  readonly name: string;
  readonly said: string;
  readonly missing: readonly string[];
  readonly wrong: readonly string[];
}

/** In the order of the names; empty where the texts are not there. */
export function fieldResults(): FieldResult[] {
  if (!HAS_FIELD) return [];
  return ["kinds", "forms"].flatMap((folder) =>
    readdirSync(join(FIELD, folder))
      .toSorted()
      .map((name) => {
        const said = saidOf(readFileSync(join(FIELD, folder, name), "utf8"));
        const { says, not = [] } = factsOf(folder, name);
        return {
          name,
          said,
          missing: says.filter((fact) => !fact.test(said)).map(String),
          wrong: not.filter((fact) => fact.test(said)).map(String),
        };
      }),
  );
}

function factsOf(folder: string, name: string): Facts {
  if (folder === "forms") return PARTS.has(name) ? (EXPECTED["n-oneevent"] as Facts) : WHOLE;
  const keys = Object.keys(EXPECTED).filter((key) => name.startsWith(key));
  const key = keys.toSorted((one, other) => other.length - one.length)[0] ?? "";
  return EXPECTED[key] as Facts;
}

function saidOf(text: string): string {
  try {
    const found = explainText({ text, name: "The text" });
    return JSON.stringify(found, null, 1);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return `refused: ${error.message}`;
  }
}

if (import.meta.main) {
  const results = fieldResults();
  for (const { name, said, missing, wrong } of results)
    if (missing.length + wrong.length > 0)
      process.stdout.write(`${name}\n  missing ${missing}\n  wrong ${wrong}\n${said}\n`);
  const right = results.filter(({ missing, wrong }) => missing.length + wrong.length === 0);
  process.stdout.write(`${right.length} of ${results.length} are answered rightly\n`);
  process.exitCode = right.length === results.length ? 0 : 1;
}
