// The map of what can be drawn: value × format → the whole text, newline at the end included.
// Renderers draw and never decide. A format is one file and one line here.

import type { Investigation } from "../model/investigation.ts";
import type { Verification } from "../model/verification.ts";
import { renderJson, renderVerificationJson } from "./json.ts";
import { renderText, type TextOptions } from "./text/render-text.ts";
import { renderVerificationText } from "./text/render-verification.ts";

export type ReportFormat = "text" | "json";

type Renderers<Value> = Readonly<
  Record<ReportFormat, (value: Value, options: TextOptions) => string>
>;

export const INVESTIGATION_RENDERERS: Renderers<Investigation> = {
  text: renderText,
  json: renderJson,
};

export const VERIFICATION_RENDERERS: Renderers<Verification> = {
  text: renderVerificationText,
  json: renderVerificationJson,
};
