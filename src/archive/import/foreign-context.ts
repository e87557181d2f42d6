import type { Cell } from "../../base/cell.ts";
import type { Integer, Session, Transaction } from "../../engine/engine.ts";
import { checksumOf } from "../../schema/sql/checksum.ts";
import { greatest, least } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { sourceTables } from "../../schema/tables/sources.ts";
import { keepEstimate, keepTime } from "../times/ledger-times.ts";
import { keyIn, refused, textIn, versionIn, wholeIn } from "./foreign-cells.ts";

const { sources, source_snapshots, builds } = sourceTables;
const text = { kind: "text" } as const;
const { checksum: _ofBuild, ...build } = builds.columns;
const buildsTable = { name: "foreign_builds", columns: build } as const;
const sourcesTable = { name: "foreign_sources", columns: { kind: text, name: text, digest: text, imported_at: { kind: "time" } } } as const;
const { checksum: _ofSnapshot, source_id: _source, ...said } = source_snapshots.columns;
const saidTable = { name: "foreign_source_snapshots", columns: { kind: text, source: text, ...said } } as const;

const times = sql<[Cell, Cell, Cell]>`SELECT t.ledger_version, t.ledger_time, t.error_ms FROM _ledger_times t
  ORDER BY t.error_ms, t.ledger_version`;
const readBuilds = sql`SELECT b.node, b.git_hash, b.build, b.first_seen_at, b.last_seen_at FROM _builds b`;
const readSources = sql`SELECT s.kind, s.name, s.digest, s.imported_at FROM _sources s ORDER BY s.id`;
const readSaid = sql`SELECT s.kind, s.digest, p.ledger_version, p.accounts, p.new_accounts, p.digest FROM _source_snapshots p
  JOIN _sources s ON s.id = p.source_id ORDER BY p.ledger_version, p.source_id`;

const takenBuilds = [
  sql`INSERT INTO _builds (node, git_hash, build, first_seen_at, last_seen_at) SELECT f.node, f.git_hash, f.build, f.first_seen_at, f.last_seen_at
    FROM foreign_builds f WHERE true ON CONFLICT (node, git_hash, build) DO UPDATE SET
    first_seen_at = ${least("_builds.first_seen_at", "excluded.first_seen_at")}, last_seen_at = ${greatest("_builds.last_seen_at", "excluded.last_seen_at")}`,
  sql`UPDATE _builds SET checksum = ${checksumOf(builds)} WHERE (node, git_hash, build) IN (SELECT f.node, f.git_hash, f.build FROM foreign_builds f)`,
];
// What is known here of a source is as true, and stays.
const takenSources = [
  sql`INSERT INTO _sources (kind, name, digest, imported_at) SELECT f.kind, f.name, f.digest, f.imported_at FROM foreign_sources f WHERE true ON CONFLICT DO NOTHING`,
  sql`UPDATE _sources SET checksum = ${checksumOf(sources)} WHERE checksum IS NULL AND (kind, digest) IN (SELECT f.kind, f.digest FROM foreign_sources f)`,
  sql`INSERT INTO _source_snapshots (ledger_version, source_id, accounts, new_accounts, digest)
    SELECT f.ledger_version, s.id, f.accounts, f.new_accounts, f.digest FROM foreign_source_snapshots f
    JOIN _sources s ON s.kind = f.kind AND s.digest = f.source JOIN _all_snapshots p ON p.ledger_version = f.ledger_version WHERE true ON CONFLICT DO NOTHING`,
  sql`UPDATE _source_snapshots SET checksum = ${checksumOf(source_snapshots)} WHERE checksum IS NULL AND (ledger_version, source_id) IN
    (SELECT f.ledger_version, s.id FROM foreign_source_snapshots f JOIN _sources s ON s.kind = f.kind AND s.digest = f.source)`,
];

/** Takes over what a foreign database knows beside its snapshots: times of the ledger, where it was read, and what it imported itself. */
export async function takeContext(tx: Transaction, session: Session): Promise<void> {
  for await (const rows of session.stream(times)) {
    for (const [version, time, error] of rows) {
      const [at, ms, errorMs] = [versionIn(version), wholeIn(time), wholeIn(error)];
      if (errorMs === 0) await keepTime(tx, at, BigInt(ms) * 1000n);
      else await keepEstimate(tx, at, ms, errorMs);
    }
  }
  await tx.stage(buildsTable, rowsOf(session, readBuilds, [textIn, textIn, textIn, wholeIn, wholeIn]));
  for (const statement of takenBuilds) await tx.run(statement);
  await tx.stage(sourcesTable, rowsOf(session, readSources, [kindIn, textIn, hexIn, wholeIn]));
  await tx.stage(saidTable, rowsOf(session, readSaid, [kindIn, hexIn, versionIn, wholeIn, wholeIn, keyIn]));
  for (const statement of takenSources) await tx.run(statement);
}

const addSaid = sql`INSERT INTO _source_snapshots (ledger_version, source_id, accounts, new_accounts, digest)
  SELECT f.ledger_version, :id::int, f.accounts, f.new_accounts, f.digest FROM imported_snapshots f WHERE true
  ON CONFLICT (ledger_version, source_id) DO UPDATE SET accounts = excluded.accounts, digest = excluded.digest`;
const checkSaid = sql`UPDATE _source_snapshots SET checksum = ${checksumOf(source_snapshots)}
  WHERE source_id = :id AND ledger_version IN (SELECT f.ledger_version FROM imported_snapshots f)`;
const importedTable = { name: "imported_snapshots", columns: said } as const;

/** Says what an imported database, a source by its row, has of each snapshot: accounts, how many of them were new, and its digest. */
export async function addSayings(
  tx: Transaction,
  id: Integer,
  sayings: Iterable<readonly [version: bigint, accounts: number, newAccounts: number, digest: Uint8Array]>,
): Promise<void> {
  await tx.stage(importedTable, sayings);
  for (const statement of [addSaid, checkSaid]) await tx.run(statement, { id });
}

async function* rowsOf(
  session: Session,
  select: Parameters<Session["stream"]>[0],
  checks: readonly ((cell: Cell) => unknown)[],
): AsyncGenerator<readonly unknown[]> {
  for await (const rows of session.stream(select)) for (const row of rows) yield checks.map((check, i) => check(row[i] ?? null));
}

function kindIn(cell: Cell): string {
  if (cell === "database" || cell === "export" || cell === "modules" || cell === "node") return cell;
  throw refused("it has a source of a kind that movedex does not know");
}

function hexIn(cell: Cell): string {
  if (typeof cell === "string" && /^[0-9a-f]{64}$/.test(cell)) return cell;
  throw refused("it has a source without a SHA-256");
}
