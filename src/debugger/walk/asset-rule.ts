// Finds what the asset contract, or the host itself, compared when it refused a call. The contract
// reports its numbers, and svc-sim knows where the argument came from that the contract compared
// with them. The rules are in rs-soroban-env, builtin_contracts/stellar_asset_contract.

import type { Execution } from "../../model/execution.ts";
import type { Term, Why, WhyCondition } from "../../model/why.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import { ASSET_SPEC } from "../../xdr/contract/asset-spec.ts";
import { authorizedBalance } from "../../xdr/ledger/frozen-balance.ts";
import { endingError } from "../../xdr/outcome/error-reports.ts";
import { ASSET_ERRORS, messageIn, REFUSALS } from "../../xdr/outcome/host-messages.ts";
import { showValue } from "../../xdr/values/value.ts";
import { integerOfValue, symbolMapOf, symbolOf } from "../../xdr/values/value-parts.ts";

/** Functions whose amount leaves the balance of `from`. */
const SPENDS: ReadonlySet<string> = new Set([
  "transfer",
  "transfer_from",
  "burn",
  "burn_from",
  "clawback",
]);

/**
 * An explanation whose refused call has the condition that the asset contract, or the host,
 * reported, if any. `request` has the state before the transaction.
 */
export function withAssetRule(
  why: Why,
  { diagnosticsXdr }: Execution,
  request: Pick<ReplayRequest, "ledger_entries" | "ledger">,
): Why {
  const condition =
    why.refused?.passed &&
    (ruleOf(why.refused, diagnosticsXdr, request) ?? ttlRule(why.refused, diagnosticsXdr));
  return condition ? { ...why, conditions: [condition] } : why;
}

/** The refused call without that condition. */
export function withoutAssetRule(why: Why): Why {
  return why.refused === undefined ? why : { ...why, conditions: [] };
}

/** The ledgers by which a contract asked to extend a temporary entry's TTL, and the maximum. */
function ttlRule(
  { function: called, passed: [, ledgers] = [] }: NonNullable<Why["refused"]>,
  diagnosticsXdr: readonly string[],
): WhyCondition | null {
  const { origin = null } = endingError(diagnosticsXdr) ?? {};
  const isIt = messageIn(REFUSALS, origin?.message)?.id === "extension-temporary";
  const [extension = null, maximum = null] = (origin?.valuesXdr ?? []).map(numberIn);
  const isAsked = called === "extend_contract_data_ttl" && ledgers !== undefined;
  if (
    !isAsked ||
    !isIt ||
    maximum === null ||
    extension === null ||
    extension !== numberOf(ledgers)
  )
    return null;
  const limit = { kind: "constant", number: `${maximum}` } as const;
  return { relation: "greater", terms: [{ ...ledgers, number: `${extension}` }, limit] };
}

/** A call of the asset contract, and what it reported. */
interface RefusedCall {
  readonly asset: string;
  readonly function: string;
  readonly argumentNamed: (name: string) => Term | undefined;
  readonly reported: readonly string[];
}

function ruleOf(
  { arguments: [contractTerm, functionTerm], passed = [] }: NonNullable<Why["refused"]>,
  diagnosticsXdr: readonly string[],
  request: Parameters<typeof withAssetRule>[2],
): WhyCondition | null {
  const { origin = null } = endingError(diagnosticsXdr) ?? {};
  const asset = contractTerm?.valueXdr === undefined ? null : showValue(contractTerm.valueXdr);
  const known = messageIn(ASSET_ERRORS, origin?.message);
  if (origin === null || known === null || asset === null || origin.contract !== asset) return null;
  const called = functionTerm?.valueXdr === undefined ? null : symbolOf(functionTerm.valueXdr);
  const inputs = ASSET_SPEC.functions.get(called ?? "")?.inputs ?? [];
  const call: RefusedCall = {
    asset,
    function: called ?? "",
    argumentNamed: (name) => passed[inputs.findIndex((input) => input.name === name)],
    reported: origin.valuesXdr,
  };
  if (known.id === "balance-frozen") return frozenRule(call, request);
  if (known.id !== "trustline-missing") return numberRule(known.id, call);
  const [account] = origin.valuesXdr;
  const holder = passed.find(({ valueXdr }) => valueXdr === account);
  const token = { kind: "token", contract: asset } as const;
  return holder === undefined ? null : { relation: "no_trustline", terms: [holder, token] };
}

/** The first holder whose balance is frozen. The contract's message does not name the holder. */
function frozenRule(
  call: RefusedCall,
  request: Parameters<typeof withAssetRule>[2],
): WhyCondition | null {
  const { ledger } = request;
  const entriesXdr = Object.values(request.ledger_entries).flatMap((entry) =>
    typeof entry === "string" ? entry : (entry?.entry_xdr ?? []),
  );
  const { network_passphrase: passphrase = "" } = ledger ?? {};
  const holders = ["from", "to"].flatMap((name) => call.argumentNamed(name) ?? []);
  const token = { kind: "token", contract: call.asset } as const;
  const frozen = holders.find(({ valueXdr = "" }) =>
    entriesXdr.some((xdr) => authorizedBalance(xdr, call.asset, valueXdr, passphrase) !== null),
  );
  return frozen === undefined ? null : { relation: "frozen", terms: [frozen, token] };
}

/** The numbers that were compared, if the reported one is the argument's. */
function numberRule(id: keyof typeof ASSET_ERRORS, call: RefusedCall): WhyCondition | null {
  const [first = null, second = null, third = null] = call.reported.map(numberIn);
  const compared = (name: string, number: bigint | null, relation: string, other: Term | null) => {
    const term = call.argumentNamed(name);
    if (term === undefined || other === null || number === null || numberOf(term) !== number)
      return null;
    // A number of the code that was not computed from another value.
    const isFixed = term.kind === "computed" && (term.of ?? []).length === 0;
    const kind = isFixed ? ("constant" as const) : term.kind;
    return { relation, terms: [{ ...term, kind, number: `${number}` }, other] };
  };
  const more = (number: bigint | null, other: Term | null) =>
    compared("amount", number, "greater", other);
  const until = "expiration_ledger";
  switch (id) {
    case "balance-too-small":
      return more(second, fact(call, "balance", first, "from"));
    case "no-balance":
      return more(first, fact(call, "balance", 0n, "from"));
    case "allowance-too-small":
      return more(second, fact(call, "allowance", first, "spender", "from"));
    case "amount-negative":
      return compared("amount", first, "less", { kind: "constant", number: "0" });
    case "below-minimum-balance":
      return compared("amount", first, "less", fact(call, "minimum", second));
    case "allowance-in-past":
      return compared(until, first, "less", ofLedger("sequence", second));
    case "allowance-too-long":
      return compared(until, first, "greater", ofLedger("max_live_until", second));
    case "balance-out-of-range": {
      const amount = numberOf(call.argumentNamed("amount"));
      if (first === null || second === null || third === null || amount === null) return null;
      const [spendable, room] = [second + amount - first, third - (second - amount)];
      if (second < first)
        return spendable < 0n || !SPENDS.has(call.function)
          ? null
          : more(amount, fact(call, "spendable", spendable, "from"));
      const receives = room >= 0n && call.argumentNamed("to") !== undefined;
      return receives ? more(amount, fact(call, "room", room, "to")) : null;
    }
    default:
      return null;
  }
}

/** A fact that the asset contract knows of a holder, who is an argument of the call. */
function fact(
  { asset, argumentNamed }: RefusedCall,
  name: string,
  number: bigint | null,
  ...holders: string[]
): Term | null {
  const of = holders.flatMap((holder) => {
    const { valueXdr } = argumentNamed(holder) ?? {};
    return valueXdr === undefined ? [] : [{ kind: "constant", valueXdr } as const];
  });
  return number === null ? null : { kind: "token", name, contract: asset, number: `${number}`, of };
}

function ofLedger(name: string, number: bigint | null): Term | null {
  return number === null ? null : { kind: "ledger", name, number: `${number}` };
}

function numberOf(term: Term | undefined): bigint | null {
  return term?.valueXdr === undefined ? null : numberIn(term.valueXdr);
}

/** The balance of a contract is a struct that has the amount as a field. */
function numberIn(valueXdr: string): bigint | null {
  return integerOfValue(symbolMapOf(valueXdr)?.get("amount") ?? valueXdr);
}
