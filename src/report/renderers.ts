// The map of renderers: value × format → the complete text, with a newline at the end. Renderers
// draw and never decide. A format is one file and one line here.

import type { Findings } from "../model/finding.ts";
import type { SimulationReport } from "../model/simulation.ts";
import type { Verification } from "../model/verification.ts";
import type { VerificationPlan } from "../model/verification-plan.ts";
import { renderFixJson, renderFixText } from "./findings/fix.ts";
import { renderGithub } from "./findings/github.ts";
import { renderFindingsJson } from "./findings/json.ts";
import { renderJunit } from "./findings/junit.ts";
import { renderMarkdown } from "./findings/markdown.ts";
import { renderSarif } from "./findings/sarif.ts";
import { renderFindingsText } from "./findings/text.ts";
import { document, renderPieceJson, renderVerificationJson } from "./json.ts";
import type { ReportFormat } from "./report-format.ts";
import { renderSimulationJson } from "./simulation-json.ts";
import { type DonePiece, renderPieceText } from "./text/render-piece.ts";
import { renderPlanText } from "./text/render-plan.ts";
import { renderSimulationText } from "./text/render-simulation.ts";
import type { TextOptions } from "./text/render-text.ts";
import { renderVerificationText } from "./text/render-verification.ts";
import { renderVerificationMarkdown } from "./verification-markdown.ts";

type Renderers<Value, Format extends ReportFormat> = Readonly<
  Record<Format, (value: Value, options: TextOptions) => string>
>;

export const FINDINGS_RENDERERS: Renderers<Findings, ReportFormat> = {
  text: renderFindingsText,
  json: renderFindingsJson,
  markdown: renderMarkdown,
  junit: renderJunit,
  sarif: renderSarif,
  github: renderGithub,
};

/** Only the fixes. */
export const FIX_RENDERERS: Renderers<Findings, "text" | "json"> = {
  text: renderFixText,
  json: renderFixJson,
};

export const SIMULATION_RENDERERS: Renderers<SimulationReport, "text" | "json"> = {
  text: renderSimulationText,
  json: renderSimulationJson,
};

export const VERIFICATION_RENDERERS: Renderers<Verification, "text" | "json" | "markdown"> = {
  text: renderVerificationText,
  json: renderVerificationJson,
  markdown: renderVerificationMarkdown,
};

export const PLAN_RENDERERS: Renderers<VerificationPlan, "text" | "json"> = {
  text: renderPlanText,
  json: (plan) => document({ format: 1, ...plan }),
};

/** One piece of a verification. */
export const PIECE_RENDERERS: Renderers<DonePiece, "text" | "json"> = {
  text: renderPieceText,
  json: renderPieceJson,
};
