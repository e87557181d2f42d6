import type { CompletionNode, CompletionOption } from "./tree.ts";

/** A script that teaches zsh the command line, to be evaluated or kept as `_movedex` in a folder of `fpath`. */
export function zshCompletion(nodes: readonly CompletionNode[]): string {
  const steps = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(" ")));
  return `#compdef movedex
# movedex completions for zsh: eval "$(movedex completions zsh)"
_movedex() {
  local at="" step i
  for ((i = 2; i < CURRENT; i++)); do
    step="\${at:+$at }\${words[i]}"
    case "$step" in
      ${steps.join("|")}) at="$step" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${nodes.flatMap((node) => node.options.map((option) => valueCase(node, option))).join("")}  esac
  local -a commands options
  local files=""
  case "$at" in
${nodes.map(nodeCase).join("")}  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe -o option options; return; fi
  (( \${#commands} )) && _describe command commands
  [[ -n "$files" ]] && _files
  (( \${#commands} )) || [[ -n "$files" ]] || _describe -o option options
}
if [[ "$funcstack[1]" == _movedex ]]; then _movedex "$@"; else compdef _movedex movedex; fi
`;
}

function nodeCase({ path, commands, options, takesFiles }: CompletionNode): string {
  const described = (name: string, description: string): string => quote(`${name.replaceAll(":", "\\:")}:${description}`);
  const names = commands.map(({ name, description }) => described(name, description));
  const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.description)));
  return `    ${quote(path.join(" "))}) commands=(${names.join(" ")}); options=(${flags.join(" ")})${takesFiles ? "; files=1" : ""} ;;\n`;
}

function valueCase({ path }: CompletionNode, { flags, value }: CompletionOption): string {
  if (value === "none") return "";
  const patterns = flags.map((flag) => quote(`${path.join(" ")} ${flag}`)).join("|");
  const answer = value === "file" ? "_files" : value === "word" ? "_message value" : `compadd -- ${value.map(quote).join(" ")}`;
  return `    ${patterns}) ${answer}; return ;;\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
