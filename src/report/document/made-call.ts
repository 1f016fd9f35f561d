// The part of a report that takes the place of a verdict for a call that svc made itself: the
// state, who called, who had to authorize the call, and what the fork changed before it.

import { stroopsInWords } from "../../base/text/grouped.ts";
import type { CallPreparation, MadeAuthorization, MadeCall } from "../../model/investigation.ts";
import { type Content, type Row, rowsOf } from "./document.ts";

const SHOWN_BY: Readonly<Record<MadeCall["shownBy"], string | null>> = {
  nodes: "as a node has it",
  fork: null,
  archive: null,
  files: "as the file has it",
  nobody: null,
};

const SOURCES: Readonly<Record<MadeCall["sourceIs"], string | null>> = {
  given: null,
  authorizer: "its authorization is needed",
  own: "an account of the fork",
};

const SIGNED: Readonly<Record<MadeAuthorization["signed"], string>> = {
  source: "by signing the transaction",
  fork: "the fork signed instead of the account",
  none: "not signed: only the contract's own check could be satisfied",
};

/** Why the call itself was not made; null for the call. */
const NOT_MADE: Readonly<Record<MadeCall["step"], string | null>> = {
  call: null,
  "code-upload": "this is the upload of its code, which fails",
  "contract-deployment": "this is the deployment of its contract, which fails",
  "earlier-call": "this is a call before it, which fails",
};

const COUNTED_ABSENT = "counted as absent; the chain may have it";

export const NOT_SENT = "a call on a fork, sent to no network";

export function madeCallContent(
  call: MadeCall,
  keyNames: Readonly<Record<string, string>>,
): Content {
  const { state, shownBy, step, source, sourceIs, authorizations, preparations } = call;
  const { countedAbsent } = call;
  const notMade = NOT_MADE[step];
  const row = (label: string, value: string, note: string | null): Row => ({
    label,
    values: [note === null ? value : `${value} (${note})`],
  });
  return rowsOf([
    ...(notMade === null ? [] : [row("not called", notMade, null)]),
    row("called on", state, SHOWN_BY[shownBy]),
    ...countedAbsent.map((key) => row("not in the file", keyNames[key] ?? key, COUNTED_ABSENT)),
    row("called as", source, SOURCES[sourceIs]),
    ...authorizations.map(({ address, signed }) => row("authorized by", address, SIGNED[signed])),
    ...preparations.map((each) => row("changed before it", each.address, inWords(each))),
  ]);
}

/** What the network needs for the envelope of the call, beside the signature of its account. */
export function envelopeRemarks(call: MadeCall): string[] {
  const unsigned = call.authorizations.filter(({ signed }) => signed !== "source");
  return [
    ...(call.shownBy === "fork"
      ? [
          `The sequence number of ${call.source} is the one that it has after ${call.state}. Send the envelope to that fork: the network that was forked may not have this account, or have another sequence number for it.`,
        ]
      : []),
    ...call.preparations.map(({ kind, address }) => {
      if (kind === "balance-raised")
        return `${address} cannot pay the fee of this envelope. Raise the account's balance first.`;
      const again =
        address === call.source ? ", and make the call again for its sequence number" : "";
      return `The state has no account ${address}, so the network refuses this envelope. Create the account first${again}.`;
    }),
    ...unsigned.map(
      ({ address }) => `The envelope has the authorization of ${address} without its signature.`,
    ),
  ];
}

function inWords({ kind, balanceStroops }: CallPreparation): string {
  const balance = stroopsInWords(balanceStroops);
  return kind === "account-created"
    ? `the state has no such account; the fork created it with ${balance}`
    : `the fork raised the balance to ${balance}, to pay the fee`;
}
