// The parts with which a page runs svc in itself: the core and svc-sim as texts, the script that
// starts them in a worker, and the elements that this script fills. `svc.html` has them without a
// transaction, and a report that replays itself has them beside its own content.

import type { Findings } from "../../model/finding.ts";
// @ts-expect-error: TypeScript has no imports of text
import replayableScript from "./assets/replayable.js" with { type: "text" };
import { viewerMarkup } from "./embedded.ts";
import { type MoreScript, pageMarkup } from "./frame.ts";
import { html, type Markup, ownCode } from "./markup.ts";
import { pageContent, type RenderPageOptions } from "./page.ts";
import { CHANGES_SCRIPT, whatIfForm } from "./what-if.ts";

/** svc as a page has it. */
export interface ReplayableParts {
  /** The script of the worker, compressed with gzip, as base64. */
  readonly core: string;
  /** svc-sim as a module, compressed with zstd, as base64. */
  readonly module: string;
  /** The version of svc. */
  readonly version: string;
}

/** svc-sim-recording, for a page that asks nodes. It is compressed as the module is. */
export function recorderMarkup(recordingModule: string): Markup {
  return html`<script type="text/plain" id="recorder">${ownCode(recordingModule)}</script>`;
}

/** The script of a page that runs svc. `connect`: the hosts that the page may ask. */
export function replayableScriptFor(connect: string | null): MoreScript {
  return { code: `${CHANGES_SCRIPT}\n${replayableScript}`, connect, runsModule: true };
}

export function partsMarkup({ core, module, version }: ReplayableParts): Markup {
  return html`<script type="text/plain" id="core" data-version="${version}">${ownCode(core)}</script>
<script type="text/plain" id="module">${ownCode(module)}</script>`;
}

const PARTS =
  /<script type="text\/plain" id="core" data-version="([\w.+-]+)">([\w+/=]+)<\/script>\s*<script type="text\/plain" id="module">([\w+/=]+)<\/script>/;

/** Returns the parts of svc.html. Throws an Error if they are incomplete. */
export function partsOfPage(page: string): ReplayableParts {
  const [, version, core, module] = PARTS.exec(page) ?? [];
  if (version === undefined || core === undefined || module === undefined)
    throw new Error("svc.html is incomplete");
  return { version, core, module };
}

/** Shows the work that runs, and stops it. It stays in sight during the work. */
export function workMarkup(): Markup {
  return html`<div id="work"><p><span id="status" role="status"></span>
<button type="button" id="stop" hidden>Stop</button></p>
<div id="error" role="alert"></div></div>`;
}

/** The form that records a run, and the place of the stepper. */
export function stepForm(): Markup {
  return html`<section class="home" id="step"><h2>Step through</h2>
<p class="soft">Records the run in this page, to step forwards and backwards through its code. That is the
disassembly, unless you add builds with debug information and their source files.</p>
<form data-form="step"><label>builds of its contracts and source files (.wasm, .rs)
<input type="file" name="builds" multiple accept=".wasm,.rs"></label>
<button class="main">Record the run</button></form>
<div id="steps"></div></section>`;
}

/** The page of one transaction that runs svc in itself. It makes no requests. */
export function renderReplayable(
  findings: Findings,
  options: Pick<RenderPageOptions, "capsuleOf">,
  parts: ReplayableParts,
): string {
  const [finding] = findings.list;
  const { title, body } = pageContent(findings, options);
  const ran = finding?.kind === "investigated" && finding.investigation.execution !== null;
  const whatIf = finding?.kind === "investigated" ? whatIfForm(finding.investigation) : null;
  return replayablePage({ title, body: html`${body}${whatIf}${ran && stepForm()}` }, parts);
}

/** The same with the content of a page that is drawn already. */
export function replayablePage(
  { title, body }: { readonly title: string; readonly body: Markup },
  parts: ReplayableParts,
): string {
  return pageMarkup({
    title,
    body: html`<header class="top"><span class="name">svc</span>
<nav aria-label="In this page"><a href="#try">What if?</a> <a href="#step">Step through</a>
<a href="#read">Explain</a></nav>
<button type="button" id="theme" hidden>Dark</button></header>
<main id="main" tabindex="-1"><div id="content">${body}</div>
<section class="home"><form id="read"><h2>Explain a text</h2>
<label for="text">An error, a code, a log, an envelope or XDR, from this page or from elsewhere</label>
<textarea id="text" name="text" rows="3" class="mono" autocomplete="off" spellcheck="false" required></textarea>
<p class="buttons"><button class="main">Explain</button></p></form>
<div id="explained"></div></section>
${workMarkup()}
<footer class="home soft"><p>This page runs svc ${parts.version} in itself, and sends nothing to anybody. It
proves nothing about who sent it: a file can show anything. To check it, run
<code>svc debug --from page.html</code>, or drop it on a copy of svc.html that you trust. Both read
only the capsule in it, and check the capsule's hashes and signatures.</p></footer></main>
${viewerMarkup()}
${partsMarkup(parts)}`,
    script: replayableScriptFor(null),
  });
}
