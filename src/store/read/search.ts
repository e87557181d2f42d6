import type { Database } from "better-sqlite3";
import { wordsOf } from "../../base/search-tokens.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { MODULE_SPANS } from "../../schema/sql/spans.ts";
import { sqliteWords } from "../../schema/sql/sqlite-words.ts";
import { signature } from "../../schema/views/lists.ts";
import type { Synchronous } from "../connection/asynchronous.ts";
import { indexedId, indexedKind, type SearchKind, searchKinds } from "../content/search-index.ts";
import { StoreError } from "../errors.ts";

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

/** How many rows of content are looked at, the best by the index's own ranking first. */
const CANDIDATES = 5000;

type Row = readonly [
  address: Address,
  module: string,
  name: string,
  code: string | null,
  text: string,
  first: bigint | null,
  last: bigint | null,
  stands: bigint,
];

// A definition is shared by many versions of a module: of all the spans that show it, the first and the last count.
const standing = (values: string, from: string): string =>
  `SELECT a.address, s.name AS module, ${values}, min(s.from_version) AS first, max(coalesce(s.to_version, 9223372036854775807)) AS last, ` +
  `max(s.to_version IS NULL) AS stands FROM hits x ${from} JOIN addresses a ON a.id = s.address_id`;
// What a thing looks like is put together once for it, not once for each span that shows it.
const described = (name: string, text: string, table: string, grouped: string): string =>
  `SELECT g.address, g.module, ${name}, NULL, ${text}, g.first, g.last, g.stands FROM (${grouped}) g JOIN ${table} ON g.id = ${name.split(".")[0]}.id`;
const end = "AND (@address IS NULL OR a.address = @address)";
const spans = `JOIN ${MODULE_SPANS} s ON s.bytecode_id = b.id`;
const hits = (kind: SearchKind): string =>
  `WITH hits AS MATERIALIZED (SELECT ${indexedId} AS id FROM search_index x WHERE search_index MATCH @match ` +
  `AND ${indexedKind} = ${searchKinds.indexOf(kind)} ORDER BY rank LIMIT ${CANDIDATES})`;
const ofBytecode = (kind: "function" | "struct", alias: string): string =>
  `JOIN ${kind}s ${alias} ON ${alias}.id = x.id ` +
  `JOIN abi_parts r ON r.source_id = ${alias}.id >> 16 AND r.kind = ${kind === "function" ? 0 : 1} ` +
  `AND (${alias}.id & 65535) BETWEEN r.first_place AND r.last_place JOIN bytecodes b ON b.abi_id = r.abi_id`;
const shown = (kind: "function" | "struct", alias: string): string => `${ofBytecode(kind, alias)} ${spans}`;
// The index has a name once, not each row that has it: all of these are meant.
const items = (kind: "function" | "struct"): string =>
  `${hits(kind).replace("hits AS MATERIALIZED (SELECT", "found AS MATERIALIZED (SELECT rank AS place,")}, ` +
  `names AS MATERIALIZED (SELECT i.name, min(y.place) AS place FROM found y JOIN ${kind}s i ON i.id = y.id GROUP BY i.name), ` +
  `hits AS MATERIALIZED (SELECT i.id FROM names n JOIN ${kind}s i ON i.name = n.name ORDER BY n.place LIMIT ${CANDIDATES})`;
const inside =
  "concat_ws(', ', (SELECT group_concat(j.value ->> 0, ', ') FROM json_each(st.fields) j), (SELECT group_concat(j.value, ', ') FROM json_each(st.variants) j))";
const errors =
  "JOIN abis e ON e.id = x.id JOIN json_each(e.errors) j JOIN abis l ON l.errors_abi_id = e.id JOIN bytecodes b ON b.abi_id = l.id";

const questions: Readonly<Record<SearchKind, string>> = {
  module: `${hits("module")} ${standing("s.name, NULL, ''", `JOIN modules m ON m.id = x.id JOIN ${MODULE_SPANS} s ON s.address_id = m.address_id AND s.name = m.name`)} WHERE true ${end} GROUP BY a.address, s.name`,
  function: `${items("function")} ${described("f.name", signature.in(sqliteWords), "functions f", `${standing("f.id", shown("function", "f"))} WHERE true ${end} GROUP BY a.address, s.name, f.id`)}`,
  struct: `${items("struct")} ${described("st.name", inside, "structs st", `${standing("st.id", shown("struct", "st"))} WHERE true ${end} GROUP BY a.address, s.name, st.id`)}`,
  error: `${hits("error")} ${standing("j.value ->> 1, j.value ->> 0, j.value ->> 2", `${errors} ${spans}`)} WHERE true ${end} GROUP BY a.address, s.name, e.id, j.key`,
};

// Bytecode that no snapshot shows has the name that its bytes say.
const apart = (values: string, from: string): string =>
  `SELECT DISTINCT a.address, m.name, ${values}, NULL, NULL, 1 FROM hits x ${from} JOIN addresses a ON a.id = m.address_id ` +
  `WHERE NOT EXISTS (SELECT 1 FROM listing_modules l WHERE l.bytecode_id = b.id) ${end}`;
const itsName = "JOIN abis y ON y.id = b.abi_id JOIN modules m ON m.id = y.module_id";

/** The same questions of bytecode that was imported as files. */
const questionsApart: Readonly<Record<SearchKind, string>> = {
  module: `${hits("module")} ${apart("m.name, NULL, ''", "JOIN modules m ON m.id = x.id JOIN abis y ON y.module_id = m.id JOIN bytecodes b ON b.abi_id = y.id")}`,
  function: `${items("function")} ${apart(`f.name, NULL, ${signature.in(sqliteWords)}`, `${ofBytecode("function", "f")} ${itsName}`)}`,
  struct: `${items("struct")} ${apart(`st.name, NULL, ${inside}`, `${ofBytecode("struct", "st")} ${itsName}`)}`,
  error: `${hits("error")} ${apart("j.value ->> 1, j.value ->> 0, j.value ->> 2", `${errors} ${itsName}`)}`,
};
const HAS_FILES = "SELECT EXISTS (SELECT 1 FROM sources WHERE kind = 'modules')";

/** Prepares searching on a connection. */
export function prepareSearch(database: Database): Synchronous<SearchStore> {
  return {
    search: (text, options) => {
      requireIndex(database);
      const { words, address } = parseWords(text);
      if (words.length === 0) return { hits: [], hasMore: false };
      // Any of the words: the others may be in the module's name, which rows of functions and structs do not hold.
      const match = words.map((word) => `"${word}"*`).join(" OR ");
      const kinds = options.kinds.length === 0 ? searchKinds : options.kinds;
      const hasFiles = database.prepare<[], bigint>(HAS_FILES).pluck().get() === 1n;
      const asked = kinds.flatMap((kind) => [questions[kind], ...(hasFiles ? [questionsApart[kind]] : [])].map((sql) => ({ kind, sql })));
      const found = asked.flatMap(({ kind, sql }) => {
        const statement = database.prepare<[{ match: string; address: string | null }], Row>(sql).raw();
        return statement.all({ match, address: options.address ?? address ?? null }).map((row) => toHit(kind, row));
      });
      const ranked = latestOfEach(found)
        .filter((hit) => options.withGone || hit.lastVersion === null)
        .map((hit) => ({ hit, rank: rankOf(hit, words) }))
        .filter(({ rank }) => rank !== undefined)
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

function requireIndex(database: Database): void {
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'search_index'").get() !== undefined) return;
  throw new StoreError(
    "MOVEDEX_STORE_OLDER",
    "the database was made before there was a search, and reading may not change it. Run `movedex sync` or any command that writes once.",
  );
}

function toHit(kind: SearchKind, [address, module, name, code, text, firstVersion, last, stands]: Row): SearchHit {
  return { kind, address, module, name, code, text, firstVersion, lastVersion: stands === 1n ? null : last };
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
