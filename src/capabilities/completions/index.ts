import { Argument, type Command, type Option } from "commander";
import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { type Candidate, DeclaredCommand } from "../../core/cli/options/declared-command.ts";

export const completions: Capability = {
  name: "completions",
  commands: {
    "About movedex:": {
      completions: async () => completionsCommand,
    },
    "": {
      complete: async () => completeCommand,
    },
  },
  readsOthers: ["complete"],
};

const shells = ["bash", "zsh", "fish"] as const;

function completionsCommand(): MovedexCommand {
  return new MovedexCommand("completions")
    .summary("print a completion script for a shell")
    .description("Print a script that completes commands, options and values in your shell.")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText("after", '\nExample:\n  $ eval "$(movedex completions bash)"')
    .runs(async ({ io }, shell: (typeof shells)[number]) => {
      await io.stdout(completionScripts[shell]);
    });
}

/** The hidden command that the scripts ask, with the words behind `movedex`. */
function completeCommand(): MovedexCommand {
  return new MovedexCommand("complete").argument("[words...]").runs(async ({ io }, words: readonly string[], _, command: Command) => {
    await io.stdout(candidateText(await candidatesOf(command.parent as Command, words)));
  });
}

/** What may stand in the place of the last of these words, which is unfinished; nothing where only the user knows, or where a file may. */
async function candidatesOf(program: Command, words: readonly string[]): Promise<readonly Candidate[]> {
  const last = words.at(-1) ?? "";
  let command = program;
  for (const word of words.slice(0, -1)) command = command.commands.find((child) => child.name() === word) ?? command;
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const suggested = async (name: string) => (command instanceof DeclaredCommand ? await command.suggested.get(name)?.() : undefined);
  const before = options.find(({ short, long }) => [short, long].includes(words.at(-2) ?? ""));
  const all =
    before !== undefined && (before.required || before.optional)
      ? ((await suggested(before.long ?? "")) ?? before.argChoices?.map(plain) ?? [])
      : [
          ...help.visibleCommands(command).map((child) => ({ name: child.name(), description: child.summary() || child.description() })),
          ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map(plain)),
          ...((await suggested("")) ?? []),
          ...(last.startsWith("-") || command.registeredArguments.length === 0 ? options.flatMap(flagsOf) : []),
        ];
  return all.filter(({ name }) => name.startsWith(last));
}

const plain = (name: string): Candidate => ({ name, description: "" });

function flagsOf({ short, long, description }: Option): Candidate[] {
  return [short, long].flatMap((name) => (name ? [{ name, description }] : []));
}

/** Candidates as the scripts read them, a line each. Shells show a line: the first sentence, without a default value in parentheses. */
function candidateText(candidates: readonly Candidate[]): string {
  const lines = candidates.map(({ name, description }) => {
    const [sentence = ""] = description.replace(/ \(default: .*$/, "").split(/(?<=[.;]) |\n/);
    return `${name}\t${sentence.replace(/[.;]$/, "")}\n`;
  });
  return lines.join("");
}

/** Scripts that have a shell ask `movedex complete`, to be evaluated or kept where the shell looks for completions. */
export const completionScripts = {
  bash: `# movedex completions for bash: eval "$(movedex completions bash)"
_movedex() {
  local IFS=$'\\n'
  COMPREPLY=($(movedex complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o bashdefault -o default -F _movedex movedex
`,
  zsh: `#compdef movedex
# movedex completions for zsh: eval "$(movedex completions zsh)"
_movedex() {
  local answer="$(movedex complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"
  local -a found=("\${(@f)answer}")
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  if [[ -n "$answer" ]]; then _describe word found; else _files; fi
}
if [[ "$funcstack[1]" == _movedex ]]; then _movedex "$@"; else compdef _movedex movedex; fi
`,
  fish: `# movedex completions for fish: movedex completions fish | source
complete -c movedex -e
complete -c movedex -a '(movedex complete -- (commandline -opc)[2..] (commandline -ct | string collect --allow-empty) 2>/dev/null)'
`,
} as const;
