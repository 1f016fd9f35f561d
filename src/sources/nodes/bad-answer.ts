// An answer that parses but does not have the shape its API promises.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { neutralise } from "../../base/text/neutralise.ts";

/** `api`: Horizon or Stellar RPC; `what` was asked for. */
export function badAnswer(
  node: string,
  api: string,
  what: string,
  issues: readonly v.BaseIssue<unknown>[],
): SvcError {
  const [issue] = issues;
  const field = issue === undefined ? null : v.getDotPath(issue);
  const where = field === null ? "the document" : `the field ${neutralise(field)}`;
  const flag = api === "Horizon" ? "--horizon-url" : "--rpc-url";
  return new SvcError("NETWORK_BAD_ANSWER", {
    message: `${node} gave ${what} in a shape that is not ${api}'s: see ${where}.`,
    remedy: `Check that ${flag} names a ${api} node, or name another.`,
    details: { node, field, problem: issue === undefined ? null : neutralise(issue.message) },
  });
}
