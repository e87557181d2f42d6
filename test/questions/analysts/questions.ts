import { recipes } from "../../../src/capabilities/cookbook/recipes/cookbook.ts";
import { late } from "../../witnesses/archive.ts";

/** What a column holds, as `movedex schema` says it. */
export type Kind = "text" | "int" | "bool" | "time" | "u64";

/** A question to an archive, in SQL that every program reads, but for those that `in` names. */
export type Question = {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly sql: string;
  /** For a dialect that spells it otherwise. */
  readonly in?: Readonly<Partial<Record<"duckdb" | "postgresql", string>>>;
};

/** The kinds of each recipe's columns, and values in the place of its examples. */
const ofRecipes: Readonly<Record<string, readonly [kinds: string, values?: Readonly<Record<string, string>>]>> = {
  "entry-functions": ["text text text"],
  "functions-with-parameters": ["text text bool int text"],
  "who-can-mint": ["text text text text text text int int int"],
  events: ["text text text text int text text"],
  "resource-groups": ["text text text text"],
  "who-uses-struct": ["text text text text text int int int int"],
  "who-calls-function": ["text text text int int int int"],
  "transitive-dependents": ["text text int int int int"],
  "dependency-closure": ["text text text bool"],
  "most-depended-on": ["text text int int"],
  "accounts-to-read": ["text int text"],
  "worst-last-night": ["text text text text text text text text int"],
  "module-history": ["int int bool bool text text", { address: late, module: "odd" }],
  "silent-changes": ["text text int int bool text text"],
  "never-upgraded": ["text text text"],
  "functions-gone": ["text text text"],
  "signatures-changed": ["text text text text text", { from: "3900000", to: "4200000" }],
  "fields-changed": ["text text text text int text text"],
  "error-codes-changed": ["text text u64 text text text", { from: "3900000", to: "4200000" }],
  "abi-at-date": ["int time int text bool bool text", { address: late, module: "odd", date: "2026-01-05" }],
  "functions-as-of": ["text text text int int", { address: late, version: "3999999" }],
};

/** Where a number of 64 bits is a text in part, the end of a range is written in another way. */
const inRange = (belowEnd: string) =>
  `SELECT name, code FROM error_codes_latest WHERE code > 9 AND code <> '10000000000000000000' AND ${belowEnd} ORDER BY length(CAST(code AS text)), code`;

/**
 * Other questions: a line with name and kinds, then the SQL. A number of 64 bits, above 2^63 a text in SQLite, is sorted everywhere by its
 * length first.
 */
const own = `
newest-version: int int
SELECT max(ledger_version), count(*) FROM snapshots

nights: int text time int int int
SELECT ledger_version, status, ledger_time, ledger_time_error_ms, accounts, gaps FROM snapshots ORDER BY ledger_time DESC

nights-since: int
SELECT ledger_version FROM snapshots WHERE ledger_time > '2026-01-04T12:00:00' ORDER BY 1

nights-by-day: text int
SELECT substr(ledger_time, 1, 10) AS day, count(*) FROM snapshots GROUP BY 1 ORDER BY 1

first-and-last-night: time time
SELECT min(ledger_time), max(ledger_time) FROM snapshots

changed-last-night: text text bool bool time
SELECT address, module, is_exact, abi_changed, ledger_time FROM module_changes
WHERE ledger_version = (SELECT max(ledger_version) FROM snapshots) ORDER BY 1, 2

removed-modules: text text int
SELECT module, from_sha256, at_or_before_version FROM module_changes WHERE to_sha256 IS NULL ORDER BY 1

renamed-items: text text text text bool
SELECT module, item_kind, from_name, to_name, is_exact FROM item_renames ORDER BY 1, 2, 3

rotated-keys: text text int time
SELECT address, to_key, at_or_before_version, ledger_time FROM key_rotations ORDER BY 3

changes-by-severity: int text int
SELECT ledger_version, severity, count(*) FROM judged_changes GROUP BY 1, 2 ORDER BY 1, 2

gaps: int text text int bool
SELECT ledger_version, address, reason, http_status, is_final FROM gaps ORDER BY 1, 2

coverage-of-account: int int bool time
SELECT valid_from_version, valid_to_version, is_record_read, valid_to_time FROM coverage_history WHERE address = '${late}' ORDER BY 1

stretches-of-modules: text int int time
SELECT module, valid_from_version, valid_to_version, valid_from_time FROM modules_history WHERE address = '${late}' ORDER BY 1, 2

standing-at-gap: text text
SELECT address, module FROM modules_at WHERE ledger_version = 4000000 ORDER BY 1, 2

codes-by-size: text u64 text
SELECT module, code, name FROM error_codes_latest WHERE code > 2 ORDER BY length(CAST(code AS text)), code, module, name

largest-number: int u64
SELECT ledger_version, sequence_number FROM accounts_at ORDER BY length(CAST(sequence_number AS text)) DESC, sequence_number DESC LIMIT 1

numbers-in-a-range: text u64
${inRange("(length(code), code) < (20, '18446744073709551615')")}

entries-by-account: text int int
SELECT address, count(*), sum(CASE WHEN is_entry THEN 1 ELSE 0 END) FROM functions_latest GROUP BY address ORDER BY 2 DESC, 1

growth-by-night: text int int
SELECT module, ledger_version, bytecode_size - lag(bytecode_size) OVER (PARTITION BY address, module ORDER BY ledger_version)
FROM modules_at WHERE module IN ('pool', 'odd') ORDER BY 1, 2`;

const byDay = (day: string) => `SELECT ${day} AS day, count(*) FROM snapshots GROUP BY 1 ORDER BY 1`;
/** Questions that each dialect asks in its own way. */
const otherwise: Readonly<Record<string, Question["in"]>> = {
  "nights-by-day": {
    duckdb: byDay("CAST(CAST(ledger_time AS date) AS text)"),
    postgresql: byDay("CAST(CAST(ledger_time AT TIME ZONE 'UTC' AS date) AS text)"),
  },
  "numbers-in-a-range": { duckdb: inRange("code < 18446744073709551615"), postgresql: inRange("code < 18446744073709551615") },
};

/** Words of recipes that DuckDB has in another way. */
const forDuckDb = (sql: string): string =>
  sql.replace(/likelihood\(glob\(('.*?'), (\w+)\), 0\.001\)/, "$2 GLOB $1").replaceAll(/\bdate\(([^)]+)\)/g, "CAST($1 AS date)");
const literal = (value: string): string => (/^\d+$/.test(value) ? value : `'${value}'`);
const question = (name: string, kinds: string, sql: string, other = otherwise[name] ?? {}): Question => ({
  name,
  kinds: kinds.split(" ") as Kind[],
  sql,
  in: other,
});

/** What analysts ask: the recipes of the cookbook, and others. */
export const questions: readonly Question[] = [
  ...recipes.map(({ name, sql: text, parameters }) => {
    const [kinds, values = {}] = ofRecipes[name] ?? [""];
    const sql = text.replace(/(?<!:):([a-z]+)/g, (_, key: string) => literal(values[key] ?? parameters[key]?.example ?? ""));
    return question(name, kinds, sql, { duckdb: forDuckDb(sql) });
  }),
  ...own.split("\n\n").map((block) => {
    const [, name = "", kinds = "", sql = ""] = /^(\S+): (.*)\n([\s\S]+)$/.exec(block.trim()) ?? [];
    return question(name, kinds, sql);
  }),
];
