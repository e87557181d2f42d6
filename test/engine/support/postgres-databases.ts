import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe } from "vitest";
import { type PostgresOptions, postgresEngine } from "../../../src/capabilities/postgresql/postgresql-engine.ts";
import { closing } from "../../../src/core/base/async.ts";
import type { Engine } from "../../../src/core/db/engine/engine.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { sharedServers } from "../../support/postgres/servers.ts";
import { readerStatements } from "./reader-role.ts";

/** A database of its own on a server, gone with it: to drop each would cost a checkpoint. */
export type TestDatabase = {
  readonly name: string;
  readonly port: number;
  /** Its address for a user: by default the server's master, who needs no password. */
  readonly url: (user?: string, port?: number) => string;
  /** The address of a role that can only read, made for this database by the statements of docs/postgresql.md. */
  readonly reader: () => Promise<string>;
  /** Runs statements of any kind as the master, outside of movedex. */
  readonly prepare: (statements: string) => Promise<void>;
  /** The rows of a statement that the master asks; of several, those of the last. */
  readonly rows: (statement: string) => Promise<unknown[][]>;
};

/** Runs a suite once for each PostgreSQL that can be had here. */
export function eachPostgres(
  name: string,
  suite: (open: () => Promise<TestDatabase>, version: number) => void,
  servers = sharedServers,
): void {
  for (const { version, url = "", missing } of servers) {
    const title = `${name} on PostgreSQL ${version}`;
    const open = () => openDatabase(Number(new URL(url).port));
    if (missing === undefined) describe(title, () => suite(open, version));
    else describe.skip(`${title} (${missing})`, () => suite(open, version));
  }
}

/** Makes a database on the server at a port of loopback; `options` are those of CREATE DATABASE. */
export async function openDatabase(port: number, options = ""): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await runDirectly(port, "postgres", `CREATE DATABASE ${name} ${options}`);
  const url = (user = "postgres", by = port) => `postgres://${user}@127.0.0.1:${by}/${name}`;
  const role = name.replace("test", "reader");
  const reader = async () => {
    const [[owner]] = (await runDirectly(port, name, "SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'movedex'")) as [
      [string],
    ];
    await runDirectly(port, name, readerStatements({ role, owner }));
    return url(`${role}:reads`);
  };
  const prepare = async (statements: string): Promise<void> => void (await runDirectly(port, name, statements));
  return { name, port, url, reader, prepare, rows: (statement) => runDirectly(port, name, statement) };
}

/** Numbers `n`, as a table to load. */
export const numbers = { name: "numbers", columns: { n: { kind: "int" } } } as const;

/** An engine in the schema `public`, closed with its block. */
export async function publicEngine(url: string, options: PostgresOptions = {}): Promise<Engine & AsyncDisposable> {
  return closing(await postgresEngine(`${url}${url.includes("?") ? "&" : "?"}schema=public`, options));
}

/** The same, with the table of numbers. */
export async function numbersEngine(url: string, options: PostgresOptions = {}): Promise<Engine & AsyncDisposable> {
  const engine = await publicEngine(url, options);
  await engine.run(sql`CREATE TABLE numbers (n bigint PRIMARY KEY)`);
  return engine;
}

async function runDirectly(port: number, database: string, statements: string): Promise<unknown[][]> {
  const client = new pg.Client({ host: "127.0.0.1", port, database, user: "postgres" });
  await client.connect();
  try {
    return [await client.query({ text: statements, rowMode: "array" })].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}
