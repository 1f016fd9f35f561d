// svc verify merge --format html: one page for a verification.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import type {
  NotExact,
  StateMismatch,
  VerdictCounts,
  Verification,
  VerificationNodes,
} from "../../model/verification.ts";
import { debugCommand } from "../debug-command.ts";
import { headlineOf, VERDICT_KINDS } from "../verification/render-verification.ts";
import { pageMarkup } from "./frame.ts";
import {
  copyable,
  html,
  limited,
  type Markup,
  type Section,
  sectionMarkup,
  tableMarkup,
} from "./markup.ts";

const SHOWN = 100;
const PLACE = { prefix: "", level: 1 } as const;

export function renderVerificationPage(
  verification: Verification,
  nodes: VerificationNodes | null,
): string {
  const { verdicts, transactions, stateMismatches } = verification;
  const wrong = verdicts.diverged > 0 || stateMismatches > 0;
  const tone = wrong ? "failed" : verdicts.exact === transactions ? "succeeded" : "caution";
  const headline = headlineOf(verification);
  const sections = sectionsOf(verification, nodes).filter(({ body }) => body !== null);
  return pageMarkup({
    title: `${headline} · svc`,
    body: html`<header class="top"><span class="name">svc verify</span>
<button type="button" id="theme" hidden>Dark</button></header>
<main><article><header class="outcome ${tone}"><h1>${headline}</h1>
<p>${factsOf(verification)}</p></header>
<div class="sections">${sections.map((section) => sectionMarkup(section, PLACE))}</div></article></main>`,
  });
}

function factsOf(verification: Verification): string {
  const { inputs, ledgers, classicTransactions, refusedTransactions } = verification;
  const [only] = inputs;
  const what = inputs.length === 1 ? only : counted(inputs.length, "file");
  return (
    `${what}: ${counted(ledgers, "ledger")} read. Not replayed: ${grouped(classicTransactions)} classic, ` +
    `${grouped(refusedTransactions)} refused before the contract host ran.`
  );
}

function sectionsOf(verification: Verification, nodes: VerificationNodes | null): Section[] {
  const { byProtocol, verdicts, byCause, byContract, firstOfEach } = verification;
  const { mismatches, notExact } = verification;
  const protocols = Object.keys(byProtocol).sort((a, b) => Number(a) - Number(b));
  const rows = protocols.map((name) => rowOf(`protocol ${name}`, byProtocol[name] ?? verdicts));
  const head = ["", ...VERDICT_KINDS];
  return [
    {
      id: "verdicts",
      title: "Verdicts",
      body: tableMarkup("Verdicts", head, [...rows, rowOf("all", verdicts)], "numbers"),
    },
    {
      id: "first",
      title: "First of each kind",
      body: listOf(firstOfEach, (one) => firstMarkup(one, nodes)),
    },
    { id: "state", title: "Corrupted state", body: listOf(mismatches, mismatchMarkup) },
    { id: "causes", title: "Causes", body: countsMarkup("Cause", byCause) },
    {
      id: "contracts",
      title: "Contracts with transactions that are not exact",
      body: countsMarkup("Contract", byContract),
    },
    {
      id: "transactions",
      title: "Transactions that are not exact",
      folded: true,
      body: listOf(notExact, notExactMarkup),
    },
  ];
}

function rowOf(name: string, counts: VerdictCounts): string[] {
  return [name, ...VERDICT_KINDS.map((kind) => grouped(counts[kind]))];
}

function listOf<Row>(rows: readonly Row[], draw: (row: Row) => Markup): Markup | null {
  return rows.length === 0 ? null : html`<div>${limited(rows, SHOWN, "of them", draw)}</div>`;
}

function countsMarkup(what: string, counts: Readonly<Record<string, number>>): Markup | null {
  const rows = Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([name, many]) => [name, grouped(many)]);
  return rows.length === 0 ? null : tableMarkup(what, [what, "transactions"], rows, "numbers");
}

function firstMarkup(one: NotExact, nodes: VerificationNodes | null): Markup {
  const label = `${one.verdict}: ${one.cause}, in ledger ${one.ledger}`;
  return copyable(label, debugCommand(one, nodes), `command-${one.hash}-${one.verdict}`);
}

function mismatchMarkup({ kind, ledger, key, folded, onChain }: StateMismatch): Markup {
  return html`<p><strong>Ledger ${ledger} ${kind === "restored" ? "restores" : "loads"}
${key}</strong></p><p>On chain: <code>${onChain ?? "absent"}</code></p>
<p>By the ledgers before: <code>${folded ?? "absent"}</code></p>`;
}

function notExactMarkup({ hash, verdict, ledger, applicationOrder, detail }: NotExact): Markup {
  return html`<p><code>${hash}</code> ${verdict}, ledger ${ledger}, transaction
${applicationOrder}</p><p>${detail}</p>`;
}
