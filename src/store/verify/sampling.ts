import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import { holds } from "../../schema/sql/predicates.ts";
import { inSqlite } from "../../schema/sql/sqlite-words.ts";
import type { Synchronous } from "../connection/asynchronous.ts";
import { prepareHotStatements } from "../connection/hot-statements.ts";
import { SEALED } from "../snapshots/held-snapshots.ts";
import type { StoredRecord } from "../snapshots/records.ts";
import { recordAt } from "../snapshots/snapshot-digest.ts";

/** An account at a sealed version that covers it. */
export type SampledAccount = { readonly version: bigint; readonly address: Address };

/** What is stored of it: its record, and its modules' SHA-256 by name. */
export type HeldAccount = { readonly record: StoredRecord | undefined; readonly modules: ReadonlyMap<string, Uint8Array> };

/** Observations to be made again, and what they were. */
export type Sampling = {
  /**
   * Up to `count` different accounts at sealed versions from `from` to `to`, drawn with `random` (from 0 up to 1): each such
   * version is as likely as any other, and so is each stretch of the accounts' row numbers.
   */
  readonly drawAccounts: (wanted: {
    readonly from: bigint;
    readonly to: bigint;
    readonly count: number;
    readonly random: () => number;
  }) => Promise<SampledAccount[]>;
  readonly held: (account: SampledAccount) => Promise<HeldAccount>;
};

/** Draws that meet an account drawn before are made again so often, so that a small database is drawn to its last account. */
const DRAWS_PER_ACCOUNT = 20;

/** Prepares the drawing of samples on a connection. */
export function prepareSampling(database: Database): Synchronous<Sampling> {
  const sealed = database
    .prepare<[bigint, bigint], bigint>(
      `SELECT ledger_version FROM pins WHERE ${SEALED} AND ledger_version BETWEEN ? AND ? ORDER BY ledger_version`,
    )
    .pluck();
  const largest = database.prepare<[], bigint | null>("SELECT max(address_id) FROM coverage").pluck();
  const next = database
    .prepare<[{ version: bigint; start: bigint }], Address>(
      "SELECT a.address FROM coverage c JOIN addresses a ON a.id = c.address_id WHERE c.address_id >= :start " +
        `AND ${inSqlite(holds("c", ":version"))} ORDER BY c.address_id LIMIT 1`,
    )
    .pluck();
  const statements = prepareHotStatements(database);
  return {
    drawAccounts: ({ from, to, count, random }) => {
      const versions = sealed.all(from, to);
      const last = Number(largest.get() ?? 0n);
      const drawn = new Map<string, SampledAccount>();
      if (versions.length === 0) return [];
      for (let draw = 0; draw < count * DRAWS_PER_ACCOUNT && drawn.size < count; draw++) {
        const version = versions[Math.floor(random() * versions.length)] as bigint;
        const start = BigInt(Math.floor(random() * last) + 1);
        const address = next.get({ version, start }) ?? next.get({ version, start: 0n });
        if (address !== undefined) drawn.set(`${version} ${address}`, { version, address });
      }
      return [...drawn.values()];
    },
    held: ({ version, address }) => {
      const id = statements.addressId.get(address) as bigint;
      return { record: recordAt(statements, id, version), modules: new Map(statements.digestsAt.all({ address: id, version })) };
    },
  };
}
