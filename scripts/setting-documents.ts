// Writes what the documents and the extension for Visual Studio Code say about settings from the
// rows of the settings: tables between two comments, and the launch configuration.

import { join, resolve } from "node:path";
import { toJsonSchema } from "@valibot/to-json-schema";
import { EXIT_CODES, exitCodesInOrder } from "../src/base/errors/exit-codes.ts";
import { describeFlag, describeRules } from "../src/base/settings/check-rules.ts";
import {
  choicesOf,
  defaultOf,
  flagOf,
  hasValue,
  type Setting,
  type Settings,
} from "../src/base/settings/setting.ts";
import { NETWORK } from "../src/command/common-settings.ts";
import { DAEMON_SETTINGS } from "../src/daemon/daemon-settings.ts";
import { LAUNCH_FIELDS } from "../src/dap/launch-settings.ts";
import { ARCHIVE_SETTINGS } from "../src/history-archive/archive-settings.ts";
import { TOKEN_VARIABLE } from "../src/http-server/server-settings.ts";
import { PIN_VARIABLE, TOKEN_SETTINGS } from "../src/signing/token-settings.ts";
import { NETWORK_SETTINGS } from "../src/sources/network-settings.ts";

const ROOT = resolve(import.meta.dir, "..");
const TABLE = /(?<=<!-- settings: begin -->\n)[\s\S]*?(?=<!-- settings: end -->)/;

const withDefaults = (settings: Settings, ...more: string[]) => [
  "| flag | variable | in the file | default | rules |",
  "|---|---|---|---|---|",
  ...Object.entries(settings).map(([name, setting]) => {
    const file = setting.file === undefined ? "–" : code(name);
    const fallback = hasValue(setting) ? (defaultOf(setting) ?? "none") : "false";
    return `${names(name, setting)} ${file} | ${fallback} | ${describeRules(setting).join(" ")} |`;
  }),
  ...more,
];

const withHelp = (settings: Settings, ...more: string[]) => [
  "| flag | variable | |",
  "|---|---|---|",
  ...Object.entries(settings).map(
    ([name, setting]) => `${names(name, setting)} ${describeFlag(setting)} |`,
  ),
  ...more,
];

const TABLES: Readonly<Record<string, readonly string[]>> = {
  "docs/settings.md": withDefaults(
    NETWORK,
    "| `--label ADDRESS=NAME` | – | `labels` | none; repeatable |  |",
  ),
  "docs/daemon.md": withDefaults(DAEMON_SETTINGS, `| – | \`${TOKEN_VARIABLE}\` | – | none |  |`),
  "docs/proof.md": withDefaults(ARCHIVE_SETTINGS),
  "docs/hsm.md": withHelp(TOKEN_SETTINGS, `| – | \`${PIN_VARIABLE}\` | The PIN itself. |`),
};

const EXIT_CODE_TABLE = /(?<=<!-- exit codes: begin -->\n)[\s\S]*?(?=<!-- exit codes: end -->)/;

/** Every exit code in order, and the codes from the most severe down. */
const EXIT_CODE_DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  "docs/settings.md": [
    "| code | meaning |",
    "|---|---|",
    ...exitCodesInOrder().map(
      ({ code, name, detail }) => `| ${code} | ${name}${detail === null ? "" : `: ${detail}`} |`,
    ),
  ],
  "docs/ci.md": [`Most severe first: ${EXIT_CODES.map(({ code }) => code).join(", ")}.`],
};

const EXTENSION = "release/vscode/package.json";

/** Returns the content that each file should have, by its path. */
export async function generateSettingDocuments(): Promise<Map<string, string>> {
  const documents = new Map<string, string>();
  for (const [name, table] of Object.entries(TABLES)) {
    const path = join(ROOT, name);
    const current = await Bun.file(path).text();
    documents.set(
      path,
      current.replace(TABLE, () => `\n${table.join("\n")}\n\n`),
    );
  }
  for (const [name, lines] of Object.entries(EXIT_CODE_DOCUMENTS)) {
    const path = join(ROOT, name);
    const current = documents.get(path) ?? (await Bun.file(path).text());
    documents.set(
      path,
      current.replace(EXIT_CODE_TABLE, () => `\n${lines.join("\n")}\n\n`),
    );
  }
  const path = join(ROOT, EXTENSION);
  const extension = await Bun.file(path).json();
  extension.contributes.debuggers[0].configurationAttributes.launch.properties = launchSchema();
  return documents.set(path, `${JSON.stringify(extension, null, 2)}\n`);
}

function launchSchema(): object {
  const own = toJsonSchema(LAUNCH_FIELDS, { typeMode: "input" }).properties;
  const network = Object.entries<Setting>(NETWORK_SETTINGS).map(([name, setting]) => {
    const { help: description, hint = "", repeats } = setting;
    if (choicesOf(setting).length > 0) return [name, { enum: choicesOf(setting), description }];
    const { suggestions: examples } = setting;
    const text = { type: "string", ...(examples && { examples }) };
    const list = { type: ["string", "array"], items: text };
    return [name, { ...(repeats || hint.endsWith("…") ? list : text), description }];
  });
  return { ...own, ...Object.fromEntries(network) };
}

function names(name: string, { variable }: Setting): string {
  return `| ${code(flagOf(name))} | ${variable === undefined ? "–" : code(variable)} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}
