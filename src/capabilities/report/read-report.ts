import type { AgeFlags, DatabaseFlags } from "../../core/cli/options/declared-command.ts";
import { type LoadChooser, lastOutlook } from "../../core/crawl/targets/choice.ts";
import { readChain } from "../../core/db/archive/chain.ts";
import { moduleArchive } from "../../core/db/archive/read/module-archive.ts";
import { type SnapshotCounts, sealedAmong, statusQueries } from "../../core/db/archive/read/status-queries.ts";
import type { WhenBusy } from "../../core/db/engine/database.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import type { Address } from "../../core/move/address.ts";
import { formatModuleId } from "../../core/move/module-id.ts";
import { runQueries } from "../../core/work/runs/runs.ts";
import { openStore } from "../../core/work/store.ts";
import type { ChangeSummary, Rename } from "../changes/compare/finding.ts";
import type { Severity } from "../changes/compare/severity.ts";
import { type ChangeSeverity, countSeverities, type DiffReport, type ReportedModule } from "../changes/diff/report.ts";
import { compareChanges, findBreaks, summariesOf, weighChanges } from "../changes/diff/sides.ts";
import {
  changeKey,
  changeQueries,
  type JudgedChange,
  type keyRotation,
  type ModuleChange,
  type NewAccount,
  type VersionRange,
} from "../changes/judge/changes.ts";
import { pageOfChange, pagesAddress } from "../changes/pages/page-links.ts";
import { readGoing } from "../gaps/going.ts";
import { deliveryQueries } from "../watch/alerts/deliveries.ts";
import { alertsOf, lastNight } from "../watch/alerts/last-night.ts";

export type ReportScope = DatabaseFlags &
  AgeFlags & {
    readonly since?: bigint;
    readonly last?: boolean;
    readonly limit: number;
    readonly baseUrl?: string;
    readonly now: () => number;
    readonly chooser: LoadChooser | undefined;
    /** Answers that came since the report before, into snapshots which that one covers. What they show is told now. */
    readonly late?: readonly LateAnswers[];
    readonly whenBusy?: WhenBusy | undefined;
  };

export type LateAnswers = { readonly ledgerVersion: bigint; readonly accounts: readonly Address[] };

/** Items of a list, those that are compared if no more are printed, and how many there are. */
export type Listed<T> = { readonly rows: readonly T[]; readonly total: number };

type RenamedItem = { readonly change: ModuleChange; readonly rename: Rename };

export type ChangeReport = Awaited<ReturnType<typeof readReport>>;

/** The number of changes of each kind that are compared, however few are listed: a night's one line has their number and no list. */
const COMPARED_MIN = 1000;

/** What changed in a stretch of snapshots, sorted into lists; what that breaks, and how bad each change is. */
export async function readReport(scope: ReportScope) {
  await using store = await openStore(scope.db, { mode: "read", whenBusy: scope.whenBusy });
  const archive = moduleArchive(store.engine, scope.db);
  const { changes, ...found } = await findChanges(store.engine, scope);
  const { after, upTo, abiChanged, bytesChanged, unclear, removed } = found;
  const compared = [...abiChanged.rows, ...bytesChanged.rows, ...unclear.rows, ...removed.rows];
  const pages = pagesAddress(scope.baseUrl, "--base-url");
  // A night without changes does not need the rules.
  const breaks = compared.length === 0 ? undefined : await findBreaks(archive, await compareChanges(archive, compared), { after, upTo });
  const weighed = summariesOf(breaks?.modules ?? []);
  const levels: (readonly [module: string, level: ChangeSeverity])[] = [];
  const renamed: RenamedItem[] = [];
  for (const change of changes) {
    const known = weighed.get(changeKey(change)) ?? change.summary;
    const summary = known ?? ((await weighChanges(archive, [change], { after, upTo }))[0] as ChangeSummary);
    levels.push([formatModuleId({ address: change.address, name: change.module }), summary.worst ?? "unclear"]);
    renamed.push(...summary.renamed.map((rename) => ({ change, rename })));
  }
  const links = new Map<string, string | undefined>();
  for (const change of pages === undefined ? [] : compared) links.set(changeKey(change), await pageOfChange(archive, change, pages));
  return {
    ...found,
    limit: scope.limit,
    /** The listed changes by the rules of `diff`; undefined when none was compared. */
    breaks,
    /** How bad each change of a module is. */
    levels,
    bySeverity: countSeverities(levels.map(([, level]) => level)),
    renamed: { rows: renamed, total: renamed.length },
    /** How many changes were compared, of those in `abiChanged`, `bytesChanged`, `unclear` and `removed`. */
    compared: compared.length,
    /** The page of each of these by `changeKey`; empty where no address of pages was given. */
    links,
  };
}

async function findChanges(engine: Engine, { last, since, limit: printed, maxAge, now, chooser, late = [] }: ReportScope) {
  const limit = Math.max(printed, COMPARED_MIN);
  const sealed = sealedAmong(await statusQueries(engine).listSnapshots());
  const newest = sealed[0];
  const { reportedVersions, reportedAt } = runQueries(engine);
  const night = last ? lastNight(sealed) : sinceReport(lastNight(sealed), await reportedVersions(2));
  const stretch = { ...night, after: since ?? night.after };
  const alerts = alertsOf(sealed, stretch);
  // What a night completed that was killed before its report is told of by the next one. A newest snapshot that is told of already says
  // nothing of when: what came before that report is in it.
  const [begunAt, newestReportAt] = [newest?.createdAt ?? Number.POSITIVE_INFINITY, await reportedAt()];
  const saidUpTo = stretch.after < stretch.upTo ? Math.min(begunAt, newestReportAt ?? begunAt) : (newestReportAt ?? begunAt);
  const older = sealed.filter(({ ledgerVersion, sealedAt }) => ledgerVersion <= stretch.after && (sealedAt ?? 0) > saidUpTo);
  return {
    ...stretch,
    chainId: await readChain(engine),
    /** What nights come to that read as much as the newest snapshot; undefined where it left nothing out. */
    outlook: await lastOutlook(chooser, engine, newest, { maxAgeMs: maxAge }),
    snapshots: sealed.filter(({ ledgerVersion }) => ledgerVersion > stretch.after),
    /** The last run of `sync` that ended, among the newest runs. */
    lastSync: (await runQueries(engine).listRuns(100)).find(({ command, exit }) => command === "sync" && exit !== null),
    /** Sealed snapshots below the stretch that were read or completed since the report before: what they show is not in it. */
    older,
    /** The snapshot before all of these. */
    beforeOlder: sealed[sealed.findLastIndex((snapshot) => older.includes(snapshot)) + 1]?.ledgerVersion,
    /** Whether the changes are also those that each of them shows of accounts which had not answered. */
    isOlderTold: older.every(({ ledgerVersion }) => late.some((answers) => answers.ledgerVersion === ledgerVersion)),
    gaps:
      newest === undefined || newest.gaps === 0 ? [] : await statusQueries(engine).listGaps({ ledgerVersion: newest.ledgerVersion, limit }),
    /** What the node prunes within a day and is not held. */
    goes: await readGoing(engine, now()),
    /** Changes at or above the level of a watch. */
    alerts: {
      rows: await deliveryQueries(engine).listAlerts(alerts, limit),
      total: await deliveryQueries(engine).countAlerts(alerts),
    },
    ...(await sortChanges(engine, [stretch, ...late.flatMap((answers) => stretchOf(answers, stretch, sealed))], limit)),
  };
}

/** What no finished report of a night covers yet; where all is covered, what the last of them did. */
function sinceReport({ after, upTo }: VersionRange, [last, before]: readonly bigint[]): VersionRange {
  if (last === undefined) return { after, upTo };
  return { after: last < upTo ? last : (before ?? after), upTo };
}

/** A stretch of which only some accounts count; all of them where none are named. */
type Stretch = VersionRange & { readonly accounts?: ReadonlySet<string> };

/** What late answers show: since the snapshot before theirs. Above the report's own stretch all is in it. */
function stretchOf({ ledgerVersion, accounts }: LateAnswers, { after }: VersionRange, sealed: readonly SnapshotCounts[]): Stretch[] {
  const before = sealed.find((snapshot) => snapshot.ledgerVersion < ledgerVersion)?.ledgerVersion ?? -1n;
  return ledgerVersion > after ? [] : [{ after: before, upTo: ledgerVersion, accounts: new Set(accounts) }];
}

/** All changes of modules, and what changed sorted into lists, each cut at a limit and counted whole. */
async function sortChanges(engine: Engine, stretches: readonly Stretch[], limit: number) {
  const list = <T>() => ({ rows: [] as T[], total: 0 });
  const [newAccounts, firstReadAccounts, keyRotations] = [
    list<NewAccount>(),
    list<NewAccount>(),
    list<ReturnType<typeof keyRotation.read>>(),
  ];
  const [added, abiChanged, bytesChanged] = [list<JudgedChange>(), list<JudgedChange>(), list<JudgedChange>()];
  /** `unclear`: changed, and one of the two ABIs cannot be told. */
  const [unclear, removed, changes] = [list<JudgedChange>(), list<JudgedChange>(), [] as JudgedChange[]];
  const queries = changeQueries(engine);
  for (const { after, upTo, accounts } of stretches) {
    const sort = async <T extends { readonly address: string }>(
      read: (range: VersionRange) => AsyncIterable<T>,
      listOf: (row: T) => { readonly rows: T[]; total: number },
    ): Promise<void> => {
      for await (const row of read({ after, upTo })) {
        if (accounts?.has(row.address) === false) continue;
        const of = listOf(row);
        if (of.total < limit) of.rows.push(row);
        of.total += 1;
      }
    };
    await sort(queries.newAccounts, ({ isFirstRead }) => (isFirstRead ? firstReadAccounts : newAccounts));
    await sort(queries.moduleChanges, (change) => {
      changes.push(change);
      if (change.from === null) return added;
      if (change.to === null) return removed;
      return change.abiChanged === null ? unclear : change.abiChanged ? abiChanged : bytesChanged;
    });
    await sort(queries.keyRotations, () => keyRotations);
  }
  return { changes, newAccounts, firstReadAccounts, added, abiChanged, bytesChanged, unclear, removed, keyRotations };
}

/** The findings of some levels, by module. */
export function breakingModules({ modules }: Pick<DiffReport, "modules">, ...levels: readonly Severity[]): ReportedModule[] {
  return modules
    .map((module) => ({ ...module, findings: module.findings.filter(({ worst }) => levels.includes(worst)) }))
    .filter(({ findings }) => findings.length > 0);
}
