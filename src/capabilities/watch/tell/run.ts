import { packageVersion } from "../../../core/base/files.ts";
import type { Log } from "../../../core/base/log.ts";
import { parseU64 } from "../../../core/base/numbers.ts";
import { plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { all, from, list, object, orNull, text, whole } from "../../../core/base/result.ts";
import { type Io, openLog, storeNotice } from "../../../core/cli/io.ts";
import type { NightStep } from "../../../core/cli/night-part.ts";
import { jsonLine } from "../../../core/cli/output/json-line.ts";
import { requireDatabase } from "../../../core/cli/store-access.ts";
import { waitWhenBusy } from "../../../core/crawl/run/run-work.ts";
import { readChain } from "../../../core/db/archive/chain.ts";
import { moduleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { databaseAt } from "../../../core/db/engine/database-at.ts";
import type { Engine } from "../../../core/db/engine/engine.ts";
import { StoreError } from "../../../core/db/engine/errors.ts";
import { ConfigError } from "../../../core/errors.ts";
import { openStore } from "../../../core/work/store.ts";
import { pageOfAlerts, pageOfChange, pagesAddress } from "../../changes/pages/page-links.ts";
import { deliveryQueries, type KnownPlace } from "../alerts/deliveries.ts";
import { watchQueries } from "../alerts/watches.ts";
import { judgeNewChanges } from "../judge/judge-new-changes.ts";
import type { WatchSummary } from "../judge/judge-watches.ts";
import { type DeadWatch, deadWatches } from "../judge/subjects.ts";
import type { Place, TellFlags } from "../receivers.ts";
import type { Channel } from "./channel.ts";
import { alertMessage } from "./message.ts";
import { openChannels } from "./open-channels.ts";
import { type PlaceResult, type TellWork, tellAlerts } from "./tell-alerts.ts";

export type RunTellFlags = TellFlags & { readonly db: string; readonly replay?: string; readonly json?: boolean };

type Told = {
  readonly judged: WatchSummary | undefined;
  readonly places: readonly PlaceResult[];
  readonly untold: number;
  readonly dead: readonly DeadWatch[];
};

/** How many alerts were told: one to several places counts once. */
function countTold({ places }: Told): number {
  return new Set(places.flatMap(({ told }) => told)).size;
}

function countWaiting({ places }: Told): number {
  return Math.max(0, ...places.map(({ waiting }) => waiting));
}

export const tellResult = object({
  watches: from("judged.watches", orNull(whole)),
  watches_dead: from("dead.length", whole),
  changes_judged: from("judged.judged", orNull(whole)),
  alerts: from("judged.alerts", orNull(whole)),
  told: from(countTold, whole),
  waiting: from(countWaiting, whole),
  alerts_untold: from("untold", whole),
  places_failed: from(({ places }: Told) => places.filter(({ fault }) => fault !== null).length, whole),
  places: list(object({ name: text, ...all(whole, "messages", "waiting"), fault: orNull(text), told: from("told.length", whole) })),
});

export async function runTell(io: Io, flags: RunTellFlags, named: readonly Place[]): Promise<void> {
  await requireDatabase(flags.db);
  const result = await tellWaiting(io, flags, named);
  await io.stdout(flags.json ? jsonLine(tellResult.print(result)) : resultText(result));
}

export type StepFlags = RunTellFlags & { readonly named: readonly Place[] };

export const step: NightStep<StepFlags, Told> = {
  run: (io, { named, ...flags }) => tellWaiting(io, flags, named),
  print: tellResult.print,
  says: (end) => {
    const told = countTold(end);
    // Those of a receiver that is no longer there wait for nobody, and are untold all the same.
    const untold = Math.max(countWaiting(end), end.untold);
    const dead = end.dead.length;
    return {
      numbers: [told > 0 && `${plural(told, "alert")} told`],
      troubles: [
        untold > 0 && `${plural(untold, "alert")} not told yet`,
        dead > 0 && `${plural(dead, "watch", "watches")} that can hear nothing (see \`movedex watch list\`)`,
      ],
    };
  },
};

async function tellWaiting(io: Io, flags: RunTellFlags, named: readonly Place[]): Promise<Told> {
  const log = openLog(io);
  const channels = openChannels(flags, named, io);
  const pages = pagesAddress(flags.pagesUrl, "--pages-url");
  const replayed = flags.replay === undefined ? undefined : replayedAbove(flags.replay, channels);
  const judged = await judgeIfFree(io, flags.db, log);
  await using lock = new AsyncDisposableStack();
  lock.defer(await databaseAt(flags.db).acquireLock("tell", { now: io.clock.now, host: io.host }));
  // Beside a run: who hears of an alert is nothing that a run changes, and a slow receiver keeps no run waiting.
  await using store = await openStore(flags.db, { mode: "join", whenBusy: waitWhenBusy(io.clock, log, io) });
  if (replayed !== undefined) {
    await deliveryQueries(store.engine).addDeliveries(channels, io.clock.now());
    const elsewhere = (await placesElsewhere(store.engine, channels)).map(({ channel }) => channel);
    for (const channel of channels) await deliveryQueries(store.engine).replayAlerts(channel, replayed, io.clock.now(), elsewhere);
  }
  const places = await tellPlaces(io, flags.db, store.engine, channels, pages, log);
  await warnAboutUnnamedReceivers(store.engine, channels, log);
  const untold = await deliveryQueries(store.engine).countUntold();
  const watches = await watchQueries(store.engine).listWatches();
  const dead = watches.length === 0 ? [] : await deadWatches(moduleArchive(store.engine, flags.db), watches);
  return { judged, places, untold, dead };
}

/** Judges what no run has judged; where a run is at work it does so itself when it ends. */
async function judgeIfFree(io: Io, path: string, log: Log): Promise<WatchSummary | undefined> {
  try {
    await using store = await openStore(path, {
      mode: "write",
      now: io.clock.now,
      appVersion: packageVersion(),
      onNotice: storeNotice(io),
      whenBusy: waitWhenBusy(io.clock, log, io),
    });
    return await judgeNewChanges({ engine: store.engine, path, clock: io.clock, log });
  } catch (error) {
    if (error instanceof StoreError && error.code === "MOVEDEX_STORE_LOCKED") return undefined;
    throw error;
  }
}

async function tellPlaces(
  io: Io,
  path: string,
  engine: Engine,
  channels: readonly Channel[],
  pages: URL | undefined,
  log: Log,
): Promise<PlaceResult[]> {
  if (channels.length === 0) return [];
  const archive = moduleArchive(engine, path);
  const stop = new AbortController();
  const forget = io.onStopSignal(() => stop.abort());
  try {
    const chainId = await readChain(archive.engine);
    const messageOf: TellWork["messageOf"] = async (alerts) =>
      alertMessage(alerts, { chainId, link: (await pageOfChange(archive, alerts[0], pages)) ?? null });
    const link = pages === undefined ? null : pageOfAlerts(pages);
    return await tellAlerts({ deliveries: deliveryQueries(engine), clock: io.clock, log, messageOf, link, signal: stop.signal }, channels);
  } finally {
    forget();
  }
}

/** Says which places alerts wait for that are not told: nobody hears of them under another name or address, or of a kind that went. */
async function warnAboutUnnamedReceivers(engine: Engine, channels: readonly Channel[], log: Log): Promise<void> {
  for (const { channel, waiting } of await placesElsewhere(engine, channels)) {
    if (waiting === 0) continue;
    const words = `${plural(waiting, "alert")} ${waiting === 1 ? "waits" : "wait"} for \`${channel}\`, which is not told: name it, or send them to another receiver with --replay`;
    log("warn", words, { waiting });
  }
}

async function placesElsewhere(engine: Engine, channels: readonly Channel[]): Promise<KnownPlace[]> {
  const named = new Set(channels.map(({ channel }) => channel));
  return (await deliveryQueries(engine).listPlaces()).filter(({ channel }) => !named.has(channel));
}

function replayedAbove(text: string, channels: readonly Channel[]): bigint {
  if (channels.length === 0) throw new ConfigError("--replay needs a receiver, and none is named.");
  const version = text === "oldest" ? -1n : parseU64(text);
  if (version === undefined) throw new ConfigError(`--replay takes a ledger version or \`oldest\`, not \`${printable(text, 60)}\`.`);
  return version;
}

function resultText({ judged, places, untold, dead }: Told): string {
  const lines = places.map(
    ({ name, told, messages, waiting, fault }) =>
      `${name}: ${plural(told.length, "alert")} told${messages === told.length ? "" : ` in ${plural(messages, "message")}`}${waiting === 0 ? "" : `, ${waiting} waiting`}${fault === null ? "" : `; ${fault}`}\n`,
  );
  const head = judged === undefined ? "" : `${plural(judged.judged, "change")} judged, ${plural(judged.alerts, "alert")}\n`;
  const nowhere =
    places.length === 0 ? `no receiver is named (--webhook, --exec or --alerts-file); ${plural(untold, "alert")} not sent anywhere\n` : "";
  const silent = dead.map(
    ({ id, subject, reason }) => `watch ${id} of ${printable(subject, 200)} hears nothing: ${printable(reason, 400)}\n`,
  );
  return head + lines.join("") + nowhere + silent.join("");
}
