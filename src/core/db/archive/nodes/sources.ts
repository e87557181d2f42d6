import { printable } from "../../../base/printable.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import type { Engine, Integer, Transaction } from "../../engine/engine.ts";
import { addRow } from "../../engine/row-shape.ts";
import { checksumOf, writeChecksum } from "../../schema/sql/checksum.ts";
import { greatest, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { sourceTables } from "../../schema/tables/content.ts";

/** A node and its build; null where the node did not report it. */
export type ObservedBuild = { readonly node: string; readonly gitHash: string | null; readonly build: string | null };

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

/** What stands for nothing in `stored` and `found`. */
export const ABSENT = "absent";

/** Where observations came from beside the crawled node. `digest`: SHA-256 in hex of the content, or of a node's URL. */
export type Source = {
  readonly kind: "node" | "database" | "modules";
  readonly name: string;
  readonly digest: string;
};

const { sources, source_snapshots, builds, all_findings: findings } = sourceTables;

// Text that was not reported is kept as the empty text, since it is part of the key.
const addBuild = sql`INSERT INTO _builds (node, git_hash, build, first_seen_at, last_seen_at)
  VALUES (:node, :git_hash, :build, :now::time, :now::time)
  ON CONFLICT (node, git_hash, build) DO UPDATE SET last_seen_at = excluded.last_seen_at`;
const checkBuild = writeChecksum(builds);
const insertSource = sql`INSERT INTO _sources (kind, name, digest, imported_at) VALUES (:kind, :name, :digest, :now::time)
  ON CONFLICT (kind, digest) DO UPDATE SET name = excluded.name, imported_at = excluded.imported_at RETURNING id`;
const checkSource = writeChecksum(sources);
const addSnapshot = sql`INSERT INTO _source_snapshots (ledger_version, source_id, accounts, new_accounts, digest)
  SELECT p.ledger_version, :source, :accounts, :newAccounts, coalesce(:digest::bytes, p.digest, :none) FROM _all_snapshots p WHERE p.ledger_version = :ledgerVersion
  ON CONFLICT (ledger_version, source_id) DO UPDATE SET accounts = excluded.accounts, digest = excluded.digest`;
const checkSnapshot = writeChecksum(source_snapshots);
const given = sql`(SELECT j.key AS place, ${jsonItem("j.value", 0)} AS kind, ${jsonItem("j.value", 1)} AS subject, CAST(${jsonItem("j.value", 2)} AS bigint) AS from_version,
  CAST(${jsonItem("j.value", 3)} AS bigint) AS to_version, ${jsonItem("j.value", 4)} AS stored, ${jsonItem("j.value", 5)} AS found, ${jsonItem("j.value", 6)} AS origin
  FROM ${jsonEach(":findings::json", "j")}) AS g`;
const insertFindings = sql`INSERT INTO _all_findings (kind, subject, from_version, to_version, stored, found, origin, first_seen_at, last_seen_at)
  SELECT g.kind, g.subject, g.from_version, max(g.to_version), g.stored, g.found, g.origin, :now::time, :now::time FROM ${given} WHERE true
  GROUP BY g.kind, g.subject, g.from_version, g.stored, g.found, g.origin ORDER BY min(g.to_version), min(g.place)
  ON CONFLICT (kind, subject, from_version, stored, found) DO UPDATE SET to_version = ${greatest("_all_findings.to_version", "excluded.to_version")}, last_seen_at = excluded.last_seen_at`;
const checkFindings = sql`UPDATE _all_findings SET checksum = ${checksumOf(findings)}
  WHERE (kind, subject, from_version, stored, found) IN (SELECT g.kind, g.subject, g.from_version, g.stored, g.found FROM ${given})`;

/** Records a source; a known one under its newest name. @returns the number of its row */
export function addSource(tx: Transaction, { kind, name, digest }: Source, now: number): Promise<Integer> {
  return addRow<Integer>(tx, insertSource, { kind, name: printable(name), digest, now }, checkSource);
}

/** What a source has of a snapshot. `newAccounts`: those that nothing covered before it. `digest`: its own; null for the snapshot's. */
type SourceSnapshot = Readonly<Record<"accounts" | "newAccounts", number>> & {
  readonly ledgerVersion: bigint;
  readonly digest: Uint8Array | null;
};

/** Records what a source, by the number of its row, has of a snapshot. What was new before its first import stays. */
export async function addSourceSnapshot(tx: Transaction, source: Integer, snapshot: SourceSnapshot): Promise<void> {
  await tx.run(addSnapshot, { ...snapshot, source, none: new Uint8Array(32) });
  await tx.run(checkSnapshot, { ledger_version: snapshot.ledgerVersion, source_id: source });
}

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
    recordBuild: ({ node, gitHash, build }: ObservedBuild, now: number): Promise<void> => {
      const key = { node: printable(node), git_hash: printable(gitHash ?? "", 80), build: build ?? "" };
      return engine.transaction(async (tx) => {
        await tx.run(addBuild, { ...key, now });
        await tx.run(checkBuild, key);
      });
    },
    /** An archive node answers for accounts of a version: told before the first request, and at the seal, which adds the digest. */
    recordNodeSource: (url: string, ledgerVersion: bigint, accounts: number, now: number): Promise<void> =>
      engine.transaction(async (tx) => {
        const id = await addSource(tx, { kind: "node", name: url, digest: sha256Hex(url) }, now);
        await addSourceSnapshot(tx, id, { ledgerVersion, accounts, newAccounts: accounts, digest: null });
      }),
    /** Records a contradiction; a known one is only marked as seen again. */
    addFinding: (finding: Finding, now: number): Promise<void> => engine.transaction((tx) => addFindings(tx, [finding], now)),
  };
}
