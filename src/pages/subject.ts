import { printable } from "../base/printable.ts";
import { ConfigError } from "../errors.ts";
import { type Address, parseAddress } from "../move/address.ts";
import { NotHeldError } from "../questions/not-held.ts";
import { namesSnapshot } from "../questions/snapshot-choice.ts";
import type { Subject } from "../questions/subject.ts";
import type { PageCall } from "./page.ts";

/** The account in a path. @throws ConfigError */
export function readAddress(text: string): Address {
  const address = parseAddress(text);
  if (address !== undefined) return address;
  throw new ConfigError(`\`${printable(text, 100)}\` is not an account address. Give 0x and 1 to 64 hex digits.`);
}

/** The choice in a query string; undefined where the query names none. @throws ConfigError for a choice that there is not */
export function readChoice<T extends string>(query: PageCall["query"], name: string, choices: readonly T[]): T | undefined {
  const value = query(name);
  const choice = choices.find((one) => one === value);
  if (choice !== undefined || value === undefined) return choice;
  throw new ConfigError(`there is no ${name} \`${printable(value, 60)}\`. Give one of ${choices.join(", ")}.`);
}

/** The module in a path, at the version of `?at=`, by any name: what a node called a module is held. @throws ConfigError, NotHeldError */
export function readSubject({ parts, query }: Pick<PageCall, "parts" | "query">): Subject & { address: Address; module: string } {
  const [account = "", module = ""] = parts;
  if (module === "") throw new NotHeldError("no module is named.");
  const at = query("at");
  return { address: readAddress(account), module, ...(at === undefined ? {} : { version: parseSnapshot(at) }) };
}

/** A snapshot as it is named in an address: a ledger version, `latest`, `previous` or `oldest`. @throws ConfigError */
export function parseSnapshot(text: string): string {
  const plain = text.replaceAll(/[,_ ]/g, "");
  if (namesSnapshot(plain)) return plain;
  throw new ConfigError(`\`${printable(text, 60)}\` is not a ledger version. Give a number, \`latest\`, \`previous\` or \`oldest\`.`);
}
