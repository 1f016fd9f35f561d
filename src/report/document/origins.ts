// Where the values that decided a failure came from: each leads to its call, to the read or the
// write in the section of calls, or to the facts of the transaction.

import type {
  DecidingTerm,
  Explanation,
  NamedCall,
  NamedHostCall,
  StorageAccess,
} from "../../model/explanation.ts";
import type { Link } from "./document.ts";

export interface Origins {
  readonly links: readonly Link[];
  /** The ids of calls and host calls that a link leads to. */
  readonly ids: ReadonlyMap<NamedCall | NamedHostCall, string>;
}

export function originsOf({ decidedBy, calls }: Explanation): Origins {
  const ids = new Map<NamedCall | NamedHostCall, string>();
  const all = calls === null ? [] : withCalls(calls);
  const placed = (term: DecidingTerm, call: NamedCall | null): PlacedTerm[] => {
    const { givenBy, of } = term;
    const givers = all.filter(
      (each) => each.contract === givenBy?.contract && each.function === givenBy.function,
    );
    const [giver = null] = givers.length === 1 ? givers : [];
    return [
      { term, call },
      ...of.flatMap((part) => placed(part, call)),
      ...(givenBy === undefined ? [] : placed(givenBy.term, giver)),
    ];
  };
  const failed = calls === null || decidedBy === null ? null : failedCall(calls, decidedBy);
  const conditions = [...(decidedBy?.conditions ?? []), ...(decidedBy?.because ?? [])];
  const links = [
    ...conditions.flatMap(({ terms }) => terms),
    ...(decidedBy?.refused?.arguments ?? []),
  ]
    .flatMap((term) => placed(term, failed))
    .flatMap(({ term, call }): Link[] => {
      if (!term.text) return [];
      if (term.kind === "ledger") return [{ words: term.text, to: "transaction" }];
      const origin = calls === null || call === null ? null : originOf(term, call, calls);
      if (origin === null) return [];
      const to = ids.get(origin) ?? `origin-${ids.size + 1}`;
      ids.set(origin, to);
      return [{ words: term.text, to }];
    });
  return { links, ids };
}

interface PlacedTerm {
  readonly term: DecidingTerm;
  /** The call that has the value; null: it is not the only one of that name. */
  readonly call: NamedCall | null;
}

type Decided = NonNullable<Explanation["decidedBy"]>;

/** By its number among all calls where that is it, or the innermost failed one of that name. */
function failedCall(root: NamedCall, decided: Decided): NamedCall | null {
  const all = withCalls(root);
  const isIt = (call: NamedCall | undefined) =>
    call?.contract === decided.contract && call.function === decided.function && call.failed;
  const numbered = all[decided.branch.frame];
  return (isIt(numbered) ? numbered : all.findLast(isIt)) ?? null;
}

function withCalls(call: NamedCall): NamedCall[] {
  return [call, ...call.calls.flatMap(withCalls)];
}

function originOf(
  term: DecidingTerm,
  failed: NamedCall,
  root: NamedCall,
): NamedCall | NamedHostCall | null {
  const { kind, durability, key, of } = term;
  const [whole] = of;
  const accesses = (actions: readonly StorageAccess["action"][], call: NamedCall) =>
    (call.hostCalls ?? []).findLast(({ storage }) => {
      const isKey = storage?.key === key && storage?.durability === durability;
      return storage !== null && isKey && actions.includes(storage.action);
    }) ?? null;
  switch (kind) {
    case "argument":
      return failed;
    case "storage":
    case "entry":
      return accesses(["read", "look for"], failed);
    case "written": {
      const own = withCalls(root).filter(({ contract }) => contract === failed.contract);
      const writes = own.flatMap((call) => accesses(["write"], call) ?? []);
      return writes.at(-1) ?? accesses(["read"], failed);
    }
    case "result": {
      const isIt = (call: NamedCall) =>
        call.contract === term.contract && call.function === term.part;
      return failed.calls.findLast(isIt) ?? null;
    }
    default:
      return whole === undefined ? null : originOf(whole, failed, root);
  }
}
