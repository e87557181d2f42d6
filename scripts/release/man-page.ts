import type { Argument, Command, Option } from "commander";
import { exitCodes } from "../../src/exit-codes.ts";
import { fullName, helpOf } from "../docs/commands.ts";

/** A manual page of section 1: the file's name and its text, in the macros of man(7). */
export type ManPage = { readonly file: string; readonly text: string };

/** The page of the program and one of each command, from what their help is made of. */
export function manPages(program: Command, commands: readonly Command[], version: string): readonly ManPage[] {
  return [programPage(program, commands, version), ...commands.map((command) => commandPage(command, version))];
}

function programPage(program: Command, commands: readonly Command[], version: string): ManPage {
  return page("movedex", "copies Move modules into SQL before the node prunes them", version, [
    section("SYNOPSIS", `.B movedex\n.I command\n[options]`),
    section("DESCRIPTION", roff(program.description())),
    section(
      "COMMANDS",
      commands.map((command) => item(bold(`movedex ${fullName(command)}`), command.summary() || command.description())).join("\n"),
    ),
    section(
      "EXIT STATUS",
      Object.values(exitCodes)
        .map(({ code, meaning }) => item(bold(String(code)), meaning))
        .join("\n"),
    ),
    section("SEE ALSO", commands.map((command) => reference(fileName(command))).join(",\n")),
  ]);
}

function commandPage(command: Command, version: string): ManPage {
  const name = fileName(command);
  const help = command.createHelp();
  const operands = command.registeredArguments.map((argument) => {
    const word = `\\fI${roff(argument.name())}\\fR${argument.variadic ? "\\ ..." : ""}`;
    return argument.required ? word : `[${word}]`;
  });
  const groups = Map.groupBy(help.visibleOptions(command), ({ helpGroupHeading }) => helpGroupHeading?.replace(/:$/, "") ?? "Options");
  return page(name, command.summary() || command.description(), version, [
    section("SYNOPSIS", [`.B movedex ${roff(fullName(command))}`, "[options]", ...operands].join("\n")),
    section("DESCRIPTION", roff(command.description())),
    ...(operands.length === 0 ? [] : [section("ARGUMENTS", command.registeredArguments.map(argumentItem).join("\n"))]),
    ...[...groups].map(([heading, options]) => section(heading.toUpperCase(), options.map(optionItem).join("\n"))),
    section("EXAMPLES", `.nf\n${examplesOf(command).map(roff).join("\n")}\n.fi`),
    section("EXIT STATUS", `0 is success, 64 wrong usage.\nThe others are in ${reference("movedex")}.`),
  ]);
}

function page(name: string, about: string, version: string, sections: readonly string[]): ManPage {
  const head = `.\\" Made by scripts/release/man-page.ts from the commands.\n.TH "${name.toUpperCase()}" "1" "" "movedex ${version}" "User Commands"`;
  return {
    file: `${name}.1`,
    text: [head, section("NAME", `${roff(name)} \\- ${roff(about.replace(/\.$/, ""))}`), ...sections].join("\n").concat("\n"),
  };
}

function section(heading: string, text: string): string {
  return `.SH "${heading}"\n${text}`;
}

function argumentItem(argument: Argument): string {
  const { required, description, argChoices, defaultValue, defaultValueDescription } = argument;
  return item(
    `\\fI${roff(argument.name())}\\fR${required ? "" : " (optional)"}`,
    withValues(description, argChoices, defaultValueDescription ?? defaultValue),
  );
}

function optionItem({ flags, required, optional, description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const isTyped = required || optional;
  return item(bold(flags), withValues(description, argChoices, isTyped ? (defaultValueDescription ?? defaultValue) : undefined));
}

function withValues(description: string, choices: readonly string[] | undefined, standard: unknown): string {
  const notes = [
    ...(choices === undefined ? [] : [`choices: ${choices.join(", ")}`]),
    ...(standard === undefined ? [] : [`default: ${String(standard)}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join("; ")})`;
}

function examplesOf(command: Command): string[] {
  return helpOf(command)
    .split("\n")
    .filter((line) => /^ {2}\$ /.test(line))
    .map((line) => line.trim());
}

function item(term: string, text: string): string {
  return `.TP\n${term}\n${roff(text)}`;
}

function bold(text: string): string {
  return `\\fB${roff(text)}\\fR`;
}

function reference(name: string): string {
  return `\\fB${roff(name)}\\fR(1)`;
}

function fileName(command: Command): string {
  return `movedex-${fullName(command).replaceAll(" ", "-")}`;
}

/** Text that troff prints as it is: no escape, no request at the beginning of a line, and hyphens that can be copied. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("…", "...")
    .replace(/^(?=[.'])/gm, "\\&");
}
