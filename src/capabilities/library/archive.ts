import type { Cell } from "../../core/base/cell.ts";
import { printable } from "../../core/base/printable.ts";
import { readChain } from "../../core/db/archive/chain.ts";
import { type ModuleArchive, openModuleArchive, type StoredModule } from "../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import { loadServersFor, readPlace } from "../../core/db/engine/place.ts";
import { requireDistinct, type SqlParameters, type SqlSession } from "../../core/db/engine/sql-session.ts";
import { ConfigError } from "../../core/errors.ts";
import { type Address, parseAddress } from "../../core/move/address.ts";
import { formatModuleId, type ModuleId } from "../../core/move/module-id.ts";
import { resolveModule } from "../../core/questions/resolve-module.ts";
import { chooseSnapshot } from "../../core/questions/snapshot-choice.ts";
import { NotHeldError, parseSubject, type Subject } from "../../core/questions/subject.ts";
import { type AbortExplanation, explainAbort, explainWith, findAbort } from "../explain/explain-abort.ts";

/** A snapshot: a ledger version, or a word for one. */
export type SnapshotName = bigint | "latest" | "previous" | "oldest";

/** A module as it stood over a stretch of sealed snapshots. */
export type ArchivedModule = ModuleId & {
  /** The first snapshot that showed it so. */
  readonly from: bigint;
  /** The last one; null while it stands. */
  readonly to: bigint | null;
  /** Of its bytes, 64 hex digits. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
};

/** A movedex database, open for reading. Every method rejects with a `MovedexError` whose sentence says what to do. */
export type Archive = {
  /** The chain's number; null while nothing was read. */
  chainId(): Promise<number | null>;
  /** Ledger versions of the sealed snapshots, oldest first. */
  snapshots(): Promise<readonly bigint[]>;
  /** Modules at a snapshot, the latest if none is named, of one account or of all. */
  modules(options?: { readonly at?: SnapshotName; readonly account?: string }): Promise<readonly ArchivedModule[]>;
  /**
   * A module (`0x1::coin`, or `coin` if one account has it) with its bytecode; at the newest snapshot that covers its account
   * if none is named. A version between two snapshots that agree is answered too. `MOVEDEX_NOT_HELD` if it is not there.
   */
  module(name: string, options?: { readonly at?: SnapshotName }): Promise<ArchivedModule & { readonly bytes: Uint8Array }>;
  /** All that a module was, oldest first. */
  history(name: string): Promise<readonly ArchivedModule[]>;
  /** The bytecode of a module that `modules` or `history` gave. */
  bytes(module: ArchivedModule): Promise<Uint8Array>;
  /** `explainAbort`, with the errors of the module as it stood at a snapshot; if it is not held, without them. */
  explainAbort(message: string, options?: { readonly at?: SnapshotName }): Promise<AbortExplanation | undefined>;
  /**
   * The rows of one reading SQL statement over the public views, with values for `?` (PostgreSQL: `$1`) or `:name`. `Row` is
   * what you say they are: `movedex/views` has the type of each view's rows.
   */
  query<Row extends object = Readonly<Record<string, Cell>>>(
    sql: string,
    parameters?: readonly Cell[] | Readonly<Record<string, Cell>>,
  ): AsyncIterable<Row>;
  close(): Promise<void>;
};

/** Opens a database behind the methods of `Archive`. */
export async function openHeldArchive(place: string): Promise<Archive> {
  await loadServersFor(place);
  // Without its password an address can stand in a sentence.
  const path = readPlace(place, process.env);
  const held = await openModuleArchive(path);
  let session: Promise<SqlSession> | undefined;
  return {
    chainId: () => readChain(held.engine),
    snapshots: () => readSealedVersions(held.engine),
    modules: async ({ at = "latest", account } = {}) => {
      const address = account === undefined ? undefined : readAccount(account);
      return (await held.modulesAt(await chooseSnapshot(held, String(at), address), address)).map(withoutRow);
    },
    module: async (name, { at } = {}) => {
      const { module } = await resolveModule(held, moduleSubject(name, at));
      return { ...withoutRow(module), bytes: (await held.content(module)).bytes };
    },
    history: async (name) => (await historyOf(held, name)).map(withoutRow),
    bytes: async (module) => {
      const stored = (await held.historyOf(module)).find(({ sha256 }) => sha256 === module.sha256);
      if (stored === undefined) throw new NotHeldError(`${formatModuleId(module)} with the SHA-256 ${module.sha256} is not held.`);
      return (await held.content(stored)).bytes;
    },
    explainAbort: (message, { at } = {}) => explain(held, message, at),
    query: async function* <Row extends object>(sql: string, parameters: SqlParameters = []) {
      session ??= databaseAt(path).openToQuery();
      const { columns, rows } = await (await session).query(sql, parameters);
      requireDistinct(columns);
      for await (const row of rows) yield Object.fromEntries(columns.map((name, i) => [name, row[i]])) as Row;
    },
    close: async () => {
      await held.close();
      await (await session)?.close();
    },
  };
}

async function explain(held: ModuleArchive, message: string, at: SnapshotName | undefined): Promise<AbortExplanation | undefined> {
  const abort = findAbort(message);
  if (abort?.module === undefined) return explainAbort(message);
  const { address, name } = abort.module;
  try {
    const { module } = await resolveModule(held, { address, module: name, ...(at === undefined ? {} : { version: String(at) }) });
    const content = await held.content(module);
    return explainWith(abort, content.kind === "decoded" ? content.module.abi.errors : []);
  } catch (error) {
    if (error instanceof NotHeldError) return explainWith(abort, []);
    throw error;
  }
}

async function historyOf(held: ModuleArchive, name: string): Promise<StoredModule[]> {
  const subject = moduleSubject(name, undefined);
  if (subject.address !== undefined) return held.historyOf({ address: subject.address, name: subject.module as string });
  const { module } = await resolveModule(held, subject);
  return held.historyOf(module);
}

function moduleSubject(name: string, at: SnapshotName | undefined): Subject {
  const subject = parseSubject(name);
  if (subject.module === undefined || subject.item !== undefined || subject.version !== undefined) {
    throw new ConfigError(`\`${printable(name, 200)}\` is not a module. Give one such as \`0x1::coin\` or \`coin\`.`);
  }
  return at === undefined ? subject : { ...subject, version: String(at) };
}

function readAccount(text: string): Address {
  const address = parseAddress(text);
  if (address === undefined) throw new ConfigError(`\`${printable(text, 200)}\` is not an account address. Give one such as \`0x1\`.`);
  return address;
}

function withoutRow({ address, name, from, to, sha256, size }: StoredModule): ArchivedModule {
  return { address, name, from, to, sha256, size };
}
