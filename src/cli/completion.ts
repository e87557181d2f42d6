import type { Command } from "commander";
import { recipes } from "../schema/cookbook/cookbook.ts";
import { relations } from "../schema/documentation.ts";

type CompletionOption = {
  /** `-f` and `--format`, the ones that there are. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Its value: none, one of some words, a file, or one that cannot be completed. */
  readonly value: "none" | "word" | "file" | readonly string[];
};

/** A command as a shell completes it. */
type CompletionNode = {
  /** The words that lead to it, without `movedex`: none for movedex itself. */
  readonly path: string;
  /** Its subcommands, and the words that its argument can be. */
  readonly commands: readonly CompletionWord[];
  readonly options: readonly CompletionOption[];
  readonly takesFiles: boolean;
};

/** A word with its meaning in a line. */
type CompletionWord = { readonly name: string; readonly description: string };

/** A script that teaches a shell the command line, to be evaluated or kept where the shell looks for completions. */
export function completionScript(shell: keyof typeof writers, program: Command): string {
  const recipeNames = recipes.map(({ name, question }) => ({ name, description: question }));
  const relationNames = relations.map(({ name, meaning }) => ({ name, description: meaning }));
  const known = { cookbook: recipeNames, "query --cookbook": recipeNames, schema: relationNames };
  return writers[shell](describe(program, "", known));
}

/** Every command that help shows, each before its subcommands. `known` has the words of a command (`schema`) or of its option. */
function describe(command: Command, path: string, known: Readonly<Record<string, readonly CompletionWord[]>>): CompletionNode[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const node: CompletionNode = {
    path,
    commands: [
      ...children.map((child) => ({ name: child.name(), description: child.summary() || firstSentence(child.description()) })),
      ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((name) => ({ name, description: "" }))),
      ...(known[path] ?? []),
    ],
    options: help.visibleOptions(command).map((option) => ({
      flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
      description: firstSentence(option.description),
      value:
        option.argChoices ??
        known[`${path} ${option.long}`]?.map(({ name }) => name) ??
        (option.required || option.optional ? valueKind(option.flags) : "none"),
    })),
    takesFiles: command.registeredArguments.some((argument) => /file|folder|directory|subject|before/.test(argument.name())),
  };
  const below = children.filter((child) => child.name() !== "help");
  return [node, ...below.flatMap((child) => describe(child, `${path} ${child.name()}`.trim(), known))];
}

function valueKind(flags: string): "file" | "word" {
  return /<(?:file|folder|dir|directory|path)/.test(flags) ? "file" : "word";
}

/** Shells show a line: the first sentence, without the full stop and without a default value in parentheses. */
function firstSentence(text: string): string {
  return (text.replace(/ \(default: .*$/, "").split(/(?<=[.;]) |\n/)[0] ?? "").replace(/[.;]$/, "");
}

type ValueAnswers = { readonly file: string; readonly word: string; readonly words: (words: readonly string[]) => string };

/** The branches of a shell's `case` that answer with an option's value; `quote` makes a pattern. */
function valueCases(nodes: readonly CompletionNode[], quote: (text: string) => string, answers: ValueAnswers): string {
  const branches = nodes.flatMap(({ path, options }) =>
    options.map(({ flags, value }) => {
      if (value === "none") return "";
      const answer = typeof value === "string" ? answers[value] : answers.words(value);
      return `    ${flags.map((flag) => quote(`${path} ${flag}`)).join("|")}) ${answer}; return ;;\n`;
    }),
  );
  return branches.join("");
}

function stepsOf(nodes: readonly CompletionNode[], quote: (text: string) => string): string[] {
  return nodes.filter(({ path }) => path !== "").map(({ path }) => quote(path));
}

function bashCompletion(nodes: readonly CompletionNode[]): string {
  const quote = (text: string): string => `"${text}"`;
  const cases = nodes.map(({ path, commands, options, takesFiles }) => {
    const words = [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
    return `    "${path}") words="${words.join(" ")}"${takesFiles ? "; files=1" : ""} ;;\n`;
  });
  const values = valueCases(nodes, quote, {
    file: 'COMPREPLY=($(compgen -f -- "$cur"))',
    word: "COMPREPLY=()",
    words: (words) => `COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$cur"))`,
  });
  return `# movedex completions for bash: eval "$(movedex completions bash)"
_movedex() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" step i
  for ((i = 1; i < COMP_CWORD; i++)); do
    step="\${at:+$at }\${COMP_WORDS[i]}"
    case "$step" in
      ${stepsOf(nodes, quote).join("|")}) at="$step" ;;
    esac
  done
  case "$at $prev" in
${values}  esac
  local words="" files=""
  case "$at" in
${cases.join("")}  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [[ -n "$files" && "$cur" != -* ]]; then COMPREPLY+=($(compgen -f -- "$cur")); fi
}
complete -o filenames -o bashdefault -F _movedex movedex
`;
}

function zshCompletion(nodes: readonly CompletionNode[]): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const described = (name: string, description: string): string => quote(`${name.replaceAll(":", "\\:")}:${description}`);
  const cases = nodes.map(({ path, commands, options, takesFiles }) => {
    const names = commands.map(({ name, description }) => described(name, description));
    const flags = options.flatMap((option) => option.flags.map((flag) => described(flag, option.description)));
    return `    ${quote(path)}) commands=(${names.join(" ")}); options=(${flags.join(" ")})${takesFiles ? "; files=1" : ""} ;;\n`;
  });
  const values = valueCases(nodes, quote, {
    file: "_files",
    word: "_message value",
    words: (words) => `compadd -- ${words.map(quote).join(" ")}`,
  });
  return `#compdef movedex
# movedex completions for zsh: eval "$(movedex completions zsh)"
_movedex() {
  local at="" step i
  for ((i = 2; i < CURRENT; i++)); do
    step="\${at:+$at }\${words[i]}"
    case "$step" in
      ${stepsOf(nodes, quote).join("|")}) at="$step" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${values}  esac
  local -a commands options
  local files=""
  case "$at" in
${cases.join("")}  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe -o option options; return; fi
  (( \${#commands} )) && _describe command commands
  [[ -n "$files" ]] && _files
  (( \${#commands} )) || [[ -n "$files" ]] || _describe -o option options
}
if [[ "$funcstack[1]" == _movedex ]]; then _movedex "$@"; else compdef _movedex movedex; fi
`;
}

function fishCompletion(nodes: readonly CompletionNode[]): string {
  const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const optionWords = ({ flags, value }: CompletionOption): string => {
    const names = flags.map((flag) => (flag.startsWith("--") ? ` -l ${quote(flag.slice(2))}` : ` -s ${quote(flag.slice(1))}`)).join("");
    if (value === "none") return names;
    if (value === "file") return `${names} -r -F`;
    return value === "word" ? `${names} -x` : `${names} -x -a ${quote(value.join(" "))}`;
  };
  const lines = nodes.flatMap(({ path, commands, options, takesFiles }) => {
    const at = `complete -c movedex -n ${quote(`__movedex_at ${quote(path)}`)}`;
    return [
      ...commands.map(({ name, description }) => `${at} -a ${quote(name)}${description === "" ? "" : ` -d ${quote(description)}`}\n`),
      ...options.map((option) => `${at}${optionWords(option)} -d ${quote(option.description)}\n`),
      ...(takesFiles ? [`${at} -F\n`] : []),
    ];
  });
  return `# movedex completions for fish: movedex completions fish | source
function __movedex_at
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l step (string trim -- "$path $word")
    if contains -- $step ${stepsOf(nodes, quote).join(" ")}
      set path $step
    end
  end
  test "$path" = "$argv[1]"
end
complete -c movedex -e
complete -c movedex -f
${lines.join("")}`;
}

const writers = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };
