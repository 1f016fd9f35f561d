// Where the values that decided a failure came from: each leads to its call, to the read or the
// write in the section of calls, or to the facts of the transaction.

import type {
  DecidingTerm,
  Explanation,
  NamedCall,
  NamedHostCall,
  StorageAccess,
  SummaryPart,
} from "../../model/explanation.ts";
import type { Link } from "./document.ts";

export interface Origins {
  /** The links in the summary of the deciding value, in the order of the text. */
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
  const targets = [
    ...conditions.flatMap(({ terms }) => terms),
    ...(decidedBy?.refused?.arguments ?? []),
  ]
    .flatMap((term) => placed(term, failed))
    .map(({ term, call }) => {
      if (!term.text) return null;
      if (term.kind === "ledger") return "transaction";
      const origin = calls === null || call === null ? null : originOf(term, call, calls);
      if (origin === null) return null;
      const to = ids.get(origin) ?? `origin-${ids.size + 1}`;
      ids.set(origin, to);
      return to;
    });
  return { links: linksIn(decidedBy?.parts ?? [], targets), ids };
}

/** `targets` are those of the terms, by their numbers; null: a term leads nowhere. */
function linksIn(parts: readonly SummaryPart[], targets: readonly (string | null)[]): Link[] {
  const links: Link[] = [];
  const open = new Map<number, { readonly at: number; words: string }>();
  let at = 0;
  const close = (isOpen: (number: number) => boolean) => {
    for (const [number, { at: begin, words }] of open) {
      if (isOpen(number)) continue;
      open.delete(number);
      const to = targets[number];
      const isNew = !links.some((link) => link.at === begin && link.words === words);
      if (to && isNew) links.push({ words, at: begin, to });
    }
  };
  for (const { text, terms } of parts) {
    close((number) => terms.includes(number));
    for (const number of terms) {
      const begun = open.get(number) ?? { at, words: "" };
      begun.words += text;
      open.set(number, begun);
    }
    at += text.length;
  }
  close(() => false);
  return links.sort((left, right) => left.at - right.at || right.words.length - left.words.length);
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
