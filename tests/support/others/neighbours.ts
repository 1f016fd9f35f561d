// Runs that test a sentence on the value that decided: the value across the boundary, which has to
// change how the call ends, and the last one before it, which must not.

import { isDeepStrictEqual } from "node:util";
import type { Replayable } from "../../../src/debugger/run/run-variant.ts";
import { boundariesOf } from "../../../src/debugger/walk/boundaries.ts";
import { changeOfValue } from "../../../src/debugger/walk/changed-value.ts";
import type { Overrides } from "../../../src/model/overrides.ts";
import type { Term, Why, WhyProof } from "../../../src/model/why.ts";
import { contractDataEntry } from "../../../src/xdr/ledger/patch-entry.ts";
import type { Json } from "./values.ts";
import { LIVE_UNTIL, scValJson } from "./world.ts";

export interface Neighbour {
  readonly what: string;
  readonly overrides: {
    readonly arguments: ReadonlyMap<string, { readonly json: Json }>;
    readonly entriesXdr: readonly string[];
    /** The keys of entries that are absent. */
    readonly removed: readonly string[];
    readonly ledger: Overrides["ledger"];
  };
  /** The branch has to go the other way; otherwise it must not. */
  readonly flips: boolean;
}

const OUTERMOST = 1;

/** None: the condition names nothing that can be changed alone, or several must change. */
export function neighboursOf(why: Why, proof: WhyProof | null, ran: Replayable): Neighbour[] {
  const [condition, ...others] = why.conditions;
  if (condition === undefined || others.length > 0) return [];
  const own = { ...why, outermost: why.frame === OUTERMOST };
  const turned = (term: Term, number: bigint, type: string | undefined, flips: boolean) => {
    const change = changeOfValue(term, { number, type }, ran, own);
    // All entries have ended then.
    const isBeyond = (change?.overrides.ledger.sequence ?? 0) > LIVE_UNTIL;
    if (change === null || isBeyond) return [];
    const what = `${number} in the place of ${term.number ?? term.kind}`;
    return [{ what, overrides: overriddenBy(change.overrides), flips }];
  };
  // A number on this side of the boundary of another value may be refused, or let pass, earlier.
  const isProven = (term: Term) => isDeepStrictEqual(term, proof?.term);
  const found = boundariesOf(condition).flatMap(({ term, holds, not, type }) => [
    ...turned(term, not, type, true),
    ...(isProven(term) && holds !== null ? turned(term, holds, undefined, false) : []),
  ]);
  return [...found, ...provenChange(proof), ...otherValues(why)];
}

/** The change of a proof: an entry that is there or not, or another value. */
function provenChange(proof: WhyProof | null): Neighbour[] {
  if (proof === null || proof.range !== null || proof.reason !== undefined) return [];
  const what = `${proof.entry ?? "changed"} ${Object.values(proof.other).join(" ")}`;
  return [{ what, overrides: overriddenBy(proof.overrides), flips: true }];
}

function overriddenBy({ arguments: given, entries, ledger }: Overrides): Neighbour["overrides"] {
  const xdrOf = (value: unknown) => (value as { xdr: string }).xdr;
  return {
    arguments: new Map([...given].map(([at, v]) => [at, { json: scValJson(xdrOf(v)) }])),
    entriesXdr: entries.flatMap(({ keyXdr, change: to }) => {
      if (to.kind === "entry") return to.entryXdr;
      return to.kind === "value" ? (contractDataEntry(keyXdr, to.valueXdr, 1) ?? []) : [];
    }),
    removed: entries.flatMap(({ keyXdr, change: to }) => (to.kind === "removed" ? keyXdr : [])),
    ledger,
  };
}

/** Values that are no numbers: another one where they are equal, and the same where they are not. */
function otherValues({ conditions, frame }: Why): Neighbour[] {
  const [{ relation, terms, values = [] } = { relation: "", terms: [] as readonly Term[] }] =
    conditions;
  if (frame !== OUTERMOST) return [];
  return terms.flatMap((term, place): Neighbour[] => {
    const other = terms[1 - place];
    const { kind, index, valueXdr, number } = term;
    if (kind !== "argument" || index === undefined || valueXdr === undefined) return [];
    const own = scValJson(valueXdr);
    const [type = ""] = Object.keys(own);
    const to = (json: Json): Neighbour => ({
      what: `${JSON.stringify(json)} as argument ${index + 1}`,
      overrides: {
        arguments: new Map([[`${index}`, { json }]]),
        ...{ entriesXdr: [], removed: [], ledger: {} },
      },
      flips: true,
    });
    if (relation === "not_one_of")
      return values.map((text) =>
        to({ [type]: type === "u32" || type === "i32" ? Number(text) : text }),
      );
    if (number !== undefined || other?.valueXdr === undefined) return [];
    if (relation === "not_equal") return [to(scValJson(other.valueXdr))];
    if (relation !== "equal") return [];
    if (type === "symbol") return [to({ symbol: "Another" })];
    return [];
  });
}
