import type { Command } from "commander";
import { fullName, helpOf } from "../docs/commands.ts";

/** A manual page of section 1: the file's name and its text, in the macros of man(7). */
export type ManPage = { readonly file: string; readonly text: string };

/** Columns of the help in a manual page, which man indents by seven. */
const WIDTH = 73;

/** The page of the program and one of each command: the help of each. */
export function manPages(program: Command, commands: readonly Command[], version: string): readonly ManPage[] {
  const pageOf = (command: Command, name: string, about: string): ManPage => ({
    file: `${name}.1`,
    text: `.\\" Made by scripts/release/man-page.ts from the commands.
.TH "${name.toUpperCase()}" "1" "" "movedex ${version}" "User Commands"
.SH "NAME"
${roff(name)} \\- ${roff(about.replace(/\.$/, ""))}
.SH "DESCRIPTION"
.nf
${roff(helpOf(command, WIDTH))}
.fi
`,
  });
  return [
    pageOf(program, "movedex", "copies Move modules into SQL before the node prunes them"),
    ...commands.map((command) =>
      pageOf(command, `movedex-${fullName(command).replaceAll(" ", "-")}`, command.summary() || command.description()),
    ),
  ];
}

/** Text that troff prints as it is: no escape, no request at the beginning of a line, and hyphens that can be copied. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("…", "...")
    .replace(/^(?=[.'])/gm, "\\&");
}
