import type { ModuleId } from "../../move/types/types.ts";
import { sql } from "../../schema/sql/sql.ts";
import type { Transaction } from "../engine/engine.ts";

/** A module by its full name, as the keys of maps have it. */
export function moduleKey({ address, name }: ModuleId): string {
  return `${address}::${name}`;
}

/** Rows of `modules` by full name: those that were asked for, and which of them are new. */
export type InternedModules = { readonly ids: ReadonlyMap<string, number>; readonly added: ReadonlyMap<number, string> };

const staged = { name: "staged_modules", columns: { address: { kind: "text" }, name: { kind: "text" } } } as const;
const addAddresses = sql`INSERT INTO addresses (address) SELECT DISTINCT address FROM staged_modules WHERE true ON CONFLICT DO NOTHING`;
const addModules = sql`
  INSERT INTO modules (address_id, name) SELECT a.id, s.name FROM staged_modules s JOIN addresses a ON a.address = s.address
  WHERE true ON CONFLICT DO NOTHING RETURNING id, name`;
const found = sql`
  SELECT m.id, s.address, s.name FROM staged_modules s JOIN addresses a ON a.address = s.address
  JOIN modules m ON m.address_id = a.id AND m.name = s.name`;

/** The rows of modules, each once, made where there are none. */
export async function internModules(tx: Transaction, modules: readonly ModuleId[]): Promise<InternedModules> {
  if (modules.length === 0) return { ids: new Map(), added: new Map() };
  await tx.stage(
    staged,
    modules.map(({ address, name }) => [address, name]),
  );
  await tx.run(addAddresses);
  const added = new Map(await tx.all<[id: number, name: string]>(addModules));
  const rows = await tx.all<[id: number, address: string, name: string]>(found);
  return { ids: new Map(rows.map(([id, address, name]) => [`${address}::${name}`, id])), added };
}
