// What a person is about to sign. Nothing is cut.

import { grouped } from "../../base/text/grouped.ts";
import type {
  SigningAuthorization,
  SigningInvocation,
  SigningView,
  ViewField,
} from "../../model/signing-view.ts";
import { invocationItem } from "./calls.ts";
import {
  type Item,
  itemsOf,
  type ReportDocument,
  type Row,
  rowsOf,
  section,
  sentence,
} from "./document.ts";

/** Deeper lines are not indented further. */
const DEEPEST_LEVEL = 11;

/** `network`: its name, when it has one. */
export function signingDocument(view: SigningView, network: string): ReportDocument {
  const { operations, resources } = view;
  const sections = operations.flatMap((operation, i) => {
    const { kind, sourceAccount, fields, call, authorizations } = operation;
    return [
      section(`operation-${i + 1}`, `Operation ${i + 1} of ${operations.length}`, [
        kind,
        sourceAccount !== null && sentence(`on behalf of ${sourceAccount}`, { hangs: true }),
        rowsOf(fields.map(rowOf), { inner: true }),
        call && itemsOf("tree", [invocationItem(call)], { inner: true, whole: true }),
      ]),
      authorizationSection(authorizations),
    ];
  });
  const rows = rowsOf(transactionRows(view, network));
  const declared = section("resources", "Resources", rowsOf(resources.map(rowOf)));
  return {
    head: null,
    sections: [section("to-sign", "About to sign", rows), ...sections, declared],
  };
}

/** For authorization entries without the transaction that will contain them. */
export function authorizationsDocument(
  authorizations: readonly SigningAuthorization[],
  networkPassphrase: string,
  network: string,
): ReportDocument {
  const rows = rowsOf([["network", shownNetwork(networkPassphrase, network)]]);
  const title = "About to sign (only the entries for this signer)";
  const sections = [section("to-sign", title, rows), authorizationSection(authorizations)];
  return { head: null, sections };
}

function shownNetwork(passphrase: string, network: string): string {
  return `${passphrase}${network === "custom" ? "" : ` (${network})`}`;
}

function transactionRows(view: SigningView, network: string): (readonly [string, string | null])[] {
  const { resourceFeeStroops: resources, innerFeeStroops: inner } = view;
  const part = resources === null ? "" : `, including ${grouped(resources)} for resources`;
  return [
    ["network", shownNetwork(view.networkPassphrase, network)],
    ["hash", view.hash],
    ["fee source", view.feeSource],
    ["source", view.sourceAccount],
    ["fee", `at most ${grouped(view.feeBidStroops)} stroops${part}`],
    ["inner fee", inner && `${grouped(inner)} stroops`],
    ["sequence", view.sequenceNumber],
    ...view.conditions.map(conditionRow),
    ...signatureRows(view),
  ];
}

/** Bounds of time in the words of the reports. */
function conditionRow({ name, value, validity }: ViewField): [string, string] {
  if (validity === undefined) return [name, value];
  if (validity.end === "until") return ["valid until", value];
  return ["valid from", validity.isUnlimited ? "any time" : value];
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

function rowOf({ name, value }: ViewField): Row {
  return { label: name, values: [value] };
}

function authorizationSection(authorizations: readonly SigningAuthorization[]) {
  const items = authorizations.map((authorization) => ({
    text: headingOf(authorization),
    rows: authorization.fields.map(rowOf),
    below: invocationItems(authorization.invocation, 1),
  }));
  return section("authorizations", "Authorizations", itemsOf("tree", items, { whole: true }));
}

function invocationItems({ call, fields, calls }: SigningInvocation, level: number): Item[] {
  const own: Item = call === null ? { text: "create a contract" } : invocationItem(call);
  const below = calls.flatMap((each) => invocationItems(each, level + 1));
  const item = { ...own, rows: fields.map(rowOf), below };
  return level > DEEPEST_LEVEL ? [{ text: `level ${level}:` }, item] : [item];
}

function headingOf({
  signer,
  validUntilLedger,
  signatures,
  renewed,
}: SigningAuthorization): string {
  if (signer === null) return "the source account, by its signature";
  const valid = `valid until ledger ${grouped(validUntilLedger ?? 0)}`;
  const signed = signatureWords(signatures);
  if (renewed === null) return `${signer}, ${valid}, ${signed}`;
  const { untilLedger, when } = renewed;
  const now = `(now ledger ${grouped(validUntilLedger ?? 0)}, ${signed})`;
  const condition = when === "always" ? "" : ", if its own key signs";
  return `${signer}, valid until ledger ${grouped(untilLedger)}${condition} ${now}`;
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
