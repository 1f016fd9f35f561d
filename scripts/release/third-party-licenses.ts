// THIRD-PARTY-LICENSES.txt: who wrote what is in a release, and under which terms; each text once.

import type { Component } from "./components.ts";

const RULE = "=".repeat(80);

export function renderThirdPartyLicenses(components: readonly Component[]): string {
  const names = components.map((one) => `  ${label(one)} (${one.license})`);
  const texts = groupTexts(components).map(([text, holders]) =>
    [RULE, ...holders, RULE, "", text, ""].join("\n"),
  );
  return [
    "svc and svc-sim hold software of others, listed here with its licenses. The texts follow, each",
    "once, as the packages carry them; where a package carries none, the license named is meant.",
    "",
    ...names,
    "",
    ...texts,
  ].join("\n");
}

/** Text → the components that carry it, texts that differ in blanks only being the same. */
function groupTexts(components: readonly Component[]): [string, string[]][] {
  const groups = new Map<string, { readonly text: string; readonly holders: string[] }>();
  for (const component of components)
    for (const text of component.licenseTexts) {
      const key = text.replace(/\s+/g, " ").trim();
      const group = groups.get(key) ?? { text: text.replaceAll("\r\n", "\n").trim(), holders: [] };
      group.holders.push(label(component));
      groups.set(key, group);
    }
  return [...groups.values()].map(({ text, holders }) => [text, [...new Set(holders)]]);
}

function label({ name, version }: Component): string {
  return `${name} ${version}`;
}
