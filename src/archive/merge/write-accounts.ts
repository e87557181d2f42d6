import { equalBytes } from "../../base/bytes.ts";
import { formatHex } from "../../base/hex.ts";
import type { BulkTable, Transaction } from "../../engine/engine.ts";
import { checksumOf } from "../../schema/sql/checksum.ts";
import { each } from "../../schema/sql/functions.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import { isChecked, type TableData } from "../../schema/table.ts";
import { timeTables } from "../../schema/tables/time.ts";
import type { Bytecodes } from "../content/bytecodes.ts";
import { addListings, type NewListing, type StoredListing } from "../snapshots/listings.ts";
import { sameRecord } from "../snapshots/records.ts";
import { listingDigest } from "../snapshots/snapshot-digest.ts";
import type { AccountToMerge } from "./account-rows.ts";
import type { Span } from "./merge-spans.ts";
import { type AccountView, listings } from "./merging.ts";

/** What an account came to: its coverage, and its content where the archive says something of that. */
export type MergedAccount = {
  readonly before: AccountToMerge;
  readonly coverage: readonly Span<true>[];
  readonly recordCoverage: readonly Span<true>[];
  readonly content: AccountView | undefined;
};

type Spans = { readonly rows: BulkTable; readonly drop: Sql; readonly check: Sql | undefined };

const chosen = sql`address_id IN (SELECT CAST(j.value AS bigint) FROM ${each(":accounts::json", "j")})`;
const [coverage, recordCoverage] = [spansOf(timeTables.coverage), spansOf(timeTables.record_coverage)];
const [accountSpans, listingSpans] = [spansOf(timeTables.account_spans), spansOf(timeTables.listing_spans)];

function spansOf(table: TableData): Spans {
  const { checksum: _, ...columns } = table.columns;
  return {
    rows: { name: table.name, columns },
    drop: sql`DELETE FROM ${named(table.name)} WHERE ${chosen}`,
    check: isChecked(table) ? sql`UPDATE ${named(table.name)} SET checksum = ${checksumOf(table)} WHERE ${chosen}` : undefined,
  };
}

/** Writes accounts anew where they differ from what is stored, by a few statements for all of them. @returns how many were written */
export async function writeAccounts(tx: Transaction, merged: readonly MergedAccount[], internAll: Bytecodes["internAll"]): Promise<number> {
  const covered = merged.filter(({ before, coverage: after }) => !sameSpans(before.stored.coverage, after, Object.is));
  await replace(tx, coverage, covered, (account) => account.coverage.map(({ from, to }) => [from, to]));

  const read = merged.filter(({ before, recordCoverage: after }) => !sameSpans(before.stored.recordCoverage, after, Object.is));
  await replace(tx, recordCoverage, read, (account) => account.recordCoverage.map(({ from, to }) => [from, to]));

  const recorded = merged.filter(({ before, content }) => content && !sameSpans(before.stored.records, content.records, sameRecord));
  await replace(tx, accountSpans, recorded, ({ content }) =>
    (content?.records ?? []).map(({ from, to, value }) => [from, to, value.sequenceNumber, value.authenticationKey, value.resource]),
  );

  const wanted = new Map(merged.map((account) => [account, listingsOf(account)]));
  const isListed = (digest: Uint8Array, listing: Pick<NewListing, "digest">) => equalBytes(digest, listing.digest);
  const listed = merged.filter(
    (account) => account.content && !sameSpans(account.before.stored.listed, wanted.get(account) ?? [], isListed),
  );
  const keyOf = ({ address, digest }: Pick<NewListing, "address" | "digest">) => `${address} ${formatHex(digest)}`;
  const seen = listed.flatMap((account) => (wanted.get(account) ?? []).map(({ value }) => ({ address: account.before.id, ...value })));
  // An account may have had the same listing several times.
  const fresh = new Map(seen.map((listing) => [keyOf(listing), listing]));
  const stored = await addListings(tx, internAll, [...fresh.values()]);
  const ids = new Map([...fresh.keys()].map((key, i) => [key, (stored[i] as StoredListing).id]));
  await replace(tx, listingSpans, listed, (account) =>
    (wanted.get(account) ?? []).map(({ from, to, value }) => [from, to, ids.get(keyOf({ address: account.before.id, ...value }))]),
  );
  return new Set([...covered, ...read, ...recorded, ...listed]).size;
}

async function replace(
  tx: Transaction,
  { rows, drop, check }: Spans,
  accounts: readonly MergedAccount[],
  rowsOf: (account: MergedAccount) => readonly (readonly unknown[])[],
): Promise<void> {
  if (accounts.length === 0) return;
  const values = { accounts: JSON.stringify(accounts.map(({ before }) => `${before.id}`)) };
  await tx.run(drop, values);
  const written = accounts.flatMap((account) => rowsOf(account).map((row) => [account.before.id, ...row]));
  await tx.bulk(rows, written);
  if (check !== undefined) await tx.run(check, values);
}

function listingsOf({ content }: MergedAccount): Span<Omit<NewListing, "address">>[] {
  if (content === undefined) return [];
  const newest = content.covered.at(-1);
  return Array.from(listings(content), ({ versions, listing }) => {
    const modules = listing.map(([name, sha256]) => ({ name, sha256 }));
    const last = versions.at(-1) as bigint;
    return { from: versions[0] as bigint, to: last === newest ? null : last, value: { modules, digest: listingDigest(modules) } };
  });
}

function sameSpans<A, B>(a: readonly Span<A>[], b: readonly Span<B>[], same: (a: A, b: B) => boolean): boolean {
  return (
    a.length === b.length &&
    a.every((span, i) => {
      const other = b[i] as Span<B>;
      return span.from === other.from && span.to === other.to && same(span.value, other.value);
    })
  );
}
