// Events with the names from the specification of the contract that emitted them. An event has a
// name and fields only if all of it fits an event in the specification.

import type { NamedEvent, NamedField } from "../../model/explanation.ts";
import type { ContractSpec, SpecEvent, SpecField } from "../../xdr/contract/contract-spec.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { mayBe } from "../../xdr/contract/value-kind.ts";
import { showTyped } from "../../xdr/contract/value-typed.ts";
import { type EventFacts, readContractEvent } from "../../xdr/outcome/diagnostics.ts";
import { showValue } from "../../xdr/values/value.ts";
import { elementsOf, symbolMapOf, symbolOf, voidValue } from "../../xdr/values/value-parts.ts";

export function nameEvents(eventsXdr: readonly string[], lookup: ContractLookup): NamedEvent[] {
  return eventsXdr.map((eventXdr) => nameEvent(readContractEvent(eventXdr), lookup));
}

export function nameEvent(event: EventFacts, lookup: ContractLookup): NamedEvent {
  const named = event.kind === "contract" ? describedEvent(event, lookup) : null;
  return {
    kind: event.kind,
    contract: event.contract,
    name: named?.name ?? null,
    fields: named?.fields ?? null,
    topics: event.topicsXdr.map((topic) => showValue(topic)),
    data: showValue(event.dataXdr),
  };
}

/** Null also when it can be more than one event of the specification. */
function describedEvent(event: EventFacts, lookup: ContractLookup) {
  const spec = lookup(event.contract)?.spec ?? null;
  const candidates = (spec?.events ?? []).flatMap((described) => {
    const fields = fieldsOf(event, described, spec);
    return fields === null ? [] : { name: described.name, fields };
  });
  const [first, ...others] = candidates;
  const isAmbiguous = others.some((other) => JSON.stringify(other) !== JSON.stringify(first));
  return first === undefined || isAmbiguous ? null : first;
}

/** Null when the event is not the described one. */
function fieldsOf(
  { topicsXdr, dataXdr }: EventFacts,
  { prefix, topics, data, format }: SpecEvent,
  spec: ContractSpec | null,
): NamedField[] | null {
  if (topicsXdr.length !== prefix.length + topics.length) return null;
  const begins = prefix.every((name, i) => symbolOf(topicsXdr[i] ?? "") === name);
  const values = begins ? valuesOf(dataXdr, data, format) : null;
  if (values === null) return null;
  const valuesXdr = [...topicsXdr.slice(prefix.length), ...values];
  const fields = [...topics, ...data];
  if (!fields.every(({ type }, i) => mayBe(valuesXdr[i] ?? voidValue(), type, spec))) return null;
  return fields.map(({ name, type }, i) => ({
    name,
    value: showTyped(valuesXdr[i] ?? "", type, spec),
  }));
}

/** One value for each field; null when they do not fit. */
function valuesOf(
  dataXdr: string,
  fields: readonly SpecField[],
  format: SpecEvent["format"],
): readonly string[] | null {
  if (format === "single") return fields.length === 0 ? [] : [dataXdr];
  if (format === "vec") {
    const elements = elementsOf(dataXdr);
    return elements?.length === fields.length ? elements : null;
  }
  const map = symbolMapOf(dataXdr);
  if (map?.size !== fields.length) return null;
  const values = fields.flatMap(({ name }) => map.get(name) ?? []);
  return values.length === fields.length ? values : null;
}
