import type { Session } from "../../engine/engine.ts";
import { orNull, shapeOf, text, version } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { asText, each, item } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { type SearchKind, searchKinds } from "../content/search-words.ts";
import { type SearchPlace, structText } from "./places.ts";

const hit = shapeOf({
  address: text<Address>("address"),
  module: text("module"),
  /** Name of the function, struct or error constant; the module's own for a module. */
  name: text("name"),
  /** The reason in an abort code, for errors only. */
  code: orNull(text("code")),
  /** A function's declaration, a struct's fields and variants, an error's description; empty for a module. */
  text: text("words"),
  /** The first and last sealed snapshot that showed it; the latest definition is described. Null for an imported file, in none. */
  firstVersion: orNull(version("first")),
  /** Null while it stands at the newest snapshot that covers the account, and for imported files. */
  lastVersion: orNull(version("last")),
});

/** One thing that was found. Names and texts are as on chain: hostile until printed. */
export type SearchHit = { readonly kind: SearchKind } & ReturnType<typeof hit.read>;

// A definition is shared by many versions of a module: of all the spans that show it, the first and the last count.
const standing = (from: Sql): Sql =>
  sql`SELECT a.address, l.name AS module, x.id, min(s.from_version) AS first,
    CASE WHEN count(*) = count(s.to_version) THEN max(s.to_version) END AS last FROM hits x ${from} JOIN _addresses a ON a.id = s.address_id GROUP BY a.address, l.name, x.id`;
// Bytecode that no snapshot shows has the name that its bytes say.
const apart = (from: Sql): Sql =>
  sql`SELECT DISTINCT a.address, m.name AS module, x.id, CAST(NULL AS bigint) AS first, CAST(NULL AS bigint) AS last FROM hits x ${from}
    JOIN _modules m ON m.id = x.module_id JOIN _addresses a ON a.id = m.address_id
    WHERE NOT EXISTS (SELECT 1 FROM _listing_modules l WHERE l.bytecode_id = b.id)`;

/** How each kind is found and shown: joins from a hit `x` to listings `l`, spans `s` and bytecode `b`, and from its rows `g` to text. */
type Question = {
  readonly hits: Sql;
  readonly spans?: Sql;
  readonly from: Sql;
  readonly name: Sql;
  readonly code?: Sql;
  readonly text: Sql;
  readonly join?: Sql;
};

const places = each(":places::json", "j");
const module = sql`CAST(${item("j.value", 0)} AS bigint)`;
const named = (table: Sql): Sql =>
  sql`SELECT i.id, i.module_id FROM ${places} CROSS JOIN ${table} i WHERE i.module_id = ${module} AND i.name = ${item("j.value", 1)}`;

const kinds: Readonly<Record<SearchKind, Question>> = {
  module: {
    hits: sql`SELECT ${module} AS id, ${module} AS module_id FROM ${places}`,
    // By the name that it is listed under: bytes that cannot be read have none of their own.
    spans: sql`JOIN _modules z ON z.id = x.id JOIN _listing_spans s ON s.address_id = z.address_id
      JOIN _listing_modules l ON l.listing_id = s.listing_id AND l.name = z.name`,
    from: sql`JOIN _abis z ON z.module_id = x.id JOIN _bytecodes b ON b.abi_id = z.id`,
    name: sql`g.module`,
    text: sql`''`,
  },
  function: {
    hits: named(sql`_functions`),
    from: sql`JOIN _abi_functions r ON r.function_id = x.id JOIN _bytecodes b ON b.abi_id = r.abi_id`,
    name: sql`f.name`,
    text: sql`f.signature`,
    join: sql`JOIN _functions f ON f.id = g.id`,
  },
  struct: {
    hits: named(sql`_structs`),
    from: sql`JOIN _abi_structs r ON r.struct_id = x.id JOIN _bytecodes b ON b.abi_id = r.abi_id`,
    name: sql`st.name`,
    text: structText(sql`st.id`),
    join: sql`JOIN _structs st ON st.id = g.id`,
  },
  error: {
    hits: sql`SELECT CAST(${item("j.value", 1)} AS bigint) AS id, ${module} AS module_id FROM ${places}`,
    from: sql`JOIN _abis z ON z.module_id = x.module_id JOIN _error_map_codes d ON d.error_map_id = z.error_map_id AND d.error_code_id = x.id
      JOIN _bytecodes b ON b.abi_id = z.id`,
    name: sql`e.name`,
    code: asText("e.code"),
    text: sql`e.description`,
    join: sql`JOIN _error_codes e ON e.id = g.id`,
  },
};

const ofBytecode = sql`JOIN _listing_modules l ON l.bytecode_id = b.id JOIN _listing_spans s ON s.listing_id = l.listing_id`;
// What a thing looks like is put together once for it, not once for each span that shows it.
const questionOf = ({ hits, name, code = sql`NULL`, text, join = sql`` }: Question, grouped: Sql): Sql =>
  sql`WITH hits AS MATERIALIZED (${hits}) SELECT ${hit.columns} FROM (
    SELECT g.address, g.module, ${name} AS name, ${code} AS code, ${text} AS words, g.first, g.last FROM (${grouped}) g ${join}) h`;
const questions = eachKind((kind) => questionOf(kind, standing(kind.spans ?? sql`${kind.from} ${ofBytecode}`)));
const questionsApart = eachKind((kind) => questionOf(kind, apart(kind.from)));

function eachKind(make: (kind: Question) => Sql): Readonly<Record<SearchKind, Sql>> {
  return Object.fromEntries(searchKinds.map((kind) => [kind, make(kinds[kind])])) as Record<SearchKind, Sql>;
}

/** One hit per definition that stands, or stood, in these places. `withFiles` includes imported bytecode that no snapshot shows. */
export async function readHits(
  session: Session,
  kind: SearchKind,
  places: readonly SearchPlace[],
  withFiles: boolean,
): Promise<SearchHit[]> {
  if (places.length === 0) return [];
  const values = { places: JSON.stringify(places.map(([module, item]) => [String(module), item])) };
  const found = await hit.all(session, questions[kind], values);
  if (withFiles) found.push(...(await hit.all(session, questionsApart[kind], values)));
  return found.map((one) => ({ kind, ...one }));
}
