// Draws the flamegraph as one self-contained page that opens offline. The page may use only its own
// script and style, which are allowed by their hashes: no network, no other script, no frame, no
// form. Text from the chain is data for the script, which shows it only as text. In the markup it
// is escaped.

import { utf8Bytes } from "../../base/bytes.ts";
import { crypto } from "../../base/crypto.ts";
import { type FrameKind, frameTree } from "./frame-tree.ts";
import type { TransactionProfile } from "./transaction-profile.ts";
// @ts-expect-error: TypeScript has no imports of text
import drawingScript from "./viewer/drawing.js" with { type: "text" };
// @ts-expect-error: TypeScript has no imports of text
import framesScript from "./viewer/frames.js" with { type: "text" };
// @ts-expect-error: TypeScript has no imports of text
import viewerStyle from "./viewer/viewer.css" with { type: "text" };
// @ts-expect-error: TypeScript has no imports of text
import viewerScript from "./viewer/viewer.js" with { type: "text" };

/** The viewer identifies a kind by its position in this list. */
const KINDS: readonly FrameKind[] = [
  "all",
  "entry",
  "contract",
  "function",
  "host",
  "cost",
  "other",
];

const STYLE = `\n${viewerStyle}`;
// The files are plain declarations and statements, joined to one script with its own scope.
const SCRIPT = `\n"use strict";\n{\n${framesScript}\n${drawingScript}\n${viewerScript}}\n`;

export function renderHtml(profile: TransactionProfile): string {
  return viewerPage({
    title: `Profile of ${escapeHtml(profile.hash)}`,
    header: header(profile),
    help: help(escapeHtml(profile.totals), escapeHtml(profile.functions)),
    data: embeddedJson(profileData(profile)),
  });
}

/**
 * Returns the viewer for another page. That page replaces `DATA_PLACE` by the data, and must allow
 * the sources of `viewerPolicySources`.
 */
export function embeddedViewer(): string {
  return viewerPage({
    title: "Flamegraph",
    header: EMBEDDED_HEADER,
    help: help("The top frame is what the replay metered.", ""),
    data: DATA_PLACE,
  });
}

/** The report has the visible heading. */
const EMBEDDED_HEADER = `<header class="embedded"><h1>Flamegraph</h1></header>`;
const DATA_PLACE = "{{profile}}";

export function viewerPolicySources(): { readonly script: string; readonly style: string } {
  return { script: sourceHash(SCRIPT), style: sourceHash(STYLE) };
}

interface ViewerPage {
  readonly title: string;
  readonly header: string;
  readonly help: string;
  readonly data: string;
}

function viewerPage({ title, header, help, data }: ViewerPage): string {
  const sources = viewerPolicySources();
  const policy = [
    "default-src 'none'",
    `script-src ${sources.script}`,
    `style-src ${sources.style}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
${header}
${TOOLBAR}
<noscript>This page needs JavaScript to draw the profile, and JavaScript is turned off.</noscript>
<main><div id="chart" tabindex="0" role="application" aria-describedby="status"
  aria-label="Flamegraph: arrow keys select frames, Enter zooms in, Escape zooms out">
<div id="rows"><canvas id="canvas"></canvas></div>
</div></main>
<footer><p id="status" aria-live="polite"></p><ul id="legend" aria-label="Colors"></ul></footer>
<section id="heaviest" aria-label="Highest costs by name"></section>
<div id="tooltip" role="tooltip" hidden></div>
${help}
<script type="application/json" id="profile">${data}</script>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function header(profile: TransactionProfile): string {
  return `<header>
<h1><span>Profile of transaction</span> <code>${escapeHtml(profile.hash)}</code></h1>
<p>${escapeHtml(profile.headline)} Protocol ${profile.protocolVersion}.</p>
<p id="verdict">${escapeHtml(profile.verdict)} ${escapeHtml(profile.totals)}</p>${caveats(profile)}
</header>`;
}

function caveats({ caveats: all }: TransactionProfile): string {
  if (all.length === 0) return "";
  const items = all.map((caveat) => `<li>${escapeHtml(caveat)}</li>`).join("\n");
  return `\n<ul id="caveats" aria-label="Caveats">\n${items}\n</ul>`;
}

const TOOLBAR = `<section aria-label="View"><div id="toolbar" role="toolbar" aria-label="View">
<div id="metrics" role="group" aria-label="Metric">
<button type="button" data-metric="cpu">CPU <b></b></button>
<button type="button" data-metric="memory">Memory <b></b></button>
</div>
<label id="find"><span>Search</span><input id="search" type="search" autocomplete="off"
  spellcheck="false" placeholder="contract, function or cost type"></label>
<output id="found" for="search"></output>
<div id="actions">
<button type="button" id="reset">Reset zoom</button>
<button type="button" id="theme">Dark</button>
<button type="button" id="help" aria-haspopup="dialog">Help</button>
</div>
</div></section>`;

const KEYS: readonly (readonly [string, string])[] = [
  ["arrow keys", "select the enclosing frame, the largest frame inside, or a frame beside"],
  ["Enter or click", "zoom in on a frame"],
  ["Backspace", "zoom out by one frame"],
  ["Escape", "clear the search, then the zoom"],
  ["/", "search; n and N go to the next and the previous match"],
  ["m", "switch between CPU and memory"],
  ["t", "switch between light and dark"],
  ["?", "this help"],
];

const KEY_ROWS = KEYS.map(
  ([key, does]) => `<dt><kbd>${escapeHtml(key)}</kbd></dt><dd>${escapeHtml(does)}</dd>`,
);

const help = (
  totals: string,
  functions: string,
) => `<dialog id="helpbox" aria-labelledby="helptitle">
<h2 id="helptitle">How to read this page</h2>
<p>The width of a frame is its total cost, including everything inside it. ${totals}
Below it are the calls as they nest, and at the bottom the cost types that the host charged. Frames
side by side are ordered by size, not by time, and equal stacks are merged. Frames that are too
narrow to draw share one hatched block; zoom in to see them.</p>
<p>${functions}</p>
<dl>${KEY_ROWS.join("\n")}</dl>
<button type="button" id="closehelp">Close</button>
</dialog>`;

/** Returns each name once, and a row of numbers for each frame: parent, name, kind, CPU, memory. */
export function profileData(profile: TransactionProfile) {
  const names = new Map<string, number>();
  const rows = frameTree(profile).map((frame) => {
    const name = names.get(frame.name) ?? names.size;
    names.set(frame.name, name);
    const kind = KINDS.indexOf(frame.kind);
    return [frame.parent, name, kind, frame.cpuInstructions, frame.memoryBytes];
  });
  return { names: [...names.keys()], rows };
}

/** Data without `<` cannot contain the end of the script element, or a comment. */
function embeddedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns the hash by which a policy names a script or a style. */
export function sourceHash(source: string): string {
  return `'sha256-${crypto().sha256(utf8Bytes(source)).toBase64()}'`;
}
