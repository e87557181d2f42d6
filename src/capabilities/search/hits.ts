import type { Integer, Session } from "../../core/db/engine/engine.ts";
import { orNull, rowOf, text, version, whole } from "../../core/db/engine/row-shape.ts";
import { asText, jsonEach, jsonItem } from "../../core/db/schema/sql/functions.ts";
import { signatureOf } from "../../core/db/schema/sql/predicates.ts";
import { joined, type Sql, sql, verbatim } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";

/** What can be searched for, in the order of results that are otherwise alike. */
export const searchKinds = ["module", "function", "struct", "error"] as const;

export type SearchKind = (typeof searchKinds)[number];

export type SearchPlace = readonly [kind: Integer, module: Integer, name: string];

const row = rowOf({
  place: whole("g.place"),
  address: text<Address>("a.address"),
  module: text("g.module"),
  /** Name of the function, struct or error constant; the module's own for a module. */
  name: text("x.name"),
  /** The reason in an abort code, for errors only. */
  code: orNull(text(sql`(SELECT ${asText("e.code")} FROM _error_codes e WHERE x.kind = 3 AND e.id = g.item)`)),
  /** A function's declaration, a struct's fields and variants, an error's description; empty for a module. */
  text: text(sql`CASE x.kind WHEN 0 THEN '' WHEN 1 THEN (SELECT ${signatureOf("f")} FROM _functions f WHERE f.id = g.item)
    WHEN 2 THEN concat_ws(', ', (SELECT string_agg(d.name, ', ' ORDER BY d.place) FROM _struct_fields d WHERE d.struct_id = g.item),
      (SELECT string_agg(v.name, ', ' ORDER BY v.position) FROM _struct_variants v WHERE v.struct_id = g.item))
    ELSE (SELECT e.description FROM _error_codes e WHERE e.id = g.item) END`),
  /** The first and last sealed snapshot that showed it; the latest definition is described. Null for an imported file, in none. */
  firstVersion: orNull(version("g.first")),
  /** Null while it stands at the newest snapshot that covers the account, and for imported files. */
  lastVersion: orNull(version("g.last")),
});

/** One thing that was found. Names and texts are as on chain: hostile until printed. */
export type SearchHit = { readonly kind: SearchKind } & Omit<ReturnType<typeof row.read>, "place">;

const places = sql`places AS MATERIALIZED (SELECT j.key AS place, CAST(${jsonItem("j.value", 0)} AS bigint) AS kind, CAST(${jsonItem("j.value", 1)} AS bigint) AS module_id,
  ${jsonItem("j.value", 2)} AS name FROM ${jsonEach(":places::json", "j")})`;

const definedIn = (kind: "function" | "struct", number: 1 | 2): Sql =>
  sql`UNION ALL SELECT x.place, x.module_id, t.id, b.id FROM places x CROSS JOIN ${verbatim(`_${kind}s`)} t CROSS JOIN ${verbatim(`_abi_${kind}s`)} r CROSS JOIN _bytecodes b
    WHERE x.kind = ${verbatim(`${number}`)} AND t.module_id = x.module_id AND t.name = x.name AND r.${verbatim(kind)}_id = t.id AND b.abi_id = r.abi_id`;
const definitions = sql`definitions AS MATERIALIZED (
  SELECT x.place, x.module_id, x.module_id AS item, b.id AS bytecode_id FROM places x CROSS JOIN _abis z CROSS JOIN _bytecodes b
    WHERE x.kind = 0 AND z.module_id = x.module_id AND b.abi_id = z.id
  ${definedIn("function", 1)} ${definedIn("struct", 2)}
  UNION ALL SELECT x.place, x.module_id, e.id, b.id FROM places x CROSS JOIN _abis z CROSS JOIN _error_map_codes d CROSS JOIN _error_codes e CROSS JOIN _bytecodes b
    WHERE x.kind = 3 AND z.module_id = x.module_id AND d.error_map_id = z.error_map_id AND e.id = d.error_code_id AND e.name = x.name AND b.abi_id = z.id)`;

// A module is also found by the name that it is listed under: bytes that cannot be read have none of their own. Bytecode that no listing
// has was imported as a file, and has the name that its bytes say.
const shown = sql`shown AS MATERIALIZED (
  SELECT x.place, m.id AS item, m.address_id, m.name AS module, s.from_version, s.to_version
    FROM places x CROSS JOIN _modules m CROSS JOIN _listing_spans s CROSS JOIN _listing_modules l
    WHERE x.kind = 0 AND m.id = x.module_id AND s.address_id = m.address_id AND l.listing_id = s.listing_id AND l.name = m.name
  UNION ALL SELECT x.place, x.item, s.address_id, l.name, s.from_version, s.to_version
    FROM definitions x CROSS JOIN _listing_modules l CROSS JOIN _listing_spans s WHERE l.bytecode_id = x.bytecode_id AND s.listing_id = l.listing_id
  UNION ALL SELECT x.place, x.item, m.address_id, m.name, NULL, NULL FROM definitions x CROSS JOIN _modules m
    WHERE m.id = x.module_id AND NOT EXISTS (SELECT 1 FROM _listing_modules l WHERE l.bytecode_id = x.bytecode_id))`;

const grouped = sql`grouped AS MATERIALIZED (SELECT place, item, address_id, module, min(from_version) AS first,
  CASE WHEN count(from_version) = count(to_version) THEN max(to_version) END AS last FROM shown GROUP BY place, item, address_id, module)`;

const hits = sql`WITH ${places}, ${definitions}, ${shown}, ${grouped}
  SELECT ${row.columns} FROM grouped g CROSS JOIN places x CROSS JOIN _addresses a WHERE x.place = g.place AND a.id = g.address_id ORDER BY g.place`;

/** What there is, or was, at these places, in their order: each thing once, as its latest definition has it, since its first. */
export async function readHits(session: Session, at: readonly SearchPlace[]): Promise<SearchHit[]> {
  const found = new Map<string, SearchHit>();
  for (const { place, ...rest } of await row.all(session, hits, { places: JSON.stringify(at) })) {
    const hit: SearchHit = { kind: searchKinds[Number(at[place]?.[0])] as SearchKind, ...rest };
    const key = [place, hit.address, hit.module, hit.code].join(" ");
    const other = found.get(key);
    found.set(key, other === undefined ? hit : merge(other, hit));
  }
  return [...found.values()];
}

function merge(a: SearchHit, b: SearchHit): SearchHit {
  if (a.firstVersion === null || b.firstVersion === null) return a.firstVersion === null ? b : a;
  const isLater = a.lastVersion !== null && (b.lastVersion === null || b.lastVersion > a.lastVersion);
  return { ...(isLater ? b : a), firstVersion: a.firstVersion < b.firstVersion ? a.firstVersion : b.firstVersion };
}

/** Addresses reserved for the framework, 0x0 to 0xf: most people mean their modules. Source: AIP-40, special addresses. */
export const SPECIAL: readonly string[] = Array.from({ length: 16 }, (_, n) => `0x${n.toString(16)}`);
/** Behind every letter: the end of what begins with a word. */
export const LAST = "\u{10ffff}";

export type CandidateOptions = {
  /** In lower case; each may be the beginning of one. */
  readonly words: readonly string[];
  readonly kinds: readonly SearchKind[];
  /** The accounts to look in. All when undefined. */
  readonly accounts: readonly Address[] | undefined;
  /** How many names, modules, and places of each kind are looked at, and given, at most. */
  readonly limit: number;
};

/** The things `t` of a kind: their tables from the name to the module, and what joins them. A function or struct says its module itself. */
type Things = { readonly tables: readonly Sql[]; readonly links?: Sql; readonly module: Sql; readonly ofName?: Sql };
const itemsOf = (kind: "function" | "struct"): Things => ({
  tables: [verbatim(`_${kind}s t`), verbatim(`_abi_${kind}s d`), sql`_abis b`],
  links: sql`AND d.${verbatim(kind)}_id = t.id AND b.id = d.abi_id`,
  module: sql`b.module_id`,
  ofName: sql`t.module_id`,
});
const things: Readonly<Record<SearchKind, Things>> = {
  module: { tables: [sql`_modules t`], module: sql`t.id` },
  function: itemsOf("function"),
  struct: itemsOf("struct"),
  error: {
    tables: [sql`_error_codes t`, sql`_error_map_codes d`, sql`_abis b`],
    links: sql`AND d.error_code_id = t.id AND b.error_map_id = d.error_map_id`,
    module: sql`b.module_id`,
  },
};

// Names with the words that they are found by, as bits of a mask.
const found = sql`found AS MATERIALIZED (SELECT s.name, CAST(sum(DISTINCT CAST(${jsonItem("w.value", 0)} AS bigint)) AS bigint) AS mask
  FROM ${jsonEach(":words::json", "w")} CROSS JOIN _search_words s WHERE s.word >= ${jsonItem("w.value", 1)} AND s.word < ${jsonItem("w.value", 2)} GROUP BY s.name)`;
// The shortest first: what was typed as a whole is before what has more.
const names = sql`names AS MATERIALIZED (SELECT name, mask FROM found WHERE mask = :all ORDER BY length(name), name LIMIT :names)`;
// Compared by `=`, a server would read all modules to hash them; with a limit that it does not know, all functions too.
const modules = sql`modules AS MATERIALIZED (SELECT m.id, coalesce((SELECT x.mask FROM found x WHERE x.name = m.name), 0) AS mask
    FROM ${jsonEach(":accounts::json", "z")} CROSS JOIN _addresses a CROSS JOIN _modules m WHERE a.address = z.value AND m.address_id = a.id
  UNION SELECT id, mask FROM (SELECT m.id, x.mask FROM (SELECT name, mask FROM found ORDER BY length(name), name) AS x CROSS JOIN _modules m
    WHERE :withNamed = 1 AND m.name BETWEEN x.name AND x.name LIMIT 1000) AS named)`;

const ofKinds = (select: (kind: SearchKind, number: Sql) => Sql): Sql =>
  joined(
    searchKinds.map((kind, number) => select(kind, verbatim(String(number)))),
    " UNION ALL ",
  );
const withNames = ofKinds((kind, number) => {
  const { ofName, module, ...of } = things[kind];
  const [tables, links] = ofName === undefined ? [of.tables, of.links ?? sql``] : [of.tables.slice(0, 1), sql``];
  return sql`SELECT * FROM (SELECT ${number} AS kind, ${ofName ?? module} AS module_id, t.name, n.mask FROM names n
    CROSS JOIN ${joined(tables, " CROSS JOIN ")} WHERE t.name = n.name ${links} LIMIT :limit) AS ${verbatim(kind)}s`;
});
const inModules = ofKinds((kind, number) => {
  const { tables, links = sql``, module } = things[kind];
  return sql`SELECT ${number} AS kind, m.id AS module_id, t.name, m.mask FROM modules m CROSS JOIN ${joined(tables.toReversed(), " CROSS JOIN ")}
    WHERE ${module} = m.id ${links}`;
});
const candidates = sql`candidates AS MATERIALIZED (${withNames} UNION SELECT i.kind, i.module_id, i.name, n.mask
  FROM (${inModules}) AS i CROSS JOIN found n WHERE n.name = i.name AND (n.mask | i.mask) = :all)`;

/** A name as it is compared with what was typed: its words with spaces between them. */
const asTyped = (name: Sql): Sql => sql`lower(replace(${name}, '_', ' '))`;
// Exactly `module::item`, its beginning, exactly the name, its beginning, words of the name or its texts, and those of the module too.
const rank = sql`CASE WHEN ${asTyped(sql`m.name || ' ' || c.name`)} = :typed THEN 0 WHEN ${asTyped(sql`c.name`)} = :typed THEN 2
  WHEN c.kind > 0 AND substr(${asTyped(sql`m.name || ' ' || c.name`)}, 1, length(:typed)) = :typed AND substr(:typed, 1, length(m.name) + 1) =
    ${asTyped(sql`m.name || ' '`)} THEN 1 WHEN substr(${asTyped(sql`c.name`)}, 1, length(:typed)) = :typed THEN 3 WHEN c.mask = :all THEN 4 ELSE 5 END`;
type Sought = Readonly<Record<"words" | "typed" | "kinds" | "accounts", string> & Record<"all" | "names" | "withNamed" | "limit", number>>;
const best = sql<[...SearchPlace], Sought>`WITH ${found}, ${names}, ${modules}, ${candidates} SELECT c.kind, c.module_id, c.name
  FROM candidates c CROSS JOIN _modules m CROSS JOIN _addresses a WHERE m.id = c.module_id AND a.id = m.address_id AND c.kind IN
  (SELECT CAST(k.value AS bigint) FROM ${jsonEach(":kinds::json", "k")}) ORDER BY ${rank}, CASE WHEN length(a.address) <= 3 THEN 0
  ELSE 1 END, c.kind, length(a.address), a.address, m.name, c.name LIMIT :limit`;

/** Where what was searched for may be, best first, at most `limit` places. */
export async function readCandidates(session: Session, { words, kinds, accounts, limit }: CandidateOptions): Promise<SearchPlace[]> {
  return await session.all(best, {
    words: JSON.stringify(words.map((word, i) => [2 ** i, word, word + LAST])),
    all: 2 ** words.length - 1,
    typed: words.join(" "),
    kinds: JSON.stringify(kinds.map((kind) => searchKinds.indexOf(kind))),
    accounts: JSON.stringify(accounts ?? SPECIAL),
    // All of an account is looked at. A single word that a module's name has is no word of what is in it.
    names: accounts === undefined ? limit : 0,
    withNamed: accounts === undefined && words.length > 1 ? 1 : 0,
    limit,
  });
}
