import type { RuleFinding } from "../../abi/compare/finding.ts";
import { compareSeverities, reachesLevel } from "../../abi/compare/severity.ts";
import { forNoUser, type WeighedFinding } from "../../abi/compare/usage.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { Address } from "../../move/address.ts";
import { formatModuleId } from "../../move/module-id.ts";
import type {
  AlertFinding,
  AlertFindings,
  KnownJudgement,
  NewJudgement,
  Tightened,
  Watch,
  WatchedChange,
  WatchStore,
} from "../../work/alerts/watches.ts";
import { compareChange } from "../diff/compare-change.ts";
import type { ReportedFinding } from "../diff/report.ts";
import { parseSubject, type Subject } from "../subject.ts";
import { type Reach, reachOf, reachOfFunction, type Use } from "./reach.ts";

/** What came of looking at all watches: changes judged now, and how many of them reach their watch's level. */
export type Judged = { readonly watches: number; readonly judged: number; readonly alerts: number };

/** Findings that an alert keeps, and characters of one side of each. */
const [FINDINGS_MAX, TEXT_MAX] = [50, 2000];
/** Calls of a chain that an alert keeps: the last of them. */
const CHAIN_MAX = 16;

/**
 * Judges, for every watch, the changes not judged yet, by the rules of `diff`. A change counts once, however it becomes known.
 * May be ended at any moment and begun again. @throws StoreError
 */
export async function judgeWatches(archive: ModuleArchive, store: WatchStore, now: () => number): Promise<Judged> {
  const watches = await store.listWatches();
  let [judged, alerts] = [0, 0];
  for (const watch of watches) {
    const scope = await scopeOf(archive, watch);
    const changes: WatchedChange[] = [];
    for (const address of scope.accounts)
      changes.push(...(await store.watchedChanges(address, watch.since)).filter((change) => scope.covers(change)));
    if (changes.length === 0) continue;
    const { fresh, tightened } = matchChanges(await store.judgementsOf(watch.id), changes);
    const found: NewJudgement[] = [];
    for (const change of fresh) found.push(await judgeChange(archive, watch, change, await scope.reachAt(change.afterVersion)));
    await store.addJudgements(watch.id, { judged: found, tightened }, now());
    judged += found.length;
    alerts += found.filter(({ isAlert }) => isAlert).length;
  }
  return { watches: watches.length, judged, alerts };
}

/** What a watch looks at, and what its own modules use at a version, where it has such. */
type Scope = {
  readonly accounts: ReadonlySet<Address>;
  readonly covers: (change: WatchedChange) => boolean;
  readonly reachAt: (version: bigint) => Promise<Reach | undefined>;
};

async function scopeOf(archive: ModuleArchive, { subject, uses, level }: Watch): Promise<Scope> {
  const { address, module, item } = uses === null ? parseSubject(subject) : {};
  const reachAt =
    uses !== null
      ? (version: bigint) => reachOf(archive, uses, version)
      : level === "behaviour" && item !== undefined
        ? (version: bigint) => reachOfFunction(archive, subject, version)
        : undefined;
  if (reachAt !== undefined) {
    const known = new Map<bigint, Promise<Reach>>();
    const remembered = (version: bigint): Promise<Reach> => {
      const reach = known.get(version) ?? reachAt(version);
      known.set(version, reach);
      return reach;
    };
    // What the last night left behind by it counts too: it stood before the changes of that night.
    const ends = (await archive.sealedVersions()).slice(-2);
    const modules = new Set<string>();
    for (const version of ends.length === 0 ? [0n] : ends) for (const id of (await remembered(version)).modules) modules.add(id);
    return {
      reachAt: remembered,
      accounts: new Set([...modules].map((id) => id.slice(0, id.indexOf("::")) as Address)),
      covers: ({ address, module }) => modules.has(formatModuleId({ address, name: module })),
    };
  }
  return {
    accounts: new Set(address === undefined ? [] : [address]),
    covers: (change) => module === undefined || change.module === module,
    reachAt: async () => undefined,
  };
}

const NONE: AlertFindings = { findings: [], total: 0, reason: null };

/** How bad a change is for a watch: as it is judged for all, or for the item or the own modules that are watched. */
async function judgeChange(archive: ModuleArchive, watch: Watch, change: WatchedChange, reach: Reach | undefined): Promise<NewJudgement> {
  const subject = watch.uses === null ? parseSubject(watch.subject) : undefined;
  const { isExact: _, abiChanged: __, summary, ...what } = change;
  if (subject?.item === undefined && reach === undefined && summary !== undefined && summary.reason === undefined) {
    const stored = (watch.audience === null ? summary.worst : summary.forAudience[watch.audience]) ?? "silent";
    // Of a change that nobody is told of, nothing more is kept.
    if (!reachesLevel(stored, watch.level)) return { ...what, severity: stored, isAlert: false, findings: NONE };
  }
  const audiences = watch.audience === null ? undefined : [watch.audience];
  const report = await compareChange(archive, change, audiences, async (finding) => weigh(finding, change, reach));
  const findings = (report.modules[0]?.findings ?? [])
    .filter((finding) => concerns(finding, change, subject, reach))
    .toSorted((a, b) => compareSeverities(a.worst, b.worst));
  const reason = report.incomparable[0]?.reason ?? null;
  const severity = findings[0]?.worst ?? (reason === null ? "silent" : "unclear");
  const kept: AlertFindings = {
    findings: findings.slice(0, FINDINGS_MAX).map((finding) => toKept(finding, change, reach)),
    total: findings.length,
    reason,
  };
  return {
    ...what,
    severity,
    // What could not be compared may be the worst.
    isAlert: reason !== null || (findings.length > 0 && reachesLevel(severity, watch.level)),
    findings: kept,
  };
}

/** Whether a finding is about the item that is watched, or in another module about a function that the item reaches. */
function concerns(finding: ReportedFinding, change: WatchedChange, subject: Subject | undefined, reach: Reach | undefined): boolean {
  if (subject?.item === undefined) return true;
  if (change.address === subject.address && change.module === subject.module) {
    return finding.item.kind === "module" || finding.item.name === subject.item;
  }
  return finding.item.kind === "module"
    ? finding.worst === "breaking"
    : useOf(finding, change, reach) !== "not" && finding.item.kind === "function";
}

function weigh(finding: RuleFinding, change: WatchedChange, reach: Reach | undefined): WeighedFinding {
  return useOf(finding, change, reach) === "not" ? forNoUser(finding) : finding;
}

function useOf({ item }: RuleFinding, { address, module }: WatchedChange, reach: Reach | undefined): Use | undefined {
  if (reach === undefined || item.name === null) return undefined;
  // A module that is not one's own gains or loses nothing of one's own by being a friend.
  if (item.kind === "friend") return reach.own.has(item.name) ? "directly" : "not";
  if (item.kind !== "function" && item.kind !== "struct") return undefined;
  return reach.useOf(item.kind, `${formatModuleId({ address, name: module })}::${item.name}`);
}

function toKept(finding: ReportedFinding, change: WatchedChange, reach: Reach | undefined): AlertFinding {
  const use = useOf(finding, change, reach);
  const chain =
    use === "through others"
      ? (reach?.chainTo(`${formatModuleId({ address: change.address, name: change.module })}::${finding.item.name}`) ?? [])
      : [];
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
type MatchedChanges = { readonly fresh: readonly WatchedChange[]; readonly tightened: readonly Tightened[] };

/**
 * Finds the changes that were not judged before. Two are the same with the same bytecode before and after in one stretch, which
 * `trace` and older snapshots make shorter. Parts of a parted change are their own.
 */
export function matchChanges(known: readonly KnownJudgement[], changes: readonly WatchedChange[]): MatchedChanges {
  const byChange = Map.groupBy(known, nameOf);
  const taken = new Set<number>();
  const fresh: WatchedChange[] = [];
  const tightened: Tightened[] = [];
  for (const change of changes.toSorted((a, b) => (a.atOrBeforeVersion < b.atOrBeforeVersion ? -1 : 1))) {
    const { afterVersion, atOrBeforeVersion, shownBy } = change;
    const same = byChange
      .get(nameOf(change))
      ?.find((one) => !taken.has(one.id) && one.afterVersion < atOrBeforeVersion && afterVersion < one.atOrBeforeVersion);
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

function nameOf({ address, module, from, to }: KnownJudgement | WatchedChange): string {
  return `${address} ${module} ${from} ${to}`;
}
