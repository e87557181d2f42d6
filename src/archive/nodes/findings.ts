import { printable } from "../../base/printable.ts";
import type { Engine, Transaction } from "../../engine/engine.ts";
import { checksumOf } from "../../schema/sql/checksum.ts";
import { each, greatest, item } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { sourceTables } from "../../schema/tables/sources.ts";

/** An observation that contradicts what is stored, from `fromVersion` to `toVersion` in the same way. */
export type Finding = {
  /** What is contradicted; see the table `_disagreements`. */
  readonly kind: "module" | "account" | "module_probe" | "account_probe" | "node_abi" | "module_name" | "module_size";
  readonly subject: string;
  readonly fromVersion: bigint;
  readonly toVersion: bigint;
  readonly stored: string;
  readonly found: string;
  /** Who says so: a node's URL without credentials, or a file. */
  readonly origin: string;
};

/** What stands for nothing in `stored` and `found`. */
export const ABSENT = "absent";

const given = sql`(SELECT ${item("j.value", 0)} AS kind, ${item("j.value", 1)} AS subject, CAST(${item("j.value", 2)} AS bigint) AS from_version,
  CAST(${item("j.value", 3)} AS bigint) AS to_version, ${item("j.value", 4)} AS stored, ${item("j.value", 5)} AS found, ${item("j.value", 6)} AS origin
  FROM ${each(":findings::json", "j")}) AS g`;
const insert = sql`INSERT INTO _disagreements (kind, subject, from_version, to_version, stored, found, origin, first_seen_at, last_seen_at)
  SELECT g.kind, g.subject, g.from_version, g.to_version, g.stored, g.found, g.origin, :now::time, :now::time FROM ${given} WHERE true
  ON CONFLICT (kind, subject, from_version, stored, found) DO UPDATE
  SET to_version = ${greatest("_disagreements.to_version", "excluded.to_version")}, last_seen_at = excluded.last_seen_at`;
const check = sql`UPDATE _disagreements SET checksum = ${checksumOf(sourceTables.disagreements)}
  WHERE (kind, subject, from_version, stored, found) IN (SELECT g.kind, g.subject, g.from_version, g.stored, g.found FROM ${given})`;

/** Records contradictions: each at its widest. Texts come from others, and are made printable. */
export async function addFindings(tx: Transaction, findings: readonly Finding[], now: number): Promise<void> {
  const rows = new Map<string, readonly string[]>();
  for (const finding of findings.toSorted((a, b) => (a.toVersion < b.toVersion ? -1 : 1))) {
    const { kind, fromVersion, toVersion } = finding;
    const [subject, stored, found] = [printable(finding.subject), printable(finding.stored, 1000), printable(finding.found, 1000)];
    const row = [kind, subject, `${fromVersion}`, `${toVersion}`, stored, found, printable(finding.origin)];
    rows.set(JSON.stringify([kind, subject, `${fromVersion}`, stored, found]), row);
  }
  const values = { findings: JSON.stringify([...rows.values()]), now };
  for (const statement of [insert, check]) await tx.run(statement, values);
}

export function prepareFindings(engine: Engine) {
  return {
    /** Records a contradiction; a known one is only marked as seen again. */
    addFinding: (finding: Finding, now: number): Promise<void> => engine.transaction((tx) => addFindings(tx, [finding], now)),
  };
}
