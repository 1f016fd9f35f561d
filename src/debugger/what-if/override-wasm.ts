// Replaces the code of a contract: its instance gets the new code's hash, the host itself creates
// the code's entry in a separate upload, and in the footprint the new code takes the old code's
// place.

import { ofMost, type RecentlyUsed } from "../../base/recently-used.ts";
import { grouped } from "../../base/text/grouped.ts";
import { declaredBy } from "../../fix/fix-context.ts";
import type { OverriddenWasm } from "../../model/overrides.ts";
import { wasmHashesInUse } from "../../xdr/contract/contract-specs.ts";
import { withFootprint } from "../../xdr/envelope/patch-envelope.ts";
import { contractCodeKey, modifiedIn, withExecutable } from "../../xdr/ledger/patch-entry.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { lastModifiedOf } from "../../xdr/reader/keys.ts";
import { readOnce } from "../../xdr/reader/read-once.ts";
import { instanceKeyOfContract } from "../../xdr/values/value-parts.ts";
import type { Engines } from "../run/replay.ts";
import { applyVariant, type Replayable, runVariant } from "../run/run-variant.ts";
import { uploadVariant } from "../run/upload-code.ts";
import { explainVariant } from "./explain-variant.ts";
import {
  BY_USER,
  type Draft,
  draftOf,
  entriesXdrOf,
  entryInDraft,
  lookupOf,
  overrideEntry,
  overrideImpossible,
  settingsInDraft,
} from "./variant-draft.ts";

/** The hash of code. Many transactions may run with the same code. */
const hashOf: (wasm: Uint8Array) => string = readOnce((wasm) => sha256(wasm).toHex());

interface Signal {
  readonly signal: AbortSignal;
}

/** `wasm` is by contract. Throws OVERRIDE_IMPOSSIBLE, and the errors of the simulator. */
export async function overrideWasm(
  engines: Engines,
  draft: Draft,
  wasm: ReadonlyMap<string, OverriddenWasm>,
  options: Signal,
): Promise<void> {
  for (const [contract, code] of wasm) await overrideCode(engines, draft, contract, code, options);
}

async function overrideCode(
  engines: Engines,
  draft: Draft,
  contract: string,
  { file, bytes }: OverriddenWasm,
  options: Signal,
): Promise<void> {
  const field = fieldOf(contract);
  const instanceKey = instanceKeyOf(contract, field);
  const instance = entryInDraft(draft, instanceKey);
  const before = lookupOf(draft)(contract);
  const hash = hashOf(bytes);
  const instanceXdr = instance?.entryXdr ? withExecutable(instance.entryXdr, hash) : null;
  if (instance === null || instanceXdr === null || before === null)
    throw overrideImpossible(field, "the state of the contract's instance is unknown");
  const formerKey = before.wasmHash === null ? null : contractCodeKey(before.wasmHash);
  const former = formerKey === null ? null : entryInDraft(draft, formerKey);
  const codeKey = contractCodeKey(hash);
  const modified = former?.entryXdr ? lastModifiedOf(former.entryXdr) : draft.ledger.sequence - 1;
  if (!entryInDraft(draft, codeKey)?.entryXdr) {
    const uploaded = await upload(engines, draft, { field, file, bytes, codeKey }, options);
    overrideEntry(draft, {
      keyXdr: codeKey,
      entryXdr: modifiedIn(uploaded, modified),
      liveUntilLedger: former?.liveUntilLedger ?? instance.liveUntilLedger,
      archived: false,
      codeCached: former?.codeCached ?? null,
      provenance: BY_USER,
      ttlProvenance: BY_USER,
    });
  }
  const overridden = { ...instance, entryXdr: instanceXdr, provenance: BY_USER };
  overrideEntry(draft, overridden);
  nameInFootprint(draft, before.wasmHash, codeKey);
  draft.changed.push({
    kind: "code",
    what: `code of contract ${contract}`,
    before: before.wasmHash ?? "the Stellar asset contract",
    after: `${hash} (${file}, ${grouped(bytes.length)} bytes)`,
  });
}

/**
 * The code's LedgerEntry as the host writes it under the protocol and the settings of the
 * transaction. Throws OVERRIDE_IMPOSSIBLE, and what the simulator throws.
 */
export function uploadedCode(
  engines: Engines,
  captured: Replayable,
  contract: string,
  { file, bytes }: OverriddenWasm,
  options: Signal,
): Promise<string> {
  const code = { field: fieldOf(contract), file, bytes, codeKey: contractCodeKey(hashOf(bytes)) };
  return upload(engines, draftOf(captured), code, options);
}

function fieldOf(contract: string): string {
  return `wasm.${contract}`;
}

function instanceKeyOf(contract: string, field: string): string {
  const key = instanceKeyOfContract(contract);
  if (key === null) throw overrideImpossible(field, "this is not a contract address");
  return key;
}

/** There are a few builds, under a few settings. */
const MOST_UPLOADS = 16;

/** `\0asm` */
const WASM_MAGIC = [0x00, 0x61, 0x73, 0x6d];

interface Upload {
  readonly field: string;
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly codeKey: string;
}

/** Entries of uploaded code, by the engines that ran the upload and by all that it depends on. */
const uploads = new WeakMap<Engines, RecentlyUsed<string, string>>();

/**
 * The code's LedgerEntry as the host writes it, with its cost inputs (protocol 21). The same code
 * under the same protocol and settings is uploaded once.
 */
async function upload(
  engines: Engines,
  draft: Draft,
  code: Upload,
  options: Signal,
): Promise<string> {
  const { field, file, bytes, codeKey } = code;
  if (declaredBy(draft).operation !== "invoke_host_function")
    throw overrideImpossible(field, "the transaction runs no contract");
  if (!WASM_MAGIC.every((byte, i) => bytes[i] === byte))
    throw overrideImpossible(field, `${file} is not a WebAssembly file`);
  const uploaded = uploads.get(engines) ?? ofMost<string, string>(MOST_UPLOADS);
  uploads.set(engines, uploaded);
  const settings = settingsInDraft(draft).map(({ entryXdr }) => entryXdr);
  const id = [draft.ledger.protocolVersion, codeKey, ...settings].join();
  const known = uploaded.get(id);
  if (known !== undefined) return known;
  const entryXdr = await uploadByHost(engines, draft, code, options);
  uploaded.set(id, entryXdr);
  return entryXdr;
}

async function uploadByHost(
  engines: Engines,
  draft: Draft,
  { field, file, bytes, codeKey }: Upload,
  options: Signal,
): Promise<string> {
  const variant = { ...draft, ...uploadVariant(draft.envelope, bytes, codeKey) };
  const execution = await runVariant(engines, draft.captured, variant, options);
  const written = execution.changes.find(({ keyXdr }) => keyXdr === codeKey)?.afterXdr ?? null;
  if (written !== null) return written;
  const { cause } = explainVariant(applyVariant(draft.captured, variant), execution);
  throw overrideImpossible(
    field,
    `the host does not accept ${file} as contract code`,
    "Use the wasm of a contract that is built for the protocol of the run.",
    cause === null ? "It was not written." : cause.summary,
  );
}

/** In the old code's place, or in addition to it if another contract runs the old code too. */
function nameInFootprint(draft: Draft, formerHash: string | null, codeKey: string): void {
  const { footprint, archivedEntryIndexes } = declaredBy(draft);
  const { readOnly, readWrite } = footprint;
  if (readOnly.includes(codeKey) || readWrite.includes(codeKey)) return;
  const stillRun = formerHash !== null && wasmHashesInUse(entriesXdrOf(draft)).has(formerHash);
  const formerKey = formerHash === null ? null : contractCodeKey(formerHash);
  const replaced = (keys: readonly string[]) =>
    stillRun ? keys : keys.map((key) => (key === formerKey ? codeKey : key));
  const named = { readOnly: replaced(readOnly), readWrite: replaced(readWrite) };
  const isNamed = [...named.readOnly, ...named.readWrite].includes(codeKey);
  draft.envelope = withFootprint(draft.envelope, {
    readOnly: isNamed ? named.readOnly : [...named.readOnly, codeKey],
    readWrite: named.readWrite,
    archivedEntryIndexes,
  });
}
