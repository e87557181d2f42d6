import type { Database } from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import type { Synchronous } from "../connection/asynchronous.ts";

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

/** Prepares findings on a connection. */
export function prepareFindings(database: Database): Synchronous<FindingStore> {
  const add = database.prepare<[string, string, bigint, bigint, string, string, string, number, number]>(
    "INSERT INTO disagreements (kind, subject, from_version, to_version, stored, found, origin, first_seen_at, last_seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) " +
      "ON CONFLICT DO UPDATE SET to_version = max(to_version, excluded.to_version), last_seen_at = excluded.last_seen_at",
  );
  return {
    addFinding: ({ kind, subject, fromVersion, toVersion, stored, found, origin }, now) => {
      add.run(
        kind,
        printable(subject),
        fromVersion,
        toVersion,
        printable(stored, 1000),
        printable(found, 1000),
        printable(origin),
        now,
        now,
      );
    },
  };
}
