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
    name: "view-functions",
    question: "What can be read from an account without a transaction?",
    parameters: { address },
    sql: `SELECT module, name, visibility, signature
FROM functions_latest
WHERE address = :address AND is_view
ORDER BY module, name`,
    answer: "One row for each function that is marked as a view.",
    limits: `Whether a node runs private views depends on its release. ${NEWEST}`,
  },
  {
    name: "private-entry-functions",
    question: "Which entry functions are not public?",
    sql: `SELECT address, module, name, visibility, signature
FROM functions_latest
WHERE is_entry AND visibility <> 'public'
ORDER BY address, module, name`,
    answer: "A transaction can call these, but other modules cannot. Functions that use randomness have to be like this.",
    limits: NEWEST,
  },
  {
    name: "functions-by-name",
    question: "Which functions have a name like this?",
    parameters: { name: { kind: "text", meaning: "a pattern: * stands for any letters, ? for one", example: "*mint*" } },
    sql: `SELECT address, module, name, visibility, is_entry, signature
FROM functions_latest
WHERE glob(:name, name)
ORDER BY address, module, name`,
    answer: "Upper and lower case matter. `movedex search` looks for words instead.",
    limits: NEWEST,
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
    name: "who-returns-struct",
    question: "Which functions give me a value of a struct?",
    parameters: {
      address,
      module: { kind: "text", meaning: "name of the struct's module", example: "coin" },
      struct: { kind: "text", meaning: "name of the struct", example: "Coin" },
    },
    sql: `SELECT DISTINCT u.address, u.module, f.name, f.visibility, f.signature
FROM type_uses_latest u
JOIN functions_latest f ON f.address = u.address AND f.module = u.module AND f.name = u.item
WHERE u.used_address = :address AND u.used_module = :module AND u.used_struct = :struct
  AND u.item_kind = 'function' AND u.place LIKE 'returns%'
ORDER BY u.address, u.module, f.name`,
    answer: "Every function that returns the struct, also by reference or inside another type.",
    limits: NEWEST,
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
    limits: "Older events with handles are not marked: see `event-handles`. Fields of all variants of an enum are in one list.",
  },
  {
    name: "event-handles",
    question: "Which events with handles, the older kind, are there?",
    sql: `SELECT address, module, struct, name AS field, type
FROM fields_latest
WHERE type LIKE '0x1::event::EventHandle<%'
ORDER BY address, module, struct, position`,
    answer: "The event is the type argument of the handle. On chain you find events by account, struct and field.",
    limits: NEWEST,
  },
  {
    name: "resources",
    question: "What can a module's users hold in storage?",
    parameters: { address },
    sql: `SELECT s.module, s.name AS resource, string_agg(f.name || ': ' || f.type, ', ' ORDER BY f.position) AS fields
FROM structs_latest s
JOIN fields_latest f ON f.address = s.address AND f.module = s.module AND f.struct = s.name
WHERE s.address = :address AND f.address = :address AND s.has_key
GROUP BY s.module, s.name
ORDER BY s.module, s.name`,
    answer: "Structs with the ability key: an account can hold them in global storage.",
    limits: "The archive does not say which accounts hold one, nor its values.",
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
    name: "enums",
    question: "Which enums are there, with which variants?",
    sql: `SELECT address, module, struct AS enum, string_agg(name, ', ' ORDER BY position) AS variants
FROM variants_latest
GROUP BY address, module, struct
ORDER BY address, module, struct`,
    answer: "Variants in their order, which is how they are numbered when a value is written in BCS.",
    limits: NEWEST,
  },
  {
    name: "abort-code",
    question: "What does this abort code of a module mean?",
    parameters: {
      address,
      module: { kind: "text", meaning: "name of the module that aborted", example: "coin" },
      code: { kind: "number", meaning: "the abort code, with or without its category", example: "65537" },
    },
    sql: `SELECT name, code AS reason, :code >> 16 AS category, description
FROM error_codes_latest
WHERE address = :address AND module = :module AND code IN (:code, :code & 65535)
ORDER BY code DESC`,
    answer:
      "The lower 16 bits are the module's reason, the bits above its category (1 invalid argument, 2 out of range, 3 invalid state, 5 permission denied, 6 not found, 8 already exists …).",
    limits:
      "Only modules compiled with an error map have names, and a module may abort with codes that its map does not list. `movedex explain` says more.",
  },
];
