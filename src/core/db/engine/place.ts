import { existsSync, realpathSync } from "node:fs";
import { addressWithPassword, completeAddress, isPostgresAddress, readAddress } from "../../../capabilities/postgresql/address.ts";
import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The complete place that a text names, fit to pass on and print: a file's path without `file:` or `sqlite:`, or an address
 * without its password, with `schema` where it has none. @throws ConfigError for another kind of database, a schema of a file, and names of
 * databases that end with their connection
 */
export function readPlace(text: string, env: Env, schema?: string): string {
  if (isPostgresAddress(text)) return completeAddress(text, env, schema);
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  const isPrefixed = scheme === "file" || scheme === "sqlite";
  if (!isPrefixed && text.includes("://")) {
    throw new ConfigError(
      `movedex knows no database of the kind \`${printable(scheme ?? "?", 40)}://\`. Give the path of an SQLite file, or postgres://user@host/database.`,
    );
  }
  const path = isPrefixed ? text.slice(scheme.length + 1).replace(/^\/\//, "") : text;
  assertLasts(path);
  if (schema === undefined) return path;
  throw new ConfigError(`--schema is for a database of PostgreSQL, and \`${printable(path, 200)}\` is a file.`);
}

/** SQLite takes these two names, with blanks around them or not, for databases that it throws away when they are closed. */
function assertLasts(path: string): void {
  const name = path.trim();
  if (name === "") {
    throw new ConfigError(
      "the name of the database is empty; perhaps a variable is not set. Give the path of an SQLite file, or postgres://user@host/database.",
    );
  }
  if (name === ":memory:") {
    throw new ConfigError(
      "the database has to outlast the command, and `:memory:` is SQLite's name for one that does not. Give the path of an SQLite file, or postgres://user@host/database.",
    );
  }
}

/** Whether a text names a database by its address, and not a file by its path. */
export const isAddress: (text: string) => boolean = isPostgresAddress;

/** Whether a text is an address with its password in it. @throws ConfigError for an address that cannot be read */
export function holdsPassword(text: string): boolean {
  return isAddress(text) && readAddress(text).password !== undefined;
}

export function isSamePlace(a: string, b: string): boolean {
  return a === b || (!isAddress(a) && !isAddress(b) && existsSync(a) && existsSync(b) && realpathSync(a) === realpathSync(b));
}

/** A complete place with its password, if it has one: only for handing it to a process of our own, never for printing. */
export const placeWithPassword: (place: string) => string = addressWithPassword;
