// A checkpoint of a network as the base of a fork, from what its validators publish. No node needs
// to keep the ledger, and every entry is in the state that the ledger's own header names.

import { SvcError, usageError } from "../../base/errors/errors.ts";
import { inParallel } from "../../base/in-parallel.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { checkpointOf } from "../../history-archive/archive-files.ts";
import type { OpenedArchive } from "../../history-archive/opened-archive.ts";
import { hasEnoughSignatures, type StateFact } from "../../model/state/proven-state.ts";
import { settingKeys } from "../../xdr/reader/keys.ts";
import { otherNetwork } from "../errors.ts";
import type { ReadContext } from "../ledger/chain.ts";
import type { EntriesAt } from "./node-entries.ts";
import { type OpenedBase, ReadEntries, withKeptAnswers } from "./opened-base.ts";

const LOOKED_UP_AT_ONCE = 4;

/**
 * Opens the base. Throws USAGE for a ledger that is not a checkpoint, and the errors of the
 * archive.
 */
export async function openArchiveBase(
  archive: OpenedArchive,
  network: { readonly name: string; readonly passphrase: string },
  ledger: number,
  context: ReadContext,
): Promise<OpenedBase> {
  const entries = await entriesInArchive(archive, ledger);
  const { header, hash, protocolVersion } = await archive.ask(
    ({ chain }) => chain.header(ledger),
    ledger,
  );
  const settings = await entries(settingKeys(protocolVersion), context);
  const signatures = await archive.ask(({ chain }) => chain.signatures(ledger), ledger);
  const proof = hasEnoughSignatures(signatures) ? "" : ", which too few validators have signed";
  const base = {
    networkPassphrase: network.passphrase,
    headerXdr: header.toBase64(),
    ledgerHash: hash,
    settingsXdr: [...settings.values()].flatMap((entry) => entry?.entryXdr ?? []),
    rentFeePer1KbStroops: null,
    entries,
  };
  const read = new ReadEntries();
  return {
    base: withKeptAnswers(base, read),
    name: `ledger ${ledger} of ${network.name}, from ${archive.name}${proof}`,
    first: null,
    followed: { sequence: ledger, hash },
    overlay: null,
    passphrase: null,
    read,
  };
}

/**
 * The entries in the archive. `hash` is the ledger's, if it is known. Throws FORK_OTHER_NETWORK,
 * and USAGE for a ledger that is not a checkpoint. The returned function throws FORK_STATE_UNKNOWN
 * for a kind of entry that is not kept.
 */
export async function entriesInArchive(
  archive: OpenedArchive,
  ledger: number,
  hash: string | null = null,
): Promise<EntriesAt> {
  const [checkpoint, every] = await archive.ask(async ({ chain }) => [
    checkpointOf(ledger, chain.archive),
    chain.archive.ledgersPerCheckpoint,
  ]);
  if (checkpoint !== ledger)
    throw usageError(
      `Ledger ${ledger} is not a checkpoint: a history archive has the state of ledgers ${checkpoint - every} and ${checkpoint}.`,
      phrase`Pass ${flag("ledger", `${checkpoint - every}`)} or ${flag("ledger", `${checkpoint}`)}.`,
    );
  const header = await archive.ask(({ chain }) => chain.header(ledger), ledger);
  if (hash !== null && header.hash !== hash) throw otherNetwork(archive.name, ledger);
  return async (keysXdr) => {
    const entries = await inParallel(keysXdr, LOOKED_UP_AT_ONCE, async (keyXdr) => {
      const { entry, liveUntil } = await archive.report(keyXdr, ledger);
      const value = known(entry, ledger);
      if (value === null) return null;
      const { entryXdr, archived } = value;
      const until = liveUntil === null || archived ? null : known(liveUntil, ledger);
      const provenance = { kind: "history-archive", detail: `in ${archive.name}` } as const;
      return { entryXdr, liveUntilLedger: until, archived, provenance };
    });
    return new Map(keysXdr.map((keyXdr, index) => [keyXdr, entries[index] ?? null]));
  };
}

/** Null if it does not exist. */
function known<Value>(fact: StateFact<Value>, ledger: number): Value | null {
  if (fact.kind === "known") return fact.value;
  if (fact.kind === "absent") return null;
  throw new SvcError("FORK_STATE_UNKNOWN", {
    message: `The state of an entry after ledger ${ledger} is not known: ${fact.reason}.`,
    remedy: phrase`Leave ${flag("sorobanOnly")} out, or pass another archive with ${flag("historyArchive")}.`,
    details: { ledger },
  });
}
