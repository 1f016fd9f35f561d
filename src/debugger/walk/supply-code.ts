// Supplies contract code that no source has, from files. The hash in the footprint proves the
// bytes. The entry around them has the form that the host writes. Uploads before protocol 21 have
// no cost inputs, and the replay finds out whether this one had them.

import { type SnapshotEntry, snapshotState } from "../../model/snapshot.ts";
import { knownIn } from "../../model/state/entry-state.ts";
import { modifiedIn } from "../../xdr/ledger/patch-entry.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { ENTRY_TYPE, typeOfKey } from "../../xdr/reader/keys.ts";
import { type OptionalRun, optionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { runVariant } from "../run/run-variant.ts";
import { uploadVariant } from "../run/upload-code.ts";
import type { Captured } from "./capture-transaction.ts";

export interface CodeFile {
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** The public networks' maximum. If the TTL of the code may have mattered, the judge reports it. */
const MAXIMUM_TTL = 3_110_400;

/** Adds the code in `files` to a snapshot that lacks it. */
export async function supplyCode<Known extends Captured>(
  engines: Engines,
  captured: Known,
  files: readonly CodeFile[],
  options: OptionalRun,
): Promise<Known> {
  const { snapshot, record, envelope } = captured;
  if (snapshot === null || envelope.hostFunction === null || files.length === 0) return captured;
  const byHash = new Map(files.map((file) => [sha256(file.bytes).toHex(), file]));
  const supplied = new Map<string, SnapshotEntry>();
  for (const { keyXdr } of snapshot.unknown) {
    if (typeOfKey(keyXdr) !== ENTRY_TYPE.contractCode) continue;
    const file = byHash.get(Uint8Array.fromBase64(keyXdr).subarray(4).toHex());
    if (file === undefined) continue;
    const execution = await optionalRun(`To read ${file.file}`, options, () => {
      const variant = uploadVariant(envelope, file.bytes, keyXdr);
      return runVariant(engines, { ...captured, snapshot }, variant, options);
    });
    const written = execution?.changes.find((change) => change.keyXdr === keyXdr)?.afterXdr;
    if (!written) continue;
    const detail = `from ${file.file}, by its hash`;
    supplied.set(keyXdr, {
      keyXdr,
      entryXdr: modifiedIn(written, record.ledger.sequence - 1),
      liveUntilLedger: record.ledger.sequence + MAXIMUM_TTL - 1,
      archived: false,
      codeCached: null,
      provenance: { kind: "code-file", detail },
      ttlProvenance: { kind: "code-file", detail },
      provisional: "ttl-unchanged",
      maybeWithoutCosts: true,
    });
  }
  if (supplied.size === 0) return captured;
  const { readOnly = [], readWrite = [] } = envelope.soroban?.footprint ?? {};
  const state = snapshotState(snapshot);
  return {
    ...captured,
    snapshot: {
      ...snapshot,
      entries: [...readOnly, ...readWrite].flatMap(
        (key) => knownIn(state, key) ?? supplied.get(key) ?? [],
      ),
      unknown: snapshot.unknown.filter(({ keyXdr }) => !supplied.has(keyXdr)),
    },
  };
}
