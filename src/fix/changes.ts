// Lists how an attempt differs from the failed transaction, value by value.

import { grouped } from "../base/text/grouped.ts";
import { neutralise } from "../base/text/neutralise.ts";
import {
  type EntryAccess,
  FIX_PARTS,
  type FixChange,
  type FixKind,
  type FixPart,
  type FootprintAccess,
} from "../model/fix.ts";
import type { AuthorizedCall } from "../xdr/envelope/authorizations.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import { showValue } from "../xdr/values/value.ts";
import { declaredBy, type FixContext } from "./fix-context.ts";
import { RESOURCE_PARTS, RESOURCES } from "./minimum-fee.ts";
import type { Variant } from "./variant.ts";

const KIND_OF: Readonly<Partial<Record<FixPart, FixKind>>> = {
  archived: "restore",
  footprint: "footprint",
  authorization: "authorization",
  instructions: "instructions",
  "disk-read-bytes": "read-bytes",
  "write-bytes": "write-bytes",
  "resource-fee": "resource-fee",
};

/** The changes, without those that are needed only to send the transaction again. */
export function changesOf(context: FixContext, attempt: Variant): FixChange[] {
  return [
    ...footprintChanges(context, attempt),
    ...authorizationChanges(context, attempt),
    ...valueChanges(context.failed, attempt),
  ];
}

/** Changes of resources and fees. */
export function valueChanges(left: Pick<Variant, "envelope">, right: Variant): FixChange[] {
  const before = declaredBy(left);
  const after = declaredBy(right);
  const innerFee = ({ isFeeBump, terms }: Envelope) => (isFeeBump ? terms.feeStroops : null);
  const values: FixChange[] = [
    ...RESOURCES.map((name) => fixChange(RESOURCE_PARTS[name], before[name], after[name])),
    fixChange("fee", left.envelope.feeBidStroops, right.envelope.feeBidStroops),
    fixChange("inner-fee", innerFee(left.envelope), innerFee(right.envelope)),
  ];
  return values.filter(({ from, to }) => from !== to);
}

/** In the order of FixKind. */
export function kindsOf(changes: readonly FixChange[], { restoredFirst }: Variant): FixKind[] {
  const kinds = new Set<FixKind>(restoredFirst.length > 0 ? ["restore"] : []);
  for (const { part } of changes) {
    const kind = KIND_OF[part];
    if (kind !== undefined) kinds.add(kind);
  }
  return [...kinds].sort((left, right) => ORDER.indexOf(left) - ORDER.indexOf(right));
}

const ORDER: readonly FixKind[] = [
  "restore",
  "footprint",
  "authorization",
  "instructions",
  "read-bytes",
  "write-bytes",
  "resource-fee",
];

/** The changes in words, such as `1 more footprint entry and 104 more write bytes`. */
export function changesInWords(context: FixContext, attempt: Variant): string {
  const changes = changesOf(context, attempt);
  const of = (part: FixPart) => changes.filter((change) => change.part === part);
  const added = of("footprint").filter(({ from }) => from === null).length;
  const moved = of("footprint").length - added;
  const marked = of("archived").length;
  const first = attempt.restoredFirst.length;
  const allowed = of("authorization").length;
  const entries = (count: number) => (count === 1 ? "entry" : "entries");
  const parts = [
    first === 0 ? "" : `${first} archived ${entries(first)} restored first`,
    marked === 0 ? "" : `${marked} archived ${entries(marked)} marked to be restored`,
    added === 0 ? "" : `${added} more footprint ${entries(added)}`,
    moved === 0 ? "" : `${moved} footprint ${entries(moved)} changed to read-write`,
    allowed === 0 ? "" : `${allowed} more ${allowed === 1 ? "authorization" : "authorizations"}`,
    ...RESOURCES.flatMap((name) =>
      of(RESOURCE_PARTS[name]).map(({ from, to }) =>
        moreOf(RESOURCE_PARTS[name], BigInt(to ?? 0) - BigInt(from ?? 0)),
      ),
    ),
  ].filter((part) => part !== "");
  const [last = "", ...others] = parts.reverse();
  return others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`;
}

type ResourcePart = (typeof RESOURCE_PARTS)[keyof typeof RESOURCE_PARTS];

/** The words for one unit of a resource, and for several. */
const UNITS: Readonly<Record<ResourcePart, readonly [one: string, many: string]>> = {
  instructions: ["more instruction", "more instructions"],
  "disk-read-bytes": ["more disk read byte", "more disk read bytes"],
  "write-bytes": ["more write byte", "more write bytes"],
  "resource-fee": ["stroop more for the resource fee", "stroops more for the resource fee"],
};

function moreOf(part: ResourcePart, more: bigint): string {
  const [singular, plural] = UNITS[part];
  return `${grouped(more)} ${more === 1n ? singular : plural}`;
}

function footprintChanges(context: FixContext, attempt: Variant): FixChange[] {
  const before = declaredBy(context.failed);
  const after = declaredBy(attempt);
  const keysOf = ({ footprint }: DeclaredFacts) => [...footprint.readOnly, ...footprint.readWrite];
  const accessIn = ({ footprint }: DeclaredFacts, key: string): EntryAccess | null => {
    if (footprint.readOnly.includes(key)) return "read-only";
    return footprint.readWrite.includes(key) ? "read-write" : null;
  };
  const markedBefore = new Set(markedOf(before));
  return [
    ...[...new Set([...keysOf(after), ...keysOf(before)])].map((keyXdr) => {
      const access = { from: accessIn(before, keyXdr), to: accessIn(after, keyXdr) };
      return footprintRow(keyXdr, { name: context.nameKey(keyXdr), ...access });
    }),
    ...markedOf(after)
      .filter((key) => !markedBefore.has(key))
      .map((keyXdr) => ({
        ...fixChange("archived", null, markName(context, after, keyXdr)),
        keyXdr,
      })),
  ].filter(({ from, to }) => from !== to);
}

const ACCESSES: Readonly<Record<EntryAccess, string>> = {
  "read-only": "read-only",
  "read-write": "read-write",
  undecided: "read-only or read-write",
};

export function footprintRow(keyXdr: string, access: FootprintAccess): FixChange {
  const { name, from, to } = access;
  const inWords = (each: EntryAccess | null) => each && `${ACCESSES[each]}: ${name}`;
  return { ...fixChange("footprint", inWords(from), inWords(to)), keyXdr, access };
}

const SHOWN_ARGUMENT = 120;

/** Authorizations that were added, or that allow more than before. */
function authorizationChanges({ failed }: FixContext, { envelope }: Variant): FixChange[] {
  const added = authorizationsOf(envelope, failed.envelope);
  return added.map((words) => fixChange("authorization", null, words));
}

/** The authorizations that the recorded ones replace. */
export function withdrawnAuthorizations(
  { failed }: FixContext,
  { envelope }: Variant,
): FixChange[] {
  const withdrawn = authorizationsOf(failed.envelope, envelope);
  return withdrawn.map((words) => fixChange("authorization", words, null));
}

/** The authorizations that the other envelope does not have, in words. */
function authorizationsOf({ authorizations, authorizationsXdr }: Envelope, other: Envelope) {
  return authorizations.flatMap(({ address, root }, i) => {
    if (other.authorizationsXdr.includes(authorizationsXdr[i] ?? "")) return [];
    const who = address ?? "the source account, by signing the transaction";
    return [`${who}: ${allowedInWords(root)}`];
  });
}

function allowedInWords({ contract, function: name, argumentsXdr, calls }: AuthorizedCall): string {
  const values = argumentsXdr.map((value) => showValue(value, SHOWN_ARGUMENT)).join(", ");
  const call =
    contract === null
      ? "the creation of a contract"
      : `${neutralise(name ?? "")}(${values}) of ${contract}`;
  const below = calls.map(allowedInWords).join(", ");
  return below === "" ? call : `${call} with sub-invocation ${below}`;
}

type DeclaredFacts = ReturnType<typeof declaredBy>;

function markedOf({ footprint, archivedEntryIndexes }: DeclaredFacts): string[] {
  return archivedEntryIndexes.flatMap((index) => footprint.readWrite[index] ?? []);
}

function markName({ nameKey }: FixContext, { footprint }: DeclaredFacts, key: string): string {
  return `${footprint.readWrite.indexOf(key)}: ${nameKey(key)}`;
}

type FixValue = string | number | bigint | null;

export function fixChange(part: FixPart, from: FixValue, to: FixValue): FixChange {
  const text = (value: FixValue) => (value === null ? null : String(value));
  return { part, what: FIX_PARTS[part], from: text(from), to: text(to) };
}
