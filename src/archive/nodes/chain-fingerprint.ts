import type { Engine, Session } from "../../engine/engine.ts";
import { bytes, countOf, shapeOf, text, version, whole } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { greatest, least } from "../../schema/sql/functions.ts";
import { holds, moduleSpans, sealed } from "../../schema/sql/predicates.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import type { CoverageTable } from "../../schema/views/covered.ts";

/** Selects observations at sealed versions from `readableFrom` to `readableTo`: at most `modules` modules and `accounts` accounts. */
export type SampleRequest = {
  readonly readableFrom: bigint;
  readonly readableTo: bigint;
  readonly modules: number;
  readonly accounts: number;
};

/** How many places of the database are looked at: each costs a few key look-ups. */
const PROBES = 64;

// The newest sealed version inside both the window and a span, if the account is covered there: a span says nothing of
// snapshots that did not cover its account.
const versionIn = (
  table: CoverageTable,
): Sql => sql`(SELECT max(p.ledger_version) FROM _pins p WHERE ${sealed("p")} AND p.ledger_version BETWEEN ${greatest("s.from_version", ":from")}
  AND ${least(sql`coalesce(s.to_version, :to)`, ":to")}
  AND EXISTS (SELECT 1 FROM ${named(table)} c WHERE c.address_id = s.address_id AND ${holds("c", "p.ledger_version")}))`;
const moduleVersion = versionIn("_coverage");
const recordVersion = versionIn("_record_coverage");
const holders = sql`SELECT DISTINCT l.address_id FROM _listing_modules o JOIN _listings l ON l.id = o.listing_id WHERE o.bytecode_id = b.id LIMIT 100`;
const seenModule = shapeOf({
  version: version(moduleVersion),
  address: text<Address>("a.address"),
  module: text("s.name"),
  sha256: bytes("b.sha256"),
  isSpecial: whole("CASE WHEN length(a.address) <= 3 THEN 1 ELSE 0 END"),
  accounts: whole(sql`(SELECT count(*) FROM (${holders}) holders)`),
});
const seenAccount = shapeOf({
  version: version(recordVersion),
  address: text<Address>("a.address"),
  sequenceNumber: version("s.sequence_number"),
  authenticationKey: bytes("s.authentication_key"),
});
const head = shapeOf({
  headVersion: version("head_version"),
  timestampUsec: version("head_timestamp_usec"),
  epoch: version("head_epoch"),
  blockHeight: version("head_block_height"),
});

/** A module that was seen, to be asked for again. */
export type ModuleObservation = Omit<ReturnType<typeof seenModule.read>, "isSpecial" | "accounts">;

const largestBytecode = sql`SELECT max(id) FROM _bytecodes`;
const largestAddress = sql`SELECT max(id) FROM _addresses`;
const module = sql`SELECT ${seenModule.columns} FROM ${moduleSpans} s JOIN _bytecodes b ON b.id = s.bytecode_id JOIN _addresses a ON a.id = s.address_id
  WHERE s.bytecode_id = :id AND ${moduleVersion} IS NOT NULL LIMIT 1`;
const account = sql`SELECT ${seenAccount.columns} FROM _account_spans s JOIN _addresses a ON a.id = s.address_id
  WHERE s.address_id = :id AND s.sequence_number <> '0' AND ${recordVersion} IS NOT NULL LIMIT 1`;

const pinnedHead = sql`SELECT ${head.columns} FROM _pins WHERE head_epoch IS NOT NULL AND head_block_height IS NOT NULL
  AND head_timestamp_usec <> '0' ORDER BY abs(head_version - :version) LIMIT 1`;

export function fingerprintQueries(engine: Engine) {
  return {
    /** What a node said when a snapshot was pinned, of the newest version nearest to this one; undefined where that was not recorded. */
    nearestPinnedHead: (version: bigint) => head.first(engine, pinnedHead, { version }),
    /**
     * A few observations that a node can still read. Modules whose bytecode few accounts share come first, and framework
     * modules last, since another ledger may hold those too; accounts have sent a transaction, since fresh ones look alike.
     */
    sampleFingerprint: (wanted: SampleRequest) => engine.transaction((tx) => sampleIn(tx, wanted), { mode: "read" }),
  };
}

async function sampleIn(session: Session, { readableFrom: from, readableTo: to, ...most }: SampleRequest) {
  const modules = await probe(session, largestBytecode, (id) => seenModule.first(session, module, { from, to, id }));
  const accounts = await probe(session, largestAddress, (id) => seenAccount.first(session, account, { from, to, id }));
  return {
    modules: modules
      .sort((a, b) => a.isSpecial - b.isSpecial || a.accounts - b.accounts || Number(a.version - b.version))
      .slice(0, most.modules)
      .map(({ isSpecial: _, accounts: __, ...seen }): ModuleObservation => seen),
    accounts: accounts.slice(0, most.accounts),
  };
}

/** What is found at up to `PROBES` row numbers spread evenly from 1 to the largest. */
async function probe<T>(session: Session, largest: Sql, look: (id: number) => Promise<T | undefined>): Promise<T[]> {
  const last = await countOf(session, largest);
  const step = Math.floor(last / PROBES) + 1;
  const found: T[] = [];
  for (let id = last; id > 0; id -= step) {
    const row = await look(id);
    if (row !== undefined) found.push(row);
  }
  return found;
}
