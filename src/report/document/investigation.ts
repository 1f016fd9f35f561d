// An investigation as a document, top down: the outcome, the verdict, the cause and the fix, then
// what limits or contradicts the verdict, the details and the evidence. A section is one line here.

import type { Explanation, NamedAddress, ReplayedFact } from "../../model/explanation.ts";
import type { Finding } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { authorizationColumns } from "./authorizations.ts";
import { callItems, diagnosticItem, failedAfterReturn, invocationItem } from "./calls.ts";
import { changesBlock, eventsBlock, tokenBlocks } from "./changes.ts";
import {
  type Block,
  type Copyable,
  listOf,
  present,
  type ReportDocument,
  rowsOf,
  type Section,
  sentence,
  treeOf,
} from "./document.ts";
import { comparisonsBlock, provenanceBlocks } from "./evidence.ts";
import { fixSection } from "./fix.ts";
import { withNamedAddresses } from "./named-addresses.ts";
import { causeSections, caveatBlock, closedAt, differenceBlocks, headOf } from "./outcome.ts";
import { costsTable, feeBlocks, resourceBlocks } from "./usage.ts";
import { whatIfSections } from "./what-if.ts";

const SHOWN_CALLS = 200;
/** A report is read by people. Further rows are only in --json. */
const SHOWN_ADDRESSES = 60;

/** `full`: with every address in full, and so without a list of them. */
export function investigationDocument(given: Investigation, full: boolean): ReportDocument {
  const investigation = withNamedAddresses(given, full);
  const { explanation, remedy, conflict, execution, record } = investigation;
  const { cause, evidence, diagnosticCalls } = explanation;
  const supporting = [...(conflict === undefined ? [] : [conflict.summary]), ...evidence];
  const at =
    (level: Section["level"]) =>
    (id: string, title: string, ...body: Block[]) => ({
      id,
      title,
      level,
      body,
    });
  const [answer, details, proof] = [at("answer"), at("details"), at("evidence")];
  const replayed = (title: string, fact: ReplayedFact) =>
    explanation.replayOnly.includes(fact) ? `${title} (replay only)` : title;
  const sections: Section[] = [
    ...causeSections(cause, supporting, cause && remedy),
    answer("fix", "Fix", ...fixSection(investigation)),
    answer("difference", "Difference", ...differenceBlocks(investigation)),
    answer("caveats", "Caveats", caveatBlock(investigation)),
    answer("failed-runs", "Further runs that failed", listOf(investigation.caveats)),
    ...whatIfSections(investigation.whatIf),
    details("transaction", "Transaction", rowsOf(transactionRows(investigation))),
    {
      ...details("calls", replayed("Calls", "calls"), ...callBlocks(explanation)),
      empty: "No calls: nothing ran in the contract host.",
    },
    details("call", "Call (from the envelope)", ...invocationAlone(explanation)),
    details(
      "diagnostic-calls",
      "Calls (from a node's diagnostic events)",
      treeOf(diagnosticCalls.map(diagnosticItem), { most: SHOWN_CALLS, what: "calls" }),
    ),
    {
      ...details("authorization", "Authorization", authorizationColumns(investigation)),
      empty: "The transaction contains no authorizations.",
    },
    details(
      "resources",
      replayed("Resources", "resources"),
      ...resourceBlocks(explanation.resources),
    ),
    details("tokens", replayed("Token flow", "tokens"), ...tokenBlocks(explanation.tokens)),
    {
      ...details(
        "changes",
        replayed("State changes", "changes"),
        changesBlock(explanation.changes),
      ),
      empty:
        execution === null
          ? "Nothing was replayed, so no changes are listed."
          : "The contract host changed no ledger entry.",
    },
    {
      ...details("events", replayed("Events", "events"), eventsBlock(explanation.events)),
      empty:
        record.resultMetaXdr === null && execution === null
          ? "No source had the events, and nothing was replayed."
          : "No event was emitted.",
    },
    details("fees", "Fees", ...feeBlocks(explanation)),
    ...(full ? [] : [details("addresses", "Addresses", addressRows(explanation.addresses))]),
    { ...proof("costs", "Costs by type (replay)", costsTable(execution)), detail: "costs" },
    { ...proof("comparisons", "Comparisons", comparisonsBlock(investigation)), detail: "verbose" },
    {
      ...proof("inputs", "Input provenance", ...provenanceBlocks(investigation)),
      detail: "verbose",
    },
    { ...proof("xdr", "Raw XDR", ...xdrBlocks(investigation)), detail: "page" },
  ];
  return { head: headOf(investigation), sections };
}

/** With the expectations that failed; of a transaction that was not investigated, why. */
export function findingDocument(finding: Finding, full: boolean): ReportDocument {
  if (finding.kind === "unanswered") {
    const { code, message, remedy } = finding.error;
    const lines = message.split("\n").map((line) => sentence(line));
    const what = sentence(remedy, { label: "What to do", hangs: true });
    const head = { headline: `Not investigated [${code}]`, tone: "bad" as const };
    return { head: { ...head, body: [...lines, what] }, sections: [] };
  }
  const { head, sections } = investigationDocument(finding.investigation, full);
  const failed = finding.failedExpectations;
  if (failed === null) return { head, sections };
  const body =
    failed.length === 0
      ? sentence("All expectations passed.", { tone: "good" })
      : listOf(
          failed.map(({ origin, condition, message }) => `${origin} ${condition} - ${message}`),
        );
  const title = failed.length === 0 ? null : "Failed expectations";
  return {
    head,
    sections: [...sections, { id: "expectations", title, level: "answer", body: [body] }],
  };
}

function transactionRows({ record, explanation, execution }: Investigation): [string, string][] {
  const { transaction } = explanation;
  const { sourceAccount, operationSource, feeSource, feeBump } = transaction;
  const { ledger, applicationOrder } = record;
  const place = `${ledger.sequence}, transaction ${applicationOrder}, protocol ${ledger.protocolVersion}`;
  const closed = closedAt(ledger);
  const optional = (label: string, value: string | null) =>
    present(value, (each): [string, string] => [label, each]);
  return [
    ["hash", record.hash],
    ...optional("inner hash", record.innerHash),
    ["network", record.networkPassphrase],
    ["ledger", closed === null ? place : `${place}, closed ${closed}`],
    ["source", sourceAccount],
    ...optional("operation source", operationSource),
    ...optional("fee source", feeBump ? feeSource : null),
    ["result", [transaction.resultCode, ...transaction.operationCodes].join(", ")],
    ...optional(
      "host",
      execution && `soroban-env-host ${execution.host.crateVersion}, in the replay`,
    ),
  ];
}

function callBlocks(explanation: Explanation): Block[] {
  const { calls } = explanation;
  if (calls === null) return [];
  return [
    treeOf(callItems(calls), { most: SHOWN_CALLS, what: "calls" }),
    ...present(failedAfterReturn(explanation), (after) => sentence(after, { tone: "bad" })),
  ];
}

/** Empty when the calls that were made are known. */
function invocationAlone({ invocation, calls, diagnosticCalls }: Explanation): Block[] {
  if (calls !== null || diagnosticCalls.length > 0) return [];
  return present(invocation, (each) => treeOf([invocationItem(each)]));
}

function addressRows(addresses: readonly NamedAddress[]): Block {
  const rows = addresses.map(({ short, address, label }) => ({
    label: short,
    values: [address],
    note: label,
  }));
  return rowsOf(rows, { layout: "lines", most: SHOWN_ADDRESSES, what: "addresses" });
}

function xdrBlocks({ record }: Investigation): Copyable[] {
  const parts: readonly (readonly [string, string, string | null])[] = [
    ["TransactionEnvelope", "envelope", record.envelopeXdr],
    ["TransactionResult", "result", record.resultXdr],
    ["TransactionMeta", "meta", record.resultMetaXdr],
  ];
  return parts.flatMap(([title, name, xdr]) =>
    present(xdr, (text): Copyable => ({ kind: "copyable", id: `xdr-${name}`, title, text })),
  );
}
