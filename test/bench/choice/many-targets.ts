import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import type { Clock } from "../../../src/base/time.ts";
import { type ChosenTargets, chooseTargets } from "../../../src/crawl/night/chosen-targets.ts";
import type { LedgerNode } from "../../../src/node/open-node.ts";
import type { LedgerHead } from "../../../src/node/protocol/ledger-head.ts";
import { openStore } from "../../../src/work/store.ts";

const DAY_MS = 86_400_000;
const NIGHTS = 12;
const BEGIN_MS = Date.UTC(2026, 0, 1);

// npx node test/bench/choice/many-targets.ts FILE 1000000 11500 makes a database of so many targets in a file unless it is there, and says
// what a night with so many requests reads of them, how long that took, and the most memory that the process ever had: making counts too.
const [path = "many-targets.db", targets = "1000000", requests = "11500"] = process.argv.slice(2);
await chooseAmong(path, Number(targets), Number(requests));

async function chooseAmong(path: string, targets: number, requests: number): Promise<void> {
  const now = (): number => BEGIN_MS + NIGHTS * DAY_MS;
  if (!existsSync(path)) {
    await (await openStore(path, { mode: "write", now })).close();
    fill(new Database(path), targets);
  }
  await using store = await openStore(path, { mode: "read" });
  const before = performance.now();
  const ledgerVersion = BigInt((NIGHTS + 1) * 1000);
  const head = { ledgerVersion, timestampUsec: BigInt(now()) * 1000n };
  const node = { url: "http://node", stats: () => ({ requests: 0 }) } as unknown as LedgerNode;
  const work = { node, engine: store.engine, clock: { now } as Clock, pageSize: undefined };
  const budget = { maxRequests: requests, maxDurationMs: undefined, perSecond: 0 };
  const tonight = { head: head as LedgerHead, ledgerVersion, records: "all", elapsedMs: 0 } as const;
  const chosen = await chooseTargets(work, { budget, maxAgeMs: 30 * DAY_MS }, tonight);
  const { accounts, passedOver, outlook } = chosen as ChosenTargets;
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
  database.exec(`INSERT INTO _coverage (address_id, from_version, reads_record) ${each} SELECT i, 1000, 1 FROM n`);
  database.exec(
    `INSERT INTO _account_spans (address_id, from_version, sequence_number, authentication_key) ${each} SELECT i, 1000, '1', randomblob(32) FROM n`,
  );
  database.exec(`INSERT INTO _listings (id, address_id, digest, modules) ${each} SELECT i, i, randomblob(32), 3 FROM n`);
  // The n-th of those that change does so every n % 5 + 1 nights.
  database.exec(`INSERT INTO _listing_spans (address_id, from_version, to_version, listing_id) ${each}, night(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM night WHERE v < ${NIGHTS})
    SELECT i, v * 1000, CASE WHEN h % 20 = 0 AND v + (h / 20) % 5 + 1 <= ${NIGHTS} THEN (v + (h / 20) % 5) * 1000 END, i FROM (SELECT i, i * 7919 / 64 AS h FROM n), night
    WHERE (v - 1) % CASE WHEN h % 20 = 0 THEN (h / 20) % 5 + 1 ELSE ${NIGHTS} END = 0`);
  const pin = database.prepare(
    "INSERT INTO _all_snapshots (ledger_version, status, created_at, sealed_at, head_version, oldest_version, head_timestamp_usec, planned) VALUES (?, 'sealed', ?, ?, ?, 0, ?, ?)",
  );
  for (let night = 1; night <= NIGHTS; night++) {
    const atMs = BEGIN_MS + (night - 1) * DAY_MS;
    pin.run(night * 1000, atMs, atMs, night * 1000, `${atMs * 1000}`, count);
  }
  database.exec("COMMIT");
  database.exec("ANALYZE");
  database.close();
}
