// Finds the cause of a failure that a node or a simulator reported only in words: an error of the
// host by its name, or the reason of a refused request.

import { cutVisibly, neutralise } from "../../base/text/neutralise.ts";
import type { CauseKind } from "../../model/cause-kinds.ts";
import { firstHostError } from "../host-messages/host-error-named.ts";
import { hostErrorInWords } from "../host-messages/host-errors.ts";
import type { CauseFinding } from "../words/found-cause.ts";

/** The kind of the cause of a refused simulation. */
export const SIMULATION_REFUSED = "simulation-refused" satisfies CauseKind;
const SHOWN_WORDS = 400;
const SHOWN_LINES = 4;

/** The cause. `kind` is used if the words name no error of the host. */
export function causeOfWords(error: string, kind: CauseKind): CauseFinding {
  const lines = error.split("\n").map((line) => cutVisibly(neutralise(line.trim()), SHOWN_WORDS));
  const [text = "", ...others] = lines.filter((line) => line !== "");
  const named = firstHostError(text);
  const shown = named === null ? others : others.filter((line) => /topics:\[error,/.test(line));
  // Nothing shows which of two things it is.
  const isUnclear = named?.type === "WasmVm" && named.code === "InvalidAction";
  return {
    by: "reported",
    kind: named === null ? kind : hostErrorInWords(named).kind,
    facts: {
      text,
      error: named,
      ofNetwork: kind === SIMULATION_REFUSED && named?.type === "Budget",
    },
    confidence: isUnclear ? "likely" : "known",
    evidence: shown
      .slice(0, SHOWN_LINES)
      .map((line) => ({ kind: "reported-line", text: line }) as const),
  };
}
