// The authorizations of the transaction: who allows which calls, and on a page those that its calls
// required.

import type {
  NamedAuthorization,
  NamedRequirement,
  RequiredAuthorizations,
} from "../../model/authorizations.ts";
import type { Investigation } from "../../model/investigation.ts";
import { invocationItem } from "./calls.ts";
import {
  blocks,
  type Columns,
  type Content,
  type Item,
  type Items,
  itemsOf,
  sentence,
} from "./document.ts";

const SHOWN_LINES = 200;
const GIVEN_BY = { call: "made the call", contract: "allowed the call itself" } as const;

export function authorizationTree(
  authorizations: readonly NamedAuthorization[],
  inner = false,
): Items {
  const limits = { most: SHOWN_LINES, noun: ["authorization", "authorizations"] } as const;
  return itemsOf("tree", authorizations.map(authorizationItem), { ...limits, inner });
}

function authorizationItem(authorization: NamedAuthorization): Item {
  const { signer, signed, validUntilLedger: last, invocation } = authorization;
  const who = signer ?? "the source account, by its signature";
  // The ledger of an unsigned entry may not be set yet.
  const validity = last === null || (last === 0 && !signed) ? "" : `, valid until ledger ${last}`;
  return {
    text: `${who}${validity}${signed ? "" : ", not signed"}`,
    tone: signed ? undefined : "caution",
    below: [invocationItem(invocation)],
  };
}

/** Beside what is supplied: what a run recorded, or what the calls of the replay required. */
export function authorizationColumns({ explanation, fix }: Investigation): Columns {
  const { authorizations: supplied, requiredAuthorizations: all } = explanation;
  const recorded = fix?.proof?.outcome === "recorded" ? fix.proof.authorizations : null;
  const required = supplied.length === 0 && all?.list.length === 0 ? null : all;
  const none = sentence("None.", { tone: "faint", detail: "page" });
  const beside =
    recorded !== null
      ? column("Required, as a run recorded them", authorizationTree(recorded), "page")
      : required &&
        column("Required by the calls of the replay", requiredContent(required), "page");
  const own = supplied.length > 0 ? authorizationTree(supplied) : beside && none;
  const columns = [column("Supplied in the envelope", own), ...(beside === null ? [] : [beside])];
  return { kind: "columns", columns };

  function requiredContent({ list, complete }: RequiredAuthorizations): Content {
    const more = "There may be more: the replay does not show all of them.";
    const items = itemsOf("tree", list.map(requirementItem), {
      noun: ["authorization", "authorizations"],
    });
    return [list.length === 0 ? none : items, !complete && sentence(more, { tone: "faint" })];
  }
}

function column(title: string, content: Content, detail?: "page"): Columns["columns"][number] {
  return { title, body: blocks(content), ...(detail && { detail }) };
}

function requirementItem({ signer, by, refused, invocation }: NamedRequirement): Item {
  return {
    text: signer,
    badge: refused ? "refused" : undefined,
    badgeTone: "bad",
    notes: by === null ? [] : [{ text: GIVEN_BY[by], tone: "faint" }],
    // Without the calls below, which have authorizations of their own.
    below: [invocationItem(invocation)],
  };
}
