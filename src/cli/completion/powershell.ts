import type { CompletionNode } from "./tree.ts";

/** A script that teaches PowerShell the command line, to be put into the profile. */
export function powershellCompletion(nodes: readonly CompletionNode[]): string {
  return `# movedex completions for PowerShell: movedex completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName movedex -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @{
${nodes.map(wordLine).join("")}  }
  $values = @{
${nodes.flatMap(valueLines).join("")}  }
  $path = ''
  $previous = ''
  foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursorPosition -and $wordToComplete -ne '') { break }
    $previous = $element.ToString()
    $step = "$path $previous".Trim()
    if ($words.ContainsKey($step)) { $path = $step }
  }
  $found = if ($values.ContainsKey("$path $previous")) { $values["$path $previous"] } else { $words[$path] }
  foreach ($entry in $found) {
    $name, $description = $entry -split '\\|', 2
    if ($name -like "$wordToComplete*") {
      [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', $description)
    }
  }
}
`;
}

function wordLine({ path, commands, options }: CompletionNode): string {
  const entries = [
    ...commands.map(({ name, description }) => `${name}|${description}`),
    ...options.flatMap(({ flags, description }) => flags.map((flag) => `${flag}|${description}`)),
  ];
  return `    ${quote(path.join(" "))} = @(${entries.map(quote).join(", ")})\n`;
}

function valueLines({ path, options }: CompletionNode): string[] {
  return options.flatMap(({ flags, value }) => {
    if (typeof value === "string") return [];
    const entries = value.map((word) => quote(`${word}|${word}`)).join(", ");
    return flags.map((flag) => `    ${quote(`${path.join(" ")} ${flag}`)} = @(${entries})\n`);
  });
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
