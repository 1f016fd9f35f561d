// The cause of a failure that a node or a simulator reported in words only: an error of the host by
// its name, or whatever the request was refused for.

import { cutVisibly, neutralise } from "../../base/text/neutralise.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import type { CauseKind } from "../../model/cause-kinds.ts";
import { showError } from "../../xdr/values/value-text.ts";
import { hostErrorNamed } from "../host-messages/host-error-named.ts";
import { hostErrorInWords } from "../host-messages/host-errors.ts";
import type { CauseFacts } from "./failure.ts";
import { networkRemedyOf } from "./limits.ts";

/** The kind of a cause of a simulation. */
export const SIMULATION_REFUSED = "simulation-refused" satisfies CauseKind;
const SHOWN_WORDS = 400;
const SHOWN_LINES = 4;

/** `kind`: of the cause, where the words name no error of the host. */
export function causeOfWords(error: string, kind: CauseKind): CauseFacts {
  const lines = error.split("\n").map((line) => cutVisibly(neutralise(line.trim()), SHOWN_WORDS));
  const [summary = "", ...others] = lines.filter((line) => line !== "");
  const named = hostErrorNamed(/Error\(\w{1,16}, ?#?\w{1,20}\)/.exec(summary)?.[0] ?? "");
  if (named === null) {
    const cause = { kind, summary, confidence: "known" } as const;
    return { cause, evidence: others.slice(0, SHOWN_LINES), remedy: null };
  }
  const host = hostErrorInWords(named);
  const evidence = others.filter((line) => /topics:\[error,/.test(line)).slice(0, SHOWN_LINES);
  const cause = {
    kind: host.kind,
    summary: `${showError(named)}: ${sentenceStart(host.words)}.`,
    // Which of two things it is, nothing shows.
    confidence: named.type === "WasmVm" && named.code === "InvalidAction" ? "likely" : "known",
  } as const;
  const onlyNetwork = kind === SIMULATION_REFUSED && named.type === "Budget";
  return { cause, evidence, remedy: onlyNetwork ? networkRemedyOf() : host.remedy };
}
