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
  const wanted = Array.from(modules, ({ address, name }) => [address, name]);
  const rows = await session.all(found, { modules: JSON.stringify(wanted) });
  return new Map(rows.map(([id, ...of]) => [of.join("::"), id]));
}

/** The numbers of modules in a database. Those of a batch are asked for together, and made where there are none. */
export class ModuleNumbers {
  readonly #byName = new Map<string, number>();

  /** Makes sure of all modules of a batch. Returns the names of those that are new, by number. */
  async intern(tx: Transaction, batch: Iterable<ModuleId>): Promise<ReadonlyMap<number, string>> {
    if (this.#byName.size > REMEMBERED_MAX) this.#byName.clear();
    const wanted = new Map<string, ModuleId>();
    for (const module of batch) {
      const fullName = formatModuleId(module);
      if (!this.#byName.has(fullName)) wanted.set(fullName, module);
    }
    const added = new Map<number, string>();
    if (wanted.size === 0) return added;
    const ids = await internAddressIds(
      tx,
      Array.from(wanted.values(), ({ address }) => address),
    );
    const addressOf = new Map(Array.from(ids, ([address, id]) => [id, address]));
    const rows = Array.from(wanted.values(), ({ address, name }) => [ids.get(address), name]);
    for (const [id, of, name] of await tx.all(addModules, { modules: JSON.stringify(rows) })) {
      const fullName = `${addressOf.get(of)}::${name}`;
      added.set(id, name);
      this.#byName.set(fullName, id);
      wanted.delete(fullName);
    }
    // Modules that an earlier one named are known. Most others are new, and adding a row costs no more than looking for it.
    if (wanted.size > 0) for (const [fullName, id] of await findModules(tx, wanted.values())) this.#byName.set(fullName, id);
    return added;
  }

  readonly of = (module: ModuleId): number => {
    const fullName = formatModuleId(module);
    return this.#byName.get(fullName) ?? unreachable(`the module ${fullName} was not made sure of`);
  };

  forget(): void {
    this.#byName.clear();
  }
}
