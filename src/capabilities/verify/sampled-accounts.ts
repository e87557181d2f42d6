import { type Drawing, drawEach, nearest } from "../../core/db/archive/read/sampling.ts";
import { type RecordCells, recordIn, type SeenRecord } from "../../core/db/archive/snapshots/covering.ts";
import type { Session } from "../../core/db/engine/engine.ts";
import { countOf, versionsOf } from "../../core/db/engine/row-shape.ts";
import { includesVersion, moduleSpans, recordCoverage, sealed } from "../../core/db/schema/sql/predicates.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";

export type SampledAccount = { readonly version: bigint; readonly address: Address };

/** What is stored of it: its record, where that was read, and its modules' SHA-256 by name. */
export type HeldAccount = { readonly record: SeenRecord; readonly modules: ReadonlyMap<string, Uint8Array> };

const sealedBetween = sql`SELECT p.ledger_version FROM _all_snapshots p WHERE ${sealed("p")} AND p.ledger_version BETWEEN :from AND :to ORDER BY p.ledger_version`;
const lastAccount = sql`SELECT max(address_id) FROM _coverage`;
const nextAccount = sql<[Address]>`SELECT a.address FROM _coverage c JOIN _addresses a ON a.id = c.address_id WHERE c.address_id >= :start
  AND ${includesVersion("c", ":version")} ORDER BY c.address_id LIMIT 1`;
const recordAt = sql<RecordCells>`SELECT s.sequence_number, s.authentication_key, s.resource FROM ${recordCoverage} k JOIN _addresses a ON a.id = k.address_id
  LEFT JOIN _account_spans s ON s.address_id = k.address_id AND ${includesVersion("s", ":version")} WHERE a.address = :address AND ${includesVersion("k", ":version")}`;
const modulesAt = sql<[string, Uint8Array]>`SELECT s.name, b.sha256 FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id
  JOIN _bytecodes b ON b.id = s.bytecode_id WHERE a.address = :address AND ${includesVersion("s", ":version")} ORDER BY s.name`;

export function samplingQueries(session: Session) {
  return {
    /** Different accounts at sealed versions from `from` to `to`, each version and stretch of row numbers as likely as any other. */
    drawAccounts: async ({ from, to, ...of }: Drawing & { readonly from: bigint; readonly to: bigint }): Promise<SampledAccount[]> => {
      const versions = await versionsOf(session, sealedBetween, { from, to });
      if (versions.length === 0) return [];
      const last = await countOf(session, lastAccount);
      return drawEach(of, async () => {
        const version = versions[Math.floor(of.random() * versions.length)] as bigint;
        const [address] = (await nearest(session, nextAccount, { version }, of.random() * last)) ?? [];
        return address && [`${version} ${address}`, { version, address }];
      });
    },
    held: async ({ version, address }: SampledAccount): Promise<HeldAccount> => {
      const record = await session.first(recordAt, { version, address });
      const modules = await session.all(modulesAt, { version, address });
      return { record: record === undefined ? "unread" : recordIn(record), modules: new Map(modules) };
    },
  };
}
