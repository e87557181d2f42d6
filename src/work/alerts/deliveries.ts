import { randomUUID } from "node:crypto";
import type { Audience, Severity, WatchLevel } from "../../abi/compare/severity.ts";
import type { VersionRange } from "../../archive/read/changes.ts";
import { changedAt, type MadeAt } from "../../archive/times/made-at.ts";
import { sha256Hex } from "../../base/sha256.ts";
import type { Cell, Engine } from "../../engine/engine.ts";
import { condition, countOf, orNull, type ReadBy, shapeOf, stored, text, textsOf, whole } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type AlertFindings, judgedChange } from "./watches.ts";

/** An alert: a change that reaches its watch's level. Moments in milliseconds since 1970. */
export type Alert = {
  readonly id: number;
  readonly watch: {
    readonly id: number;
    readonly subject: string;
    readonly audience: Audience | null;
    readonly level: WatchLevel;
    readonly isMine: boolean;
  };
  readonly address: Address;
  readonly module: string;
  /** SHA-256 as 64 hex digits; null where there was no module. */
  readonly from: string | null;
  readonly to: string | null;
  readonly afterVersion: bigint;
  readonly atOrBeforeVersion: bigint;
  readonly shownBy: bigint;
  readonly severity: Severity | "unclear";
  readonly findings: AlertFindings;
  readonly judgedAt: number;
  /** When it was first told; null before. */
  readonly toldAt: number | null;
} & MadeAt;

/** An alert that one place is to be told of. */
export type Delivery = {
  readonly alert: Alert;
  readonly channel: string;
  /** The same at each try. */
  readonly deliveryId: string;
  /** How many times it was tried before: each of these may have arrived, even the one that a kill cut off. */
  readonly attempts: number;
};

/** An alert whose change may have happened at several versions. */
export type InexactAlert = Pick<Alert, "address" | "module" | "afterVersion" | "atOrBeforeVersion"> & {
  /** Whether any place was told of it. */
  readonly isTold: boolean;
};

/**
 * Alerts of a stretch of snapshots: those of changes that its snapshots showed, and those that were found since a moment though an older
 * snapshot shows the change, such as one that was completed late; none of the latter when the moment is null.
 */
export type AlertStretch = VersionRange & { readonly judgedSince: number | null };

type DeliveryKey = { readonly alert: number; readonly channel: string };

/** Alerts, and their way to where they are told. */
export type AlertStore = {
  /** The newest change first. */
  readonly listAlerts: (stretch: AlertStretch, limit: number) => Promise<readonly Alert[]>;
  readonly countAlerts: (stretch: AlertStretch) => Promise<number>;
  /** Alerts of which it is not known at which version their change happened. */
  readonly inexactAlerts: () => Promise<readonly InexactAlert[]>;
  /**
   * Puts alerts on their way to each of the places. One that is named for the first time is told of what no place was told of yet,
   * and of everything after.
   */
  readonly addDeliveries: (channels: readonly string[], now: number) => Promise<void>;
  /** What may be tried now at a place: what was tried least first, then the oldest alert. */
  readonly dueDeliveries: (channel: string, now: number) => Promise<readonly Delivery[]>;
  /** Alerts that a place is still to be told of. */
  readonly countWaiting: (channel: string) => Promise<number>;
  /** Alerts that no place was told of. */
  readonly countUntold: () => Promise<number>;
  /** Records that a try begins, before it does; false when another process has begun one since `attempts` were counted. */
  readonly beginDelivery: (key: DeliveryKey, attempts: number) => Promise<boolean>;
  readonly endDelivery: (key: DeliveryKey, now: number) => Promise<void>;
  /** Records that a try failed, and when the next may be made. */
  readonly failDelivery: (key: DeliveryKey, fault: string, nextAt: number) => Promise<void>;
  /** Tells places again of an alert that they were told of; returns at how many. */
  readonly repeatAlert: (alert: number, now: number) => Promise<number>;
};

const alert = {
  id: whole("j.id"),
  watch: whole("w.id"),
  subject: text("w.subject"),
  audience: orNull(text<Audience>("w.audience")),
  level: text<WatchLevel>("w.level"),
  isMine: condition("CASE WHEN w.uses IS NULL THEN 0 ELSE 1 END"),
  ...judgedChange,
  severity: text<Alert["severity"]>("j.severity"),
  findings: stored<AlertFindings>("j.findings"),
  judgedAt: whole("j.judged_at"),
  toldAt: orNull(whole("(SELECT min(o.told_at) FROM _deliveries o WHERE o.judgement_id = j.id)")),
  ...changedAt("j.after_version", "j.at_or_before_version"),
};
const listed = shapeOf(alert);
const hasTold = sql`CASE WHEN EXISTS (SELECT 1 FROM _deliveries t WHERE t.judgement_id = j.id AND t.state = 'told') THEN 1 ELSE 0 END`;
const { address, module, afterVersion, atOrBeforeVersion } = judgedChange;
const bounds = shapeOf({ address, module, afterVersion, atOrBeforeVersion, isTold: condition(hasTold) });
const delivery = shapeOf({ ...alert, channel: text("d.channel"), deliveryId: text("d.delivery_id"), attempts: whole("d.attempts") });

const alerts = sql`_judgements j JOIN _watches w ON w.id = j.watch_id JOIN _addresses a ON a.id = j.address_id`;
const within = sql`j.is_alert AND j.shown_by <= :upTo AND (j.shown_by > :after OR j.judged_at >= :judgedSince::time)`;
const list = sql`SELECT ${listed.columns} FROM ${alerts} WHERE ${within} ORDER BY j.at_or_before_version DESC, j.id DESC LIMIT :limit`;
const count = sql`SELECT count(*) FROM _judgements j WHERE ${within}`;
const inexact = sql`SELECT ${bounds.columns} FROM _judgements j JOIN _addresses a ON a.id = j.address_id
  WHERE j.is_alert AND j.at_or_before_version > j.after_version + 1 ORDER BY j.id`;
const isKnown = sql`SELECT 1 FROM _deliveries WHERE channel = :channel LIMIT 1`;
const untold = sql`SELECT j.id, ${hasTold}, a.address, j.name, j.from_sha256, j.to_sha256, r.created_at FROM _judgements j JOIN _addresses a ON a.id = j.address_id CROSS JOIN _archive r WHERE j.is_alert AND NOT EXISTS (SELECT 1 FROM _deliveries d WHERE d.judgement_id = j.id AND d.channel = :channel) ORDER BY j.id`;
const insert = sql`INSERT INTO _deliveries (judgement_id, channel, delivery_id, state, attempts, next_at)
  VALUES (:alert, :channel, :id, :state, 0, :now::time) ON CONFLICT DO NOTHING`;
const due = sql`SELECT ${delivery.columns} FROM ${alerts} JOIN _deliveries d ON d.judgement_id = j.id
  WHERE d.channel = :channel AND d.state IN ('waiting', 'sending') AND d.next_at <= :now::time ORDER BY d.attempts, j.id`;
const waiting = sql`SELECT count(*) FROM _deliveries WHERE channel = :channel AND state IN ('waiting', 'sending')`;
const waitingAt = sql`SELECT channel FROM _deliveries WHERE judgement_id = :alert AND state IN ('waiting', 'sending')`;
const leave = sql`UPDATE _deliveries SET state = 'left_out' WHERE judgement_id = :alert AND channel = :channel`;
const nowhere = sql`SELECT count(*) FROM _judgements j WHERE j.is_alert
  AND NOT EXISTS (SELECT 1 FROM _deliveries d WHERE d.judgement_id = j.id AND d.state = 'told')`;
const isOne = sql`judgement_id = :alert AND channel = :channel`;
const begin = sql`UPDATE _deliveries SET state = 'sending', attempts = attempts + 1
  WHERE ${isOne} AND attempts = :attempts AND state IN ('waiting', 'sending')`;
const end = sql`UPDATE _deliveries SET state = 'told', told_at = :now::time, fault = NULL WHERE ${isOne}`;
const fail = sql`UPDATE _deliveries SET state = 'waiting', fault = :fault, next_at = :nextAt::time WHERE ${isOne}`;
const told = sql`SELECT channel FROM _deliveries WHERE judgement_id = :alert AND state IN ('told', 'left_out')`;
const repeat = sql`UPDATE _deliveries SET state = 'waiting', next_at = :now::time, delivery_id = :id WHERE ${isOne}`;

/** A webhook without the digits of its path: `webhook https://hooks.example`; anything else as it is. */
function placeOf(channel: string): string {
  return channel.replace(/^(webhook .*) \([0-9a-f]{8}\)$/, "$1");
}

/** Prepares alerts on an engine. */
export function prepareDeliveries(engine: Engine): AlertStore {
  return {
    listAlerts: async (stretch, limit) => (await engine.all(list, { ...stretch, limit })).map((row) => toAlert(listed.read(row))),
    countAlerts: (stretch) => countOf(engine, count, stretch),
    inexactAlerts: () => bounds.all(engine, inexact),
    addDeliveries: (channels, now) =>
      engine.transaction(async (tx) => {
        // Asked of all before anything is written: places that are named together are told together.
        const found: { channel: string; alert: number; id: string; state: string }[] = [];
        const replaced: { readonly alert: number; readonly channel: string }[] = [];
        for (const channel of new Set(channels)) {
          const isNew = (await tx.first(isKnown, { channel })) === undefined;
          for (const [alert, isTold, ...what] of await tx.all<[number, 0 | 1, ...Cell[]]>(untold, { channel })) {
            // A webhook whose path changed is the same place: it takes over what waits for the old path, which nobody names any more.
            const waitsAt = isNew ? await textsOf(tx, waitingAt, { alert }) : [];
            const old = waitsAt.filter((at) => !channels.includes(at) && placeOf(at) === placeOf(channel));
            for (const at of old) replaced.push({ alert, channel: at });
            const isLeftOut = isNew && isTold === 1 && old.length === 0;
            found.push({ channel, alert, id: idOf([alert, channel, ...what]), state: isLeftOut ? "left_out" : "waiting" });
          }
        }
        for (const key of replaced) await tx.run(leave, key);
        for (const row of found) await tx.run(insert, { ...row, now });
      }),
    dueDeliveries: async (channel, now) =>
      (await engine.all(due, { channel, now })).map((row) => {
        const { channel: place, deliveryId, attempts, ...rest } = delivery.read(row);
        return { alert: toAlert(rest), channel: place, deliveryId, attempts };
      }),
    countWaiting: (channel) => countOf(engine, waiting, { channel }),
    countUntold: () => countOf(engine, nowhere),
    beginDelivery: async (key, attempts) => (await engine.run(begin, { ...key, attempts })) > 0,
    endDelivery: async (key, now) => {
      await engine.run(end, { ...key, now });
    },
    failDelivery: async (key, fault, nextAt) => {
      await engine.run(fail, { ...key, fault, nextAt });
    },
    repeatAlert: (alert, now) =>
      engine.transaction(async (tx) => {
        const places = await tx.all<[string]>(told, { alert });
        for (const [channel] of places) await tx.run(repeat, { alert, channel, id: randomUUID(), now });
        return places.length;
      }),
  };
}

/** Made from what it is of, so that it is the same again after a power cut that took the row, and in a restored backup. */
function idOf(parts: readonly Cell[]): string {
  return sha256Hex(JSON.stringify(parts.map(String))).slice(0, 32);
}

function toAlert({ watch, subject, audience, level, isMine, ...rest }: ReadBy<typeof alert>): Alert {
  return { ...rest, watch: { id: watch, subject, audience, level, isMine } };
}
