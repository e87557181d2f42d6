import type { Database } from "better-sqlite3";
import { printable } from "../../../../base/printable.ts";
import { sha256Hex } from "../../../../base/sha256.ts";
import { quotedName } from "../../../schema/sql/sql.ts";
import { documentationRows, isDocumentation, viewStatements } from "../../../schema/view-statements.ts";
import { placeError, type StoreError } from "../../errors.ts";
import { hasViews, installedViews, noteViews } from "./migrate.ts";

/** Every view, and what the table `documentation` says, in one number: a file that has it is opened without them. */
export function viewsDigest(): string {
  const texts = [...viewStatements("sqlite").map(({ create }) => create), JSON.stringify(documentationRows())];
  return sha256Hex(texts.join("\n"));
}

/** Makes the public views anew. A view of somebody's that has the name of one goes only where it `replaces`, and else ends it. */
export function installViews(database: Database, { replaces = false } = {}): void {
  const views = viewStatements("sqlite");
  database
    .transaction(() => {
      // The names come out of the database, which may be anybody's.
      for (const name of installedViews(database)) database.exec(`DROP VIEW IF EXISTS ${quotedName(name)}`);
      const objects = database.prepare<[], { readonly type: string; readonly name: string }>("SELECT type, name FROM sqlite_schema").all();
      const taken = new Map(objects.map((object) => [object.name.toLowerCase(), object]));
      for (const { name, create } of views) {
        const other = taken.get(name);
        // Those that movedex alone reads are not in the documentation.
        if (other?.type === "view" && (replaces || name.startsWith("_"))) database.exec(`DROP VIEW ${quotedName(other.name)}`);
        else if (other !== undefined) throw nameTaken(database.name, other);
        database.exec(create);
      }
      const add = database.prepare("INSERT INTO documentation VALUES (?, ?, ?, ?, ?, ?)");
      database.exec("DELETE FROM documentation");
      for (const row of documentationRows()) add.run(...row);
      noteViews(database, true);
    })
    .immediate();
}

function nameTaken(path: string, { type, name }: { readonly type: string; readonly name: string }): StoreError {
  const text = `\`${printable(path)}\` has a ${type} \`${printable(name, 100)}\` of somebody's, and this version of movedex has a view of that name. Nothing was changed. Rename that ${type}, then run again.`;
  return placeError(path, "MOVEDEX_STORE_CANNOT_OPEN", text, { taken: name });
}

/** The views, and perhaps `documentation`, that differ from this movedex's definitions; undefined if another movedex made them. */
export function alteredViews(database: Database): string[] | undefined {
  if (!hasViews(database)) return;
  const stored = database.prepare<[string], string>("SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?").pluck();
  const altered = viewStatements("sqlite").flatMap(({ name, create }) => (stored.get(name) === create ? [] : [name]));
  const described = database.prepare<[], unknown[]>("SELECT * FROM documentation").raw().all();
  return isDocumentation(described) ? altered : [...altered, "documentation"];
}
