// Decompression by the runtime. Bun knows zstd. A runtime that does not, such as a browser, passes
// its own with `useZstd` before it calls anything else.

export type Compression = "gzip" | "zstd";

/**
 * Decompresses zstd frames (RFC 8878). The stream that it returns errors if the bytes are not such
 * frames.
 */
export type DecompressZstd = (
  compressed: ReadableStream<Uint8Array<ArrayBuffer>>,
) => ReadableStream<Uint8Array<ArrayBuffer>>;

let zstd: DecompressZstd | null = null;

export function useZstd(decompressZstd: DecompressZstd): void {
  zstd = decompressZstd;
}

/**
 * Throws a TypeError if the runtime does not know the compression and no function was passed for
 * it.
 */
export function decompress(
  compressed: ReadableStream<Uint8Array<ArrayBuffer>>,
  compression: Compression,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  if (compression === "zstd" && zstd !== null) return zstd(compressed);
  // The type definitions for browsers do not list zstd.
  return compressed.pipeThrough(new DecompressionStream(compression as "gzip"));
}
