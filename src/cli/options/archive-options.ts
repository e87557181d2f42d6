import type { Command } from "commander";
import type { NodeFlags } from "./node-options.ts";
import { parseRate } from "./options.ts";

/** The part of a command line that an archive node needs. */
export type ArchiveFlags = NodeFlags & { readonly archive?: string; readonly archiveRate?: number };

/** Adds the options of an archive node to a command; `what` is what it is asked for. */
export function addArchiveOptions(command: Command, what: string): Command {
  return command
    .optionsGroup("Archive node:")
    .option(
      "--archive <url>",
      `ask this archive node for ${what}; auto: the one that the node's own answers name. Only https to a public host, without your API key`,
    )
    .option("--archive-rate <n>", "requests per second to the archive node (default: the network's without a key, else 5)", parseRate);
}
