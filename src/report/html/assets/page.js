// The script of a page: it copies, saves files from the page's own content, draws the flamegraphs,
// switches the theme, and opens folded parts that a link or a printer needs. Without it all text of
// the page is still there.

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return root.dataset.theme === undefined ? dark.matches : root.dataset.theme === "dark";
}

function showTheme() {
  const button = document.getElementById("theme");
  button.hidden = false;
  button.textContent = isDark() ? "Light" : "Dark";
  for (const place of document.querySelectorAll("[data-profile]"))
    if (place.querySelector("iframe") !== null) drawFlamegraph(place);
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
  } catch {
    // A page from an insecure address has no clipboard.
    const range = document.createRange();
    range.selectNodeContents(source);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    button.textContent = "Selected";
  }
}

function save(id) {
  const source = document.getElementById(id);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([source.textContent], { type: "application/json" }));
  link.download = source.dataset.file;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The viewer is a page of its own in a frame, which has no access to this one. */
function drawFlamegraph(place) {
  const viewer = JSON.parse(document.getElementById("viewer").textContent);
  const data = document.getElementById(place.dataset.profile).textContent;
  const frame = document.createElement("iframe");
  frame.title = "Flamegraph";
  frame.sandbox = "allow-scripts";
  frame.srcdoc = viewer
    .replace('<html lang="en">', `<html lang="en" data-theme="${isDark() ? "dark" : "light"}">`)
    .replace("{{profile}}", () => data);
  place.replaceChildren(frame);
}

/** Adds the full address and its name to each short one. Paper shows only the address. */
function nameAddresses(article) {
  const full = new Map();
  for (const short of article.querySelectorAll("[id$=addresses] dt"))
    full.set(short.textContent, short.nextElementSibling);
  for (const short of article.querySelectorAll(".address")) {
    const named = full.get(short.textContent);
    if (named === undefined) continue;
    short.title = named.textContent;
    short.dataset.full = named.firstChild.textContent.trim();
  }
}

/** Opens the folded section that a link leads to. */
function openTarget() {
  const target = location.hash === "" ? null : document.getElementById(location.hash.slice(1));
  const fold = target?.querySelector(":scope > details");
  if (fold) fold.open = true;
}

/** Marks the section that is being read in the contents. */
function followSections(nav) {
  const links = [...nav.querySelectorAll("a")];
  const sections = links.map(({ hash }) => document.getElementById(hash.slice(1)));
  const mark = () => {
    const isEnd = scrollY + innerHeight >= root.scrollHeight - 2;
    const tops = sections.map((section) => section.getBoundingClientRect().top);
    const linked = links.findIndex(({ hash }) => hash === location.hash);
    // Several sections are visible at the end of a page.
    const at =
      isEnd && tops[linked] >= 0 ? linked : tops.findLastIndex((top) => top < innerHeight / 3);
    for (const [index, link] of links.entries())
      if (index === at) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
  };
  addEventListener("scroll", mark, { passive: true });
  addEventListener("hashchange", mark);
  mark();
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button?.dataset.copy !== undefined) void copy(button);
  if (button?.dataset.save !== undefined) save(button.dataset.save);
  if (button?.id === "theme") {
    root.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
  }
});
const near = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      drawFlamegraph(target);
    }
  },
  { rootMargin: "600px" },
);
// The keyboard stops only at tables that scroll.
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries)
    target.tabIndex = target.scrollWidth > target.clientWidth ? 0 : -1;
});

/** Prepares the content of the page. A script that replaces the content dispatches `svc-content`. */
function prepare() {
  for (const button of document.querySelectorAll("[data-copy], [data-save]")) button.hidden = false;
  for (const article of document.querySelectorAll("article")) nameAddresses(article);
  for (const nav of document.querySelectorAll(".report > nav")) followSections(nav);
  for (const container of document.querySelectorAll("[data-tree]")) openTree(container);
  for (const place of document.querySelectorAll("[data-profile]")) near.observe(place);
  for (const wide of document.querySelectorAll(".wide")) sizes.observe(wide);
}

dark.addEventListener("change", showTheme);
addEventListener("hashchange", openTarget);
document.addEventListener("svc-content", prepare);
prepare();
showTheme();
openTarget();
