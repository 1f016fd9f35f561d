// What a page contains besides what it shows: the report for machines, the capsule, from which
// `svc debug --from page.html` runs again, and the flamegraph's data and page.

import type { Investigation } from "../../model/investigation.ts";
import { embeddedViewer, profileData } from "../profile/html.ts";
import { profileOf } from "../profile/transaction-profile.ts";
import { embeddedJson, html, type Markup, type Place, prose } from "./markup.ts";

/** `capsule`: the text of its file. `report`: the JSON document. */
export function embeddedMarkup(
  investigation: Investigation,
  report: unknown,
  capsule: string | null,
  { prefix }: Place,
): Markup {
  const { hash } = investigation.record;
  const profile = profileOf(investigation);
  return html`<script type="application/json" id="${prefix}report" data-file="${hash}.report.json"
>${embeddedJson(report)}</script>
${
  capsule !== null &&
  html`<script type="application/json" class="svc-capsule" id="${prefix}capsule"
data-file="${hash}.capsule.json">${embeddedJson(JSON.parse(capsule))}</script>`
}
${
  profile !== null &&
  html`<script type="application/json" id="${prefix}profile"
>${embeddedJson(profileData(profile))}</script>`
}`;
}

/** Once in a page, for all its transactions. */
export function viewerMarkup(): Markup {
  return html`<script type="application/json" id="viewer">${embeddedJson(embeddedViewer())}</script>`;
}

/** The place of the flamegraph, and the sentence that says what it separates; null: no profile. */
export function flamegraphMarkup(investigation: Investigation, { prefix }: Place): Markup | null {
  const profile = profileOf(investigation);
  if (profile === null) return null;
  return html`<div class="flamegraph" data-profile="${prefix}profile"
><noscript><p class="soft">The flamegraph is drawn by a script, and scripts are turned off.</p></noscript></div>
<p class="soft">${prose(profile.functions)}</p>`;
}
