import { plural } from "../../../core/base/plural.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import { headlineOf } from "../../changes/diff/report.ts";
import { changeKey } from "../../changes/judge/changes.ts";
import type { Alert, Delivery } from "../alerts/deliveries.ts";
import { type AlertFinding, overlap } from "../alerts/watches.ts";
import type { Channel, Notice } from "./channel.ts";
import { type AlertMessage, rankOf, worstOf } from "./message.ts";

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
    const key = changeKey(delivery.alert);
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

/** Made from what it is of, so that it is the same again in a restored backup. */
function idOf(changes: readonly Change[]): string {
  const ids = changes.flat().map(({ deliveryId }) => deliveryId);
  return ids.length === 1 ? (ids[0] as string) : sha256Hex(ids.join(" ")).slice(0, 32);
}

function attemptsOf({ changes }: Batch): number {
  return Math.max(...changes.flat().map(({ attempts }) => attempts));
}

/** Changes that a message lists; it counts those beyond. */
const LISTED_MAX = 100;
/** Characters of the findings of all changes that are listed. */
const FINDINGS_SIZE_MAX = 512 * 1024;

export type NoticeParts = {
  /** The message of a change, from the alerts that watches have of it. */
  readonly messageOf: (alerts: readonly [Alert, ...Alert[]]) => Promise<AlertMessage>;
  /** The page that lists alerts; null where no address of pages was given. */
  readonly link: string | null;
};

/** What is told of a batch. It is the same again at the next try. */
export async function noticeOf({ messageOf, link }: NoticeParts, { id, changes }: Batch): Promise<Omit<Notice, "isUncertain">> {
  const alerts = changes.map((change) => change.map(({ alert }) => alert) as [Alert, ...Alert[]]);
  const listed = alerts.toSorted((a, b) => rankOf(worstOf(a)) - rankOf(worstOf(b))).slice(0, LISTED_MAX);
  const share = FINDINGS_SIZE_MAX / listed.length;
  const messages = await Promise.all(
    listed.map(async (of): Promise<AlertMessage> => {
      const message = await messageOf(of);
      return { ...message, findings: fittingFindings(message.findings, share) };
    }),
  );
  const [first, ...others] = messages as [AlertMessage, ...AlertMessage[]];
  const counts = headlineOf(
    alerts.map((of) => [formatModuleId({ address: of[0].address, name: of[0].module }), worstOf(of).severity] as const),
  );
  const chain = first.chain_id === null ? "" : ` on chain ${first.chain_id}`;
  const summary = alerts.length === 1 ? first.summary : `${plural(alerts.length, "change")} of what you watch${chain}. ${counts}`;
  return { id, messages: [first, ...others], summary, more: alerts.length - listed.length, link };
}

/** Those of the findings that have room in so many characters. */
function fittingFindings(findings: readonly AlertFinding[], room: number): AlertFinding[] {
  let left = room;
  return findings.filter((finding) => {
    left -= JSON.stringify(finding).length;
    return left >= 0;
  });
}
