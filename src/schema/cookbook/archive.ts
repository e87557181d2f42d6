import type { RecipeData } from "./recipe.ts";

export const archiveRecipes: readonly RecipeData[] = [
  {
    name: "holdings",
    question: "What does this archive hold, and how much of it does each snapshot see?",
    sql: `SELECT s.ledger_version, s.status, s.sealed_at, c.accounts_read, c.modules_read, c.modules_undecoded, c.gaps, c.accounts_elsewhere,
  s.digest
FROM snapshots s
JOIN snapshot_coverage c ON c.ledger_version = s.ledger_version
ORDER BY s.ledger_version DESC`,
    answer: "One row for each sealed snapshot, the newest first. Equal digests mean equal modules.",
    limits: "A node does not tell how many accounts the chain has, so no row can give a share.",
  },
  {
    name: "gaps",
    question: "Which accounts are missing from which snapshot, and why?",
    sql: `SELECT ledger_version, address, reason, http_status, error_code, attempts, is_final, message
FROM gaps
ORDER BY ledger_version DESC, address`,
    answer: "Nothing is known of these accounts at that snapshot. With is_final 1, asking again cannot help.",
    limits: "An account that was never a target is not a gap.",
  },
  {
    name: "biggest-modules",
    question: "Which modules are the biggest?",
    sql: `SELECT address, module, bytecode_size, bytecode_version
FROM modules_latest
ORDER BY bytecode_size DESC, address, module
LIMIT 50`,
    answer: "The fifty biggest modules that exist now, in bytes.",
    limits: "Size of the bytecode, its metadata included.",
  },
  {
    name: "bytecode-versions",
    question: "Which versions of the binary format are in use?",
    sql: `SELECT bytecode_version, count(*) AS modules, count(DISTINCT address) AS accounts, sum(bytecode_size) AS bytes
FROM modules_latest
GROUP BY bytecode_version
ORDER BY bytecode_version NULLS FIRST`,
    answer: "The versions that a tool has to read. Null means that the bytes do not say.",
    limits: "Each account is shown as of the newest sealed snapshot that read it.",
  },
];
