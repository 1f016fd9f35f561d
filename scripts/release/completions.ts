// Completions of svc's command line for four shells, generated from its own definitions. Words that
// are not flags complete to file names, as usual.

import type { CommandWords, FlagWords } from "./command-line.ts";

/** File name → content. release/archive/README.md has the place of each file. */
export function renderCompletions(commands: readonly CommandWords[]): Map<string, string> {
  return new Map([
    ["svc.bash", bash(commands)],
    ["_svc", zsh(commands)],
    ["svc.fish", fish(commands)],
    ["svc.ps1", powerShell(commands)],
  ]);
}

/** The first word of a command, and the second words of names with two: `hsm list`, `hsm test`. */
interface FirstWord {
  readonly word: string;
  readonly summary: string;
  readonly seconds: readonly { readonly word: string; readonly summary: string }[];
}

function firstWords(commands: readonly CommandWords[]): FirstWord[] {
  const words = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
  return words.map((word) => {
    const seconds = commands
      .filter(({ name }) => name.startsWith(`${word} `))
      .map(({ name, summary }) => ({ word: name.slice(word.length + 1), summary }));
    const own = commands.find(({ name }) => name === word)?.summary;
    const summary = own ?? `${seconds.map((second) => second.word).join(", ")}.`;
    return { word, summary, seconds };
  });
}

/** One pattern of a shell's `case`. */
function twoWordNames(commands: readonly CommandWords[]): string {
  const names = commands.filter(({ name }) => name.includes(" ")).map(({ name }) => quoted(name));
  return names.join(" | ");
}

function bash(commands: readonly CommandWords[]): string {
  const first = firstWords(commands);
  const second = first
    .filter(({ seconds }) => seconds.length > 0)
    .map(
      ({ word, seconds }) => `    ${word}) words="${seconds.map((one) => one.word).join(" ")}" ;;`,
    );
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
${second.map((line) => `    ${line}`).join("\n")}
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

function bashCase({ name, flags }: CommandWords): string {
  const takes = (...kinds: readonly string[]) =>
    flags.filter(({ value }) => value !== null && kinds.includes(value.kind));
  const cases = takes("choice").map(
    (flag) => `${spellings(flag).join("|")}) words="${flag.value?.choices.join(" ")}" ;;`,
  );
  const directories = takes("directory").flatMap(spellings).join("|");
  if (directories !== "")
    cases.push(`${directories}) COMPREPLY=($(compgen -d -- "$current")); return ;;`);
  const others = takes("file", "text").flatMap(spellings).join("|");
  if (others !== "") cases.push(`${others}) return ;;`);
  cases.push(`*) flags="${flags.flatMap(spellings).join(" ")}" ;;`);
  const lines = [
    `${quoted(name)}) case $previous in`,
    ...cases.map((one) => `  ${one}`),
    "esac ;;",
  ];
  return lines.map((line) => `      ${line}`).join("\n");
}

function zsh(commands: readonly CommandWords[]): string {
  const first = firstWords(commands);
  const described = (one: { readonly word: string; readonly summary: string }) =>
    quoted(`${one.word}:${one.summary}`);
  const summaries = first.map((one) => `    ${described(one)}`);
  const second = first
    .filter(({ seconds }) => seconds.length > 0)
    .map(({ word, seconds }) => `      ${word}) actions=(${seconds.map(described).join(" ")}) ;;`);
  const cases = commands.map(({ name, flags, positionals }) => {
    const rest = positionals.map((slot) => quoted(`${slot.many ? "*" : ""}:${slot.name}:_files`));
    const specs = [...flags.map(zshFlag), ...rest].map((spec) => `        ${spec}`);
    return [`    ${quoted(name)})`, "      _arguments -s -S \\", `${specs.join(" \\\n")} ;;`].join(
      "\n",
    );
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

function zshFlag(flag: FlagWords): string {
  const { value, alias } = flag;
  const text = `[${flag.description.replace(/[[\]\\:]/g, "\\$&")}]`;
  if (value === null)
    return alias === null
      ? quoted(`--${flag.name}${text}`)
      : `${quoted(`(-${alias} --${flag.name})`)}{-${alias},--${flag.name}}${quoted(text)}`;
  const files = { file: "_files", directory: "_files -/", text: " " };
  const values = value.kind === "choice" ? `(${value.choices.join(" ")})` : files[value.kind];
  return quoted(`--${flag.name}=${text}:${value.hint}:${values}`);
}

function fish(commands: readonly CommandWords[]): string {
  const lines = ["# fish completion of svc", "", "complete -c svc -f"];
  const first = "-n __fish_use_subcommand";
  lines.push(`complete -c svc ${first} -l help -d 'Print help.'`);
  lines.push(`complete -c svc ${first} -l version -d 'Print the version.'`);
  const words = firstWords(commands);
  const seen = "__fish_seen_subcommand_from";
  for (const { word, summary, seconds } of words) {
    lines.push(`complete -c svc ${first} -a ${word} -d ${quoted(summary, "fish")}`);
    const all = seconds.map((second) => second.word).join(" ");
    for (const second of seconds) {
      const when = `-n '${seen} ${word}; and not ${seen} ${all}'`;
      const text = quoted(second.summary, "fish");
      lines.push(`complete -c svc ${when} -a ${second.word} -d ${text}`);
    }
  }
  for (const { name, flags, positionals } of commands) {
    const [word = "", second] = name.split(" ");
    const others = words.find((each) => each.word === word)?.seconds.map((each) => each.word) ?? [];
    const not = others.length === 0 ? "" : `; and not ${seen} ${others.join(" ")}`;
    const within = `-n '${seen} ${word}${second === undefined ? not : `; and ${seen} ${second}`}'`;
    if (positionals.length > 0) lines.push(`complete -c svc ${within} -F`);
    for (const flag of flags) {
      const alias = flag.alias === null ? "" : ` -s ${flag.alias}`;
      const text = quoted(flag.description, "fish");
      lines.push(`complete -c svc ${within}${alias} -l ${flag.name}${fishValue(flag)} -d ${text}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function fishValue({ value }: FlagWords): string {
  if (value === null) return "";
  if (value.kind === "choice") return ` -x -a '${value.choices.join(" ")}'`;
  const others = {
    file: " -r -F",
    directory: " -x -a '(__fish_complete_directories)'",
    text: " -x",
  };
  return others[value.kind];
}

function powerShell(commands: readonly CommandWords[]): string {
  const table = commands.map(({ name, summary, flags }) =>
    [
      `    ${quoted(name, "powershell")} = @{`,
      `      Summary = ${quoted(summary, "powershell")}`,
      "      Flags = [ordered]@{",
      ...flags.map((flag) => `        ${powerShellFlag(flag)}`),
      "      }",
      "    }",
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
  foreach ($flag in $command.Flags.Keys) { & $complete $flag $command.Flags[$flag].Description }
}
`;
}

function powerShellFlag({ name, description, value }: FlagWords): string {
  const values = (value?.choices ?? []).map((choice) => quoted(choice, "powershell")).join(", ");
  const text = quoted(description, "powershell");
  return `'--${name}' = @{ Description = ${text}; Values = @(${values}) }`;
}

function spellings({ name, alias }: FlagWords): string[] {
  return alias === null ? [`--${name}`] : [`-${alias}`, `--${name}`];
}

/** One word that the shell takes literally. */
function quoted(text: string, shell: "posix" | "fish" | "powershell" = "posix"): string {
  if (shell === "powershell") return `'${text.replaceAll("'", "''")}'`;
  if (shell === "fish") return `'${text.replace(/['\\]/g, "\\$&")}'`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
