import type { Integer, Session } from "../../engine/engine.ts";
import { each, jsonList } from "../../schema/sql/functions.ts";
import { joined, type Sql, sql } from "../../schema/sql/sql.ts";
import { type SearchKind, searchKinds, wholeName } from "../content/search-words.ts";

/** Addresses reserved for the framework, 0x0 to 0xf: most people mean their modules. Source: AIP-40, special addresses. */
export const SPECIAL: readonly string[] = Array.from({ length: 16 }, (_, n) => `0x${n.toString(16)}`);
/** Names that begin as was typed, at most. */
const BEGINNINGS = 200;
/** Longer questions are no module with a name. */
const SPLIT_MAX = 6;

type ByKind = Readonly<Record<SearchKind, readonly string[]>>;

/** What the index has of a word or a beginning: rows by kind, the exact word first. `cut` has the kinds of which there is more. */
export type IndexList = { readonly ids: ByKind; readonly cut: ReadonlySet<SearchKind> };

/** What an archive holds, as far as each part of a search has to know it. */
export type Held = {
  /** Whether modules were imported as files. */
  readonly withFiles: boolean;
  /** Whether there is bytecode without an ABI. */
  readonly withUnread: boolean;
  /** The modules of the ledger's own accounts. */
  readonly special: string;
};

export type Lists = {
  readonly words: readonly string[];
  readonly byWord: readonly IndexList[];
  /** Names that begin with all that was typed, as it was typed; the name itself first. */
  readonly beginnings: IndexList;
  /** Names that are what was typed. */
  readonly exact: ByKind;
  /** The words in two runs, wherever they may be cut: names that are the first one, of modules, and names that are the second. */
  readonly splits: readonly (readonly [module: ByKind, item: ByKind])[];
  /** Whether there are too many words to cut them so. */
  readonly isLong: boolean;
  readonly held: Held;
};

/** A list of numbers, as JSON, of a part of the answer. */
type Row = readonly [part: Integer, kind: Integer, ids: string];

/** Asks the index about words, at most `most` rows of a kind for each, and the archive what it holds: all in one question. */
export async function readLists(session: Session, words: readonly string[], most: number): Promise<Lists> {
  const isLong = words.length > SPLIT_MAX;
  const cuts = isLong ? [] : words.slice(1).map((_, i) => [words.slice(0, i + 1), words.slice(i + 1)] as const);
  const [typed, beginnings] = [wholeName(words), Math.min(most, BEGINNINGS)];
  const sought = words.length === 0 ? [] : [typed, ...words];
  const ends = sought.flatMap((word, i) => [[`from${i}`, word] as const, [`to${i}`, word + LAST] as const]);
  const bounds = words.length === 0 ? {} : { most, beginnings, runs: JSON.stringify(cuts.flat().map(wholeName)) };
  const rows = await session.all<Row>(questionOf(words.length), {
    ...Object.fromEntries(ends),
    ...bounds,
    addresses: JSON.stringify(SPECIAL),
  });
  const byPart = Map.groupBy(rows, ([part]) => Number(part));
  const idsOf = (part: number) => toIds(byPart.get(part) ?? []);
  return {
    words,
    byWord: words.map((_, i) => toList(idsOf(i + 1), most)),
    beginnings: toList(idsOf(0), beginnings),
    exact: idsOf(EXACT),
    splits: cuts.map((_, i) => [idsOf(RUNS + 2 * i), idsOf(RUNS + 2 * i + 1)]),
    isLong,
    held: { withFiles: byPart.has(FILES), withUnread: byPart.has(UNREAD), special: byPart.get(OWN)?.[0]?.[2] ?? "[]" },
  };
}

/** Behind every letter: the end of what begins with a word. */
const LAST = "\u{10ffff}";
/** Parts of the answer beside the lists of beginnings, 0, and of each word; the runs' are the last. */
const [FILES, UNREAD, OWN, EXACT, RUNS] = [-1, -2, -3, -4, 100];

// A server would read all accounts to join a few of them.
const own = sql`${each(":addresses::json", "z")} CROSS JOIN _modules m WHERE m.address_id = (SELECT a.id FROM _addresses a WHERE a.address = z.value)`;
const held = sql`SELECT -1 AS part, 0 AS kind, '' AS ids WHERE EXISTS (SELECT 1 FROM _sources WHERE kind = 'modules')
  UNION ALL SELECT -2, 0, '' WHERE EXISTS (SELECT 1 FROM _bytecodes WHERE abi_id IS NULL) UNION ALL SELECT -3, 0, ${jsonList("m.id", own, "m.id")}`;

const kindNumbers = searchKinds.map((_, number) => numbered("", number));
/** The lists of each kind of the rows that a condition is true of, the exact word first. */
const listed = (part: Sql, condition: Sql, limit: Sql): Sql =>
  joined(
    kindNumbers.map((kind) => {
      const rows = sql`(SELECT word, item_id FROM _search_words WHERE kind = ${kind} AND ${condition} ORDER BY word, item_id LIMIT ${limit}) AS l`;
      return sql`SELECT ${part}, ${kind}, ${jsonList("l.item_id", rows, sql`l.word, l.item_id`)}`;
    }),
    " UNION ALL ",
  );
const begins = (i: number): Sql => sql`word >= ${numbered(":from", i)} AND word < ${numbered(":to", i)}`;
// The key begins with the kind. A server takes a list for a hundred words where nothing bounds it, and reads the whole index for them.
const wholes = sql`SELECT 100 + run, kind, '[' || CAST(item_id AS text) || ']' FROM (SELECT j.key AS run, w.kind, w.item_id
  FROM (SELECT key, value FROM ${each(":runs::json", "w")} LIMIT 12) AS j CROSS JOIN (${joined(
    kindNumbers.map((kind) => sql`SELECT ${kind} AS kind`),
    " UNION ALL ",
  )}) AS k CROSS JOIN _search_words w WHERE w.kind = k.kind AND w.word = j.value ORDER BY w.item_id LIMIT 1000) AS found`;
const ofTyped = joined(
  [held, listed(sql`-4`, sql`word = :from0`, sql`:beginnings`), listed(sql`0`, begins(0), sql`:beginnings`), wholes],
  " UNION ALL ",
);

const questions: Sql[] = [held];
/** The question about so many words. */
function questionOf(count: number): Sql {
  const ofWords = Array.from({ length: count }, (_, i) => listed(numbered("", i + 1), begins(i + 1), sql`:most`));
  questions[count] ??= joined([ofTyped, ...ofWords], " UNION ALL ");
  return questions[count];
}

function numbered(name: "" | ":from" | ":to", number: number): Sql {
  return { in: () => `${name}${number}` };
}

function toIds(rows: readonly Row[]): ByKind {
  const ofKind = (number: number) =>
    rows.flatMap(([, kind, ids]) => (Number(kind) === number ? (JSON.parse(ids) as number[]).map(String) : []));
  return Object.fromEntries(searchKinds.map((kind, number) => [kind, ofKind(number)])) as Record<SearchKind, string[]>;
}

function toList(ids: ByKind, most: number): IndexList {
  return { ids, cut: new Set(searchKinds.filter((kind) => ids[kind].length >= most)) };
}
