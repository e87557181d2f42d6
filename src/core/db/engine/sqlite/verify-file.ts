import Database from "better-sqlite3";
import { tableList } from "../../schema/tables/tables.ts";
import { viewNames } from "../../schema/view-statements.ts";
import { type Check, checkOf, type Damage, FILE, type Slice, type VerifySession } from "../check.ts";
import type { ReadOptions } from "../database.ts";
import { StoreError } from "../errors.ts";
import { openWithoutLock } from "./open-sqlite.ts";
import { guarded } from "./sqlite-errors.ts";
import { sqliteSession } from "./statements.ts";
import { compareSchema } from "./tables/expected-schema.ts";
import { alteredViews } from "./tables/install-views.ts";
import { readSchemaState } from "./tables/migrate.ts";

/** More complaints of one kind than this say nothing more. */
const COMPLAINTS_MAX = 100;

export async function openSqliteToVerify(path: string, options?: Pick<ReadOptions, "lockTimeoutMs">): Promise<VerifySession> {
  const { database, close } = await openWithoutLock(path, { mode: "read", ...options });
  guarded(path, "begin reading", () => database.exec("BEGIN"));
  return { ...verifySession(database, path), close: async () => close() };
}

export function verifySession(database: Database.Database, path: string): Omit<VerifySession, "close"> {
  return {
    session: sqliteSession(database, path),
    schema: () => schemaOf(database),
    added: () => compareSchema(database, readSchemaState(database, path).applied).added,
    tables: (slice) => fileCheck(database, slice),
    views: (slice) => viewCheck(database, slice),
    damageIn,
  };
}

/** Any failure of SQLite but another's lock is one of the file: the file is all there is to fail. */
function damageIn(error: unknown): string | undefined {
  const failure = error instanceof StoreError ? error.cause : error;
  const isOfFile = failure instanceof Database.SqliteError && !failure.code.startsWith("SQLITE_BUSY");
  return isOfFile ? `${failure.message} (${failure.code})` : undefined;
}

function schemaOf(database: Database.Database): Damage[] {
  const { applied } = readSchemaState(database, database.name);
  return compareSchema(database, applied).damage.map(({ name, problem }) => ({ table: name, row: "", problem }));
}

function viewCheck(database: Database.Database, { part }: Slice): Check {
  const problem = "is not as movedex made it; `movedex verify --rebuild` makes it anew";
  const altered = part === 0 ? alteredViews(database) : undefined;
  return checkOf("views", altered ? [...viewNames("sqlite"), "documentation"] : [], async (name) =>
    altered?.includes(name) ? [{ table: name, row: "", problem }] : [],
  );
}

/**
 * SQLite's checks of pages, indexes, types and references; in full also of pages of no table. A slice has its share of the tables.
 */
function fileCheck(database: Database.Database, { part, of }: Slice): Check {
  const tables = tableList.filter((_, index) => index % of === part).map(({ name }) => name);
  const references = database.prepare<[string, number], { rowid: bigint | null; parent: string }>(
    "SELECT rowid, parent FROM pragma_foreign_key_check(?) LIMIT ?",
  );
  const integrity = (argument: string): Damage[] =>
    (database.pragma(`integrity_check(${argument})`) as readonly { readonly integrity_check: string }[])
      .map((row) => row.integrity_check)
      .filter((text) => text !== "ok")
      .map((problem) => ({ table: of === 1 ? FILE : argument, row: "", problem }));
  const dangling = (table: string): Damage[] =>
    references.all(table, COMPLAINTS_MAX).map(({ rowid, parent }) => ({
      table,
      row: rowid === null ? "" : `${rowid}`,
      problem: `refers to a row of ${parent} that is not there`,
    }));
  return {
    name: "tables",
    total: async () => tables.length + (of === 1 ? 2 : 1),
    steps: async function* () {
      const strange = part === 0 ? schemaOf(database) : [];
      yield strange.map((damage) => ({ ...damage, problem: `${damage.problem}; nothing else was checked` }));
      // To check an index or a constraint is to work out what it says, which may have no end.
      if (strange.length > 0) return;
      if (of === 1) yield integrity(`${COMPLAINTS_MAX}`);
      for (const table of tables) yield [...(of === 1 ? [] : integrity(table)), ...dangling(table)];
    },
  };
}
