// Finds the ContractCodeEntry that the host makes of a wasm, with its cost inputs (protocol 21).
// The upload that makes it is on no chain.

import type { Variant } from "../../fix/variant.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import { withUpload } from "../../xdr/envelope/call-arguments.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { withFootprint, withResources } from "../../xdr/envelope/patch-envelope.ts";

/** The maximum that can be declared, because the upload is no transaction of a network. */
const UNBOUNDED = {
  instructions: 0xffff_ffff,
  diskReadBytes: 0xffff_ffff,
  writeBytes: 0xffff_ffff,
  resourceFeeStroops: String(10n ** 18n),
};

/** `envelope` must invoke a host function. `codeKey` is the LedgerKey of the code. */
export function uploadVariant(
  envelope: Envelope,
  wasm: Uint8Array,
  codeKey: string,
): Pick<Variant, "envelope" | "entries"> {
  const absent: SnapshotEntry = {
    keyXdr: codeKey,
    entryXdr: null,
    liveUntilLedger: null,
    archived: false,
    codeCached: null,
    provenance: { kind: "override", detail: "this run uploads it" },
    ttlProvenance: null,
  };
  return {
    envelope: withFootprint(withResources(withUpload(envelope, wasm), UNBOUNDED), {
      readOnly: [],
      readWrite: [codeKey],
    }),
    entries: new Map([[codeKey, absent]]),
  };
}
