import { sha256Hex } from "../../../base/sha256.ts";
import { commentStatements } from "../../../schema/comments.ts";
import { isAsWritten, writeChecksum } from "../../../schema/sql/checksum.ts";
import { postgresqlDialect } from "../../../schema/sql/postgresql-dialect.ts";
import { inDialect, sql } from "../../../schema/sql/sql.ts";
import { documentationTables } from "../../../schema/tables/documentation.ts";
import { workTables } from "../../../schema/tables/work.ts";
import { documentationRows, isDocumentation, viewNames, viewStatements } from "../../../schema/view-statements.ts";
import type { Engine, Session, Transaction } from "../../engine.ts";
import { StoreError } from "../../errors.ts";
import { textsOf } from "../../shape.ts";
import { failureCode } from "../postgresql-errors.ts";

const installed = sql`SELECT views_digest FROM _archive`;
const intact = sql`SELECT 1 FROM _archive WHERE ${isAsWritten(workTables.archive)}`;
const documented = sql`SELECT relation, kind, position, column_name, type, meaning FROM documentation`;
const described = sql`SELECT DISTINCT relation FROM documentation WHERE kind = 'view'`;
const isThere = sql`SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = :schema AND c.relname = 'documentation'`;
const existing = sql`SELECT CAST(c.relname AS text) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = :schema AND c.relkind = 'v'`;

// SQLite has this function, and recipes of the cookbook use it: `*` stands for any characters, `?` for one. As a regular expression,
// every other character that is no letter or digit stands for itself.
const glob = sql`CREATE OR REPLACE FUNCTION glob(pattern text, value text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $glob$
  SELECT value ~ ('^' || replace(replace(regexp_replace(pattern, '([^[:alnum:]*?])', '\\\\\\1', 'g'), '*', '.*'), '?', '.') || '$') $glob$`;

/**
 * Makes the public views, comments and the table `documentation` where they are not of this movedex. Others wait at the row that
 * a migration locks. @throws StoreError `MOVEDEX_STORE_MIGRATION` when views of others are made from them
 */
export async function installPostgresViews(
  engine: Engine,
  { schema, label }: { readonly schema: string; readonly label: string },
): Promise<void> {
  const { views, comments, digest } = expected();
  const isDone = async (tx: Pick<Transaction, "first">) => (await tx.first<[string | null]>(installed))?.[0] === digest;
  if (await isDone(engine)) return;
  try {
    await engine.transaction(async (tx) => {
      await tx.all(sql`SELECT id FROM _migrations WHERE id = 0 FOR UPDATE`);
      if (await isDone(tx)) return;
      await dropOwnViews(tx, schema);
      await tx.run(glob);
      for (const { create } of views) await tx.run(inDialect(() => create));
      await tx.run(sql`DELETE FROM documentation`);
      await tx.bulk(documentationTables.documentation, documentationRows());
      await tx.run(inDialect(() => comments));
      await noteViews(tx, digest);
    });
  } catch (error) {
    throw viewsInTheWay(error, { schema, label });
  }
}

/** Notes which views are installed; null after they were dropped. Damage of the row stays seen. */
export async function noteViews(tx: Transaction, digest: string | null): Promise<void> {
  const isIntact = (await tx.first(intact)) !== undefined;
  await tx.run(sql`UPDATE _archive SET views_digest = :digest::text`, { digest });
  if (isIntact) await tx.run(writeChecksum(workTables.archive), { id: 1 });
}

/** Whether the table `documentation` is not as this movedex makes it with the views; never where another movedex made them. */
export async function isDocumentationAltered(session: Session): Promise<boolean> {
  const isOwn = (await session.first<[string | null]>(installed))?.[0] === expected().digest;
  return isOwn && !isDocumentation(await session.all(documented));
}

function expected() {
  const views = viewStatements(postgresqlDialect);
  // All in one question: they are hundreds, and each would be a round trip.
  const comments = commentStatements().join(";\n");
  const digest = sha256Hex([...views.map(({ create }) => create), comments, JSON.stringify(documentationRows())].join("\n"));
  return { views, comments, digest };
}

/** What a failure to drop or make views comes to: people's own views may stand on them. */
export function viewsInTheWay(error: unknown, { schema, label }: { readonly schema: string; readonly label: string }): unknown {
  if (failureCode(error) !== "2BP01") return error;
  const text =
    `views of yours in \`${label}\` are made from movedex's, whose statements this version changes. ` +
    "Drop yours (`DROP VIEW`), run this again, and make them anew. Nothing was changed.";
  return new StoreError("MOVEDEX_STORE_MIGRATION", text, { facts: { path: label, schema }, cause: error });
}

/** Drops the views that this movedex or another one made. @throws 2BP01 when views of others are made from them */
export async function dropOwnViews(tx: Transaction, schema: string): Promise<void> {
  const names = await ownViews(tx, schema, viewNames);
  // All at once, since they are made from each other. The names come out of the database, which may be anybody's.
  if (names.length > 0) await tx.run(inDialect(() => `DROP VIEW ${names.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ")}`));
}

async function ownViews(tx: Transaction, schema: string, known: readonly string[]): Promise<string[]> {
  const found = await textsOf(tx, existing, { schema });
  // Before there was the table, it was a view.
  const others = (await tx.first(isThere, { schema })) === undefined ? [] : await textsOf(tx, described);
  const own = new Set([...known, ...others, "documentation"]);
  return found.filter((name) => own.has(name));
}
