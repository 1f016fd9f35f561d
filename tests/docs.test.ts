// The generated pages are what the source makes of them.

import { expect, test } from "bun:test";
import { ERRORS_PAGE, renderErrorsPage } from "../scripts/generate-docs.ts";
import { readmeWithExample } from "../scripts/readme-example.ts";

test("docs/errors.md is current; `npm run docs` makes it", async () => {
  expect(await Bun.file(ERRORS_PAGE).text()).toBe(renderErrorsPage());
});

test("the README shows what svc prints; `npm run docs` puts it in", async () => {
  const { current, wanted } = await readmeWithExample();
  expect(current).toBe(wanted);
});
