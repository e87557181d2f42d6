import { printable } from "../base/printable.ts";
import { ConfigError, type Facts, MovedexError } from "../errors.ts";
import { type Address, parseAddress } from "../move/address.ts";
import { isIdentifier } from "../move/module-id.ts";

/** What a person named: an account, a module, one of its items; and at which snapshot. A module may stand without its account. */
export type Subject = {
  readonly address?: Address | undefined;
  readonly module?: string | undefined;
  readonly item?: string | undefined;
  /** As it was written: a ledger version, `latest`, `previous` or `oldest`. */
  readonly version?: string | undefined;
};

/** `0x1`, `0x1::coin`, `0x1::coin::transfer`, `coin` or `coin::transfer`, each with `@VERSION` behind it or without. @throws ConfigError */
export function parseSubject(text: string): Subject {
  const at = text.lastIndexOf("@");
  const version = at < 0 ? undefined : text.slice(at + 1);
  const parts = (at < 0 ? text : text.slice(0, at)).split("::");
  const first = parts[0] ?? "";
  const address = first.startsWith("0x") || parts.length === 3 || first.length === 64 ? parseAddress(first) : undefined;
  const names = address === undefined ? parts : parts.slice(1);
  const [module, item] = names;
  const isGood = names.length <= 2 && names.every(isIdentifier) && (address !== undefined || names.length > 0) && version !== "";
  if (!isGood) {
    throw new ConfigError(
      `\`${printable(text, 200)}\` is not an account (0x1), a module (0x1::coin or coin) or one of its items (0x1::coin::transfer). Each may end with @VERSION.`,
    );
  }
  return { address, module, item, version };
}

/** What was asked for is not in the database: it was never read, or it was read and is not there. The sentence says which. */
export class NotHeldError extends MovedexError {
  constructor(message: string, facts: Facts = {}) {
    super("MOVEDEX_NOT_HELD", message, { facts });
  }
}
