// The authorizations of the transaction: who allows which calls, and the calls allowed below them.

import { cutNeutral } from "../../../base/text/neutralise.ts";
import type { NamedAuthorization, NamedInvocation } from "../../../model/authorizations.ts";
import type { Investigation } from "../../../model/investigation.ts";
import { validityInWords } from "../../text/authorizations.ts";
import { type Branch, type Detail, flattenBranches, type Outline } from "../outline.ts";
import { shortAddresses } from "../short-addresses.ts";

const LONGEST_VALUE = 160;

export function authorizationOutline({ explanation }: Investigation): Outline {
  return {
    title: "Authorization",
    headings: [],
    nodes: flattenBranches(explanation.authorizations.map(authorizationBranch)),
    leastLabelColumns: 0,
    emptyText: "The transaction contains no authorizations.",
  };
}

function authorizationBranch(authorization: NamedAuthorization): Branch {
  const { signer, signed, validUntilLedger, invocation } = authorization;
  const who = signer ?? "the source account, by its signature";
  const until = validityInWords(authorization);
  return {
    label: shortAddresses(`${who}${until}${signed ? "" : ", not signed"}`),
    tone: signed ? "heading" : "caution",
    details: () => [
      { name: "signer", text: who },
      ...(validUntilLedger === null || until === ""
        ? []
        : [{ name: "valid until", text: `ledger ${validUntilLedger}` }]),
      { name: "signed", text: signed ? "yes" : "no" },
    ],
    below: [invocationBranch(invocation)],
  };
}

function invocationBranch(invocation: NamedInvocation): Branch {
  return {
    label: labelOf(invocation),
    call: true,
    details: () => detailsOf(invocation),
    below: invocation.calls.map(invocationBranch),
  };
}

function labelOf({ contract, argumentNames, ...invocation }: NamedInvocation): string {
  const values = invocation.arguments.map((value, i) => {
    const shown = cutNeutral(value, LONGEST_VALUE);
    return argumentNames === null ? shown : `${argumentNames[i]}: ${shown}`;
  });
  const what = `${invocation.function ?? "create a contract"}(${values.join(", ")})`;
  return shortAddresses(contract === null ? what : `${contract} ${what}`);
}

function detailsOf({ contract, argumentNames, ...invocation }: NamedInvocation): Detail[] {
  return [
    { name: "function", text: invocation.function ?? "create a contract" },
    ...(contract === null ? [] : [{ name: "contract", text: contract }]),
    ...invocation.arguments.map((text, i) => ({
      name: argumentNames?.[i] ?? `argument ${i + 1}`,
      text,
    })),
  ];
}
