// A contract's metadata (SEP-46): what its wasm says about itself, unchecked.

import { XdrCursor } from "../reader/cursor.ts";
import { shapeOf, xdrSource } from "../reader/shape.ts";
import { customSections } from "./wasm-sections.ts";

const MAXIMUM_ENTRIES = 1000;
const metaEntry = shapeOf("ScMetaEntry");

/** The first value of each key, up to the first entry that cannot be read. */
export function readContractMeta(wasm: Uint8Array): ReadonlyMap<string, string> {
  const meta = new Map<string, string>();
  for (const section of customSections(wasm, "contractmetav0")) {
    const cursor = new XdrCursor(xdrSource(section));
    for (let read = 0; cursor.at < section.length && read < MAXIMUM_ENTRIES; read += 1) {
      const start = cursor.at;
      try {
        cursor.skip(metaEntry);
      } catch {
        break;
      }
      const end = cursor.at;
      // After its kind, of which there is one.
      cursor.at = start + 4;
      const [key, value] = [readText(cursor), readText(cursor)];
      if (!meta.has(key)) meta.set(key, value);
      cursor.at = end;
    }
  }
  return meta;
}

function readText(cursor: XdrCursor): string {
  const bytes = cursor.opaque(cursor.uint32());
  cursor.opaque((4 - (bytes.length % 4)) % 4);
  return new TextDecoder().decode(bytes);
}
