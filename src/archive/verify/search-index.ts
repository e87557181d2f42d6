import { printable } from "../../base/printable.ts";
import { type Check, checkOf, type Damage, groupsOf, type Slice } from "../../engine/check.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { indexedWords, type SearchKind, searchKinds } from "../content/search-words.ts";

/** The texts that each kind is found by: the item's number and a text, in the order of the numbers. */
const textsOf: Readonly<Record<SearchKind, Sql>> = {
  module: sql`SELECT id, name FROM _modules ORDER BY id`,
  function: sql`SELECT id, name FROM _functions ORDER BY id`,
  struct: sql`SELECT id, name FROM (SELECT id, 0 AS part, 0 AS place, name FROM _structs
    UNION ALL SELECT struct_id, 1, position, name FROM _struct_variants
    UNION ALL SELECT struct_id, 2, place, name FROM _struct_fields) AS texts ORDER BY id, part, place`,
  error: sql`SELECT id, text FROM (SELECT id, 0 AS part, name AS text FROM _error_codes
    UNION ALL SELECT id, 1, description FROM _error_codes) AS texts ORDER BY id, part`,
};
const stored = sql`SELECT item_id, word FROM _search_words WHERE kind = :kind ORDER BY item_id, word`;

// As two ranges of the key: not every word is read for it.
const ofNoKind = sql`SELECT kind, item_id, word FROM _search_words WHERE kind < 0
  UNION ALL SELECT kind, item_id, word FROM _search_words WHERE kind >= :kinds LIMIT 100`;

const SHOWN_MAX = 100;

type Text = readonly [id: Integer, text: string];

/**
 * The index of words against the tables that it was made from: each item that is in it has its words, no more and no fewer, and every
 * item is in it, or one with the same words. The first slice looks at it, as a whole.
 */
export function wordCheck(session: Session, { part }: Slice): Check {
  const kinds = part === 0 ? [...searchKinds, "none" as const] : [];
  return checkOf("kinds of rows in the index of words", kinds, (kind) => (kind === "none" ? strange(session) : damageOf(session, kind)));
}

/** Words of kinds that there are not. */
async function strange(session: Session): Promise<Damage[]> {
  const rows = await session.all<[kind: Integer, id: Integer, word: string]>(ofNoKind, { kinds: searchKinds.length });
  return rows.map(([kind, id, word]) => wrong(`kind ${kind}, number`, id, "has a word in the index, and there is no such kind", word));
}

async function damageOf(session: Session, kind: SearchKind): Promise<Damage[]> {
  const indexed = new Map<Integer, string>();
  for await (const rows of groupsOf(session.stream<Text>(stored, { kind: searchKinds.indexOf(kind) })))
    indexed.set(rows[0][0], [...new Set(rows.map(([, word]) => word))].sort().join(" "));
  const found = new Set(indexed.values());
  const damage: Damage[] = [];
  for await (const rows of groupsOf(session.stream<Text>(textsOf[kind]))) {
    const [[id]] = rows;
    const own = [...indexedWords(rows.map(([, text]) => text))].sort();
    const wanted = own.join(" ");
    const has = indexed.get(id);
    indexed.delete(id);
    if (has === undefined) {
      if (wanted !== "" && !found.has(wanted)) damage.push(wrong(kind, id, "is not in the index", wanted));
    } else if (has !== wanted) {
      const words = has.split(" ");
      for (const one of words) if (!own.includes(one)) damage.push(wrong(kind, id, "has a word in the index that is not its own", one));
      for (const one of own) if (!words.includes(one)) damage.push(wrong(kind, id, "lacks a word in the index", one));
    }
    if (damage.length >= SHOWN_MAX) break;
  }
  for (const [id, words] of indexed)
    if (damage.length < SHOWN_MAX) damage.push(wrong(kind, id, "is in the index, and there is no such row", words));
  return damage.slice(0, SHOWN_MAX);
}

function wrong(kind: string, id: Integer, what: string, words: string): Damage {
  return { table: "_search_words", row: `${kind} ${id}`, problem: `${what}: \`${printable(words, 200)}\`` };
}
