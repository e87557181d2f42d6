import type { Integer, Session } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { each, jsonList } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { type SearchKind, searchKinds } from "../content/search-words.ts";
import type { Held } from "./lists.ts";

/** What may be a hit: a name in a module, by the module's number; of an error, the number of its row for a name. */
export type SearchPlace = readonly [module: Integer, item: string];

/** A place with the name of what may be there, and whether it is in an account of the ledger's own. */
export type Candidate = { readonly place: SearchPlace; readonly name: string; readonly isOwn: boolean };
/** Places that were found. `isCut` where not all were looked at. */
export type FoundPlaces = { readonly places: readonly Candidate[]; readonly isCut: boolean };

type Row = readonly [rest: 0 | 1 | 2, ...SearchPlace, name: string];

/** Names, or an error's row, as the index has them. With module names given, only in modules of these names; otherwise everywhere. */
export type Sought = { readonly items: readonly string[]; readonly inModules?: readonly string[] };

/** Places of names that are looked at where those in some modules are wanted. */
const SCANNED = 2000;

const items = each(":items::json", "j");
const specials = each(":special::json", "z");
const special = sql`(SELECT CAST(z.value AS bigint) FROM ${specials})`;
/** Rows of a kind by their numbers. */
const rowsOf = (table: Sql): Sql => sql`${items} CROSS JOIN ${table} n WHERE n.id = CAST(j.value AS bigint)`;
// Names that other modules only mention are in the table too: what is held has an ABI, or is listed where its bytes cannot be read.
const isHeld = sql`AND coalesce((SELECT 1 FROM _abis b WHERE b.module_id = i.id LIMIT 1), CASE WHEN :unread::int = 1 THEN (SELECT 1 FROM _listing_spans ls
  JOIN _listing_modules lm ON lm.listing_id = ls.listing_id AND lm.name = i.name WHERE ls.address_id = i.address_id LIMIT 1) END) = 1`;
// Of structs that share a name the index says which have the field; of all else the name says it.
const themselves = sql`SELECT CASE WHEN n.module_id IN ${special} THEN 0 ELSE 1 END AS rest, n.module_id, n.name AS item, n.name FROM ${rowsOf(sql`_structs`)} UNION ALL`;

const wantedNames = sql`(SELECT DISTINCT n.name FROM ${each(":within::json", "w")} CROSS JOIN _modules n WHERE n.id = CAST(w.value AS bigint))`;
// Modules of rare names are known by their numbers at once; of frequent names there are soon enough places, each of whose modules is asked
// for its name. Made a join, a server would read all modules for it.
const namedSo = sql`FROM ${wantedNames} AS n CROSS JOIN _modules m WHERE m.name = n.name`;
const rare = sql`counted AS MATERIALIZED (SELECT count(*) AS count FROM (SELECT m.name ${namedSo} LIMIT 2001) AS sample), rare AS MATERIALIZED (SELECT m.id ${namedSo} LIMIT 2001)`;
const inNamed = (
  module: Sql,
): Sql => sql`CASE WHEN :others > 0 AND (SELECT count FROM counted) <= 2000 THEN ${module} IN (SELECT id FROM rare)
  ELSE (SELECT m.name FROM _modules m WHERE m.id = ${module}) IN ${wantedNames} END`;

// The ledger's own first, then all, in one question; `rest` tells them apart. The own are few, and names are sought among them. All others
// come by name, and within each name by the modules' numbers, without a sort: so it can stop at the limit.
const ownFirst = (table: Sql, module: Sql, own: Sql, condition = sql``, before = sql``): Sql =>
  sql`WITH names AS MATERIALIZED (SELECT n.name AS value, min(j.key) AS place FROM ${rowsOf(table)} GROUP BY n.name ORDER BY 2) ${before}
    SELECT 0 AS rest, module_id, name AS item, name FROM (SELECT ${module} AS module_id, i.name FROM ${own} CROSS JOIN ${table} i CROSS JOIN names j
      WHERE ${module} = CAST(z.value AS bigint) AND j.value = i.name ${condition} ORDER BY j.place, module_id LIMIT :limit) AS own
    UNION ALL SELECT 1, module_id, name, name FROM (SELECT ${module} AS module_id, i.name FROM names j CROSS JOIN ${table} i
      WHERE i.name = j.value ${condition} LIMIT :others) AS others`;
const placesWith = (own: Sql): Readonly<Record<SearchKind, Sql>> => ({
  module: ownFirst(sql`_modules`, sql`i.id`, own, isHeld),
  function: ownFirst(sql`_functions`, sql`i.module_id`, own),
  struct: ownFirst(sql`_structs`, sql`i.module_id`, own, sql``, themselves),
  error: sql`SELECT CASE WHEN b.module_id IN ${special} THEN 0 ELSE 1 END AS rest, b.module_id, j.value AS item, e.name FROM ${items}
    CROSS JOIN _error_codes e CROSS JOIN _error_map_codes d CROSS JOIN _abis b
    WHERE e.id = CAST(j.value AS bigint) AND d.error_code_id = e.id AND b.error_map_id = d.error_map_id
      AND (:others > 0 OR b.module_id IN ${special}) LIMIT :limit`,
});
const everywhere = placesWith(specials);
// Of many places those in modules of some names, no more than are wanted; `rest` 2 has how many were looked at.
const within = (from: Sql): Sql =>
  sql`WITH ${rare}, looked AS MATERIALIZED (${from}) SELECT 2 AS rest, count(*) AS module_id, '' AS item, '' AS name FROM looked UNION ALL
    SELECT rest, module_id, item, name FROM (SELECT rest, module_id, item, name FROM looked WHERE ${inNamed(sql`looked.module_id`)} LIMIT :most) AS wanted`;
const named = placesWith(sql`(SELECT v.value FROM ${each(":special::json", "v")} WHERE ${inNamed(sql`CAST(v.value AS bigint)`)}) AS z`);
const everywhereWithin = Object.fromEntries(searchKinds.map((kind) => [kind, within(named[kind])])) as Record<SearchKind, Sql>;

const ofAccounts = sql`${each(":addresses::json", "z")} JOIN _modules m ON m.address_id = (SELECT a.id FROM _addresses a WHERE a.address = z.value)`;

export const structText = (
  id: Sql,
): Sql => sql`concat_ws(', ', (SELECT string_agg(d.name, ', ' ORDER BY d.place) FROM _struct_fields d WHERE d.struct_id = ${id}),
  (SELECT string_agg(v.name, ', ' ORDER BY v.position) FROM _struct_variants v WHERE v.struct_id = ${id}))`;
const inAccounts: Readonly<Record<Exclude<SearchKind, "function">, Sql>> = {
  module: sql`SELECT m.id, m.name, m.name, m.name, '' FROM ${ofAccounts}`,
  struct: sql`SELECT m.id, i.name, m.name, i.name, ${structText(sql`i.id`)} FROM ${ofAccounts} JOIN _structs i ON i.module_id = m.id`,
  error: sql`SELECT DISTINCT m.id, CAST(e.id AS text), m.name, e.name, e.description FROM ${ofAccounts} JOIN _abis b ON b.module_id = m.id
    JOIN _error_map_codes d ON d.error_map_id = b.error_map_id JOIN _error_codes e ON e.id = d.error_code_id`,
};
// An account may have thousands: one row for each takes a server longer to send than to find.
const functionsInAccounts = sql`SELECT m.id, m.name, ${jsonList("i.name", sql`_functions i WHERE i.module_id = m.id`, "i.name")} FROM ${ofAccounts}`;

/** Where names of a kind stand: those of the ledger's own accounts first, or only those. `isCut` where not all were looked at. */
export async function findPlaces(
  session: Session,
  kind: SearchKind,
  { items, inModules }: Sought,
  { limit: most, onlyOwn, special, withUnread }: Held & { readonly limit: number; readonly onlyOwn: boolean },
): Promise<FoundPlaces> {
  const limit = inModules === undefined ? most : SCANNED;
  const values = { items: JSON.stringify(items), special, unread: withUnread ? 1 : 0, limit, others: onlyOwn ? 0 : limit };
  const rows =
    inModules === undefined
      ? await session.all<Row>(everywhere[kind], values)
      : await session.all<Row>(everywhereWithin[kind], { ...values, most, within: JSON.stringify(inModules) });
  const looked = rows.find(([rest]) => rest === 2)?.[1] ?? rows.length;
  const places = rows.flatMap(([rest, module, item, name]) =>
    rest === 2 ? [] : [{ place: [module, item] as const, name, isOwn: rest === 0 }],
  );
  return { places, isCut: Number(looked) >= limit || (inModules !== undefined && places.length >= most) };
}

/** What may be a hit, with what its rank depends on. */
export type DescribedPlace = readonly [...SearchPlace, moduleName: string, name: string, text: string];

/** All places of a kind in accounts; one several times where its text was another one once. */
export async function placesInAccounts(
  session: Session,
  kind: SearchKind,
  addresses: readonly Address[],
): Promise<readonly DescribedPlace[]> {
  const values = { addresses: JSON.stringify(addresses) };
  if (kind !== "function") return await session.all<[Integer, string, string, string, string]>(inAccounts[kind], values);
  const modules = await session.all<[id: Integer, name: string, functions: string]>(functionsInAccounts, values);
  return modules.flatMap(([id, module, functions]) =>
    (JSON.parse(functions) as string[]).map((name): DescribedPlace => [id, name, module, name, ""]),
  );
}
