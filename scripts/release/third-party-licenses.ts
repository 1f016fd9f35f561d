// Writes THIRD-PARTY-LICENSES.txt: the software in a release and its licenses, with each text
// once.

import type { Component } from "./components.ts";

const RULE = "=".repeat(80);

export function renderThirdPartyLicenses(components: readonly Component[]): string {
  const names = components.map((one) => `  ${label(one)} (${one.license})`);
  const texts = groupTexts(components).map(([text, holders]) =>
    [RULE, ...holders, RULE, "", text, ""].join("\n"),
  );
  return [
    "svc and svc-sim contain the following third-party software. The license texts are those in the",
    "packages, each text once. For a package without a text, the license in the list applies.",
    "",
    ...names,
    "",
    ...texts,
  ].join("\n");
}

/**
 * Groups the names of components by their license text. Texts that differ only in white space count
 * as the same.
 */
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
