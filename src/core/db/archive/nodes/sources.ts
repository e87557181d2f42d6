import { printable } from "../../../base/printable.ts";
import type { Engine, Transaction } from "../../engine/engine.ts";
import { checksumOf, writeChecksum } from "../../schema/sql/checksum.ts";
import { greatest, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { observerTables } from "../../schema/tables/content.ts";

/** A node and the commit that it reports to be built from; null where it reports none. */
export type ObservedBuild = { readonly node: string; readonly gitHash: string | null };

/** An observation that contradicts what is stored, from `fromVersion` to `toVersion` in the same way. */
export type Finding = {
  /** What is contradicted; see the table `_all_findings`. */
  readonly kind: "module" | "account" | "module_probe" | "account_probe" | "node_abi" | "module_name" | "module_size";
  readonly subject: string;
  readonly fromVersion: bigint;
  readonly toVersion: bigint;
  readonly stored: string;
  readonly found: string;
  /** Who says so: a node's URL without credentials, or a file. */
  readonly origin: string;
};

/** The word for nothing in `stored` and `found`. */
export const ABSENT = "absent";

const { builds, all_findings: findings } = observerTables;

// Text that is not known is the empty text, since it is part of the key.
const addBuild = sql`INSERT INTO _builds (node, git_hash, build, first_seen_at, last_seen_at)
  VALUES (:node, :git_hash, :build, :now::time, :now::time)
  ON CONFLICT (node, git_hash, build) DO UPDATE SET last_seen_at = excluded.last_seen_at`;
const checkBuild = writeChecksum(builds);
const given = sql`(SELECT j.key AS place, ${jsonItem("j.value", 0)} AS kind, ${jsonItem("j.value", 1)} AS subject, CAST(${jsonItem("j.value", 2)} AS bigint) AS from_version,
  CAST(${jsonItem("j.value", 3)} AS bigint) AS to_version, ${jsonItem("j.value", 4)} AS stored, ${jsonItem("j.value", 5)} AS found, ${jsonItem("j.value", 6)} AS origin
  FROM ${jsonEach(":findings::json", "j")}) AS g`;
const insertFindings = sql`INSERT INTO _all_findings (kind, subject, from_version, to_version, stored, found, origin, first_seen_at, last_seen_at)
  SELECT g.kind, g.subject, g.from_version, max(g.to_version), g.stored, g.found, g.origin, :now::time, :now::time FROM ${given} WHERE true
  GROUP BY g.kind, g.subject, g.from_version, g.stored, g.found, g.origin ORDER BY min(g.to_version), min(g.place)
  ON CONFLICT (kind, subject, from_version, stored, found) DO UPDATE SET to_version = ${greatest("_all_findings.to_version", "excluded.to_version")}, last_seen_at = excluded.last_seen_at`;
const checkFindings = sql`UPDATE _all_findings SET checksum = ${checksumOf(findings)}
  WHERE (kind, subject, from_version, stored, found) IN (SELECT g.kind, g.subject, g.from_version, g.stored, g.found FROM ${given})`;

/** Records contradictions of one origin: each at its widest. Texts come from others, and are made printable. */
export async function addFindings(tx: Transaction, findings: readonly Finding[], now: number): Promise<void> {
  const rows = findings.map(({ kind, subject, fromVersion, toVersion, stored, found, origin }) => {
    const versions = [`${fromVersion}`, `${toVersion}`];
    return [kind, printable(subject), ...versions, printable(stored, 1000), printable(found, 1000), printable(origin)];
  });
  const values = { findings: JSON.stringify(rows), now };
  for (const statement of [insertFindings, checkFindings]) await tx.run(statement, values);
}

export function sourceQueries(engine: Engine) {
  return {
    /** Records the build of a node; a known build is only marked as seen again. */
    recordBuild: ({ node, gitHash }: ObservedBuild, now: number): Promise<void> => {
      const key = { node: printable(node), git_hash: printable(gitHash ?? "", 80), build: "" };
      return engine.transaction(async (tx) => {
        await tx.run(addBuild, { ...key, now });
        await tx.run(checkBuild, key);
      });
    },
    /** Records a contradiction; a known one is only marked as seen again. */
    addFinding: (finding: Finding, now: number): Promise<void> => engine.transaction((tx) => addFindings(tx, [finding], now)),
  };
}
