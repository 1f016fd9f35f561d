// The completion of svc's command line for PowerShell: one table of commands, their words and flags.

import type { CommandWords, FlagWords } from "../command-line.ts";

export function powerShellCompletion(commands: readonly CommandWords[]): string {
  const table = commands.map(({ name, summary, flags, positionals }) =>
    [
      `    ${literal(name)} = @{`,
      `      Summary = ${literal(summary)}`,
      `      Words = ${list(positionals.flatMap(({ choices }) => choices))}`,
      "      Flags = [ordered]@{",
      ...flags.map((flag) => `        ${flagEntry(flag)}`),
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
  foreach ($word in $command.Words) { & $complete $word $command.Summary }
  foreach ($flag in $command.Flags.Keys) { & $complete $flag $command.Flags[$flag].Description }
}
`;
}

function flagEntry({ name, description, value }: FlagWords): string {
  const text = literal(description);
  const values = list(value?.choices ?? []);
  return `'--${name}' = @{ Description = ${text}; Values = ${values} }`;
}

function list(words: readonly string[]): string {
  return `@(${words.map((word) => literal(word)).join(", ")})`;
}

/** One word that PowerShell takes literally. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
