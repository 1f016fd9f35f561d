// A simulation as a document: what would happen and why, the authorizations to sign, the resources
// to declare, and the changes.

import { grouped } from "../../base/text/grouped.ts";
import type { SimulationReport } from "../../model/simulation.ts";
import { authorizationTree } from "./authorizations.ts";
import { changesBlock, eventsBlock } from "./changes.ts";
import {
  type Block,
  type Copyable,
  type Head,
  listOf,
  present,
  type ReportDocument,
  type Row,
  rowsOf,
  type Section,
  sentence,
  treeOf,
} from "./document.ts";
import { CAUSE_HEADINGS } from "./outcome.ts";

export function simulationDocument(report: SimulationReport): ReportDocument {
  const { explanation, simulation, sending } = report;
  const refusals = (sending?.refusals ?? []).map(
    ({ code, confidence, detail }) =>
      `${confidence === "likely" ? `${code} (likely)` : code}: ${detail}`,
  );
  const section = (id: string, title: string, ...body: Block[]): Section => ({
    id,
    title,
    level: "details",
    body,
  });
  const maybeRemoved = explanation.maybeRemoved.map((key) =>
    sentence(`removed, or as it was after a call whose error a contract caught: ${key}`, {
      hangs: true,
    }),
  );
  const hostError = explanation.outcome === "fails" ? (simulation.error ?? "") : "";
  const hostLines = hostError.split("\n").map((line) => line.trim());
  return {
    head: headOf(report, refusals.length > 0),
    sections: [
      section("refusals", "What keeps it from succeeding", listOf(refusals)),
      section("restore", "Restore first", ...restoreBlocks(report)),
      section(
        "authorizations",
        "Authorizations to sign",
        authorizationTree(explanation.authorizations),
      ),
      section("resources", "Resources to declare", ...declaredBlocks(report)),
      section("changes", "State changes", changesBlock(explanation.changes), ...maybeRemoved),
      section("events", "Events", eventsBlock(explanation.events)),
      {
        ...section(
          "host-error",
          "Host error",
          ...hostLines.filter((line) => line !== "").map((line) => sentence(line, { hangs: true })),
        ),
        detail: "verbose",
      },
    ],
  };
}

function headOf({ explanation }: SimulationReport, refused: boolean): Head {
  const { outcome, headline, result, cause, evidence, remedy } = explanation;
  const fails = outcome === "fails" || refused;
  return {
    headline,
    tone: fails ? "bad" : outcome === "succeeds" ? "good" : "plain",
    body: [
      ...present(result, (each) => sentence(each, { label: "Result" })),
      ...present(cause, (each) => sentence(`${CAUSE_HEADINGS[each.confidence]}: ${each.summary}`)),
      listOf(evidence),
      ...present(remedy, (each) => sentence(each, { label: "Remedy" })),
    ],
  };
}

function restoreBlocks({ simulation, explanation }: SimulationReport): Block[] {
  const { restorePreamble } = simulation;
  if (restorePreamble === null) return [];
  const { minResourceFeeStroops, transactionDataXdr } = restorePreamble;
  return [
    sentence("These entries are archived. Send a RestoreFootprint transaction first."),
    treeOf(
      explanation.restoreFirst.map((text) => ({ text })),
      { inner: true },
    ),
    rowsOf([["minimum resource fee", `${grouped(minResourceFeeStroops)} stroops`]]),
    dataOf("restore-data", "SorobanTransactionData of that transaction", transactionDataXdr),
  ];
}

function dataOf(id: string, title: string, text: string): Copyable {
  return { kind: "copyable", id, title, text, detail: "page" };
}

/** Empty when it would fail. */
function declaredBlocks({ simulation, explanation, sending }: SimulationReport): Block[] {
  const { minResourceFeeStroops, transactionDataXdr } = simulation;
  const { resources } = explanation;
  const writes = (key: string) =>
    resources?.restored.includes(key) ? "restores, writes" : "writes";
  const rows: Row[] =
    resources === null
      ? []
      : [
          ["instructions", grouped(resources.instructions)],
          ["disk read bytes", grouped(resources.diskReadBytes)],
          ["write bytes", grouped(resources.writeBytes)],
          ["minimum resource fee", `${grouped(minResourceFeeStroops)} stroops`],
          ...resources.readOnly.map((key) => ["reads", key]),
          ...resources.readWrite.map((key) => [writes(key), key]),
        ].map(([label = "", value = ""]) => ({ label, values: [value] }));
  return [
    rowsOf(rows),
    ...present(sending?.simulatedRefusal ?? null, ({ detail }) =>
      sentence(`These do not suffice. ${detail}`),
    ),
    ...present(transactionDataXdr, (xdr) =>
      dataOf("transaction-data", "SorobanTransactionData", xdr),
    ),
  ];
}
