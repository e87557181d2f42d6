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
  const exchange = openExchange({ node, clock }, commonPace);
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
function openExchange({ node, clock }: Pick<CommonPaceWork, "node" | "clock">, store: CommonPaceStore) {
  const { pace, url } = node;
  let sent = 0;
  /** The complaint that was heard last; the first one counts only if its pause still lasts. */
  let heardAt: number | undefined;
  let isFirst = true;

  async function listen(): Promise<number> {
    const { requests } = node.stats();
    if (requests === sent && !isFirst) return IDLE_LOOK_MS;
    sent = requests;
    hear(await store.pauseOf(url));
    return ASK_EVERY_MS;
  }

  async function renew(isGranted: boolean): Promise<{ waitMs: number; isGranted: boolean }> {
    const wish = pace.wish();
    if (wish === undefined) {
      if (isGranted) {
        pace.grant({ perSecond: 0, untilMs: clock.monotonic() });
        await store.giveUpShare(url);
      }
      return { waitMs: IDLE_LOOK_MS, isGranted: false };
    }
    // Counted from before the question: then it ends here no later than at the database.
    const askedMs = clock.monotonic();
    const { perSecond, ...pause } = await store.renewShare(url, wish);
    hear(pause);
    pace.grant({ perSecond, untilMs: askedMs + GRANT_MS });
    return { waitMs: perSecond > 0 ? ASK_EVERY_MS : UNGRANTED_ASK_MS, isGranted: true };
  }

  function hear({ pausedMs, complainedAt }: NodePause): void {
    const isComplaint = complainedAt !== undefined && complainedAt !== heardAt && (!isFirst || pausedMs > 0);
    isFirst = false;
    heardAt = complainedAt ?? heardAt;
    if (pausedMs > 0 || isComplaint) pace.pauseFor({ pausedMs, isComplaint });
  }

  return {
    /** Tells the others of a pause, and does not take its own words for theirs afterwards. */
    announce: async (news: { readonly pausedMs: number; readonly isComplaint: boolean }): Promise<void> => {
      heardAt = (await store.announcePause(url, news)).complainedAt;
      isFirst = false;
    },
    /** Asks until it is told to end. A database that is away is asked again. */
    keep: async (sharedRate: number | undefined, signal: AbortSignal): Promise<void> => {
      let isGranted = false;
      while (!signal.aborted) {
        let waitMs = ASK_EVERY_MS;
        try {
          if (sharedRate === undefined) waitMs = await listen();
          else ({ waitMs, isGranted } = await renew(isGranted));
        } catch {
          isGranted = false;
        }
        await clock.sleep(waitMs, signal).catch(() => {});
      }
    },
  };
}
