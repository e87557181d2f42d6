import { memoize } from "../../../core/base/async.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Address } from "../../../core/move/address.ts";
import { formatItemId, formatModuleId, type ModuleId, moduleNamed } from "../../../core/move/module-id.ts";
import { parseSubject, type Subject } from "../../../core/questions/subject.ts";
import type { RuleFinding } from "../../changes/compare/finding.ts";
import { isBehaviour } from "../../changes/compare/rules/rules.ts";
import { compareSeverities, type Severity } from "../../changes/compare/severity.ts";
import type { Comparison } from "../../changes/compare/sides.ts";
import { forNoUser, itemsOf, narrowedTo, silenced, type WeighedFinding } from "../../changes/compare/usage.ts";
import { acrossModules } from "../../changes/diff/reached-effects.ts";
import { makeReport, type ReportedFinding } from "../../changes/diff/report.ts";
import { compareChanges } from "../../changes/diff/sides.ts";
import { type Weighing, weighingAt } from "../../changes/diff/users.ts";
import { changeKey } from "../../changes/judge/changes.ts";
import { type Reach, reachedInBoth, reachOf, reachOfFunction, type Use, type UsesAt, usesAtVersions } from "../../uses/reach.ts";
import {
  type AlertFinding,
  type AlertFindings,
  type KnownJudgement,
  type NarrowedJudgement,
  type NewJudgement,
  overlap,
  reachesLevel,
  type Watch,
  type WatchedChange,
  watchQueries,
} from "../alerts/watches.ts";

/** What came of looking at all watches: changes judged now, and how many of them reach their watch's level. */
export type WatchSummary = { readonly watches: number; readonly judged: number; readonly alerts: number };

/** Findings that an alert keeps, and characters of one side of each. */
const [FINDINGS_MAX, TEXT_MAX] = [50, 2000];
/** Comparisons that are kept for the next watch, and versions of which it is kept what a watch reaches. */
const COMPARISONS = 200;
/** Calls of a chain that an alert keeps: the last of them. */
const CHAIN_MAX = 16;

/**
 * Finds the unseen changes that each watch has to alert. A change's severity is stored once; a watch compares only changes that are bad
 * enough, to find the findings that concern it. Each change counts once. Safe to interrupt and restart.
 * @throws StoreError
 */
export async function judgeWatches(archive: ModuleArchive, now: () => number): Promise<WatchSummary> {
  const store = watchQueries(archive.engine);
  const watches = await store.listWatches();
  const usesAt = usesAtVersions(archive);
  const compare = memoize(COMPARISONS, changeKey, (change: WatchedChange) => compareChanges(archive, [change]));
  const weighingIn = memoize(
    COMPARISONS,
    ({ afterVersion, atOrBeforeVersion }: WatchedChange) => `${afterVersion} ${atOrBeforeVersion}`,
    async ({ afterVersion, atOrBeforeVersion }) => weighingAt(archive, { from: afterVersion, to: atOrBeforeVersion }),
  );
  let [judged, alerts] = [0, 0];
  for (const watch of watches) {
    const scope = await scopeOf(archive, usesAt, watch);
    const [changes, known]: [WatchedChange[], KnownJudgement[]] = [[], []];
    for (const address of scope.accounts) {
      const covered = (await store.watchedChanges(address, watch.since)).filter((change) => scope.covers(change));
      changes.push(...covered);
      if (covered.length > 0) known.push(...(await store.judgementsOf(watch.id, address)));
    }
    if (changes.length === 0) continue;
    const { fresh, tightened } = matchChanges(known, changes);
    const found: NewJudgement[] = [];
    for (const change of fresh) {
      const { isExact: _, abiChanged: __, summary: ___, ...what } = change;
      // Nothing more is kept of a change that nobody is told of.
      const verdict: Verdict = isBelow(watch, change)
        ? { severity: storedFor(watch, change) ?? "unclear", isAlert: false, findings: { findings: [], total: 0, reason: null } }
        : await weighed(watch, await heardOf(scope, change), await compare(change), await weighingIn(change));
      found.push({ ...what, ...verdict });
    }
    await store.addJudgements(watch.id, { judged: found, tightened }, now());
    judged += found.length;
    alerts += found.filter(({ isAlert }) => isAlert).length;
  }
  return { watches: watches.length, judged, alerts };
}

/** What a watch looks at, and what its own modules use at a version, where it has such. */
type Scope = Pick<Heard, "subject"> & {
  readonly accounts: ReadonlySet<Address>;
  readonly covers: (change: WatchedChange) => boolean;
  readonly reachAt: (version: bigint) => Promise<Reach | undefined>;
};

async function scopeOf(archive: ModuleArchive, usesAt: UsesAt, { subject: text, uses, level }: Watch): Promise<Scope> {
  const subject = uses === null ? parseSubject(text) : undefined;
  if (subject !== undefined && (subject.item === undefined || level !== "behaviour")) {
    const { address, module } = subject;
    return {
      subject,
      reachAt: async () => undefined,
      accounts: new Set(address === undefined ? [] : [address]),
      covers: (change) => module === undefined || change.module === module,
    };
  }
  const reachAt = memoize(COMPARISONS, String, (version: bigint) =>
    uses === null ? reachOfFunction(usesAt, text, version) : reachOf(usesAt, uses, version),
  );
  // What the last night left behind by it counts too: it stood before the changes of that night.
  const ends = (await readSealedVersions(archive.engine)).slice(-2);
  const modules = new Set<string>();
  for (const version of ends.length === 0 ? [0n] : ends) for (const id of (await reachAt(version)).modules) modules.add(id);
  return {
    subject,
    reachAt,
    accounts: new Set(Array.from(modules, (id) => moduleNamed(id).address)),
    covers: ({ address, module }) => modules.has(formatModuleId({ address, name: module })),
  };
}

/** The stored judgement of a change for whom a watch speaks; undefined where none stands, or only of a part of the module. */
function storedFor({ audience }: Watch, { summary }: WatchedChange): Severity | undefined {
  if (summary === undefined || summary.reason !== undefined) return undefined;
  return (audience === null ? summary.worst : summary.forAudience[audience]) ?? "silent";
}

/** Whether no part of a change can reach the watch's level: no part is worse than the whole, but that what is used weighs more. */
function isBelow(watch: Watch, change: WatchedChange): boolean {
  const stored = storedFor(watch, change);
  const most = stored === "dangerous" ? "breaking" : stored;
  return most !== undefined && !reachesLevel(most, watch.level);
}

type Verdict = Pick<NewJudgement, "severity" | "isAlert" | "findings">;

/** What is heard of a module: the subject that is watched, if it is no lock, and what that or the lock's build reaches. */
type Heard = { readonly module: ModuleId; readonly subject: Subject | undefined; readonly reach: Reach | undefined };

async function heardOf({ subject, reachAt }: Scope, { address, module, afterVersion, atOrBeforeVersion }: WatchedChange): Promise<Heard> {
  return {
    module: { address, name: module },
    subject,
    reach: reachedInBoth(await reachAt(afterVersion), await reachAt(atOrBeforeVersion)),
  };
}

/** How bad a change is for the item or the own modules that are watched, or for whom the watch speaks. */
async function weighed(watch: Watch, heard: Heard, comparison: Comparison, { weigh: weighAll, differs }: Weighing): Promise<Verdict> {
  const { subject, reach } = heard;
  const weigh = async (module: ModuleId, finding: RuleFinding): Promise<WeighedFinding> => {
    const use = useOf(finding, heard);
    if (use === "not") return forNoUser(finding);
    // What an item reaches may be declared in another way, as long as all that call it link.
    if (subject?.item !== undefined && use === "through others" && !isBehaviour(finding.rule)) {
      const found = await weighAll(module, finding);
      return found.users?.length === 0 ? silenced(found) : found;
    }
    // Who watches an item or for callers uses it, whether the archive holds that use or not. Who is a friend is known, but of own modules.
    const isUser = use !== undefined || watch.audience === "callers" || finding.item.name === subject?.item;
    const isOwnFriend = finding.item.kind === "friend" && use === "directly";
    return isUser && (isOwnFriend || finding.upgrade !== "refused where friends count")
      ? acrossModules(module, finding, differs)
      : weighAll(module, finding);
  };
  const { modules, incomparable } = await makeReport(comparison, weigh, {
    audiences: watch.audience === null ? undefined : [watch.audience],
  });
  const concerning: ReportedFinding[] = [];
  // What a function that is reached does no longer, another that is reached may do.
  const isOther = async ({ effects }: ReportedFinding): Promise<boolean> =>
    subject?.item === undefined || effects === undefined || differs(watch.subject, effects);
  for (const finding of modules[0]?.findings ?? []) if (concerns(finding, heard) && (await isOther(finding))) concerning.push(finding);
  const findings = concerning.toSorted((a, b) => compareSeverities(a.worst, b.worst));
  // Where a watch hears of a part, a new name belongs to the finding that the old one is gone.
  const isWhole = reach === undefined && subject?.item === undefined && watch.audience === null;
  const renamed = (modules[0]?.renamed ?? [])
    .filter(({ kind, from }) => isWhole || findings.some(({ item }) => item.kind === kind && item.name === from))
    .map(({ kind, from, to }) => ({ item_kind: kind, from_name: from, to_name: to }));
  const reason = incomparable[0]?.reason ?? null;
  const severity = findings[0]?.worst ?? (reason === null ? "silent" : "unclear");
  const kept: AlertFindings = {
    findings: findings.slice(0, FINDINGS_MAX).map((finding) => toKept(finding, heard)),
    total: findings.length,
    reason,
    ...(renamed.length === 0 ? {} : { renamed: renamed.slice(0, FINDINGS_MAX) }),
  };
  return {
    severity,
    // What could not be compared may be the worst.
    isAlert: reason !== null || (findings.length > 0 && reachesLevel(severity, watch.level)),
    findings: kept,
  };
}

/** Whether a finding is about the item that is watched, or in another module about a function that the item reaches. */
function concerns(finding: ReportedFinding, heard: Heard): boolean {
  const { module, subject } = heard;
  const { kind } = finding.item;
  if (subject?.item === undefined) return true;
  if (module.address === subject.address && module.name === subject.module)
    return kind === "module" || itemsOf(finding).some(({ name }) => name === subject.item);
  return kind === "module" ? finding.worst === "breaking" : kind === "function" && useOf(finding, heard) !== "not";
}

function useOf(finding: RuleFinding, { module, reach }: Heard): Use | undefined {
  const { kind, name } = finding.item;
  if (reach === undefined || name === null) return undefined;
  // A module that is not one's own gains or loses nothing of one's own by being a friend.
  if (kind === "friend") return reach.own.has(name) ? "directly" : "not";
  if (kind !== "function" && kind !== "struct") return undefined;
  const uses = itemsOf(finding).map((one) => useOfItem(one, module, reach));
  return USES.find((use) => uses.includes(use));
}

function useOfItem({ kind, name }: RuleFinding["item"], module: ModuleId, reach: Reach): Use {
  return reach.useOf(kind as "function" | "struct", formatItemId({ module, name: name as string }));
}

/** The closest first. */
const USES: readonly Use[] = ["directly", "through others", "not"];

/** About the item that is watched, or the one that is reached in the closest way, where a finding says the same of several. */
function toKept(of: ReportedFinding, heard: Heard): AlertFinding {
  const { module, subject, reach } = heard;
  const use = useOf(of, heard);
  const isWatched = (item: RuleFinding["item"]): boolean =>
    (module.name === subject?.module && item.name === subject.item) ||
    (reach !== undefined && (item.kind === "function" || item.kind === "struct") && useOfItem(item, module, reach) === use);
  const finding = narrowedTo(of, isWatched);
  const chain = use === "through others" ? (reach?.chainTo(`${formatModuleId(module)}::${finding.item.name}`) ?? []) : [];
  const cut = (text: string | null): string | null => (text !== null && text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);
  return {
    rule: finding.rule,
    item_kind: finding.item.kind,
    item: finding.item.name,
    worst: finding.worst,
    severity: finding.severity,
    upgrade: finding.upgrade,
    before: cut(finding.before),
    after: cut(finding.after),
    ...(use === undefined ? {} : { use }),
    ...(chain.length === 0 ? {} : { chain: chain.slice(-CHAIN_MAX) }),
  };
}

/** Changes that were not judged yet, and judged ones of which it is known more exactly now when they happened. */
type MatchedChanges = { readonly fresh: readonly WatchedChange[]; readonly tightened: readonly NarrowedJudgement[] };

/**
 * Finds the changes that were not judged before. Two are the same with the same bytecode before and after in one stretch, which
 * `trace` and older snapshots make shorter. Parts of a parted change are their own.
 */
export function matchChanges(known: readonly KnownJudgement[], changes: readonly WatchedChange[]): MatchedChanges {
  const byChange = Map.groupBy(known, changeKey);
  const taken = new Set<number>();
  const fresh: WatchedChange[] = [];
  const tightened: NarrowedJudgement[] = [];
  for (const change of changes.toSorted((a, b) => (a.atOrBeforeVersion < b.atOrBeforeVersion ? -1 : 1))) {
    const { afterVersion, atOrBeforeVersion, shownBy } = change;
    const same = byChange.get(changeKey(change))?.find((one) => !taken.has(one.id) && overlap(one, change));
    if (same === undefined) {
      fresh.push(change);
      continue;
    }
    taken.add(same.id);
    if (same.afterVersion !== afterVersion || same.atOrBeforeVersion !== atOrBeforeVersion || same.shownBy !== shownBy)
      tightened.push({ id: same.id, afterVersion, atOrBeforeVersion, shownBy });
  }
  return { fresh, tightened };
}
