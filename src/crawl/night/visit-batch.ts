import type { Visit } from "../../archive/content/visit-model.ts";
import type { VisitResult } from "../../archive/snapshots/visits.ts";
import type { Lease } from "../../engine/leases/leases.ts";
import type { Store } from "../../work/store.ts";

type Waiting = Pick<PromiseWithResolvers<VisitResult>, "resolve" | "reject"> & {
  readonly visit: Visit;
  readonly lease: Lease | undefined;
};

/** How long a visit waits for others: a transaction costs as much as all that twenty quiet visits write. */
const GATHER_MS = 20;

/** The same where others work on the database too: their transactions, a dozen statements each over a network, are its load. */
const GATHER_SHARED_MS = 200;

/** What is enough for a transaction, whatever time has passed: accounts, and bytes of new bytecode. */
const ENOUGH_VISITS = 256;
const ENOUGH_BYTES = 500_000;

/** New bytecode that may wait to be stored; reading pauses above it. */
const ROOM_BYTES = 4_000_000;

/** Stores the visits of a moment in one transaction, one transaction after the other. A visit that cannot be stored fails alone. */
export class VisitBatch {
  readonly #store: Pick<Store, "commitVisits" | "isShared">;
  readonly #version: bigint;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #storedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;
  readonly #forRoom: (() => void)[] = [];

  constructor(store: Pick<Store, "commitVisits" | "isShared">, version: bigint) {
    this.#store = store;
    this.#version = version;
  }

  /** Resolves when the visit is stored. Rejects with the store's error. `lease` is the one on its batch of the plan. */
  commit(visit: Visit, lease: Lease | undefined): Promise<VisitResult> {
    const { promise, resolve, reject } = Promise.withResolvers<VisitResult>();
    this.#waiting.push({ visit, lease, resolve, reject });
    for (const { content } of visit.modules) this.#waitingBytes += content?.code.length ?? 0;
    if (this.#isEnough) this.#flush();
    else this.#flushLater();
    return promise;
  }

  async room(): Promise<void> {
    while (this.#waitingBytes + this.#storedBytes > ROOM_BYTES) await new Promise<void>((resolve) => this.#forRoom.push(resolve));
  }

  get #isEnough(): boolean {
    return this.#waiting.length >= ENOUGH_VISITS || this.#waitingBytes >= ENOUGH_BYTES;
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(() => this.#flush(), this.#store.isShared ? GATHER_SHARED_MS : GATHER_MS);
  }

  /** Stores what waits now, and then what has come meanwhile. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#storing ??= this.#storeAll();
  }

  async #storeAll(): Promise<void> {
    do {
      const visits = this.#waiting;
      this.#storedBytes = this.#waitingBytes;
      this.#waiting = [];
      this.#waitingBytes = 0;
      await this.#storeEach(visits);
      this.#storedBytes = 0;
      for (const resolve of this.#forRoom.splice(0)) resolve();
    } while (this.#isEnough);
    this.#storing = undefined;
    if (this.#waiting.length > 0) this.#flushLater();
  }

  async #storeEach(waiting: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#commit(waiting);
      for (const [index, { resolve }] of waiting.entries()) resolve(results[index] as VisitResult);
    } catch {
      // One of them was refused, so none is stored: now each by itself.
      for (const one of waiting) await this.#commit([one]).then(([result]) => one.resolve(result as VisitResult), one.reject);
    }
  }

  #commit(waiting: readonly Waiting[]): Promise<readonly VisitResult[]> {
    const visits = waiting.map(({ visit }) => visit);
    const leases = new Set(waiting.flatMap(({ lease }) => lease ?? []));
    return this.#store.commitVisits(this.#version, visits, [...leases]);
  }
}
