import type { DeclaredCommand } from "../declared-command.ts";
import type { NodeFlags } from "./node-options.ts";
import { parseRate } from "./options.ts";

export type ArchiveFlags = NodeFlags & { readonly archive?: string; readonly archiveRate?: number };

export function addArchiveOptions(command: DeclaredCommand, what: string): DeclaredCommand {
  return command
    .optionsGroup("Archive node:")
    .option(
      "--archive <url>",
      `ask this archive node for ${what}; auto uses the one that the node names. Only https to a public host; your API key is not sent`,
    )
    .option("--archive-rate <n>", "requests per second to the archive node (default: the network's, else 5)", parseRate);
}
