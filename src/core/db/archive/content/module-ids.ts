import { unreachable } from "../../../errors.ts";
import { formatModuleId, type ModuleId } from "../../../move/module-id.ts";
import type { Session, Transaction } from "../../engine/engine.ts";
import { jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { internAddresses } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";

/** Numbers of modules remembered from batch to batch: most refer to the same few dozen modules of the framework. */
const REMEMBERED_MAX = 10_000;

// A list as JSON and no staged table: in SQLite each temporary table makes every statement be prepared again.
const wanted = sql`${jsonEach(":modules::json", "j")}`;
const [first, name] = [jsonItem("j.value", 0), jsonItem("j.value", 1)];
const addresses = jsonEach(":addresses::json", "j");
const addAddresses = internAddresses(sql`(SELECT j.value AS address FROM ${addresses})`);
const addressIds = sql<[address: string, id: number]>`SELECT a.address, a.id FROM ${addresses} JOIN _addresses a ON a.address = j.value`;
const addModules = sql<[id: number, address: number, name: string]>`INSERT INTO _modules (address_id, name)
  SELECT CAST(${first} AS bigint), ${name} FROM ${wanted} WHERE true ON CONFLICT DO NOTHING RETURNING id, address_id, name`;
const found = sql<[id: number, address: string, name: string]>`SELECT m.id, a.address, m.name FROM ${wanted}
  JOIN _addresses a ON a.address = ${first} JOIN _modules m ON m.address_id = a.id AND m.name = ${name}`;

export async function internAddressIds(tx: Transaction, wanted: readonly string[]): Promise<Map<string, number>> {
  const distinct = [...new Set(wanted)];
  const addresses = JSON.stringify(distinct);
  const known = new Map(await tx.all(addressIds, { addresses }));
  // Those of accounts that are read have a row since they were planned.
  if (known.size === distinct.length) return known;
  await tx.run(addAddresses, { addresses });
  return new Map(await tx.all(addressIds, { addresses }));
}

/** The numbers of modules by full name; those without a row are left out. */
async function findModules(session: Session, modules: Iterable<ModuleId>): Promise<Map<string, number>> {
  const wanted = new Map(Array.from(modules, (module) => [formatModuleId(module), [module.address, module.name]] as const));
  const rows = await session.all(found, { modules: JSON.stringify([...wanted.values()]) });
  return new Map(rows.map(([id, ...of]) => [of.join("::"), id]));
}

/** The numbers of modules in a database. Those of a batch are asked for together, and made where there are none. */
export class ModuleNumbers {
  readonly #byKey = new Map<string, number>();
  /** Modules of this batch, by identity: a decoded module names another by the same object many times. */
  readonly #byObject = new Map<ModuleId, number>();

  /** Makes sure of all modules of a batch. Returns the names of those that are new, by number. */
  async intern(tx: Transaction, batch: Iterable<ModuleId>): Promise<ReadonlyMap<number, string>> {
    const modules = Map.groupBy(batch, formatModuleId);
    if (this.#byKey.size > REMEMBERED_MAX) this.#byKey.clear();
    this.#byObject.clear();
    const learn = (key: string, id: number): void => {
      for (const module of modules.get(key) ?? []) this.#byObject.set(module, id);
    };
    const wanted: ModuleId[] = [];
    for (const [key, alike] of modules) {
      const id = this.#byKey.get(key);
      if (id === undefined) wanted.push(alike[0] as ModuleId);
      else learn(key, id);
    }
    if (wanted.length === 0) return new Map();
    const ids = await internAddressIds(
      tx,
      wanted.map(({ address }) => address),
    );
    const addressOf = new Map(Array.from(ids, ([address, id]) => [id, address]));
    const rows = wanted.map(({ address, name }) => [ids.get(address), name]);
    const added = new Map<number, string>();
    for (const [id, of, name] of await tx.all(addModules, { modules: JSON.stringify(rows) })) {
      added.set(id, name);
      const key = `${addressOf.get(of)}::${name}`;
      this.#byKey.set(key, id);
      learn(key, id);
    }
    if (added.size === wanted.length) return added;
    // Modules that an earlier one named are known. Most others are new, and adding a row costs no more than looking for it.
    const rest = wanted.filter((module) => !this.#byObject.has(module));
    for (const [key, id] of await findModules(tx, rest)) {
      this.#byKey.set(key, id);
      learn(key, id);
    }
    return added;
  }

  readonly of = (module: ModuleId): number => {
    const known = this.#byObject.get(module);
    if (known !== undefined) return known;
    const id = this.#byKey.get(formatModuleId(module)) ?? unreachable(`the module ${formatModuleId(module)} was not made sure of`);
    this.#byObject.set(module, id);
    return id;
  };

  forget(): void {
    this.#byKey.clear();
    this.#byObject.clear();
  }
}
