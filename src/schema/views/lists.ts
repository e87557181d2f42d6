// Lists that rows hold as JSON, expanded and spelled by SQL. All of it is in the words that SQLite shares with others or in
// these few functions.

/** A join that gives each item of a JSON list a row of its own; a null list gives none. */
export const each = (list: string, alias: string): string => `JOIN json_each(${list}) ${alias}`;

/** The item's place in its list, from 0. */
export const placeOf = (alias: string): string => `CAST(${alias}.key AS INTEGER)`;

/** An item that is a text. */
export const textOf = (alias: string): string => `CAST(${alias}.value AS TEXT)`;

/** The text at a place of an item that is itself a list. */
export const textAt = (alias: string, place: number): string => `CAST(${alias}.value ->> ${place} AS TEXT)`;

/** The number at a place of an item that is itself a list; null when the list is shorter. */
export const numberAt = (alias: string, place: number): string => `CAST(${alias}.value ->> ${place} AS INTEGER)`;

/** The list at a place of an item that is itself a list, as JSON. */
export const listAt = (alias: string, place: number): string => `CAST(${alias}.value -> ${place} AS TEXT)`;

/** 1 or 0: one bit of a sum. */
export const bit = (sum: string, place: number): string => `CAST((${sum} >> ${place}) & 1 AS INTEGER)`;

/** The columns has_copy to has_key from a sum of abilities. */
export const abilityColumns = (sum: string): string =>
  ["copy", "drop", "store", "key"].map((name, place) => `${bit(sum, place)} AS has_${name}`).join(", ");

/** A JSON list of texts that need no escapes, written with commas: `["&signer","u64"]` as `&signer, u64`. */
const plainList = (list: string): string => `replace(substr(${list}, 3, length(${list}) - 4), '","', ', ')`;

const typeParams = (list: string): string =>
  "(SELECT group_concat(CASE WHEN (t.value & 16) > 0 THEN 'phantom ' ELSE '' END || 'T' || t.key || " +
  "CASE WHEN (t.value & 15) = 0 THEN '' ELSE ': ' || substr(CASE WHEN (t.value & 1) > 0 THEN ' + copy' ELSE '' END || " +
  "CASE WHEN (t.value & 2) > 0 THEN ' + drop' ELSE '' END || CASE WHEN (t.value & 4) > 0 THEN ' + store' ELSE '' END || " +
  `CASE WHEN (t.value & 8) > 0 THEN ' + key' ELSE '' END, 4) END, ', ') FROM json_each(${list}) t)`;

/**
 * A function's declaration from its row: the stored one, or put together of its lists. The same as `formatSignature`, which
 * a test compares it with.
 */
export function signature(f: string): string {
  const words =
    `CASE ${f}.visibility WHEN 'public' THEN 'public ' WHEN 'friend' THEN 'public(friend) ' ELSE '' END || ` +
    `CASE WHEN ${f}.is_entry THEN 'entry ' ELSE '' END || CASE WHEN ${f}.is_native THEN 'native ' ELSE '' END`;
  const returns =
    `CASE WHEN ${f}.returns IS NULL THEN '' WHEN ${f}.returns LIKE '%","%' THEN ': (' || ${plainList(`${f}.returns`)} || ')' ` +
    `ELSE ': ' || ${plainList(`${f}.returns`)} END`;
  const whole =
    `${words} || 'fun ' || ${f}.name || CASE WHEN ${f}.type_params IS NULL THEN '' ELSE '<' || ${typeParams(`${f}.type_params`)} || '>' END || ` +
    `'(' || coalesce(${plainList(`${f}.params`)}, '') || ')' || ${returns}`;
  return `CAST(coalesce(${f}.signature, ${whole}) AS TEXT)`;
}

/**
 * Whether a type's text mentions a struct. Names consist of letters, digits, `_` and `$`, so what follows the name tells
 * whether it is the whole one; `a`, `m` and `struct` give the struct's account, module and name.
 */
export function mentions(type: string, a: string, m: string, struct: string): string {
  return `(${type} || '>') GLOB ('*' || ${a} || '::' || ${m} || '::' || ${struct} || '[^A-Za-z0-9_$]*')`;
}
