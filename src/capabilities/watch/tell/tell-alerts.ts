import type { Log } from "../../../core/base/log.ts";
import type { Clock } from "../../../core/base/time.ts";
import type { DeliveryQueries } from "../alerts/deliveries.ts";
import { type Batch, batchesOf, type NoticeParts, noticeOf } from "./batches.ts";
import type { Channel, TellOutcome } from "./channel.ts";

export type TellWork = NoticeParts & {
  readonly deliveries: DeliveryQueries;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the telling between two tries. */
  readonly signal?: AbortSignal;
};

/** What came of one place: alerts told now, in how many messages, how many still wait, and why the last try failed or none was made. */
export type PlaceResult = {
  readonly name: string;
  readonly told: readonly number[];
  readonly messages: number;
  readonly waiting: number;
  readonly fault: string | null;
};

/** Waits before the second and the third try of a message in one run. */
const WAITS_MS = [1_000, 4_000];
/** The shortest wait that a receiver's `Retry-After` makes: what asks for none is not asked without end. */
const ASKED_MIN_MS = 1_000;
/** The wait before an alert's next try in a later run: a minute, doubled with each try. A nightly run finds each one due. */
const [FIRST_MS, LONGEST_MS] = [60_000, 6 * 3_600_000];
/** How long a place may keep a run busy: without taking anything, and altogether. */
const [IDLE_MS, PLACE_MS] = [5 * 60_000, 30 * 60_000];

/**
 * Tells each place its untold alerts, a change once, in one message if nothing fails. Each try is recorded before and after, so none is
 * missed, and one cut off is repeated under the same identifier. A place that fails waits for a later run. @throws StoreError
 */
export async function tellAlerts(work: TellWork, channels: readonly Channel[]): Promise<PlaceResult[]> {
  const { deliveries, clock } = work;
  await deliveries.addDeliveries(channels, clock.now());
  const ended = new Map((await deliveries.listPlaces()).map(({ channel, ended }) => [channel, ended]));
  const results: PlaceResult[] = [];
  for (const place of channels) {
    const { channel } = place;
    const why = ended.get(channel)?.fault;
    const { fault, ...done } = why === undefined ? await tellPlace(work, place) : { told: [], messages: 0, fault: why };
    const waiting = await deliveries.countWaiting(channel);
    if (fault !== null && waiting > 0) work.log("warn", `${channel} did not get every alert: ${fault}`, { waiting });
    results.push({ name: channel, ...done, waiting, fault: waiting > 0 || ended.get(channel) ? fault : null });
  }
  return results;
}

async function tellPlace(work: TellWork, channel: Channel): Promise<Pick<PlaceResult, "told" | "messages" | "fault">> {
  const { deliveries, clock, signal } = work;
  const begun = clock.monotonic();
  let progressAt = begun;
  const done: { told: number[]; messages: number; fault: string | null } = { told: [], messages: 0, fault: null };
  const queue = batchesOf(await deliveries.waitingAt(channel.channel), channel, clock.now());
  for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
    if (signal?.aborted) return { ...done, fault: "it was stopped" };
    const until = Math.min(begun + PLACE_MS, progressAt + IDLE_MS);
    if (clock.monotonic() >= until) return { ...done, fault: done.fault ?? `it took more than ${PLACE_MS / 60_000} minutes` };
    const outcome = await tellOne(work, channel, batch, until);
    if (outcome === undefined) continue;
    if (outcome.isTold) {
      done.told.push(...batch.changes.flat().map(({ alert }) => alert.id));
      done.messages += 1;
      progressAt = clock.monotonic();
      continue;
    }
    done.fault = outcome.fault;
    if (outcome.isEnd) await deliveries.endPlace(channel.channel, outcome.fault, clock.now());
    if (outcome.isOfPlace) return done;
    // One change may be what the place refuses: each is tried for itself, so that it keeps no other waiting.
    if (batch.changes.length > 1) {
      const apart = new Set(batch.changes.flat().map(({ alert }) => alert.id));
      const waiting = (await deliveries.waitingAt(channel.channel)).filter(({ alert }) => apart.has(alert.id));
      queue.unshift(...batchesOf(waiting, { isApart: true }, clock.now()));
    }
  }
  return done;
}

/**
 * Tries a message, and again a little later when the place fails; as often as a receiver asks for a wait that ends before `until`.
 * Undefined where another process tells it.
 */
async function tellOne(work: TellWork, place: Channel, batch: Batch, until: number): Promise<TellOutcome | undefined> {
  const { deliveries, clock, signal } = work;
  const { channel } = place;
  const { id, changes } = batch;
  const alerts = changes.flat();
  const before = Math.max(...alerts.map(({ attempts }) => attempts));
  const notice = await noticeOf(work, batch);
  const waits = [...WAITS_MS];
  for (let tries = 0; ; tries++) {
    const counted = alerts.map((delivery) => ({ ...delivery, attempts: delivery.attempts + tries }));
    if (!(await deliveries.beginDelivery(channel, counted, id))) return undefined;
    const outcome = await place.tell({ ...notice, isUncertain: before + tries > 0 });
    if (outcome.isTold) {
      await deliveries.endDelivery(channel, alerts, clock.now());
      return outcome;
    }
    const { fault, retryAfterMs, isOfPlace, isEnd } = outcome;
    const isApart = !isOfPlace && changes.length > 1;
    await deliveries.failDelivery(channel, alerts, {
      fault,
      isApart,
      nextAt: clock.now() + (isApart ? 0 : nextWait(before + tries, retryAfterMs)),
    });
    const pause = retryAfterMs === undefined ? waits.shift() : Math.max(retryAfterMs, ASKED_MIN_MS);
    const isTooLate = retryAfterMs !== undefined && pause !== undefined && clock.monotonic() + pause > until;
    if (!isOfPlace || isEnd || pause === undefined || isTooLate || signal?.aborted) return outcome;
    await clock.sleep(pause);
  }
}

function nextWait(failures: number, askedMs: number | undefined): number {
  const own = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 20));
  return askedMs === undefined ? own : Math.min(LONGEST_MS, Math.max(own, askedMs));
}
