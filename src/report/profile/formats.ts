// The map of profile formats to file names and bytes. A format is one line here, and the function
// that renders it.

import { renderFolded } from "./folded.ts";
import { renderHtml } from "./html.ts";
import { renderPprof } from "./pprof.ts";
import { renderSpeedscope } from "./speedscope.ts";
import type { TransactionProfile } from "./transaction-profile.ts";

type ProfileFormat = "html" | "folded" | "speedscope" | "pprof";

interface FormatRow {
  /** The part of the file name after the transaction's hash. */
  readonly suffix: string;
  render(profile: TransactionProfile): string | Uint8Array;
}

export const PROFILE_FORMATS: Readonly<Record<ProfileFormat, FormatRow>> = {
  html: { suffix: ".flamegraph.html", render: renderHtml },
  folded: { suffix: ".folded", render: renderFolded },
  speedscope: { suffix: ".speedscope.json", render: renderSpeedscope },
  pprof: { suffix: ".pprof.pb.gz", render: renderPprof },
};
