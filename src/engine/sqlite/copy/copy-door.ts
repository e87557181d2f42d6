import type { Database } from "better-sqlite3";
import { printable } from "../../../base/printable.ts";
import type { CopyDoor } from "../../copies.ts";
import { damagedFile } from "../../errors.ts";
import { openFile } from "../open-file.ts";
import { checkOwner } from "../ownership.ts";
import { guarded } from "../sqlite-errors.ts";
import { assertSchema } from "../tables/expected-schema.ts";
import { readSchemaState } from "../tables/migrate.ts";
import { verifyDoor } from "../verify-file.ts";

/**
 * Opens a file that no other process uses, makes sure that it is a whole database of movedex's, and makes it one plain file: its
 * tables, indexes and triggers those that movedex makes, every page and index read, every reference followed.
 *
 * @throws StoreError `MOVEDEX_STORE_DAMAGED`, `MOVEDEX_STORE_FOREIGN`, `MOVEDEX_STORE_NOT_A_DATABASE`, `MOVEDEX_STORE_NEWER`
 */
export function openCopy(path: string): CopyDoor {
  const database = openFile(path, "copy", { fileMustExist: true });
  try {
    const isToday = guarded(path, "check the copy", () => {
      database.defaultSafeIntegers(true);
      checkOwner(database, path);
      const { applied, known } = readSchemaState(database, path);
      // Comes first: reading a table whose schema another program wrote may run code in that schema.
      assertSchema(database, path, "restored");
      database.pragma("journal_mode = DELETE");
      checkStructure(database, path);
      return applied === known;
    });
    return {
      path,
      isToday,
      ...verifyDoor(database, path),
      close: async () => {
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function checkStructure(database: Database, path: string): void {
  const found = database.pragma("integrity_check(1)", { simple: true });
  if (found !== "ok") throw damagedFile(path, printable(String(found)));
  const [stray] = database.pragma("foreign_key_check") as readonly { readonly table: string }[];
  if (stray !== undefined) throw damagedFile(path, `a row of ${printable(stray.table)} refers to a row that is not there`);
}
