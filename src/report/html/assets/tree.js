// The call tree of a page: search, folding, and the keys that move through it. Without this script
// the tree still folds, because its rows are details elements. The file comes before page.js in the
// same script.

/** `container` has the tools and the tree. */
function openTree(container) {
  const tools = container.querySelector(".tools");
  const search = tools.querySelector("input");
  const output = tools.querySelector("output");
  const items = [...container.querySelectorAll(".tree li")].map((item) => {
    const own = item.querySelector(":scope > .own, :scope > details > .own");
    return { item, own, text: (own ?? item).textContent.toLowerCase() };
  });
  const folds = [...container.querySelectorAll(".tree details")];
  const openAtFirst = folds.map((fold) => fold.open);
  let matches = [];
  let at = -1;

  const find = () => {
    const wanted = search.value.trim().toLowerCase();
    const found = items.filter(({ text }) => wanted !== "" && text.includes(wanted));
    matches = found.filter(({ own }) => own !== null);
    at = -1;
    const kept = new Set();
    for (const { item } of found) {
      for (let above = item; above !== container; above = above.parentElement) {
        if (kept.has(above)) break;
        kept.add(above);
      }
    }
    const isFound = new Set(found.map(({ item }) => item));
    for (const { item } of items) {
      item.classList.toggle("found", isFound.has(item));
      item.classList.toggle("other", wanted !== "" && !kept.has(item));
    }
    for (const [index, fold] of folds.entries()) {
      const open = wanted === "" ? openAtFirst[index] : kept.has(fold) || openAtFirst[index];
      if (fold.open !== open) fold.open = open;
    }
    output.textContent = wanted === "" ? "" : `${matches.length} of ${items.length} rows`;
  };
  const go = (step) => {
    if (matches.length === 0) return;
    at = (at + step + matches.length) % matches.length;
    output.textContent = `${at + 1} of ${matches.length} matches`;
    const { own } = matches[at];
    for (const { item } of items) item.classList.toggle("current", item === matches[at].item);
    own.scrollIntoView({ block: "center" });
  };

  for (const { own } of items) if (own !== null && own.localName !== "summary") own.tabIndex = -1;
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
    else if (event.key !== "Escape") return;
    else if (search.value !== "") {
      search.value = "";
      find();
    }
    event.preventDefault();
  });
  for (const button of tools.querySelectorAll("[data-fold]"))
    button.addEventListener("click", () => {
      for (const fold of folds) fold.open = button.dataset.fold === "open";
    });
  const rows = items.flatMap(({ own }) => own ?? []);
  const places = new Map(rows.map((own, index) => [own, index]));
  /** Returns the next visible row, or undefined at the end. */
  const beside = (own, step) => {
    let place = places.get(own) + step;
    while (rows[place]?.checkVisibility() === false) place += step;
    return rows[place];
  };
  container
    .querySelector(".tree")
    .addEventListener("keydown", (event) => moveInTree(event, beside));
  tools.hidden = false;
}

/** The arrow keys move between the visible rows, and fold them. */
function moveInTree(event, beside) {
  const own = event.target.closest(".own");
  if (own === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const fold = own.localName === "summary" ? own.parentElement : null;
  const step = {
    ArrowDown: () => beside(own, 1),
    ArrowUp: () => beside(own, -1),
    ArrowRight: () => {
      if (fold?.open === false) fold.open = true;
      else return fold && beside(own, 1);
    },
    ArrowLeft: () => {
      if (fold?.open) fold.open = false;
      else return own.closest("li").parentElement.closest("li")?.querySelector(".own");
    },
  }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  step()?.focus();
}
