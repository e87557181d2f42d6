import { wordsOf } from "../../base/search-tokens.ts";
import type { Engine, Integer } from "../../engine/engine.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { asText, each } from "../../schema/sql/functions.ts";
import { lastVersion } from "../../schema/sql/predicates.ts";
import { moduleSpans } from "../../schema/sql/spans.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { type SearchKind, searchKinds, WORD_LENGTH_MAX } from "../content/search-words.ts";

/** What is searched for, and where. */
export type SearchOptions = {
  /** Kinds to look for. All when it is empty. */
  readonly kinds: readonly SearchKind[];
  /** The accounts to look in. All when there are none. */
  readonly addresses?: readonly Address[];
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

/** What a search came to, the best first. `isCut`: so much has the words that not all of it was looked at, and better hits may be missing. */
export type SearchResult = { readonly hits: readonly SearchHit[]; readonly hasMore: boolean; readonly isCut: boolean };

/** Finding by words. */
export type SearchStore = {
  /**
   * What has all the words in its name or text, or in the name of its module; each word may be the beginning of one. Any
   * text will do: it is cut into words, and nothing in it is a command.
   */
  readonly search: (words: string, options: SearchOptions) => Promise<SearchResult>;
};

/** More words than this say nothing more. */
const WORDS_MAX = 12;

/** More than this is no search. */
const TEXT_MAX = 10_000;

/** Items of a kind that are looked at, where no account narrows them. */
const CANDIDATES = 5000;

/** Behind every letter: the end of what begins with a word. */
const LAST = "\u{10ffff}";

type Row = readonly [
  address: Address,
  module: string,
  name: string,
  code: string | null,
  text: string,
  first: Integer | null,
  last: Integer | null,
  stands: 0 | 1,
  candidates: number,
];

// Items that have any of the words: the others may be in the module's name. Those with most of them come first.
const found = sql`found AS MATERIALIZED (SELECT w.item_id AS id, -count(DISTINCT j.key) AS place FROM ${each(":words::json", "j")}
  JOIN _search_words w ON w.kind = :kind AND w.word >= j.value AND w.word < (j.value || :last) GROUP BY w.item_id ORDER BY 2, 1 LIMIT :candidates)`;
const wanted = sql`(SELECT j.value FROM ${each(":addresses::json", "j")})`;
const isWanted = sql`(:addresses::text IS NULL OR a.address IN ${wanted})`;
// A definition is shared by many versions of a module: of all the spans that show it, the first and the last count.
const standing = (from: Sql): Sql =>
  sql`SELECT a.address, s.name AS module, x.id, min(s.from_version) AS first, max(coalesce(s.to_version, ${lastVersion})) AS last,
    max(CASE WHEN s.to_version IS NULL THEN 1 ELSE 0 END) AS stands FROM hits x ${from} JOIN _addresses a ON a.id = s.address_id WHERE ${isWanted} GROUP BY a.address, s.name, x.id`;
// Bytecode that no snapshot shows has the name that its bytes say.
const apart = (from: Sql): Sql =>
  sql`SELECT DISTINCT a.address, m.name AS module, x.id, CAST(NULL AS bigint) AS first, CAST(NULL AS bigint) AS last, 1 AS stands FROM hits x ${from}
    JOIN _abis y ON y.id = b.abi_id JOIN _modules m ON m.id = y.module_id JOIN _addresses a ON a.id = m.address_id
    WHERE NOT EXISTS (SELECT 1 FROM _listing_modules l WHERE l.bytecode_id = b.id) AND ${isWanted}`;
const ofAccount = sql`(:addresses::text IS NULL OR i.module_id IN (SELECT m.id FROM _modules m JOIN _addresses n ON n.id = m.address_id
  WHERE n.address IN ${wanted}))`;

/** What is found of a kind, and what is shown of it: joins from a hit `x` to spans `s` and to bytecode `b`, and from a row of hits `g` to name, code and text. */
type Question = {
  readonly hits: Sql;
  readonly spans?: Sql;
  readonly from: Sql;
  readonly name: Sql;
  readonly code: Sql;
  readonly text: Sql;
  readonly join: Sql;
};

// The index has a name once, not each row that has it: all of these are meant.
const named = (
  table: Sql,
): Sql => sql`names AS MATERIALIZED (SELECT i.name, min(y.place) AS place FROM found y JOIN ${table} i ON i.id = y.id GROUP BY i.name),
  hits AS MATERIALIZED (SELECT i.id FROM names n JOIN ${table} i ON i.name = n.name WHERE ${ofAccount} ORDER BY n.place, i.id LIMIT :candidates)`;
const all = sql`hits AS MATERIALIZED (SELECT id FROM found)`;
const inside = sql`concat_ws(', ', (SELECT string_agg(d.name, ', ' ORDER BY d.place) FROM _struct_fields d WHERE d.struct_id = st.id),
  (SELECT string_agg(v.name, ', ' ORDER BY v.position) FROM _struct_variants v WHERE v.struct_id = st.id))`;
const nothing = sql`NULL`;

const kinds: Readonly<Record<SearchKind, Question>> = {
  module: {
    hits: all,
    // By the name that it is listed under: bytes that cannot be read have none of their own.
    spans: sql`JOIN _modules z ON z.id = x.id JOIN ${moduleSpans} s ON s.address_id = z.address_id AND s.name = z.name`,
    from: sql`JOIN _abis z ON z.module_id = x.id JOIN _bytecodes b ON b.abi_id = z.id`,
    name: sql`g.module`,
    code: nothing,
    text: sql`''`,
    join: sql``,
  },
  function: {
    hits: named(sql`_functions`),
    from: sql`JOIN _abi_functions r ON r.function_id = x.id JOIN _bytecodes b ON b.abi_id = r.abi_id`,
    name: sql`f.name`,
    code: nothing,
    text: sql`f.signature`,
    join: sql`JOIN _functions f ON f.id = g.id`,
  },
  struct: {
    hits: named(sql`_structs`),
    from: sql`JOIN _abi_structs r ON r.struct_id = x.id JOIN _bytecodes b ON b.abi_id = r.abi_id`,
    name: sql`st.name`,
    code: nothing,
    text: inside,
    join: sql`JOIN _structs st ON st.id = g.id`,
  },
  error: {
    hits: all,
    from: sql`JOIN _error_map_codes d ON d.error_code_id = x.id JOIN _abis z ON z.error_map_id = d.error_map_id JOIN _bytecodes b ON b.abi_id = z.id`,
    name: sql`e.name`,
    code: asText("e.code"),
    text: sql`e.description`,
    join: sql`JOIN _error_codes e ON e.id = g.id`,
  },
};

// What a thing looks like is put together once for it, not once for each span that shows it.
const questionOf = ({ hits, name, code, text, join }: Question, grouped: Sql): Sql =>
  sql`WITH ${found}, ${hits} SELECT g.address, g.module, ${name}, ${code}, ${text}, g.first, g.last, g.stands, k.candidates FROM (${grouped}) g ${join}
    CROSS JOIN (SELECT CASE WHEN f.n > h.n THEN f.n ELSE h.n END AS candidates FROM (SELECT count(*) AS n FROM found) f CROSS JOIN (SELECT count(*) AS n FROM hits) h) k`;
const questions = eachKind((kind) =>
  questionOf(kind, standing(kind.spans ?? sql`${kind.from} JOIN ${moduleSpans} s ON s.bytecode_id = b.id`)),
);
const questionsApart = eachKind((kind) => questionOf(kind, apart(kind.from)));

function eachKind(make: (kind: Question) => Sql): Readonly<Record<SearchKind, Sql>> {
  return Object.fromEntries(searchKinds.map((kind) => [kind, make(kinds[kind])])) as Record<SearchKind, Sql>;
}

const hasFiles = sql`SELECT CASE WHEN EXISTS (SELECT 1 FROM _sources WHERE kind = 'modules') THEN 1 ELSE 0 END`;

/** Prepares searching. `most` is how many items of a kind are looked at, where no account narrows them. */
export function prepareSearch(engine: Engine, most = CANDIDATES): SearchStore {
  return {
    search: async (text, options) => {
      const { words, address } = parseWords(text);
      if (words.length === 0) return { hits: [], hasMore: false, isCut: false };
      const accounts = options.addresses?.length ? options.addresses : address === undefined ? undefined : [address];
      // What an account has is few: all of it is looked at.
      const candidates = accounts === undefined ? most : Number.MAX_SAFE_INTEGER;
      const addresses = accounts === undefined ? null : JSON.stringify(accounts);
      const values = { words: JSON.stringify(words), last: LAST, candidates, addresses };
      let isCut = false;
      const found: SearchHit[] = [];
      const isWithFiles = (await engine.first<[0 | 1]>(hasFiles))?.[0] === 1;
      for (const kind of options.kinds.length === 0 ? searchKinds : options.kinds) {
        const ofKind = { ...values, kind: searchKinds.indexOf(kind) };
        for (const question of isWithFiles ? [questions[kind], questionsApart[kind]] : [questions[kind]])
          for (const row of await engine.all<Row>(question, ofKind)) {
            found.push(toHit(kind, row));
            isCut ||= row[8] >= candidates;
          }
      }
      const rank = ranker(words);
      const ranked = latestOfEach(found)
        .filter((hit) => options.withGone || hit.lastVersion === null)
        .map((hit) => ({ hit, rank: rank(hit) }))
        .filter((ranked) => ranked.rank !== undefined)
        .sort((a, b) => (a.rank as number) - (b.rank as number) || compareHits(a.hit, b.hit));
      return { hits: ranked.slice(0, options.limit).map(({ hit }) => hit), hasMore: ranked.length > options.limit, isCut };
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
