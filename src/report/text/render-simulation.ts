// The report of a simulation for people: what would happen and why, the authorizations to sign, the
// resources to declare, and the changes.

import { grouped } from "../../base/text/grouped.ts";
import type { Refusal, SimulationReport } from "../../model/simulation.ts";
import { authorizationLines } from "./authorizations.ts";
import { pairs, wrap } from "./layout.ts";
import { CAUSE_HEADINGS } from "./outcome.ts";
import type { TextOptions } from "./render-text.ts";
import { changeLines, eventLines } from "./state.ts";
import { openStyle } from "./style.ts";

export function renderSimulationText(report: SimulationReport, options: TextOptions): string {
  const style = openStyle(options.color);
  const { simulation, explanation } = report;
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [style.heading(heading), ...lines];
  const blocks = [
    outcomeLines(report),
    section("What keeps it from succeeding", refusalLines(report)),
    section("Restore first", restoreLines(report)),
    section("Authorizations to sign", authorizationLines(explanation.authorizations)),
    section("Resources to declare", [
      ...pairs(declaredRows(report)),
      ...insufficientInWords(report).flatMap((sentence) => wrap(sentence, "  ")),
    ]),
    section("State changes", [
      ...changeLines(explanation.changes),
      ...maybeRemovedInWords(report).flatMap((sentence) => wrap(sentence, "  ", 4)),
    ]),
    section("Events", eventLines(explanation.events)),
  ];
  if (options.verbose === true && explanation.outcome === "fails" && simulation.error !== null) {
    blocks.push(section("Host error", hostLines(simulation.error)));
  }
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function outcomeLines({ explanation }: SimulationReport): string[] {
  const { headline, cause, evidence, remedy, result } = explanation;
  return [
    ...wrap(headline),
    ...(result === null ? [] : wrap(result, "Result: ")),
    ...(cause === null ? [] : wrap(`${CAUSE_HEADINGS[cause.confidence]}: ${cause.summary}`)),
    ...evidence.flatMap((sentence) => wrap(sentence, "  - ")),
    ...(remedy === null ? [] : wrap(remedy, "Remedy: ")),
  ];
}

function refusalLines({ sending }: SimulationReport): string[] {
  return (sending?.refusals ?? []).flatMap((refusal) =>
    wrap(`${codeOf(refusal)}: ${refusal.detail}`, "  - "),
  );
}

/** With a mark where it is only likely. */
export function codeOf({ code, confidence }: Refusal): string {
  return confidence === "likely" ? `${code} (likely)` : code;
}

function restoreLines({ simulation, explanation }: SimulationReport): string[] {
  if (simulation.restorePreamble === null) return [];
  const { minResourceFeeStroops } = simulation.restorePreamble;
  return [
    ...wrap("These entries are archived. Send a RestoreFootprint transaction first.", "  "),
    ...explanation.restoreFirst.flatMap((key) => wrap(key, "    ")),
    ...pairs([["minimum resource fee", `${grouped(minResourceFeeStroops)} stroops`]]),
  ];
}

/** Empty where what the simulation reports suffices. */
export function insufficientInWords({ sending }: SimulationReport): string[] {
  const refusal = sending?.simulatedRefusal ?? null;
  return refusal === null ? [] : [`These do not suffice. ${refusal.detail}`];
}

export function maybeRemovedInWords({ explanation }: SimulationReport): string[] {
  return explanation.maybeRemoved.map(
    (key) => `removed, or as it was after a call whose error a contract caught: ${key}`,
  );
}

/** Empty when it would fail. */
export function declaredRows({
  simulation,
  explanation: { resources },
}: SimulationReport): [string, string][] {
  if (resources === null) return [];
  return [
    ["instructions", grouped(String(resources.instructions))],
    ["disk read bytes", grouped(String(resources.diskReadBytes))],
    ["write bytes", grouped(String(resources.writeBytes))],
    ["minimum resource fee", `${grouped(simulation.minResourceFeeStroops)} stroops`],
    ...resources.readOnly.map((key): [string, string] => ["reads", key]),
    ...resources.readWrite.map((key): [string, string] => [
      resources.restored.includes(key) ? "restores, writes" : "writes",
      key,
    ]),
  ];
}

function hostLines(error: string): string[] {
  return error
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => wrap(line.trim(), "  ", 4));
}
