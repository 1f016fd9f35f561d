// The facts that the states of the calls show about contracts that get new builds: the old code,
// the types of stored values, and the contracts that share code.

import { utf8Bytes } from "../base/bytes.ts";
import type { KeyedEntry } from "../model/snapshot.ts";
import type { ContractSpec } from "../xdr/contract/contract-spec.ts";
import { type ContractLookup, wasmByHash } from "../xdr/contract/contract-specs.ts";
import { describeTypedKey } from "../xdr/contract/key-typed.ts";
import { sha256 } from "../xdr/reader/hash.ts";
import { ENTRY_TYPE, typeOfKey } from "../xdr/reader/keys.ts";
import { SCV } from "../xdr/reader/scval-type.ts";
import { addressText } from "../xdr/reader/to-json.ts";
import { decode } from "../xdr/reader/value.ts";
import { dataOfEntry, instanceKeyOfContract, referenceKeyOf } from "../xdr/values/value-parts.ts";
import { BoundedEntries } from "./bounded-entries.ts";
import type { ReplacedCode } from "./compare-runs.ts";
import { interfaceDifference } from "./interface-difference.ts";
import type { NewBuild } from "./new-builds.ts";
import {
  MOST_STORED_ENTRIES,
  type RehearsedContract,
  type SharedCode,
  type StoredTypeUse,
  type UpgradeRehearsal,
} from "./rehearsal.ts";
import { type StoredMisfit, storedTypesIn } from "./stored-types.ts";

interface SeenContract {
  /** The code before the first of the calls. */
  oldHash: string;
  /** The place of that call. */
  since: number;
  wasm: Uint8Array | null;
  /** The entries that were looked at, with the types in them. */
  readonly stored: BoundedEntries<StoredEntry>;
  /** The contract that has its code, in the state before the last of the calls. */
  owner: Owner | null;
  readonly sharing: Set<string>;
}

interface Owner {
  /** The place of the call. */
  readonly place: number;
  readonly contract: string;
}

interface StoredEntry extends SeenState {
  /** The place of the first call that met it, and its position in the state before that call. */
  readonly met: readonly [place: number, position: number];
  /** The hash of the old code, whose types the values were compared with. */
  readonly oldHash: string;
  /** Null for the instance. */
  readonly name: string | null;
  /** The reason why a value of the type no longer decodes, by type; null if it decodes. */
  readonly misfits: ReadonlyMap<string, StoredMisfit | null>;
}

/** The state of an entry that counts is the last one, and calls are not replayed in their order. */
interface SeenState {
  /** The place of the last call that met the state. */
  readonly place: number;
  /** The SHA-256 of the entry in base64, because the entries of many calls are large together. */
  readonly entryHash: string;
}

export class KnownContracts {
  private readonly contracts = new Map<string, SeenContract>();

  private readonly instanceKeys: ReadonlyMap<string, string | null>;

  constructor(
    private readonly builds: ReadonlyMap<string, NewBuild>,
    private readonly mostEntries = MOST_STORED_ENTRIES,
  ) {
    const contracts = [...builds.keys()];
    this.instanceKeys = new Map(contracts.map((each) => [each, instanceKeyOfContract(each)]));
  }

  /**
   * The contracts whose code is replaced in a state: those with a new build, and those that take
   * their code from the same entry as one of them.
   */
  replacedIn(entries: readonly KeyedEntry[], lookup: ContractLookup): ReplacedCode[] {
    return [...this.builds].flatMap(([contract, build]) => {
      const oldHash = lookup(contract)?.wasmHash ?? null;
      if (oldHash === null) return [];
      const others = this.sharingWith(contract, entries)?.others ?? [];
      const sharing = others.filter((other) => !this.builds.has(other));
      const replaced = (each: string): ReplacedCode => ({
        contract: each,
        build: contract,
        oldHash,
        newHash: build.hash,
        spec: build.spec,
      });
      return [contract, ...sharing].map(replaced);
    });
  }

  /** Notes the state before a call. `place`: grows with the calls' order on the chain. */
  note(entries: readonly KeyedEntry[], lookup: ContractLookup, place: number): void {
    const entriesXdr = entries.flatMap(({ entryXdr }) => entryXdr ?? []);
    const codes = this.isCodeMissing() ? wasmByHash(entriesXdr) : new Map<string, Uint8Array>();
    for (const [contract, build] of this.builds) {
      const oldHash = lookup(contract)?.wasmHash ?? null;
      if (oldHash === null) continue;
      const known = this.contracts.get(contract) ?? {
        oldHash,
        since: place,
        wasm: null,
        stored: new BoundedEntries<StoredEntry>(this.mostEntries),
        owner: null,
        sharing: new Set<string>(),
      };
      this.contracts.set(contract, known);
      if (isEarlier({ since: place, oldHash }, known)) {
        if (oldHash !== known.oldHash) known.wasm = wasmByHash(entriesXdr).get(oldHash) ?? null;
        Object.assign(known, { oldHash, since: place });
      }
      known.wasm ??= codes.get(known.oldHash) ?? null;
      const oldSpec = lookup(contract)?.spec ?? null;
      // A type that the new build lacks may be in the part of its specification that was not read.
      if (oldSpec !== null && build.spec !== null && build.spec.unread === undefined)
        for (const [position, { entryXdr, keyXdr }] of entries.entries())
          if (entryXdr !== null) {
            const met = { contract, oldHash, keyXdr, entryXdr, place, position };
            noteStored(known, met, [oldSpec, build.spec], lookup);
          }
      const shared = this.sharingWith(contract, entries);
      if (shared === null) continue;
      known.owner = laterOwner(known.owner, shared.owner, place);
      for (const other of shared.others) known.sharing.add(other);
    }
  }

  /**
   * The other contracts of the state that take their code from the same entry (CAP-85). Null if the
   * contract has code of its own.
   */
  private sharingWith(contract: string, entries: readonly KeyedEntry[]) {
    const ownKey = this.instanceKeys.get(contract);
    const own = entries.find(({ keyXdr }) => keyXdr === ownKey);
    const reference = own?.entryXdr ? referenceKeyOf(own.entryXdr) : null;
    if (reference === null) return null;
    const others = entries.flatMap(({ keyXdr, entryXdr }) => {
      if (entryXdr === null || keyXdr === own?.keyXdr) return [];
      return referenceKeyOf(entryXdr) === reference ? (contractOf(keyXdr) ?? []) : [];
    });
    return { owner: contractOf(reference), others };
  }

  /**
   * What the document does not have, and the merge of several pieces needs. In one order, in
   * whatever order the calls were replayed.
   */
  seen(): SeenInPiece {
    const contracts = [...this.builds.keys()].flatMap((contract) => {
      const known = this.contracts.get(contract);
      return known === undefined ? [] : [{ contract, ...known }];
    });
    return contracts.map(({ contract, since, owner, stored }) => ({
      contract,
      since,
      owner,
      isBounded: stored.isBounded,
      stored: [...stored.all()]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([keyXdr, { misfits, ...entry }]) => [keyXdr, { ...entry, misfits: [...misfits] }]),
    }));
  }

  private isCodeMissing(): boolean {
    return [...this.builds.keys()].some((contract) => !this.contracts.get(contract)?.wasm);
  }

  all(): RehearsedContract[] {
    return [...this.builds].map(([contract, { file, bytes, hash }]): RehearsedContract => {
      const known = this.contracts.get(contract);
      const wasm = known?.wasm ?? null;
      return {
        contract,
        file,
        newHash: hash,
        newBytes: bytes.length,
        oldHash: known?.oldHash ?? null,
        oldBytes: wasm?.length ?? null,
        differences: wasm === null ? null : interfaceDifference(wasm, bytes),
        stored: known === undefined ? [] : usesOf(known.stored.all()),
        isStoredBounded: known?.stored.isBounded ?? false,
        sharedCode: known === undefined ? null : sharedBy(known),
      };
    });
  }
}

/** What the calls of one piece show of each contract that has a new build. */
export type SeenInPiece = readonly {
  readonly contract: string;
  readonly since: number;
  readonly owner: Owner | null;
  /** True if the calls met more entries than the piece has. */
  readonly isBounded: boolean;
  readonly stored: readonly (readonly [keyXdr: string, entry: SavedEntry])[];
}[];

type SavedEntry = Omit<StoredEntry, "misfits"> & {
  readonly misfits: readonly (readonly [type: string, misfit: StoredMisfit | null])[];
};

/** The contracts as one run over the ledgers of all pieces shows them. */
export function mergeSeen(
  pieces: readonly {
    readonly rehearsal: Pick<UpgradeRehearsal, "contracts">;
    readonly seen: SeenInPiece;
  }[],
  mostEntries = MOST_STORED_ENTRIES,
): RehearsedContract[] {
  const [first] = pieces;
  return (first?.rehearsal.contracts ?? []).map((begun) => {
    const { contract } = begun;
    const all = pieces.flatMap(({ rehearsal, seen }) => {
      const shown = rehearsal.contracts.find((each) => each.contract === contract);
      const own = seen.find((each) => each.contract === contract);
      return shown === undefined || own === undefined ? [] : [{ shown, ...own }];
    });
    const placed = all.flatMap(({ shown, since }) =>
      shown.oldHash === null ? [] : [{ ...shown, since, oldHash: shown.oldHash }],
    );
    const known = placed.reduce<(typeof placed)[number] | null>(
      (earliest, each) => (earliest === null || isEarlier(each, earliest) ? each : earliest),
      null,
    );
    const isOfSameCode = ({ oldHash, differences }: RehearsedContract) =>
      oldHash === known?.oldHash && differences !== null;
    const compared = placed.find(isOfSameCode) ?? known ?? begun;
    const stored = new BoundedEntries<StoredEntry>(mostEntries);
    let owner: Owner | null = null;
    for (const piece of all) {
      for (const [keyXdr, { misfits, ...entry }] of piece.stored) {
        const earlier = stored.get(keyXdr);
        const met = earliest(earlier?.met ?? entry.met, entry.met);
        const isLater = earlier === undefined || isLaterState(entry, earlier);
        const last = isLater ? { ...entry, misfits: new Map(misfits) } : earlier;
        stored.set(keyXdr, { ...last, met });
      }
      if (piece.owner !== null) owner = laterOwner(owner, piece.owner.contract, piece.owner.place);
    }
    const sharing = new Set(all.flatMap(({ shown }) => shown.sharedCode?.contracts ?? []));
    return {
      ...begun,
      oldHash: known?.oldHash ?? null,
      oldBytes: compared.oldBytes,
      differences: compared.differences,
      stored: usesOf(stored.all()),
      isStoredBounded: stored.isBounded || all.some(({ isBounded }) => isBounded),
      sharedCode: sharedBy({ owner, sharing }),
    };
  });
}

type FirstSeen = Pick<SeenContract, "since" | "oldHash">;

/** Streams of tests can have several calls in one place, whose order must not matter. */
function isEarlier(left: FirstSeen, right: FirstSeen): boolean {
  return left.since < right.since || (left.since === right.since && left.oldHash < right.oldHash);
}

/** Streams of tests can have several states of one place, of which always the same one counts. */
function isLaterState(state: SeenState, known: SeenState): boolean {
  if (state.place !== known.place) return state.place > known.place;
  return state.entryHash > known.entryHash;
}

function laterOwner(known: Owner | null, contract: string | null, place: number): Owner | null {
  if (contract === null) return known;
  const isEarlier = known !== null && place < known.place;
  const isSame = known !== null && place === known.place && contract <= known.contract;
  return isEarlier || isSame ? known : { place, contract };
}

function contractOf(keyXdr: string): string | null {
  const key = decode("LedgerKey", keyXdr);
  return key.type === ENTRY_TYPE.contractData ? addressText(key.contractData.contract) : null;
}

const NO_TYPES: StoredEntry["misfits"] = new Map();

/** An entry in the state before a call. */
interface MetEntry {
  readonly contract: string;
  readonly oldHash: string;
  readonly keyXdr: string;
  readonly entryXdr: string;
  readonly place: number;
  readonly position: number;
}

function noteStored(
  known: SeenContract,
  { contract, oldHash, keyXdr, entryXdr, place, position }: MetEntry,
  [oldSpec, spec]: readonly [ContractSpec, ContractSpec],
  lookup: ContractLookup,
): void {
  if (typeOfKey(keyXdr) !== ENTRY_TYPE.contractData || !known.stored.keeps(keyXdr)) return;
  const earlier = known.stored.get(keyXdr);
  const met = earliest(earlier?.met ?? [place, position], [place, position]);
  const state = seenState(entryXdr, place);
  if (earlier !== undefined && !isLaterState(state, earlier)) {
    known.stored.set(keyXdr, { ...earlier, met });
    return;
  }
  const { entryHash } = state;
  // The same state has the same types in the same code, which are not looked for in each call.
  if (earlier?.entryHash === entryHash && earlier.oldHash === oldHash) {
    known.stored.set(keyXdr, { ...earlier, place, met });
    return;
  }
  const data = dataOfEntry(entryXdr);
  if (data?.type !== ENTRY_TYPE.contractData) return;
  if (addressText(data.contractData.contract) !== contract) return;
  const { key, val } = data.contractData;
  const isInstance = val.type === SCV.instance;
  const values = isInstance
    ? (val.instance.storage ?? []).flatMap((each) => [each.key, each.val])
    : [key, val];
  const misfits = new Map<string, StoredMisfit | null>();
  for (const value of values)
    for (const { type, misfit } of storedTypesIn(value, oldSpec, spec))
      if (misfit !== null || !misfits.has(type)) misfits.set(type, misfit);
  const name = isInstance ? null : describeTypedKey(keyXdr, lookup);
  const types = misfits.size === 0 ? NO_TYPES : misfits;
  known.stored.set(keyXdr, { place, met, entryHash, oldHash, name, misfits: types });
}

/** The hash is computed only if the place does not decide. */
function seenState(entryXdr: string, place: number): SeenState {
  let hash: string | null = null;
  return {
    place,
    get entryHash() {
      hash ??= sha256(utf8Bytes(entryXdr)).toHex();
      return hash;
    },
  };
}

function earliest(left: StoredEntry["met"], right: StoredEntry["met"]): StoredEntry["met"] {
  return inOrderOfMeeting(left, right) <= 0 ? left : right;
}

function inOrderOfMeeting(left: StoredEntry["met"], right: StoredEntry["met"]): number {
  return left[0] - right[0] || left[1] - right[1];
}

function usesOf(stored: ReadonlyMap<string, StoredEntry>): StoredTypeUse[] {
  const uses = new Map<string, StoredTypeUse>();
  const inOrder = [...stored].sort(
    ([key, left], [otherKey, right]) =>
      inOrderOfMeeting(left.met, right.met) || (key < otherKey ? -1 : 1),
  );
  for (const [, { name, misfits }] of inOrder)
    for (const [type, misfit] of misfits) {
      const use = uses.get(type) ?? { type, entries: 0, misfits: 0, example: name, misfit: null };
      const isFirstMisfit = misfit !== null && use.misfits === 0;
      uses.set(type, {
        type,
        entries: use.entries + 1,
        misfits: use.misfits + (misfit === null ? 0 : 1),
        example: isFirstMisfit ? name : use.example,
        misfit: isFirstMisfit ? misfit : use.misfit,
      });
    }
  return [...uses.values()].sort((left, right) => right.misfits - left.misfits);
}

function sharedBy({
  owner,
  sharing,
}: {
  readonly owner: Owner | null;
  readonly sharing: ReadonlySet<string>;
}): SharedCode | null {
  return owner === null ? null : { owner: owner.contract, contracts: [...sharing].sort() };
}
