import type { Database } from "better-sqlite3";
import { formatHex } from "../../base/hex.ts";
import { printable } from "../../base/printable.ts";
import { parseU64 } from "../../base/u64.ts";
import { versionsInside } from "../merge/merge-spans.ts";
import { SEALED } from "../snapshots/held-snapshots.ts";
import { type Check, countOf, type Damage, inSlice, type Slice } from "./check.ts";
import { prepareAccountName } from "./names.ts";
import { brokenLaws, type StoredSpan } from "./span-laws.ts";

type CoverageRow = { readonly from_version: bigint; readonly to_version: bigint | null };
type RecordRow = CoverageRow & {
  readonly sequence_number: string;
  readonly authentication_key: Uint8Array;
  readonly resource: Uint8Array | null;
};
type ListingRow = CoverageRow & { readonly listing_id: bigint; readonly holder: bigint | null };

const KEY_BYTES = 32;

/** Every account that has stretches of any kind: they keep their laws over the snapshots that cover the account. */
export function spanCheck(database: Database, slice: Slice): Check {
  const tables = ["coverage", "account_spans", "listing_spans"];
  const accounts = tables.map((table) => `SELECT address_id FROM ${table} WHERE ${inSlice("address_id", slice)}`).join(" UNION ");
  const ids = database.prepare<[], bigint>(`${accounts} ORDER BY 1`).pluck();
  const sealed = database.prepare<[], bigint>(`SELECT ledger_version FROM pins WHERE ${SEALED} ORDER BY 1`).pluck();
  const rows = <R>(columns: string, table: string, order: string) =>
    database.prepare<[bigint], R>(`SELECT from_version, to_version${columns} FROM ${table} WHERE address_id = ? ORDER BY ${order}`);
  const nameOf = prepareAccountName(database);
  const coverage = rows<CoverageRow>("", "coverage", "from_version");
  const records = rows<RecordRow>(", sequence_number, authentication_key, resource", "account_spans", "from_version");
  const listings = rows<ListingRow>(
    ", listing_id, (SELECT l.address_id FROM listings l WHERE l.id = listing_id) AS holder",
    "listing_spans",
    "from_version",
  );

  const damageOf = (id: bigint, versions: readonly bigint[]): Damage[] => {
    const damage: Damage[] = [];
    const report = (table: string, row: string, problems: readonly string[]): void => {
      for (const problem of problems) damage.push({ table, row, problem });
    };
    const runs = coverage.all(id);
    const name = nameOf(id);
    const covered = brokenLaws(
      versions,
      runs.map((run) => toStretch(run, "covered")),
    );
    report("coverage", name, covered);
    // Without sound coverage there is no sequence to hold the others against.
    if (covered.length > 0) return damage;
    const own = versionsInside(
      versions,
      runs.map((run) => ({ from: run.from_version, to: run.to_version })),
    );
    const found = records.all(id);
    report("account_spans", name, [
      ...brokenLaws(
        own,
        found.map((run) => toStretch(run, `${run.sequence_number} ${formatHex(run.authentication_key)} ${hexOrNone(run.resource)}`)),
      ),
      ...found.flatMap(brokenRecord),
    ]);
    const listed = listings.all(id);
    const stretches = listed.map((run) => toStretch(run, `${run.listing_id}`));
    const seen = versionsInside(
      own,
      listed.map((run) => ({ from: run.from_version, to: run.to_version })),
    );
    report("listing_spans", name, [
      ...brokenLaws(own, stretches),
      ...(new Set(seen).size === own.length ? [] : [`no listing stands at ${own.length - new Set(seen).size} snapshots of the account`]),
      ...listed
        .filter(({ holder }) => holder !== id)
        .map((run) => `from ${run.from_version}: listing ${run.listing_id} is of another account`),
    ]);
    return damage;
  };

  return {
    name: "accounts",
    total: () => countOf(database, `SELECT count(*) FROM (${accounts})`),
    steps: function* () {
      const versions = sealed.all();
      for (const id of ids.iterate()) yield damageOf(id, versions);
    },
  };
}

function toStretch({ from_version, to_version }: CoverageRow, value: string): StoredSpan {
  return { from: from_version, to: to_version, value };
}

function brokenRecord({ from_version, sequence_number, authentication_key }: RecordRow): string[] {
  const problems: string[] = [];
  if (parseU64(sequence_number) === undefined) problems.push(`from ${from_version}: \`${printable(sequence_number, 40)}\` is no u64`);
  if (authentication_key.length !== KEY_BYTES) {
    problems.push(`from ${from_version}: the authentication key has ${authentication_key.length} bytes`);
  }
  return problems;
}

function hexOrNone(bytes: Uint8Array | null): string {
  return bytes === null ? "none" : formatHex(bytes);
}
