import { address, module, type RecipeData } from "./recipe.ts";

export const NEWEST =
  "Each account is shown as of the newest sealed snapshot that read it. The column `ledger_version` of the views names that snapshot.";

export const interfaceRecipes: readonly RecipeData[] = [
  {
    name: "entry-functions",
    question: "What can a transaction call on an account?",
    parameters: { address },
    sql: `SELECT module, name, signature
FROM functions_latest
WHERE address = :address AND is_entry
ORDER BY module, name`,
    answer: "One row for each entry function, private ones included: a transaction can call it whatever its visibility.",
    limits: NEWEST,
  },
  {
    name: "functions-with-parameters",
    question: "Which parameters do the functions of a module take, functions without any included?",
    parameters: { address, module },
    sql: `WITH p AS MATERIALIZED (
  SELECT function, position, type FROM function_params_latest WHERE address = :address AND module = :module
)
SELECT f.name, f.visibility, f.is_entry, p.position, p.type
FROM functions_latest f
LEFT JOIN p ON p.function = f.name
WHERE f.address = :address AND f.module = :module
ORDER BY f.name, p.position`,
    answer: "One row for each parameter, in order; a function without parameters has one row with nulls.",
    limits: "In a file, a LEFT JOIN onto a view makes all of its rows, which takes seconds: join the rows that you need, as here.",
  },
  {
    name: "who-can-mint",
    question: "Who can mint? Which functions and structs handle the right to create something?",
    parameters: { right: { kind: "text", meaning: "a pattern for names of the structs that stand for the right", example: "*Mint*" } },
    sql: `SELECT u.used_address || '::' || u.used_module || '::' || u.used_struct AS "right",
  CASE WHEN u.item_kind = 'struct' THEN 'keeps it' WHEN u.place LIKE 'returns%' THEN 'hands it out' ELSE 'asks for it' END AS role,
  u.address, u.module, u.item, u.place, c.accounts_read, c.gaps, c.accounts_never_read
FROM snapshot_coverage c
LEFT JOIN (SELECT * FROM type_uses_latest WHERE likelihood(glob(:right, used_struct), 0.001)) u ON TRUE
WHERE c.ledger_version = (SELECT max(ledger_version) FROM snapshots)
ORDER BY 1, role, u.address, u.module, u.item`,
    answer:
      "A struct that keeps such a right stores it. A function that hands it out creates or lends it. A function that asks for it can be called " +
      "by the owner of the right. The last columns say how many accounts the answer is about. If nothing was found, the answer is one row with only these.",
    limits:
      "Rights are found by the names of their structs. This query does not read resources and code, so it does not say who holds a right or passes a function's checks. `likelihood` tells SQLite that few names fit.",
  },
  {
    name: "events",
    question: "Which events are there, with which fields?",
    sql: `SELECT s.address, s.module, s.name AS event, f.variant, f.position, f.name AS field, f.type
FROM structs_latest s
JOIN fields_latest f ON f.address = s.address AND f.module = s.module AND f.struct = s.name
WHERE s.is_event
ORDER BY s.address, s.module, s.name, f.variant, f.position`,
    answer: "One row for each field of a struct that is marked as an event, in order: the columns of an indexer's table.",
    limits:
      "Older events with handles are not marked: `who-uses-struct` of 0x1::event::EventHandle finds them. An event without fields has no row.",
  },
  {
    name: "resource-groups",
    question: "Which resources are stored together in one group?",
    sql: `SELECT substr(args, 3, length(args) - 4) AS resource_group, address, module, item AS resource
FROM attributes_latest
WHERE kind = 3
ORDER BY resource_group, address, module, item`,
    answer: "One row for each member of a resource group. Objects of the framework live in `0x1::object::ObjectGroup`.",
    limits: NEWEST,
  },
];

export const COVERAGE =
  "The last columns count accounts: those that the newest snapshot read, its gaps, those that only older snapshots read (the answer includes them), and those that are named but were never read. If nothing was found, the answer is one row with only these counts.";
export const FRONTIER =
  "A node cannot list its accounts, so the answer covers only targets. Type arguments that are chosen while a transaction runs appear in no ABI.";
const IN_NEWEST = "c.ledger_version = (SELECT max(ledger_version) FROM snapshots)";

export const useRecipes: readonly RecipeData[] = [
  {
    name: "who-uses-struct",
    question: "Who uses my struct?",
    parameters: { address, module, struct: { kind: "text", meaning: "name of the struct", example: "Coin" } },
    sql: `SELECT u.address, u.module, u.item_kind, u.item, u.place, c.accounts_read, c.gaps, c.accounts_elsewhere, c.accounts_never_read
FROM snapshot_coverage c
LEFT JOIN type_uses_latest u ON u.used_address = :address AND u.used_module = :module AND u.used_struct = :struct
  AND (u.address <> :address OR u.module <> :module)
WHERE ${IN_NEWEST}
ORDER BY u.address, u.module, u.item_kind, u.item, u.place`,
    answer: `Every function and struct outside the struct's module that mentions it, and where. ${COVERAGE}`,
    limits: FRONTIER,
  },
  {
    name: "who-calls-function",
    question: "Which functions call mine?",
    parameters: { address, module, function: { kind: "text", meaning: "name of the function", example: "transfer" } },
    sql: `SELECT k.address, k.module, k.function, c.accounts_read, c.gaps, c.accounts_elsewhere, c.accounts_never_read
FROM snapshot_coverage c
LEFT JOIN (
  SELECT f.address, f.module, f.function
  FROM dependencies_latest d
  JOIN function_calls_latest f ON f.address = d.address AND f.module = d.module
  WHERE d.other_address = :address AND d.other_module = :module
    AND f.callee_address = :address AND f.callee_module = :module AND f.callee_function = :function) k ON 1 = 1
WHERE ${IN_NEWEST}
ORDER BY k.address, k.module, k.function`,
    answer: `Functions of other modules that call it directly, or make a function value of it. ${COVERAGE}`,
    limits: `Calls through function values are decided while a transaction runs. \`movedex uses\` follows callers of callers. ${FRONTIER}`,
  },
  {
    name: "transitive-dependents",
    question: "What could break if my module broke, over any number of steps?",
    parameters: { address, module },
    sql: `WITH RECURSIVE reached(address, module, steps) AS (
  SELECT address, module, 1 FROM dependencies_latest WHERE other_address = :address AND other_module = :module
  UNION
  SELECT d.address, d.module, r.steps + 1
  FROM reached r JOIN dependencies_latest d ON d.other_address = r.address AND d.other_module = r.module
  WHERE r.steps < 20)
SELECT r.address, r.module, min(r.steps) AS steps, c.accounts_read, c.gaps, c.accounts_never_read
FROM snapshot_coverage c
LEFT JOIN reached r ON 1 = 1
WHERE ${IN_NEWEST}
GROUP BY r.address, r.module, c.accounts_read, c.gaps, c.accounts_never_read
ORDER BY steps, r.address, r.module`,
    answer: `The column \`steps\` is the length of the shortest path: a module with 1 depends on it directly. ${COVERAGE}`,
    limits: `A module that depends on another need not call each of its functions. Paths longer than 20 steps are not followed. ${FRONTIER}`,
  },
  {
    name: "dependency-closure",
    question: "Which modules does mine need, over any number of steps, and are they in the archive?",
    parameters: { address, module },
    sql: `WITH RECURSIVE needed(address, module) AS (
  SELECT other_address, other_module FROM dependencies_latest WHERE address = :address AND module = :module
  UNION
  SELECT d.other_address, d.other_module FROM needed n JOIN dependencies_latest d ON d.address = n.address AND d.module = n.module)
SELECT h.address, h.module, h.bytecode_sha256, h.bytecode_sha256 IS NOT NULL AS is_held
FROM (
  SELECT n.address, n.module,
    (SELECT bytecode_sha256 FROM modules_latest m WHERE m.address = n.address AND m.module = n.module) AS bytecode_sha256
  FROM (SELECT :address AS address, :module AS module UNION SELECT address, module FROM needed) n) h
ORDER BY h.address, h.module`,
    answer: "The module itself and all that it depends on: what a local build, a fork or a typings export needs, by hash.",
    limits:
      "If the archive does not hold a module, its dependencies are unknown: a row with is_held 0 ends the path. `movedex targets discover` finds their accounts.",
  },
  {
    name: "most-depended-on",
    question: "Which modules do most others depend on?",
    sql: `SELECT other_address AS address, other_module AS module, count(*) AS modules, count(DISTINCT address) AS accounts
FROM dependencies_latest
GROUP BY other_address, other_module
ORDER BY accounts DESC, modules DESC, address, module
LIMIT 50`,
    answer: "The fifty modules with the most dependents, sorted by accounts first.",
    limits: FRONTIER,
  },
  {
    name: "accounts-to-read",
    question: "Which accounts do stored modules name that no snapshot has read?",
    sql: `SELECT d.other_address AS address, count(DISTINCT d.address || '::' || d.module) AS named_by, min(d.other_module) AS for_example
FROM dependencies_latest d
WHERE d.other_address NOT IN (SELECT address FROM covered_latest)
GROUP BY d.other_address
ORDER BY named_by DESC, address`,
    answer:
      "Candidates for `movedex targets add`, those that most modules need first; `movedex targets discover` adds them, up to `--depth` steps away.",
    limits: "Dependencies lead to libraries, never to their users.",
  },
];
