import type { Database } from "better-sqlite3";
import { sha256Hex } from "../../../../base/sha256.ts";
import { VIEWS_DIGEST } from "../../../schema/digests.ts";
import { quotedName } from "../../../schema/sql/sql.ts";
import { documentationRows, isDocumentation, viewStatements } from "../../../schema/view-statements.ts";
import { hasViews, installedViews, noteViews } from "./migrate.ts";

/** Every view, and what the table `documentation` says, in one number: a file that has it is opened without them. */
export function viewsDigest(): string {
  const texts = [...viewStatements("sqlite").map(({ create }) => create), JSON.stringify(documentationRows())];
  return sha256Hex(texts.join("\n"));
}

export function installViews(database: Database): void {
  const views = viewStatements("sqlite");
  database
    .transaction(() => {
      // The names come out of the database, which may be anybody's.
      for (const name of new Set([...installedViews(database), ...views.map((view) => view.name)]))
        database.exec(`DROP VIEW IF EXISTS ${quotedName(name)}`);
      for (const { create } of views) database.exec(create);
      const add = database.prepare("INSERT INTO documentation VALUES (?, ?, ?, ?, ?, ?)");
      database.exec("DELETE FROM documentation");
      for (const row of documentationRows()) add.run(...row);
      noteViews(database, VIEWS_DIGEST);
    })
    .immediate();
}

/** The views that differ from this movedex's definitions, and the table `documentation` if it does. Empty if another movedex made them. */
export function alteredViews(database: Database): string[] {
  if (!hasViews(database)) return [];
  const stored = database.prepare<[string], string>("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?").pluck();
  const altered = viewStatements("sqlite").flatMap(({ name, create }) => (stored.get(name) === create ? [] : [name]));
  const described = database.prepare<[], unknown[]>("SELECT * FROM documentation").raw().all();
  return isDocumentation(described) ? altered : [...altered, "documentation"];
}
