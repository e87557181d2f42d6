import { address, type RecipeData } from "./recipe.ts";

const NEWEST =
  "Each account is shown as of the newest sealed snapshot that read it. The column `ledger_version` of the views names that snapshot.";

/** What is there: what can be called, created, held and emitted. */
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
    name: "entry-functions-by-type",
    question: "Which entry functions take a signer and a value of a type?",
    parameters: { type: { kind: "text", meaning: "the type as the node prints it", example: "u64" } },
    // The signature says what a function takes, but for lists inside other types: only there the parameters are looked up, which takes
    // longer. They are counted because PostgreSQL would read all parameters of the type for an EXISTS.
    sql: `WITH f AS MATERIALIZED (SELECT address, module, name, signature,
    signature LIKE '%(%(%' OR signature LIKE '%(%<%, %>%' OR signature LIKE '%|%' AS has_inner_list
  FROM functions_latest
  WHERE is_entry AND (signature LIKE '%(signer%' OR signature LIKE '%(&signer%' OR signature LIKE '% signer%' OR signature LIKE '% &signer%')
    AND replace(replace(replace(signature, ')', ','), '(', ', '), ', ' || :type || ',', '') <> replace(replace(signature, ')', ','), '(', ', '))
SELECT f.address, f.module, f.name, f.signature
FROM f
WHERE NOT f.has_inner_list OR 0 < (SELECT count(*) FROM function_params_latest p
  WHERE p.address = f.address AND p.module = f.module AND p.function = f.name AND p.type = :type)
ORDER BY f.address, f.module, f.name`,
    answer: "Entry functions with both among their parameters, in any order. With u64, these are calls that may move amounts.",
    limits: `Types are compared as text, so \`u64\` does not find \`vector<u64>\`. ${NEWEST}`,
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
    sql: `SELECT s.address, s.module, s.name AS event, string_agg(f.name || ': ' || f.type, ', ' ORDER BY f.position) AS fields
FROM structs_latest s
JOIN fields_latest f ON f.address = s.address AND f.module = s.module AND f.struct = s.name
WHERE s.is_event
GROUP BY s.address, s.module, s.name
ORDER BY s.address, s.module, s.name`,
    answer: "One row for each struct that is marked as an event, with its fields in order: the columns of an indexer's table.",
    limits:
      "Older events with handles are not marked: `who-uses-struct` of 0x1::event::EventHandle finds them. Fields of all variants of an enum are in one list.",
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
  {
    name: "bytecode-versions",
    question: "Which versions of the binary format are in use?",
    sql: `SELECT bytecode_version, count(*) AS modules, count(DISTINCT address) AS accounts, sum(bytecode_size) AS bytes
FROM modules_latest
GROUP BY bytecode_version
ORDER BY bytecode_version NULLS FIRST`,
    answer: "The versions that a tool has to read. Null means that the bytes do not say.",
    limits: NEWEST,
  },
];
