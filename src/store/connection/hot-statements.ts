import type { Database } from "better-sqlite3";
import { holds } from "../../schema/sql/predicates.ts";
import { MODULE_SPANS } from "../../schema/sql/spans.ts";
import { inSqlite } from "../../schema/sql/sqlite-words.ts";
import { workTables } from "../../schema/tables/work.ts";

import { prepareChecksum } from "./row-checksum.ts";

/** The part of a prepared statement that is used here, under a name of our own: declaration files cannot write down the library's. */
export type Prepared<P extends unknown[], R = unknown> = {
  readonly run: (...parameters: P) => { readonly changes: number; readonly lastInsertRowid: number | bigint };
  readonly get: (...parameters: P) => R | undefined;
  readonly all: (...parameters: P) => R[];
};

/** Rows as SQLite hands them over, as lists: integers are bigint. Making an object of each costs as much as finding it. */
type SpanRow = readonly [from: bigint, to: bigint | null];
type RecordSpanRow = readonly [...SpanRow, sequenceNumber: string, authenticationKey: Uint8Array, resource: Uint8Array | null];
type DigestRow = readonly [name: string, sha256: Uint8Array];

/** The parameters of a question at a version. */
type At = [{ readonly address: bigint; readonly version: bigint }];

const held = inSqlite(holds("s", ":version"));

/**
 * Statements of code that works on SQLite's connection itself, prepared once. A prepared statement costs several times less
 * than a query built anew, and better-sqlite3 frees unused ones only when the event loop turns.
 */
export function prepareHotStatements(database: Database) {
  const rows = <P extends unknown[], R>(sql: string): Prepared<P, R> => database.prepare(sql).raw(true) as unknown as Prepared<P, R>;
  const value = <P extends unknown[], V>(sql: string): Prepared<P, V> => database.prepare(sql).pluck() as unknown as Prepared<P, V>;
  const change = <P extends unknown[]>(sql: string): Prepared<P> => database.prepare(sql) as unknown as Prepared<P>;

  return {
    addressId: value<[string], bigint>("SELECT id FROM addresses WHERE address = ?"),
    addAddress: change<[string]>("INSERT INTO addresses (address) VALUES (?)"),
    bytecodeId: value<[Uint8Array], bigint>("SELECT id FROM bytecodes WHERE sha256 = ?"),

    pinStatus: value<[bigint], string>("SELECT status FROM pins WHERE ledger_version = ?"),

    recordAt: rows<At, RecordSpanRow>(
      `SELECT from_version, to_version, sequence_number, authentication_key, resource FROM account_spans s WHERE s.address_id = :address AND ${held}`,
    ),
    digestsAt: rows<At, DigestRow>(
      `SELECT name, sha256 FROM ${MODULE_SPANS} s JOIN bytecodes ON id = s.bytecode_id WHERE s.address_id = :address AND ${held} ORDER BY name`,
    ),
    checkMiss: prepareChecksum<[version: bigint, address: bigint]>(database, workTables.misses),
  };
}

/** The prepared statements of one connection. */
export type HotStatements = ReturnType<typeof prepareHotStatements>;
