// Shows on stdout what is known of a transaction that cannot be replayed, before the error on
// stderr.

import { SvcError } from "../../base/errors/errors.ts";
import { type Shell, textOptions } from "../../command/shell.ts";
import { outlineOf } from "../../model/transaction-outline.ts";

/** Shows nothing if the error has no outline. */
export async function showOutline(shell: Shell, error: unknown): Promise<void> {
  const outline = error instanceof SvcError ? outlineOf(error) : null;
  if (outline === null || !(error instanceof SvcError)) return;
  const { renderOutlineText } = await import("../../report/text/render-text.ts");
  const { code, message, remedy } = error;
  shell.log.endProgress();
  const text = renderOutlineText(outline, { code, message, remedy }, textOptions(shell));
  await shell.output.write(text);
}
