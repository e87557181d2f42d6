import type { Address } from "../../../move/address.ts";
import type { Engine, Row, Session, Values } from "../../engine/engine.ts";
import { countOf, versionsOf } from "../../engine/row-shape.ts";
import { includesVersion, moduleSpans, recordCoverage, sealed } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { includesCovered, type RecordCells, recordIn, type SeenRecord } from "../snapshots/covering.ts";

export type SampledAccount = { readonly version: bigint; readonly address: Address };

/** What is stored of it: its record, where that was read, and its modules' SHA-256 by name. */
export type HeldAccount = { readonly record: SeenRecord; readonly modules: ReadonlyMap<string, Uint8Array> };

export type SampledModule = { readonly address: Address; readonly name: string; readonly sha256: Uint8Array };

/** How many different things to draw, and a draw: from 0 up to 1. */
type Drawing = { readonly count: number; readonly random: () => number };

/** Draws that meet a thing drawn before are made again so often, so that a small database is drawn to its last one. */
const DRAWS_EACH = 20;

const sealedBetween = sql`SELECT p.ledger_version FROM _all_snapshots p WHERE ${sealed("p")} AND p.ledger_version BETWEEN :from AND :to ORDER BY p.ledger_version`;
const lastAccount = sql`SELECT max(address_id) FROM _coverage`;
const nextAccount = sql<[Address]>`SELECT a.address FROM _coverage c JOIN _addresses a ON a.id = c.address_id WHERE c.address_id >= :start
  AND ${includesVersion("c", ":version")} ORDER BY c.address_id LIMIT 1`;
const recordAt = sql<RecordCells>`SELECT s.sequence_number, s.authentication_key, s.resource FROM ${recordCoverage} k JOIN _addresses a ON a.id = k.address_id
  LEFT JOIN _account_spans s ON s.address_id = k.address_id AND ${includesVersion("s", ":version")} WHERE a.address = :address AND ${includesVersion("k", ":version")}`;
const modulesAt = sql<[string, Uint8Array]>`SELECT s.name, b.sha256 FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id
  JOIN _bytecodes b ON b.id = s.bytecode_id WHERE a.address = :address AND ${includesVersion("s", ":version")} ORDER BY s.name`;

const lastBytecode = sql`SELECT max(id) FROM _bytecodes`;
const nextModule = sql<[id: number, Address, string, Uint8Array]>`SELECT b.id, a.address, s.name, b.sha256 FROM _bytecodes b
  JOIN ${moduleSpans} s ON s.bytecode_id = b.id JOIN _addresses a ON a.id = s.address_id WHERE b.id >= :start
  AND ${includesCovered("s", ":version")} ORDER BY b.id LIMIT 1`;

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

export function sampleModules(engine: Engine, { version, ...of }: Drawing & { readonly version: bigint }): Promise<SampledModule[]> {
  const draw = async (tx: Session) => {
    // Where no module stands, each draw would look at all bytecode.
    if ((await tx.first(nextModule, { version, start: 0 })) === undefined) return [];
    const last = await countOf(tx, lastBytecode);
    return drawEach(of, async () => {
      const found = await nearest(tx, nextModule, { version }, of.random() * last);
      return found && [found[0], { address: found[1], name: found[2], sha256: found[3] }];
    });
  };
  return engine.transaction(draw, { mode: "read" });
}

/** Draws until there are enough different things; `draw` gives one with what tells it from others. */
async function drawEach<T>({ count }: Drawing, draw: () => Promise<readonly [key: string | number, T] | undefined>): Promise<T[]> {
  const drawn = new Map<string | number, T>();
  for (let draws = 0; draws < count * DRAWS_EACH && drawn.size < count; draws++) {
    const found = await draw();
    if (found !== undefined) drawn.set(...found);
  }
  return [...drawn.values()];
}

/** The first row at or above a place, from 0, else the first of all. */
async function nearest<R extends Row>(session: Session, select: Sql<R>, values: Values, place: number): Promise<R | undefined> {
  return (await session.first(select, { ...values, start: Math.floor(place) + 1 })) ?? session.first(select, { ...values, start: 0 });
}
