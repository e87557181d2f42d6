import type { Log } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Alert, AlertStore, Delivery } from "../../work/alerts/deliveries.ts";
import type { Channel, Told } from "./channel.ts";
import type { AlertMessage } from "./message.ts";

/** What telling needs. */
export type TellWork = {
  readonly store: AlertStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly messageOf: (alert: Alert) => Promise<AlertMessage>;
  /** Ends the telling between two tries. */
  readonly signal?: AbortSignal;
};

/** What came of one place: the numbers of alerts told now, how many are still waiting, and why the last try failed. */
export type PlaceResult = {
  readonly name: string;
  readonly told: readonly number[];
  readonly waiting: number;
  readonly fault: string | null;
};

/** Waits before the second and the third try of an alert in one run. */
const WAITS_MS = [1_000, 4_000];
/** The shortest wait that a receiver's `Retry-After` makes: what asks for none is not asked without end. */
const ASKED_MIN_MS = 1_000;
/** The wait before an alert's next try in a later run: a minute, doubled with each try. A nightly run finds each one due. */
const [FIRST_MS, LONGEST_MS] = [60_000, 6 * 3_600_000];
/** How long a place may keep a run busy; alerts that fail one after the other after which it is left alone. */
const [PLACE_MS, FAILED_MAX] = [5 * 60_000, 5];

/**
 * Tells each place of the alerts that it was not told of yet. Each try is recorded before it begins, and what came of it after: an
 * alert whose try was cut off is tried again under the same identifier, so none is missed, and a receiver that looks at the
 * identifier hears none twice. A place that fails is left alone until a later run; the others are told.
 *
 * @throws StoreError
 */
export async function tellAlerts(work: TellWork, channels: readonly Channel[]): Promise<PlaceResult[]> {
  const { store, clock } = work;
  await store.addDeliveries(
    channels.map(({ name }) => name),
    clock.now(),
  );
  const results: PlaceResult[] = [];
  for (const channel of channels) {
    const { told, fault } = await tellPlace(work, channel);
    const waiting = await store.countWaiting(channel.name);
    if (fault !== null) work.log("warn", `${channel.name} was not told of everything: ${fault}`, { waiting });
    results.push({ name: channel.name, told, waiting, fault });
  }
  return results;
}

async function tellPlace(work: TellWork, channel: Channel): Promise<Pick<PlaceResult, "told" | "fault">> {
  const { store, clock, signal } = work;
  const begun = clock.monotonic();
  const told: number[] = [];
  let failed = 0;
  let fault: string | null = null;
  for (const delivery of await store.dueDeliveries(channel.name, clock.now())) {
    if (signal?.aborted) return { told, fault: "it was stopped" };
    if (clock.monotonic() - begun > PLACE_MS) return { told, fault: `it took more than ${PLACE_MS / 60_000} minutes` };
    const outcome = await tellOne(work, channel, delivery, begun + PLACE_MS);
    if (outcome === undefined) continue;
    if (outcome.isTold) {
      told.push(delivery.alert.id);
      failed = 0;
      continue;
    }
    fault = outcome.fault;
    failed += 1;
    if (outcome.isOfPlace || failed >= FAILED_MAX) return { told, fault };
  }
  return { told, fault };
}

/**
 * Tries an alert, and again a little later when the place fails; as often as a receiver asks for a wait that ends before `until`.
 * Undefined where another process tells it, as after a lease that ran out.
 */
async function tellOne(work: TellWork, channel: Channel, delivery: Delivery, until: number): Promise<Told | undefined> {
  const { store, clock, signal } = work;
  const { alert, deliveryId: id } = delivery;
  const key = { alert: alert.id, channel: channel.name };
  const message = await work.messageOf(alert);
  const waits = [...WAITS_MS];
  for (let tries = 0; ; tries++) {
    if (!(await store.beginDelivery(key, delivery.attempts + tries))) return undefined;
    const outcome = await channel.tell({ id, message, isUncertain: delivery.attempts + tries > 0 });
    if (outcome.isTold) {
      await store.endDelivery(key, clock.now());
      return outcome;
    }
    const wait = nextWait(delivery.attempts + tries, outcome.retryAfterMs);
    await store.failDelivery(key, outcome.fault, clock.now() + wait);
    const pause = outcome.retryAfterMs === undefined ? waits.shift() : Math.max(outcome.retryAfterMs, ASKED_MIN_MS);
    const isTooLate = outcome.retryAfterMs !== undefined && pause !== undefined && clock.monotonic() + pause > until;
    if (!outcome.isOfPlace || pause === undefined || isTooLate || signal?.aborted) return outcome;
    await clock.sleep(pause);
  }
}

function nextWait(failures: number, askedMs: number | undefined): number {
  const own = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 20));
  return askedMs === undefined ? own : Math.min(LONGEST_MS, Math.max(own, askedMs));
}
