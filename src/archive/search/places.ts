import type { Integer, Session } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { each } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { type SearchKind, searchKinds } from "../content/search-words.ts";
import { SPECIAL } from "./rank.ts";

/** What may be a hit: a name in a module, by the module's number; of an error, the number of its row for a name. */
export type Place = readonly [module: Integer, item: string];

/** A place with the name of what may be there, and whether it is in an account of the ledger's own. */
export type Candidate = { readonly place: Place; readonly name: string; readonly isOwn: boolean };
/** Places that were found. `isCut` where not all were looked at. */
export type Places = { readonly places: readonly Candidate[]; readonly isCut: boolean };

type Row = readonly [rest: 0 | 1 | 2, ...Place, name: string];

/** Names, or an error's row, as the index has them. With module names given, only in modules of these names; otherwise everywhere. */
export type Sought = { readonly items: readonly string[]; readonly inModules?: readonly string[] };

/** Places of names that are looked at where those in some modules are wanted. */
const SCANNED = 2000;

const items = each(":items::json", "j");
const special = sql`(SELECT CAST(z.value AS bigint) FROM ${each(":special::json", "z")})`;
// Of few modules a server may begin with these, and not with the names.
const inOrder = sql`ORDER BY j.place, module_id`;
const inSpecial = sql`AND i.module_id IN ${special}`;
/** Rows of a kind by their numbers. */
const rowsOf = (table: Sql): Sql => sql`${items} JOIN ${table} n ON n.id = CAST(j.value AS bigint)`;
// In the order of the rows, and within each name of the modules' numbers, without a sort: so it can stop at the limit.
const named = (table: Sql, only: Sql, order: Sql): Sql =>
  sql`SELECT i.module_id, i.name FROM names j CROSS JOIN ${table} i WHERE i.name = j.value ${only} ${order} LIMIT :limit`;
// Names that other modules only mention are in the table too: what is held has an ABI, or is listed where its bytes cannot be read.
const ofModules = (only: Sql, order: Sql): Sql =>
  sql`SELECT i.id AS module_id, i.name FROM names j CROSS JOIN _modules i WHERE i.name = j.value ${only}
    AND coalesce((SELECT 1 FROM _abis b WHERE b.module_id = i.id LIMIT 1), CASE WHEN :unread::int = 1 THEN (SELECT 1 FROM _listing_spans ls
      JOIN _listing_modules lm ON lm.listing_id = ls.listing_id AND lm.name = i.name WHERE ls.address_id = i.address_id LIMIT 1) END) = 1 ${order} LIMIT :limit`;
// Of structs that share a name the index says which have the field; of all else the name says it.
const themselves = sql`SELECT CASE WHEN n.module_id IN ${special} THEN 0 ELSE 1 END AS rest, n.module_id, n.name AS item, n.name FROM ${rowsOf(sql`_structs`)} UNION ALL`;

// The ledger's own first, then all, in one question; `rest` tells them apart.
const ownFirst = (table: Sql, find: (only: Sql, order: Sql) => Sql, own: Sql, before = sql``): Sql =>
  sql`WITH names AS MATERIALIZED (SELECT n.name AS value, min(j.key) AS place FROM ${rowsOf(table)} GROUP BY n.name ORDER BY 2) ${before}
    SELECT 0 AS rest, module_id, name AS item, name FROM (${find(own, inOrder)}) AS own UNION ALL SELECT 1, module_id, name, name FROM (${find(sql``, sql``)}) AS others`;
const everywhere: Readonly<Record<SearchKind, Sql>> = {
  module: ownFirst(sql`_modules`, ofModules, sql`AND i.id IN ${special}`),
  function: ownFirst(sql`_functions`, (...how) => named(sql`_functions`, ...how), inSpecial),
  struct: ownFirst(sql`_structs`, (...how) => named(sql`_structs`, ...how), inSpecial, themselves),
  error: sql`SELECT CASE WHEN b.module_id IN ${special} THEN 0 ELSE 1 END AS rest, b.module_id, j.value AS item, e.name FROM ${items}
    CROSS JOIN _error_codes e CROSS JOIN _error_map_codes d CROSS JOIN _abis b
    WHERE e.id = CAST(j.value AS bigint) AND d.error_code_id = e.id AND b.error_map_id = d.error_map_id LIMIT :limit`,
};
// Of many places those in modules of some names, no more than are wanted; `rest` 2 has how many were looked at. PostgreSQL reads all
// modules for a join, and these few for a question inside.
const within = (from: Sql): Sql =>
  sql`WITH looked AS MATERIALIZED (${from}) SELECT 2 AS rest, count(*) AS module_id, '' AS item, '' AS name FROM looked UNION ALL
    SELECT rest, module_id, item, name FROM (SELECT rest, module_id, item, name FROM looked l WHERE (SELECT m.name FROM _modules m WHERE m.id = l.module_id)
      IN (SELECT n.name FROM ${each(":within::json", "w")} JOIN _modules n ON n.id = CAST(w.value AS bigint)) LIMIT :most) AS wanted`;
const everywhereWithin = Object.fromEntries(searchKinds.map((kind) => [kind, within(everywhere[kind])])) as Record<SearchKind, Sql>;

// A server would read all accounts to join a few of them.
const ofAccounts = sql`${each(":addresses::json", "z")} JOIN _modules m ON m.address_id = (SELECT a.id FROM _addresses a WHERE a.address = z.value)`;
const held = sql`SELECT 'files' AS what, 1 AS id WHERE EXISTS (SELECT 1 FROM _sources WHERE kind = 'modules')
  UNION ALL SELECT 'unread', 1 WHERE EXISTS (SELECT 1 FROM _bytecodes WHERE abi_id IS NULL)
  UNION ALL SELECT 'special', m.id FROM ${ofAccounts}`;

export const structText = (
  id: Sql,
): Sql => sql`concat_ws(', ', (SELECT string_agg(d.name, ', ' ORDER BY d.place) FROM _struct_fields d WHERE d.struct_id = ${id}),
  (SELECT string_agg(v.name, ', ' ORDER BY v.position) FROM _struct_variants v WHERE v.struct_id = ${id}))`;
const inAccounts: Readonly<Record<SearchKind, Sql>> = {
  module: sql`SELECT m.id, m.name, m.name, m.name, '' FROM ${ofAccounts}`,
  function: sql`SELECT m.id, i.name, m.name, i.name, '' FROM ${ofAccounts} JOIN _functions i ON i.module_id = m.id`,
  struct: sql`SELECT m.id, i.name, m.name, i.name, ${structText(sql`i.id`)} FROM ${ofAccounts} JOIN _structs i ON i.module_id = m.id`,
  error: sql`SELECT DISTINCT m.id, CAST(e.id AS text), m.name, e.name, e.description FROM ${ofAccounts} JOIN _abis b ON b.module_id = m.id
    JOIN _error_map_codes d ON d.error_map_id = b.error_map_id JOIN _error_codes e ON e.id = d.error_code_id`,
};

/** What an archive holds, as far as each part of a search has to know it. */
export type Held = {
  /** Whether modules were imported as files. */
  readonly withFiles: boolean;
  /** Whether there is bytecode without an ABI. */
  readonly withUnread: boolean;
  /** The modules of the ledger's own accounts. */
  readonly special: string;
};

export async function readHeld(session: Session): Promise<Held> {
  const rows = await session.all<[what: "files" | "unread" | "special", id: Integer]>(held, { addresses: JSON.stringify(SPECIAL) });
  const has = (wanted: string): boolean => rows.some(([what]) => what === wanted);
  const special = JSON.stringify(rows.flatMap(([what, id]) => (what === "special" ? [String(id)] : [])));
  return { withFiles: has("files"), withUnread: has("unread"), special };
}

/** Where names of a kind stand: those of the ledger's own accounts first. `isCut` where not all were looked at. */
export async function findPlaces(
  session: Session,
  kind: SearchKind,
  { items, inModules }: Sought,
  { limit: most, special, withUnread }: Held & { readonly limit: number },
): Promise<Places> {
  const limit = inModules === undefined ? most : SCANNED;
  const values = { items: JSON.stringify(items), special, unread: withUnread ? 1 : 0, limit };
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

/** All places of a kind in accounts, each with what its rank depends on; one several times where its text was another one once. */
export async function placesInAccounts(
  session: Session,
  kind: SearchKind,
  addresses: readonly Address[],
): Promise<readonly (readonly [...Place, moduleName: string, name: string, text: string])[]> {
  return await session.all<[Integer, string, string, string, string]>(inAccounts[kind], { addresses: JSON.stringify(addresses) });
}
