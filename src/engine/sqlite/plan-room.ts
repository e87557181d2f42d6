import type { Database } from "better-sqlite3";

/**
 * What a plan takes of the file at most, per account, once all are visited and found as they were. Measured with SQLite's pages
 * of 4 kB and ledger versions of ten digits: 59 to 62 bytes, for 1,000 to 20,000 accounts.
 */
const BYTES_PER_ACCOUNT = 64;

/**
 * Keeps as many of a file's pages free as the plan of a night like the last one takes. Sealing frees the pages of a plan, but
 * rows that are derived after it fill them, so that the file would grow once more in a night in which nothing changed.
 */
export function keepRoomForPlan(database: Database): void {
  const newest = database.prepare("SELECT planned FROM _pins ORDER BY ledger_version DESC LIMIT 1").pluck().get();
  const [pageSize, free] = ["page_size", "freelist_count"].map((name) => Number(database.pragma(name, { simple: true }))) as [
    number,
    number,
  ];
  const bytes = Number(newest ?? 0) * BYTES_PER_ACCOUNT;
  if (Math.ceil(bytes / pageSize) <= free) return;
  // What is free is taken first. It goes through the log once, where room is missing: 0.2 MB for 3,000 accounts, 64 MB and half a
  // second for a million.
  database.transaction(() => {
    database.exec("CREATE TABLE room (bytes BLOB NOT NULL) STRICT");
    database.prepare("INSERT INTO room (bytes) VALUES (zeroblob(?))").run(BigInt(bytes));
    database.exec("DROP TABLE room");
  })();
}
