import { address, from, module, type RecipeData, to } from "./recipe.ts";

export const BETWEEN = "What came and went between the two snapshots is missing; `module-history` has every observation.";
const OBSERVED = "A change is known to lie between two observations; `movedex trace` finds the exact version while the node still has it.";

// Only modules that changed between the two are taken apart: of a large archive the others are nearly all. CROSS JOIN begins with them.
const CHANGED = `WITH changed AS MATERIALIZED (SELECT DISTINCT address, module FROM module_changes
  WHERE (ledger_version > :from AND ledger_version <= :to) OR (ledger_version > :to AND ledger_version <= :from))`;

const compare = (columns: readonly string[], view: string, wanted: string, other: string): string => {
  const select = (version: string): string => `SELECT ${columns.map((name) => `v.${name}`).join(", ")}
FROM changed c CROSS JOIN ${view} v
WHERE v.address = c.address AND v.module = c.module AND v.ledger_version = :${version}`;
  return `${CHANGED}
${select(wanted)}
  AND v.address IN (SELECT address FROM covered_at WHERE ledger_version = :${other})
EXCEPT
${select(other)}
ORDER BY ${columns.map((_, i) => `${i + 1}`).join(", ")}`;
};

/** The rows of both snapshots side by side where they differ. Each side is a subquery: PostgreSQL then filters modules before it joins. */
const pairs = (columns: readonly string[], view: string, by: string, differs: string, shown: string): string => {
  const side = (version: string): string => `SELECT ${["address", "module", ...columns].map((name) => `v.${name}`).join(", ")}
  FROM changed c CROSS JOIN ${view} v WHERE v.address = c.address AND v.module = c.module AND v.ledger_version = :${version}`;
  return `${CHANGED},
o AS MATERIALIZED (${side("from")}),
n AS MATERIALIZED (${side("to")})
SELECT o.address, o.module, o.${by}, ${shown}
FROM o JOIN n ON n.address = o.address AND n.module = o.module AND n.${by} = o.${by}
WHERE n.${differs} <> o.${differs}
ORDER BY o.address, o.module, o.${by}`;
};

export const changeRecipes: readonly RecipeData[] = [
  {
    name: "worst-last-night",
    question: "What broke last night, and for whom?",
    sql: `SELECT address, module, severity, for_callers, for_clients, for_readers, worst_rule, worst_item, refused_findings
FROM judged_changes
WHERE ledger_version = (SELECT max(ledger_version) FROM snapshots)
ORDER BY CASE severity WHEN 'breaking' THEN 0 WHEN 'unclear' THEN 1 WHEN 'dangerous' THEN 2 WHEN 'behaviour' THEN 3 WHEN 'safe' THEN 4 ELSE 5 END,
  address, module`,
    answer:
      "A row for each change that the newest snapshot showed, the worst first: how bad it is by the rules of diff, for whom, and by what rule and item.",
    limits: "The severity is for possible users of the item; `diff` and the report name the actual ones.",
  },
  {
    name: "module-history",
    question: "Which versions did a module have, and when did each begin?",
    parameters: { address, module },
    sql: `SELECT after_version, at_or_before_version, is_exact, abi_changed, from_sha256, to_sha256
FROM module_changes
WHERE address = :address AND module = :module
ORDER BY at_or_before_version`,
    answer:
      "Each change lies after the first version and at or before the second. What the first reading of an account found is no change.",
    limits: OBSERVED,
  },
  {
    name: "silent-changes",
    question: "Which modules changed their code but not their ABI?",
    sql: `SELECT address, module, after_version, at_or_before_version, is_exact, from_sha256, to_sha256
FROM module_changes
WHERE NOT abi_changed
ORDER BY at_or_before_version DESC, address, module`,
    answer: "Behaviour may have changed although no type did. An ABI diff does not show this.",
    limits: "The ABIs are equal as a node prints them; private functions and error codes may differ. A new compiler changes bytes too.",
  },
  {
    name: "never-upgraded",
    question: "Which modules have never changed since they were first read?",
    sql: `SELECT m.address, m.module, m.bytecode_sha256
FROM modules_latest m
LEFT JOIN (SELECT DISTINCT address, module FROM module_changes) c ON c.address = m.address AND c.module = m.module
WHERE c.module IS NULL
ORDER BY m.address, m.module`,
    answer: "Modules that exist now and never changed, appeared or disappeared between two observations.",
    limits:
      "The time before the first snapshot of the account is unknown. A listed module may still be upgradable: its upgrade policy is in a resource.",
  },
  {
    name: "functions-gone",
    question: "Which functions disappeared between two snapshots?",
    parameters: { from, to },
    sql: compare(["address", "module", "name"], "functions_at", "from", "to"),
    answer: "Functions of the older snapshot that the newer one lacks, in accounts that both have read.",
    limits: `To see new functions, swap the two versions: a renamed one is in both answers. ${BETWEEN}`,
  },
  {
    name: "signatures-changed",
    question: "Which functions kept their name and changed their declaration?",
    parameters: { from, to },
    sql: pairs(["name", "signature"], "functions_at", "name", "signature", "o.signature AS old_signature, n.signature AS new_signature"),
    answer: "The visibility, entry, type parameters, parameters or returns differ, so callers should check.",
    limits: `\`movedex diff\` says whom each of these breaks. ${BETWEEN}`,
  },
  {
    name: "fields-changed",
    question: "Which structs changed their fields?",
    parameters: { from, to },
    sql: compare(["address", "module", "struct", "variant", "position", "name", "type"], "fields_at", "to", "from"),
    answer:
      "Fields of the newer snapshot that the older one lacks at this position with this name and type. Readers of stored data and events should check.",
    limits: `To see removed fields, swap the two versions. ${BETWEEN}`,
  },
  {
    name: "error-codes-changed",
    question: "Which abort codes changed their meaning?",
    parameters: { from, to },
    sql: pairs(
      ["code", "name", "description"],
      "error_codes_at",
      "code",
      "name",
      "o.name AS old_name, n.name AS new_name, n.description AS new_description",
    ),
    answer: "The same number has another name, so clients with a table of codes should check.",
    limits: BETWEEN,
  },
  {
    name: "abi-at-date",
    question: "Which functions did a module have at a date?",
    parameters: { address, module, date: { kind: "text", meaning: "a date, UTC", example: "2026-11-21" } },
    sql: `SELECT ledger_version, ledger_time, ledger_time_error_ms, visibility, is_entry, is_view, signature
FROM functions_at JOIN snapshots USING (chain_id, ledger_version)
WHERE address = :address AND module = :module
  AND ledger_version = (SELECT max(ledger_version) FROM covered_at JOIN snapshots USING (chain_id, ledger_version)
    WHERE address = :address AND date(ledger_time) <= date(:date))
ORDER BY name`,
    answer:
      "The functions at the last snapshot that read the account by the end of that day, by the ledger's own time. The first columns say which, and when.",
    limits:
      "A time of day counts as its whole day. In a file, text that is no date finds nothing. Snapshots without a known time are left out. If a snapshot is closer to the date than ledger_time_error_ms, it may be on the other side of it.",
  },
  {
    name: "functions-as-of",
    question: "Which functions did an account have at a ledger version?",
    parameters: { address, version: { kind: "number", meaning: "any ledger version", example: "3000000" } },
    sql: `SELECT f.module, f.name, f.signature, f.valid_from_version, f.valid_to_version
FROM coverage_history c
JOIN functions_history f ON f.address = c.address
  AND f.valid_from_version <= :version AND (f.valid_to_version IS NULL OR f.valid_to_version > :version)
WHERE c.address = :address
  AND c.valid_from_version <= :version AND (c.valid_to_version IS NULL OR c.valid_to_version > :version)
ORDER BY f.module, f.name`,
    answer: "The functions at the last snapshot up to that version, and the stretch of snapshots over which each of them stood.",
    limits:
      "Nothing is shown if that snapshot has no answer about the account: `coverage_history` says so. Between two snapshots a function may have come or gone unseen.",
  },
];
