// Shows a person what they are about to sign. Nothing is cut.

import { grouped } from "../../base/text/grouped.ts";
import type { NamedAuthorization } from "../../model/authorizations.ts";
import type { OperationView, SigningView } from "../../model/signing-view.ts";
import { authorizationLines, invocationLines } from "./authorizations.ts";
import { pairs, wrap } from "./layout.ts";

/** `network`: its name, when it has one. */
export function renderSigningView(view: SigningView, network: string): string {
  const { operations, authorizations } = view;
  const lines = ["To sign", ...pairs(transactionRows(view, network))];
  for (const [i, operation] of operations.entries()) {
    lines.push("", `Operation ${i + 1} of ${operations.length}`, ...operationLines(operation));
  }
  if (authorizations.length > 0)
    lines.push(
      "",
      "Authorizations",
      ...authorizationLines(authorizations, Number.POSITIVE_INFINITY),
    );
  return `${lines.join("\n")}\n`;
}

/** For authorization entries without the transaction that will contain them. */
export function renderAuthorizationsView(
  authorizations: readonly NamedAuthorization[],
  networkPassphrase: string,
  network: string,
): string {
  const lines = [
    "To sign (only the entries for this signer)",
    ...pairs([["network", shownNetwork(networkPassphrase, network)]]),
    "",
    "Authorizations",
    ...authorizationLines(authorizations, Number.POSITIVE_INFINITY),
  ];
  return `${lines.join("\n")}\n`;
}

function shownNetwork(passphrase: string, network: string): string {
  return `${passphrase}${network === "custom" ? "" : ` (${network})`}`;
}

function transactionRows(view: SigningView, network: string): [string, string][] {
  const resources =
    view.resourceFeeStroops === null
      ? ""
      : `, including ${grouped(view.resourceFeeStroops)} for resources`;
  return [
    ["network", shownNetwork(view.networkPassphrase, network)],
    ["hash", view.hash],
    ...(view.isFeeBump ? ([["fee source", view.feeSource]] as [string, string][]) : []),
    ["source", view.sourceAccount],
    ["fee", `at most ${grouped(view.feeBidStroops)} stroops${resources}`],
    ["sequence", view.sequenceNumber],
    ...view.conditions.map(({ name, value }): [string, string] => [name, value]),
    ...signatureRows(view),
  ];
}

function signatureRows({ signatures }: SigningView): [string, string][] {
  if (signatures.length === 0) return [["signatures", "none yet"]];
  return signatures.map(({ transaction, hint, signer, holds }, i) => {
    const who = signer ?? `a key with the hint ${hint}`;
    const wrong = holds === false ? ": INVALID on this network" : "";
    const inner = transaction === "inner" ? " (the inner transaction)" : "";
    return [i === 0 ? "signed by" : "", `${who}${inner}${wrong}`];
  });
}

function operationLines({ kind, sourceAccount, fields, call }: OperationView): string[] {
  return [
    ...wrap(kind, "  "),
    ...(sourceAccount === null ? [] : wrap(sourceAccount, "  on behalf of ")),
    ...pairs(
      fields.map(({ name, value }) => [name, value]),
      4,
    ),
    ...(call === null ? [] : invocationLines(call, 2)),
  ];
}
