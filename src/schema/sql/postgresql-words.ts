import type { Words } from "./engine-words.ts";

const NOT_IN_NAMES = "[^A-Za-z0-9_]";

/** What PostgreSQL says in its own way. */
export const postgresqlWords: Words = {
  engine: "postgresql",
  // Its own least() and greatest() pass over nulls.
  least: (a, b) => `CASE WHEN ${a} <= ${b} THEN ${a} WHEN ${a} > ${b} THEN ${b} END`,
  greatest: (a, b) => `CASE WHEN ${a} >= ${b} THEN ${a} WHEN ${a} < ${b} THEN ${b} END`,
  each: (json, alias) =>
    `LATERAL (SELECT place - 1 AS key, item AS value FROM json_array_elements_text(${json}) WITH ORDINALITY AS items(item, place)) AS ${alias}`,
  item: (json, index) => `(CAST(${json} AS json) ->> ${index})`,
  listText: (json) => `replace(substr(CAST(${json} AS text), 3, length(CAST(${json} AS text)) - 4), '","', ', ')`,
  hexOf: (bytes) => `encode(${bytes}, 'hex')`,
  timeText: (time) => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  u64: (value) => value,
  placeOf: (text, part) => `strpos(${text}, ${part})`,
  lastCharacters: (text, count) => `right(${text}, ${count})`,
  mentions: (typeText, name) => `(' ' || ${typeText} || ' ') ~ ('${NOT_IN_NAMES}' || ${name} || '${NOT_IN_NAMES}')`,
  now: "clock_timestamp()",
  later: (time, milliseconds) => `(${time} + ${milliseconds} * interval '1 millisecond')`,
  forUpdate: "FOR UPDATE",
  skipLocked: "FOR UPDATE SKIP LOCKED",
};
