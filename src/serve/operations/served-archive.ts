import { databaseAt } from "../../engine/database-at.ts";
import { servedQueries } from "./served-queries.ts";

/** A database that is open to be answered from; nothing in it is changed. */
export type ServedArchive = Awaited<ReturnType<typeof openServedArchive>>;

/** The bounds of what one process takes of a server, and how long it waits there; of a file, how long for another's exclusive lock. */
const LIMITS = { connections: 6, statementTimeoutMs: 5_000, lockTimeoutMs: 250 } as const;

/** On a server: a seal is seen within half a second, and one that is gone is waited for four times a second at most. */
const HEAD_MS = 250;

/** Opens a database file, or a PostgreSQL database, to answer from it. @throws StoreError */
export async function openServedArchive(path: string) {
  const database = databaseAt(path);
  const { engine, close, watch } = await database.open({ mode: "read", ...LIMITS });
  const { changes, isReplaced } = await watch();
  return {
    ...servedQueries(engine),
    changes,
    /** How long the head holds before it has to be asked for again, in milliseconds: 0 where `changes` tells. */
    headMs: changes === undefined ? HEAD_MS : 0,
    isReplaced,
    close,
  };
}
