import type { Visit, VisitResult, visitQueries } from "../../db/archive/snapshots/visits.ts";
import { isUnavailable, StoreError } from "../../db/engine/errors.ts";

type Waiting = Pick<PromiseWithResolvers<VisitResult>, "resolve" | "reject"> & { readonly visit: Visit };

/** What is enough for a transaction, whatever time has passed: accounts, and bytes of new bytecode. */
const ENOUGH_VISITS = 256;
const ENOUGH_BYTES = 1_500_000;

/** New bytecode that may wait to be stored; reading pauses above it. */
const ROOM_BYTES = 4_000_000;

/** Stores the visits of `gatherMs` in one transaction, one transaction after the other. A visit that cannot be stored fails alone. */
export function openVisitBatch({ commitVisits }: ReturnType<typeof visitQueries>, version: bigint, gatherMs: number) {
  let waiting: Waiting[] = [];
  let [waitingBytes, storedBytes] = [0, 0];
  let timer: NodeJS.Timeout | undefined;
  let isStoring = false;
  const forRoom: (() => void)[] = [];
  const open = new Set<Promise<VisitResult>>();
  const isEnough = (): boolean => waiting.length >= ENOUGH_VISITS || waitingBytes >= ENOUGH_BYTES;

  function flushLater(): void {
    timer ??= setTimeout(flush, gatherMs);
  }

  /** Stores what waits now, and then what has come meanwhile. */
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!isStoring && waiting.length > 0) void storeAll();
  }

  async function storeAll(): Promise<void> {
    isStoring = true;
    do {
      const visits = waiting;
      storedBytes = waitingBytes;
      waiting = [];
      waitingBytes = 0;
      await storeEach(visits);
      storedBytes = 0;
      for (const resolve of forRoom.splice(0)) resolve();
    } while (isEnough());
    isStoring = false;
    if (waiting.length > 0) flushLater();
  }

  async function storeEach(visits: readonly Waiting[]): Promise<void> {
    try {
      const results = await commitAll(visits);
      for (const [index, { resolve }] of visits.entries()) resolve(results[index] as VisitResult);
    } catch (error) {
      // When the database is locked or away, each visit by itself would wait for it again.
      if (!(error instanceof StoreError) || isUnavailable(error)) return visits.forEach(({ reject }) => void reject(error));
      // One of them was refused, so none is stored: now each by itself.
      for (const one of visits) await commitAll([one]).then(([result]) => one.resolve(result as VisitResult), one.reject);
    }
  }

  function commitAll(visits: readonly Waiting[]): Promise<readonly VisitResult[]> {
    return commitVisits(
      version,
      visits.map(({ visit }) => visit),
    );
  }

  return {
    /** Stores a visit while others are read. Resolves when it is stored; rejects with the store's error. */
    commit: (visit: Visit): Promise<VisitResult> => {
      const { promise, resolve, reject } = Promise.withResolvers<VisitResult>();
      waiting.push({ visit, resolve, reject });
      for (const { content } of visit.modules) waitingBytes += content?.code.length ?? 0;
      open.add(promise);
      promise.catch(() => undefined).finally(() => open.delete(promise));
      if (isEnough()) flush();
      else flushLater();
      return promise;
    },
    /** Resolves when all are stored, or have failed. */
    settled: async (): Promise<void> => {
      flush();
      while (open.size > 0) await Promise.allSettled(open);
    },
    /** Resolves when there is room for more. */
    room: async (): Promise<void> => {
      while (waitingBytes + storedBytes > ROOM_BYTES) await new Promise<void>((resolve) => forRoom.push(resolve));
    },
  };
}
