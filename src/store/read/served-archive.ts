import { statSync } from "node:fs";
import { isPostgresAddress } from "../../base/postgresql-address.ts";
import { sql } from "../../schema/sql/sql.ts";
import { openEngine } from "../connection/open-engine.ts";
import type { Engine, Integer } from "../engine/engine.ts";
import { workersAndWork } from "../work/workers.ts";
import { prepareServedQuestions, type ServedQuestions } from "./serving.ts";

/** A database that is open to be answered from; nothing in it is changed. */
export type ServedArchive = ServedQuestions & {
  /**
   * Another number once some other process has committed: only then need anything be asked again. Undefined where finding
   * out costs as much as asking.
   */
  readonly changes: () => Promise<Integer | undefined>;
  /** How long the head holds before it has to be asked for again, in milliseconds: 0 where asking costs next to nothing. */
  readonly headMs: number;
  /** Whether another database lies in its place by now (a restore, a file moved there): row numbers mean nothing in that one. */
  readonly isReplaced: () => Promise<boolean>;
  /** Who works on it, and what is not finished; undefined for a file, on which nobody shares the work. */
  readonly work: (() => ReturnType<typeof workersAndWork>) | undefined;
  readonly close: () => Promise<void>;
};

/** Where an archive to answer from lies. */
export type ArchivePlace = {
  /** @throws StoreError */
  readonly open: () => Promise<ServedArchive>;
};

/** The bounds of what one process takes of a server, and how long it waits there; of a file, how long for another's exclusive lock. */
const LIMITS = { connections: 6, statementTimeoutMs: 5_000, lockTimeoutMs: 250 } as const;

/** On a server: a seal is seen within half a second, and one that is gone is waited for four times a second at most. */
const HEAD_MS = 250;

/** The place of a database file, or of a PostgreSQL database. */
export function archiveAt(path: string): ArchivePlace {
  return { open: () => openServedArchive(path) };
}

/** Opens a database to answer from it. @throws StoreError */
export async function openServedArchive(path: string): Promise<ServedArchive> {
  const isServer = isPostgresAddress(path);
  const file = isServer ? undefined : fileAt(path);
  const { engine, close } = await openEngine(path, { mode: "read", ...LIMITS });
  const questions = prepareServedQuestions(engine);
  if (!isServer) {
    const isReplaced = async () => ![undefined, file].includes(fileAt(path));
    return {
      ...questions,
      changes: async () => (await engine.first<[Integer]>(dataVersion))?.[0],
      headMs: 0,
      isReplaced,
      work: undefined,
      close,
    };
  }
  const opened = await tablesOf(engine);
  const isReplaced = async () => (await tablesOf(engine)) !== opened;
  return { ...questions, changes: async () => undefined, headMs: HEAD_MS, isReplaced, work: () => workersAndWork(engine), close };
}

const dataVersion = sql`PRAGMA data_version`;
// A restore makes the tables anew, or fills them anew; either gives them other files.
const tables = sql`SELECT d.oid, pg_relation_filenode(to_regclass('_addresses')), pg_relation_filenode(to_regclass('_bytecodes'))
  FROM pg_database d WHERE d.datname = current_database()`;

async function tablesOf(engine: Engine): Promise<string> {
  return String(await engine.first(tables));
}

/** Names the file that lies at a path; undefined while there is none, as between taking one away and putting another. */
function fileAt(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
}
