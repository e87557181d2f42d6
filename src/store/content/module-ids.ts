import type { Database } from "better-sqlite3";
import type { ModuleId } from "../../move/types/types.ts";

/** Rows of `modules`, made when they are new. Its calls belong inside a transaction. */
export type ModuleIds = {
  readonly idOf: (module: ModuleId) => number;
  /** Forgets the rows that were found: after a transaction that was rolled back, some of them are not there. */
  readonly forget: () => void;
};

/** Most modules refer to the same few dozen of the framework's. */
const REMEMBERED_MAX = 4000;

/** Prepares finding modules by name on a connection. `whenNew` hears of each row that was made. */
export function prepareModuleIds(database: Database, whenNew: (id: number, module: ModuleId) => void): ModuleIds {
  const finder = (select: string, insert: string) => {
    const find = database.prepare<unknown[], number>(select).pluck().safeIntegers(false);
    const add = database.prepare(insert);
    return (...values: readonly unknown[]): readonly [id: number, isNew: boolean] => {
      const known = find.get(...values);
      return known === undefined ? [Number(add.run(...values).lastInsertRowid), true] : [known, false];
    };
  };
  const address = finder("SELECT id FROM addresses WHERE address = ?", "INSERT INTO addresses (address) VALUES (?)");
  const module = finder("SELECT id FROM modules WHERE address_id = ? AND name = ?", "INSERT INTO modules (address_id, name) VALUES (?, ?)");
  const known = new Map<string, number>();
  return {
    idOf: (wanted) => {
      const key = `${wanted.address}::${wanted.name}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      const [id, isNew] = module(address(wanted.address)[0], wanted.name);
      if (isNew) whenNew(id, wanted);
      if (known.size >= REMEMBERED_MAX) known.clear();
      known.set(key, id);
      return id;
    },
    forget: () => known.clear(),
  };
}
