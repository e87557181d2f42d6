import type { Clock } from "../../base/time/clock.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import { type CommonPaceStore, GRANT_MS, type NodePause } from "../../work/pace/common-pace.ts";
import type { Store } from "../../work/store.ts";

export type CommonPaceWork = {
  readonly store: Pick<Store, "commonPace">;
  readonly node: Pick<LedgerNode, "pace" | "stats" | "url">;
  readonly clock: Clock;
};

/** How often one asks the others, while it sends requests, in milliseconds. */
const ASK_EVERY_MS = 1_000;

/** How often one that was granted nothing asks: those who were there before make room when they renew theirs. */
const UNGRANTED_ASK_MS = 500;

/** How often one that sends nothing looks whether it is to send again. It asks the database nothing meanwhile. */
const IDLE_LOOK_MS = 200;

/**
 * Keeps a node's pace with other processes that share the database: pauses within about a second, and `sharedRate` (requests a
 * second) in all. One question a second while requests are sent. Without the database, grants lapse.
 */
export async function keepCommonPace(
  { store: { commonPace }, node, clock }: CommonPaceWork,
  sharedRate: number | undefined,
): Promise<{ readonly end: () => Promise<void> }> {
  const { pace } = node;
  if (sharedRate !== undefined) pace.share(sharedRate);
  if (commonPace === undefined) {
    if (sharedRate !== undefined) pace.grant({ perSecond: sharedRate, untilMs: Number.POSITIVE_INFINITY });
    return { end: async () => {} };
  }
  const exchange = new Exchange({ node, clock }, commonPace);
  const over = new AbortController();
  pace.onPause((pause) => void exchange.announce(pause).catch(() => {}));
  const keeping = exchange.keep(sharedRate, over.signal);
  return {
    end: async () => {
      over.abort();
      pace.onPause(() => {});
      await keeping;
      // Where that fails it lapses by itself.
      if (sharedRate !== undefined) await commonPace.giveUpShare(node.url).catch(() => {});
    },
  };
}

/** What one process and the others tell each other. */
class Exchange {
  readonly #work: Pick<CommonPaceWork, "node" | "clock">;
  readonly #store: CommonPaceStore;
  #sent = 0;
  /** The complaint that was heard last; the first one counts only if its pause still lasts. */
  #complainedAt: number | undefined;
  #isFirst = true;

  constructor(work: Pick<CommonPaceWork, "node" | "clock">, store: CommonPaceStore) {
    this.#work = work;
    this.#store = store;
  }

  /** Tells the others of a pause, and does not take its own words for theirs afterwards. */
  async announce(news: { readonly pausedMs: number; readonly isComplaint: boolean }): Promise<void> {
    const { complainedAt } = await this.#store.announcePause(this.#work.node.url, news);
    this.#complainedAt = complainedAt;
    this.#isFirst = false;
  }

  /** Asks until it is told to end. A database that is away is asked again. */
  async keep(sharedRate: number | undefined, signal: AbortSignal): Promise<void> {
    let isGranted = false;
    while (!signal.aborted) {
      let waitMs = ASK_EVERY_MS;
      try {
        if (sharedRate === undefined) waitMs = await this.#listen();
        else ({ waitMs, isGranted } = await this.#renew(isGranted));
      } catch {
        isGranted = false;
      }
      await this.#work.clock.sleep(waitMs, signal).catch(() => {});
    }
  }

  async #listen(): Promise<number> {
    const { requests } = this.#work.node.stats();
    if (requests === this.#sent && !this.#isFirst) return IDLE_LOOK_MS;
    this.#sent = requests;
    this.#hear(await this.#store.pauseOf(this.#work.node.url));
    return ASK_EVERY_MS;
  }

  async #renew(isGranted: boolean): Promise<{ waitMs: number; isGranted: boolean }> {
    const { pace, url } = this.#work.node;
    const wish = pace.wish();
    if (wish === undefined) {
      if (isGranted) {
        pace.grant({ perSecond: 0, untilMs: this.#work.clock.monotonic() });
        await this.#store.giveUpShare(url);
      }
      return { waitMs: IDLE_LOOK_MS, isGranted: false };
    }
    // Counted from before the question: then it ends here no later than at the database.
    const askedMs = this.#work.clock.monotonic();
    const { perSecond, ...pause } = await this.#store.renewShare(url, wish);
    this.#hear(pause);
    pace.grant({ perSecond, untilMs: askedMs + GRANT_MS });
    return { waitMs: perSecond > 0 ? ASK_EVERY_MS : UNGRANTED_ASK_MS, isGranted: true };
  }

  #hear({ pausedMs, complainedAt }: NodePause): void {
    const isComplaint = complainedAt !== undefined && complainedAt !== this.#complainedAt && (!this.#isFirst || pausedMs > 0);
    this.#isFirst = false;
    this.#complainedAt = complainedAt ?? this.#complainedAt;
    if (pausedMs > 0 || isComplaint) this.#work.node.pace.pauseFor({ pausedMs, isComplaint });
  }
}
