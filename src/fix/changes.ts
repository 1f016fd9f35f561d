// How an attempt differs from the failed transaction, value by value.

import { grouped } from "../base/text/grouped.ts";
import { neutralise } from "../base/text/neutralise.ts";
import type { FixChange, FixKind } from "../model/fix.ts";
import type { AuthorizedCall } from "../xdr/envelope/authorizations.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import { showValue } from "../xdr/values/value.ts";
import { declaredBy, type FixContext } from "./fix-context.ts";
import { RESOURCE_NAMES } from "./minimum-fee.ts";
import type { Variant } from "./variant.ts";

const KIND_OF: Readonly<Record<string, FixKind>> = {
  archivedSorobanEntries: "restore",
  footprint: "footprint",
  authorization: "authorization",
  [RESOURCE_NAMES.instructions]: "instructions",
  [RESOURCE_NAMES.diskReadBytes]: "read-bytes",
  [RESOURCE_NAMES.writeBytes]: "write-bytes",
  [RESOURCE_NAMES.resourceFeeStroops]: "resource-fee",
};

/** Without the changes that are needed only to send the transaction again. */
export function changesOf(context: FixContext, attempt: Variant): FixChange[] {
  return [
    ...footprintChanges(context, attempt),
    ...authorizationChanges(context, attempt),
    ...valueChanges(context.failed, attempt),
  ];
}

/** Changes of resources and fees. */
export function valueChanges(one: Pick<Variant, "envelope">, other: Variant): FixChange[] {
  const before = declaredBy(one);
  const after = declaredBy(other);
  const innerFee = ({ isFeeBump, terms }: Envelope) => (isFeeBump ? terms.feeStroops : null);
  const values: FixChange[] = [
    ...(["instructions", "diskReadBytes", "writeBytes", "resourceFeeStroops"] as const).map(
      (name) => row(RESOURCE_NAMES[name], before[name], after[name]),
    ),
    row("fee", one.envelope.feeBidStroops, other.envelope.feeBidStroops),
    row("fee of the inner transaction", innerFee(one.envelope), innerFee(other.envelope)),
  ];
  return values.filter(({ from, to }) => from !== to);
}

/** In the order of FixKind. */
export function kindsOf(changes: readonly FixChange[], { restoredFirst }: Variant): FixKind[] {
  const kinds = new Set<FixKind>(restoredFirst.length > 0 ? ["restore"] : []);
  for (const { what } of changes) {
    const kind = KIND_OF[what];
    if (kind !== undefined) kinds.add(kind);
  }
  return [...kinds].sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other));
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

/** `1 more footprint entry and 104 more write bytes`. */
export function wordsOf(context: FixContext, attempt: Variant): string {
  const changes = changesOf(context, attempt);
  const named = (what: string) => changes.filter((change) => change.what === what);
  const added = named("footprint").filter(({ from }) => from === null).length;
  const moved = named("footprint").length - added;
  const marked = named("archivedSorobanEntries").length;
  const first = attempt.restoredFirst.length;
  const allowed = named("authorization").length;
  const entries = (count: number) => (count === 1 ? "entry" : "entries");
  const parts = [
    first === 0 ? "" : `${first} archived ${entries(first)} restored first`,
    marked === 0 ? "" : `${marked} archived ${entries(marked)} marked to be restored`,
    added === 0 ? "" : `${added} more footprint ${entries(added)}`,
    moved === 0 ? "" : `${moved} footprint ${entries(moved)} changed to read-write`,
    allowed === 0 ? "" : `${allowed} more ${allowed === 1 ? "authorization" : "authorizations"}`,
    ...Object.values(RESOURCE_NAMES).flatMap((name) =>
      named(name).map(({ from, to }) => moreOf(name, BigInt(to ?? 0) - BigInt(from ?? 0))),
    ),
  ].filter((part) => part !== "");
  const [last = "", ...others] = parts.reverse();
  return others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`;
}

function moreOf(name: string, more: bigint): string {
  const isOne = more === 1n;
  return name === RESOURCE_NAMES.resourceFeeStroops
    ? `${grouped(more)} ${isOne ? "stroop" : "stroops"} more for the resource fee`
    : `${grouped(more)} more ${isOne ? name.replace(/s$/, "") : name}`;
}

function footprintChanges(context: FixContext, attempt: Variant): FixChange[] {
  const before = declaredBy(context.failed);
  const after = declaredBy(attempt);
  const keysOf = ({ footprint }: Facts) => [...footprint.readOnly, ...footprint.readWrite];
  const nameIn = (facts: typeof before, key: string): string | null => {
    if (facts.footprint.readOnly.includes(key)) return `read-only: ${context.nameKey(key)}`;
    if (facts.footprint.readWrite.includes(key)) return `read-write: ${context.nameKey(key)}`;
    return null;
  };
  const markedBefore = new Set(markedOf(before));
  return [
    ...[...new Set([...keysOf(after), ...keysOf(before)])].map((key) =>
      row("footprint", nameIn(before, key), nameIn(after, key)),
    ),
    ...markedOf(after)
      .filter((key) => !markedBefore.has(key))
      .map((key) => row("archivedSorobanEntries", null, markName(context, after, key))),
  ].filter(({ from, to }) => from !== to);
}

const SHOWN_ARGUMENT = 120;

/** Authorizations that were added, or that allow more than before. */
function authorizationChanges({ failed }: FixContext, { envelope }: Variant): FixChange[] {
  const added = authorizationsOf(envelope, failed.envelope);
  return added.map((words) => row("authorization", null, words));
}

/** The authorizations that the recorded ones replace. */
export function withdrawnAuthorizations(
  { failed }: FixContext,
  { envelope }: Variant,
): FixChange[] {
  const withdrawn = authorizationsOf(failed.envelope, envelope);
  return withdrawn.map((words) => row("authorization", words, null));
}

/** In words, the authorizations that the other envelope does not have. */
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

type Facts = ReturnType<typeof declaredBy>;

function markedOf({ footprint, archivedEntryIndexes }: Facts): string[] {
  return archivedEntryIndexes.flatMap((index) => footprint.readWrite[index] ?? []);
}

function markName({ nameKey }: FixContext, { footprint }: Facts, key: string): string {
  return `${footprint.readWrite.indexOf(key)}: ${nameKey(key)}`;
}

type Value = string | number | bigint | null;

export function row(what: string, from: Value, to: Value): FixChange {
  const text = (value: Value) => (value === null ? null : String(value));
  return { what, from: text(from), to: text(to) };
}
