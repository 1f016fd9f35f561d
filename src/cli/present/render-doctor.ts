// The report of svc doctor: simulator, nodes, settings with their origin. URLs are shown without
// secrets.

import { BUILD_INFO } from "../../base/build-info.ts";
import { originText } from "../../base/settings/origin.ts";
import { flagOf } from "../../base/settings/setting.ts";
import { counted } from "../../base/text/counted.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { durationInWords } from "../../base/text/time.ts";
import type { Examination, NodeFinding, Problem } from "../../debugger/setup/check-installation.ts";
import { NEWEST_PROTOCOL } from "../../model/protocols.ts";
import { LOCAL_HOSTS } from "../../model/transaction-url.ts";
import { atWidth, pairs, wrap } from "../../report/text/layout.ts";
import { openStyle } from "../../report/text/style.ts";
import { type Config, NETWORK_SETTINGS } from "../../sources/network-settings.ts";

type DoctorState = "ok" | "BROKEN" | "MISSING" | "";

/** The columns of the state and of the part that has it. */
const STATE = 9;
const SUBJECT = 19;

export function renderDoctorText(
  config: Config,
  examination: Examination,
  { color, columns }: { readonly color: boolean; readonly columns: number },
): string {
  const { simulator, simulatorProblem, recorderProblem, nodes, nodesProblem } = examination;
  const style = openStyle(color);
  const shownState = { ok: style.good, BROKEN: style.bad, MISSING: style.caution, "": String };
  const row = (state: DoctorState, subject: string, text: string) => {
    const [first = "", ...more] = wrap(text, " ".repeat(STATE + SUBJECT));
    const begin = `${shownState[state](state)}${" ".repeat(STATE - state.length)}`;
    return [`${begin}${subject.padEnd(SUBJECT)}${first.trimStart()}`, ...more];
  };
  const problemRows = (
    state: DoctorState,
    subject: string,
    where: string | null,
    problem: Problem,
  ) => {
    const messages = problem.message.split("\n");
    const isNamed = where === null || where === problem.node;
    const [first = "", ...more] = isNamed ? messages : [where, ...messages];
    const texts = [...more, `${problem.remedy} [${problem.code}]`];
    return [...row(state, subject, first), ...texts.flatMap((each) => row("", "", each.trim()))];
  };
  return atWidth(columns, () => {
    const problems = problemsOf(examination);
    const lines = wrap(headline(config, examination, problems)).map(
      problems.length === 0 ? style.good : style.bad,
    );
    lines.push(`svc ${BUILD_INFO.version} (commit ${BUILD_INFO.commit}, Bun ${Bun.version})`, "");
    if (simulator !== null) {
      const protocols = simulator.hosts.map((host) => host.protocol);
      lines.push(...row("ok", "svc-sim", `${simulator.version} at ${simulator.path}`));
      lines.push(
        ...row("", "", `runs protocols ${Math.min(...protocols)} to ${Math.max(...protocols)}`),
        ...row("", "", `svc reads ledgers up to protocol ${NEWEST_PROTOCOL}`),
      );
    }
    if (simulatorProblem !== null)
      lines.push(...problemRows("BROKEN", "svc-sim", null, simulatorProblem));
    if (recorderProblem !== null)
      lines.push(...problemRows("MISSING", "svc-sim-recording", null, recorderProblem));
    else if (simulator !== null)
      lines.push(...row("ok", "svc-sim-recording", "for `svc simulate`"));
    if (nodesProblem !== null) lines.push(...problemRows("BROKEN", "nodes", null, nodesProblem));
    for (const node of nodes) {
      const { kind, address, problem } = node;
      if (problem !== null) lines.push(...problemRows("BROKEN", kind, address, problem));
      else lines.push(...row("ok", kind, address), ...row("", "", describe(node)));
    }
    lines.push("", style.heading("Settings"));
    const settings = settingRows(config);
    lines.push(...pairs(settings.map(({ name, value, origin }) => [name, `${value} (${origin})`])));
    return `${lines.join("\n")}\n`;
  });
}

function headline({ networkName }: Config, { nodes }: Examination, problems: readonly string[]) {
  const isOffline =
    nodes.length > 1 && nodes.every(({ problem }) => problem?.code === "NETWORK_UNREACHABLE");
  if (problems.length === 0) return `Everything works, with the network ${networkName}.`;
  const isHere = nodes.every(({ address }) => LOCAL_HOSTS.test(address));
  const suspect = isHere ? "the network running" : "this machine offline";
  const offline = isOffline ? ` Is ${suspect}?` : "";
  return `${counted(problems.length, "problem")}: ${problems.join("; ")}.${offline}`;
}

/** The problems, each as a clause. */
function problemsOf(examination: Examination): string[] {
  const { simulatorProblem, recorderProblem, nodes, nodesProblem } = examination;
  const clauseOf = (problem: Problem | null, words: string) => (problem === null ? [] : [words]);
  return [
    ...clauseOf(simulatorProblem, "svc-sim cannot be used, so nothing can be replayed"),
    ...clauseOf(recorderProblem, "svc-sim-recording is missing, so `svc simulate` cannot run"),
    ...clauseOf(nodesProblem, "no node is set"),
    ...nodes.flatMap(({ kind, address, problem }) =>
      clauseOf(
        problem,
        problem?.code === "PROTOCOL_UNKNOWN"
          ? `svc is too old for the network of ${address}`
          : `${kind === "rpc" ? "RPC" : "Horizon"} ${address} does not work`,
      ),
    ),
  ];
}

export function renderDoctorJson(config: Config, examination: Examination): string {
  const settings = settingRows(config);
  const document = {
    format: 1,
    svc: { ...BUILD_INFO, bun: Bun.version },
    ...examination,
    settings,
  };
  return jsonDocument(document);
}

function describe({ status, latencyMilliseconds, protocolVersion }: NodeFinding): string {
  if (status === null) return `answers in ${durationInWords(latencyMilliseconds)}`;
  const { latestLedger, oldestLedger } = status;
  const parts = latestLedger === null ? [] : [`ledger ${latestLedger}`];
  if (latestLedger !== null && oldestLedger !== null)
    parts.push(`${latestLedger - oldestLedger + 1} ledgers from ${oldestLedger}`);
  if (protocolVersion !== null) parts.push(`protocol ${protocolVersion}`);
  parts.push(durationInWords(latencyMilliseconds));
  if (status.software !== null) parts.push(status.software);
  return parts.join(", ");
}

function settingRows(config: Config) {
  return Object.entries(NETWORK_SETTINGS).map(([name, { used }]) => ({
    name: flagOf(name).slice(2),
    value: used(config),
    origin: originText(config.origins[name as keyof typeof NETWORK_SETTINGS]),
  }));
}
