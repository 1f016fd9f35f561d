// The state in which tests/contracts/keys lets an account sow: an open round and an empty pail.

import { contractEntries } from "./executed.ts";
import { ownContract } from "./other-code.ts";
import { i128, symbol, u32, u64, vec } from "./said-why.ts";

type Json = ReturnType<typeof JSON.parse>;

/** The close time of the ledger in which the round was opened. */
const OPENED = 1_789_999_810;

/** Returns what `sow(who, …)` reads and writes, which requires the authorization of `who`. */
export function sowingOf(who: string) {
  const { contract, entries } = contractEntries(ownContract("keys-s.wasm"), 11);
  const [own, code] = entries as Json[];
  own.contract_data.val.contract_instance.storage = [{ key: vec(symbol("Index")), val: u32(7) }];
  const round = {
    map: [
      { key: symbol("largest"), val: i128(9) },
      { key: symbol("opened"), val: u64(OPENED) },
      { key: symbol("seed"), val: { bytes: "00".repeat(32) } },
      { key: symbol("sown"), val: i128(5) },
    ],
  };
  const data = { ext: "v0", contract, durability: "temporary" };
  const key = vec(symbol("Pail"), { address: who }, u32(7));
  return {
    contract,
    code,
    readWrite: [own, { contract_data: { ...data, key: vec(symbol("Round"), u32(7)), val: round } }],
    pail: { contract_data: { contract, key, durability: "temporary" } },
    ledger: { closeTimeUnixSeconds: `${OPENED + 10}`, sequence: 5000 },
  };
}
