import type { Session } from "../../engine/engine.ts";
import { countOf, versionsOf } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { holds, moduleSpans, sealed } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type RecordCells, recordIn, type SeenRecord } from "../snapshots/records.ts";

export type SampledAccount = { readonly version: bigint; readonly address: Address };

/** What is stored of it: its record, where that was read, and its modules' SHA-256 by name. */
export type HeldAccount = { readonly record: SeenRecord; readonly modules: ReadonlyMap<string, Uint8Array> };

/** Draws that meet an account drawn before are made again so often, so that a small database is drawn to its last account. */
const DRAWS_PER_ACCOUNT = 20;

const sealedBetween = sql`SELECT p.ledger_version FROM _pins p WHERE ${sealed("p")} AND p.ledger_version BETWEEN :from AND :to ORDER BY p.ledger_version`;
const largest = sql`SELECT max(address_id) FROM _coverage`;
const next = sql`SELECT a.address FROM _coverage c JOIN _addresses a ON a.id = c.address_id WHERE c.address_id >= :start AND ${holds("c", ":version")}
  ORDER BY c.address_id LIMIT 1`;
const recordAt = sql`SELECT s.sequence_number, s.authentication_key, s.resource FROM _record_coverage k JOIN _addresses a ON a.id = k.address_id
  LEFT JOIN _account_spans s ON s.address_id = k.address_id AND ${holds("s", ":version")} WHERE a.address = :address AND ${holds("k", ":version")}`;
const modulesAt = sql`SELECT s.name, b.sha256 FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id JOIN _bytecodes b ON b.id = s.bytecode_id
  WHERE a.address = :address AND ${holds("s", ":version")} ORDER BY s.name`;

/** Observations to be made again, and what they were. */
export function prepareSampling(session: Session) {
  return {
    /**
     * Up to `count` different accounts at sealed versions from `from` to `to`, drawn with `random` (from 0 up to 1): each such
     * version is as likely as any other, and so is each stretch of the accounts' row numbers.
     */
    drawAccounts: async ({
      from,
      to,
      count,
      random,
    }: {
      readonly from: bigint;
      readonly to: bigint;
      readonly count: number;
      readonly random: () => number;
    }): Promise<SampledAccount[]> => {
      const versions = await versionsOf(session, sealedBetween, { from, to });
      const last = await countOf(session, largest);
      const drawn = new Map<string, SampledAccount>();
      if (versions.length === 0) return [];
      for (let draw = 0; draw < count * DRAWS_PER_ACCOUNT && drawn.size < count; draw++) {
        const version = versions[Math.floor(random() * versions.length)] as bigint;
        const start = Math.floor(random() * last) + 1;
        const [address] =
          (await session.first<[Address]>(next, { version, start })) ?? (await session.first<[Address]>(next, { version, start: 0 })) ?? [];
        if (address !== undefined) drawn.set(`${version} ${address}`, { version, address });
      }
      return [...drawn.values()];
    },
    held: async ({ version, address }: SampledAccount): Promise<HeldAccount> => {
      const record = await session.first<RecordCells>(recordAt, { version, address });
      const modules = await session.all<[string, Uint8Array]>(modulesAt, { version, address });
      return { record: record === undefined ? "unread" : recordIn(record), modules: new Map(modules) };
    },
  };
}

export type Sampling = ReturnType<typeof prepareSampling>;
