// Gets the contracts that an envelope calls, for their names: from a capsule, or as the network has
// them now. A call can be shown without names, by its values alone. The reason is then stated.

import { systemClock } from "../../base/clock.ts";
import { durationInWords } from "../../base/text/time.ts";
import { askInTurn } from "../../sources/ask-in-turn.ts";
import type { Config } from "../../sources/network-settings.ts";
import { openSources } from "../../sources/open-source.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { ENTRY_TYPE, typeOfKeyBytes } from "../../xdr/reader/keys.ts";
import { type CapsuleText, openCapsule } from "../walk/open-capsule.ts";
import { openConfiguredHttp } from "./open-nodes.ts";

export interface ContractEntries {
  /** LedgerEntries. */
  readonly entriesXdr: readonly string[];
  /** The reason why contracts are missing; null if none is. */
  readonly problem: string | null;
}

/** A person waits for the names, and a machine that signs may have no network at all. */
const LONGEST_WAIT_MILLISECONDS = 5000;
const NOTHING: ContractEntries = { entriesXdr: [], problem: null };

/** LedgerEntries. Throws the errors of `openCapsule`. */
export function contractsOfCapsule(capsule: CapsuleText): readonly string[] {
  const { snapshot } = openCapsule(capsule, null);
  return (snapshot?.entries ?? []).flatMap(({ entryXdr }) => entryXdr ?? []);
}

/** Asks only if the envelope is a Soroban one. Throws only if it is interrupted. */
export async function contractsOfNetwork(
  config: Config,
  { soroban }: Envelope,
  { signal }: { readonly signal: AbortSignal },
): Promise<ContractEntries> {
  const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
  const keys = [...readOnly, ...readWrite].filter(mayNameContract);
  if (keys.length === 0) return NOTHING;
  const http = openConfiguredHttp(config);
  const { sources } = openSources({ http, clock: systemClock }, { ...config, horizonUrls: [] });
  const limit = AbortSignal.timeout(LONGEST_WAIT_MILLISECONDS);
  const context = { signal: AbortSignal.any([signal, limit]) };
  try {
    const response = await askInTurn(sources, context, (source, asking) =>
      source.fetchLedgerEntries?.(keys, asking),
    );
    if (response.answer === null)
      return { entriesXdr: [], problem: response.failures[0]?.message ?? "no RPC node is known" };
    const entries = [...response.answer.entries.values()];
    return { entriesXdr: entries.map(({ entryXdr }) => entryXdr), problem: null };
  } catch (thrown) {
    if (signal.aborted || !limit.aborted) throw thrown;
    return {
      entriesXdr: [],
      problem: `no node answered within ${durationInWords(LONGEST_WAIT_MILLISECONDS)}`,
    };
  }
}

/**
 * Says whether the entry of a key can name a contract: its code, or its data, which includes the
 * instance.
 */
function mayNameContract(keyXdr: string): boolean {
  const type = typeOfKeyBytes(Uint8Array.fromBase64(keyXdr));
  return type === ENTRY_TYPE.contractCode || type === ENTRY_TYPE.contractData;
}
