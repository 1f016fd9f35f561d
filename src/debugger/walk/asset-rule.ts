// What the asset contract compared when it refused a call: it reports its numbers, and svc-sim
// knows where the argument came from that it compared with them. rs-soroban-env,
// builtin_contracts/stellar_asset_contract, has the rules.

import type { Execution } from "../../model/execution.ts";
import type { Term, Why, WhyCondition } from "../../model/why.ts";
import { ASSET_SPEC } from "../../xdr/contract/asset-spec.ts";
import { endingError } from "../../xdr/outcome/error-reports.ts";
import { ASSET_ERRORS, messageIn } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import { plainOf, symbolMapOf, symbolOf } from "../../xdr/values/value-parts.ts";

/** Functions of which the amount leaves the balance of `from`. */
const SPENDS: ReadonlySet<string> = new Set([
  "transfer",
  "transfer_from",
  "burn",
  "burn_from",
  "clawback",
]);

/** An explanation whose refused call has the condition that the asset contract reported, if any. */
export function withAssetRule(why: Why, { diagnosticsXdr }: Execution): Why {
  const condition = why.refused?.passed && ruleOf(why.refused, diagnosticsXdr);
  return condition ? { ...why, conditions: [condition] } : why;
}

/** The refused call without that condition. */
export function withoutAssetRule(why: Why): Why {
  return why.refused === undefined ? why : { ...why, conditions: [] };
}

function ruleOf(
  { arguments: [contractTerm, functionTerm], passed = [] }: NonNullable<Why["refused"]>,
  diagnosticsXdr: readonly string[],
): WhyCondition | null {
  const { origin = null } = endingError(diagnosticsXdr) ?? {};
  const asset = contractTerm?.valueXdr === undefined ? null : showValue(contractTerm.valueXdr);
  const known = messageIn(ASSET_ERRORS, origin?.message);
  if (origin === null || known === null || asset === null || origin.contract !== asset) return null;
  const called = functionTerm?.valueXdr === undefined ? null : symbolOf(functionTerm.valueXdr);
  const inputs = ASSET_SPEC.functions.get(called ?? "")?.inputs ?? [];
  const argumentNamed = (input: string) => passed[inputs.findIndex((each) => each.name === input)];
  const numbers = origin.valuesXdr.map(numberIn);
  const fact = (which: string, number: bigint, ...holders: string[]): Term => ({
    ...{ kind: "token", name: which, contract: asset, number: `${number}` },
    of: holders.flatMap((holder) => {
      const { valueXdr } = argumentNamed(holder) ?? {};
      return valueXdr === undefined ? [] : [{ kind: "constant", valueXdr } as const];
    }),
  });
  const compared = (input: string, relation: string, other: Term) => {
    const term = argumentNamed(input);
    const number = term?.valueXdr === undefined ? null : numberIn(term.valueXdr);
    if (term === undefined || number === null) return null;
    // A number of the code that was made of no other value.
    const isFixed = term.kind === "computed" && (term.of ?? []).length === 0;
    const kind = isFixed ? "constant" : term.kind;
    return { relation, terms: [{ ...term, kind, number: `${number}` }, other] };
  };
  const ofLedger = (fact: string, number: bigint): Term => ({
    ...{ kind: "ledger", name: fact, number: `${number}` },
  });
  const amount = numberOf(argumentNamed("amount"));
  const [first = null, second = null, third = null] = numbers;
  switch (known.id) {
    case "balance-too-small":
      return first === null || second !== amount
        ? null
        : compared("amount", "greater", fact("balance", first, "from"));
    case "no-balance":
      return first !== amount ? null : compared("amount", "greater", fact("balance", 0n, "from"));
    case "allowance-too-small":
      return first === null || second !== amount
        ? null
        : compared("amount", "greater", fact("allowance", first, "spender", "from"));
    case "amount-negative":
      return first !== amount
        ? null
        : compared("amount", "less", { kind: "constant", number: "0" });
    case "below-minimum-balance":
      return second === null || first !== amount
        ? null
        : compared("amount", "less", fact("minimum", second));
    case "allowance-in-past":
      return second === null || first !== numberOf(argumentNamed("expiration_ledger"))
        ? null
        : compared("expiration_ledger", "less", ofLedger("sequence", second));
    case "allowance-too-long":
      return second === null || first !== numberOf(argumentNamed("expiration_ledger"))
        ? null
        : compared("expiration_ledger", "greater", ofLedger("max_live_until", second));
    case "balance-out-of-range": {
      if (first === null || second === null || third === null || amount === null) return null;
      const spendable = second + amount - first;
      if (second < first)
        return SPENDS.has(called ?? "") && spendable >= 0n
          ? compared("amount", "greater", fact("spendable", spendable, "from"))
          : null;
      const room = third - (second - amount);
      return room >= 0n && argumentNamed("to") !== undefined
        ? compared("amount", "greater", fact("room", room, "to"))
        : null;
    }
    default:
      return null;
  }
}

function numberOf(term: Term | undefined): bigint | null {
  return term?.valueXdr === undefined ? null : numberIn(term.valueXdr);
}

/** The balance of a contract is a struct that has the amount as a field. */
function numberIn(valueXdr: string): bigint | null {
  const number = plainOf(symbolMapOf(valueXdr)?.get("amount") ?? valueXdr);
  return typeof number === "bigint" ? number : null;
}
