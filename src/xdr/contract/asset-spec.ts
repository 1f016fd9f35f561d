// The specification of the Stellar asset contract, which is part of the host and has no wasm. The
// functions are those of SEP-41 and CAP-46-06, and `trust` of later protocols. The errors are those
// of rs-soroban-env, builtin_contracts/contract_error.rs; the signature check of classic accounts
// uses them too.

import type {
  ContractSpec,
  SpecCase,
  SpecEvent,
  SpecField,
  SpecFunction,
} from "./contract-spec.ts";

const FUNCTIONS: Readonly<Record<string, readonly [inputs: string, output: string | null]>> = {
  allowance: ["from: address, spender: address", "i128"],
  approve: ["from: address, spender: address, amount: i128, expiration_ledger: u32", null],
  authorized: ["id: address", "bool"],
  balance: ["id: address", "i128"],
  burn: ["from: address, amount: i128", null],
  burn_from: ["spender: address, from: address, amount: i128", null],
  clawback: ["from: address, amount: i128", null],
  decimals: ["", "u32"],
  mint: ["to: address, amount: i128", null],
  name: ["", "string"],
  set_admin: ["new_admin: address", null],
  admin: ["", "address"],
  set_authorized: ["id: address, authorize: bool", null],
  symbol: ["", "string"],
  transfer: ["from: address, to: muxed_address, amount: i128", null],
  transfer_from: ["spender: address, from: address, to: address, amount: i128", null],
  trust: ["addr: address", null],
};

const ERRORS: readonly (readonly [value: number, name: string, doc: string])[] = [
  [2, "OperationNotSupportedError", "the asset does not support this operation"],
  [3, "AlreadyInitializedError", "the asset's contract already exists"],
  [4, "UnauthorizedError", "the caller may not do this"],
  [5, "AuthenticationError", "a signature is missing, wrong or has too little weight"],
  [6, "AccountMissingError", "the account does not exist"],
  [7, "AccountIsNotClassic", "the address is not an account"],
  [8, "NegativeAmountError", "the amount is negative"],
  [9, "AllowanceError", "the allowance is too small or expired"],
  [10, "BalanceError", "the balance does not allow this amount"],
  [11, "BalanceDeauthorizedError", "the balance is frozen: its holder is not authorized"],
  [12, "OverflowError", "an amount is too large"],
  [13, "TrustlineMissingError", "the account has no trustline for the asset"],
  [14, "InsufficientAccountReserve", "the account cannot pay the reserve of another entry"],
  [15, "TooManyAccountSubentries", "the account has too many subentries"],
];

/** The topics do not include the asset's name, which is the last topic of every event. */
type EventRow = readonly [name: string, topics: string, data: string, format?: "map"];

const EVENTS: readonly EventRow[] = [
  ["transfer", "from: address, to: address", "amount: i128"],
  ["mint", "to: address", "amount: i128"],
  // Transfers and mints to a multiplexed address (CAP-67).
  ["transfer", "from: address, to: address", "amount: i128, to_muxed_id: val", "map"],
  ["mint", "to: address", "amount: i128, to_muxed_id: val", "map"],
  ["burn", "from: address", "amount: i128"],
  ["clawback", "from: address", "amount: i128"],
  ["approve", "from: address, spender: address", "amount: i128, expiration_ledger: u32"],
  ["set_authorized", "id: address", "authorize: bool"],
  ["set_admin", "admin: address", "new_admin: address"],
];

export const ASSET_SPEC: ContractSpec = {
  functions: new Map(
    Object.entries(FUNCTIONS).map(([name, [inputs, output]]): [string, SpecFunction] => [
      name,
      { name, inputs: fields(inputs), output: output === null ? null : plain(output) },
    ]),
  ),
  types: new Map([["Error", { kind: "error", name: "Error", cases: ERRORS.map(errorOf) }]]),
  errors: ERRORS.map((each) => ({ ...errorOf(each), of: "Error" })),
  events: EVENTS.map(
    ([name, topics, data, format]): SpecEvent => ({
      name,
      prefix: [name],
      topics: [...fields(topics), { name: "asset", type: plain("string") }],
      data: fields(data),
      format: format ?? (data.includes(",") ? "vec" : "single"),
    }),
  ),
};

function errorOf([value, name, doc]: (typeof ERRORS)[number]): SpecCase {
  return { value, name, doc };
}

function fields(text: string): SpecField[] {
  if (text === "") return [];
  return text.split(", ").map((field) => {
    const [name = "", type = "val"] = field.split(": ");
    return { name, type: plain(type) };
  });
}

function plain(name: string) {
  return { kind: "plain" as const, name };
}
