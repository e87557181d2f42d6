import type { Command } from "commander";

export type CompletionOption = {
  /** `-f` and `--format`, the ones that there are. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Its value: none, one of some words, a file, or one that cannot be completed. */
  readonly value: "none" | "word" | "file" | readonly string[];
};

/** A command as a shell completes it. */
export type CompletionNode = {
  /** The words that lead to it, without `movedex`: none for movedex itself. */
  readonly path: readonly string[];
  /** Its subcommands, and the words that its argument can be. */
  readonly commands: readonly CompletionWord[];
  readonly options: readonly CompletionOption[];
  readonly takesFiles: boolean;
};

/** A word with its meaning in a line. */
export type CompletionWord = { readonly name: string; readonly description: string };

/** Words that are loaded only for completions, by a command (`schema`) or its option (`query --cookbook`). */
export type KnownWords = Readonly<Record<string, readonly CompletionWord[]>>;

/** Every command that help shows, the program first, each before its subcommands. */
export function completionTree(program: Command, known: KnownWords): CompletionNode[] {
  return describe(program, [], known);
}

function describe(command: Command, path: readonly string[], known: KnownWords): CompletionNode[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const node: CompletionNode = {
    path,
    commands: [
      ...children.map((child) => ({ name: child.name(), description: child.summary() || firstSentence(child.description()) })),
      ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((name) => ({ name, description: "" }))),
      ...(known[path.join(" ")] ?? []),
    ],
    options: help.visibleOptions(command).map((option) => ({
      flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
      description: firstSentence(option.description),
      value:
        option.argChoices ??
        known[[...path, option.long].join(" ")]?.map(({ name }) => name) ??
        (option.required || option.optional ? valueKind(option.flags) : "none"),
    })),
    takesFiles: command.registeredArguments.some((argument) => /file|folder|directory|subject|before/.test(argument.name())),
  };
  const below = children.filter((child) => child.name() !== "help").flatMap((child) => describe(child, [...path, child.name()], known));
  return [node, ...below];
}

function valueKind(flags: string): "file" | "word" {
  return /<(?:file|folder|dir|directory|path)/.test(flags) ? "file" : "word";
}

/** Shells show a line: the first sentence, without the full stop and without a default value in parentheses. */
function firstSentence(text: string): string {
  return (text.replace(/ \(default: .*$/, "").split(/(?<=[.;]) |\n/)[0] ?? "").replace(/[.;]$/, "");
}
