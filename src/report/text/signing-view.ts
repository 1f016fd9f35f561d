// Shows a person what they are about to sign. Nothing is cut.

import { grouped } from "../../base/text/grouped.ts";
import type { NamedInvocation } from "../../model/authorizations.ts";
import type {
  OperationView,
  SigningAuthorization,
  SigningInvocation,
  SigningView,
  ViewField,
} from "../../model/signing-view.ts";
import { invocationItem, inWords } from "../document/calls.ts";
import { pairs, wrap } from "./layout.ts";

/** `network`: its name, when it has one. */
export function renderSigningView(view: SigningView, network: string): string {
  const { operations, resources } = view;
  const lines = ["To sign", ...pairs(transactionRows(view, network))];
  for (const [i, operation] of operations.entries()) {
    lines.push("", `Operation ${i + 1} of ${operations.length}`, ...operationLines(operation));
    lines.push(...authorizationLines(operation.authorizations));
  }
  if (resources.length > 0) lines.push("", "Resources", ...fieldLines(resources, 2));
  return `${lines.join("\n")}\n`;
}

/** For authorization entries without the transaction that will contain them. */
export function renderAuthorizationsView(
  authorizations: readonly SigningAuthorization[],
  networkPassphrase: string,
  network: string,
): string {
  const lines = [
    "To sign (only the entries for this signer)",
    ...pairs([["network", shownNetwork(networkPassphrase, network)]]),
    ...authorizationLines(authorizations),
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
  const row = (name: string, value: string | null): [string, string][] =>
    value === null ? [] : [[name, value]];
  return [
    ["network", shownNetwork(view.networkPassphrase, network)],
    ["hash", view.hash],
    ...row("fee source", view.feeSource),
    ["source", view.sourceAccount],
    ["fee", `at most ${grouped(view.feeBidStroops)} stroops${resources}`],
    ...row("inner fee", view.innerFeeStroops && `${grouped(view.innerFeeStroops)} stroops`),
    ["sequence", view.sequenceNumber],
    ...view.conditions.map(({ name, value }): [string, string] => [name, value]),
    ...signatureRows(view),
  ];
}

function signatureRows({ signatures }: SigningView): [string, string][] {
  if (signatures.length === 0) return [["signatures", "none yet"]];
  return signatures.map(({ transaction, hint, signer, holds, signature }, i) => {
    const who = signer ?? `a key with the hint ${hint}`;
    const wrong = holds === false ? ": INVALID on this network" : "";
    const unknown = holds === null ? ": not checked, the key is not in the transaction" : "";
    // The outer signature is over the inner ones too.
    const inner = transaction === "inner" ? ` (the inner transaction: ${signature})` : "";
    return [i === 0 ? "signed by" : "", `${who}${inner}${wrong}${unknown}`];
  });
}

function operationLines({ kind, sourceAccount, fields, call }: OperationView): string[] {
  return [
    ...wrap(kind, "  "),
    ...(sourceAccount === null ? [] : wrap(sourceAccount, "  on behalf of ")),
    ...fieldLines(fields, 4),
    ...(call === null ? [] : invocationLines(call, 2)),
  ];
}

function fieldLines(fields: readonly ViewField[], indent: number): string[] {
  return pairs(
    fields.map(({ name, value }) => [name, value]),
    indent,
  );
}

function invocationLines(invocation: NamedInvocation, depth: number): string[] {
  const { text, where } = invocationItem(invocation);
  const indent = " ".repeat(Math.min(2 * depth, 2 * DEEPEST_LEVEL + 2));
  const words = typeof text === "string" ? text : inWords(text);
  const lines = wrap(words, indent, indent.length + 4);
  return where === undefined ? lines : [...lines, ...wrap(where.name, `${indent}  in `)];
}

function authorizationLines(authorizations: readonly SigningAuthorization[]): string[] {
  if (authorizations.length === 0) return [];
  const lines = ["", "Authorizations"];
  const visit = ({ call, fields, calls }: SigningInvocation, level: number): void => {
    // Deeper lines are not indented further.
    const deep = level > DEEPEST_LEVEL ? wrap(`level ${level}:`, " ".repeat(2 * level)) : [];
    const shown = call === null ? [] : invocationLines(call, level + 1);
    const indent = Math.min(2 * level + 2, 2 * DEEPEST_LEVEL);
    const created = call === null ? wrap("create a contract", " ".repeat(indent)) : [];
    lines.push(...deep, ...shown, ...created, ...fieldLines(fields, indent + 2));
    for (const each of calls) visit(each, level + 1);
  };
  for (const authorization of authorizations) {
    lines.push(...wrap(headingOf(authorization), "  ", 4));
    lines.push(...fieldLines(authorization.fields, 6));
    visit(authorization.invocation, 1);
  }
  return lines;
}

const DEEPEST_LEVEL = 11;

function headingOf({
  signer,
  validUntilLedger,
  signatures,
  renewed,
}: SigningAuthorization): string {
  if (signer === null) return "the source account, by its signature";
  const valid = `valid until ledger ${validUntilLedger}`;
  const signed = signatureWords(signatures);
  if (renewed === null) return `${signer}, ${valid}, ${signed}`;
  const { untilLedger, when } = renewed;
  const now = `(now ledger ${validUntilLedger}, ${signed})`;
  const condition = when === "always" ? "" : ", if its own key signs";
  return `${signer}, valid until ledger ${untilLedger}${condition} ${now}`;
}

function signatureWords(signatures: SigningAuthorization["signatures"]): string {
  if (signatures === null) return "with a signature that only its contract can check";
  if (signatures.length === 0) return "not signed";
  return signatures
    .map(({ signer, holds }) =>
      holds ? `signed by ${signer}` : `its signature by ${signer} is INVALID on this network`,
    )
    .join(", ");
}
