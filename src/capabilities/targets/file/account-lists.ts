import { printable } from "../../../core/base/printable.ts";
import type { Io } from "../../../core/cli/io.ts";
import { streamInput } from "../../../core/cli/options/text-file.ts";
import { ConfigError } from "../../../core/errors.ts";
import type { Address } from "../../../core/move/address.ts";
import { walkTargetsFile } from "./targets-file.ts";

/** A line that the accounts of a file are not stored. */
export function scopeNote(targets: string): string {
  if (targets === "-")
    return "the accounts from stdin were read in this run alone; `movedex targets import FILE` keeps accounts for every run\n";
  const file = printable(targets);
  return `the accounts of \`${file}\` were read in this run alone; \`movedex targets import ${file}\` keeps them for every run\n`;
}

/** The accounts named on the command line, and those of a file. @throws ConfigError when there is none */
export async function readAccounts(
  { account = [], targets }: { readonly account?: readonly Address[]; readonly targets: string },
  io: Pick<Io, "stdin">,
): Promise<Address[]> {
  const accounts = new Set(account);
  const listed = walkTargetsFile(streamInput(io, targets, "targets file"), targets === "-" ? "stdin" : targets);
  for await (const { address } of listed) accounts.add(address);
  if (accounts.size === 0)
    throw new ConfigError(`the targets file \`${targets}\` names no account, and no --account was given: there is nothing to read.`);
  return [...accounts];
}
