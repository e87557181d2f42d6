import { setTimeout as delay } from "node:timers/promises";
import type { Engine } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { turnEngine } from "../../engine/leases/fenced-engine.ts";
import { type Lease, releaseLease, type TakeOptions, takeTurn } from "../../engine/leases/leases.ts";
import { countOthersAt, setWorkerVersion, type WorkerCounts } from "./workers.ts";

/** What one worker does at a time: plan and seal, derive rows, plan backfill, or open, plan and end a trace. */
export type Turn = "plan" | "derive" | "backfill" | "trace";

/** How a process shares its work: how it takes leases, and who it is among others; without a `worker` no other is at work. */
export type Sharing = { readonly take: TakeOptions; readonly worker?: Worker };

/** An open database, and how its work is shared. */
type Shared = { readonly engine: Engine; readonly sharing: Sharing };

/** A process among others. `raw`: the engine without the check that this one is still there. */
type Worker = {
  readonly raw: Engine;
  readonly owner: string;
  /** What this process has done so far, told to the others with its next sign of life. */
  readonly reportCounts: (counts: Partial<WorkerCounts>) => void;
  /** Hears that another took a turn over. */
  readonly onNotice: (sentence: string) => void;
};

/** How often one looks whether its turn has come. */
const LOOK_EVERY_MS = 250;

/** How often a piece of work is begun whose turn another takes over each time. */
const MOST_TURNS = 10;

/**
 * Does work under a lease, with an engine that writes only while it is held; a process that is alone has it at once. If another takes
 * it over, the work starts again in its next turn.
 * @throws StoreError `MOVEDEX_STORE_FENCED` when that happens again and again; the signal's reason
 */
export async function withLease<T>(
  { engine, sharing: { take, worker } }: Shared,
  turn: Turn,
  work: (engine: Engine) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  if (worker === undefined) return work(engine);
  const { raw, onNotice } = worker;
  for (let turns = 1; ; turns++) {
    const taken = await waitForLease(raw, turn, take, signal);
    try {
      return await work(turnEngine(raw, taken));
    } catch (error) {
      if (turns === MOST_TURNS || !isTakenOver(error, taken)) throw error;
      onNotice(
        `another worker took over \`${turn}\`, since the lease of this one ran out. Nothing was written after that. This worker looks again what is left when its turn comes`,
      );
    } finally {
      // Where that fails it ends by itself.
      await releaseLease(raw, taken).catch(() => {});
    }
  }
}

/** Says which snapshot this process reads; undefined for none. */
export async function announceVersion({ sharing: { worker } }: Shared, version: bigint | undefined): Promise<void> {
  if (worker !== undefined) await setWorkerVersion(worker.raw, worker.owner, version);
}

/** How many other processes read a snapshot now. */
export async function othersAt({ sharing: { take, worker } }: Shared, version: bigint): Promise<number> {
  return worker === undefined ? 0 : countOthersAt(worker.raw, worker.owner, version, take.now());
}

/** Whether an error says that another process has taken this lease over. */
export function isTakenOver(error: unknown, lease: Lease | undefined): error is StoreError {
  return error instanceof StoreError && error.code === "MOVEDEX_STORE_FENCED" && error.facts["lease"] === lease?.name;
}

async function waitForLease(engine: Engine, name: string, options: TakeOptions, signal: AbortSignal | undefined): Promise<Lease> {
  for (;;) {
    signal?.throwIfAborted();
    const taken = await takeTurn(engine, name, options);
    if (taken !== undefined) return taken;
    await delay(LOOK_EVERY_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
  }
}
