import type { ModuleId } from "../../move/types/types.ts";
import { sql } from "../../schema/sql/sql.ts";
import { each, item } from "../../schema/sql/words.ts";
import type { Transaction } from "../engine/engine.ts";

/** A module by its full name, as the keys of maps have it. */
export function moduleKey({ address, name }: ModuleId): string {
  return `${address}::${name}`;
}

/** Rows of `modules` by full name: those that were asked for, and which of them are new. */
export type InternedModules = { readonly ids: ReadonlyMap<string, number>; readonly added: ReadonlyMap<number, string> };

// A list as JSON and no staged table: in SQLite each temporary table makes every statement be prepared again.
const wanted = sql`${each(":modules::json", "j")}`;
const [address, name] = [item("j.value", 0), item("j.value", 1)];
const addAddresses = sql`INSERT INTO addresses (address) SELECT DISTINCT ${address} FROM ${wanted} WHERE true ON CONFLICT DO NOTHING`;
const addModules = sql`
  INSERT INTO modules (address_id, name) SELECT a.id, ${name} FROM ${wanted} JOIN addresses a ON a.address = ${address}
  WHERE true ON CONFLICT DO NOTHING RETURNING id, name`;
const found = sql`
  SELECT m.id, a.address, m.name FROM ${wanted} JOIN addresses a ON a.address = ${address}
  JOIN modules m ON m.address_id = a.id AND m.name = ${name}`;

/** The rows of modules, each once, made where there are none. */
export async function internModules(tx: Transaction, modules: readonly ModuleId[]): Promise<InternedModules> {
  if (modules.length === 0) return { ids: new Map(), added: new Map() };
  const values = { modules: JSON.stringify(modules.map((module) => [module.address, module.name])) };
  await tx.run(addAddresses, values);
  const added = new Map(await tx.all<[id: number, name: string]>(addModules, values));
  const rows = await tx.all<[id: number, address: string, name: string]>(found, values);
  return { ids: new Map(rows.map(([id, ...of]) => [of.join("::"), id])), added };
}
