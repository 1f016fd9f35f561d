// Decompression by the runtime. Bun knows zstd. A runtime that does not, such as a browser, passes
// its own with `useZstd` before it calls anything else.

export type Compression = "gzip" | "zstd";

/** Decompresses frames of zstd (RFC 8878). The result errors when the bytes are not such frames. */
export type DecompressZstd = (
  compressed: ReadableStream<Uint8Array<ArrayBuffer>>,
) => ReadableStream<Uint8Array<ArrayBuffer>>;

let zstd: DecompressZstd | null = null;

export function useZstd(decompressZstd: DecompressZstd): void {
  zstd = decompressZstd;
}

/** Throws TypeError if the runtime does not know the compression and none was passed. */
export function decompress(
  compressed: ReadableStream<Uint8Array<ArrayBuffer>>,
  compression: Compression,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (compression === "zstd" && zstd !== null) return zstd(compressed);
  // The types of browsers have no zstd.
  return compressed.pipeThrough(new DecompressionStream(compression as "gzip"));
}
