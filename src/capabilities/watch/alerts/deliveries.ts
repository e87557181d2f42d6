import { randomUUID } from "node:crypto";
import type { Cell } from "../../../core/base/cell.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { changedAt } from "../../../core/db/archive/times/ledger-times.ts";
import type { Engine, Values } from "../../../core/db/engine/engine.ts";
import {
  condition,
  countOf,
  orNull,
  type ReadBy,
  rowOf,
  rowOfColumns,
  stored,
  text,
  textsOf,
  whole,
} from "../../../core/db/engine/row-shape.ts";
import { sql } from "../../../core/db/schema/sql/sql.ts";
import type { Audience, Severity } from "../../changes/compare/severity.ts";
import type { VersionRange } from "../../changes/judge/changes.ts";
import type { WatchLevel } from "../receivers.ts";
import { findingsOf } from "../tables.ts";
import { type AlertFindings, judgedChange, reachesLevel } from "./watches.ts";

/** An alert: a change that reaches its watch's level. Moments in milliseconds since 1970. */
export type Alert = ReturnType<typeof toAlert>;

/** An alert that one place is to be told of. */
export type Delivery = ReturnType<typeof delivery.read>;

export type AlertPlace = {
  /** What it is called in the database and in the log: nothing secret. */
  readonly channel: string;
  /** What tells its address from another without giving it away. */
  readonly address: string;
  /** Milder alerts than this are left out there. */
  readonly level: WatchLevel;
};

export type KnownPlace = {
  readonly channel: string;
  /** Why it takes nothing any more, and since when in milliseconds since 1970; null while it does. */
  readonly ended: { readonly at: number; readonly fault: string } | null;
  /** Alerts that it is still to be told of. */
  readonly waiting: number;
};

/**
 * Alerts of a stretch of snapshots: those of changes that its snapshots showed, and those that were found since a moment though an older
 * snapshot shows the change, such as one that was completed late; none of the latter when the moment is null.
 */
export type AlertStretch = VersionRange & { readonly judgedSince: number | null };

const alertFields = {
  id: whole("j.id"),
  watch: whole("w.id"),
  subject: text("w.subject"),
  audience: orNull(text<Audience>("w.audience")),
  level: text<WatchLevel>("w.level"),
  isMine: condition("w.is_mine"),
  ...judgedChange,
  severity: text<Severity | "unclear">("j.severity"),
  findings: stored<AlertFindings>(findingsOf("j")),
  /** When it was first told; null before. */
  toldAt: orNull(whole("(SELECT min(o.told_at) FROM _deliveries o WHERE o.judgement_id = j.id)")),
  ...changedAt("j.after_version", "j.at_or_before_version"),
};
const alertRow = rowOf(alertFields);
const alert = rowOfColumns(alertRow.columns, (row) => toAlert(alertRow.read(row)));
const deliveryRow = rowOf({
  ...alertFields,
  /** The same at each try, and for all that one message tells. */
  deliveryId: text("d.delivery_id"),
  /** How many times it was tried before: each of these may have arrived, even the one that a kill cut off. */
  attempts: whole("d.attempts"),
  /** When it may be tried, milliseconds since 1970. */
  nextAt: whole("d.next_at"),
});
const delivery = rowOfColumns(deliveryRow.columns, (row) => {
  const { deliveryId, attempts, nextAt, ...of } = deliveryRow.read(row);
  return { alert: toAlert(of), deliveryId, attempts, nextAt };
});
const hasTold = sql`CASE WHEN EXISTS (SELECT 1 FROM _deliveries t WHERE t.judgement_id = j.id AND t.state = 'told') THEN 1 ELSE 0 END`;

const alerts = sql`_judgements j JOIN _watches w ON w.id = j.watch_id JOIN _addresses a ON a.id = j.address_id`;
const within = sql`j.is_alert AND j.shown_by <= :upTo AND (j.shown_by > :after OR j.judged_at >= :judgedSince::time)`;
const list = sql`SELECT ${alert.columns} FROM ${alerts} WHERE ${within} ORDER BY j.at_or_before_version DESC, j.id DESC LIMIT :limit`;
const count = sql`SELECT count(*) FROM _judgements j WHERE ${within}`;
const addressOf = sql`SELECT address FROM _alert_places WHERE channel = :channel`;
const addPlace = sql`INSERT INTO _alert_places (channel, address) VALUES (:channel, :address)`;
const movePlace = sql`UPDATE _alert_places SET address = :address, ended_at = NULL, fault = NULL WHERE channel = :channel`;
const dueAtOnce = sql`UPDATE _deliveries SET next_at = :now::time WHERE channel = :channel AND state IN ('waiting', 'sending')`;
const places = sql<[string, number | null, string | null, number]>`SELECT p.channel, p.ended_at, p.fault, (SELECT count(*)
  FROM _deliveries d WHERE d.channel = p.channel AND d.state IN ('waiting', 'sending')) FROM _alert_places p ORDER BY p.channel`;
const endPlace = sql`UPDATE _alert_places SET ended_at = :now::time, fault = :fault WHERE channel = :channel`;
// When the place was told of this very change for another watch.
const toldOfChange = sql`(SELECT min(d.told_at) FROM _judgements o JOIN _deliveries d ON d.judgement_id = o.id
  WHERE d.channel = :channel AND d.state = 'told' AND o.address_id = j.address_id AND o.name = j.name AND o.from_sha256 IS NOT DISTINCT FROM j.from_sha256
    AND o.to_sha256 IS NOT DISTINCT FROM j.to_sha256 AND o.after_version < j.at_or_before_version AND j.after_version < o.at_or_before_version)`;
const untold = sql<UntoldRow>`SELECT j.id, j.severity, ${hasTold}, ${toldOfChange}, a.address, j.name, j.from_sha256, j.to_sha256,
  r.created_at FROM _judgements j JOIN _addresses a ON a.id = j.address_id CROSS JOIN _archive r WHERE j.is_alert AND NOT EXISTS (SELECT 1
  FROM _deliveries d WHERE d.judgement_id = j.id AND d.channel = :channel) ORDER BY j.id`;
const insert = sql`INSERT INTO _deliveries (judgement_id, channel, delivery_id, state, attempts, next_at, told_at)
  VALUES (:alert, :channel, :id, :state, 0, :now::time, :toldAt::time) ON CONFLICT DO NOTHING`;
const waitingRows = sql`SELECT ${delivery.columns} FROM ${alerts} JOIN _deliveries d ON d.judgement_id = j.id
  WHERE d.channel = :channel AND d.state IN ('waiting', 'sending') ORDER BY j.id`;
const waiting = sql`SELECT count(*) FROM _deliveries WHERE channel = :channel AND state IN ('waiting', 'sending')`;
const waitingAt = sql`SELECT channel FROM _deliveries WHERE judgement_id = :alert AND state IN ('waiting', 'sending')`;
const leave = sql`UPDATE _deliveries SET state = 'left_out' WHERE judgement_id = :alert AND channel = :channel`;
const nowhere = sql`SELECT count(*) FROM _judgements j WHERE j.is_alert
  AND NOT EXISTS (SELECT 1 FROM _deliveries d WHERE d.judgement_id = j.id AND d.state = 'told')`;
const isOne = sql`judgement_id = :alert AND channel = :channel`;
const begin = sql`UPDATE _deliveries SET state = 'sending', attempts = attempts + 1, delivery_id = :id
  WHERE ${isOne} AND attempts = :attempts AND state IN ('waiting', 'sending')`;
const end = sql`UPDATE _deliveries SET state = 'told', told_at = :now::time, fault = NULL WHERE ${isOne}`;
const fail = sql`UPDATE _deliveries SET state = 'waiting', fault = :fault, next_at = :nextAt::time, delivery_id = coalesce(:id::text, delivery_id) WHERE ${isOne}`;
const repeat = sql`UPDATE _deliveries SET state = 'waiting', attempts = 0, next_at = :now::time, delivery_id = :id WHERE ${isOne}`;
const above = sql<[number, Alert["severity"]]>`SELECT d.judgement_id, j.severity FROM _deliveries d
  JOIN _judgements j ON j.id = d.judgement_id WHERE d.channel = :channel AND d.state IN ('told', 'left_out')
  AND j.at_or_before_version > :above::version`;
const takeOver = sql`UPDATE _deliveries SET state = 'left_out' WHERE channel = :from AND state IN ('waiting', 'sending')
  AND judgement_id IN (SELECT d.judgement_id FROM _deliveries d JOIN _judgements j ON j.id = d.judgement_id
    WHERE d.channel = :channel AND d.state <> 'left_out' AND j.at_or_before_version > :above::version)`;

/** A webhook without the digits of its path: `webhook https://hooks.example`; anything else as it is. */
function originOf(channel: string): string {
  return channel.replace(/^(webhook .*) \([0-9a-f]{8}\)$/, "$1");
}

export type DeliveryQueries = ReturnType<typeof deliveryQueries>;

/** Alerts, and their way to where they are told. */
export function deliveryQueries(engine: Engine) {
  return {
    /** The newest change first. */
    listAlerts: (stretch: AlertStretch, limit: number): Promise<readonly Alert[]> => alert.all(engine, list, { ...stretch, limit }),
    countAlerts: (stretch: AlertStretch): Promise<number> => countOf(engine, count, stretch),
    /**
     * Puts alerts on their way to each place; a new place gets what no place was told of yet. A change told for one watch is told
     * for all. A place whose address changed gets what waits at once.
     */
    addDeliveries: (named: readonly AlertPlace[], now: number): Promise<void> =>
      engine.transaction(async (tx) => {
        const channels = named.map(({ channel }) => channel);
        // Asked of all before anything is written: places that are named together are told together.
        const found: Values[] = [];
        const replaced: { readonly alert: number; readonly channel: string }[] = [];
        for (const { channel, address, level } of named) {
          const known = (await textsOf(tx, addressOf, { channel }))[0];
          for (const [alert, severity, isTold, toldAt, ...what] of await tx.all(untold, { channel })) {
            // A webhook whose path changed is the same place: it takes over what waits for the old path, which nobody names any more.
            const waitsAt = known === undefined ? await textsOf(tx, waitingAt, { alert }) : [];
            const old = waitsAt.filter((at) => !channels.includes(at) && originOf(at) === originOf(channel));
            for (const at of old) replaced.push({ alert, channel: at });
            const isLeftOut = (known === undefined && isTold === 1 && old.length === 0) || !reachesLevel(severity, level);
            const state = toldAt !== null ? "told" : isLeftOut ? "left_out" : "waiting";
            found.push({ channel, alert, id: idOf([alert, channel, ...what]), state, toldAt, now });
          }
          if (known === undefined) await tx.run(addPlace, { channel, address });
          else if (known !== address) {
            await tx.run(movePlace, { channel, address });
            await tx.run(dueAtOnce, { channel, now });
          }
        }
        for (const key of replaced) await tx.run(leave, key);
        for (const row of found) await tx.run(insert, row);
      }),
    /** All places that were named so far, by name. */
    listPlaces: async (): Promise<readonly KnownPlace[]> =>
      (await engine.all(places)).map(([channel, at, fault, waiting]) => ({
        channel,
        ended: at === null ? null : { at, fault: fault ?? "" },
        waiting,
      })),
    /** Ends a place: it is not tried again at this address. */
    endPlace: async (channel: string, fault: string, now: number): Promise<void> => {
      await engine.run(endPlace, { channel, fault, now });
    },
    /** What waits at a place, the oldest alert first. */
    waitingAt: (channel: string): Promise<readonly Delivery[]> => delivery.all(engine, waitingRows, { channel }),
    countWaiting: (channel: string): Promise<number> => countOf(engine, waiting, { channel }),
    /** Alerts that no place was told of. */
    countUntold: (): Promise<number> => countOf(engine, nowhere),
    /** Records that a try of all these begins under one identifier. @returns false if another process has begun one */
    beginDelivery: async (channel: string, deliveries: readonly Delivery[], id: string): Promise<boolean> => {
      const taken = new Error("another process has begun");
      try {
        await engine.transaction(async (tx) => {
          for (const { alert, attempts } of deliveries)
            if ((await tx.run(begin, { alert: alert.id, channel, attempts, id })) === 0) throw taken;
        });
      } catch (error) {
        if (error === taken) return false;
        throw error;
      }
      return true;
    },
    endDelivery: (channel: string, deliveries: readonly Delivery[], now: number): Promise<void> =>
      engine.transaction(async (tx) => {
        for (const { alert } of deliveries) await tx.run(end, { alert: alert.id, channel, now });
      }),
    /** Records that a try failed, and when to try again; under new identifiers if they are not to be sent together again. */
    failDelivery: (
      channel: string,
      deliveries: readonly Delivery[],
      { fault, nextAt, isApart }: { readonly fault: string; readonly nextAt: number; readonly isApart: boolean },
    ): Promise<void> =>
      engine.transaction(async (tx) => {
        for (const { alert, deliveryId } of deliveries)
          await tx.run(fail, { alert: alert.id, channel, fault, nextAt, id: isApart ? idOf([alert.id, deliveryId]) : null });
      }),
    /**
     * Marks the alerts of all changes above a ledger version to be sent to a place again, including filtered ones; they wait no longer
     * for the places `insteadOf`. Returns how many.
     */
    replayAlerts: ({ channel, level }: AlertPlace, from: bigint, now: number, insteadOf: readonly string[] = []): Promise<number> =>
      engine.transaction(async (tx) => {
        const rows = await tx.all(above, { channel, above: from });
        const again = rows.filter(([, severity]) => reachesLevel(severity, level));
        for (const [alert] of again) await tx.run(repeat, { alert, channel, id: randomUUID(), now });
        for (const old of insteadOf) await tx.run(takeOver, { from: old, channel, above: from });
        return again.length;
      }),
  };
}

type UntoldRow = [alert: number, severity: Alert["severity"], isTold: 0 | 1, toldAt: number | null, ...what: Cell[]];

/** Made from what it is of, so that it is the same again after a power cut that took the row, and in a restored backup. */
function idOf(parts: readonly Cell[]): string {
  return sha256Hex(JSON.stringify(parts.map(String))).slice(0, 32);
}

function toAlert({ watch, subject, audience, level, isMine, ...rest }: ReadBy<typeof alertFields>) {
  return { ...rest, watch: { id: watch, subject, audience, level, isMine } };
}
