// The map of renderers: value × format → the complete text, with a newline at the end. Renderers
// draw and never decide. A format is one file and one line here.

import { phrased, SHELL } from "../base/phrase.ts";
import { jsonDocument } from "../base/text/json-document.ts";
import type { Findings } from "../model/finding.ts";
import type { AnswerExplanation, CodeExplanation } from "../model/node-answer.ts";
import type { SimulationReport } from "../model/simulation.ts";
import type { StateDiff, StateReport } from "../model/state/proven-state.ts";
import type { VerificationPlan } from "../model/verification/verification-plan.ts";
import type { Verification, VerificationNodes } from "../model/verification.ts";
import { answerDocument, codeDocument, codeListDocument } from "./document/answers.ts";
import type { ReportDocument } from "./document/document.ts";
import { simulationDocument } from "./document/simulation.ts";
import { stateDiffDocument, stateDocument } from "./document/state.ts";
import { verificationDocument } from "./document/verification.ts";
import { type DonePiece, pieceDocument, planDocument } from "./document/verification-pieces.ts";
import { renderGithub } from "./formats/github.ts";
import { renderFindingsJson, renderFixJson, renderFixXdr } from "./formats/json.ts";
import { renderJunit } from "./formats/junit.ts";
import { drawMarkdown, renderMarkdown } from "./formats/markdown.ts";
import { renderSarif, type SarifOptions } from "./formats/sarif.ts";
import type { RenderPageOptions } from "./html/page.ts";
import type { ReplayableParts } from "./html/replayable.ts";
import { renderPieceJson, renderVerificationJson } from "./json.ts";
import type { DebugFormat, FixFormat, ReportFormat } from "./report-format.ts";
import { renderSimulationJson } from "./simulation-json.ts";
import { drawText, type TextOptions } from "./text/draw.ts";
import { type ReportOptions, renderFindingsText, renderFixText } from "./text/render-text.ts";

type RenderOptions = ReportOptions &
  Pick<RenderPageOptions, "capsuleOf"> &
  SarifOptions & {
    /** The parts with which a page of one transaction runs svc (default: it runs nothing). */
    readonly parts?: ReplayableParts | null;
  };

export interface VerificationOptions extends TextOptions {
  /** The nodes that the shown commands name. */
  readonly nodes: VerificationNodes | null;
}

const ANSWERS_FORMAT = 1;

type Renderers<Value, Format extends DebugFormat, Options = RenderOptions> = Readonly<
  Record<Format, (value: Value, options: Options) => string | Promise<string>>
>;

function drawn<Value, Options extends TextOptions>(
  documentOf: (value: Value, options: Options) => ReportDocument,
) {
  return (value: Value, options: Options) => drawText(documentOf(value, options), options);
}

/** A page is half of what there is to load, so it is loaded for a page alone. */
export const FINDINGS_RENDERERS = {
  text: renderFindingsText,
  json: renderFindingsJson,
  markdown: renderMarkdown,
  html: async (findings: Findings, { parts = null, ...options }: RenderOptions) => {
    if (parts !== null) {
      const { renderReplayable } = await import("./html/replayable.ts");
      return renderReplayable(findings, options, parts);
    }
    const { renderPage } = await import("./html/page.ts");
    return renderPage(findings, options);
  },
  junit: renderJunit,
  sarif: renderSarif,
  github: renderGithub,
} satisfies Renderers<Findings, ReportFormat>;

/** Only the fixes. */
export const FIX_RENDERERS = {
  text: renderFixText,
  json: renderFixJson,
  xdr: renderFixXdr,
} satisfies Renderers<Findings, FixFormat>;

export const SIMULATION_RENDERERS = {
  text: drawn((report) => simulationDocument(report)),
  json: renderSimulationJson,
} satisfies Renderers<SimulationReport, "text" | "json">;

export const VERIFICATION_RENDERERS = {
  text: drawn((verification: Verification, { nodes }: VerificationOptions) =>
    verificationDocument(verification, nodes),
  ),
  json: renderVerificationJson,
  markdown: (verification, { nodes }) =>
    drawMarkdown("svc verify", verificationDocument(verification, nodes)),
  html: async (verification, { nodes }) => {
    const { renderDocumentPage } = await import("./html/document-page.ts");
    return renderDocumentPage("svc verify", verificationDocument(verification, nodes));
  },
} satisfies Renderers<Verification, "text" | "json" | "markdown" | "html", VerificationOptions>;

export const PLAN_RENDERERS = {
  text: drawn(planDocument),
  json: (plan) => jsonDocument({ format: 1, ...plan }),
} satisfies Renderers<VerificationPlan, "text" | "json">;

/** One piece of a verification. */
export const PIECE_RENDERERS = {
  text: drawn(pieceDocument),
  json: renderPieceJson,
} satisfies Renderers<DonePiece, "text" | "json">;

export const STATE_RENDERERS = {
  text: drawn(stateDocument),
  json: (report) => jsonDocument({ format: 1, ...report }),
} satisfies Renderers<StateReport, "text" | "json">;

export const STATE_DIFF_RENDERERS = {
  text: drawn(stateDiffDocument),
  json: (diff) => jsonDocument({ format: 1, ...diff }),
} satisfies Renderers<StateDiff, "text" | "json">;

/** One is a document of its own. */
export const CODE_RENDERERS = {
  text: (codes, options) => codes.map((code) => drawText(codeDocument(code), options)).join("\n"),
  json: (codes) => {
    const [code, ...others] = phrased(codes, SHELL);
    return jsonDocument({
      format: ANSWERS_FORMAT,
      ...(others.length === 0 ? code : { codes: [code, ...others] }),
    });
  },
} satisfies Renderers<readonly CodeExplanation[], "text" | "json">;

/** All that `svc explain --list` has. */
export const CODE_LIST_RENDERERS = {
  text: drawn(codeListDocument),
  json: (codes) => jsonDocument({ format: ANSWERS_FORMAT, codes: phrased(codes, SHELL) }),
} satisfies Renderers<readonly CodeExplanation[], "text" | "json">;

export const ANSWERS_RENDERERS = {
  text: (answers, options) =>
    answers.map((answer) => drawText(answerDocument(answer), options)).join("\n"),
  json: (answers) =>
    jsonDocument({
      format: ANSWERS_FORMAT,
      answers: phrased(answers, SHELL).map(({ reported: _, ...answer }) => answer),
    }),
} satisfies Renderers<readonly AnswerExplanation[], "text" | "json">;
