// A simulation as a document: what would happen and why, the authorizations to sign, the resources
// to declare, and the changes.

import { type Audience, flag, phrase, phraseFor, SHELL } from "../../base/phrase.ts";
import { grouped } from "../../base/text/grouped.ts";
import { listed } from "../../base/text/listed.ts";
import type { SimulationExplanation, SimulationReport } from "../../model/simulation.ts";
import { authorizationTree } from "./authorizations.ts";
import { callItems, diagnosticItem, logContent } from "./calls.ts";
import { changesBlock, eventsBlock } from "./changes.ts";
import {
  blocks,
  type Content,
  type Copyable,
  type Head,
  itemsOf,
  type ReportDocument,
  rowsOf,
  section,
  sentence,
} from "./document.ts";
import { openersOf } from "./fix.ts";
import { named } from "./named-addresses.ts";
import { CAUSE_HEADINGS } from "./outcome.ts";

export function simulationDocument(
  report: SimulationReport,
  audience: Audience = SHELL,
): ReportDocument {
  const { explanation, simulation, sending } = report;
  const refusals = (sending?.refusals ?? []).map(
    ({ code, confidence, detail }) =>
      `${confidence === "likely" ? `${code} (likely)` : code}: ${phraseFor(detail, audience)}`,
  );
  const maybeRemoved = explanation.maybeRemoved.map((key) =>
    sentence(`removed or unchanged, because a contract caught the error of a call: ${key}`, {
      hangs: true,
    }),
  );
  const hostError = explanation.outcome === "fails" ? (simulation.error ?? "") : "";
  const hostLines = hostError
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => sentence(line.trim(), { hangs: true }));
  const { authorizations, changes, events, addresses } = explanation;
  // Other sections have the addresses in full.
  const called = named(explanation, addresses);
  return {
    head: headOf(report, refusals.length > 0, audience),
    sections: [
      section("refusals", "Problems to fix before sending", itemsOf("list", refusals)),
      section("unchecked", "Not checked", uncheckedContent(sending, audience)),
      section("restore", "Restore first", restoreContent(report)),
      section("authorizations", "Authorizations to sign", authorizationTree(authorizations)),
      section("resources", "Resources to declare", declaredContent(report, audience)),
      section("changes", "State changes", [changesBlock(changes), maybeRemoved]),
      section("calls", "Calls", callContent(called)),
      section("logs", "Contract logs", logContent(called.logs)),
      section("events", "Events", eventsBlock(events)),
      section("host-error", "Host error", hostLines, { detail: "messages" }),
    ],
  };
}

function uncheckedContent(sending: SimulationReport["sending"], audience: Audience): Content {
  const { unchecked: names = [], waived = [] } = sending ?? {};
  const signers = waived.length === 0 ? null : waivedInWords(waived);
  if (names.length === 0) return signers === null ? [] : [signers];
  const settings = names.length === 1 ? "this setting" : "these settings";
  const unchecked = phrase`The node did not return ${listed(names, "and")}. So svc did not check the transaction against ${settings}. Set another node with ${flag("rpcUrl")}; an offline fork of a capsule has only what its transaction needed.`;
  return [sentence(phraseFor(unchecked, audience)), ...(signers === null ? [] : [signers])];
}

function waivedInWords(waived: readonly string[]) {
  return sentence(
    `The node says that it is a fork that needs no signatures of ${listed(waived, "and")}. A network ` +
      "would refuse the transaction without them (txBadAuth).",
  );
}

function headOf({ explanation }: SimulationReport, refused: boolean, audience: Audience): Head {
  const { outcome, headline, result, cause, evidence, remedy } = explanation;
  const fails = outcome === "fails" || refused;
  return {
    headline,
    tone: fails ? "bad" : outcome === "succeeds" ? "good" : "plain",
    body: blocks([
      result !== null && sentence(result, { label: "Result" }),
      cause && `${CAUSE_HEADINGS[cause.confidence]}: ${cause.summary}`,
      itemsOf("list", evidence),
      remedy && sentence(phraseFor(remedy, audience), { label: "Remedy" }),
    ]),
  };
}

const CALLS = { brief: 6, most: 200, noun: ["call", "calls"] } as const;

function callContent({ calls, trace }: SimulationExplanation): Content {
  const where = trace === null ? WITHOUT_STORAGE : IN_NEXT_LEDGER;
  const items = trace === null ? calls.map(diagnosticItem) : callItems(trace);
  if (items.length === 0) return null;
  return [itemsOf("tree", items, CALLS), sentence(where, { tone: "faint", detail: "trace" })];
}

const IN_NEXT_LEDGER =
  "These calls are from a run in the next ledger, with what the simulation reports.";
const WITHOUT_STORAGE =
  "Storage and authorizations are not shown: svc can run only a transaction that has every " +
  "signature and would succeed with what it declares.";

function restoreContent({ simulation, explanation }: SimulationReport): Content {
  const { restorePreamble } = simulation;
  if (restorePreamble === null) return null;
  const { minResourceFeeStroops, transactionDataXdr } = restorePreamble;
  return [
    "These entries are archived. Send a RestoreFootprint transaction first.",
    itemsOf("tree", explanation.restoreFirst, { inner: true }),
    rowsOf([["minimum resource fee", `${grouped(minResourceFeeStroops)} stroops`]]),
    dataOf("restore-data", "SorobanTransactionData of that transaction", transactionDataXdr),
  ];
}

function dataOf(id: string, title: string, text: string): Copyable {
  return { kind: "copyable", id, title, text, detail: "page" };
}

/** Empty when it would fail. */
function declaredContent(
  { networkPassphrase, simulation, explanation, sending, envelopeToSignXdr }: SimulationReport,
  audience: Audience,
): Content {
  const { minResourceFeeStroops, transactionDataXdr: xdr } = simulation;
  const { resources } = explanation;
  const refusal = sending?.simulatedRefusal;
  return [
    resources &&
      rowsOf([
        ["instructions", grouped(resources.instructions)],
        ["disk read bytes", grouped(resources.diskReadBytes)],
        ["write bytes", grouped(resources.writeBytes)],
        ["minimum resource fee", `${grouped(minResourceFeeStroops)} stroops`],
        ...resources.readOnly.map((key) => ["reads", key] as const),
        ...resources.readWrite.map((key) => {
          const label = resources.restored.includes(key) ? "restores, writes" : "writes";
          return [label, key] as const;
        }),
      ]),
    refusal && `The simulated resources are not enough. ${phraseFor(refusal.detail, audience)}`,
    xdr !== null && dataOf("transaction-data", "SorobanTransactionData", xdr),
    envelopeToSignXdr !== null && {
      ...dataOf("to-sign", "Envelope with these resources. Sign and send:", envelopeToSignXdr),
      openers: openersOf(envelopeToSignXdr, networkPassphrase),
    },
  ];
}
