// The flamegraph's page: the current view, mouse and keyboard, and the texts around the drawing.
// The view is stored in the URL's fragment, so that a reload restores it. Text from the chain is
// only drawn, or set as textContent.

const LISTED = 8;
const KIND_WORDS = [
  "everything metered",
  "host function of the operation",
  "contract and function",
  "wasm function",
  "host call",
  "cost type",
  "outside the calls",
];
// Positions in KIND_WORDS.
const FUNCTION = 3;
const COST = 5;
const LIST_TITLES = {
  2: "Contract functions",
  3: "Wasm functions",
  4: "Host calls",
  5: "Cost types",
};
/** The kinds in the legend, which are all except everything metered. */
const LEGEND_KINDS = [1, 2, 3, 4, 5, 6];
/** True inside a report, which sets the theme, and whose address is not the viewer's. */
const EMBEDDED = window.parent !== window;
const byId = (id) => document.getElementById(id);
const tree = readTree(JSON.parse(byId("profile").textContent));
const arranged = { cpu: arrange(tree, "cpu"), memory: arrange(tree, "memory") };
const chart = byId("chart");
const view = { metric: "cpu", zoom: 0, selected: 0, hovered: -1, search: "", theme: "light" };
let boxes = [];
let found = findFrames(tree, arranged.cpu, "");
let rowsShown = 1;
let drawing = 0;

function refresh() {
  const arrangement = arranged[view.metric];
  if (arrangement.value[view.zoom] === 0) view.zoom = 0;
  if (arrangement.value[view.selected] === 0) view.selected = view.zoom;
  found = findFrames(tree, arrangement, view.search);
  boxes = boxesIn(tree, arrangement, view.zoom, chart.clientWidth);
  const rows = boxes.reduce((most, box) => Math.max(most, box.row + 1), 1);
  byId("rows").style.height = `${rows * ROW}px`;
  // The content below must not jump when a zoom has fewer rows.
  rowsShown = Math.max(rowsShown, rows);
  chart.style.minHeight = `min(${rowsShown * ROW + 2}px, var(--tallest))`;
  document.documentElement.dataset.theme = view.theme;
  for (const button of document.querySelectorAll("[data-metric]"))
    button.setAttribute("aria-pressed", String(button.dataset.metric === view.metric));
  byId("reset").disabled = view.zoom === 0;
  byId("theme").textContent = view.theme === "dark" ? "Light" : "Dark";
  byId("found").textContent = describeFound();
  byId("status").textContent = describe(view.selected).join(" · ");
  drawLegend();
  listHeaviest();
  remember();
  redraw();
}

function redraw() {
  cancelAnimationFrame(drawing);
  drawing = requestAnimationFrame(() => {
    const arrangement = arranged[view.metric];
    drawScene(byId("canvas"), chart, { tree, arrangement, boxes, found, view });
  });
}

/** Returns sentences about a frame, its name first. */
function describe(frame) {
  const metrics = view.metric === "cpu" ? ["cpu", "memory"] : ["memory", "cpu"];
  const lines = [frame === 0 ? "all" : tree.name[frame], KIND_WORDS[tree.kind[frame]]];
  for (const metric of metrics) {
    const value = arranged[metric].value;
    const own = tree.children[frame].filter((child) => tree.kind[child] === COST);
    const self = own.reduce((sum, child) => sum + value[child], 0);
    const notes = frame === 0 ? [] : [`${percent(value[frame], value[0])} of all`];
    if (own.length > 0 && tree.kind[frame] < COST) notes.push(`self ${grouped(self)}`);
    const note = notes.length > 0 ? ` (${notes.join(", ")})` : "";
    lines.push(`${grouped(value[frame])} ${UNITS[metric]}${note}`);
  }
  return lines;
}

function describeFound() {
  const { frames, amount } = found;
  if (view.search.trim() === "") return "";
  const share = percent(amount, arranged[view.metric].value[0]);
  const at = frames.indexOf(view.selected);
  if (at !== -1) return `match ${grouped(at + 1)} of ${grouped(frames.length)}, ${share}`;
  return `${grouped(frames.length)} ${frames.length === 1 ? "frame" : "frames"}, ${share}`;
}

function drawLegend() {
  byId("legend").replaceChildren(
    ...LEGEND_KINDS.filter((kind) => tree.kind.includes(kind) || kind !== FUNCTION).map((kind) => {
      const item = document.createElement("li");
      const chip = document.createElement("i");
      chip.style.background = colourOf(kind, 0, view.theme);
      item.append(chip, KIND_WORDS[kind]);
      return item;
    }),
  );
}

function listHeaviest() {
  const arrangement = arranged[view.metric];
  const lists = [2, 3, 4, 5]
    .filter((kind) => tree.kind.includes(kind) || kind !== FUNCTION)
    .map((kind) => {
      const rows = heaviest(tree, arrangement, kind, LISTED).map(({ name, amount, frames }) => {
        const row = document.createElement("button");
        const cells = [shortName(name), grouped(amount), percent(amount, arrangement.value[0])];
        row.type = "button";
        row.title = `${name}, ${grouped(frames)} ${frames === 1 ? "frame" : "frames"}: search for it`;
        row.append(...cells.map(elementWith("span")));
        row.addEventListener("click", () => setSearch(name));
        return row;
      });
      const section = document.createElement("section");
      const none = elementWith("p")("none");
      section.append(elementWith("h2")(LIST_TITLES[kind]), ...(rows.length > 0 ? rows : [none]));
      return section;
    });
  byId("heaviest").replaceChildren(...lists);
}

function elementWith(tag) {
  return (textContent) => Object.assign(document.createElement(tag), { textContent });
}

function boxAt({ clientX, clientY }) {
  const place = chart.getBoundingClientRect();
  const x = clientX - place.left;
  const row = Math.floor((clientY - place.top + chart.scrollTop) / ROW);
  return boxes.find((box) => box.row === row && x >= box.x && x < box.x + Math.max(box.width, 1));
}

function showTooltip(event) {
  const box = boxAt(event);
  const tooltip = byId("tooltip");
  view.hovered = box !== undefined && box.more === 0 ? box.frame : -1;
  chart.style.cursor = box === undefined ? "" : "pointer";
  tooltip.hidden = box === undefined;
  redraw();
  if (box === undefined) return;
  const lines =
    box.more > 0 ? [`${grouped(box.more)} narrow frames`, "click to zoom in"] : describe(box.frame);
  tooltip.replaceChildren(...lines.map(elementWith("p")));
  const { width, height } = tooltip.getBoundingClientRect();
  const beside = event.clientX + 14;
  const below = event.clientY + 18;
  const x = Math.min(beside, window.innerWidth - width - 8);
  const y = below + height > window.innerHeight ? event.clientY - height - 10 : below;
  tooltip.style.left = `${Math.max(x, 8)}px`;
  tooltip.style.top = `${Math.max(y, 8)}px`;
}

function hideTooltip() {
  byId("tooltip").hidden = true;
  view.hovered = -1;
  redraw();
}

function zoomTo(frame) {
  view.zoom = frame;
  view.selected = frame;
  refresh();
  reveal(frame);
}

/** Selects a frame, and zooms out or in until it is visible. */
function select(frame) {
  view.selected = frame;
  if (!isWithin(tree, frame, view.zoom) && !isWithin(tree, view.zoom, frame)) view.zoom = 0;
  refresh();
  if (!boxes.some((box) => box.more === 0 && box.frame === frame)) {
    view.zoom = tree.parent[frame];
    refresh();
  }
  reveal(frame);
}

function reveal(frame) {
  const top = tree.depth[frame] * ROW;
  if (top < chart.scrollTop) chart.scrollTop = top;
  else if (top + ROW > chart.scrollTop + chart.clientHeight)
    chart.scrollTop = top + ROW - chart.clientHeight;
}

function nextFound(step) {
  const { frames } = found;
  if (frames.length === 0) return;
  const at = frames.indexOf(view.selected);
  const next = at === -1 ? (step === 1 ? 0 : frames.length - 1) : at + step;
  select(frames[(next + frames.length) % frames.length]);
}

function setMetric(metric) {
  view.metric = metric;
  refresh();
}

function setSearch(text) {
  view.search = text;
  byId("search").value = text;
  refresh();
}

function switchTheme() {
  view.theme = view.theme === "dark" ? "light" : "dark";
  refresh();
}

function stepBack() {
  if (view.search !== "") setSearch("");
  else zoomTo(0);
}

const KEYS = {
  Enter: () => zoomTo(view.selected),
  Backspace: () => zoomTo(Math.max(tree.parent[view.zoom], 0)),
  Escape: stepBack,
  "/": () => byId("search").focus(),
  n: () => nextFound(1),
  N: () => nextFound(-1),
  m: () => setMetric(view.metric === "cpu" ? "memory" : "cpu"),
  t: switchTheme,
  "?": () => byId("helpbox").showModal(),
};
for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"])
  KEYS[key] = () => select(neighbourOf(tree, arranged[view.metric], view.selected, key));

function onKey(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || byId("helpbox").open) return;
  if (target === byId("search")) return;
  // Enter on a button activates the button.
  const action = key === "Enter" && target.localName === "button" ? undefined : KEYS[key];
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function onSearchKey(event) {
  if (event.key === "Enter") nextFound(event.shiftKey ? -1 : 1);
  else if (event.key === "Escape") {
    setSearch("");
    chart.focus();
  }
}

function remember() {
  const { metric, zoom, search, theme } = view;
  if (EMBEDDED) return;
  const fragment = `#${new URLSearchParams({ metric, zoom, search, theme })}`;
  if (location.hash !== fragment) location.replace(fragment);
}

function recall() {
  const kept = new URLSearchParams(location.hash.slice(1));
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const pageTheme = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const zoom = Number(kept.get("zoom") ?? 0);
  view.metric = kept.get("metric") === "memory" ? "memory" : "cpu";
  view.zoom = Number.isInteger(zoom) && zoom >= 0 && zoom < tree.count ? zoom : 0;
  view.selected = view.zoom;
  view.theme = (kept.get("theme") ?? pageTheme) === "dark" ? "dark" : "light";
  setSearch(kept.get("search") ?? "");
  reveal(view.selected);
}

for (const button of document.querySelectorAll("[data-metric]")) {
  const { metric } = button.dataset;
  button.querySelector("b").textContent = grouped(arranged[metric].value[0]);
  button.addEventListener("click", () => setMetric(metric));
}
byId("search").addEventListener("input", (event) => setSearch(event.target.value));
byId("search").addEventListener("keydown", onSearchKey);
byId("reset").addEventListener("click", () => zoomTo(0));
byId("theme").hidden = EMBEDDED;
byId("theme").addEventListener("click", switchTheme);
byId("help").addEventListener("click", () => byId("helpbox").showModal());
byId("closehelp").addEventListener("click", () => byId("helpbox").close());
document.addEventListener("keydown", onKey);
chart.addEventListener("scroll", redraw);
chart.addEventListener("mousemove", showTooltip);
chart.addEventListener("mouseleave", hideTooltip);
chart.addEventListener("click", (event) => {
  const box = boxAt(event);
  if (box !== undefined) zoomTo(box.more > 0 ? tree.parent[box.frame] : box.frame);
});
new ResizeObserver(refresh).observe(chart);
recall();
