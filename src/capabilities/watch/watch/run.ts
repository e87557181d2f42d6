import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { silentLog } from "../../../core/base/log.ts";
import { parseU64 } from "../../../core/base/numbers.ts";
import { keepTexts, listFirst, plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { from, maybe, orNull, text, time, version, whole } from "../../../core/base/result.ts";
import type { Io } from "../../../core/cli/io.ts";
import type { DatabaseFlags } from "../../../core/cli/options/declared-command.ts";
import { isForPrograms, type ListOutput, list, printList } from "../../../core/cli/output/list.ts";
import { changeBesideRuns, requireDatabase, withStore } from "../../../core/cli/store-access.ts";
import { readChain } from "../../../core/db/archive/chain.ts";
import { type ModuleArchive, moduleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import { ConfigError } from "../../../core/errors.ts";
import { NotHeldError, parseSubject, type Subject } from "../../../core/questions/subject.ts";
import type { Audience } from "../../changes/compare/severity.ts";
import { readLock } from "../../compare/lock/lock-place.ts";
import { type OwnUses, reachOf, usesAtVersions } from "../../uses/reach.ts";
import { type NewWatch, watchQueries } from "../alerts/watches.ts";
import { judgeNewChanges } from "../judge/judge-new-changes.ts";
import { deadWatches, findWatched } from "../judge/subjects.ts";
import type { Place, TellFlags, WatchLevel } from "../receivers.ts";
import { testMessage } from "../tell/message.ts";
import { openChannels } from "../tell/open-channels.ts";

/** What `watch list` prints. Only `--all` has `removed_at`, and a table has `hears_nothing` where there is such a watch. */
export const watchList = list({
  columns: {
    watch: from("id", whole),
    subject: text,
    audience: orNull(text),
    level: text,
    since: orNull(version),
    added_at: time,
    alerts: whole,
    hears_nothing: orNull(text),
    removed_at: maybe(orNull(time)),
  },
  none: "nothing is watched yet. Begin with `movedex watch add 0x1::coin`.",
  hasHeader: true,
});

export type AddFlags = DatabaseFlags & {
  readonly for?: Audience;
  readonly level?: WatchLevel;
  readonly since?: string;
};

export async function addWatches(io: Io, subjects: readonly string[], flags: AddFlags): Promise<void> {
  if (subjects.length === 0)
    throw new ConfigError(
      "say what to watch: an account (0x1), a module (0x1::coin or coin), one of its items, or a lock of `movedex lock`.",
    );
  const given = subjects.map(readSubject);
  const { note } = await changeBesideRuns(io, flags.db, async (engine, isBesideRun) => {
    const newest = (await readSealedVersions(engine)).at(-1) ?? null;
    const since = sinceOf(flags.since, newest);
    const stretch = since === null ? ", all changes that are held and to come" : `, changes above ledger version ${since}`;
    const archive = moduleArchive(engine, flags.db);
    const found = [];
    for (const { named, uses } of given)
      found.push({ uses, ...(typeof named === "string" ? { subject: named } : await findWatched(archive, named)) });
    for (const { subject, uses, note } of found) {
      if (note !== undefined) io.stderr(`movedex: ${printable(note, 500)}\n`);
      const audience = flags.for ?? (uses === null ? null : "callers");
      const level = flags.level ?? (uses === null ? "breaking" : "behaviour");
      const watch: NewWatch = { subject, uses, audience, level, since };
      const { id, isNew } = await watchQueries(engine).addWatch(watch, io.clock.now());
      await io.stdout(`${isNew ? "watch" : "already watched by"} ${id}: ${printable(subject)}${isNew ? stretch : ""}\n`);
      if (uses !== null) await printReach(io, archive, uses, newest);
    }
    // The run that has the lock judges at its end, and two that judge at once would find each change twice.
    const judged =
      flags.since === undefined || isBesideRun
        ? undefined
        : await judgeNewChanges({ engine, path: flags.db, clock: io.clock, log: silentLog });
    if (judged !== undefined)
      await io.stdout(`${plural(judged.alerts, "alert")} in what is held${judged.alerts === 0 ? "" : ": the view `alerts` has them"}\n`);
  });
  if (note !== "") io.stderr(`movedex: added${note}.\n`);
}

/** What is named, or what the build of a lock uses: then the subject is the folder of the lock, with the modules whose lock it is. */
function readSubject(text: string): { readonly named: Subject | string; readonly uses: OwnUses | null } {
  if (text.endsWith(".lock")) {
    const { uses } = readLock(text);
    return { named: printable(`${basename(dirname(resolve(text)))} (${listFirst(uses.own, 1)})`, 200), uses };
  }
  // A folder may be called as a module is.
  if (text.includes("/") && statSync(text, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new ConfigError(`\`${printable(text, 200)}\` is a folder. \`movedex lock\` writes a file of what a build reaches: watch that.`);
  const named = parseSubject(text);
  if (named.version !== undefined)
    throw new ConfigError(`cannot watch \`${printable(text, 200)}\`: changes to come are watched. Name it without @VERSION.`);
  return { named, uses: null };
}

function sinceOf(text: string | undefined, newest: bigint | null): bigint | null {
  if (text === undefined) return newest;
  if (text === "oldest") return null;
  const version = parseU64(text);
  if (version === undefined) throw new ConfigError(`--since takes a ledger version or \`oldest\`, not \`${printable(text, 60)}\`.`);
  return version;
}

/** What own modules depend on, and what of it the archive does not read: no change of that can be seen. */
async function printReach(io: Io, archive: ModuleArchive, uses: OwnUses, newest: bigint | null): Promise<void> {
  const named: ReadonlySet<string> = new Set(uses.modules);
  const { modules, unknown } = newest === null ? { modules: named, unknown: named } : await reachOf(usesAtVersions(archive), uses, newest);
  await io.stdout(
    `${plural(uses.own.length, "module")} of yours ${uses.own.length === 1 ? "depends" : "depend"} on ${plural(modules.size, "module")}\n`,
  );
  if (unknown.size === 0) return;
  const accounts = [...new Set(Array.from(unknown, (id) => id.slice(0, id.indexOf("::"))))];
  io.stderr(
    `movedex: ${unknown.size} of these cannot be read from the archive (${listFirst(accounts, 5)}), so what they use is not known. ` +
      "Add their accounts with `movedex targets add`.\n",
  );
}

export type ListFlags = DatabaseFlags & ListOutput & { readonly all?: boolean };

export async function listWatches(io: Io, flags: ListFlags): Promise<void> {
  await withStore(io, flags.db, "read", async (engine) => {
    const watches = await watchQueries(engine).listWatches({ withRemoved: flags.all === true });
    const alerts = await watchQueries(engine).alertsByWatch();
    const dead = await deadWatches(
      moduleArchive(engine, flags.db),
      watches.filter(({ removedAt }) => removedAt === null),
    );
    const json = isForPrograms(flags);
    const rows = watches.map((watch) => ({
      ...watch,
      alerts: alerts.get(watch.id) ?? 0,
      hearsNothing: dead.find(({ id }) => id === watch.id)?.reason,
    }));
    const leaves = keepTexts([!json && dead.length === 0 && "hears_nothing", !flags.all && "removed_at"]);
    await printList(io, watchList, rows, { ...flags, leaves });
  });
}

/** `watch test`. @throws ConfigError when no place is named or one does not take it; StoreError */
export async function testPlaces(io: Io, flags: DatabaseFlags & TellFlags, places: readonly Place[]): Promise<void> {
  const channels = openChannels(flags, places, io);
  if (channels.length === 0)
    throw new ConfigError("no receiver is named. Give --webhook (or MOVEDEX_WEBHOOK_URL), --exec or --alerts-file, or a settings file.");
  const chainId = await withStore(io, flags.db, "read", (engine) => readChain(engine));
  const message = testMessage(chainId);
  const failed: string[] = [];
  for (const { channel: name, tell } of channels) {
    const delivery = await tell({
      id: `test-${randomUUID()}`,
      messages: [message],
      summary: message.summary,
      more: 0,
      link: null,
      isUncertain: false,
    });
    await io.stdout(`${name}: ${delivery.isTold ? "taken" : delivery.fault}\n`);
    if (!delivery.isTold) failed.push(name);
  }
  if (failed.length > 0) throw new ConfigError(`${failed.join(", ")} refused the test message; the reason is above.`);
}

export async function removeWatches(io: Io, numbers: readonly number[], { db }: DatabaseFlags): Promise<void> {
  await requireDatabase(db);
  const { note } = await changeBesideRuns(io, db, async (engine) => {
    for (const number of numbers) {
      if (!(await watchQueries(engine).removeWatch(number, io.clock.now())))
        throw new NotHeldError(`there is no watch ${number}: \`movedex watch list\` shows the numbers.`, { number });
      await io.stdout(`watch ${number} removed; its alerts stay\n`);
    }
  });
  if (note !== "") io.stderr(`movedex: removed${note}.\n`);
}
