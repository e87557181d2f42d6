import { packageVersion } from "../base/files.ts";
import type { ReadOptions, WhenBusy } from "../db/engine/database.ts";
import { databaseAt } from "../db/engine/database-at.ts";
import type { Engine } from "../db/engine/engine.ts";
import { StoreError } from "../db/engine/errors.ts";
import { firstFailure, MovedexError } from "../errors.ts";
import { openStore } from "../work/store.ts";
import { type Io, storeNotice } from "./io.ts";

/**
 * Changes a list that people keep, even while a run has the lock: that run has its plan, so the change counts from the next run on, which
 * `note` says at the end of a sentence.
 */
export async function changeBesideRuns<T>(
  io: Io,
  path: string,
  work: (engine: Engine, isBesideRun: boolean) => Promise<T>,
): Promise<{ readonly result: T; readonly note: string }> {
  try {
    return { result: await withStore(io, path, "write", (engine) => work(engine, false)), note: "" };
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "MOVEDEX_STORE_LOCKED") throw error;
    const result = await withStore(io, path, "join", (engine) => work(engine, true));
    return { result, note: "; another run is at work, so this counts from the next run on" };
  }
}

/** Keeps what only changes a database from making one, at a path that is misspelt. @throws StoreError `MOVEDEX_STORE_MISSING` */
export async function requireDatabase(path: string): Promise<void> {
  const database = databaseAt(path);
  // Who opens it to read is told in its own words that it is missing; a reader alone refuses older tables.
  if (!(await database.isThere())) await (await database.open({ mode: "read" })).close();
}

/** Opens the store for the length of `use`. */
export async function withStore<T>(io: Io, path: string, mode: "read" | "write" | "join", use: (engine: Engine) => Promise<T>): Promise<T> {
  const written = { now: io.clock.now, appVersion: packageVersion(), onNotice: storeNotice(io) };
  await using store = await openStore(path, mode === "write" ? { mode, ...written } : { mode });
  return await use(store.engine);
}

/**
 * What a database says; undefined where there is none, or none that can be read: the commands themselves say why. Others' locks are waited
 * for as `patience` says, and a connection is made anew; else for two seconds at most: what asks has other things to say.
 * @throws StoreError `MOVEDEX_STORE_BUSY` where `patience` was given and is at its end
 */
export async function readIfAble<T>(
  path: string,
  read: (engine: Engine) => Promise<T>,
  patience: WhenBusy | Pick<ReadOptions, "lockTimeoutMs" | "statementTimeoutMs"> = { lockTimeoutMs: 2000 },
): Promise<T | undefined> {
  const isPatient = typeof patience === "function";
  try {
    return await (isPatient ? readPatiently(path, read, patience) : readOnce(path, read, patience));
  } catch (error) {
    if (!(error instanceof MovedexError) || (isPatient && error.code === "MOVEDEX_STORE_BUSY")) throw error;
    return undefined;
  }
}

/** What a database says. Locks are waited for as `whenBusy` says, and a connection that was lost is made anew. @throws StoreError */
export async function readPatiently<T>(path: string, read: (engine: Engine) => Promise<T>, whenBusy: WhenBusy): Promise<T> {
  return reconnecting(() => readOnce(path, read, { whenBusy }), whenBusy);
}

/** Does work again that lost its connection to the database, until the run's time is over. */
export async function reconnecting<T>(work: () => Promise<T>, whenBusy: WhenBusy): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (caught) {
      const { code } = firstFailure(caught) as Partial<MovedexError>;
      if (code !== "MOVEDEX_STORE_CUT" || !(await whenBusy(0, "the connection to the database was lost"))) throw caught;
    }
  }
}

async function readOnce<T>(path: string, read: (engine: Engine) => Promise<T>, options: Omit<ReadOptions, "mode">): Promise<T> {
  await using store = await openStore(path, { mode: "read", ...options });
  return await read(store.engine);
}

/**
 * Brings older tables up to date, as every command that writes does when it begins. Where that cannot be, such as beside another run,
 * nothing happens: the commands themselves say why. @throws StoreError `MOVEDEX_STORE_BUSY` where others keep it locked
 */
export async function bringUpToDate(io: Io, path: string, whenBusy: WhenBusy): Promise<void> {
  try {
    await (await openStore(path, { mode: "read", whenBusy })).close();
  } catch (error) {
    // Whoever could not so much as look into it in all that time can do nothing else with it.
    if (!(error instanceof MovedexError) || error.code === "MOVEDEX_STORE_BUSY") throw error;
    if (error.code !== "MOVEDEX_STORE_OLDER") return;
    await withStore(io, path, "write", async () => undefined).catch((fault: unknown) => {
      if (!(fault instanceof MovedexError)) throw fault;
    });
  }
}
