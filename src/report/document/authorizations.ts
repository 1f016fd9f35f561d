// The authorizations of the transaction: who allows which calls, and on a page those that its calls
// required.

import type {
  NamedAuthorization,
  NamedRequirement,
  RequiredAuthorizations,
} from "../../model/authorizations.ts";
import type { Investigation } from "../../model/investigation.ts";
import { invocationItem } from "./calls.ts";
import { type Block, type Columns, type Item, sentence, treeOf } from "./document.ts";

const SHOWN_LINES = 200;
const GIVEN_BY = { call: "made the call", contract: "allowed the call itself" } as const;

/** `all`: nothing is cut. */
export function authorizationTree(
  authorizations: readonly NamedAuthorization[],
  { all = false, inner = false } = {},
): Block {
  const most = all ? Number.POSITIVE_INFINITY : SHOWN_LINES;
  return treeOf(authorizations.map(authorizationItem), { most, what: "authorizations", inner });
}

function authorizationItem(authorization: NamedAuthorization): Item {
  const { signer, signed, validUntilLedger: last, invocation } = authorization;
  const who = signer ?? "the source account, by its signature";
  // The ledger of an unsigned entry may not be set yet.
  const validity = last === null || (last === 0 && !signed) ? "" : `, valid until ledger ${last}`;
  return {
    text: `${who}${validity}${signed ? "" : ", not signed"}`,
    ...(!signed && { tone: "caution" }),
    below: [invocationItem(invocation)],
  };
}

/** Beside what is supplied: what a run recorded, or what the calls of the replay required. */
export function authorizationColumns({ explanation, fix }: Investigation): Columns {
  const { authorizations: supplied, requiredAuthorizations: all } = explanation;
  const recorded = fix?.proof?.outcome === "recorded" ? fix.proof.authorizations : null;
  const required = supplied.length === 0 && all?.list.length === 0 ? null : all;
  const none = sentence("None.", { tone: "faint", detail: "page" });
  const isNone = recorded === null && required === null;
  const columns: Columns["columns"] = [
    {
      title: "Supplied in the envelope",
      body: supplied.length > 0 ? [authorizationTree(supplied)] : isNone ? [] : [none],
    },
    ...(recorded === null
      ? []
      : [{ title: "Required, as a run recorded them", body: [authorizationTree(recorded)] }]),
    ...(recorded !== null || required === null
      ? []
      : [{ title: "Required by the calls of the replay", body: requiredBody(required, none) }]),
  ];
  const detail = "page" as const;
  return {
    kind: "columns",
    columns: columns.map((each, index) => (index === 0 ? each : { ...each, detail })),
  };
}

function requiredBody({ list, complete }: RequiredAuthorizations, none: Block): Block[] {
  const more = "There may be more: the replay does not show all of them.";
  return [
    list.length === 0 ? none : treeOf(list.map(requirementItem), { what: "authorizations" }),
    ...(complete ? [] : [sentence(more, { tone: "faint" })]),
  ];
}

function requirementItem({ signer, by, refused, invocation }: NamedRequirement): Item {
  return {
    text: signer,
    ...(refused && { badge: "refused", badgeTone: "bad" }),
    notes: by === null ? [] : [{ text: GIVEN_BY[by], tone: "faint" }],
    // Without the calls below, which have authorizations of their own.
    below: [invocationItem(invocation)],
  };
}
