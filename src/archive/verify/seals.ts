import { equalBytes, formatHex } from "../../base/bytes.ts";
import { printable } from "../../base/printable.ts";
import { type Check, countRowsOf, type Damage, inSlice, type Slice } from "../../engine/check.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { includesVersion } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { countSnapshot } from "../snapshots/snapshot-digest.ts";

type SnapshotRow = readonly [
  version: Integer,
  status: string,
  planned: Integer,
  accounts: Integer | null,
  modules: Integer | null,
  gaps: Integer | null,
  digest: Uint8Array | null,
  recordsDigest: Uint8Array | null,
  records: Integer | null,
  foundGaps: Integer,
  answeredGaps: Integer,
  inHand: Integer,
  newInHand: Integer,
  foundListings: Integer,
];

const STATUSES = new Set(["unsealed", "sealed", "sealed_with_gaps", "abandoned"]);

const answered = sql`(SELECT count(*) FROM _all_gaps m JOIN _coverage c ON c.address_id = m.address_id AND ${includesVersion("c", "m.ledger_version")}
  WHERE m.ledger_version = p.ledger_version)`;

// Accounts of an open plan, and those of them that are no gap of the snapshot.
const inHand = sql`(SELECT count(*) FROM _visits v WHERE v.ledger_version = p.ledger_version)`;
const newInHand = sql`(SELECT count(*) FROM _visits v WHERE v.ledger_version = p.ledger_version AND NOT EXISTS
  (SELECT 1 FROM _all_gaps m WHERE m.ledger_version = v.ledger_version AND m.address_id = v.address_id))`;

const listings = sql`(SELECT count(*) FROM _coverage c JOIN _listing_spans s ON s.address_id = c.address_id AND ${includesVersion("s", "p.ledger_version")}
  WHERE ${includesVersion("c", "p.ledger_version")})`;

/** Every snapshot: what it covers is counted again and both digests of its seal are computed again, from the spans. */
export function sealCheck(session: Session, slice: Slice): Check {
  const snapshots = sql`_all_snapshots p WHERE ${inSlice(sql`p.ledger_version`, slice)}`;
  return {
    name: "snapshots",
    total: () => countRowsOf(session, snapshots),
    steps: async function* () {
      const rows = await session.all(
        sql<SnapshotRow>`SELECT p.ledger_version, p.status, p.planned, p.accounts, p.modules, p.gaps, p.digest, p.records_digest, p.records,
          (SELECT count(*) FROM _all_gaps m WHERE m.ledger_version = p.ledger_version), ${answered}, ${inHand}, ${newInHand}, ${listings} FROM ${snapshots} ORDER BY p.ledger_version`,
      );
      for (const row of rows) yield await damageOf(session, row);
    },
  };
}

async function damageOf(session: Session, snapshot: SnapshotRow): Promise<Damage[]> {
  const [version, status, planned, accounts, modules, gaps, digest, recordsDigest, records, ...found] = snapshot;
  const [foundGaps, answeredGaps, inHand, newInHand, foundListings] = found;
  const wrong = (problem: string): Damage => ({ table: "_all_snapshots", row: `${version}`, problem });
  const count = (name: string, stored: Integer | null, found: Integer): Damage[] =>
    stored === found ? [] : [wrong(`${stored ?? "no"} ${name} are stored, and it has ${found}`)];
  if (!STATUSES.has(status)) return [wrong(`its status is \`${printable(status, 40)}\``)];
  const work = Number(foundGaps) + Number(newInHand);
  if (!status.startsWith("sealed"))
    return [...count("planned accounts", planned, work), ...(digest === null ? [] : [wrong(`it is ${status} and has a digest`)])];
  const totals = await countSnapshot(session, BigInt(version));
  const problems = [
    ...count("planned accounts", planned, totals.accounts + work),
    ...count("accounts", accounts, totals.accounts),
    // A snapshot from an archive that did not count them is one of which all records were read.
    ...count("records", records ?? totals.accounts, totals.records),
    ...count("modules", modules, totals.modules),
  ];
  // A gap that is asked again and answered is none any more, and the seal says so when it is made anew.
  if (inHand === 0) problems.push(...count("gaps", gaps, foundGaps));
  if (inHand === 0 && (status === "sealed_with_gaps") !== foundGaps > 0) problems.push(wrong(`it is ${status} and has ${foundGaps} gaps`));
  if (Number(foundListings) !== totals.accounts)
    problems.push(wrong(`${foundListings} listings are of it, and ${totals.accounts} accounts`));
  if (answeredGaps > 0) problems.push(wrong(`${answeredGaps} accounts are both answered for and gaps`));
  if (digest === null || !equalBytes(digest, totals.digest))
    problems.push(wrong(`its modules have the digest ${formatHex(totals.digest)}, and ${hexOrNone(digest)} was sealed`));
  if (recordsDigest !== null && !equalBytes(recordsDigest, totals.recordsDigest))
    problems.push(wrong("its accounts or their records are not those that were sealed"));
  return problems;
}

function hexOrNone(bytes: Uint8Array | null): string {
  return bytes === null ? "none" : formatHex(bytes);
}
