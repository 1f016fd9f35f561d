// A capsule with a change, and the checksum that its writer would have given it.

import { documentSha256 } from "../../src/sources/files/signed-document.ts";

/** `text`: a capsule without signatures. */
// biome-ignore lint/suspicious/noExplicitAny: a test changes what the type forbids
export function changedCapsule(text: string, change: (capsule: any) => unknown): string {
  const { checksum: _, ...content } = JSON.parse(text);
  change(content);
  // As a reader will parse it: without what is undefined.
  const read = JSON.parse(JSON.stringify(content));
  return JSON.stringify({ ...read, checksum: documentSha256(read) });
}
