// An investigation as a document, top down: the outcome, the verdict, the cause and the fix, then
// what limits or contradicts the verdict, the details and the evidence.

import { timeInWords } from "../../base/text/time.ts";
import type { Explanation, ReplayedFact } from "../../model/explanation.ts";
import type { Finding } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { authorizationColumns } from "./authorizations.ts";
import { callItems, diagnosticItem, failedAfterReturn, invocationItem } from "./calls.ts";
import { changesBlock, eventsBlock, tokenContent } from "./changes.ts";
import {
  blocks,
  type Content,
  itemsOf,
  type ReportDocument,
  rowsOf,
  type Section,
  section,
  sentence,
} from "./document.ts";
import { comparisonsBlock, provenanceContent } from "./evidence.ts";
import { fixSection } from "./fix.ts";
import { withNamedAddresses } from "./named-addresses.ts";
import { causeSections, caveatBlock, differenceContent, headOf } from "./outcome.ts";
import { costsTable, feeContent, resourceContent } from "./usage.ts";
import { whatIfSections } from "./what-if.ts";

/** A report is read by people. Further rows are only in --json. */
const CALLS = { most: 200, what: "calls" };
const ADDRESSES = { layout: "lines", most: 60, what: "addresses" } as const;

/** `full`: with every address in full, and so without a list of them. */
export function investigationDocument(given: Investigation, full: boolean): ReportDocument {
  const investigation = withNamedAddresses(given, full);
  const { explanation, remedy, conflict, execution, record, caveats } = investigation;
  const { cause, evidence, details, diagnosticCalls, changes, events, tokens, replayOnly } =
    explanation;
  const supporting = [...(conflict === undefined ? [] : [conflict.summary]), ...evidence];
  const replayed = (title: string, fact: ReplayedFact) =>
    replayOnly.includes(fact) ? `${title} (replay only)` : title;
  const answer = { level: "answer" } as const;
  const proof = { level: "evidence", detail: "verbose" } as const;
  const sections: Section[] = [
    ...causeSections(cause, supporting, cause && remedy, details),
    section("next", "Next", nextContent(investigation), answer),
    section("fix", "Fix", fixSection(investigation), answer),
    section("difference", "Difference", differenceContent(investigation), answer),
    section("caveats", "Caveats", caveatBlock(investigation), answer),
    section("failed-runs", "Further runs that failed", itemsOf("list", caveats), answer),
    ...whatIfSections(investigation.whatIf),
    section("transaction", "Transaction", rowsOf(transactionRows(investigation))),
    section("calls", replayed("Calls", "calls"), callContent(explanation), {
      empty: "No calls: nothing ran in the contract host.",
    }),
    section("call", "Call (from the envelope)", invocationAlone(explanation)),
    section(
      "diagnostic-calls",
      "Calls (from a node's diagnostic events)",
      itemsOf("tree", diagnosticCalls.map(diagnosticItem), CALLS),
    ),
    section("authorization", "Authorization", authorizationColumns(investigation), {
      empty: "The transaction contains no authorizations.",
    }),
    section("resources", replayed("Resources", "resources"), resourceContent(explanation)),
    section("tokens", replayed("Token flow", "tokens"), tokenContent(tokens)),
    section("changes", replayed("State changes", "changes"), changesBlock(changes), {
      empty:
        execution === null
          ? "Nothing was replayed, so no changes are listed."
          : "The contract host changed no ledger entry.",
    }),
    section("events", replayed("Events", "events"), eventsBlock(events), {
      empty:
        record.resultMetaXdr === null && execution === null
          ? "No source had the events, and nothing was replayed."
          : "No event was emitted.",
    }),
    section("fees", "Fees", feeContent(explanation)),
    section("addresses", "Addresses", !full && rowsOf(addressRows(explanation), ADDRESSES)),
    section("costs", "Costs by type (replay)", () => costsTable(execution), {
      ...proof,
      detail: "costs",
    }),
    section("comparisons", "Comparisons", () => comparisonsBlock(investigation), proof),
    section("inputs", "Input provenance", () => provenanceContent(investigation), proof),
    section("xdr", "Raw XDR", xdrContent(investigation), { ...proof, detail: "page" }),
  ];
  return { head: headOf(investigation), sections };
}

/** The expectations that failed come last. A transaction without investigation: why. */
export function findingDocument(finding: Finding, full: boolean): ReportDocument {
  if (finding.kind === "unanswered") {
    const { code, message, remedy } = finding.error;
    const what = sentence(remedy, { label: "What to do", hangs: true });
    const body = blocks([message.split("\n"), what]);
    return { head: { headline: `Not investigated [${code}]`, tone: "bad", body }, sections: [] };
  }
  const { head, sections } = investigationDocument(finding.investigation, full);
  const failed = finding.failedExpectations;
  if (failed === null) return { head, sections };
  const lines = failed.map(
    ({ origin, condition, message }) => `${origin} ${condition} - ${message}`,
  );
  const passed = sentence("All expectations passed.", { tone: "good" });
  const last =
    lines.length === 0
      ? section("expectations", null, passed, { level: "answer" })
      : section("expectations", "Failed expectations", itemsOf("list", lines), { level: "answer" });
  return { head, sections: [...sections, last] };
}

function nextContent({ explanation, next }: Investigation): Content {
  return [
    explanation.success && "Nothing to do: the transaction succeeded.",
    itemsOf(
      "list",
      next.map(({ command, purpose }) => `${purpose}: \`${command}\``),
    ),
  ];
}

function transactionRows({ record, explanation, execution }: Investigation) {
  const { transaction } = explanation;
  const { sourceAccount, operationSource, feeSource, feeBump } = transaction;
  const { sequence, protocolVersion, closeTimeUnixSeconds } = record.ledger;
  const place = `${sequence}, transaction ${record.applicationOrder}, protocol ${protocolVersion}`;
  return [
    ["hash", record.hash],
    ["inner hash", record.innerHash],
    ["network", record.networkPassphrase],
    ["ledger", `${place}, closed ${timeInWords(BigInt(closeTimeUnixSeconds))}`],
    ["source", sourceAccount],
    ["operation source", operationSource],
    ["fee source", feeBump ? feeSource : null],
    ["result", [transaction.resultCode, ...transaction.operationCodes].join(", ")],
    ["host", execution && `soroban-env-host ${execution.host.crateVersion}, in the replay`],
  ] as const;
}

function callContent(explanation: Explanation): Content {
  const { calls } = explanation;
  if (calls === null) return null;
  const after = failedAfterReturn(explanation);
  return [itemsOf("tree", callItems(calls), CALLS), after && sentence(after, { tone: "bad" })];
}

/** Empty when the calls that were made are known. */
function invocationAlone({ invocation, calls, diagnosticCalls }: Explanation): Content {
  const isKnown = calls !== null || diagnosticCalls.length > 0;
  return !isKnown && invocation && itemsOf("tree", [invocationItem(invocation)]);
}

function addressRows({ addresses }: Explanation) {
  return addresses.map(({ short, address, label }) => ({
    label: short,
    values: [address],
    note: label,
  }));
}

function xdrContent({ record }: Investigation): Content {
  const { envelopeXdr, resultXdr, resultMetaXdr } = record;
  const copy = (title: string, id: string, text: string | null) =>
    text !== null && ({ kind: "copyable", id, title, text } as const);
  return [
    copy("TransactionEnvelope", "xdr-envelope", envelopeXdr),
    copy("TransactionResult", "xdr-result", resultXdr),
    copy("TransactionMeta", "xdr-meta", resultMetaXdr),
  ];
}
