// Opens two bases of a fork from nodes: a ledger of a network, and the moment before a transaction.

import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import type { CaptureDependencies } from "../../debugger/walk/capture-transaction.ts";
import { captureTransaction } from "../../debugger/walk/capture-transaction.ts";
import { fetchFacts } from "../../ledgers/facts-of-ledger.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import { takeEntries } from "../../snapshot/gather/take-snapshot.ts";
import { askInTurn } from "../../sources/ask-in-turn.ts";
import { type Source, type SourcedFacts, sourcedFacts } from "../../sources/source.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { settingKeys } from "../../xdr/reader/keys.ts";
import type { ForkBase, ForkEntry, ReadContext } from "../ledger/chain.ts";
import { openEntriesAt, settingsSince } from "./node-entries.ts";
import { firstLedgerOf, type OpenedBase, ReadEntries, withKeptAnswers } from "./opened-base.ts";
import { payersBefore } from "./payers-before.ts";

/** Opens a ledger. `ledger` is null for the latest. Throws the failures of nodes. */
export async function openNetworkBase(
  nodes: CaptureDependencies,
  network: string,
  ledger: number | null,
  context: ReadContext,
): Promise<OpenedBase> {
  const facts = await headerOf(nodes.sources, ledger, context);
  return openAt(nodes, network, facts, context);
}

async function openAt(
  nodes: CaptureDependencies,
  network: string,
  { sequence, headerXdr, protocolVersion }: SourcedFacts,
  context: ReadContext,
): Promise<OpenedBase> {
  const { networkPassphrase } = nodes;
  const settingsXdr = await settingsSince(nodes, sequence, settingKeys(protocolVersion), context);
  const base: ForkBase = {
    networkPassphrase,
    headerXdr,
    ledgerHash: sha256(Uint8Array.fromBase64(headerXdr)).toHex(),
    settingsXdr,
    rentFeePer1KbStroops: null,
    entries: openEntriesAt(nodes, sequence),
  };
  const read = new ReadEntries();
  const name = `ledger ${sequence} of ${network}`;
  const followed = { sequence, hash: base.ledgerHash };
  return {
    base: withKeptAnswers(base, read),
    name,
    first: null,
    followed,
    overlay: null,
    passphrase: null,
    read,
  };
}

/**
 * Opens the state just before the transaction, which the next ledger may repeat: that ledger has
 * the close time and the seed of the chain's own. Throws the errors of `captureTransaction`.
 */
export async function openBaseBefore(
  nodes: CaptureDependencies,
  network: string,
  hash: string,
  context: ReadContext,
): Promise<OpenedBase> {
  const captured = await captureTransaction(nodes, hash, context);
  const { ledger } = captured.record;
  const previous = ledger.sequence - 1;
  // The capture has already read it.
  const read = await nodes.ledgers.view(previous, context);
  const facts =
    read === null
      ? await headerOf(nodes.sources, previous, context)
      : sourcedFacts(read.view.facts);
  const before = await openAt(nodes, network, facts, context);
  const known = new Map<string, ForkEntry | null>(
    (captured.snapshot?.entries ?? []).map((each) => [each.keyXdr, entryFromSnapshot(each)]),
  );
  for (const [keyXdr, entry] of payersBefore(captured)) known.set(keyXdr, entry);
  const base: ForkBase = {
    ...before.base,
    rentFeePer1KbStroops: captured.snapshot?.rentFeePer1KbStroops ?? null,
    settingsXdr: withDecidedSettings(before.base.settingsXdr, captured.snapshot?.settings ?? []),
    async entries(keysXdr, context) {
      const lacking = keysXdr.filter((key) => !known.has(key));
      if (lacking.length > 0 && captured.envelope.soroban !== null) {
        const taken = await takeEntries(nodes, captured, lacking, context);
        for (const entry of taken.entries) known.set(entry.keyXdr, entryFromSnapshot(entry));
      }
      const others = keysXdr.filter((key) => !known.has(key));
      const otherEntries =
        others.length === 0 ? new Map() : await before.base.entries(others, context);
      return new Map(
        keysXdr.map((key) => [
          key,
          known.has(key) ? (known.get(key) ?? null) : (otherEntries.get(key) ?? null),
        ]),
      );
    },
  };
  const answers = new ReadEntries();
  return {
    base: withKeptAnswers(base, answers),
    name: `${network}, before transaction ${hash.slice(0, 8)} of ledger ${ledger.sequence}`,
    first: {
      ...firstLedgerOf(captured.record),
      ...(read !== null && { previousMeta: read.ledgerCloseMeta }),
    },
    followed: null,
    overlay: null,
    passphrase: null,
    read: answers,
  };
}

export function entryFromSnapshot(entry: SnapshotEntry): ForkEntry | null {
  const { entryXdr, archived, provenance } = entry;
  if (entryXdr === null) return null;
  const liveUntilLedger = archived ? null : entry.liveUntilLedger;
  return { entryXdr, liveUntilLedger, archived, provenance };
}

/** The settings that decided the transaction, instead of those of nodes. */
function withDecidedSettings(
  settingsXdr: readonly string[],
  decided: readonly { readonly entryXdr: string }[],
): string[] {
  const idOf = (entryXdr: string) => Buffer.from(entryXdr.slice(0, 16), "base64").readUInt32BE(8);
  const byId = new Map(
    [...settingsXdr, ...decided.map(({ entryXdr }) => entryXdr)].map((xdr) => [idOf(xdr), xdr]),
  );
  return [...byId.values()];
}

async function headerOf(
  sources: readonly Source[],
  sequence: number | null,
  context: ReadContext,
): Promise<SourcedFacts> {
  const { answer, failures } =
    sequence === null
      ? // A node without entries may be ahead of one that gives them.
        await askInTurn(
          sources,
          context,
          (source, asking) => source.fetchLedgerEntries && source.fetchLatestFacts?.(asking),
        )
      : await fetchFacts(sources, sequence, context);
  if (answer !== null) return answer;
  throw (
    failures[0] ??
    new SvcError("FORK_STATE_UNKNOWN", {
      message:
        sequence === null
          ? "No node has the header of its latest ledger."
          : `No source has ledger ${sequence}.`,
      remedy: phrase`Set other nodes with ${flag("rpcUrl")} and ${flag("horizonUrl")}, or set ${flag("ledgerLakeUrl")}.`,
      details: { ledger: sequence },
    })
  );
}
