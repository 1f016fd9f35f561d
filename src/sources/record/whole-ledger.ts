// A complete ledger, from the first source that has it and whose bytes can be decoded.

import { SvcError } from "../../base/errors/errors.ts";
import { forgedPart } from "../../xdr/ledger/check-ledger.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../xdr/ledger/ledger-close-meta.ts";
import { askInTurn } from "../ask-in-turn.ts";
import type { FetchContext, Source } from "../source.ts";

export interface WholeLedger {
  readonly view: LedgerCloseMetaView;
  /** Name of the source. */
  readonly origin: string;
}

export interface WholeLedgerDependencies {
  readonly sources: readonly Source[];
  readonly networkPassphrase: string;
}

/** Null when no source has it. */
export async function fetchWholeLedger(
  { sources, networkPassphrase }: WholeLedgerDependencies,
  sequence: number,
  context: FetchContext,
): Promise<WholeLedger | null> {
  const { answer } = await askInTurn(sources, context, async (source, asking) => {
    const bytes = await source.fetchLedgerCloseMeta?.(sequence, asking);
    if (bytes === null || bytes === undefined) return null;
    return { view: read(bytes, networkPassphrase, source, sequence), origin: source.name };
  });
  return answer;
}

function read(
  bytes: Uint8Array,
  networkPassphrase: string,
  source: Source,
  sequence: number,
): LedgerCloseMetaView {
  try {
    const view = readLedgerCloseMeta(bytes, networkPassphrase);
    const forged = forgedPart(view);
    if (forged !== null) throw lied(source, sequence, forged);
    return view;
  } catch (cause) {
    if (!(cause instanceof SvcError && cause.code === "XDR_INVALID")) throw cause;
    throw new SvcError("NETWORK_BAD_ANSWER", {
      message: `${source.name} returned ledger ${sequence} in a form that cannot be decoded.`,
      remedy: "Set another node with `--rpc-url`.",
      cause,
      details: { source: source.name, sequence },
    });
  }
}

function lied({ name }: Source, sequence: number, field: string): SvcError {
  return new SvcError("NODE_LIED", {
    message: `${name} gave a wrong ledger ${sequence}: its ${field} do${field === "header" ? "es" : ""} not have the hash that the ledger names.`,
    remedy: "Set another node with `--rpc-url`.",
    details: { source: name, sequence, field },
  });
}
