// Overrides and the captured transaction → a Variant, with each change in words.

import { grouped, stroopsInWords } from "../../base/text/grouped.ts";
import { timeInWords } from "../../base/text/time.ts";
import { declaredBy } from "../../fix/fix-context.ts";
import type { OverriddenLedger, OverriddenLimits, Overrides } from "../../model/overrides.ts";
import {
  COST_PARAMETER_SETTINGS,
  costParametersFor,
} from "../../snapshot/settings/cost-parameters.ts";
import { withFee, withInnerFee, withResources } from "../../xdr/envelope/patch-envelope.ts";
import { changedFacts } from "../../xdr/ledger/facts-before-upgrades.ts";
import { type NetworkLimit, settingOfLimit, withNetworkLimit } from "../../xdr/ledger/settings.ts";
import { readTransactionLimits } from "../../xdr/ledger/transaction-limits.ts";
import type { Engines } from "../run/replay.ts";
import type { Replayable } from "../run/run-variant.ts";
import { overrideArguments } from "./override-arguments.ts";
import { EVICTION_PROTOCOL, overrideEntries } from "./override-entries.ts";
import { overrideWasm } from "./override-wasm.ts";
import {
  BY_USER,
  type Draft,
  draftOf,
  overrideImpossible,
  setEntry,
  setSetting,
  settingsInDraft,
} from "./variant-draft.ts";

/** Throws OVERRIDE_IMPOSSIBLE when the transaction has nothing that an override can change. */
export async function buildVariant(
  engines: Engines,
  captured: Replayable,
  overrides: Overrides,
  options: { readonly signal: AbortSignal },
): Promise<Draft> {
  const draft = draftOf(captured);
  overrideLedger(draft, overrides.ledger);
  overrideEntries(draft, overrides.entries);
  overrideLimits(draft, overrides.limits);
  await overrideWasm(engines, draft, overrides.wasm, options);
  await overrideArguments(draft, overrides.arguments);
  return draft;
}

const LEDGER_FACTS = {
  sequence: "ledger sequence",
  protocolVersion: "protocol",
  closeTimeUnixSeconds: "close time",
  baseReserveStroops: "base reserve in stroops",
} as const;

function overrideLedger(draft: Draft, overridden: OverriddenLedger): void {
  const { ledger } = draft;
  for (const name of Object.keys(LEDGER_FACTS) as (keyof typeof LEDGER_FACTS)[]) {
    const value = overridden[name];
    if (value === undefined) continue;
    const shown = (fact: string | number) =>
      name === "closeTimeUnixSeconds" ? `${timeInWords(BigInt(fact))} (${fact})` : String(fact);
    const factName = LEDGER_FACTS[name];
    draft.changed.push({
      kind: "ledger",
      what: factName,
      before: shown(ledger[name]),
      after: shown(value),
    });
  }
  if (Object.keys(overridden).length > 0) draft.ledger = changedFacts(ledger, overridden);
  if (draft.ledger.protocolVersion === ledger.protocolVersion) return;
  fitCostParameters(draft);
  if (draft.ledger.protocolVersion < EVICTION_PROTOCOL) fitArchivedEntries(draft);
}

/** Before entries were evicted to the hot archive, only their TTL expired. */
function fitArchivedEntries(draft: Draft): void {
  const { captured, ledger } = draft;
  const detail = `the entry was archived, so its TTL had expired; protocol ${ledger.protocolVersion} does not evict entries`;
  for (const entry of captured.snapshot.entries.filter(({ archived }) => archived)) {
    const ttlProvenance = { kind: "assumed" as const, detail };
    const expired = { archived: false, liveUntilLedger: ledger.sequence - 1, ttlProvenance };
    setEntry(draft, { ...entry, ...expired });
  }
}

/** The ledger's cost parameters as the network would have them in the other protocol. */
function fitCostParameters(draft: Draft): void {
  const { protocolVersion } = draft.ledger;
  if (protocolVersion < FIRST_PROTOCOL) return;
  for (const { name, entryXdr } of settingsInDraft(draft)) {
    const kind = COST_PARAMETER_SETTINGS[name as keyof typeof COST_PARAMETER_SETTINGS];
    if (kind === undefined) continue;
    const fitted = costParametersFor(entryXdr, kind, protocolVersion);
    setSetting(draft, { name, entryXdr: fitted, provenance: BY_USER });
  }
  draft.remarks.push(
    `The state and the network settings are those of the ledger, which ran protocol ` +
      `${draft.captured.record.ledger.protocolVersion}. Cost parameters that only protocol ` +
      `${protocolVersion} has are set as in the upgrade to that protocol.`,
  );
}

/** The first protocol with contracts. */
const FIRST_PROTOCOL = 20;

const DECLARED = {
  instructions: "CPU instructions declared",
  diskReadBytes: "disk read bytes declared",
  writeBytes: "write bytes declared",
} as const;
const NETWORK = {
  memoryBytes: "network limit of memory bytes",
  eventsBytes: "network limit of events and result bytes",
} as const;

function overrideLimits(draft: Draft, limits: OverriddenLimits): void {
  const declared = declaredBy(draft);
  for (const name of Object.keys(DECLARED) as (keyof typeof DECLARED)[]) {
    const value = limits[name];
    if (value === undefined) continue;
    draft.envelope = withResources(draft.envelope, { [name]: value });
    const before = String(declared[name]);
    draft.changed.push({ kind: "limit", what: DECLARED[name], before, after: String(value) });
  }
  for (const name of Object.keys(NETWORK) as NetworkLimit[]) {
    const value = limits[name];
    if (value !== undefined) overrideNetworkLimit(draft, name, value);
  }
  if (limits.resourceFeeStroops !== undefined)
    overrideResourceFee(draft, limits.resourceFeeStroops);
}

function overrideNetworkLimit(draft: Draft, limit: NetworkLimit, bytes: number): void {
  const name = settingOfLimit(limit);
  const held = settingsInDraft(draft).find((setting) => setting.name === name);
  if (held === undefined)
    throw overrideImpossible(`limits.${limit}`, "the network settings of that ledger are unknown");
  const before = readTransactionLimits([held.entryXdr])[limit] ?? "unknown";
  const entryXdr = withNetworkLimit(held.entryXdr, limit, bytes);
  setSetting(draft, { name, entryXdr, provenance: BY_USER });
  draft.changed.push({ kind: "limit", what: NETWORK[limit], before, after: String(bytes) });
}

/** The bid and a fee-bump's inner fee include it, so both change. The inclusion bids stay. */
function overrideResourceFee(draft: Draft, stroops: string): void {
  const { isFeeBump, terms, feeBidStroops } = draft.envelope;
  const before = declaredBy(draft).resourceFeeStroops;
  const more = BigInt(stroops) - BigInt(before);
  const bid = BigInt(feeBidStroops) + more;
  const own = terms.feeStroops + more;
  if (own > MAXIMUM_FEE)
    throw overrideImpossible(
      "limits.resourceFeeStroops",
      `the transaction's fee would be ${stroopsInWords(own)}; the maximum is ` +
        grouped(MAXIMUM_FEE),
    );
  draft.envelope = withFee(withResources(draft.envelope, { resourceFeeStroops: stroops }), bid);
  const kind = "limit";
  draft.changed.push(
    { kind, what: "resource fee declared, in stroops", before, after: stroops },
    { kind, what: "fee bid (adjusted), in stroops", before: feeBidStroops, after: String(bid) },
  );
  if (!isFeeBump) return;
  draft.envelope = withInnerFee(draft.envelope, own);
  const feeName = "fee of the inner transaction (adjusted), in stroops";
  draft.changed.push({ kind, what: feeName, before: String(terms.feeStroops), after: String(own) });
}

/** The fee field of a transaction has 32 bits. */
const MAXIMUM_FEE = 0xffff_ffffn;
