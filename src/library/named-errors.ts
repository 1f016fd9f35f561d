// Explains the errors of a contract by the names that the contract has for them on its network now.

import "./standard.ts";

import type { Audience } from "../base/phrase.ts";
import { contractOfNodes } from "../tools/known-contract.ts";
import type { ExplainedText } from "./explain.ts";
import { explainFor } from "./explain-for.ts";
import { openNodes } from "./network.ts";
import type { NodeOptions } from "./options.ts";
import { prepareRuntime } from "./runtime.ts";

/**
 * `contract` is an address. Throws USAGE if no node has the contract, and the errors of the nodes.
 */
export async function explainNamed(
  text: string,
  audience: Audience,
  contract: string,
  options: NodeOptions,
): Promise<ExplainedText> {
  prepareRuntime();
  const { sources } = openNodes(options, () => {});
  const { signal } = new AbortController();
  return explainFor(text, audience, await contractOfNodes(sources, contract, { signal }));
}
