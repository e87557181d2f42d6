import { Option } from "commander";
import { parseRate } from "../../core/cli/options/options.ts";
import type { NodeFlags } from "../../core/cli/options/shared-flags.ts";

export type ArchiveFlags = NodeFlags & { readonly archive?: string; readonly archiveRate?: number };

export function archiveOption(what: string): Option {
  const asks = `ask this archive node for ${what}; auto uses the one that the node names`;
  return new Option("--archive <url>", `${asks}. Only https to a public host; your API key is not sent`);
}

export function archiveRateOption(): Option {
  return new Option("--archive-rate <n>", "requests per second to the archive node (default: the network's, else 5)").argParser(parseRate);
}
