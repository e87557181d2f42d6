import { codeFile } from "../../base/files.ts";
import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";
import type { Database } from "./database.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Databases on a server, named by addresses such as `postgres://user@host/database`: a capability brings them along. */
export type ServerDatabases = {
  /** The address with all that it lacks, without its password, and in `schema` where that is given. @throws ConfigError */
  readonly complete: (text: string, env: Env, schema?: string) => string;
  /** @throws ConfigError for an address that cannot be read */
  readonly holdsPassword: (text: string) => boolean;
  readonly withPassword: (complete: string) => string;
  readonly at: (complete: string) => Database;
};

let servers: ServerDatabases | undefined;

/** Sets how this process opens databases on servers: as the capability that brings it does. Without one it opens files alone. */
export function setServers(capabilities: readonly { readonly openDatabase?: ServerDatabases }[]): void {
  servers = capabilities.find(({ openDatabase }) => openDatabase !== undefined)?.openDatabase;
}

/** `setServers` for threads and the library, which begin without the list of capabilities: they load it when given an address. */
export async function loadServersFor(place: string): Promise<void> {
  if (isAddress(place)) setServers((await import(codeFile("src/capabilities.ts", "dist/capabilities.js"))).capabilities);
}

/** @throws ConfigError where this movedex opens files only */
export function serverDatabases(): ServerDatabases {
  if (servers !== undefined) return servers;
  throw new ConfigError("this movedex has no PostgreSQL. Give the path of an SQLite file.");
}

/** Whether a text names a database by its address, and not a file by its path. */
export function isAddress(text: string): boolean {
  return /^postgres(?:ql)?:/i.test(text);
}

/**
 * The complete place that a text names, fit to pass on and print: a file's path without `file:` or `sqlite:`, or an address
 * without its password, with `schema` where it has none. @throws ConfigError for another kind of database, a schema of a file, and names of
 * databases that end with their connection
 */
export function readPlace(text: string, env: Env, schema?: string): string {
  if (isAddress(text)) return serverDatabases().complete(text, env, schema);
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  const isPrefixed = scheme === "file" || scheme === "sqlite";
  if (!isPrefixed && text.includes("://")) {
    throw new ConfigError(`movedex knows no database of the kind \`${printable(scheme ?? "?", 40)}://\`. ${namesWanted()}`);
  }
  const path = isPrefixed ? text.slice(scheme.length + 1).replace(/^\/\//, "") : text;
  assertLasts(path);
  if (schema === undefined) return path;
  throw new ConfigError(`--schema is for a database of PostgreSQL, and \`${printable(path, 200)}\` is a file.`);
}

/** SQLite takes these two names, with blanks around them or not, for databases that it throws away when they are closed. */
function assertLasts(path: string): void {
  const name = path.trim();
  if (name === "") throw new ConfigError(`the name of the database is empty; perhaps a variable is not set. ${namesWanted()}`);
  if (name === ":memory:") {
    throw new ConfigError(
      `the database has to outlast the command, and \`:memory:\` is SQLite's name for one that does not. ${namesWanted()}`,
    );
  }
}

/** Whether a text is an address with its password in it. @throws ConfigError for an address that cannot be read */
export function holdsPassword(text: string): boolean {
  return isAddress(text) && serverDatabases().holdsPassword(text);
}

function namesWanted(): string {
  return `Give the path of an SQLite file${servers === undefined ? "" : ", or postgres://user@host/database"}.`;
}

/** A complete place with its password, if it has one: only for handing it to a process of our own, never for printing. */
export function placeWithPassword(place: string): string {
  return isAddress(place) ? serverDatabases().withPassword(place) : place;
}
