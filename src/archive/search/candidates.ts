import type { Session } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { joined, type Sql, sql, verbatim } from "../../schema/sql/sql.ts";
import { type SearchKind, type SearchPlace, searchKinds } from "./hits.ts";

/** Addresses reserved for the framework, 0x0 to 0xf: most people mean their modules. Source: AIP-40, special addresses. */
export const SPECIAL: readonly string[] = Array.from({ length: 16 }, (_, n) => `0x${n.toString(16)}`);
/** Behind every letter: the end of what begins with a word. */
const LAST = "\u{10ffff}";

export type CandidateOptions = {
  /** In lower case; each may be the beginning of one. */
  readonly words: readonly string[];
  readonly kinds: readonly SearchKind[];
  /** The accounts to look in. All when undefined. */
  readonly accounts: readonly Address[] | undefined;
  /** How many names, modules, and places of each kind are looked at, and given, at most. */
  readonly limit: number;
};

/** The things `t` of a kind: their tables from the name to the module, and what joins them. */
const things: Readonly<Record<SearchKind, { readonly tables: readonly Sql[]; readonly links?: Sql; readonly module: Sql }>> = {
  module: { tables: [sql`_modules t`], module: sql`t.id` },
  function: { tables: [sql`_functions t`], module: sql`t.module_id` },
  struct: { tables: [sql`_structs t`], module: sql`t.module_id` },
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
  const { tables, links = sql``, module } = things[kind];
  return sql`SELECT * FROM (SELECT ${number} AS kind, ${module} AS module_id, t.name, n.mask FROM names n CROSS JOIN ${joined(tables, " CROSS JOIN ")}
    WHERE t.name = n.name ${links} LIMIT :limit) AS ${verbatim(kind)}s`;
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
