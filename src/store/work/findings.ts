import { printable } from "../../base/printable.ts";
import { checksumOf } from "../../schema/sql/checksum.ts";
import { sql } from "../../schema/sql/sql.ts";
import { greatest } from "../../schema/sql/words.ts";
import { sourceTables } from "../../schema/tables/sources.ts";
import type { Engine, Values } from "../engine/engine.ts";

/** An observation that contradicts what is stored, from `fromVersion` to `toVersion` in the same way. */
export type Finding = {
  /** What is contradicted; see the table `disagreements`. */
  readonly kind: "module" | "account" | "module_probe" | "account_probe" | "node_abi" | "module_name";
  readonly subject: string;
  readonly fromVersion: bigint;
  readonly toVersion: bigint;
  readonly stored: string;
  readonly found: string;
  /** Who says so: a node's URL without credentials, or a file. */
  readonly origin: string;
};

/** Contradictions, kept beside what they contradict. */
export type FindingStore = {
  /** Records a contradiction; a known one is only marked as seen again. */
  readonly addFinding: (finding: Finding, now: number) => Promise<void>;
};

/** What stands for nothing in `stored` and `found`. */
export const ABSENT = "absent";

const insert = sql`INSERT INTO disagreements (kind, subject, from_version, to_version, stored, found, origin, first_seen_at, last_seen_at)
  VALUES (:kind, :subject, :fromVersion, :toVersion, :stored, :found, :origin, :now::time, :now::time)
  ON CONFLICT (kind, subject, from_version, stored, found) DO UPDATE
  SET to_version = ${greatest("disagreements.to_version", "excluded.to_version")}, last_seen_at = excluded.last_seen_at`;
const check = sql`UPDATE disagreements SET checksum = ${checksumOf(sourceTables.disagreements)}
  WHERE kind = :kind AND subject = :subject AND from_version = :fromVersion AND stored = :stored AND found = :found`;

/** Records a contradiction: statements of one transaction, with the values of `findingValues`. */
export const addFinding = [insert, check] as const;

/** A contradiction as it is stored: texts come from others, and are made printable. */
export function findingValues({ kind, subject, fromVersion, toVersion, stored, found, origin }: Finding, now: number): Values {
  return {
    kind,
    subject: printable(subject),
    fromVersion,
    toVersion,
    stored: printable(stored, 1000),
    found: printable(found, 1000),
    origin: printable(origin),
    now,
  };
}

/** Prepares findings on an engine. */
export function prepareFindings(engine: Engine): FindingStore {
  return {
    addFinding: async (finding, now) => {
      const values = findingValues(finding, now);
      await engine.transaction(async (tx) => {
        for (const statement of addFinding) await tx.run(statement, values);
      });
    },
  };
}
