// The daemon's pages in the browser: sends a hash and shows the progress, sends an envelope and
// shows what it would do, and keeps the token for this tab. Runs after the script of the page.

const TOKEN = "svc-token";
const byId = (id) => document.getElementById(id);

/** The token is never in an address. */
function withToken(headers) {
  const token = sessionStorage.getItem(TOKEN);
  return token === null ? headers : { ...headers, authorization: `Bearer ${token}` };
}

function post(path, body, accept) {
  const headers = withToken({ "content-type": "application/json", accept });
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Server-sent events: { name, data }. */
async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      const data = [...block.matchAll(/^data: (.*)$/gm)].map(([, line]) => line).join("\n");
      if (name !== undefined) yield { name, data: JSON.parse(data) };
    }
  }
}

function showError(place, { code, message, remedy }) {
  const title = document.createElement("p");
  title.className = "bad";
  title.textContent = `${message} [${code}]`;
  const help = document.createElement("p");
  help.textContent = remedy;
  place.replaceChildren(title, help);
}

function showStep(text) {
  const item = document.createElement("li");
  item.textContent = text;
  byId("work").append(item);
}

async function debug(hash) {
  byId("work").replaceChildren();
  byId("error").replaceChildren();
  const response = await post("/transactions", { hash }, "text/event-stream");
  if (!response.ok) return showError(byId("error"), (await response.json()).error);
  for await (const { name, data } of eventsOf(response)) {
    if (name === "progress") showStep(data.text);
    if (name === "error") return showError(byId("error"), data.error);
    if (name !== "report") continue;
    const address = `/transactions/${data.hash}`;
    if (location.pathname === address) location.reload();
    else location.assign(address);
  }
}

async function showPart(place, path, body) {
  place.textContent = "Running…";
  const response = await post(path, body, "text/html");
  if (!response.ok) return showError(place, (await response.json()).error);
  // Markup of the daemon, in which all other text is escaped; the policy allows it no script.
  place.innerHTML = await response.text();
  for (const button of place.querySelectorAll("[data-copy]")) button.hidden = false;
}

/** Saves the page that the daemon makes. */
async function savePage({ hash }) {
  const place = byId("saved");
  place.textContent = "Making the page…";
  const response = await post("/replayable-pages", { hash: hash.value }, "text/html");
  if (!response.ok) return showError(place, (await response.json()).error);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = `${hash.value}.html`;
  link.click();
  URL.revokeObjectURL(link.href);
  place.textContent = "Saved.";
}

/** The page itself, once there is a token. */
async function enter() {
  const response = await fetch(location.pathname, { headers: withToken({ accept: "text/html" }) });
  if (response.ok) {
    const page = await response.text();
    document.open();
    document.write(page);
    document.close();
    return;
  }
  const { error } = await response.json();
  if (response.status === 401) sessionStorage.removeItem(TOKEN);
  byId("refused").textContent = error.message;
}

const ACTIONS = {
  debug: ({ hash }) => debug(hash.value.trim()),
  simulate: ({ envelope }) =>
    showPart(byId("simulation"), "/simulations", { transaction: envelope.value.trim() }),
  call(form) {
    const place = byId("call");
    const written = form.arguments.value.trim();
    let values = [];
    try {
      if (written !== "") values = JSON.parse(written);
    } catch {
      place.textContent = 'The arguments are not JSON. Write them as {"name": value} or [value].';
      return;
    }
    const body = { contract: form.contract.value.trim(), function: form.function.value.trim() };
    const as = form.as.value.trim();
    return showPart(place, "/calls", { ...body, arguments: values, ...(as !== "" && { as }) });
  },
  functions: ({ contract }) =>
    showPart(byId("functions"), "/functions", { contract: contract.value }),
  whatIf(form) {
    const place = byId("variant");
    const overrides = overridesOf(form);
    if (Object.keys(overrides).length > 0)
      return showPart(place, "/what-ifs", { hash: form.hash.value, overrides });
    place.textContent = "Every field is empty. Fill in what to change.";
  },
  replayable: savePage,
  token: ({ token }) => {
    sessionStorage.setItem(TOKEN, token.value.trim());
    return enter();
  },
};

/** Where the answer of each form is shown. */
const PLACES = {
  debug: "error",
  simulate: "simulation",
  functions: "functions",
  call: "call",
  whatIf: "variant",
  replayable: "saved",
  token: "refused",
};

async function run(form) {
  const button = form.querySelector("button:not([type])");
  button.disabled = true;
  try {
    await ACTIONS[form.dataset.form](form.elements);
  } catch {
    byId(PLACES[form.dataset.form]).textContent =
      "The connection to the daemon was lost. Try again.";
  } finally {
    button.disabled = false;
  }
}

/** Fills the form for a call with a function: the types stand where the values belong. */
byId("functions")?.addEventListener("click", ({ target }) => {
  const { function: name, arguments: values } = target.dataset;
  if (name === undefined) return;
  byId("function").value = name;
  byId("arguments").value = JSON.stringify(JSON.parse(values), null, 2);
  byId("arguments").focus();
});

for (const form of document.querySelectorAll("[data-form]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void run(form);
  });
  if (form.dataset.start === "now") void run(form);
  if (form.dataset.form === "token" && sessionStorage.getItem(TOKEN) !== null) void enter();
}
