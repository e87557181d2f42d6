import type { Database } from "better-sqlite3";
import { sha256Hex } from "../../../base/sha256.ts";
import { isAsWritten } from "../../../schema/sql/checksum.ts";
import { quotedName } from "../../../schema/sql/sql.ts";
import { workTables } from "../../../schema/tables/work.ts";
import { documentationRows, isDocumentation, type ViewStatement, viewStatements } from "../../../schema/view-statements.ts";
import { writeArchiveChecksum } from "../row-checksum.ts";

type Expected = { readonly views: readonly ViewStatement[]; readonly digest: string };

let made: Expected | undefined;

/** Made when they are first asked for: a database that is only read needs none of them. */
function expected(): Expected {
  if (made !== undefined) return made;
  const views = viewStatements("sqlite");
  const texts = [...views.map(({ create }) => create), JSON.stringify(documentationRows())];
  made = { views, digest: sha256Hex(texts.join("\n")) };
  return made;
}

/** Creates the views and fills the table `documentation`. Skips this if the database has them already, unless forced. */
export function installViews(database: Database, anew = false): void {
  const installed = database.prepare<[], string | null>("SELECT views_digest FROM _archive").pluck().get();
  const { views, digest } = expected();
  if (installed === digest && !anew) return;
  database
    .transaction(() => {
      // The names come out of the database, which may be anybody's.
      for (const name of new Set([...installedViews(database), ...views.map((view) => view.name)]))
        database.exec(`DROP VIEW IF EXISTS ${quotedName(name)}`);
      for (const { create } of views) database.exec(create);
      const add = database.prepare("INSERT INTO documentation VALUES (?, ?, ?, ?, ?, ?)");
      database.exec("DELETE FROM documentation");
      for (const row of documentationRows()) add.run(...row);
      noteViews(database, digest);
    })
    .immediate();
}

/** Notes which views are installed; null after they were dropped. Damage of the row stays seen. */
export function noteViews(database: Database, digest: string | null): void {
  const isIntact = database.prepare(`SELECT 1 FROM _archive WHERE ${isAsWritten(workTables.archive).in("sqlite")}`).get() !== undefined;
  database.prepare("UPDATE _archive SET views_digest = ?").run(digest);
  if (isIntact) writeArchiveChecksum(database);
}

/** The views that differ from this movedex's definitions, and the table `documentation` if it does. Empty if another movedex made them. */
export function alteredViews(database: Database): string[] {
  const installed = database.prepare<[], string | null>("SELECT views_digest FROM _archive").pluck().get();
  const { views, digest } = expected();
  if (installed !== digest) return [];
  const stored = database.prepare<[string], string>("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?").pluck();
  const altered = views.flatMap(({ name, create }) => (stored.get(name) === create ? [] : [name]));
  const described = database.prepare<[], unknown[]>("SELECT * FROM documentation").raw().all();
  return isDocumentation(described) ? altered : [...altered, "documentation"];
}

/** The views that some movedex made; people may have made others of their own. */
export function installedViews(database: Database): string[] {
  const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'documentation'").get() !== undefined;
  if (!isThere) return [];
  const names = database.prepare<[], string>("SELECT DISTINCT relation FROM documentation WHERE kind = 'view'").pluck();
  return names.all();
}
