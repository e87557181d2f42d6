import type { DeclaredCommand } from "../declared-command.ts";
import { parseDurationOption } from "./options.ts";

/** How a night chooses whose budget does not suffice for all targets, in milliseconds. */
export type ChoiceFlags = { readonly maxAge?: number; readonly halfLife?: number };

export function addChoiceOptions(command: DeclaredCommand): DeclaredCommand {
  return command
    .option(
      "--max-age <time>",
      "if the budget is too small for all targets, still read each one this often (default: 3/4 of the node's window, at most 30d)",
      parseDurationOption,
    )
    .option(
      "--half-life <time>",
      "how fast a found change loses value; the night reads first where it expects the most (default: 2d)",
      parseDurationOption,
    );
}
