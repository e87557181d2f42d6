import type { Integer, Session } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { each } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import type { SearchKind } from "../content/search-words.ts";
import { SPECIAL } from "./rank.ts";

/** What may be a hit: a name in a module, by the module's number; of an error, the number of its row for a name. */
export type Place = readonly [module: Integer, item: string];

/** A name, or an error's row, where it is looked for: in modules of these names, everywhere when they are left out. */
export type Sought = { readonly items: readonly string[]; readonly inModules?: readonly string[] | undefined };

/** Places of names that are looked at where those in some modules are wanted. */
const SCANNED = 2000;

const items = each(":items::json", "j");
const special = sql`(SELECT m.id FROM ${each(":special::json", "z")} JOIN _addresses a ON a.address = z.value JOIN _modules m ON m.address_id = a.id)`;
// In the order of the items, and within each of the modules' numbers, without a sort: so it can stop at the limit.
const ofNames = (table: Sql, only: Sql): Sql =>
  sql`SELECT i.module_id, i.name FROM ${items} CROSS JOIN ${table} i WHERE i.name = j.value ${only} LIMIT :limit`;
// Names that other modules only mention are in the table too: what is held has an ABI, or is listed where its bytes cannot be read.
const ofModules = (only: Sql): Sql =>
  sql`SELECT i.id, i.name FROM ${items} CROSS JOIN _modules i WHERE i.name = j.value ${only}
    AND coalesce((SELECT 1 FROM _abis b WHERE b.module_id = i.id LIMIT 1), (SELECT 1 FROM _listing_spans ls
      JOIN _listing_modules lm ON lm.listing_id = ls.listing_id AND lm.name = i.name WHERE ls.address_id = i.address_id LIMIT 1)) = 1 LIMIT :limit`;
const ofErrors = sql`SELECT b.module_id, j.value AS name FROM ${items} CROSS JOIN _error_map_codes d CROSS JOIN _abis b
  WHERE d.error_code_id = CAST(j.value AS bigint) AND b.error_map_id = d.error_map_id LIMIT :limit`;

const everywhere: Readonly<Record<SearchKind, Sql>> = {
  module: ofModules(sql``),
  function: ofNames(sql`_functions`, sql``),
  struct: ofNames(sql`_structs`, sql``),
  error: ofErrors,
};
const amongSpecial: Readonly<Record<SearchKind, Sql | undefined>> = {
  module: ofModules(sql`AND i.id IN ${special}`),
  function: ofNames(sql`_functions`, sql`AND i.module_id IN ${special}`),
  struct: ofNames(sql`_structs`, sql`AND i.module_id IN ${special}`),
  error: undefined,
};
// Of many places those in modules of some names; the first row has how many were looked at. PostgreSQL reads all modules for a join, and
// these few for a question inside.
const within = (
  from: Sql,
): Sql => sql`WITH looked AS MATERIALIZED (${from}) SELECT 0 AS module_id, CAST(count(*) AS text) AS name FROM looked
  UNION ALL SELECT l.module_id, l.name FROM looked l WHERE (SELECT m.name FROM _modules m WHERE m.id = l.module_id) IN (SELECT n.value FROM ${each(":within::json", "n")})`;

const ofAccounts = sql`${each(":addresses::json", "z")} JOIN _addresses a ON a.address = z.value JOIN _modules m ON m.address_id = a.id`;
const inAccounts: Readonly<Record<SearchKind, Sql>> = {
  module: sql`SELECT m.id, m.name, m.name FROM ${ofAccounts}`,
  function: sql`SELECT DISTINCT m.id, i.name, m.name FROM ${ofAccounts} JOIN _functions i ON i.module_id = m.id`,
  struct: sql`SELECT DISTINCT m.id, i.name, m.name FROM ${ofAccounts} JOIN _structs i ON i.module_id = m.id`,
  error: sql`SELECT DISTINCT m.id, CAST(d.error_code_id AS text), m.name FROM ${ofAccounts} JOIN _abis b ON b.module_id = m.id
    JOIN _error_map_codes d ON d.error_map_id = b.error_map_id`,
};

/** Where names of a kind stand: those of the ledger's own accounts first. `isCut` where not all were looked at. */
export async function findPlaces(
  session: Session,
  kind: SearchKind,
  { items, inModules }: Sought,
  limit: number,
): Promise<{ readonly places: readonly Place[]; readonly isCut: boolean }> {
  const ask = async (statement: Sql): Promise<{ places: readonly Place[]; isCut: boolean }> => {
    const values = { items: JSON.stringify(items), special: JSON.stringify(SPECIAL) };
    if (inModules === undefined) {
      const places = await session.all<[Integer, string]>(statement, { ...values, limit });
      return { places, isCut: places.length === limit };
    }
    const some = { ...values, limit: SCANNED, within: JSON.stringify(inModules) };
    const [looked, ...places] = await session.all<[Integer, string]>(withinOf(statement), some);
    return { places, isCut: Number(looked?.[1]) === SCANNED };
  };
  const first = amongSpecial[kind];
  const own = first === undefined ? [] : (await ask(first)).places;
  const others = await ask(everywhere[kind]);
  return { places: [...own, ...others.places], isCut: others.isCut };
}

/** All places of a kind in accounts, each with the name of its module. */
export async function placesInAccounts(
  session: Session,
  kind: SearchKind,
  addresses: readonly Address[],
): Promise<readonly (readonly [...Place, moduleName: string])[]> {
  return await session.all<[Integer, string, string]>(inAccounts[kind], { addresses: JSON.stringify(addresses) });
}

const narrowed = new Map(
  [...Object.values(everywhere), ...Object.values(amongSpecial)].flatMap((one) => (one === undefined ? [] : [[one, within(one)] as const])),
);

function withinOf(statement: Sql): Sql {
  return narrowed.get(statement) as Sql;
}
