import { statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { isPostgresAddress } from "../../base/postgresql-address.ts";
import type { Address } from "../../move/address.ts";
import { holds } from "../../schema/sql/predicates.ts";
import { MODULE_SPANS } from "../../schema/sql/spans.ts";
import { inSqlite } from "../../schema/sql/sqlite-words.ts";
import { asynchronous, type Synchronous } from "../connection/asynchronous.ts";
import { notOnServer } from "../connection/not-on-server.ts";
import { openSqlite } from "../connection/open-sqlite.ts";
import { guarded } from "../connection/sqlite-errors.ts";
import { prepareCodeReader } from "../content/code-blobs.ts";
import { type HeldSnapshots, prepareHeldSnapshots, SEALED } from "../snapshots/held-snapshots.ts";
import { neighboursCovered } from "../snapshots/spans.ts";
import { type ArchiveHead, prepareHead } from "./archive-head.ts";
import { prepareServedProbes, type ServedProbes } from "./served-probes.ts";
import type { ListedModule, RowId, ServedRecord } from "./served-rows.ts";

/** An account's nearest sealed snapshots that have an answer about it, around a version and without it. */
export type Neighbours = { readonly previous: bigint | undefined; readonly next: bigint | undefined };

/**
 * A database as `serve` reads it: a connection that cannot write, and one prepared statement per question. What is asked
 * of a version that is not held, or about an account that it does not cover, has no meaning: ask `holds` first.
 */
export type ServedArchive = HeldSnapshots &
  ServedProbes & {
    /** Another number once some other process has committed: only then need anything be asked again. */
    readonly dataVersion: () => Promise<bigint>;
    /** Undefined while nothing is sealed. */
    readonly head: () => Promise<ArchiveHead | undefined>;
    /** An account's row; undefined when no snapshot ever planned it. */
    readonly findAccount: (address: Address) => Promise<RowId | undefined>;
    readonly isSealed: (version: bigint) => Promise<boolean>;
    /** Whether a sealed snapshot has an answer about the account. */
    readonly holds: (account: RowId, version: bigint) => Promise<boolean>;
    readonly neighbours: (account: RowId, version: bigint) => Promise<Neighbours>;
    /** Why a snapshot has no answer about an account; undefined when that was never asked for. */
    readonly gapReason: (account: RowId, version: bigint) => Promise<string | undefined>;
    /** An account's record; undefined when the node said that there is none. */
    readonly record: (account: RowId, version: bigint) => Promise<ServedRecord | undefined>;
    /** The bytecode that stood under a name; undefined when there was no such module. */
    readonly bytecode: (account: RowId, version: bigint, name: string) => Promise<RowId | undefined>;
    /** All modules that stood, in no order that matters. */
    readonly listing: (account: RowId, version: bigint) => Promise<readonly ListedModule[]>;
    /** The plain bytes of stored bytecode. */
    readonly code: (bytecode: RowId) => Promise<Uint8Array>;
    readonly close: () => Promise<void>;
  };

/** Readers do not wait for writers in write-ahead mode. A process that holds an exclusive lock all the same must not stop the whole service. */
const BUSY_TIMEOUT_MS = 250;

/** Opens a database to answer from it. @throws StoreError */
export async function openServedArchive(path: string): Promise<ServedArchive> {
  const { database, close } = openSqlite(path, { mode: "read" });
  const questions = guarded(path, "read the database", () => {
    database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return { ...prepareQuestions(database), ...prepareHeldSnapshots(database) };
  });
  return asynchronous<ServedArchive>({ ...questions, close }, "read the database", path);
}

/** Where an archive to answer from lies. */
export type ArchivePlace = {
  /** @throws StoreError */
  readonly open: () => Promise<ServedArchive>;
  /** Names the file that lies there now: another text once another file was put in its place; undefined while there is none. */
  readonly identity: () => string | undefined;
};

/** The place of a database file. @throws StoreError for the address of a PostgreSQL database, which cannot be answered from yet */
export function archiveAt(path: string): ArchivePlace {
  if (isPostgresAddress(path)) throw notOnServer("answer requests from what is");
  return {
    open: () => openServedArchive(path),
    identity: () => {
      const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
    },
  };
}

type At = [{ account: bigint; version: bigint }];
type ChangesRow = { readonly before: bigint | null; readonly before_to: bigint | null; readonly after: bigint | null };

const HOLDS = inSqlite(holds("s", ":version"));

function prepareQuestions(database: Database): Synchronous<Omit<ServedArchive, keyof HeldSnapshots | "close">> {
  const dataVersion = database.prepare<[], bigint>("PRAGMA data_version").pluck();
  const accountId = database.prepare<[string], bigint>("SELECT id FROM addresses WHERE address = ?").pluck();
  const sealed = database.prepare<[bigint], bigint>(`SELECT 1 FROM pins WHERE ledger_version = ? AND ${SEALED}`).pluck();
  const covered = database.prepare<At, bigint>(`SELECT 1 FROM coverage s WHERE s.address_id = @account AND ${HOLDS}`).pluck();
  const sealedBeside = database.prepare<[bigint, bigint], { before: bigint | null; after: bigint | null }>(
    `SELECT (SELECT max(ledger_version) FROM pins WHERE ledger_version < ? AND ${SEALED}) AS before, ` +
      `(SELECT min(ledger_version) FROM pins WHERE ledger_version > ? AND ${SEALED}) AS after`,
  );
  const coveredBeside = database.prepare<At, ChangesRow>(
    "SELECT b.from_version AS before, b.to_version AS before_to, (SELECT from_version FROM coverage WHERE address_id = @account " +
      "AND (to_version IS NULL OR to_version > @version) ORDER BY from_version LIMIT 1) AS after FROM (SELECT 1) " +
      "LEFT JOIN (SELECT from_version, to_version FROM coverage WHERE address_id = @account AND from_version < @version ORDER BY from_version DESC LIMIT 1) b",
  );
  const gap = database.prepare<[bigint, bigint], string>("SELECT reason FROM misses WHERE ledger_version = ? AND address_id = ?").pluck();
  const record = database.prepare<At, ServedRecord>(
    "SELECT sequence_number AS sequenceNumber, authentication_key AS authenticationKey, resource FROM account_spans s " +
      `WHERE s.address_id = @account AND ${HOLDS}`,
  );
  const bytecode = database
    .prepare<[{ account: bigint; version: bigint; name: string }], bigint>(
      `SELECT bytecode_id FROM ${MODULE_SPANS} s WHERE s.address_id = @account AND s.name = @name AND ${HOLDS}`,
    )
    .pluck();
  const listing = database.prepare<At, ListedModule>(
    `SELECT name, bytecode_id AS bytecode FROM ${MODULE_SPANS} s WHERE s.address_id = @account AND ${HOLDS}`,
  );
  const reader = prepareCodeReader(database);

  return {
    dataVersion: () => dataVersion.get() as bigint,
    head: prepareHead(database),
    findAccount: (address) => accountId.get(address),
    isSealed: (version) => sealed.get(version) !== undefined,
    holds: (account, version) => covered.get({ account, version }) !== undefined,
    neighbours: (account, version) => {
      const beside = sealedBeside.get(version, version);
      const run = coveredBeside.get({ account, version });
      return neighboursCovered(
        { version, previous: beside?.before ?? undefined, next: beside?.after ?? undefined },
        run === undefined || run.before === null ? undefined : { to: run.before_to },
        run === undefined || run.after === null ? undefined : { from: run.after },
      );
    },
    gapReason: (account, version) => gap.get(version, account),
    record: (account, version) => record.get({ account, version }),
    bytecode: (account, version, name) => bytecode.get({ account, version, name }),
    listing: (account, version) => listing.all({ account, version }),
    ...prepareServedProbes(database),
    code: (id) => reader.byId(id) as Uint8Array,
  };
}
