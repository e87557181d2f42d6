import type { Visit } from "../../archive/content/visit-model.ts";

type Waiting<Result, Of> = Pick<PromiseWithResolvers<Result>, "resolve" | "reject"> & {
  readonly visit: Visit;
  readonly of: Of;
};

/** How long a visit waits for others: a transaction costs as much as all that twenty quiet visits write. */
const GATHER_MS = 20;

/** The same where others work on the database too: their transactions, a dozen statements each over a network, are its load. */
export const GATHER_SHARED_MS = 200;

/** What is enough for a transaction, whatever time has passed: accounts, and bytes of new bytecode. */
const ENOUGH_VISITS = 256;
const ENOUGH_BYTES = 500_000;

/** New bytecode that may wait to be stored; reading pauses above it. */
const ROOM_BYTES = 4_000_000;

/** Stores the visits of a moment in one transaction, one transaction after the other. A visit that cannot be stored fails alone. */
export class VisitBatch<Result, Of = void> {
  readonly #commit: (visits: readonly Visit[], of: readonly Of[]) => Promise<readonly Result[]>;
  readonly #gatherMs: number;
  #waiting: Waiting<Result, Of>[] = [];
  #waitingBytes = 0;
  #storedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;
  readonly #forRoom: (() => void)[] = [];

  /** `commit` stores all visits or none; `of` says what each belongs to. */
  constructor(commit: (visits: readonly Visit[], of: readonly Of[]) => Promise<readonly Result[]>, gatherMs = GATHER_MS) {
    this.#commit = commit;
    this.#gatherMs = gatherMs;
  }

  /** Resolves when the visit is stored. Rejects with the store's error. */
  commit(visit: Visit, of: Of): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ visit, of, resolve, reject });
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
    this.#timer ??= setTimeout(() => this.#flush(), this.#gatherMs);
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
      await this.#store(visits);
      this.#storedBytes = 0;
      for (const resolve of this.#forRoom.splice(0)) resolve();
    } while (this.#isEnough);
    this.#storing = undefined;
    if (this.#waiting.length > 0) this.#flushLater();
  }

  async #store(waiting: readonly Waiting<Result, Of>[]): Promise<void> {
    try {
      const results = await this.#commit(
        waiting.map(({ visit }) => visit),
        waiting.map(({ of }) => of),
      );
      for (const [index, { resolve }] of waiting.entries()) resolve(results[index] as Result);
    } catch {
      // One of them was refused, so none is stored: now each by itself.
      for (const { visit, of, resolve, reject } of waiting) {
        await this.#commit([visit], [of]).then(([result]) => resolve(result as Result), reject);
      }
    }
  }
}
