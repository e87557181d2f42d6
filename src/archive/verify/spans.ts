import type { Cell } from "../../base/cell.ts";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { parseU64 } from "../../base/u64.ts";
import { type Check, countRowsOf, type Damage, inSlice, listsOf, type Slice } from "../../engine/check.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { jsonEach } from "../../schema/sql/functions.ts";
import { joined, named, type Sql, sql } from "../../schema/sql/sql.ts";
import { readSealedVersions } from "../snapshots/pins.ts";
import { placeOf, type Span, versionsInside } from "../snapshots/stretches.ts";
import { accountName } from "./accounts.ts";

type SpanRow = readonly [account: Integer, from: Integer, to: Integer | null];
type RecordRow = readonly [...SpanRow, sequenceNumber: string, authenticationKey: Uint8Array, resource: Uint8Array | null];
type ListingRow = readonly [...SpanRow, listing: Integer, holder: Integer | null];

/** The stretches of some accounts, each list by the number of the account. */
type Stretches = Awaited<ReturnType<typeof readStretches>>;

const KEY_BYTES = 32;

const chosen = sql`s.address_id IN (SELECT CAST(j.value AS bigint) FROM ${jsonEach(":accounts::json", "j")}) ORDER BY s.address_id, s.from_version`;
const coverage = sql`SELECT s.address_id, s.from_version, s.to_version FROM _coverage s WHERE ${chosen}`;
const recordCoverage = sql`SELECT s.address_id, s.from_version, s.to_version FROM _record_coverage s WHERE ${chosen}`;
const records = sql`SELECT s.address_id, s.from_version, s.to_version, s.sequence_number, s.authentication_key, s.resource FROM _account_spans s WHERE ${chosen}`;
const listings = sql`SELECT s.address_id, s.from_version, s.to_version, s.listing_id, l.address_id FROM _listing_spans s
  LEFT JOIN _listings l ON l.id = s.listing_id WHERE ${chosen}`;

/** Every account that has stretches of any kind: they keep their laws over the snapshots that cover the account. */
export function spanCheck(session: Session, slice: Slice): Check {
  const inTables = (isLooked: Sql): Sql =>
    sql`(${joined(
      ["_coverage", "_record_coverage", "_account_spans", "_listing_spans"].map(
        (table) => sql`SELECT s.address_id FROM ${named(table)} s WHERE ${isLooked}`,
      ),
      " UNION ",
    )}) AS x`;
  const isLooked = inSlice(sql`s.address_id`, slice);
  const page = sql`SELECT x.address_id, a.address FROM ${inTables(sql`s.address_id > :after AND ${isLooked}`)} LEFT JOIN _addresses a ON a.id = x.address_id
    ORDER BY x.address_id LIMIT 500`;
  return {
    name: "accounts",
    total: () => countRowsOf(session, inTables(isLooked)),
    steps: async function* () {
      const versions = await readSealedVersions(session);
      for await (const list of listsOf((after) => session.all<[Integer, string | null]>(page, { after }))) {
        const ids = list.map(([id]) => id);
        const stretches = await readStretches(session, ids);
        for (const [id, address] of list) yield damageOf(id, accountName(id, address), versions, stretches);
      }
    },
  };
}

async function readStretches(session: Session, ids: readonly Integer[]) {
  const accounts = JSON.stringify(ids.map(String));
  const of = async <R extends readonly [Integer, ...Cell[]]>(select: Sql) =>
    Map.groupBy(await session.all<R>(select, { accounts }), ([account]) => account);
  return {
    coverage: await of<SpanRow>(coverage),
    recordCoverage: await of<SpanRow>(recordCoverage),
    records: await of<RecordRow>(records),
    listings: await of<ListingRow>(listings),
  };
}

function damageOf(id: Integer, name: string, versions: readonly bigint[], stretches: Stretches): Damage[] {
  const damage: Damage[] = [];
  const report = (table: string, problems: readonly string[]): void => {
    for (const problem of problems) damage.push({ table, row: name, problem });
  };
  const runs = (stretches.coverage.get(id) ?? []).map((run) => toStretch(run, "covered"));
  const covered = brokenLaws(versions, runs);
  report("_coverage", covered);
  // Without sound coverage there is no sequence to hold the others against.
  if (covered.length > 0) return damage;
  const own = versionsInside(versions, runs);
  const readRuns = (stretches.recordCoverage.get(id) ?? []).map((run) => toStretch(run, "read"));
  const read = brokenLaws(versions, readRuns);
  const recordVersions = versionsInside(versions, readRuns);
  const outside = recordVersions.filter((version) => placeOf(own, version) === undefined);
  report("_record_coverage", [...read, ...outside.map((version) => `has the record at ${version}, which does not cover the account`)]);
  const found = stretches.records.get(id) ?? [];
  const recorded = found.map((run) => toStretch(run, `${run[3]} ${formatHex(run[4])} ${run[5] === null ? "none" : formatHex(run[5])}`));
  if (read.length === 0) report("_account_spans", [...brokenLaws(recordVersions, recorded), ...found.flatMap(brokenRecord)]);
  const listed = stretches.listings.get(id) ?? [];
  const standing = listed.map((run) => toStretch(run, `${run[3]}`));
  const seen = new Set(versionsInside(own, standing)).size;
  report("_listing_spans", [
    ...brokenLaws(own, standing),
    ...(seen === own.length ? [] : [`no listing stands at ${own.length - seen} snapshots of the account`]),
    ...listed
      .filter(([, , , , holder]) => holder !== id)
      .map(([, from, , listing]) => `from ${from}: listing ${listing} is of another account`),
  ]);
  return damage;
}

function toStretch([, from, to]: readonly [Integer, Integer, Integer | null, ...unknown[]], value: string): Span<string> {
  return { from: BigInt(from), to: to === null ? null : BigInt(to), value };
}

function brokenRecord([, from, , sequenceNumber, authenticationKey]: RecordRow): string[] {
  const problems: string[] = [];
  if (parseU64(sequenceNumber) === undefined) problems.push(`from ${from}: \`${printable(sequenceNumber, 40)}\` is not a u64`);
  if (authenticationKey.length !== KEY_BYTES) {
    problems.push(`from ${from}: the authentication key has ${authenticationKey.length} bytes`);
  }
  return problems;
}

/**
 * What is wrong with one key's stretches, in the order of `from`, over an ascending sequence of versions: they are maximal and
 * disjoint, begin and end at members, and end in null exactly at the newest one. Two values are the same exactly when their texts are.
 */
export function brokenLaws(sequence: readonly bigint[], stretches: readonly Span<string>[]): string[] {
  const problems: string[] = [];
  const last = sequence.length - 1;
  let before: { readonly end: number; readonly value: string } | undefined;
  for (const { from, to, value } of stretches) {
    const start = placeOf(sequence, from);
    const end = to === null ? last : placeOf(sequence, to);
    if (start === undefined) problems.push(`begins at ${from}, which is no snapshot of the account`);
    if (end === undefined) problems.push(`from ${from}: ends at ${to}, which is no snapshot of the account`);
    if (start === undefined || end === undefined) continue;
    if (end < start) problems.push(`from ${from}: ends at ${to ?? "the newest"}, before it begins`);
    if (to !== null && end === last)
      problems.push(`from ${from}: ends at ${to}, the newest snapshot of the account, where its end must be open`);
    if (before !== undefined && start <= before.end) problems.push(`from ${from}: overlaps the stretch before it`);
    if (before !== undefined && start === before.end + 1 && value === before.value)
      problems.push(`from ${from}: continues an equal stretch`);
    before = { end, value };
  }
  return problems;
}
