// A JSON document that says by itself whether it is whole: its kind, its version and the SHA-256 of
// its body. It proves no author: whoever can write the file can seal it again.

import { createHash } from "node:crypto";
import * as v from "valibot";

export type Unsealed<Body> =
  | { readonly kind: "whole"; readonly body: Body }
  | { readonly kind: "damaged"; readonly reason: string };

export interface SealedKind<Body> {
  readonly kind: string;
  readonly version: number;
  readonly schema: v.GenericSchema<unknown, Body>;
}

const sealedSchema = v.object({
  kind: v.string(),
  version: v.number(),
  sha256: v.string(),
  body: v.unknown(),
});

/** One document, with a line break at the end. */
export function seal<Body>({ kind, version }: SealedKind<Body>, body: Body): string {
  const text = JSON.stringify(body);
  return `{"kind":${JSON.stringify(kind)},"version":${version},"sha256":"${hashOf(text)}","body":${text}}\n`;
}

/** `reason`: ends a sentence that begins with "it". */
export function unseal<Body>(expected: SealedKind<Body>, text: string): Unsealed<Body> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return damaged("is cut off or is not JSON");
  }
  const sealed = v.safeParse(sealedSchema, parsed);
  if (!sealed.success || sealed.output.kind !== expected.kind) {
    return damaged(`is not a ${expected.kind}`);
  }
  const { version, sha256, body } = sealed.output;
  if (version !== expected.version) {
    return damaged(`has version ${version}, and this svc reads version ${expected.version}`);
  }
  if (hashOf(JSON.stringify(body)) !== sha256) return damaged("does not match its checksum");
  const checked = v.safeParse(expected.schema, body);
  if (checked.success) return { kind: "whole", body: checked.output };
  return damaged(`has no valid ${v.getDotPath(checked.issues[0]) ?? "body"}`);
}

function damaged(reason: string): Unsealed<never> {
  return { kind: "damaged", reason };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
