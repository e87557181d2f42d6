import type { Session } from "../../core/db/engine/engine.ts";
import { jsonEach } from "../../core/db/schema/sql/functions.ts";
import { joined, type Sql, sql, verbatim } from "../../core/db/schema/sql/sql.ts";
import type { SearchHit, SearchPlace } from "./hits.ts";

/** Types of parameters and of results, in any order, that functions are looked for by. */
export type TypePattern = { readonly params: readonly string[]; readonly results: readonly string[] };

/** Types of a pattern; types of the archive that one may stand for. */
const [TYPES_MAX, LIKE_MAX] = [8, 20_000];

/** Reads `-> Coin`, `-> (u64, bool)`, `(&signer, Coin)` or both as types without generic arguments; undefined for other text. */
export function parseTypePattern(text: string): TypePattern | undefined {
  const bare = withoutArguments(text.trim());
  const found = /^(?:\((?<params>[^()]*)\))?\s*(?:(?:->|→)\s*(?:(?<result>[^(),]+)|\((?<results>[^()]+)\)))?$/.exec(bare)?.groups;
  const [params, results] = [found?.["params"], found?.["result"] ?? found?.["results"]].map((list) =>
    (list ?? "").split(",").flatMap((one) => one.trim() || []),
  ) as [string[], string[]];
  const all = [...params, ...results];
  return all.length > 0 && all.length <= TYPES_MAX && all.every((one) => TYPE.test(one)) ? { params, results } : undefined;
}

const TYPE = /^(?:&(?:mut )?\s*)?(?:\w+::)*[A-Za-z_]\w*$/;

/** A type without its generic arguments, also where they are cut: `0x1::coin::Coin` of `0x1::coin::Coin<…>`. */
export function withoutArguments(text: string): string {
  let depth = 0;
  let bare = "";
  for (const letter of text.replaceAll("->", "→")) {
    if (letter === "<") depth += 1;
    if (depth === 0) bare += letter;
    if (letter === ">") depth = Math.max(0, depth - 1);
  }
  return bare.trim();
}

/** Whether a type as nodes print it is meant by one of a pattern: the same, or a longer name for it. References go without saying. */
function isMeant(pattern: string): (type: string) => boolean {
  const [, reference = "", name = ""] = /^(&(?:mut )?)?\s*(.*)$/.exec(pattern.toLowerCase()) ?? [];
  return (type) => {
    const [, other = "", whole = ""] = /^(&(?:mut )?)?(.*)$/.exec(withoutArguments(type).toLowerCase()) ?? [];
    return (reference === "" || reference.trim() === other.trim()) && (whole === name || whole.endsWith(`::${name}`));
  };
}

const like = sql<[id: bigint | number, text: string], { pattern: string; limit: number }>`SELECT t.id, t.text FROM _types t
  WHERE lower(t.text) LIKE :pattern::text LIMIT :limit`;

async function typesOf(session: Session, pattern: string): Promise<string> {
  const name = (pattern.split("::").at(-1) ?? "").replace(/^&(?:mut )?\s*/, "").toLowerCase();
  const rows = await session.all(like, { pattern: `%${name.replaceAll(/[%_\\]/g, "_")}%`, limit: LIKE_MAX });
  const meant = isMeant(pattern);
  return JSON.stringify(rows.filter(([, text]) => meant(text)).map(([id]) => Number(id)));
}

const has = (table: Sql, types: Sql, times: number): Sql => sql`(SELECT count(*) FROM ${table} p WHERE p.function_id = f.id
  AND p.type_id IN (SELECT CAST(j.value AS bigint) FROM ${jsonEach(types, "j")})) >= ${verbatim(String(times))}`;

// Those with the fewest other parameters first; of the ledger's own accounts before all.
const places = (conditions: readonly Sql[]) => sql<[...SearchPlace]>`SELECT 1 AS kind, f.module_id, f.name FROM _functions f
  JOIN _modules m ON m.id = f.module_id JOIN _addresses a ON a.id = m.address_id WHERE ${joined(conditions, " AND ")}
  GROUP BY f.module_id, f.name, a.address, m.name ORDER BY CASE WHEN length(a.address) <= 3 THEN 0 ELSE 1 END, min((SELECT count(*)
  FROM _function_params n WHERE n.function_id = f.id)), length(a.address), a.address, m.name, f.name LIMIT :limit`;

/** Where functions of a pattern's types may be, best first. */
export async function readTyped(session: Session, { params, results }: TypePattern, limit: number): Promise<SearchPlace[]> {
  const values: Record<string, string | number> = { limit };
  const conditions: Sql[] = [];
  for (const [table, types] of [[sql`_function_params`, params] as const, [sql`_function_returns`, results] as const]) {
    for (const [type, same] of Map.groupBy(types, (one) => one)) {
      const name = `type${conditions.length}`;
      values[name] = await typesOf(session, type);
      conditions.push(has(table, verbatim(`:${name}::json`), same.length));
    }
  }
  return await session.all(places(conditions), values);
}

/** Whether what stands under a name now still has the types: an older definition may have had them. */
export function hasTypes({ text }: SearchHit, { params, results }: TypePattern): boolean {
  return [...params, ...results].every((type) =>
    text.toLowerCase().includes((type.split("::").at(-1) ?? "").replace(/^&(?:mut )?\s*/, "").toLowerCase()),
  );
}
