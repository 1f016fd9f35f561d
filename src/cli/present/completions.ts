// Completions of svc's command line for four shells, generated from its own definitions: what
// `svc completion` prints, and the files in archives. Words that are neither flags nor one of a few
// words complete to file names, as usual.

import type { CommandWords, FlagWords } from "../command-line.ts";
import { powerShellCompletion } from "./powershell-completion.ts";

/** The file name is the one in archives; release/archive/README.md has the place of each file. */
const COMPLETIONS = {
  bash: { file: "svc.bash", render: bash },
  zsh: { file: "_svc", render: zsh },
  fish: { file: "svc.fish", render: fish },
  powershell: { file: "svc.ps1", render: powerShellCompletion },
} as const;

export type CompletedShell = keyof typeof COMPLETIONS;
export const COMPLETED_SHELLS = Object.keys(COMPLETIONS) as readonly CompletedShell[];

/** The script for the shell. */
export function renderCompletion(shell: CompletedShell, commands: readonly CommandWords[]): string {
  return COMPLETIONS[shell].render(commands);
}

/** File name → content. */
export function renderCompletions(commands: readonly CommandWords[]): Map<string, string> {
  return new Map(Object.values(COMPLETIONS).map(({ file, render }) => [file, render(commands)]));
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

function bashCase({ name, flags, positionals }: CommandWords): string {
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
  const slots = positionals.flatMap(({ choices }) => choices);
  const words = slots.length === 0 ? "" : `words="${slots.join(" ")}" `;
  cases.push(`*) ${words}flags="${flags.flatMap(spellings).join(" ")}" ;;`);
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
    const rest = positionals.map(({ name: slot, many, choices }) => {
      const values = choices.length === 0 ? "_files" : `(${choices.join(" ")})`;
      return quoted(`${many ? "*" : ""}:${slot}:${values}`);
    });
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
    for (const { choices } of positionals) {
      const values = choices.length === 0 ? "-F" : `-a ${quoted(choices.join(" "), "fish")}`;
      lines.push(`complete -c svc ${within} ${values}`);
    }
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

function spellings({ name, alias }: FlagWords): string[] {
  return alias === null ? [`--${name}`] : [`-${alias}`, `--${name}`];
}

/** One word that the shell takes literally. */
function quoted(text: string, shell: "posix" | "fish" = "posix"): string {
  if (shell === "fish") return `'${text.replace(/['\\]/g, "\\$&")}'`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
