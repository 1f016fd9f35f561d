// Generates completions of svc's command line for four shells from its commands: the output of `svc
// completion`, and the files in archives. Other words complete to file names, as usual.

import { describeFlag } from "../../base/settings/check-rules.ts";
import { completedValues } from "../../base/settings/setting.ts";
import { shownFlagsOf, wordsOf } from "../../command/command.ts";
import type { CommandPage } from "../../command/shell.ts";

/** The file names are those in archives. release/archive/README.md has the place of each file. */
const COMPLETIONS = {
  bash: { file: "svc.bash", render: bash },
  zsh: { file: "_svc", render: zsh },
  fish: { file: "svc.fish", render: fish },
  powershell: { file: "svc.ps1", render: powerShell },
} as const;

export type CompletedShell = keyof typeof COMPLETIONS;
export const COMPLETED_SHELLS = Object.keys(COMPLETIONS) as readonly CompletedShell[];

/** The script for the shell. */
export function renderCompletion(shell: CompletedShell, pages: readonly CommandPage[]): string {
  return COMPLETIONS[shell].render(pages.map(completed));
}

/** The content of each file, by its name. */
export function renderCompletions(pages: readonly CommandPage[]): Map<string, string> {
  return new Map(COMPLETED_SHELLS.map((s) => [COMPLETIONS[s].file, renderCompletion(s, pages)]));
}

type CompletedCommand = ReturnType<typeof completed>;
type CompletedFlag = CompletedCommand["flags"][number];

function completed({ name, summary, settings }: CommandPage) {
  const flags = shownFlagsOf(settings).map(({ flag, alias, hint, setting }) => {
    const choices = completedValues(setting);
    const path = /^(FILE|DIR)\b/.exec(hint ?? "")?.[1] as "FILE" | "DIR" | undefined;
    return {
      spellings: alias === null ? [flag] : [alias, flag],
      flag,
      text: describeFlag(setting),
      hint,
      kind: hint === null ? "switch" : choices.length > 0 ? "choice" : (path ?? "text"),
      choices,
    } as const;
  });
  const words = wordsOf(settings).map(([word, setting]) => {
    return { name: word, many: setting.word === "many", choices: completedValues(setting) };
  });
  return { name, summary, flags, words };
}

/** The first word of each command, with the second words of names with two: `hsm list`. */
function firstWords(commands: readonly CompletedCommand[]) {
  const words = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
  return words.map((word) => {
    const seconds = commands
      .filter(({ name }) => name.startsWith(`${word} `))
      .map(({ name, summary }) => ({ word: name.slice(word.length + 1), summary }));
    const second = seconds.map((each) => each.word).join(" ");
    const own = commands.find(({ name }) => name === word)?.summary;
    return { word, summary: own ?? `${second.replaceAll(" ", ", ")}.`, second, seconds };
  });
}

/** One pattern of a shell's `case`. */
function twoWordNames(commands: readonly CompletedCommand[]): string {
  const names = commands.filter(({ name }) => name.includes(" ")).map(({ name }) => quoted(name));
  return names.join(" | ");
}

function bash(commands: readonly CompletedCommand[]): string {
  const first = firstWords(commands);
  const second = first
    .filter(({ seconds }) => seconds.length > 0)
    .map(({ word, second: words }) => `        ${word}) words="${words}" ;;`);
  return `# bash completion of svc

_svc() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} words= flags=
  local command=\${COMP_WORDS[1]}
  # Without a word that fits, readline completes file names.
  COMPREPLY=()
  # Readline takes --flag=value for three words.
  if [ "$current" = = ]; then current=
  elif [ "$previous" = = ]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${[...first.map(({ word }) => word), "--help", "--version"].join(" ")}"
  else
    if [ "$COMP_CWORD" -eq 2 ]; then
      case $command in
${second.join("\n")}
      esac
    else
      case "$command \${COMP_WORDS[2]}" in
        ${twoWordNames(commands)}) command="$command \${COMP_WORDS[2]}" ;;
      esac
    fi
    case $command in
${commands.map(bashCase).join("\n")}
    esac
  fi
  case $current in -*) words="$words $flags" ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _svc svc
`;
}

function bashCase({ name, flags, words: slots }: CompletedCommand): string {
  const takes = (...kinds: readonly CompletedFlag["kind"][]) =>
    flags.filter(({ kind }) => kinds.includes(kind));
  const spelled = (some: readonly CompletedFlag[]) => some.flatMap(({ spellings }) => spellings);
  const cases = takes("choice").map(
    ({ spellings, choices }) => `${spellings.join("|")}) words="${choices.join(" ")}" ;;`,
  );
  const directories = spelled(takes("DIR")).join("|");
  if (directories !== "")
    cases.push(`${directories}) COMPREPLY=($(compgen -d -- "$current")); return ;;`);
  const others = spelled(takes("FILE", "text")).join("|");
  if (others !== "") cases.push(`${others}) return ;;`);
  const choices = slots.flatMap((slot) => slot.choices);
  const words = choices.length === 0 ? "" : `words="${choices.join(" ")}" `;
  cases.push(`*) ${words}flags="${spelled(flags).join(" ")}" ;;`);
  const lines = cases.map((pattern) => `        ${pattern}\n`).join("");
  return `      ${quoted(name)}) case $previous in\n${lines}      esac ;;`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const first = firstWords(commands);
  const described = (entry: { readonly word: string; readonly summary: string }) =>
    quoted(`${entry.word}:${entry.summary}`);
  const summaries = first.map((entry) => `    ${described(entry)}`);
  const second = first
    .filter(({ seconds }) => seconds.length > 0)
    .map(({ word, seconds }) => `      ${word}) actions=(${seconds.map(described).join(" ")}) ;;`);
  const cases = commands.map(({ name, flags, words }) => {
    const operands = words.map(({ name: slot, many, choices }) => {
      const values = choices.length === 0 ? "_files" : `(${choices.join(" ")})`;
      return quoted(`${many ? "*" : ""}:${slot}:${values}`);
    });
    const specs = [...flags.map(zshFlag), ...operands].map((spec) => `        ${spec}`);
    return `    ${quoted(name)})\n      _arguments -s -S \\\n${specs.join(" \\\n")} ;;`;
  });
  return `#compdef svc
# zsh completion of svc

_svc() {
  local context state line
  local -a actions commands=(
${summaries.join("\n")}
  )
  _arguments -C '(- *)--help[Print help.]' '(- *)--version[Print the version.]' \\
    '1: :->command' '*:: :->rest'
  case $state in
  command) _describe command commands ;;
  rest)
    if (( CURRENT == 2 )); then
      case $words[1] in
${second.join("\n")}
      esac
      (( $#actions )) && _describe action actions
    else
      case "$words[1] $words[2]" in
      ${twoWordNames(commands)})
        words=("$words[1] $words[2]" "\${(@)words[3,-1]}")
        (( CURRENT-- )) ;;
      esac
    fi
    case $words[1] in
${cases.join("\n")}
    esac ;;
  esac
}

_svc "$@"
`;
}

function zshFlag({ spellings, flag, text, hint, kind, choices }: CompletedFlag): string {
  const shown = `[${text.replace(/[[\]\\:]/g, "\\$&")}]`;
  if (kind === "switch")
    return spellings.length === 1
      ? quoted(`${flag}${shown}`)
      : `${quoted(`(${spellings.join(" ")})`)}{${spellings.join(",")}}${quoted(shown)}`;
  const files = { FILE: "_files", DIR: "_files -/", text: " " };
  const values = kind === "choice" ? `(${choices.join(" ")})` : files[kind];
  return quoted(`${flag}=${shown}:${hint}:${values}`);
}

function fish(commands: readonly CompletedCommand[]): string {
  const lines = ["# fish completion of svc", "", "complete -c svc -f"];
  const first = "-n __fish_use_subcommand";
  lines.push(`complete -c svc ${first} -l help -d 'Print help.'`);
  lines.push(`complete -c svc ${first} -l version -d 'Print the version.'`);
  const grouped = firstWords(commands);
  const seen = "__fish_seen_subcommand_from";
  for (const { word, summary, second, seconds } of grouped) {
    lines.push(`complete -c svc ${first} -a ${word} -d ${quoted(summary, "fish")}`);
    for (const each of seconds) {
      const when = `-n '${seen} ${word}; and not ${seen} ${second}'`;
      lines.push(`complete -c svc ${when} -a ${each.word} -d ${quoted(each.summary, "fish")}`);
    }
  }
  for (const { name, flags, words } of commands) {
    const [word = "", second] = name.split(" ");
    const others = grouped.find((each) => each.word === word)?.second ?? "";
    const not = others === "" ? "" : `; and not ${seen} ${others}`;
    const within = `-n '${seen} ${word}${second === undefined ? not : `; and ${seen} ${second}`}'`;
    for (const { choices } of words) {
      const values = choices.length === 0 ? "-F" : `-a ${quoted(choices.join(" "), "fish")}`;
      lines.push(`complete -c svc ${within} ${values}`);
    }
    for (const flag of flags) {
      const names = flag.spellings.map((spelling) =>
        spelling.replace(/^--/, "-l ").replace(/^-(?=\w$)/, "-s "),
      );
      const text = quoted(flag.text, "fish");
      lines.push(`complete -c svc ${within} ${names.join(" ")}${fishValue(flag)} -d ${text}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function fishValue({ kind, choices }: CompletedFlag): string {
  return {
    switch: "",
    choice: ` -x -a '${choices.join(" ")}'`,
    FILE: " -r -F",
    DIR: " -x -a '(__fish_complete_directories)'",
    text: " -x",
  }[kind];
}

/** A word that the shell takes literally. */
function quoted(text: string, shell: "posix" | "fish" | "powershell" = "posix"): string {
  if (shell === "fish") return `'${text.replace(/['\\]/g, "\\$&")}'`;
  return `'${text.replaceAll("'", shell === "posix" ? "'\\''" : "''")}'`;
}

function powerShell(commands: readonly CompletedCommand[]): string {
  const literal = (text: string) => quoted(text, "powershell");
  const list = (choices: readonly string[]) => `@(${choices.map(literal).join(", ")})`;
  const table = commands.map(({ name, summary, flags, words }) =>
    [
      `    ${literal(name)} = @{`,
      `      Summary = ${literal(summary)}`,
      `      Words = ${list(words.flatMap(({ choices }) => choices))}`,
      "      Flags = [ordered]@{",
      ...flags.map(({ flag, text, choices }) => {
        return `        '${flag}' = @{ Description = ${literal(text)}; Values = ${list(choices)} }`;
      }),
      "      }\n    }",
    ].join("\n"),
  );
  return `# PowerShell completion of svc

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = [ordered]@{
${table.join("\n")}
  }
  $complete = {
    param($text, $description)
    if ($text -like "$wordToComplete*") {
      [System.Management.Automation.CompletionResult]::new(
        $text, $text, 'ParameterValue', $description)
    }
  }
  $before = @($commandAst.CommandElements | Where-Object {
    $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  if ($before.Count -lt 2) {
    $offered = @()
    foreach ($name in $commands.Keys) {
      $group, $second = $name.Split(' ')
      if ($offered -contains $group) { continue }
      $offered += $group
      & $complete $group $commands[$name].Summary
    }
    return
  }
  $chosen = $before[1]
  if ($before.Count -lt 3) {
    foreach ($name in $commands.Keys) {
      $group, $second = $name.Split(' ')
      if ($group -eq $chosen -and $second) { & $complete $second $commands[$name].Summary }
    }
  }
  elseif ($commands.Contains("$chosen $($before[2])")) { $chosen = "$chosen $($before[2])" }
  $command = $commands[$chosen]
  if ($null -eq $command) { return }
  $values = $command.Flags[$before[-1]]
  if ($null -ne $values -and $values.Values.Count -gt 0) {
    foreach ($value in $values.Values) { & $complete $value $values.Description }
    return
  }
  foreach ($word in $command.Words) { & $complete $word $command.Summary }
  foreach ($flag in $command.Flags.Keys) { & $complete $flag $command.Flags[$flag].Description }
}
`;
}
