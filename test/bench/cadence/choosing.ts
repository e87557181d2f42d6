import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { type ChosenReads, chooseReads, readKnown } from "../../../src/crawl/cadence/choose-reads.ts";
import { openStore } from "../../../src/work/store.ts";

const DAY_MS = 86_400_000;
const NIGHTS = 12;
const BEGIN_MS = Date.UTC(2026, 0, 1);

/**
 * Makes a database of so many targets in a file unless it is there, chooses what a night with so many requests reads of them, and says how
 * long that took and the most memory that the process ever had. Making counts as well, so that the second time says more.
 */
export async function benchChoosing(path: string, targets: number, requests: number): Promise<void> {
  const now = (): number => BEGIN_MS + NIGHTS * DAY_MS;
  if (!existsSync(path)) {
    await (await openStore(path, { mode: "write", now })).close();
    fill(new Database(path), targets);
  }
  await using store = await openStore(path, { mode: "read" });
  const before = performance.now();
  const ledgerVersion = BigInt((NIGHTS + 1) * 1000);
  const head = { ledgerVersion, timestampUsec: BigInt(now()) * 1000n };
  const request = { head, ledgerVersion, records: "all", requests, maxAgeMs: 30 * DAY_MS, pageSize: undefined } as const;
  const { accounts, passedOver, outlook } = (await chooseReads(await readKnown(store.engine, head), request)) as ChosenReads;
  const seconds = (performance.now() - before) / 1000;
  const known = Math.round(100 * (outlook.knownWithinDay ?? 0));
  process.stdout.write(
    `${accounts.length} of ${accounts.length + passedOver} targets, ${known} % of the changes within a day: ${seconds.toFixed(1)} s, peak ${Math.round(process.resourceUsage().maxRSS / 1000)} MB\n`,
  );
}

/** Every night read all; one target in twenty changes every so many nights, the others never did. */
function fill(database: Database.Database, count: number): void {
  database.pragma("foreign_keys = OFF");
  const each = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) `;
  database.exec("BEGIN");
  database.exec(`INSERT INTO _addresses (id, address) ${each} SELECT i, '0x' || lower(hex(randomblob(32))) FROM n`);
  database.exec(`INSERT INTO _targets (address_id, reason, depth, added_at) ${each} SELECT i, 'given', 0, ${BEGIN_MS} FROM n`);
  database.exec(`INSERT INTO _coverage (address_id, from_version) ${each} SELECT i, 1000 FROM n`);
  database.exec(`INSERT INTO _record_coverage (address_id, from_version) ${each} SELECT i, 1000 FROM n`);
  database.exec(
    `INSERT INTO _account_spans (address_id, from_version, sequence_number, authentication_key) ${each} SELECT i, 1000, '1', randomblob(32) FROM n`,
  );
  database.exec(`INSERT INTO _listings (id, address_id, digest, modules) ${each} SELECT i, i, randomblob(32), 3 FROM n`);
  // The n-th of those that change does so every n % 5 + 1 nights.
  database.exec(`INSERT INTO _listing_spans (address_id, from_version, to_version, listing_id) ${each}, night(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM night WHERE v < ${NIGHTS})
    SELECT i, v * 1000, CASE WHEN h % 20 = 0 AND v + (h / 20) % 5 + 1 <= ${NIGHTS} THEN (v + (h / 20) % 5) * 1000 END, i FROM (SELECT i, i * 7919 / 64 AS h FROM n), night
    WHERE (v - 1) % CASE WHEN h % 20 = 0 THEN (h / 20) % 5 + 1 ELSE ${NIGHTS} END = 0`);
  const pin = database.prepare(
    "INSERT INTO _pins (ledger_version, status, created_at, sealed_at, head_version, oldest_version, head_timestamp_usec, planned) VALUES (?, 'sealed', ?, ?, ?, 0, ?, ?)",
  );
  for (let night = 1; night <= NIGHTS; night++) {
    const atMs = BEGIN_MS + (night - 1) * DAY_MS;
    pin.run(night * 1000, atMs, atMs, night * 1000, `${atMs * 1000}`, count);
  }
  database.exec("COMMIT");
  database.exec("ANALYZE");
  database.close();
}
