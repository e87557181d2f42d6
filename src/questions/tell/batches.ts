import { sha256Hex } from "../../base/sha256.ts";
import type { Delivery } from "../../work/alerts/deliveries.ts";
import type { Channel } from "./channel.ts";

/** What one message tells: changes, each with the alerts that watches have of it. */
export type Batch = { readonly id: string; readonly changes: readonly (readonly [Delivery, ...Delivery[]])[] };

type Change = Batch["changes"][number];

/**
 * Puts what waits (oldest alert first) into messages: each change once, and all that is new together, unless the place is told of each
 * `isApart`. What was tried together keeps its identifier, since it may have arrived.
 */
export function batchesOf(deliveries: readonly Delivery[], { isApart }: Pick<Channel, "isApart">, now: number): Batch[] {
  const due = changesOf(deliveries).filter((change) => change.every(({ nextAt }) => nextAt <= now));
  const triedAs = (change: Change): string | undefined => change.find(({ attempts }) => attempts > 0)?.deliveryId;
  const byId = Map.groupBy(due, triedAs);
  const untried = byId.get(undefined) ?? [];
  const fresh = isApart ? untried.map((change) => [change]) : untried.length === 0 ? [] : [untried];
  const tried = [...byId].flatMap(([id, changes]) => (id === undefined ? [] : [{ id, changes }]));
  return [...fresh.map((changes) => ({ id: idOf(changes), changes })), ...tried.sort((a, b) => attemptsOf(a) - attemptsOf(b))];
}

/** Alerts of one change: of the same bytes, somewhere in stretches of ledger versions that overlap. */
function changesOf(deliveries: readonly Delivery[]): Change[] {
  const changes: [Delivery, ...Delivery[]][] = [];
  const ofBytes = new Map<string, [Delivery, ...Delivery[]][]>();
  for (const delivery of deliveries) {
    const { address, module, from, to } = delivery.alert;
    const key = `${address} ${module} ${from} ${to}`;
    const known = ofBytes.get(key) ?? [];
    const same = known.find((change) => change.some(({ alert }) => overlap(alert, delivery.alert)));
    if (same !== undefined) {
      same.push(delivery);
      continue;
    }
    const change: [Delivery] = [delivery];
    changes.push(change);
    ofBytes.set(key, [...known, change]);
  }
  return changes;
}

type Stretch = Pick<Delivery["alert"], "afterVersion" | "atOrBeforeVersion">;

function overlap(a: Stretch, b: Stretch): boolean {
  return a.afterVersion < b.atOrBeforeVersion && b.afterVersion < a.atOrBeforeVersion;
}

/** Made from what it is of, so that it is the same again in a restored backup. */
function idOf(changes: readonly Change[]): string {
  const ids = changes.flat().map(({ deliveryId }) => deliveryId);
  return ids.length === 1 ? (ids[0] as string) : sha256Hex(ids.join(" ")).slice(0, 32);
}

function attemptsOf({ changes }: Batch): number {
  return Math.max(...changes.flat().map(({ attempts }) => attempts));
}
