import type { Command } from "commander";
import { parseDurationOption } from "./options.ts";

/** How a night chooses whose budget does not suffice for all targets, in milliseconds. */
export type ChoiceFlags = { readonly maxAge?: number; readonly halfLife?: number };

/** Adds how a night chooses whose budget does not suffice for all targets. */
export function addChoiceOptions<C extends Command>(command: C): C {
  return command
    .option(
      "--max-age <time>",
      "where the budget does not suffice for all targets: read each at least once in this time (default: 3/4 of the node's window, 30d at most)",
      parseDurationOption,
    )
    .option(
      "--half-life <time>",
      "and of the rest what is most useful, where a change known this much later is worth half as much (default: 2d)",
      parseDurationOption,
    );
}
