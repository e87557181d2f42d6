import type { Integer, Transaction, Values } from "../engine/engine.ts";
import type { Sql } from "../schema/sql/sql.ts";

/** Adds a row by an INSERT with `RETURNING id`, then its parts, then its checksum by the statement `check`. @returns its number */
export async function addRow<Id extends Integer = number>(
  tx: Transaction,
  insert: Sql,
  values: Values,
  check: Sql,
  addParts?: (id: Id) => Promise<unknown>,
): Promise<Id> {
  const [[id]] = (await tx.all(insert, values)) as unknown as [[Id]];
  await addParts?.(id);
  await tx.run(check, { id });
  return id;
}
