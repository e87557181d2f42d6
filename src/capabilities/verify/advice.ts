import type { Damage } from "../../core/db/engine/check.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import { searchTables } from "../../core/db/schema/tables/content.ts";
import { derivedTables, judgedTables } from "../../core/db/schema/tables/derived.ts";

/** What can be done about damage: take back what somebody added, restore, make anew, or ask another node. */
export type DamageKind = "strange" | "stored" | "derived" | "disagrees";

/** The check by a node. */
export const REREAD = "accounts read again";

const rebuilt: ReadonlySet<string> = new Set(Object.values({ ...derivedTables, ...judgedTables, ...searchTables }).map(({ name }) => name));

/** Which kind of damage a check has found in the database at a path. */
export function kindOf(check: string, { table, row }: Damage, path: string): DamageKind {
  // Pages and references are the server's own affair.
  if (check === "tables" && databaseAt(path).isShareable) return "strange";
  if (check === REREAD) return "disagrees";
  if (check === "views") return table === check ? "stored" : "derived";
  // Pages of a file, and what could not be read to its end, have no row. Rows that follow from a bytecode are named by their view.
  const isMadeAnew = rebuilt.has(table) || (check === "bytecodes" && table !== "_bytecodes");
  return row !== "" && isMadeAnew ? "derived" : "stored";
}

/** What to do about all of it, in a sentence. */
export function adviceOn(kinds: ReadonlySet<DamageKind>, path: string): string {
  if (kinds.has("strange")) return "Take back what was changed: drop what somebody added, or restore a backup. Then verify again.";
  if (kinds.has("stored"))
    return databaseAt(path).isShareable
      ? "Restore a backup of the server's database."
      : "Restore a backup (`movedex restore`), and import the damaged file into it for the nights since (`movedex import`).";
  if (kinds.has("derived")) return "All of that follows from stored bytecode: `movedex verify --rebuild` makes it anew.";
  return "Ask another node too (`--against`) before you believe either.";
}
