// The report of svc doctor: simulator, nodes, settings with their origin. URLs are shown without
// secrets.

import { BUILD_INFO } from "../../base/build-info.ts";
import { flagOf } from "../../base/settings/setting.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { Examination, NodeFinding, Problem } from "../../debugger/setup/check-installation.ts";
import { type Config, NETWORK_SETTINGS } from "../../sources/network-settings.ts";

export function renderDoctorText(config: Config, examination: Examination): string {
  const { simulator, simulatorProblem, recorderProblem, nodes, nodesProblem } = examination;
  const lines = [`svc ${BUILD_INFO.version} (commit ${BUILD_INFO.commit}, Bun ${BUILD_INFO.bun})`];
  lines.push("");
  if (simulator !== null) {
    const protocols = simulator.hosts.map((host) => host.protocol);
    lines.push(row("ok", "svc-sim", `${simulator.version} at ${simulator.path}`));
    lines.push(row("", "", `protocols ${Math.min(...protocols)} to ${Math.max(...protocols)}`));
  }
  if (simulatorProblem !== null) lines.push(...problemRows("svc-sim", "", simulatorProblem));
  if (recorderProblem !== null)
    lines.push(...problemRows("simulate", "", recorderProblem, "MISSING"));
  if (nodesProblem !== null) lines.push(...problemRows("nodes", "", nodesProblem));
  for (const node of nodes) {
    if (node.problem !== null) lines.push(...problemRows(node.kind, node.address, node.problem));
    else lines.push(row("ok", node.kind, node.address), row("", "", describe(node)));
  }
  lines.push("", "settings");
  for (const { name, value, origin } of settingRows(config))
    lines.push(`  ${name.padEnd(18)} ${neutralise(value)} (${neutralise(origin)})`);
  return `${lines.join("\n")}\n`;
}

export function renderDoctorJson(config: Config, examination: Examination): string {
  const settings = settingRows(config);
  const document = { format: 1, svc: BUILD_INFO, ...examination, settings };
  return jsonDocument(document);
}

function describe({ status, latencyMilliseconds }: NodeFinding): string {
  if (status === null) return `answers in ${latencyMilliseconds} ms`;
  const { latestLedger, oldestLedger } = status;
  const parts = latestLedger === null ? [] : [`ledger ${latestLedger}`];
  if (latestLedger !== null && oldestLedger !== null)
    parts.push(`${latestLedger - oldestLedger + 1} ledgers from ${oldestLedger}`);
  parts.push(`${latencyMilliseconds} ms`);
  if (status.software !== null) parts.push(status.software);
  return parts.join(", ");
}

function problemRows(what: string, where: string, problem: Problem, state = "BROKEN"): string[] {
  const [first = "", ...rest] = problem.message.split("\n");
  const lines = where === "" ? [] : [row(state, what, where)];
  lines.push(row(where === "" ? state : "", where === "" ? what : "", first));
  lines.push(...rest.map((text) => row("", "", text)));
  lines.push(row("", "", `${problem.remedy} [${problem.code}]`));
  return lines;
}

function row(state: string, what: string, text: string): string {
  return `${state.padEnd(7)} ${what.padEnd(8)} ${neutralise(text)}`;
}

function settingRows(config: Config) {
  return Object.entries(NETWORK_SETTINGS).map(([name, { used }]) => ({
    name: flagOf(name).slice(2),
    value: used(config),
    origin: config.origins[name as keyof typeof NETWORK_SETTINGS],
  }));
}
