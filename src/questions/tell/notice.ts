import { plural } from "../../base/plural.ts";
import type { Alert } from "../../work/alerts/deliveries.ts";
import { countSeverities, headlineOf } from "../diff/count-severities.ts";
import type { Batch } from "./batches.ts";
import type { Notice } from "./channel.ts";
import { type AlertMessage, fittingFindings, rankOf, worstOf } from "./message.ts";

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
  const counts = headlineOf(countSeverities(alerts.map((of) => worstOf(of).severity)));
  const chain = first.chain_id === null ? "" : ` on chain ${first.chain_id}`;
  const summary = alerts.length === 1 ? first.summary : `${plural(alerts.length, "change")} of what you watch${chain}: ${counts}`;
  return { id, messages: [first, ...others], summary, more: alerts.length - listed.length, link };
}
