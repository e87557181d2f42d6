import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";
import type { Address } from "../../move/address.ts";
import type { Io } from "../io.ts";

/** A line saying that the accounts of `--targets` are not stored; empty without such a file. */
export function scopeNote({ targets }: { readonly targets?: string }): string {
  if (targets === undefined) return "";
  if (targets === "-")
    return "the accounts from stdin were read in this run alone; `movedex targets import FILE` keeps accounts for every run\n";
  const file = printable(targets);
  return `the accounts of \`${file}\` were read in this run alone; \`movedex targets import ${file}\` keeps them for every run\n`;
}

/** The accounts named on the command line, or undefined when none are. @throws ConfigError when a file was given and names none */
export async function readAccountsOption(
  flags: { readonly account?: readonly Address[]; readonly targets?: string },
  io: Io,
): Promise<Address[] | undefined> {
  const { account = [], targets } = flags;
  if (flags.account === undefined && targets === undefined) return undefined;
  const accounts = new Set(account);
  if (targets !== undefined) {
    const { walkTargetsFile } = await import("../../crawl/targets/targets-file.ts");
    const { streamInput } = await import("./text-file.ts");
    const listed = walkTargetsFile(streamInput(io, targets, "targets file"), targets === "-" ? "stdin" : targets);
    for await (const { address } of listed) accounts.add(address);
  }
  const scope = [...accounts];
  if (scope.length === 0)
    throw new ConfigError(`the targets file \`${targets}\` names no account, and no --account was given: there is nothing to read.`);
  return scope;
}
