// Explains a text for an audience. A result code needs little of svc: the rest is loaded when an
// input needs it.

import { type Audience, type Phrased, phrased } from "../base/phrase.ts";
import type { KnownContract } from "../explain/explain-answer.ts";
import type { ExplainedText } from "../model/node-answer.ts";
import { explainTextWith } from "../tools/explain-text-with.ts";
import { prepareHashes } from "./hashes.ts";
import { withRarerParts } from "./rarer-parts.ts";

/** `contract` has the names of the errors in the text. Throws as `explainTextWith`. */
export async function explainFor(
  text: string,
  audience: Audience,
  contract: KnownContract | null = null,
): Promise<Phrased<ExplainedText>> {
  prepareHashes();
  const request = { text, name: "The text", contract };
  return phrased(await withRarerParts((parts) => explainTextWith(parts, request)), audience);
}
