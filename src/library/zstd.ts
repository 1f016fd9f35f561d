// zstd for runtimes that do not have it, which are all but Bun. It is loaded only when it is
// needed.

import { Decompress, decompress } from "fzstd";
import { useZstd } from "../base/decompress.ts";

/** Passes the function to the core, which reads ledgers of a lake with it. */
export function prepareZstd(): void {
  if (!("Bun" in globalThis)) useZstd(decompressZstd);
}

/** The stream fails if the bytes are not zstd frames. */
function decompressZstd(
  compressed: ReadableStream<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let decoder: Decompress;
  return compressed.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      start(output) {
        decoder = new Decompress((part) => output.enqueue(new Uint8Array(part)));
      },
      transform: (chunk) => decoder.push(chunk),
      flush: () => decoder.push(new Uint8Array(), true),
    }),
  );
}

/** Decompresses a zstd frame at once. Throws an Error for other bytes. */
export function unpackZstd(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(decompress(packed));
}
