import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import { asynchronous, type Synchronous } from "../connection/asynchronous.ts";
import { openSqlite } from "../connection/open-sqlite.ts";
import { guarded } from "../connection/sqlite-errors.ts";
import { prepareCodeReader } from "../content/code-blobs.ts";
import { type HeldSnapshots, prepareHeldSnapshots } from "../snapshots/held-snapshots.ts";
import { neighboursCovered } from "../snapshots/spans.ts";

/**
 * What the archive says of the ledger as a whole: its newest and oldest sealed versions, and of time, epoch and blocks
 * what the node said of its head when those two were pinned. For a snapshot of the node's head that is exact, for an
 * older one it is the least that is known not to be too small. 0 where it was not taken down.
 */
export type ArchiveHead = {
  readonly chainId: number;
  readonly newest: bigint;
  readonly oldest: bigint;
  readonly timestampUsec: bigint;
  readonly epoch: bigint;
  readonly blockHeight: bigint;
  readonly oldestBlockHeight: bigint;
};

/** An account's nearest sealed snapshots that have an answer about it, around a version and without it. */
export type Neighbours = { readonly previous: bigint | undefined; readonly next: bigint | undefined };

/** Number of a row inside this database. */
export type RowId = bigint;

/** An account's record as it was observed. */
export type ServedRecord = {
  readonly sequenceNumber: string;
  readonly authenticationKey: Uint8Array;
  /** The whole record in BCS, null when the node was read in JSON. */
  readonly resource: Uint8Array | null;
};

/** A module of a listing. */
export type ListedModule = { readonly name: string; readonly bytecode: RowId };

/**
 * A database as `serve` reads it: a connection that cannot write, and one prepared statement per question. What is asked
 * of a version that is not held, or about an account that it does not cover, has no meaning: ask `holds` first.
 */
export type ServedArchive = HeldSnapshots & {
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

/** Readers wait for nobody in write-ahead mode; whoever makes them wait all the same must not stop the whole service. */
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

type HeadRow = {
  readonly ledger_version: bigint;
  readonly head_timestamp_usec: string;
  readonly head_epoch: string | null;
  readonly head_block_height: string | null;
};

type At = [{ account: bigint; version: bigint }];
type ChangesRow = { readonly before: bigint | null; readonly before_to: bigint | null; readonly after: bigint | null };

const HOLDS = "from_version <= @version AND (to_version IS NULL OR to_version >= @version)";
const SEALED = "status IN ('sealed', 'sealed_with_gaps')";

function prepareQuestions(database: Database): Synchronous<Omit<ServedArchive, keyof HeldSnapshots | "close">> {
  const dataVersion = database.prepare<[], bigint>("PRAGMA data_version").pluck();
  const chainId = database.prepare<[], bigint | null>("SELECT chain_id FROM archive").pluck();
  const end = (order: "ASC" | "DESC") =>
    database.prepare<[], HeadRow>(
      "SELECT ledger_version, head_timestamp_usec, head_epoch, head_block_height FROM pins " +
        `WHERE ${SEALED} ORDER BY ledger_version ${order} LIMIT 1`,
    );
  const newest = end("DESC");
  const oldest = end("ASC");
  const accountId = database.prepare<[string], bigint>("SELECT id FROM addresses WHERE address = ?").pluck();
  const sealed = database.prepare<[bigint], bigint>(`SELECT 1 FROM pins WHERE ledger_version = ? AND ${SEALED}`).pluck();
  const covered = database.prepare<At, bigint>(`SELECT 1 FROM coverage WHERE address_id = @account AND ${HOLDS}`).pluck();
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
    "SELECT sequence_number AS sequenceNumber, authentication_key AS authenticationKey, resource FROM account_spans " +
      `WHERE address_id = @account AND ${HOLDS}`,
  );
  const bytecode = database
    .prepare<[{ account: bigint; version: bigint; name: string }], bigint>(
      `SELECT bytecode_id FROM module_spans WHERE address_id = @account AND name = @name AND ${HOLDS}`,
    )
    .pluck();
  const listing = database.prepare<At, ListedModule>(
    `SELECT name, bytecode_id AS bytecode FROM module_spans WHERE address_id = @account AND ${HOLDS}`,
  );
  const reader = prepareCodeReader(database);

  return {
    dataVersion: () => dataVersion.get() as bigint,
    head: () => {
      const last = newest.get();
      const first = oldest.get();
      const chain = chainId.get();
      return last === undefined || first === undefined || chain === undefined || chain === null
        ? undefined
        : joinHeads(Number(chain), first, last);
    },
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
    code: (id) => reader.byId(id) as Uint8Array,
  };
}

function joinHeads(chainId: number, first: HeadRow, last: HeadRow): ArchiveHead {
  const blockHeight = BigInt(last.head_block_height ?? 0);
  const firstHeight = BigInt(first.head_block_height ?? 0);
  return {
    chainId,
    newest: last.ledger_version,
    oldest: first.ledger_version,
    timestampUsec: BigInt(last.head_timestamp_usec),
    epoch: BigInt(last.head_epoch ?? 0),
    blockHeight,
    // An older version that was pinned later was pinned at a later head.
    oldestBlockHeight: firstHeight < blockHeight ? firstHeight : blockHeight,
  };
}
