// GET /: a form for a hash or an envelope, and the list of the last debugged transactions. If the
// daemon has a token, the page only asks for it until a request has it.

import { BUILD_INFO } from "../../base/build-info.ts";
import type { SvcError } from "../../base/errors/errors.ts";
import { httpMessageOf, httpRemedyOf } from "../../error-catalogue.ts";
import { pageMarkup } from "../../report/html/frame.ts";
import { html, type Markup, prose } from "../../report/html/markup.ts";
import type { Description } from "../openapi.ts";
import { DAEMON_SCRIPT, wayBack } from "./frame.ts";
import { PAGE } from "./page-audience.ts";
import type { RecentPage } from "./recent-pages.ts";

const WITHOUT_SCRIPT = html`<noscript><p>This form needs JavaScript. The routes below do not.</p></noscript>`;

/** Says whether a route is not one of the pages' own. */
const isForPrograms = ({ path, answers }: Description) =>
  !answers.includes("html") && path !== "/transactions";

export function homePage(
  network: string,
  recent: readonly RecentPage[],
  routes: readonly Description[],
  makesCalls: boolean,
): string {
  return daemonPage(
    "svc",
    network,
    html`<h1>What happened to a transaction?</h1>
<form data-form="debug"><label for="hash">Transaction hash, or its address in an explorer</label>
<div class="field"><input id="hash" name="hash" required autocomplete="off" spellcheck="false" class="mono">
<button class="main">Debug</button></div></form>
${WORK}${WITHOUT_SCRIPT}
${recentMarkup(recent)}
<section><h2>Simulate an envelope</h2>
<form data-form="simulate"><label for="envelope">TransactionEnvelope, base64</label>
<textarea id="envelope" name="envelope" rows="4" required spellcheck="false" class="mono"></textarea>
<button>Simulate</button></form>
<div id="simulation" aria-live="polite"></div></section>
${makesCalls && html`<section><h2>Call a contract</h2>${callForm("")}</section>`}
<section><h2>For programs</h2><dl class="facts">${routes.filter(isForPrograms).map(routeMarkup)}</dl></section>`,
  );
}

/** The page of a contract. `starts` reads its functions without a click. */
export function contractPage(network: string, contract: string, starts: boolean): string {
  return daemonPage(
    `${contract.slice(0, 8)} · svc`,
    network,
    html`<h1>Contract</h1><p class="hash"><code>${contract}</code></p>
<form data-form="functions" data-start="${starts ? "now" : "click"}">
<input type="hidden" name="contract" value="${contract}"><button>Show its functions</button></form>
<div id="functions" aria-live="polite"></div>
<h2>Call</h2>${callForm(contract)}`,
    wayBack(),
  );
}

/** The form for a call. `contract` is empty if the user writes it. */
function callForm(contract: string): Markup {
  const named =
    contract === ""
      ? html`<label for="contract">Contract</label>
<input id="contract" name="contract" required autocomplete="off" spellcheck="false" class="mono">`
      : html`<input type="hidden" name="contract" value="${contract}">`;
  return html`<form data-form="call">${named}
<label for="function">Function</label>
<input id="function" name="function" required autocomplete="off" spellcheck="false" class="mono">
<label for="arguments">Arguments, as JSON by name or in order</label>
<textarea id="arguments" name="arguments" rows="5" spellcheck="false" class="mono" placeholder="{}"></textarea>
<label for="as">Account that calls, if it matters</label>
<input id="as" name="as" autocomplete="off" spellcheck="false" class="mono">
<button>Call</button></form>
<p class="soft">Nothing is sent, and no key is needed.</p>
<div id="call" aria-live="polite"></div>${WITHOUT_SCRIPT}`;
}

/** The page that is shown until the transaction is debugged. `starts` begins without a click. */
export function workPage(network: string, hash: string, starts: boolean): string {
  return daemonPage(
    `${hash.slice(0, 8)} · svc`,
    network,
    html`<h1>Transaction</h1><p class="hash"><code>${hash}</code></p>
<form data-form="debug" data-start="${starts ? "now" : "click"}">
<input type="hidden" name="hash" value="${hash}">
<button class="main">Debug this transaction</button></form>${WORK}${WITHOUT_SCRIPT}`,
    wayBack(),
  );
}

/** The answer to an address that a person typed or cut short. */
export function noTransactionPage(network: string, error: SvcError): string {
  const [message, remedy] = [httpMessageOf(error, PAGE), httpRemedyOf(error, PAGE)];
  return daemonPage(
    "svc",
    network,
    html`<h1>This is not a transaction</h1><p>${prose(message)}</p><p>${prose(remedy)}</p>`,
    wayBack(),
  );
}

/**
 * The page that asks for the token. Its script keeps the token for this tab, and loads the page
 * with it.
 */
export function tokenPage(network: string): string {
  return daemonPage(
    "svc",
    network,
    html`<h1>This daemon needs a token</h1>
<form data-form="token"><label for="token">Token</label>
<div class="field"><input id="token" name="token" type="password" required autocomplete="off">
<button class="main">Continue</button></div></form>
<p id="refused" role="alert"></p>${WITHOUT_SCRIPT}`,
  );
}

const WORK = html`<ol id="work" class="work" aria-live="polite" aria-label="Progress"></ol>
<div id="error" role="alert"></div>`;

function daemonPage(title: string, network: string, body: Markup, navigation?: Markup): string {
  return pageMarkup({
    title,
    body: html`<header class="top"><span class="name">svc</span>${navigation}
<span class="soft">${network} · ${BUILD_INFO.version}</span>
<button type="button" id="theme" hidden>Dark</button></header>
<main class="home" id="main" tabindex="-1">${body}</main>`,
    script: DAEMON_SCRIPT,
  });
}

function recentMarkup(recent: readonly RecentPage[]): Markup | null {
  if (recent.length === 0) return null;
  return html`<section><h2>Recent</h2><ul class="recent">${recent.map(
    ({ hash, headline, success, verdict }) => html`<li><a href="/transactions/${hash}">
<span class="mark ${success ? "good" : "bad"}" aria-hidden="true">${success ? "✓" : "✕"}</span>${prose(headline)}</a>
<span class="soft"><code>${hash.slice(0, 8)}</code> ${verdict ?? "no verdict"}</span></li>`,
  )}</ul></section>`;
}

function routeMarkup({ method, path, summary }: Description): Markup {
  const link = method === "GET" ? html`<a href="${path}">${path}</a>` : path;
  return html`<div><dt><code>${method} ${link}</code></dt><dd>${summary}</dd></div>`;
}
