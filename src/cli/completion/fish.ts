import type { CompletionNode, CompletionOption } from "./tree.ts";

/** A script that teaches fish the command line, to be sourced or kept as `movedex.fish` in fish's folder of completions. */
export function fishCompletion(nodes: readonly CompletionNode[]): string {
  const steps = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(" ")));
  return `# movedex completions for fish: movedex completions fish | source
function __movedex_at
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l step (string trim -- "$path $word")
    if contains -- $step ${steps.join(" ")}
      set path $step
    end
  end
  test "$path" = "$argv[1]"
end
complete -c movedex -e
complete -c movedex -f
${nodes.map(nodeLines).join("")}`;
}

function nodeLines({ path, commands, options, takesFiles }: CompletionNode): string {
  const at = `complete -c movedex -n ${quote(`__movedex_at ${quote(path.join(" "))}`)}`;
  return [
    ...commands.map(({ name, description }) => `${at} -a ${quote(name)}${description === "" ? "" : ` -d ${quote(description)}`}\n`),
    ...options.map((option) => `${at}${optionWords(option)} -d ${quote(option.description)}\n`),
    ...(takesFiles ? [`${at} -F\n`] : []),
  ].join("");
}

function optionWords({ flags, value }: CompletionOption): string {
  const names = flags.map((flag) => (flag.startsWith("--") ? ` -l ${quote(flag.slice(2))}` : ` -s ${quote(flag.slice(1))}`)).join("");
  if (value === "none") return names;
  if (value === "file") return `${names} -r -F`;
  return value === "word" ? `${names} -x` : `${names} -x -a ${quote(value.join(" "))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
