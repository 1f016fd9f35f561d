// svc completion SHELL: prints a script that completes svc's command line in the shell. It is
// generated from the commands of this svc, so it always matches them.

import * as v from "valibot";
import type { Settings } from "../../base/settings/setting.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON } from "../../command/common-settings.ts";
import type { Shell } from "../../command/shell.ts";
import { COMPLETED_SHELLS, renderCompletion } from "../present/completions.ts";

const COMPLETION = {
  shell: {
    word: "one",
    required: true,
    schema: v.picklist(COMPLETED_SHELLS),
    help: "Shell that reads the script.",
  },
  ...COMMON,
} as const satisfies Settings;

export const command = defineCommand(COMPLETION, completionCommand, {
  examples: [
    ["bash > ~/.local/share/bash-completion/completions/svc", "For bash."],
    ["fish > ~/.config/fish/completions/svc.fish", "For fish."],
  ],
});

async function completionCommand(
  svc: Shell,
  { shell }: Arguments<typeof COMPLETION>,
): Promise<number> {
  const script = renderCompletion(shell, await svc.commandPages());
  await svc.output.write(svc.json ? jsonDocument({ format: 1, shell, script }) : script);
  return 0;
}
