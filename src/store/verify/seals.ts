import type { Database } from "better-sqlite3";
import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { holds } from "../../schema/sql/predicates.ts";
import { inSqlite } from "../../schema/sql/sqlite-words.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import { prepareSnapshotDigest } from "../snapshots/snapshot-digest.ts";
import { type Check, countOf, type Damage, inSlice, type Slice } from "./check.ts";

type PinRow = {
  readonly ledger_version: bigint;
  readonly status: string;
  readonly accounts: bigint | null;
  readonly modules: bigint | null;
  readonly gaps: bigint | null;
  readonly digest: Uint8Array | null;
  readonly records_digest: Uint8Array | null;
};

const STATUSES = new Set(["unsealed", "sealed", "sealed_with_gaps", "abandoned"]);

/** Every snapshot: what it covers is counted again and both digests of its seal are computed again, from the spans. */
export function sealCheck(database: Database, statements: HotStatements, slice: Slice): Check {
  const where = inSlice("ledger_version", slice);
  const pins = database.prepare<[], PinRow>(
    `SELECT ledger_version, status, accounts, modules, gaps, digest, records_digest FROM pins WHERE ${where} ORDER BY ledger_version`,
  );
  const misses = database.prepare<[bigint], bigint>("SELECT count(*) FROM misses WHERE ledger_version = ?").pluck();
  const answered = database
    .prepare<[bigint], bigint>(
      "SELECT count(*) FROM misses m JOIN coverage c ON c.address_id = m.address_id " +
        `AND ${inSqlite(holds("c", "m.ledger_version"))} WHERE m.ledger_version = ?`,
    )
    .pluck();
  const recount = prepareSnapshotDigest(database, statements);

  const damageOf = (pin: PinRow): Damage[] => {
    const { ledger_version: version, status } = pin;
    const wrong = (problem: string): Damage => ({ table: "pins", row: `${version}`, problem });
    if (!STATUSES.has(status)) return [wrong(`its status is \`${printable(status, 40)}\``)];
    if (!status.startsWith("sealed")) return pin.digest === null ? [] : [wrong(`it is ${status} and has a digest`)];
    const totals = recount(version);
    const gaps = misses.get(version) as bigint;
    const both = answered.get(version) as bigint;
    const counts: readonly (readonly [name: string, stored: bigint | null, found: bigint])[] = [
      ["accounts", pin.accounts, BigInt(totals.accounts)],
      ["modules", pin.modules, BigInt(totals.modules)],
      ["gaps", pin.gaps, gaps],
    ];
    const problems = counts.flatMap(([name, stored, found]) =>
      stored === found ? [] : [`${stored ?? "no"} ${name} are stored, and it has ${found}`],
    );
    if (both > 0n) problems.push(`${both} accounts are both answered for and gaps`);
    if ((status === "sealed_with_gaps") !== gaps > 0n) problems.push(`it is ${status} and has ${gaps} gaps`);
    if (pin.digest === null || !equalBytes(pin.digest, totals.digest)) {
      problems.push(`its modules have the digest ${formatHex(totals.digest)}, and ${hexOrNone(pin.digest)} was sealed`);
    }
    if (pin.records_digest !== null && !equalBytes(pin.records_digest, totals.recordsDigest)) {
      problems.push("its accounts or their records are not those that were sealed");
    }
    return problems.map(wrong);
  };

  return {
    name: "snapshots",
    total: () => countOf(database, `SELECT count(*) FROM pins WHERE ${where}`),
    steps: function* () {
      for (const pin of pins.iterate()) yield damageOf(pin);
    },
  };
}

function hexOrNone(bytes: Uint8Array | null): string {
  return bytes === null ? "none" : formatHex(bytes);
}
