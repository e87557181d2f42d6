import type { Engine, Integer } from "../../engine/engine.ts";
import { each } from "../../schema/sql/functions.ts";
import { joined, type Sql, sql } from "../../schema/sql/sql.ts";
import { type SearchKind, searchKinds, wholeName } from "../content/search-words.ts";

/** What the index has of a word or a beginning: rows by kind, the exact word first. `cut` has the kinds of which there is more. */
export type IndexList = { readonly ids: Readonly<Record<SearchKind, readonly string[]>>; readonly cut: ReadonlySet<SearchKind> };

/** Behind every letter: the end of what begins with a word. */
const LAST = "\u{10ffff}";

const numbers: readonly Sql[] = [sql`0`, sql`1`, sql`2`, sql`3`];
const listed = joined(
  numbers.map(
    (kind) =>
      sql`SELECT kind, item_id FROM (SELECT kind, item_id FROM _search_words WHERE kind = ${kind} AND word >= :from AND word < :to
        ORDER BY word, item_id LIMIT :most) AS listed`,
  ),
  " UNION ALL ",
);
const wholes = sql`SELECT j.value, w.kind, w.item_id FROM ${each(":words::json", "j")} JOIN _search_words w ON w.word = j.value AND w.kind IN (0, 1, 2, 3)
  ORDER BY w.item_id LIMIT 1000`;

const names: Readonly<Record<SearchKind, Sql>> = {
  module: sql`SELECT i.id, i.name, i.id FROM ${each(":ids::json", "j")} JOIN _modules i ON i.id = CAST(j.value AS bigint)`,
  function: sql`SELECT i.id, i.name, i.module_id FROM ${each(":ids::json", "j")} JOIN _functions i ON i.id = CAST(j.value AS bigint)`,
  struct: sql`SELECT i.id, i.name, i.module_id FROM ${each(":ids::json", "j")} JOIN _structs i ON i.id = CAST(j.value AS bigint)`,
  error: sql`SELECT i.id, CAST(i.id AS text), 0 FROM ${each(":ids::json", "j")} JOIN _error_codes i ON i.id = CAST(j.value AS bigint)`,
};

/** Rows that have a word beginning so; the word itself comes first. */
export async function listOf(engine: Engine, beginning: string, most: number): Promise<IndexList> {
  const rows = await engine.all<[kind: Integer, id: Integer]>(listed, { from: beginning, to: beginning + LAST, most });
  return toList(rows, most);
}

/** Rows whose whole name is one of these runs of words, by the runs. */
export async function wholesOf(engine: Engine, runs: readonly (readonly string[])[]): Promise<(run: readonly string[]) => IndexList> {
  const words = JSON.stringify(runs.map(wholeName));
  const rows = await engine.all<[word: string, kind: Integer, id: Integer]>(wholes, { words });
  const byWord = Map.groupBy(rows, ([word]) => word);
  return (run) =>
    toList(
      (byWord.get(wholeName(run)) ?? []).map(([, kind, id]) => [kind, id]),
      Number.POSITIVE_INFINITY,
    );
}

/** The names of rows, each once, in the order of the rows; and the modules that the rows themselves are of. */
export async function namesOf(engine: Engine, kind: SearchKind, ids: readonly string[]) {
  const rows = await engine.all<[id: Integer, name: string, module: Integer]>(names[kind], { ids: JSON.stringify(ids) });
  const byId = new Map(rows.map(([id, name, module]) => [String(id), { name, module }]));
  const found = ids.flatMap((id) => byId.get(id) ?? []);
  return { names: [...new Set(found.map(({ name }) => name))], places: found.map(({ name, module }) => [module, name] as const) };
}

function toList(rows: readonly (readonly [kind: Integer, id: Integer])[], most: number): IndexList {
  const ids: Record<SearchKind, string[]> = { module: [], function: [], struct: [], error: [] };
  for (const [kind, id] of rows) ids[searchKinds[Number(kind)] as SearchKind].push(String(id));
  return { ids, cut: new Set(searchKinds.filter((kind) => ids[kind].length >= most)) };
}
