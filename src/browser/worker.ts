// The worker of svc.html and of reports that replay themselves: the whole core, and svc-sim as a
// module. svc.html has a second module, which simulates. The worker gets it when it is needed. The
// page sends one piece of work at a time, and ends the worker to stop it. The answers are markup in
// which all text is escaped.

import { SvcError } from "../base/errors/errors.ts";
import { flagOf } from "../base/flag-name.ts";
import { type Audience, formAudience, type PageForm, phrased } from "../base/phrase.ts";
import { withoutCodeMarks } from "../base/text/code-marks.ts";
import { addressesIn } from "../base/text/found-by-form.ts";
import { neutralise } from "../base/text/neutralise.ts";
import { isContractAddress } from "../base/text/strkey.ts";
import { debug } from "../library/debug.ts";
import type { ExplainedText } from "../library/explain.ts";
import { explainFor } from "../library/explain-for.ts";
import { explainNamed } from "../library/named-errors.ts";
import type { NetworkNodes, NodeOptions, SimulationOptions } from "../library/options.ts";
import { replay } from "../library/replay.ts";
import { reportContent } from "../library/report-content.ts";
import { canBeSimulated, simulationOf } from "../library/simulation-of.ts";
import { openSteps, type StepKey, type Steps } from "../library/step.ts";
import { unpackZstd } from "../library/zstd.ts";
import type { Investigation } from "../model/investigation.ts";
import type { NetworkName } from "../model/networks.ts";
import { NETWORK_NAMES } from "../model/networks.ts";
import { transactionOfUrl } from "../model/transaction-url.ts";
import { answersMarkup, codesMarkup } from "../report/html/explained.ts";
import { html, type Markup, prose } from "../report/html/markup.ts";
import { stepForm } from "../report/html/replayable.ts";
import { simulationMarkup } from "../report/html/simulation.ts";
import { whatIfForm, whatIfMarkup } from "../report/html/what-if.ts";
import { standingMarkup } from "./standing.ts";

/** The form of a setting for which the page has no field. */
const elsewhere: PageForm["elsewhere"] = (name, value) => ({
  name: `${flagOf(name)}${value === null ? "" : ` ${value}`}`,
  place: " of svc at a command line",
});

/** A person with svc.html. Its labels and buttons are those of `page.ts`. */
const PAGE = formAudience({
  fields: {
    network: "Network",
    horizonUrl: "Horizon",
    rpcUrl: "Stellar RPC",
    networkPassphrase: "network passphrase",
    id: "contract of the error",
  },
  buttons: { debug: "Explain", explain: "Explain", simulate: "Explain" },
  elsewhere,
  again: "Press Explain again",
});

/** A person with a report, which asks no node and has no field for a network. */
const REPORT = formAudience({
  fields: {},
  buttons: {},
  elsewhere,
  again: "Press the button again",
});

/** The nodes that a person wrote, each empty if there is none. */
interface FieldsOfNodes {
  readonly networkPassphrase: string;
  readonly horizonUrl: string;
  readonly rpcUrl: string;
}

/** A message of the page. */
export type PageWork =
  /**
   * The module, which comes once and first. `hasRecorder` says whether the page has
   * svc-sim-recording, too.
   */
  | { readonly kind: "module"; readonly module: PackedModule; readonly hasRecorder: boolean }
  /** svc-sim-recording, which the worker asked for. */
  | { readonly kind: "recorder"; readonly module: PackedModule }
  | { readonly kind: "read"; readonly text: string; readonly network: NetworkName | FieldsOfNodes }
  /** Explains a text with the names that a contract has for its errors now. */
  | {
      readonly kind: "names";
      readonly text: string;
      readonly contract: string;
      readonly network: NetworkName | FieldsOfNodes;
    }
  /** Explains a text of any kind. Asks no node. */
  | { readonly kind: "explain"; readonly text: string }
  | { readonly kind: "what-if"; readonly capsule: string; readonly overrides: object }
  /** Records the run of a capsule for stepping. */
  | { readonly kind: "record"; readonly capsule: string; readonly files: readonly GivenFile[] }
  /** A key of the stepper, or the frame to show. */
  | { readonly kind: "step"; readonly key: StepKey | number };

/** A module that is compressed with zstd, or was compiled by an earlier worker. */
type PackedModule = Uint8Array | WebAssembly.Module;

/** A file that a person adds for stepping. */
interface GivenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * A message for the page. `progress`, `asked` and `recorder` come while the work runs. One of the
 * others ends it.
 */
export type PageAnswer =
  | { readonly kind: "ready"; readonly module: WebAssembly.Module }
  /** The worker needs svc-sim-recording (null), or has compiled it. */
  | { readonly kind: "recorder"; readonly module: WebAssembly.Module | null }
  | { readonly kind: "progress"; readonly text: string }
  | { readonly kind: "asked"; readonly node: string; readonly status: string }
  /** `address` is the part of the page's address that shows the same again; null without one. */
  | {
      readonly kind: "content";
      readonly title: string;
      readonly markup: string;
      readonly address: string | null;
    }
  | { readonly kind: "variant"; readonly markup: string }
  | { readonly kind: "standing"; readonly markup: string }
  | { readonly kind: "error"; readonly markup: string };

interface PageScope {
  onmessage: ((event: { readonly data: PageWork }) => void) | null;
  postMessage(answer: PageAnswer): void;
}

const scope = globalThis as unknown as PageScope;
let module: WebAssembly.Module | null = null;
let steps: Steps | null = null;
let audience: Audience = REPORT;
/** Null in a report, which has no svc-sim-recording. */
let loadRecorder: (() => Promise<WebAssembly.Module>) | null = null;
const recorder = Promise.withResolvers<WebAssembly.Module>();
let recorderIsAsked = false;

scope.onmessage = async ({ data }) => {
  if (data.kind === "recorder") {
    recorder.resolve(compiled(data.module));
    return;
  }
  try {
    scope.postMessage(await answerOf(data));
  } catch (error) {
    scope.postMessage({ kind: "error", markup: `${errorMarkup(error)}` });
  }
};

async function compiled(packed: PackedModule): Promise<WebAssembly.Module> {
  return packed instanceof WebAssembly.Module ? packed : WebAssembly.compile(unpackZstd(packed));
}

/** Asks the page for svc-sim-recording, once. */
async function askForRecorder(): Promise<WebAssembly.Module> {
  if (!recorderIsAsked) scope.postMessage({ kind: "recorder", module: null });
  recorderIsAsked = true;
  const recordingModule = await recorder.promise;
  scope.postMessage({ kind: "recorder", module: recordingModule });
  return recordingModule;
}

async function answerOf(work: Exclude<PageWork, { kind: "recorder" }>): Promise<PageAnswer> {
  if (work.kind === "module") {
    module = await compiled(work.module);
    if (work.hasRecorder) {
      loadRecorder = askForRecorder;
      audience = PAGE;
    }
    return { kind: "ready", module };
  }
  const running = {
    module: loaded(),
    progress,
    ...(loadRecorder !== null && { recordingModule: loadRecorder }),
  };
  if (work.kind === "what-if") {
    const { capsule, overrides } = work;
    const changed = { format: 1, ...overrides };
    const investigation = await replay(capsule, { ...running, overrides: changed });
    return { kind: "variant", markup: `${whatIfMarkup(investigation, audience)}` };
  }
  if (work.kind === "record") return recorded(work.capsule, work.files);
  if (work.kind === "step") return stepped(work.key);
  if (work.kind === "explain") return explained(work.text);
  const text = work.text.trim();
  if (isCapsule(text)) return reportOf(await replay(text, running), null);
  const transaction = transactionOf(text);
  const chosen = transaction?.network ?? work.network;
  const asking = (): NodeOptions => ({
    network: typeof chosen === "string" ? chosen : listed(chosen),
    onRequest: ({ node, status }) => scope.postMessage({ kind: "asked", node, status }),
  });
  if (work.kind === "names") return named(text, work.contract, asking());
  if (transaction !== null) {
    const { hash } = transaction;
    const address = typeof chosen === "string" ? `#/${chosen}/${hash}` : null;
    return reportOf(await debug(hash, { ...running, ...asking() }), address);
  }
  if (loadRecorder === null || !canBeSimulated(text)) return explained(work.text);
  return simulated(text, { ...running, ...asking(), recordingModule: loadRecorder });
}

/** Simulates an envelope, and explains it by itself below. */
async function simulated(text: string, options: SimulationOptions): Promise<PageAnswer> {
  progress("Simulating on the latest ledger");
  const { markup, title } = await simulationOf(text, { ...options, hostCalls: true }).then(
    (report) => ({
      markup: simulationMarkup(report, PAGE),
      title: withoutCodeMarks(report.explanation.headline),
    }),
    // Without nodes, the envelope is explained nevertheless.
    (error: unknown) => ({ markup: errorMarkup(error), title: "Not simulated" }),
  );
  const ofEnvelope = await explainFor(text, PAGE);
  const content = html`<section><h2>What it would do now</h2>${markup}</section>
<section><h2>What the envelope says</h2>${explainedMarkup(withoutRemedies(ofEnvelope))}</section>`;
  return { kind: "content", title: `${title} · svc`, markup: `${content}`, address: null };
}

/** The remedy for an envelope is to simulate it, which has already happened. */
function withoutRemedies(explanation: ExplainedText): ExplainedText {
  if (explanation.kind !== "answers") return explanation;
  const answers = explanation.answers.map((answer) => ({ ...answer, remedy: null }));
  return { ...explanation, answers };
}

async function recorded(capsule: string, files: readonly GivenFile[]): Promise<PageAnswer> {
  await steps?.[Symbol.asyncDispose]();
  steps = null;
  const isBuild = ({ path }: GivenFile) => path.endsWith(".wasm");
  const decoder = new TextDecoder();
  progress("Recording the run");
  steps = await openSteps(capsule, {
    module: loaded(),
    progress,
    builds: files.filter(isBuild).map(({ bytes }) => bytes),
    sources: new Map(
      files
        .filter((file) => !isBuild(file))
        .map(({ path, bytes }) => [path, decoder.decode(bytes)]),
    ),
  });
  return { kind: "standing", markup: `${standingMarkup(await steps.standing())}` };
}

async function stepped(key: StepKey | number): Promise<PageAnswer> {
  if (steps === null) throw new Error("nothing was recorded");
  const standing = await (typeof key === "number" ? steps.select(key) : steps.press(key));
  return { kind: "standing", markup: `${standingMarkup(standing)}` };
}

function loaded(): WebAssembly.Module {
  if (module === null) throw new Error("the worker got no module");
  return module;
}

function progress(text: string): void {
  scope.postMessage({ kind: "progress", text });
}

/** A transaction by its hash or by an explorer's address; null for any other text. */
function transactionOf(
  text: string,
): { readonly hash: string; readonly network: NetworkName | null } | null {
  const hash = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1]?.toLowerCase();
  if (hash !== undefined) return { hash, network: null };
  const transaction = /^\S{1,2000}$/.test(text) ? transactionOfUrl(text) : null;
  if (transaction === null) return null;
  const network = NETWORK_NAMES.find((name) => name === transaction.network) ?? null;
  return { hash: transaction.hash, network };
}

function isCapsule(text: string): boolean {
  return /^(\{\s*"kind":\s*"svc-capsule"|<!doctype html>)/i.test(text.slice(0, 200));
}

/** Throws USAGE if a field has no address of a node, or all are empty. */
function listed({ networkPassphrase, horizonUrl, rpcUrl }: FieldsOfNodes): NetworkNodes {
  const urls = [horizonUrl, rpcUrl].filter((url) => url !== "");
  const wrong = urls.find((url) => !isWebAddress(url));
  if (wrong !== undefined)
    throw new SvcError("USAGE", {
      message: `${neutralise(wrong)} is not the address of a node.`,
      remedy: "Write the whole address, such as http://localhost:8000/rpc.",
    });
  if (urls.length === 0)
    throw new SvcError("USAGE", {
      message: "Other nodes are chosen, and no node is named.",
      remedy: "Write the address of Stellar RPC, of Horizon, or of both.",
    });
  const listOf = (url: string) => (url === "" ? [] : [url]);
  return { networkPassphrase, horizonUrls: listOf(horizonUrl), rpcUrls: listOf(rpcUrl) };
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function reportOf(investigation: Investigation, address: string | null): PageAnswer {
  const { title, body } = reportContent(investigation, audience);
  const form = whatIfForm(investigation);
  const step = investigation.execution !== null && stepForm();
  return { kind: "content", title, markup: `${html`${body}${form}${step}`}`, address };
}

/** Adds the form for a contract in svc.html, if a sentence names its field. */
async function explained(text: string): Promise<PageAnswer> {
  let namesField = false;
  const reader: Audience = {
    ...audience,
    flag(name, value) {
      namesField ||= name === "id";
      return audience.flag(name, value);
    },
  };
  const explanation = await explainFor(text, reader);
  const form = namesField && loadRecorder !== null && namesForm(contractIn(text) ?? "");
  const markup = html`${explainedMarkup(explanation)}${form}`;
  return { kind: "content", title: "svc", markup: `${markup}`, address: null };
}

function contractIn(text: string): string | null {
  return addressesIn(text).find(isContractAddress) ?? null;
}

function namesForm(contract: string): Markup {
  return html`<section class="home" id="names"><h2>The contract's names for its errors</h2>
<form data-form="names"><label for="contract">contract of the error</label>
<div class="field"><input id="contract" name="contract" value="${contract}" placeholder="C…" class="mono"
autocomplete="off" spellcheck="false" required><button>Read them from the network</button></div></form></section>`;
}

async function named(text: string, contract: string, nodes: NodeOptions): Promise<PageAnswer> {
  if (!isContractAddress(contract))
    throw new SvcError("USAGE", {
      message: `${neutralise(contract)} is not the address of a contract.`,
      remedy: "Write the whole address, which begins with C.",
    });
  progress("Reading the contract");
  const markup = explainedMarkup(await explainNamed(text, PAGE, contract, nodes));
  return { kind: "content", title: "svc", markup: `${markup}`, address: null };
}

function explainedMarkup(explanation: ExplainedText): Markup {
  if (explanation.kind === "codes") return codesMarkup(explanation.codes);
  if (explanation.kind === "answers") return answersMarkup(explanation.answers);
  return html`<article><header class="outcome failed"><h2>This text has nothing that svc can explain</h2>
<p>Paste the whole error with its log, a result code, a node's JSON answer, or XDR in base64.</p></header></article>`;
}

function errorMarkup(error: unknown): Markup {
  if (!(error instanceof SvcError))
    return html`<p class="bad">${prose(`This is a fault of svc: ${error}`)}</p>`;
  const { message, remedy } = phrased(error.words, audience);
  const [first = "", ...more] = message.split("\n");
  const corsMayBeMissing =
    error.code === "NETWORK_UNREACHABLE" &&
    html`<p>A browser does not report why a node gave no answer. The node may not allow requests from
pages. svc at the command line can ask every node.</p>`;
  return html`<p class="bad">${prose(`${first} [${error.code}]`)}</p>
${more.map((line) => html`<p>${prose(line)}</p>`)}
<p>${prose(remedy)}</p>${corsMayBeMissing}`;
}
