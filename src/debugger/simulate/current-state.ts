// The state of the latest ledger, fetched entry by entry and kept as long as that ledger is the
// latest. Invariant: all entries of one LatestEntries, with their TTLs, are those of its one
// ledger. A simulation against it sees what a node sees that has the ledger.

import type { Clock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { AGAIN, flag, phrase } from "../../base/phrase.ts";
import { askForEntries, type EntriesOfNode } from "../../sources/ask-for-entries.ts";
import { type Ask, askInTurn } from "../../sources/ask-in-turn.ts";
import type { CurrentLedgerEntry, FetchContext, LedgerTip, Source } from "../../sources/source.ts";
import { settingKeyOf } from "../../xdr/ledger/settings.ts";
import { ENTRY_TYPE, isSettingKey, settingName, typeOfKey } from "../../xdr/reader/keys.ts";

export interface LatestEntries {
  readonly tip: LedgerTip;
  /**
   * By LedgerKey; null if no node has the entry. A key that is absent here was not asked for yet.
   */
  readonly entries: ReadonlyMap<string, CurrentLedgerEntry | null>;
}

export interface CurrentState {
  /** Throws the errors of the nodes. */
  latest(context: FetchContext): Promise<LatestEntries>;
  /**
   * Returns `state` itself, or that of a later ledger if there is one by now, with all of `keysXdr`
   * known.
   */
  withKeys(
    state: LatestEntries,
    keysXdr: readonly string[],
    context: FetchContext,
  ): Promise<LatestEntries>;
}

/** Nodes behind one address can be at different ledgers, but not for long. */
const MAXIMUM_ATTEMPTS = 8;
/** The entries of one ledger are kept for some seconds. Most of the bytes are contract code. */
const KEPT_BYTES = 64 * 1024 * 1024;

export function openCurrentState(options: {
  readonly sources: readonly Source[];
  readonly clock: Clock;
  /** The time for which a ledger counts as the latest. */
  readonly maximumAgeMilliseconds?: number;
  /** True if the ledger's entries may change while it is the latest, which no network's do. */
  readonly mayChange?: boolean;
}): CurrentState {
  const { sources, clock, maximumAgeMilliseconds = 0, mayChange = false } = options;
  let current: Generation | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;

  const generationOf = (tip: LedgerTip): Generation => {
    const isOther = current?.tip.sequence !== tip.sequence;
    if (current === null || isOther || mayChange || current.bytes > KEPT_BYTES)
      current = new Generation(tip);
    return current;
  };
  const refresh = async (context: FetchContext): Promise<Generation> => {
    const tip = await askAny(sources, context, "the latest ledger", (s, asking) =>
      s.fetchTip?.(asking),
    );
    checkedAt = clock.monotonicMilliseconds();
    return generationOf(tip);
  };
  return {
    async latest(context) {
      const age = clock.monotonicMilliseconds() - checkedAt;
      return current !== null && age < maximumAgeMilliseconds ? current : refresh(context);
    },
    async withKeys(state, keysXdr, context) {
      let generation = state as Generation;
      for (let attempt = 1; attempt <= MAXIMUM_ATTEMPTS; attempt += 1) {
        const lacking = keysXdr.filter((key) => !generation.entries.has(key) && isAskable(key));
        if (lacking.length === 0) return generation;
        const { answer, failures } = await askForEntries(sources, lacking, context);
        if (answer === null) throw failures[0] ?? noNode("ledger entries");
        requireSettings(lacking, answer);
        if (answer.latestLedger !== generation.tip.sequence) generation = await refresh(context);
        if (answer.latestLedger === generation.tip.sequence) generation.note(lacking, answer);
      }
      throw ledgerKeepsChanging();
    },
  };
}

/** Stellar RPC returns a TTL with its entry, and refuses a request that has the key of a TTL. */
function isAskable(keyXdr: string): boolean {
  return typeOfKey(keyXdr) !== ENTRY_TYPE.ttl;
}

/** The entries of these keys, with null for one that does not exist. */
export function entriesOf({ entries }: LatestEntries, keysXdr: readonly string[]) {
  return keysXdr.map((keyXdr) => [keyXdr, entries.get(keyXdr) ?? null] as const);
}

class Generation implements LatestEntries {
  readonly entries = new Map<string, CurrentLedgerEntry | null>();
  bytes = 0;

  constructor(readonly tip: LedgerTip) {}

  /** Another node's entry counts, unless a later ledger than this one changed it. */
  note(keysXdr: readonly string[], answer: EntriesOfNode): void {
    const elsewhere = new Map(
      answer.elsewhere
        .filter(({ entry }) => entry.lastModifiedLedger <= this.tip.sequence)
        .map(({ entry }) => [entry.keyXdr, entry]),
    );
    for (const key of keysXdr) {
      const entry = answer.entries.get(key) ?? elsewhere.get(key) ?? null;
      this.bytes += key.length + (entry?.entryXdr.length ?? 0);
      this.entries.set(key, entry);
    }
  }
}

export const KEY_SIZE_ID = 8;
/** The keys, and the transactions that may access them (CAP-77). */
export const FROZEN_KEYS_IDS = [17, 19];
/** The settings that only the check of an envelope's form needs. */
const FORM_SETTING_KEYS: ReadonlySet<string> = new Set(
  [KEY_SIZE_ID, ...FROZEN_KEYS_IDS].map(settingKeyOf),
);

/**
 * Every network has all of its settings. Without one that decides a run, svc can say nothing of a
 * transaction. The others only decide whether an envelope is valid, and a fork of a capsule does
 * not have them.
 */
function requireSettings(keysXdr: readonly string[], { entries, elsewhere }: EntriesOfNode): void {
  const knownKeys = new Set([...entries.keys(), ...elsewhere.map(({ entry }) => entry.keyXdr)]);
  const missing = keysXdr.find(
    (key) => isSettingKey(key) && !knownKeys.has(key) && !FORM_SETTING_KEYS.has(key),
  );
  if (missing === undefined) return;
  throw new SvcError("NETWORK_BAD_ANSWER", {
    message: `The node did not return the network setting ${settingName(missing)}.`,
    remedy: phrase`Set another node with ${flag("rpcUrl")}.`,
  });
}

/** Throws the failure of the last node if no node answers. */
async function askAny<T>(
  sources: readonly Source[],
  context: FetchContext,
  subject: string,
  ask: Ask<T, Source>,
): Promise<T> {
  const { answer, failures } = await askInTurn(sources, context, ask);
  if (answer !== null) return answer;
  throw failures[0] ?? noNode(subject);
}

function noNode(subject: string): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message: `No configured node can be asked for ${subject}.`,
    remedy: phrase`Set a Stellar RPC node with ${flag("rpcUrl")}.`,
  });
}

function ledgerKeepsChanging(): SvcError {
  return new SvcError("NETWORK_BAD_ANSWER", {
    message: `The node's ledger changed during each of ${MAXIMUM_ATTEMPTS} tries to read it.`,
    remedy: phrase`${AGAIN}, or set another node with ${flag("rpcUrl")}.`,
  });
}
