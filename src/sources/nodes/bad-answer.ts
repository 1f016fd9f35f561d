// The error of JSON that does not follow the API of the node.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { beginningOf } from "../../base/own-text.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { neutralise } from "../../base/text/neutralise.ts";

/** The longest problem in characters, because a problem quotes what the node wrote. */
const LONGEST_PROBLEM = 300;

/** Makes the error. `api` is Horizon or Stellar RPC, and `label` the subject of the request. */
export function badNodeAnswer(
  node: string,
  api: string,
  label: string,
  issues: readonly v.BaseIssue<unknown>[],
): SvcError {
  const [issue] = issues;
  const field = issue === undefined ? null : v.getDotPath(issue);
  const where = field === null ? "" : ` (field ${shown(field)})`;
  const setting = api === "Horizon" ? "horizonUrl" : "rpcUrl";
  return new SvcError("NETWORK_BAD_ANSWER", {
    message: `${node} returned ${label} in a form that does not follow ${api}${where}.`,
    remedy: phrase`Check that ${flag(setting)} is a ${api} node, or set another.`,
    details: { node, field, problem: issue === undefined ? null : shown(issue.message) },
  });
}

function shown(text: string): string {
  return neutralise(beginningOf(text, LONGEST_PROBLEM));
}
