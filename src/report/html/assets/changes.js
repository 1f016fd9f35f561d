// The form of a what-if run: its fields as a document of overrides. The file comes before the script of
// a page with such a form.

/** JSON, or text. Digits stay text: a JSON number cannot have all of them. */
function written(text) {
  if (/^-?\d+$/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The fields of one entry that are filled. */
function entryOf(group) {
  const fields = [...group.querySelectorAll("[data-field]")].flatMap((input) => {
    const { field, json } = input.dataset;
    if (input.type === "checkbox") return input.checked ? [[field, true]] : [];
    const text = input.value.trim();
    return text === "" ? [] : [[field, json === "yes" ? written(text) : text]];
  });
  return Object.fromEntries(fields);
}

/** Adds an empty copy of the fields of an entry. */
function addAnother(group) {
  const other = group.cloneNode(true);
  for (const input of other.querySelectorAll("input")) {
    input.value = "";
    input.checked = false;
  }
  group.after(other);
  other.querySelector("input").focus();
}

/** What the form has, as in a file of overrides; empty fields change nothing. */
function overridesOf(form) {
  const closeTime = form.closeTime.value.trim();
  const entries = [...form].filter(({ dataset }) => dataset.entry !== undefined).map(entryOf);
  const changed = entries.filter((entry) => Object.keys(entry).length > 0);
  const filled = [...form].filter(
    ({ dataset, value }) => dataset.argument !== undefined && value.trim() !== "",
  );
  return {
    ...(filled.length > 0 && {
      arguments: Object.fromEntries(
        filled.map(({ dataset, value }) => [dataset.argument, written(value.trim())]),
      ),
    }),
    ...(changed.length > 0 && { entries: changed }),
    ...(closeTime !== "" && { ledger: { closeTime } }),
  };
}

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-another]") !== null) addAnother(target.closest("fieldset"));
});
