// The script of svc.html and of reports that replay themselves. It starts the worker, sends it what a
// person wants, and shows its answers. The core and svc-sim are texts in the page; nothing is loaded
// from anywhere. A report has no fields for networks and files: it makes no requests.

const byId = (id) => document.getElementById(id);
const bytesOf = (id) =>
  Uint8Array.fromBase64?.(byId(id).textContent) ?? decoded(byId(id).textContent);

/** For browsers that do not know `Uint8Array.fromBase64` yet. */
function decoded(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The address of the worker's script, once it is unpacked. */
let script = null;
/** svc-sim, compiled by the first worker. */
let compiled = null;
/** svc-sim-recording, compiled by the first worker that needs it. Only svc.html has it. */
let recorder = null;
let worker = null;
/** Gets the answer that ends the work that runs; null while none does. */
let finish = null;
/** True while the worker has a recorded run. */
let isRecorded = false;

async function unpackedScript() {
  const packed = new Blob([bytesOf("core")]).stream();
  const core = await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).blob();
  return URL.createObjectURL(new Blob([core], { type: "text/javascript" }));
}

/** Starts a worker with svc-sim in it. */
async function start() {
  script ??= await unpackedScript();
  worker = new Worker(script);
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = ({ message }) => finish?.({ kind: "fault", text: message });
  const hasRecorder = byId("recorder") !== null;
  const ready = await ask({ kind: "module", module: compiled ?? bytesOf("module"), hasRecorder });
  if (ready.kind === "ready") compiled = ready.module;
  return ready;
}

function ask(work) {
  return new Promise((resolve) => {
    finish = resolve;
    worker.postMessage(work);
  });
}

function receive(answer) {
  if (answer.kind === "progress") {
    byId("status").textContent = `${answer.text[0].toUpperCase()}${answer.text.slice(1)}…`;
  } else if (answer.kind === "recorder") {
    if (answer.module !== null) recorder = answer.module;
    else worker.postMessage({ kind: "recorder", module: recorder ?? bytesOf("recorder") });
  } else if (answer.kind === "asked") {
    const item = document.createElement("li");
    item.textContent = `${answer.node}: ${answer.status}`;
    byId("asked-list").append(item);
    byId("asked-count").textContent = String(byId("asked-list").childElementCount);
    byId("asked").hidden = false;
  } else {
    finish?.(answer);
    finish = null;
  }
}

/** Ends whatever runs. The next work starts another worker. */
function stop() {
  worker?.terminate();
  worker = null;
  isRecorded = false;
  finish?.({ kind: "stopped" });
  finish = null;
}

/** Runs one work after the other; a new one ends the one before. */
async function work(wanted) {
  if (finish !== null) stop();
  byId("error").replaceChildren();
  byId("stop").hidden = false;
  byId("work").dataset.running = "";
  const begun = performance.now();
  try {
    if (worker === null) {
      byId("status").textContent = "Starting…";
      const ready = await start();
      if (ready.kind !== "ready") return ready;
    }
    byId("status").textContent = "Working…";
    return await ask(wanted);
  } finally {
    byId("stop").hidden = true;
    delete byId("work").dataset.running;
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    byId("status").textContent = `Done in ${seconds} s.`;
  }
}

/**
 * Shows an error where the person looks for the content. Returns false if the answer is content.
 */
function showFailure(answer, place = byId("error")) {
  if (answer.kind === "stopped") {
    byId("status").textContent = "Stopped.";
    return true;
  }
  if (answer.kind === "fault") place.textContent = `The worker failed: ${answer.text}`;
  else if (answer.kind === "error") place.innerHTML = answer.markup;
  else return false;
  byId("status").textContent = "No answer.";
  place.scrollIntoView({ block: "nearest" });
  return true;
}

function networkOf() {
  const name = byId("network").value;
  if (name !== "custom") return name;
  return {
    networkPassphrase: byId("passphrase").value,
    horizonUrl: byId("horizon").value.trim(),
    rpcUrl: byId("rpc").value.trim(),
  };
}

/** Shows markup of the worker, in which all other text is escaped. The policy allows it no script. */
function show(place, markup) {
  place.innerHTML = markup;
  document.dispatchEvent(new Event("svc-content"));
}

/** The text that is explained. */
let explainedText = "";

async function read(text) {
  explainedText = text;
  byId("content").replaceChildren();
  byId("parts").hidden = true;
  await showRead(await workOfNodes({ kind: "read", text, network: networkOf() }));
}

/** Explains the text again, with the names that a contract has for its errors. */
async function nameErrors(form) {
  const contract = form.elements.contract.value.trim();
  const wanted = { kind: "names", text: explainedText, contract, network: networkOf() };
  await showRead(await workOfNodes(wanted));
}

/** Work that asks nodes. The page lists their answers. */
function workOfNodes(wanted) {
  byId("asked-list").replaceChildren();
  byId("asked").hidden = true;
  return work(wanted);
}

function showRead(answer) {
  if (showFailure(answer)) return;
  isRecorded = false;
  show(byId("content"), answer.markup);
  document.title = answer.title;
  if (answer.address !== null && location.hash !== answer.address)
    history.replaceState(null, "", answer.address);
  byId("parts").hidden = byId("try") === null;
  moveTo(byId("content").querySelector("h1, h2"));
}

/** Shows an explanation below the report. */
async function explain(text) {
  const place = byId("explained");
  place.replaceChildren();
  const answer = await work({ kind: "explain", text });
  if (showFailure(answer)) return;
  show(place, answer.markup);
  moveTo(place.querySelector("h2"));
}

function moveTo(heading) {
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: "start" });
}

function capsule() {
  return document.querySelector("#content .svc-capsule").textContent;
}

async function change(form) {
  const place = byId("variant");
  const overrides = overridesOf(form.elements);
  if (Object.keys(overrides).length === 0) {
    place.textContent = "Every field is empty. Fill in what to change.";
    return;
  }
  place.textContent = "Running…";
  const answer = await work({ kind: "what-if", capsule: capsule(), overrides });
  place.replaceChildren();
  if (showFailure(answer, place)) return;
  show(place, answer.markup);
}

async function fileOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { path: file.webkitRelativePath || file.name, bytes };
}

async function record(form) {
  const files = await Promise.all([...form.elements.builds.files].map(fileOf));
  await showSteps(await work({ kind: "record", capsule: capsule(), files }), null);
  byId("steps").querySelector("[data-step]")?.focus();
}

/** The key or the frame, and whether the work of an earlier one still runs. */
let isStepping = false;

async function step(key) {
  if (isStepping || finish !== null || !isRecorded) return;
  isStepping = true;
  try {
    await showSteps(await work({ kind: "step", key }), key);
  } finally {
    isStepping = false;
  }
}

async function showSteps(answer, key) {
  const place = byId("steps");
  if (answer.kind !== "standing") {
    place.replaceChildren();
    showFailure(answer, place);
    return;
  }
  isRecorded = true;
  show(place, answer.markup);
  const attribute = typeof key === "number" ? "frame" : "step";
  if (key !== null) place.querySelector(`[data-${attribute}="${key}"]`)?.focus();
  const code = place.querySelector(".code");
  const here = code?.querySelector("[aria-current]");
  if (here) code.scrollTop = here.offsetTop - code.offsetTop - code.clientHeight / 2;
}

/** `#/testnet/HASH`, from a link. */
function openAddress() {
  const [, network, hash] = /^#\/(\w+)\/([0-9a-f]{64})$/.exec(location.hash) ?? [];
  if (hash === undefined) return;
  const known = [...byId("network").options].some(({ value }) => value === network);
  if (!known || network === "custom") return;
  byId("network").value = network;
  showNodes();
  byId("text").value = hash;
  void read(hash);
}

function showNodes() {
  byId("nodes").hidden = byId("network").value !== "custom";
}

async function readFile(file) {
  if (file === undefined) return;
  byId("text").value = "";
  await read(await file.text());
}

/** Marks the page while a file is held over it. */
function holdOver(event, isHeld) {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  document.body.toggleAttribute("data-dropping", isHeld);
}

/** Moves to a part of the page. The address stays the link to the transaction. */
function follow(event) {
  const { hash = "" } = event.target.closest('a[href^="#"]') ?? {};
  const target = hash.length > 1 && !hash.startsWith("#/") ? byId(hash.slice(1)) : null;
  if (target === null) return;
  event.preventDefault();
  const fold = target.querySelector(":scope > details");
  if (fold !== null) fold.open = true;
  if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView();
}

const isReport = byId("network") === null;

byId("read").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = byId("text").value;
  void (isReport ? explain(text) : read(text));
});
// The field has several lines, so that Enter alone is a line.
byId("text").addEventListener("keydown", (event) => {
  if (
    event.key === "Enter" &&
    (event.ctrlKey || event.metaKey || /^\S+$/.test(byId("text").value))
  ) {
    event.preventDefault();
    byId("read").requestSubmit();
  }
});
const FORMS = { step: record, whatIf: change, names: nameErrors };
byId("content").addEventListener("submit", (event) => {
  event.preventDefault();
  void FORMS[event.target.dataset.form](event.target);
});
byId("content").addEventListener("click", ({ target }) => {
  const { step: key, frame } = target.closest("[data-step], [data-frame]")?.dataset ?? {};
  if (key !== undefined) void step(key);
  if (frame !== undefined) void step(Number(frame));
});
byId("content").addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (ctrlKey || metaKey || altKey || target.closest("#steps") === null) return;
  if (!/^[a-z]$/i.test(key) || byId("steps").querySelector(`[data-step="${key}"]`) === null) return;
  event.preventDefault();
  void step(key);
});
byId("stop").addEventListener("click", stop);
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && finish !== null) stop();
});
if (!isReport) {
  byId("network").addEventListener("change", showNodes);
  byId("file").addEventListener("change", ({ target }) => void readFile(target.files[0]));
  byId("example").addEventListener("click", () => {
    byId("text").value = "";
    void read(byId("example-capsule").textContent);
  });
  document.addEventListener("click", follow);
  document.addEventListener("dragover", (event) => holdOver(event, true));
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) holdOver(event, false);
  });
  document.addEventListener("drop", (event) => {
    holdOver(event, false);
    void readFile(event.dataTransfer.files[0]);
  });
  addEventListener("hashchange", () => {
    if (location.hash.startsWith("#/")) openAddress();
  });
  openAddress();
}
