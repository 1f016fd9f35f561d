// svc.html: one file that anybody can host or open from a disk. It has the core and svc-sim in it,
// asks nodes by itself, and shows what the page of `svc debug --format html` shows.

import { NETWORK_NAMES } from "../model/networks.ts";
import { viewerMarkup } from "../report/html/embedded.ts";
import { pageMarkup } from "../report/html/frame.ts";
import { embeddedJson, html, type Markup } from "../report/html/markup.ts";
import {
  partsMarkup,
  type ReplayableParts,
  recorderMarkup,
  replayableScriptFor,
  workMarkup,
} from "../report/html/replayable.ts";

/** A page asks any node that a person names: nodes on this machine have no TLS. */
const ANY_NODE = "https: http:";

/** The parts of svc.html besides the core and svc-sim. */
export interface BrowserParts extends ReplayableParts {
  /** svc-sim-recording as a module, compressed with zstd, as base64. */
  readonly recordingModule: string;
  /** The text of a capsule, for a person who has no transaction at hand. */
  readonly example: string;
}

export function renderBrowserPage(parts: BrowserParts): string {
  return pageMarkup({
    title: "svc: what happened to a Stellar transaction?",
    body: html`<header class="top"><span class="name">svc</span>
<nav id="parts" aria-label="In this page" hidden><a href="#try">What if?</a> <a href="#step">Step through</a></nav>
<button type="button" id="theme" hidden>Dark</button></header>
<main id="main" tabindex="-1">${formMarkup()}
${workMarkup()}
<details id="asked" hidden><summary>Questions to nodes: <output id="asked-count">0</output></summary>
<ul id="asked-list"></ul></details>
<div id="content"></div>
${aboutMarkup(parts.version)}</main>
${viewerMarkup()}
${partsMarkup(parts)}
${recorderMarkup(parts.recordingModule)}
<script type="application/json" id="example-capsule">${embeddedJson(JSON.parse(parts.example))}</script>`,
    script: replayableScriptFor(ANY_NODE),
  });
}

function formMarkup(): Markup {
  const plain = html`autocomplete="off" spellcheck="false"`;
  const networks = NETWORK_NAMES.map((name) => html`<option value="${name}">${name}</option>`);
  return html`<section class="home" id="ask"><h1>What happened to a transaction?</h1>
<form id="read">
<label for="text">The hash of a transaction or its address in an explorer, an error, a log, an envelope,
or an answer of a node</label>
<textarea id="text" name="text" rows="4" class="mono" placeholder="HostError: Error(Contract, #10) …" ${plain} required></textarea>
<div class="buttons"><label for="network">Network</label><select id="network">${networks}
<option value="custom">other nodes</option></select>
<button class="main" id="go">Explain</button>
<button type="button" id="example">Try an example</button></div>
<fieldset id="nodes" hidden><legend>Other nodes</legend>
<label>Horizon <input id="horizon" placeholder="http://localhost:8000" inputmode="url" ${plain}></label>
<label>Stellar RPC <input id="rpc" placeholder="http://localhost:8000/rpc" inputmode="url" ${plain}></label>
<label>network passphrase <input id="passphrase" value="Standalone Network ; February 2017" ${plain}></label>
</fieldset>
<label class="file">Or choose a file, or drop it anywhere here: a capsule, a saved report, a log
<input type="file" id="file"></label></form>
<noscript><p>This page needs JavaScript.</p></noscript></section>`;
}

function aboutMarkup(version: string): Markup {
  return html`<footer class="soft"><p>svc ${version}. Everything runs in this page. Only the nodes of
the chosen network are asked, and the page lists these questions: for a transaction that is named by
its hash, for the ledger entries that an unsigned envelope needs, which is simulated here, and for a
contract whose names for errors you read. Nodes keep transactions for about a week; svc at the
command line reads older ones.</p>
<p>A saved report that replays itself proves nothing about who sent it: check it with
<code>svc debug --from page.html</code>, or with a copy of this page that you trust.</p></footer>`;
}
