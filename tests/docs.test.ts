// The generated pages are what the source makes of them.

import { expect, test } from "bun:test";
import { ERRORS_PAGE, renderErrorsPage } from "../scripts/generate-docs.ts";
import { generateJsonSchemas } from "../scripts/json-schemas.ts";
import { readmeWithExample } from "../scripts/readme-example.ts";
import { generateSettingDocuments } from "../scripts/setting-documents.ts";

test("docs/errors.md is current; `npm run docs` makes it", async () => {
  expect(await Bun.file(ERRORS_PAGE).text()).toBe(renderErrorsPage());
});

for (const [path, text] of generateJsonSchemas())
  test(`${path} is current; \`npm run docs\` makes it`, async () => {
    expect(await Bun.file(path).text()).toBe(text);
  });

for (const [path, text] of await generateSettingDocuments())
  test(`the settings of ${path} are current; \`npm run docs\` makes them`, async () => {
    expect(await Bun.file(path).text()).toBe(text);
  });

test("the README shows what svc prints; `npm run docs` puts it in", async () => {
  const { current, wanted } = await readmeWithExample();
  expect(current).toBe(wanted);
});
