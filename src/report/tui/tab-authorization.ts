// Who authorized what.

import type { Investigation } from "../../model/investigation.ts";
import { flattenBranches, type Outline } from "./outline.ts";

export function authorizationOutline(_: Investigation): Outline {
  return {
    title: "Authorization",
    headings: [],
    nodes: flattenBranches([]),
    leastLabelColumns: 0,
    emptyText: "Authorization is not decoded yet; --json has the whole envelope.",
  };
}
