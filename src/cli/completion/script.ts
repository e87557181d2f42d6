import type { Command } from "commander";
import { recipes } from "../../schema/cookbook/cookbook.ts";
import { relations } from "../../schema/documentation.ts";
import { fishCompletion } from "./fish.ts";
import { type CompletionNode, type CompletionOption, completionTree } from "./tree.ts";
import { zshCompletion } from "./zsh.ts";

/** A script that teaches bash the command line. It needs nothing but bash itself. */
function bashCompletion(nodes: readonly CompletionNode[]): string {
  const steps = nodes.filter(({ path }) => path.length > 0).map(({ path }) => `"${path.join(" ")}"`);
  return `# movedex completions for bash: eval "$(movedex completions bash)"
_movedex() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" step i
  for ((i = 1; i < COMP_CWORD; i++)); do
    step="\${at:+$at }\${COMP_WORDS[i]}"
    case "$step" in
      ${steps.join("|")}) at="$step" ;;
    esac
  done
  case "$at $prev" in
${nodes.flatMap((node) => node.options.map((option) => valueCase(node, option))).join("")}  esac
  local words="" files=""
  case "$at" in
${nodes.map(nodeCase).join("")}  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ -n "$files" && "$cur" != -* ]]; then COMPREPLY+=($(compgen -f -- "$cur")); fi
}
complete -o filenames -o bashdefault -F _movedex movedex
`;
}

function nodeCase({ path, commands, options, takesFiles }: CompletionNode): string {
  const words = [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
  return `    "${path.join(" ")}") words="${words.join(" ")}"${takesFiles ? "; files=1" : ""} ;;\n`;
}

function valueCase({ path }: CompletionNode, { flags, value }: CompletionOption): string {
  if (value === "none") return "";
  const patterns = flags.map((flag) => `"${path.join(" ")} ${flag}"`).join("|");
  const answer =
    value === "file"
      ? 'COMPREPLY=($(compgen -f -- "$cur"))'
      : value === "word"
        ? "COMPREPLY=()"
        : `COMPREPLY=($(compgen -W "${value.join(" ")}" -- "$cur"))`;
  return `    ${patterns}) ${answer}; return ;;\n`;
}

const writers = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export function completionScript(shell: keyof typeof writers, program: Command): string {
  const recipeNames = recipes.map(({ name, question }) => ({ name, description: question }));
  const relationNames = relations.map(({ name, meaning }) => ({ name, description: meaning }));
  return writers[shell](completionTree(program, { cookbook: recipeNames, "query --cookbook": recipeNames, schema: relationNames }));
}
