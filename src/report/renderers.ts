// The map of renderers: value × format → the complete text, with a newline at the end. Renderers
// draw and never decide. A format is one file and one line here.

import { jsonDocument } from "../base/text/json-document.ts";
import type { Findings } from "../model/finding.ts";
import type { AnswerExplanation, CodeExplanation } from "../model/node-answer.ts";
import type { SimulationReport } from "../model/simulation.ts";
import type { Verification } from "../model/verification.ts";
import type { VerificationPlan } from "../model/verification-piece.ts";
import { renderFixJson, renderFixText } from "./findings/fix.ts";
import { renderGithub } from "./findings/github.ts";
import { renderFindingsJson } from "./findings/json.ts";
import { renderJunit } from "./findings/junit.ts";
import { renderMarkdown } from "./findings/markdown.ts";
import { renderSarif } from "./findings/sarif.ts";
import { renderFindingsText } from "./findings/text.ts";
import type { PageOptions } from "./html/page.ts";
import { renderPieceJson, renderVerificationJson } from "./json.ts";
import type { ReportFormat } from "./report-format.ts";
import { renderSimulationJson } from "./simulation-json.ts";
import { atWidth } from "./text/layout.ts";
import { renderAnswersText, renderCodeText } from "./text/render-answers.ts";
import { renderSimulationText } from "./text/render-simulation.ts";
import type { TextOptions } from "./text/render-text.ts";
import { renderVerificationMarkdown } from "./verification/render-markdown.ts";
import { type DonePiece, renderPieceText } from "./verification/render-piece.ts";
import { renderPlanText } from "./verification/render-plan.ts";
import {
  renderVerificationText,
  type VerificationOptions,
} from "./verification/render-verification.ts";

type RenderOptions = TextOptions & Pick<PageOptions, "capsuleOf">;

const ANSWERS_FORMAT = 1;

type Renderers<Value, Format extends ReportFormat> = Readonly<
  Record<Format, (value: Value, options: RenderOptions) => string>
>;

/** Lines as wide as the terminal. */
function fitted<Value, Options extends TextOptions>(
  render: (value: Value, options: Options) => string,
) {
  return (value: Value, options: Options) => atWidth(options.columns, () => render(value, options));
}

/** A page is half of what there is to load, so it is loaded for a page alone. */
export const FINDINGS_RENDERERS: Renderers<Findings, Exclude<ReportFormat, "html">> & {
  readonly html: (findings: Findings, options: RenderOptions) => Promise<string>;
} = {
  text: fitted(renderFindingsText),
  json: renderFindingsJson,
  markdown: renderMarkdown,
  html: async (findings, options) => {
    const { renderPage } = await import("./html/page.ts");
    return renderPage(findings, options);
  },
  junit: renderJunit,
  sarif: renderSarif,
  github: renderGithub,
};

/** Only the fixes. */
export const FIX_RENDERERS: Renderers<Findings, "text" | "json"> = {
  text: fitted(renderFixText),
  json: renderFixJson,
};

export const SIMULATION_RENDERERS: Renderers<SimulationReport, "text" | "json"> = {
  text: fitted(renderSimulationText),
  json: renderSimulationJson,
};

export const VERIFICATION_RENDERERS: Readonly<
  Record<
    "text" | "json" | "markdown" | "html",
    (value: Verification, options: VerificationOptions) => string | Promise<string>
  >
> = {
  text: fitted(renderVerificationText),
  json: renderVerificationJson,
  markdown: renderVerificationMarkdown,
  html: async (verification, { nodes }) => {
    const { renderVerificationPage } = await import("./html/verification.ts");
    return renderVerificationPage(verification, nodes);
  },
};

export const PLAN_RENDERERS: Renderers<VerificationPlan, "text" | "json"> = {
  text: fitted(renderPlanText),
  json: (plan) => jsonDocument({ format: 1, ...plan }),
};

/** One piece of a verification. */
export const PIECE_RENDERERS: Renderers<DonePiece, "text" | "json"> = {
  text: fitted(renderPieceText),
  json: renderPieceJson,
};

export const CODE_RENDERERS: Renderers<CodeExplanation, "text" | "json"> = {
  text: fitted(renderCodeText),
  json: (code) => jsonDocument({ format: ANSWERS_FORMAT, ...code }),
};

export const ANSWERS_RENDERERS: Renderers<readonly AnswerExplanation[], "text" | "json"> = {
  text: fitted(renderAnswersText),
  json: (answers) => jsonDocument({ format: ANSWERS_FORMAT, answers }),
};
