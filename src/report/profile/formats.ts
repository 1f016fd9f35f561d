// The map of profile formats: format → file name and bytes. A format is one file and one line here.

import { renderFolded } from "./folded.ts";
import { renderHtml } from "./html.ts";
import { renderPprof } from "./pprof.ts";
import { renderSpeedscope } from "./speedscope.ts";
import type { TransactionProfile } from "./transaction-profile.ts";

export type ProfileFormat = "html" | "folded" | "speedscope" | "pprof";

interface Format {
  /** The part of the file name after the transaction's hash. */
  readonly suffix: string;
  render(profile: TransactionProfile): string | Uint8Array;
}

export const PROFILE_FORMATS: Readonly<Record<ProfileFormat, Format>> = {
  html: { suffix: ".flamegraph.html", render: renderHtml },
  folded: { suffix: ".folded", render: renderFolded },
  speedscope: { suffix: ".speedscope.json", render: renderSpeedscope },
  pprof: { suffix: ".pprof.pb.gz", render: renderPprof },
};
