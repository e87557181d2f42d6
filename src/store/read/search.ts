import { wordsOf } from "../../base/search-tokens.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { lastVersion } from "../../schema/sql/predicates.ts";
import { moduleSpans } from "../../schema/sql/spans.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { each, item } from "../../schema/sql/words.ts";
import { signature } from "../../schema/views/lists.ts";
import { candidates, type SearchKind, searchKinds, type WordIndex } from "../content/words/word-index.ts";
import type { Engine, Integer } from "../engine/engine.ts";

/** What is searched for, and where. */
export type SearchOptions = {
  /** Kinds to look for. All when it is empty. */
  readonly kinds: readonly SearchKind[];
  /** The account to look in. All when it is undefined. */
  readonly address?: Address;
  /** Whether to find also what no longer stands. */
  readonly withGone: boolean;
  /** How many to give at most. */
  readonly limit: number;
};

/** One thing that was found. Names and texts are as on chain: hostile until printed. */
export type SearchHit = {
  readonly kind: SearchKind;
  readonly address: Address;
  readonly module: string;
  /** Name of the function, struct or error constant; the module's own for a module. */
  readonly name: string;
  /** The reason in an abort code, for errors only. */
  readonly code: string | null;
  /** A function's declaration, a struct's fields and variants, an error's description; empty for a module. */
  readonly text: string;
  /**
   * The first and the last sealed snapshot that showed it; of several definitions, the latest is the one described. Null for what
   * was imported as a file of bytecode, which no snapshot shows.
   */
  readonly firstVersion: bigint | null;
  /** Null while it stands at the newest snapshot that covers the account, and for imported files. */
  readonly lastVersion: bigint | null;
};

/** What a search came to, the best first. */
export type SearchResult = { readonly hits: readonly SearchHit[]; readonly hasMore: boolean };

/** Finding by words. */
export type SearchStore = {
  /**
   * What has all the words in its name or text, or in the name of its module; each word may be the beginning of one. Any
   * text will do: it is cut into words, and nothing in it is a command.
   * @throws StoreError `MOVEDEX_STORE_OLDER` when the database has no index of words yet
   */
  readonly search: (words: string, options: SearchOptions) => Promise<SearchResult>;
};

/** More words than this say nothing more. */
const WORDS_MAX = 12;

/** More than this is no search. */
const TEXT_MAX = 10_000;

/** Longer ones are no identifier's beginning. */
const WORD_LENGTH_MAX = 128;

type Row = readonly [
  address: Address,
  module: string,
  name: string,
  code: string | null,
  text: string,
  first: Integer | null,
  last: Integer | null,
  stands: 0 | 1,
];

// A definition is shared by many versions of a module: of all the spans that show it, the first and the last count.
const standing = (values: Sql, from: Sql): Sql =>
  sql`SELECT a.address, s.name AS module, ${values}, min(s.from_version) AS first, max(coalesce(s.to_version, ${lastVersion})) AS last,
    max(CASE WHEN s.to_version IS NULL THEN 1 ELSE 0 END) AS stands FROM hits x ${from} JOIN _addresses a ON a.id = s.address_id`;
// What a thing looks like is put together once for it, not once for each span that shows it.
const described = (name: Sql, text: Sql, join: Sql, grouped: Sql): Sql =>
  sql`SELECT g.address, g.module, ${name}, NULL, ${text}, g.first, g.last, g.stands FROM (${grouped}) g JOIN ${join}`;
const isWanted = sql`(:address::text IS NULL OR a.address = :address::text)`;
const spans = sql`JOIN ${moduleSpans} s ON s.bytecode_id = b.id`;
const ofBytecode = (rows: Sql, kind: Sql, alias: Sql): Sql => sql`JOIN ${rows} ${alias} ON ${alias}.id = x.id
  JOIN _abi_parts r ON r.source_id = ${alias}.id >> 16 AND r.kind = ${kind} AND (${alias}.id & 65535) BETWEEN r.first_place AND r.last_place
  JOIN _bytecodes b ON b.abi_id = r.abi_id`;
const shown = (rows: Sql, kind: Sql): Sql => sql`${ofBytecode(rows, kind, sql`i`)} ${spans}`;
// The index has a name once, not each row that has it: all of these are meant.
const items = (found: Sql, rows: Sql): Sql => sql`WITH found AS MATERIALIZED (${found}),
  names AS MATERIALIZED (SELECT i.name, min(y.place) AS place FROM found y JOIN ${rows} i ON i.id = y.id GROUP BY i.name),
  hits AS MATERIALIZED (SELECT i.id FROM names n JOIN ${rows} i ON i.name = n.name ORDER BY n.place LIMIT ${candidates})`;
const hits = (found: Sql): Sql => sql`WITH hits AS MATERIALIZED (${found})`;
const inside = sql`concat_ws(', ', (SELECT string_agg(${item("j.value", 0)}, ', ' ORDER BY j.key) FROM ${each("st.fields", "j")}),
  (SELECT string_agg(v.value, ', ' ORDER BY v.key) FROM ${each("st.variants", "v")}))`;

// An interface's errors come as the list that they are stored as, once for each module that has them; see `errorsIn`.
const errors = sql`JOIN _abis e ON e.id = x.id JOIN _abis l ON l.errors_abi_id = e.id JOIN _bytecodes b ON b.abi_id = l.id`;

const questionsOf = (words: WordIndex): Readonly<Record<SearchKind, Sql>> => ({
  module: sql`${hits(words.hits("module"))} ${standing(
    sql`s.name, NULL, ''`,
    sql`JOIN _modules m ON m.id = x.id JOIN ${moduleSpans} s ON s.address_id = m.address_id AND s.name = m.name`,
  )} WHERE ${isWanted} GROUP BY a.address, s.name`,
  function: sql`${items(words.hits("function"), sql`functions`)} ${described(
    sql`f.name`,
    signature,
    sql`functions f ON g.id = f.id`,
    sql`${standing(sql`i.id`, shown(sql`functions`, sql`0`))} WHERE ${isWanted} GROUP BY a.address, s.name, i.id`,
  )}`,
  struct: sql`${items(words.hits("struct"), sql`structs`)} ${described(
    sql`st.name`,
    inside,
    sql`structs st ON g.id = st.id`,
    sql`${standing(sql`i.id`, shown(sql`structs`, sql`1`))} WHERE ${isWanted} GROUP BY a.address, s.name, i.id`,
  )}`,
  error: sql`${hits(words.hits("error"))} ${described(
    sql`''`,
    sql`CAST(e.errors AS text)`,
    sql`abis e ON g.id = e.id`,
    sql`${standing(sql`e.id`, sql`${errors} ${spans}`)} WHERE ${isWanted} GROUP BY a.address, s.name, e.id`,
  )}`,
});

// Bytecode that no snapshot shows has the name that its bytes say.
const apart = (
  values: Sql,
  from: Sql,
): Sql => sql`SELECT DISTINCT a.address, m.name, ${values}, CAST(NULL AS bigint), CAST(NULL AS bigint), 1
  FROM hits x ${from} JOIN _addresses a ON a.id = m.address_id WHERE NOT EXISTS (SELECT 1 FROM _listing_modules l WHERE l.bytecode_id = b.id) AND ${isWanted}`;
const itsName = sql`JOIN _abis y ON y.id = b.abi_id JOIN _modules m ON m.id = y.module_id`;

/** The same questions of bytecode that was imported as files. */
const questionsApartOf = (words: WordIndex): Readonly<Record<SearchKind, Sql>> => ({
  module: sql`${hits(words.hits("module"))} ${apart(
    sql`m.name, NULL, ''`,
    sql`JOIN _modules m ON m.id = x.id JOIN _abis y ON y.module_id = m.id JOIN _bytecodes b ON b.abi_id = y.id`,
  )}`,
  function: sql`${items(words.hits("function"), sql`functions`)} ${apart(
    sql`f.name, NULL, ${signature}`,
    sql`${ofBytecode(sql`functions`, sql`0`, sql`f`)} ${itsName}`,
  )}`,
  struct: sql`${items(words.hits("struct"), sql`structs`)} ${apart(
    sql`st.name, NULL, ${inside}`,
    sql`${ofBytecode(sql`structs`, sql`1`, sql`st`)} ${itsName}`,
  )}`,
  error: sql`${hits(words.hits("error"))} ${apart(sql`'', NULL, CAST(e.errors AS text)`, sql`${errors} ${itsName}`)}`,
});
const hasFiles = sql`SELECT CASE WHEN EXISTS (SELECT 1 FROM _sources WHERE kind = 'modules') THEN 1 ELSE 0 END`;

/** Prepares searching. `index` is the index of words of the database. */
export function prepareSearch(engine: Engine, index: WordIndex): SearchStore {
  const [questions, questionsApart] = [questionsOf(index), questionsApartOf(index)];
  return {
    search: async (text, options) => {
      await index.require(engine);
      const { words, address } = parseWords(text);
      if (words.length === 0) return { hits: [], hasMore: false };
      // Any of the words: the others may be in the module's name, which rows of functions and structs do not hold.
      const values = { match: index.anyOf(words), address: options.address ?? address ?? null };
      const kinds = options.kinds.length === 0 ? searchKinds : options.kinds;
      const found: SearchHit[] = [];
      const isWithFiles = (await engine.first<[0 | 1]>(hasFiles))?.[0] === 1;
      for (const kind of kinds) {
        for (const question of isWithFiles ? [questions[kind], questionsApart[kind]] : [questions[kind]])
          for (const row of await engine.all<Row>(question, values)) found.push(...(kind === "error" ? errorsIn(row) : [toHit(kind, row)]));
      }
      const rank = ranker(words);
      const ranked = latestOfEach(found)
        .filter((hit) => options.withGone || hit.lastVersion === null)
        .map((hit) => ({ hit, rank: rank(hit) }))
        .filter((ranked) => ranked.rank !== undefined)
        .sort((a, b) => (a.rank as number) - (b.rank as number) || compareHits(a.hit, b.hit));
      return { hits: ranked.slice(0, options.limit).map(({ hit }) => hit), hasMore: ranked.length > options.limit };
    },
  };
}

/** What to look for in a text that a person typed: its words in lower case, and the account when one is named (`0x1::coin`). */
export function parseWords(text: string): { readonly words: readonly string[]; readonly address: Address | undefined } {
  const runs = runsOf(text.slice(0, TEXT_MAX));
  const address = runs.filter((run) => run.startsWith("0x")).map(parseAddress)[0];
  const words = runs.filter((run) => parseAddress(run) === undefined || !run.startsWith("0x"));
  return { words: [...new Set(words.map((word) => word.slice(0, WORD_LENGTH_MAX)))].slice(0, WORDS_MAX), address };
}

function runsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).map((run) => run.toLowerCase());
}

function toHit(kind: SearchKind, [address, module, name, code, text, first, last, stands]: Row): SearchHit {
  const version = (cell: Integer | null) => (cell === null ? null : BigInt(cell));
  return { kind, address, module, name, code, text, firstVersion: version(first), lastVersion: stands === 1 ? null : version(last) };
}

/** The errors of a module, a hit each. */
function errorsIn([address, module, , , list, ...when]: Row): SearchHit[] {
  const errors = JSON.parse(list) as readonly (readonly [code: string | number, name: string, text: string])[];
  return errors.map(([code, name, text]) => toHit("error", [address, module, name, String(code), text, ...when]));
}

/** One hit for each thing by name: its latest definition, since its first. */
function latestOfEach(found: readonly SearchHit[]): SearchHit[] {
  const byName = new Map<string, SearchHit>();
  for (const hit of found) {
    const key = [hit.kind, hit.address, hit.module, hit.name, hit.code ?? ""].join(" ");
    const other = byName.get(key);
    byName.set(key, other === undefined ? hit : merge(other, hit));
  }
  return [...byName.values()];
}

function merge(a: SearchHit, b: SearchHit): SearchHit {
  if (a.firstVersion === null || b.firstVersion === null) return a.firstVersion === null ? b : a;
  const isLater = a.lastVersion !== null && (b.lastVersion === null || b.lastVersion > a.lastVersion);
  return { ...(isLater ? b : a), firstVersion: a.firstVersion < b.firstVersion ? a.firstVersion : b.firstVersion };
}

/** `rankOf`, once for all accounts that have the same. */
function ranker(words: readonly string[]): (hit: SearchHit) => number | undefined {
  const known = new Map<string, number | undefined>();
  return (hit) => {
    const key = `${hit.kind} ${hit.module} ${hit.name} ${hit.text}`;
    if (!known.has(key)) known.set(key, rankOf(hit, words));
    return known.get(key);
  };
}

/** From 0, the name is what was typed, to 4, the module's name has to help; undefined for no match. */
function rankOf({ kind, module, name, text }: SearchHit, words: readonly string[]): number | undefined {
  const ofName = wordsOf(name);
  // A declaration is shown, not searched: its types belong to other modules.
  const own = kind === "function" ? ofName : [...ofName, ...wordsOf(text)];
  const has = (list: readonly string[]) => words.every((word) => list.some((other) => other.startsWith(word)));
  const typed = words.join(" ");
  if (runsOf(name).join(" ") === typed) return 0;
  if (runsOf(`${module} ${name}`).join(" ") === typed) return 1;
  if (has(ofName)) return 2;
  if (has(own)) return 3;
  // The index knows what shares a name or a list with what was typed; the thing itself has to have a word of it as well.
  const isNamed = words.some((word) => own.some((other) => other.startsWith(word)));
  return isNamed && has([...own, ...wordsOf(module)]) ? 4 : undefined;
}

function compareHits(a: SearchHit, b: SearchHit): number {
  return (
    searchKinds.indexOf(a.kind) - searchKinds.indexOf(b.kind) ||
    a.address.length - b.address.length ||
    compareText(`${a.address} ${a.module} ${a.name}`, `${b.address} ${b.module} ${b.name}`)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
