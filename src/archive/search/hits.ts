import type { Integer, Session } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { asText, each, item } from "../../schema/sql/functions.ts";
import { lastVersion } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { type SearchKind, searchKinds } from "../content/search-words.ts";
import { type SearchPlace, structText } from "./places.ts";

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
  /** The first and last sealed snapshot that showed it; the latest definition is described. Null for an imported file, in none. */
  readonly firstVersion: bigint | null;
  /** Null while it stands at the newest snapshot that covers the account, and for imported files. */
  readonly lastVersion: bigint | null;
};

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
const standing = (from: Sql): Sql =>
  sql`SELECT a.address, l.name AS module, x.id, min(s.from_version) AS first, max(coalesce(s.to_version, ${lastVersion})) AS last,
    max(CASE WHEN s.to_version IS NULL THEN 1 ELSE 0 END) AS stands FROM hits x ${from} JOIN _addresses a ON a.id = s.address_id GROUP BY a.address, l.name, x.id`;
// Bytecode that no snapshot shows has the name that its bytes say.
const apart = (from: Sql): Sql =>
  sql`SELECT DISTINCT a.address, m.name AS module, x.id, CAST(NULL AS bigint) AS first, CAST(NULL AS bigint) AS last, 1 AS stands FROM hits x ${from}
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
  sql`WITH hits AS MATERIALIZED (${hits}) SELECT g.address, g.module, ${name}, ${code}, ${text}, g.first, g.last, g.stands FROM (${grouped}) g ${join}`;
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
  const rows = await session.all<Row>(questions[kind], values);
  if (withFiles) rows.push(...(await session.all<Row>(questionsApart[kind], values)));
  return rows.map((row) => toHit(kind, row));
}

function toHit(kind: SearchKind, [address, module, name, code, text, first, last, stands]: Row): SearchHit {
  const version = (cell: Integer | null) => (cell === null ? null : BigInt(cell));
  return { kind, address, module, name, code, text, firstVersion: version(first), lastVersion: stands === 1 ? null : version(last) };
}
