import { sha256Hex } from "../../../core/base/sha256.ts";
import type { Engine, Transaction } from "../../../core/db/engine/engine.ts";
import { placeError } from "../../../core/db/engine/errors.ts";
import { textsOf } from "../../../core/db/engine/row-shape.ts";
import { isAsWritten, writeChecksum } from "../../../core/db/schema/sql/checksum.ts";
import { quotedName, sql, verbatim } from "../../../core/db/schema/sql/sql.ts";
import { documentationTables } from "../../../core/db/schema/tables/content.ts";
import { tableList } from "../../../core/db/schema/tables/tables.ts";
import { workTables } from "../../../core/db/schema/tables/work.ts";
import { documentationRows, viewNames, viewStatements } from "../../../core/db/schema/view-statements.ts";
import { internalViews, viewList } from "../../../core/db/schema/views/views.ts";
import { contractSentences } from "../../schema/contract.ts";
import { failureCode } from "../postgresql-errors.ts";

const installed = sql<[string | null]>`SELECT views_digest FROM _archive`;
const intact = sql`SELECT 1 FROM _archive WHERE ${isAsWritten(workTables.archive)}`;
const described = sql`SELECT DISTINCT relation FROM documentation WHERE kind = 'view'`;
/** Lets one process at a time make or change what is in a schema, which need not be there yet. */
export const schemaTurn = sql`SELECT CAST(pg_advisory_xact_lock(hashtextextended(:schema::text || ' schema', 0)) AS text)`;
/** Tables and views of the schema in use. */
export const existing = sql<[string, string]>`SELECT CAST(relname AS text), CAST(relkind AS text) FROM pg_class
  WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind IN ('r', 'v')`;

// SQLite has these functions, and recipes of the cookbook use them. In `glob`, `*` stands for any characters, `?` for one. `likelihood`
// tells SQLite how many rows will meet a condition; PostgreSQL estimates that itself.
const functions = [
  sql`CREATE OR REPLACE FUNCTION glob(pattern text, value text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $glob$
  SELECT value LIKE replace(replace(regexp_replace(pattern, '([\\\\%_])', '\\\\\\1', 'g'), '*', '%'), '?', '_') $glob$`,
  sql`CREATE OR REPLACE FUNCTION likelihood(condition boolean, share numeric) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $share$
  SELECT condition $share$`,
];

export type SchemaPlace = { readonly schema: string; readonly label: string };

/**
 * Makes the public views, comments and the table `documentation` where they are not of this movedex, or `anew`, one process at a time.
 * @throws StoreError `MOVEDEX_STORE_MIGRATION` when views of others are made from them
 */
export async function installPostgresViews(
  engine: Engine,
  { schema, label, anew }: SchemaPlace & { readonly anew: boolean },
): Promise<void> {
  const { views, comments, digest } = expected();
  const isDone = async (tx: Pick<Transaction, "first">) => !anew && (await tx.first(installed))?.[0] === digest;
  if (await isDone(engine)) return;
  try {
    await engine.transaction(async (tx) => {
      await tx.all(schemaTurn, { schema });
      if (await isDone(tx)) return;
      await dropOwnViews(tx);
      for (const create of functions) await tx.run(create);
      for (const { create } of views) await tx.run(verbatim(create));
      await tx.run(sql`DELETE FROM documentation`);
      await tx.bulk(documentationTables.documentation, documentationRows());
      await tx.run(verbatim(comments));
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

function expected() {
  const views = viewStatements("postgresql");
  // All in one question: they are hundreds, and each would be a round trip.
  const comments = commentStatements().join(";\n");
  const created = [...functions.map((create) => create.in("postgresql")), ...views.map(({ create }) => create)];
  const digest = sha256Hex([...created, comments, JSON.stringify(documentationRows())].join("\n"));
  return { views, comments, digest };
}

/** What a failure to drop or make views comes to: people's own views may stand on them. */
export function viewsInTheWay(error: unknown, { schema, label }: SchemaPlace): unknown {
  if (failureCode(error) !== "2BP01") return error;
  const text =
    `views of yours in \`${label}\` are made from movedex's, whose statements this version changes. ` +
    "Drop yours (`DROP VIEW`), run this again, and make them anew. Nothing was changed.";
  return placeError(label, "MOVEDEX_STORE_MIGRATION", text, { schema }, error);
}

/** Drops the views that this movedex or another one made. @throws 2BP01 when views of others are made from them */
export async function dropOwnViews(tx: Transaction): Promise<void> {
  const found = new Map(await tx.all(existing));
  // Before there was the table `documentation`, it was a view.
  const others = found.has("documentation") ? await textsOf(tx, described) : [];
  const own = new Set([...viewNames("postgresql"), ...others, "documentation"].filter((name) => found.get(name) === "v"));
  // All at once, since they are made from each other. The names come out of the database, which may be anybody's.
  if (own.size > 0) await tx.run(verbatim(`DROP VIEW ${Array.from(own, quotedName).join(", ")}`));
}

type Commented = {
  readonly name: string;
  readonly meaning: string;
  readonly columns: Readonly<Record<string, { readonly meaning: string }>>;
};

/** The table that migrations are recorded in. It is no part of the table data: a file has drizzle's own. */
const migrations: Commented = {
  name: "_migrations",
  meaning: "Migrations that the tables have had",
  columns: {
    id: { meaning: "number of the migration, from 1" },
    tag: { meaning: "name of the migration" },
    applied_at: { meaning: "when it was done" },
  },
};

/** The statements that give the server the meaning of every view, table and column, where psql's `\d+` and other tools show it. */
function commentStatements(): readonly string[] {
  const views = [...internalViews, ...viewList];
  return [...views.flatMap((view) => comments("VIEW", view)), ...[...tableList, migrations].flatMap((table) => comments("TABLE", table))];
}

function comments(kind: "VIEW" | "TABLE", { name, meaning, columns }: Commented): string[] {
  return [
    `COMMENT ON ${kind} ${name} IS ${quotedText([meaning, ...contractSentences(name)].join(". "))}`,
    ...Object.entries(columns).map(([column, about]) => `COMMENT ON COLUMN ${name}.${column} IS ${quotedText(about.meaning)}`),
  ];
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
