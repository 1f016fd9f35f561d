// The contracts of one state, looked through once.

import { readOnce } from "../reader/read-once.ts";
import { type ContractLookup, contractLookup } from "./contract-specs.ts";

type Entries = readonly { readonly entryXdr: string | null }[];

/** `entries`: those of a snapshot, which never change. */
export const lookupIn: (entries: Entries) => ContractLookup = readOnce((entries) =>
  contractLookup(entries.flatMap(({ entryXdr }) => entryXdr ?? [])),
);
