import { audiences } from "../../../abi/compare/severity.ts";
import type { KeyRotation, ModuleChange, NewAccount } from "../../../archive/read/changes.ts";
import type { SnapshotCounts } from "../../../archive/read/status-queries.ts";
import { type Block, type Inline, namesOf, type Point } from "../../../base/document/document.ts";
import { plural } from "../../../base/plural.ts";
import { aboutTime } from "../../../base/time/duration.ts";
import { severityWords } from "../../../questions/diff/count-severities.ts";
import { carriedBlocks, modulePoints, ruleParts } from "../../../questions/diff/document.ts";
import type { ReportedModule } from "../../../questions/diff/report.ts";
import { depthNames, incomparableSentence, moduleId, usageSentence } from "../../../questions/diff/sentences.ts";
import type { Alert } from "../../../work/alerts/deliveries.ts";
import { isoTime } from "../../output/times.ts";
import { outlookLines } from "../sync/text.ts";
import { breakingModules, changedBehaviour } from "./breaks.ts";
import type { ChangeReport, Listed } from "./read-report.ts";
import { type Bounds, boundsOf } from "./result.ts";

/** Modules of one account that make a release, which is a list with a point for each; modules and functions of a list. */
const [RELEASE_MIN, MODULES_MAX, FUNCTIONS_MAX] = [5, 50, 20];

const LIST = new Intl.ListFormat("en", { type: "conjunction" });

/** A report to be read: what breaks first and for whom, then what else changed, bookkeeping last. A quiet night is one line. */
export function reportDocument(report: ChangeReport): Block[] {
  const { chainId, after, upTo, snapshots, outlook, bySeverity, older } = report;
  if (upTo < 0n) return [{ heading: ["No snapshot is held yet"], level: 1 }];
  const chain = chainId === null ? "" : ` of chain ${chainId}`;
  const stretch = after < 0n ? `up to ledger version ${upTo}` : `after ledger version ${after}, up to ${upTo}`;
  const title: Block = { heading: [`What changed${chain}, ${stretch}`], level: 1 };
  if (snapshots.length === 0) return [title, { paragraph: [`Nothing is known: no snapshot above ledger version ${after} is held.`] }];
  const sections = changeBlocks(report);
  const budget = outlook === undefined ? [] : [`The budget is too small for all accounts: ${outlookLines(outlook).join("; ")}.`];
  if (sections.length + budget.length + older.length === 0) return [{ paragraph: [quietLine(`${chain} ${stretch}`, snapshots)] }];
  const changes = bySeverity.reduce((sum, [, count]) => sum + count, 0);
  const judged = changes === 0 ? [] : [`${plural(changes, "module changed", "modules changed")}: ${severityWords(bySeverity)}.`];
  const lead = sections.length === 0 ? ["Nothing changed."] : judged;
  return [
    title,
    ...[...lead, ...budget].map((line): Block => ({ paragraph: [line] })),
    ...sections,
    { heading: ["Snapshots"], level: 2 },
    { columns: SNAPSHOT_COLUMNS, rows: snapshots.map(snapshotRow) },
    ...section("Older snapshots read or completed", { rows: older, total: older.length }, older.length, SNAPSHOT_COLUMNS, snapshotRow),
  ];
}

function quietLine(stretch: string, snapshots: readonly SnapshotCounts[]): string {
  const [newest] = snapshots;
  const time = newest === undefined ? undefined : aboutTime(newest.ledgerTime, newest.ledgerTimeErrorMs);
  const gaps = snapshots.reduce((sum, one) => sum + one.gaps, 0);
  const counts = [plural(snapshots.length, "snapshot"), plural(newest?.accounts ?? 0, "account"), plural(newest?.modules ?? 0, "module")];
  return `Nothing changed${stretch}${time === undefined ? "" : ` (${time})`}: ${[...counts, ...(gaps === 0 ? [] : [plural(gaps, "gap")])].join(", ")}.`;
}

function changeBlocks(report: ChangeReport): Block[] {
  const { limit } = report;
  const modules = (title: string, list: Listed<ModuleChange>): Block[] =>
    section(title, list, limit, ["module", "bytecode", "when"], (change) => [
      [{ code: `${change.address}::${change.module}`, href: report.links.get(change) }],
      [change.from, change.to].flatMap((digest, i): Inline[] =>
        digest === null ? [] : [i === 1 && change.from !== null ? " → " : "", { code: digest.slice(0, 12) }],
      ),
      [when(change)],
    ]);
  return [
    ...section("Alerts", report.alerts, limit, ["watch", "module", "severity", "when"], (alert) => alertRow(alert, report)),
    ...breakBlocks(report),
    ...behaviourBlocks(report),
    ...(report.breaks === undefined ? [] : carriedBlocks(report.breaks, 2)),
    ...section("New accounts", report.newAccounts, limit, ["account", "first in"], accountRow),
    ...section("Accounts read for the first time", report.firstReadAccounts, limit, ["account", "first in"], accountRow),
    ...modules("Modules added", report.added),
    ...modules("Modules with another ABI", report.abiChanged),
    ...modules("Modules with other bytes and the same ABI", report.bytesChanged),
    ...modules("Modules changed, their ABI unclear", report.unclear),
    ...modules("Modules removed", report.removed),
    ...section("Functions and structs with another name", report.renamed, limit, ["before", "after", "when"], ({ change, rename }) => [
      [{ code: `${change.address}::${change.module}::${rename.from}`, href: report.links.get(change) }],
      [{ code: rename.to }],
      [when(change)],
    ]),
    ...section("Keys rotated", report.keyRotations, limit, ["account", "new key", "when"], rotationRow),
  ];
}

/** What breaks, for whom, and who uses it: the worst first, of these what is used; a release of many modules is one list. */
function breakBlocks(report: ChangeReport): Block[] {
  const { breaks, compared } = report;
  if (breaks === undefined) return [];
  const users = ({ findings }: ReportedModule): number => findings.reduce((sum, finding) => sum + (finding.users?.length ?? 0), 0);
  const modules = (["breaking", "dangerous"] as const).flatMap((level) =>
    breakingModules(breaks, level).toSorted((a, b) => users(b) - users(a)),
  );
  if (modules.length + breaks.incomparable.length === 0) return [];
  const byAccount = [...Map.groupBy(modules, ({ module }) => module.address)];
  const changed = report.abiChanged.total + report.bytesChanged.total + report.unclear.total + report.removed.total;
  return [
    { heading: [`What breaks: ${plural(modules.length, "module")}`], level: 2 },
    ...byAccount.flatMap(([address, of]): Block[] =>
      of.length < RELEASE_MIN ? of.flatMap((module) => moduleBlocks(module, report)) : releaseBlocks(address, of, report),
    ),
    { points: breaks.incomparable.map((found) => ({ parts: ["could not be compared: ", { code: incomparableSentence(found) }] })) },
    ...(compared.length === changed ? [] : [{ paragraph: [`${compared.length} of ${plural(changed, "changed module")} were compared.`] }]),
    ...(breaks.usage === undefined ? [] : [{ paragraph: [`The ${usageSentence(breaks.usage)}.`] }]),
  ];
}

function moduleBlocks(module: ReportedModule, report: ChangeReport): Block[] {
  const change = changeOf(module, report);
  const about = `: ${depthNames[module.depth]}${change === undefined ? "" : `, ${when(change)}`}`;
  return [{ heading: [moduleName(module, report), about], level: 3 }, { points: modulePoints(module) }];
}

function releaseBlocks(address: string, modules: readonly ReportedModule[], report: ChangeReport): Block[] {
  const points = modules.flatMap((module): Point[] => {
    const [first, ...more] = module.findings;
    if (first === undefined) return [];
    const heard = audiences.filter((audience) => module.findings.some(({ severity }) => severity[audience] === first.worst));
    const rest = `${more.length > 0 ? ` and ${more.length} more` : ""}${heard.length === 0 ? "" : `, for ${LIST.format(heard)}`}`;
    return [{ parts: [{ strong: first.worst, tone: first.worst }, " ", moduleName(module, report), ": ", ...ruleParts(first), rest] }];
  });
  return [{ heading: [{ code: address }, `: ${modules.length} modules`], level: 3 }, firstPoints(points)];
}

/** The first modules of a list, and how many more there are. */
function firstPoints(points: readonly Point[]): Block {
  const more = points.length - MODULES_MAX;
  return { points: [...points.slice(0, MODULES_MAX), ...(more > 0 ? [{ parts: [`and ${plural(more, "more module")}`] }] : [])] };
}

function moduleName(module: ReportedModule, report: ChangeReport): Inline {
  const change = changeOf(module, report);
  return { code: moduleId(module), href: change && report.links.get(change) };
}

function changeOf({ module, sha256 }: ReportedModule, { compared }: ChangeReport): ModuleChange | undefined {
  return compared.find(
    (change) =>
      change.address === module.address && change.module === module.name && change.from === sha256.before && change.to === sha256.after,
  );
}

function behaviourBlocks({ breaks }: ChangeReport): Block[] {
  const points = (breaks === undefined ? [] : changedBehaviour(breaks)).map(({ module, functions }): Point => {
    return { parts: [{ code: module }, ": ", ...namesOf(functions, FUNCTIONS_MAX)] };
  });
  if (points.length === 0) return [];
  return [{ heading: [`What does something else: functions of ${plural(points.length, "module")}`], level: 2 }, firstPoints(points)];
}

const SNAPSHOT_COLUMNS = ["snapshot", "made", "sealed", "accounts", "modules", "gaps"];

function snapshotRow({ ledgerVersion, ledgerTime, ledgerTimeErrorMs, sealedAt, accounts, modules, gaps }: SnapshotCounts): Inline[][] {
  const made = [`${ledgerVersion}`, aboutTime(ledgerTime, ledgerTimeErrorMs) ?? "", sealedAt === null ? "" : isoTime(sealedAt)];
  return [...made, ...[accounts, modules, gaps].map((count) => count.toLocaleString("en-US"))].map((cell) => [cell]);
}

function section<T>(
  title: string,
  { rows, total }: Listed<T>,
  limit: number,
  columns: readonly string[],
  toCells: (row: T) => readonly Inline[][],
): Block[] {
  if (total === 0) return [];
  const shown = rows.slice(0, limit);
  const rest = total - shown.length;
  return [
    { heading: [`${title}: ${total.toLocaleString("en-US")}`], level: 2 },
    ...(shown.length === 0 ? [] : [{ columns, rows: shown.map(toCells) }]),
    ...(rest === 0 ? [] : [{ paragraph: [`and ${plural(rest, "more", "more")}`] }]),
  ];
}

function accountRow({ address, ledgerVersion }: NewAccount): Inline[][] {
  return [[{ code: address }], [`${ledgerVersion}`]];
}

function alertRow(alert: Alert, { links }: ChangeReport): Inline[][] {
  const { watch, address, module, severity } = alert;
  return [[{ code: watch.subject }], [{ code: `${address}::${module}`, href: links.get(alert) }], [severity], [when(boundsOf(alert))]];
}

function rotationRow({ address, to, ...bounds }: KeyRotation): Inline[][] {
  return [[{ code: address }], [to === null ? "none" : { code: to }], [when(bounds)]];
}

function when({ afterVersion, atOrBeforeVersion, isExact, ledgerTime, ledgerTimeErrorMs }: Bounds): string {
  const versions = isExact ? `at ${atOrBeforeVersion}` : `after ${afterVersion}, at or before ${atOrBeforeVersion}`;
  const time = aboutTime(ledgerTime, ledgerTimeErrorMs);
  return time === undefined ? versions : `${versions}; ${time}`;
}
