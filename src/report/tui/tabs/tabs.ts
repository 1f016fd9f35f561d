// The map of the tabs: investigation → outlines. A tab is one file `tab-*.ts` and one line here.

import type { Investigation } from "../../../model/investigation.ts";
import type { Headline, Tab } from "../state.ts";
import { authorizationOutline } from "./tab-authorization.ts";
import { callOutline } from "./tab-calls.ts";
import { eventOutline } from "./tab-events.ts";
import { resourceOutline } from "./tab-resources.ts";
import { stateOutline } from "./tab-state.ts";
import { verdictOutline } from "./tab-verdict.ts";

/** In the order of the keys 1, 2, … */
export function tabsOf(investigation: Investigation): Tab[] {
  return [
    { name: "Calls", outline: callOutline(investigation) },
    { name: "State", outline: stateOutline(investigation) },
    { name: "Events", outline: eventOutline(investigation) },
    { name: "Auth", outline: authorizationOutline(investigation) },
    { name: "Resources", outline: resourceOutline(investigation) },
    { name: "Verdict", outline: verdictOutline(investigation) },
  ];
}

export function headlineOf({ explanation, verdict, record }: Investigation): Headline {
  const { headline, success } = explanation;
  const sure = verdict === null ? "Not replayed" : `Verdict: ${verdict.kind}`;
  return { text: headline, verdict: sure, success, hash: record.hash };
}
