import { closing } from "../../../base/async.ts";
import type { Address } from "../../../move/address.ts";
import type { ReadOptions } from "../../engine/database.ts";
import { databaseAt } from "../../engine/database-at.ts";
import type { Engine } from "../../engine/engine.ts";
import { orUndefined, rowOf, textsOf, version, whole } from "../../engine/row-shape.ts";
import { includesVersion, sealed } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { moduleQueries } from "./module-queries.ts";

const coveredEnds = rowOf({ oldest: orUndefined(version("min(p.ledger_version)")), newest: orUndefined(version("max(p.ledger_version)")) });
const endsOfAccount = sql`SELECT ${coveredEnds.columns} FROM _coverage c JOIN _all_snapshots p ON ${sealed("p")} AND ${includesVersion("c", "p.ledger_version")}
  WHERE c.address_id = (SELECT id FROM _addresses WHERE address = :address) AND (:below::version IS NULL OR p.ledger_version < :below::version)
  AND (:above::version IS NULL OR p.ledger_version > :above::version)`;
const accountCovered = sql`SELECT 1 FROM _coverage c JOIN _addresses a ON a.id = c.address_id WHERE a.address = :address AND ${includesVersion("c", ":version")}`;
const reasonOfGap = sql`SELECT m.reason FROM _all_gaps m JOIN _addresses a ON a.id = m.address_id WHERE a.address = :address AND m.ledger_version = :version`;
const snapshotCounts = rowOf({ accounts: whole("coalesce(accounts, 0)"), gaps: whole("coalesce(gaps, 0)") });
const countsAt = sql`SELECT ${snapshotCounts.columns} FROM _all_snapshots WHERE ledger_version = :version`;

export function coveringQueries(engine: Engine) {
  const endsOf = (address: Address, below: bigint | null, above: bigint | null) =>
    coveredEnds.first(engine, endsOfAccount, { address, below, above });
  return {
    /** The newest sealed snapshot that covers an account, below a version if one is given; undefined if there is none. */
    newestCovering: async (address: Address, below?: bigint): Promise<bigint | undefined> =>
      (await endsOf(address, below ?? null, null))?.newest,
    /** The oldest one, above a version if one is given. */
    oldestCovering: async (address: Address, above?: bigint): Promise<bigint | undefined> =>
      (await endsOf(address, null, above ?? null))?.oldest,
    covers: async (address: Address, version: bigint): Promise<boolean> =>
      (await engine.first(accountCovered, { address, version })) !== undefined,
    /** Why a snapshot has no answer about an account, where it was asked for one. */
    gapReason: async (address: Address, version: bigint): Promise<string | undefined> =>
      (await textsOf(engine, reasonOfGap, { address, version }))[0],
    /** The number of accounts that a snapshot covers, and of those that it was asked for and has no answer about. */
    coverage: async (version: bigint): Promise<{ readonly accounts: number; readonly gaps: number }> =>
      (await snapshotCounts.first(engine, countsAt, { version })) ?? { accounts: 0, gaps: 0 },
  };
}

/** A database as people ask it about modules. What is asked at a version that is not sealed has no meaning. */
export type ModuleArchive = ReturnType<typeof moduleQueries> &
  ReturnType<typeof coveringQueries> & { readonly path: string; readonly engine: Engine };

/** Opens a database (a file, or the address of a PostgreSQL database) to ask about modules; nothing in it is changed. @throws StoreError */
export async function openModuleArchive(path: string, limits: Omit<ReadOptions, "mode"> = {}) {
  const { engine, close } = await databaseAt(path).open({ mode: "read", ...limits });
  return closing({ ...moduleArchive(engine, path), close });
}

/** The same of a database that is open. `path` is for messages. */
export function moduleArchive(engine: Engine, path: string): ModuleArchive {
  return { path, engine, ...moduleQueries(engine), ...coveringQueries(engine) };
}
