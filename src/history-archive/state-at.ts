// Finds an entry as a ledger left it, with its proof, from the archive alone. The ways, by rising
// cost:
//
//   1. The checkpoint after the ledger has it, last modified no later than the ledger. Nothing
//      changed it in between, because stellar-core stamps each entry that it writes.
//   2. The ledger is a checkpoint. An entry that is not in its list does not exist.
//   3. The checkpoint before has it, and no transaction since could write it. Only transactions
//      that declare the entries of contracts, and their TTLs, write them. The ledgers' proven sets
//      show these transactions, and a failed one wrote nothing.
//
// All other entries need the metas of the ledgers in between, which no archive has.

import { SvcError } from "../base/errors/errors.ts";
import { ofMost } from "../base/recently-used.ts";
import { grouped } from "../base/text/grouped.ts";
import { quotedText } from "../base/text/neutralise.ts";
import {
  type EntryValue,
  hasEnoughSignatures,
  type StateFact,
  type StateProof,
  type StateReport,
} from "../model/state/proven-state.ts";
import { hashOfEnvelope } from "../xdr/envelope/envelope-facts.ts";
import { STATE_SIZE_WINDOW_ID } from "../xdr/ledger/settings.ts";
import { readResultBytes } from "../xdr/outcome/result.ts";
import { networkId } from "../xdr/reader/hash.ts";
import {
  ENTRY_TYPE,
  isSorobanType,
  liveUntilOfBytes,
  ttlKeyBytesOf,
  ttlKeyOf,
  typeOfKeyBytes,
} from "../xdr/reader/keys.ts";
import { uint32At } from "../xdr/reader/words.ts";
import { describeEntry } from "../xdr/values/value.ts";
import { checkpointOf } from "./archive-files.ts";
import type { ArchiveState } from "./archive-state.ts";
import type { BucketList, BucketWord } from "./bucket-file.ts";
import type { BucketStore } from "./bucket-store.ts";
import { type ArchivedChain, type ArchivedHeader, linkedHeaders } from "./chain.ts";
import { archiveDamaged, behind, lacking } from "./errors.ts";

type Found = StateFact<{ readonly entry: Uint8Array; readonly archived: boolean }>;

/** Settings that change without an upgrade: the state-size window and the eviction iterator. */
const CHANGING_IDS: ReadonlySet<number> = new Set([STATE_SIZE_WINDOW_ID, 13]);

export interface CheckpointEntry {
  /** A LedgerEntry, or null if it did not exist. */
  readonly entry: Uint8Array | null;
  /** True if only the hot archive has it. */
  readonly archived: boolean;
}

interface Listed {
  readonly word: BucketWord | null;
  readonly list: BucketList;
  readonly bucketHash: string | null;
  readonly header: ArchivedHeader;
  readonly checkpoint: number;
}

/** A question is about two checkpoints. The checkpoints of a verification follow one another. */
const KEPT_STATES = 16;

export interface StateReaderDependencies {
  readonly chain: ArchivedChain;
  readonly store: BucketStore;
  readonly networkPassphrase: string;
  /** Throws if the archive must not download this many bytes. */
  readonly allow: (name: string, bytes: number, buckets: number) => Promise<void>;
  /** Wraps each download of a bucket. */
  readonly fetching?: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

export class StateReader {
  private readonly chain: ArchivedChain;
  private readonly dependencies: StateReaderDependencies;
  private readonly states = ofMost<number, Promise<ArchiveState>>(KEPT_STATES);
  private readonly allowed = new WeakMap<ArchiveState, Promise<void>>();

  constructor(dependencies: StateReaderDependencies) {
    this.dependencies = dependencies;
    this.chain = dependencies.chain;
  }

  /** Returns the entry as the ledger left it, and its TTL if it is a contract's entry. */
  async at(key: Uint8Array, ledger: number): Promise<Pick<StateReport, "entry" | "liveUntil">> {
    const entry = await this.entryAt(key, key, ledger);
    const hasTtl = isSorobanType(typeOfKeyBytes(key));
    const ttl = hasTtl ? await this.entryAt(ttlKeyBytesOf(key), key, ledger) : null;
    return {
      entry: mapped(entry, shownEntry),
      liveUntil: ttl && mapped(ttl, ({ entry }) => liveUntilOfBytes(entry)),
    };
  }

  /**
   * Returns the same just before the transaction with that hash, which must be in the ledger. That
   * is the state after the ledger before, if no other transaction of its ledger may have written
   * the entry.
   */
  async before(
    key: Uint8Array,
    ledger: number,
    hash: string,
  ): Promise<Pick<StateReport, "entry" | "liveUntil">> {
    const { entry, liveUntil } = await this.at(key, ledger - 1);
    // The results of the ledger are in its own header, which the state before does not name.
    if (!hasEnoughSignatures(await this.chain.signatures(ledger))) {
      const unsigned = unknown(`too few validators signed ledger ${grouped(ledger)}`);
      return { entry: unsigned, liveUntil: liveUntil && unsigned };
    }
    const refusalOf = async (fact: StateFact<unknown>, of: Uint8Array) => {
      if (fact.kind === "unknown") return null;
      // A later checkpoint has the entry unchanged.
      if (fact.proof.step === "unchanged-until") return null;
      const type = typeOfKeyBytes(of);
      // Upgrades come after the transactions.
      if (type === ENTRY_TYPE.configSetting) return null;
      if (type !== ENTRY_TYPE.ttl && !isSorobanType(type))
        return `ledger ${grouped(ledger)} may have changed it before the transaction`;
      const writer = await this.writerOf(of, key, ledger - 1, ledger, hash);
      return writer === null ? null : `${writer} may have written it`;
    };
    const refusal = await refusalOf(entry, key);
    const ttlRefusal = liveUntil && (await refusalOf(liveUntil, ttlKeyBytesOf(key)));
    return {
      entry: refusal === null ? entry : { kind: "unknown", reason: refusal },
      liveUntil: ttlRefusal === null ? liveUntil : { kind: "unknown", reason: ttlRefusal },
    };
  }

  /** True if accounts and trustlines are kept. */
  get hasClassic(): boolean {
    return !this.dependencies.store.sorobanOnly;
  }

  /**
   * Returns the entry in the state of a checkpoint. It finds classic entries only if they are kept.
   */
  async inCheckpoint(key: Uint8Array, checkpoint: number): Promise<CheckpointEntry> {
    const { word, list } = await this.listed(checkpoint, key);
    return { entry: word?.kind === "entry" ? word.entry : null, archived: list === "hot" };
  }

  /**
   * `owner` is the key that a TTL's key belongs to, if it is known, and otherwise the key itself.
   */
  private async entryAt(key: Uint8Array, owner: Uint8Array, ledger: number): Promise<Found> {
    const { archive } = this.chain;
    const type = typeOfKeyBytes(key);
    if (this.dependencies.store.sorobanOnly && type < ENTRY_TYPE.contractData)
      return unknown("the settings keep the entries of contracts alone");
    const checkpoint = checkpointOf(ledger, archive);
    if (checkpoint > archive.latestCheckpoint)
      throw behind("state of", ledger, archive.latestCheckpoint);
    const after = await this.listed(checkpoint, key);
    if (checkpoint === ledger) return this.fact(after, "checkpoint");
    const { word, list } = after;
    // No bucket shows when an entry left for the hot archive.
    if (word?.kind === "entry" && list === "live" && uint32At(word.entry, 0) <= ledger)
      return this.fact(after, "unchanged-until");
    const isSetting = type === ENTRY_TYPE.configSetting && !CHANGING_IDS.has(uint32At(key, 4));
    if (type !== ENTRY_TYPE.ttl && !isSorobanType(type) && !isSetting)
      return unknown(
        `it may have changed between ledgers ${grouped(ledger)} and ${grouped(checkpoint)}`,
      );
    const earlier = checkpoint - archive.ledgersPerCheckpoint;
    if (earlier < 0)
      return unknown(`the archive has no checkpoint before ledger ${grouped(ledger)}`);
    const before = await this.listed(earlier, key);
    if (isSetting) return this.settingSince(before, ledger);
    const writer = await this.writerOf(key, owner, earlier, ledger);
    if (writer !== null) return unknown(`${writer} may have written it`);
    // The checkpoint after does not show that the entry stayed: it may have been restored, or
    // created again.
    if (before.word?.kind === "entry" && before.list === "live") {
      const ttl =
        type === ENTRY_TYPE.ttl ? before : await this.listed(earlier, ttlKeyBytesOf(owner));
      const liveUntil = ttl.word?.kind === "entry" ? liveUntilOfBytes(ttl.word.entry) : 0;
      if (liveUntil < ledger)
        return unknown(`it expired before ledger ${grouped(ledger)}, and may have been evicted`);
    }
    await linkedHeaders(this.chain, earlier + 1);
    // Protocol 24 corrected archived entries (CAP-76).
    const { protocolVersion } = await this.chain.header(ledger);
    if (protocolVersion !== before.header.protocolVersion)
      return unknown(`protocol ${protocolVersion} began since, and may have corrected it`);
    return this.fact(before, "untouched-since", ledger);
  }

  /** Only upgrades change settings, and headers name them. */
  private async settingSince(before: Listed, ledger: number): Promise<Found> {
    for (let each = before.checkpoint + 1; each <= ledger; each += 1)
      if ((await linkedHeaders(this.chain, each)).own.upgradeCount > 0)
        return unknown(`ledger ${grouped(each)} upgraded the network, and may have changed it`);
    return this.fact(before, "untouched-since", ledger);
  }

  /** Returns the newest record about the key in the buckets of the checkpoint. */
  private async listed(checkpoint: number, key: Uint8Array): Promise<Listed> {
    const state = await this.stateOf(checkpoint);
    await this.allowAll(state, key);
    const header = await this.chain.header(checkpoint);
    for (const list of ["live", "hot"] as const)
      for (const bucketHash of state[list] ?? []) {
        const look = () => this.wordOf(bucketHash, list, key);
        const word = await look().catch((error) => {
          if (!(error instanceof SvcError) || error.code !== "ARCHIVE_COPY_DAMAGED") throw error;
          // The damaged copy is gone. If the bucket is large, the user is asked for it again.
          this.allowed.delete(state);
          return this.allowAll(state, key).then(look);
        });
        if (word?.kind === "entry") return { word, list, bucketHash, header, checkpoint };
        // An entry that left the live list may be in the hot archive.
        if (word !== null) break;
      }
    return { word: null, list: "live", bucketHash: null, header, checkpoint };
  }

  private async wordOf(hash: string, list: BucketList, key: Uint8Array) {
    const { store } = this.dependencies;
    if (!store.has(hash, key)) {
      const pieces = this.chain.archive.bucket(hash);
      if (pieces === null) throw lacking(`bucket ${hash}`);
      const { fetching = (work) => work() } = this.dependencies;
      await fetching(() => store.add(hash, pieces));
    }
    return store.find(hash, list, key);
  }

  private stateOf(checkpoint: number): Promise<ArchiveState> {
    return this.states.of(checkpoint, () => this.provenState(checkpoint));
  }

  private async provenState(checkpoint: number): Promise<ArchiveState> {
    const state = await this.chain.archive.state(checkpoint);
    const { networkPassphrase } = state;
    if (networkPassphrase !== null && networkPassphrase !== this.dependencies.networkPassphrase)
      throw lacking(`state of this network: it is of ${quotedText(networkPassphrase, 80)}`);
    const { bucketListHash } = await this.chain.header(checkpoint);
    if (state.bucketListHash !== bucketListHash)
      throw archiveDamaged(`state of checkpoint ${checkpoint}`, "its buckets are not the header's");
    return state;
  }

  /** Asks whether the missing buckets may be downloaded, once for each state. */
  private allowAll(state: ArchiveState, key: Uint8Array): Promise<void> {
    const { store, allow } = this.dependencies;
    const { archive } = this.chain;
    const known = this.allowed.get(state);
    if (known !== undefined) return known;
    const check = async () => {
      const all = archive.local ? [] : [...state.live, ...(state.hot ?? [])];
      const missing = all.filter((hash) => !store.has(hash, key));
      const sizes = await Promise.all(missing.map((hash) => archive.bucketBytes(hash)));
      const bytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
      await allow(archive.name, bytes, missing.length);
    };
    const checking = check();
    this.allowed.set(state, checking);
    return checking;
  }

  /**
   * Finds the first transaction after ledger `from`, up to ledger `to`, that may have written the
   * entry. Returns null if there is none.
   */
  private async writerOf(
    key: Uint8Array,
    owner: Uint8Array,
    from: number,
    to: number,
    except: string | null = null,
  ) {
    const ownerXdr = owner.toBase64();
    const isTtl = typeOfKeyBytes(key) === ENTRY_TYPE.ttl;
    // A TTL's own key has only the hash of the key that it is for.
    const names =
      typeOfKeyBytes(owner) === ENTRY_TYPE.ttl
        ? (keyXdr: string) => ttlKeyOf(keyXdr) === ownerXdr
        : (keyXdr: string) => keyXdr === ownerXdr;
    const network = networkId(this.dependencies.networkPassphrase);
    for (let ledger = from + 1; ledger <= to; ledger += 1)
      for (const { envelope, readOnly, readWrite } of await this.chain.footprints(ledger)) {
        // The TTL of an entry that is only read may be extended.
        if (!readWrite.some(names) && !(isTtl && readOnly.some(names))) continue;
        const hash = hashOfEnvelope(envelope, network);
        if (hash === except) continue;
        if (readResultBytes((await this.chain.result(ledger, hash)).bytes).success)
          return `transaction ${hash} of ledger ${grouped(ledger)}`;
      }
    return null;
  }

  /** `signed` is the ledger whose header the validators signed. */
  private async fact(
    { word, list, bucketHash, header, checkpoint }: Listed,
    step: StateProof["step"],
    signed = checkpoint,
  ): Promise<Found> {
    const { hash: headerHash, bucketListHash } = header;
    const signatures = await this.chain.signatures(signed);
    const place = { checkpoint, bucketHash, bucketListHash, headerHash };
    const proof = { step, ...place, signedLedger: signed, signatures };
    if (word?.kind !== "entry") return { kind: "absent", proof };
    return { kind: "known", value: { entry: word.entry, archived: list === "hot" }, proof };
  }
}

const SHOWN_CHARACTERS = 2_000;

export function shownEntry({
  entry,
  archived,
}: {
  entry: Uint8Array;
  archived: boolean;
}): EntryValue {
  const entryXdr = entry.toBase64();
  const text = describeEntry(entryXdr, SHOWN_CHARACTERS);
  return { text, lastModifiedLedger: uint32At(entry, 0), entryXdr, archived };
}

function mapped<From, To>(fact: StateFact<From>, map: (value: From) => To): StateFact<To> {
  return fact.kind === "known" ? { ...fact, value: map(fact.value) } : fact;
}

function unknown(reason: string) {
  return { kind: "unknown", reason } as const;
}
