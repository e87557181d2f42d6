import { type Sql, sql } from "../sql/sql.ts";
import { asText, flag, item, jsonItem, listText, placeOf, each as rowsOf } from "../sql/words.ts";

// Lists that rows hold as JSON, expanded and spelled by SQL. An item of a list is a row `j` with its place and its value.

/** A join that gives each item of a JSON list a row of its own; a null list gives none. */
export const each = (list: Sql): Sql => sql`JOIN ${rowsOf(list, "j")} ON true`;

/** The item's place in its list, from 0. */
export const place = sql`CAST(j.key AS bigint)`;

/** An item that is a text. */
export const text = asText("j.value");

/** An item that is a number. */
export const number = sql`CAST(j.value AS bigint)`;

/** The text at a place of an item that is itself a list. */
export const textAt = (index: number): Sql => asText(item("j.value", index));

/** The number at a place of an item that is itself a list; null when the list is shorter. */
export const numberAt = (index: number): Sql => sql`CAST(${item("j.value", index)} AS bigint)`;

/** The list at a place of an item that is itself a list, as JSON. */
export const listAt = (index: number): Sql => asText(jsonItem("j.value", index));

/** Whether a sum of bits has one: `bit(sum, sql`4`)`. */
export const bit = (sum: Sql, value: Sql): Sql => flag(sql`(${sum} & ${value}) > 0`);

/** The columns has_copy to has_key from a sum of abilities. */
export const abilityColumns = (sum: Sql): Sql =>
  sql`${bit(sum, sql`1`)} AS has_copy, ${bit(sum, sql`2`)} AS has_drop, ${bit(sum, sql`4`)} AS has_store, ${bit(sum, sql`8`)} AS has_key`;

/** What a function `f` is, as columns. */
export const functionColumns: Sql = sql`${asText(sql`CASE f.traits & 3 WHEN 2 THEN 'public' WHEN 1 THEN 'friend' ELSE 'private' END`)} AS visibility,
  ${bit(sql`f.traits`, sql`4`)} AS is_entry, ${bit(sql`f.traits`, sql`8`)} AS is_view, ${bit(sql`f.traits`, sql`16`)} AS is_native`;

/** What a struct `st` is, as columns. */
export const structColumns: Sql = sql`${bit(sql`st.traits`, sql`16`)} AS is_native, ${bit(sql`st.traits`, sql`32`)} AS is_event,
  ${bit(sql`st.traits`, sql`64`)} AS is_enum, ${abilityColumns(sql`st.traits`)}`;

const mask = sql`CAST(t.value AS bigint)`;
const typeParams = (list: Sql): Sql =>
  sql`(SELECT string_agg(CASE WHEN (${mask} & 16) > 0 THEN 'phantom ' ELSE '' END || 'T' || t.key ||
    CASE WHEN (${mask} & 15) = 0 THEN '' ELSE ': ' || substr(CASE WHEN (${mask} & 1) > 0 THEN ' + copy' ELSE '' END ||
    CASE WHEN (${mask} & 2) > 0 THEN ' + drop' ELSE '' END || CASE WHEN (${mask} & 4) > 0 THEN ' + store' ELSE '' END ||
    CASE WHEN (${mask} & 8) > 0 THEN ' + key' ELSE '' END, 4) END, ', ' ORDER BY t.key) FROM ${rowsOf(list, "t")})`;

/**
 * The declaration of a function `f` from its row: the stored one, or put together of its lists. The same as `formatSignature`,
 * which a test compares it with.
 */
export const signature: Sql = asText(sql`coalesce(f.signature,
  CASE f.traits & 3 WHEN 2 THEN 'public ' WHEN 1 THEN 'public(friend) ' ELSE '' END ||
  CASE WHEN (f.traits & 4) > 0 THEN 'entry ' ELSE '' END || CASE WHEN (f.traits & 16) > 0 THEN 'native ' ELSE '' END ||
  'fun ' || f.name || CASE WHEN f.type_params IS NULL THEN '' ELSE '<' || ${typeParams(sql`f.type_params`)} || '>' END ||
  '(' || coalesce(${listText("f.params")}, '') || ')' ||
  CASE WHEN f.returns IS NULL THEN '' WHEN CAST(f.returns AS text) LIKE '%","%' THEN ': (' || ${listText("f.returns")} || ')'
  ELSE ': ' || ${listText("f.returns")} END)`);

/**
 * Whether a type's text mentions a struct `address::module::name`: the names in it stand between the characters of types
 * (`<`, `>`, `,`, `&`, `|`, brackets, spaces), all of which are made spaces, so that only the whole name is found.
 */
export function mentions(type: Sql, struct: Sql): Sql {
  const characters = [sql`'<'`, sql`'>'`, sql`','`, sql`'&'`, sql`'|'`, sql`'('`, sql`')'`];
  const spaced = characters.reduce((text, character) => sql`replace(${text}, ${character}, ' ')`, type);
  return sql`${placeOf(sql`(' ' || ${spaced} || ' ')`, sql`(' ' || ${struct} || ' ')`)} > 0`;
}
