// Events of the Stellar asset contract exist in two forms. With BACKFILL_STELLAR_ASSET_EVENTS,
// stellar-core rewrites the events of ledgers before protocol 23 in the meta, but not in the
// success hash (CAP-67; stellar-core, OpEventManager::setEvents). A transfer from or to the issuer
// becomes a mint or burn without the issuer, and mint, clawback and set_authorized lose their admin
// topic.

import { utf8Bytes } from "../../base/bytes.ts";
import { strkeyPattern } from "../../base/text/strkey.ts";
import { readContractEvent } from "../outcome/diagnostics.ts";
import { SCV } from "../reader/scval-type.ts";
import { decode, encode } from "../reader/value.ts";
import { showValue } from "../values/value.ts";
import { symbolOf } from "../values/value-parts.ts";

/**
 * Returns the ContractEvent as protocol 23 would have emitted it, or null if the form is the same.
 */
export function protocol23Form(eventXdr: string): string | null {
  const event = readContractEvent(eventXdr);
  const [nameXdr, first, second, asset] = event.topicsXdr;
  if (event.topicsXdr.length !== 4 || event.contract === null) return null;
  if (nameXdr === undefined || first === undefined || second === undefined) return null;
  const name = symbolOf(nameXdr);
  if (name === "mint" || name === "clawback" || name === "set_authorized") {
    return rewrite(eventXdr, name, 1);
  }
  if (name !== "transfer" || asset === undefined) return null;
  const issuer = issuerOf(asset);
  const fromIssuer = showValue(first) === issuer;
  const toIssuer = showValue(second) === issuer;
  if (fromIssuer === toIssuer) return null;
  return fromIssuer ? rewrite(eventXdr, "mint", 1) : rewrite(eventXdr, "burn", 2);
}

/**
 * True for a mint or burn without an admin. The protocol-23 reconciliation adds such an event
 * before the others.
 */
export function isAssetReconciliation(eventXdr: string): boolean {
  const { topicsXdr, contract } = readContractEvent(eventXdr);
  const name = topicsXdr[0] === undefined ? null : symbolOf(topicsXdr[0]);
  return contract !== null && topicsXdr.length === 3 && (name === "mint" || name === "burn");
}

const ASSET = new RegExp(`^"[^:]+:(${strkeyPattern(["account"])})"$`);

/** Returns the issuer in the asset's SEP-11 text `CODE:ISSUER`, or null for the native asset. */
function issuerOf(assetTopicXdr: string): string | null {
  const asset = showValue(assetTopicXdr);
  const issuer = ASSET.exec(asset);
  return issuer?.[1] ?? null;
}

/** Returns the event with another name and without one topic. */
function rewrite(eventXdr: string, name: string, droppedTopic: number): string {
  const event = decode("ContractEvent", eventXdr);
  const { topics, data } = event.body.v0;
  const kept = topics.filter((_, position) => position !== 0 && position !== droppedTopic);
  const named = { type: SCV.symbol, sym: utf8Bytes(name) };
  return encode("ContractEvent", {
    ...event,
    body: { ...event.body, v0: { topics: [named, ...kept], data } },
  });
}
