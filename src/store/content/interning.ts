import type { Database } from "better-sqlite3";
import type { ErrorCodeAbi } from "../../abi/model.ts";
import type { ModuleId, MoveType } from "../../move/types/types.ts";
import type { IndexWords } from "./search-index.ts";

/** Finds or makes the rows that many others share: a type, the name of a module, a row of an error map. */
export type Interning = {
  readonly type: (type: MoveType) => bigint;
  readonly module: (id: ModuleId) => bigint;
  readonly errorCode: (row: ErrorCodeAbi) => bigint;
};

/** Prepares interning on a connection. Its calls belong inside a transaction. */
export function prepareInterning(database: Database, indexWords: IndexWords): Interning {
  const finder = (select: string, insert: string) => {
    const find = database.prepare<unknown[], bigint>(select).pluck();
    const add = database.prepare(insert);
    return (values: readonly unknown[], whenNew?: (id: bigint) => void): bigint => {
      const known = find.get(...values);
      if (known !== undefined) return known;
      const id = BigInt(add.run(...values).lastInsertRowid);
      whenNew?.(id);
      return id;
    };
  };
  const address = finder("SELECT id FROM addresses WHERE address = ?", "INSERT INTO addresses (address) VALUES (?)");
  const module = finder("SELECT id FROM modules WHERE address_id = ? AND name = ?", "INSERT INTO modules (address_id, name) VALUES (?, ?)");
  const type = finder("SELECT id FROM types WHERE type = ?", "INSERT INTO types (type) VALUES (?)");
  const errorCode = finder(
    "SELECT id FROM error_codes WHERE code = ? AND name = ? AND description = ?",
    "INSERT INTO error_codes (code, name, description) VALUES (?, ?, ?)",
  );
  const addTypeStruct = database.prepare("INSERT OR IGNORE INTO type_structs (type_id, module_id, struct) VALUES (?, ?, ?)");
  const moduleId = (id: ModuleId): bigint => module([address([id.address]), id.name], (row) => indexWords("module", row, [id.name]));

  return {
    module: moduleId,
    errorCode: ({ code, name, description }) =>
      errorCode([code.toString(), name, description], (row) => indexWords("error", row, [name, description])),
    type: (wanted) =>
      type([wanted.text], (id) => {
        for (const struct of structsOf(wanted)) addTypeStruct.run(id, moduleId(struct.module), struct.name);
      }),
  };
}

/** Every struct that a type mentions, in no order that matters. Depth is bounded by whoever made the type, not by the stack here. */
export function* structsOf(type: MoveType): Generator<{ readonly module: ModuleId; readonly name: string }> {
  const rest: MoveType[] = [type];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    switch (next.kind) {
      case "vector":
        rest.push(next.element);
        break;
      case "reference":
        rest.push(next.target);
        break;
      case "struct":
        yield next;
        rest.push(...next.typeArguments);
        break;
      case "function":
        rest.push(...next.params, ...next.results);
        break;
    }
  }
}
