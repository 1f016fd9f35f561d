// The generated pages are what the source makes of them.

import { expect, test } from "bun:test";
import { ERRORS_PAGE, renderErrorsPage } from "../scripts/generate-docs.ts";

test("docs/errors.md is current; `npm run docs` makes it", async () => {
  expect(await Bun.file(ERRORS_PAGE).text()).toBe(renderErrorsPage());
});
