import { listNames } from "../../../abi/compare/finding.ts";
import { isBehaviour } from "../../../abi/compare/rules/rules.ts";
import { type Severity, severities } from "../../../abi/compare/severity.ts";
import type { KeyRotation, ModuleChange, NewAccount, VersionRange } from "../../../archive/read/changes.ts";
import type { SnapshotCounts } from "../../../archive/read/status-queries.ts";
import type { MadeAt } from "../../../archive/times/made-at.ts";
import { markdownCode, markdownTable } from "../../../base/markdown.ts";
import { plural } from "../../../base/plural.ts";
import { aboutTime } from "../../../base/time/about-time.ts";
import type { NightOutlook } from "../../../crawl/cadence/night-outlook.ts";
import { outlookJson } from "../../../crawl/night/summary.ts";
import { type BySeverity, type Judged, severityWords } from "../../../questions/diff/count-severities.ts";
import { carriedParts, moduleParts } from "../../../questions/diff/markdown.ts";
import type { DiffReport, ReportedModule } from "../../../questions/diff/report.ts";
import { moduleId, usageSentence } from "../../../questions/diff/sentences.ts";
import type { Alert } from "../../../work/alerts/deliveries.ts";
import { ledgerTimeJson } from "../../output/times.ts";
import { moduleJson } from "../diff/json.ts";
import { outlookLines } from "../sync/text.ts";

/** The wanted number of a list's items, and how many there are. */
export type Listed<T> = { readonly rows: readonly T[]; readonly total: number };

/** What changed in a stretch of snapshots. */
export type ChangeReport = VersionRange & {
  readonly chainId: number | null;
  /** What nights come to that read as much as the newest snapshot; undefined where it left nothing out. */
  readonly outlook: NightOutlook | undefined;
  /** The sealed snapshots of the stretch, newest first. */
  readonly snapshots: readonly SnapshotCounts[];
  /** Sealed snapshots below the stretch that were read, or whose gaps were filled, since the newest was begun: backfill's. */
  readonly older: readonly SnapshotCounts[];
  readonly newAccounts: Listed<NewAccount>;
  readonly firstReadAccounts: Listed<NewAccount>;
  readonly added: Listed<ModuleChange>;
  readonly abiChanged: Listed<ModuleChange>;
  readonly bytesChanged: Listed<ModuleChange>;
  /** Changed, and one of the two ABIs cannot be told. */
  readonly unclear: Listed<ModuleChange>;
  readonly removed: Listed<ModuleChange>;
  readonly keyRotations: Listed<KeyRotation>;
  /** Changes of what is watched, from each watch's level on. */
  readonly alerts: Listed<Alert>;
  /** The listed changes by the rules of `diff`; undefined when none was compared. */
  readonly breaks: DiffReport | undefined;
  /** All changes of modules, by how bad they are. */
  readonly bySeverity: BySeverity;
  /** How many changes were compared, of those in `abiChanged`, `unclear` and `removed`. */
  readonly compared: number;
};

/** A report as one object: its totals first and flat, then the lists. Ledger versions are text since they may pass 2^53. */
export function reportJson(report: ChangeReport): Record<string, unknown> {
  const { snapshots, older, after, upTo } = report;
  const changes = (list: Listed<ModuleChange>) => list.rows.map(changeJson);
  const accounts = (list: Listed<NewAccount>) =>
    list.rows.map(({ address, ledgerVersion }) => ({ address, ledger_version: ledgerVersion.toString() }));
  return {
    chain_id: report.chainId,
    after_version: after < 0n ? null : after.toString(),
    up_to_version: upTo < 0n ? null : upTo.toString(),
    snapshots: snapshots.length,
    older_snapshots: older.length,
    gaps: snapshots.reduce((sum, { gaps }) => sum + gaps, 0),
    new_accounts: report.newAccounts.total,
    first_read_accounts: report.firstReadAccounts.total,
    modules_added: report.added.total,
    modules_abi_changed: report.abiChanged.total,
    modules_bytes_changed: report.bytesChanged.total,
    modules_changed_unclear: report.unclear.total,
    modules_removed: report.removed.total,
    keys_rotated: report.keyRotations.total,
    alerts: report.alerts.total,
    ...(report.outlook === undefined ? {} : outlookJson(report.outlook)),
    modules_compared: report.compared,
    changes_by_severity: Object.fromEntries(report.bySeverity),
    modules_breaking: changesAt(report, "breaking"),
    modules_dangerous: changesAt(report, "dangerous"),
    modules_behaviour: report.breaks === undefined ? null : behaviourOf(report.breaks).length,
    lists: {
      behaviour: report.breaks === undefined ? [] : behaviourOf(report.breaks),
      carried: report.breaks?.carried?.changes ?? [],
      breaks: report.breaks === undefined ? [] : breakingModules(report.breaks, "breaking", "dangerous").map(moduleJson),
      alerts: report.alerts.rows.map(alertJson),
      snapshots: snapshots.map(snapshotJson),
      older_snapshots: older.map(snapshotJson),
      new_accounts: accounts(report.newAccounts),
      first_read_accounts: accounts(report.firstReadAccounts),
      modules_added: changes(report.added),
      modules_abi_changed: changes(report.abiChanged),
      modules_bytes_changed: changes(report.bytesChanged),
      modules_changed_unclear: changes(report.unclear),
      modules_removed: changes(report.removed),
      keys_rotated: report.keyRotations.rows.map(({ address, from, to, ...bounds }) => ({
        address,
        from_key: from,
        to_key: to,
        ...boundsJson(bounds),
      })),
    },
  };
}

function changesAt({ bySeverity }: ChangeReport, level: Judged): number {
  return bySeverity.find(([one]) => one === level)?.[1] ?? 0;
}

function snapshotJson({ ledgerVersion, status, accounts, modules, gaps, digest, ...time }: SnapshotCounts): Record<string, unknown> {
  return { ledger_version: ledgerVersion.toString(), status, accounts, modules, gaps, digest, ...ledgerTimeJson(time) };
}

type Bounds = Pick<ModuleChange, "afterVersion" | "atOrBeforeVersion" | "isExact"> & MadeAt;

function changeJson({ address, module, from, to, ...bounds }: ModuleChange): Record<string, unknown> {
  return { address, module, from_sha256: from, to_sha256: to, ...boundsJson(bounds) };
}

function boundsJson({ afterVersion, atOrBeforeVersion, isExact, ...time }: Bounds): Record<string, unknown> {
  const versions = { after_version: afterVersion.toString(), at_or_before_version: atOrBeforeVersion.toString(), is_exact: isExact };
  return { ...versions, ...ledgerTimeJson(time) };
}

/** A report in Markdown. Names are other people's, and cannot become markup. */
export function reportMarkdown(report: ChangeReport): string {
  return [headText(report), ...sections(report)].filter((part) => part !== "").join("\n");
}

function headText({ chainId, after, upTo, snapshots, outlook, bySeverity }: ChangeReport): string {
  if (upTo < 0n) return "# No snapshot is held yet\n";
  const chain = chainId === null ? "" : ` of chain ${chainId}`;
  const title = `# What changed${chain}, ${after < 0n ? `up to ledger version ${upTo}` : `after ledger version ${after}, up to ${upTo}`}\n`;
  if (snapshots.length === 0) return `${title}\nNothing is known: no snapshot above ledger version ${after} is held.\n`;
  const budget = outlook === undefined ? "" : `\nThe budget does not suffice for all accounts: ${outlookLines(outlook).join("; ")}.\n`;
  const changes = bySeverity.reduce((sum, [, count]) => sum + count, 0);
  const judged = changes === 0 ? "" : `\n${plural(changes, "module changed", "modules changed")}: ${severityWords(bySeverity)}.\n`;
  return `${title}\n${snapshotTable(snapshots)}${budget}${judged}`;
}

function snapshotTable(snapshots: readonly SnapshotCounts[]): string {
  const rows = snapshots.map(({ ledgerVersion, sealedAt, accounts, modules, gaps, ...time }) => [
    `${ledgerVersion}`,
    aboutTime(time.ledgerTime, time.ledgerTimeErrorMs) ?? "",
    sealedAt === null ? "" : new Date(sealedAt).toISOString().replace(/\.\d+Z$/, "Z"),
    accounts.toLocaleString("en-US"),
    modules.toLocaleString("en-US"),
    gaps.toLocaleString("en-US"),
  ]);
  return markdownTable(["snapshot", "made", "sealed", "accounts", "modules", "gaps"], rows);
}

/** The modules of which a finding is as bad as that, with the findings that are. */
function breakingModules({ modules }: DiffReport, ...levels: readonly Severity[]): ReportedModule[] {
  return modules
    .filter(({ findings }) => findings[0] !== undefined && levels.includes(worstOf(findings)))
    .map((module) => ({ ...module, findings: module.findings.filter(({ worst }) => levels.includes(worst)) }));
}

function worstOf(findings: ReportedModule["findings"]): Severity {
  return severities.find((severity) => findings.some(({ worst }) => worst === severity)) ?? "silent";
}

/** Modules that are listed whose functions do something else. */
const BEHAVIOUR_MAX = 50;

/** The functions that can be called and do something else, by module; of those that only reach such a one, none. */
function behaviourOf({ modules }: DiffReport): { readonly module: string; readonly functions: readonly string[] }[] {
  return modules.flatMap((module) => {
    const changed = module.findings.filter(({ rule, worst }) => isBehaviour(rule) && rule !== "callees-changed" && worst !== "silent");
    return changed.length === 0 ? [] : [{ module: moduleId(module), functions: changed.flatMap(({ item }) => item.name ?? []) }];
  });
}

function behaviourSection({ breaks }: ChangeReport): string {
  const modules = breaks === undefined ? [] : behaviourOf(breaks);
  if (modules.length === 0) return "";
  const lines = modules
    .slice(0, BEHAVIOUR_MAX)
    .map(({ module, functions }) => `- ${markdownCode(module)}: ${listNames(functions.map((name) => markdownCode(name)))}`);
  const more = modules.length > lines.length ? [`- and ${plural(modules.length - lines.length, "more module")}`] : [];
  return `## What does something else: functions of ${plural(modules.length, "module")}\n\n${[...lines, ...more].join("\n")}\n`;
}

/** What breaks, for whom, and who uses it: first, since the rest is bookkeeping. */
function breaksSection(report: ChangeReport): string {
  const { breaks, compared } = report;
  if (breaks === undefined) return "";
  const modules = breakingModules(breaks, "breaking", "dangerous");
  if (modules.length === 0) return "";
  const changed = report.abiChanged.total + report.bytesChanged.total + report.unclear.total + report.removed.total;
  const rest = compared === changed ? [] : [`${compared} of ${plural(changed, "changed module")} were compared.`];
  const coverage = breaks.usage === undefined ? [] : [`${usageSentence(breaks.usage)}.`];
  return `${[`## What breaks: ${plural(modules.length, "module")}`, ...modules.flatMap(moduleParts), ...rest, ...coverage].join("\n\n")}\n`;
}

/** Of functions whose instructions are the same: what they call does something else. */
function carriedSection({ breaks }: ChangeReport): string {
  return breaks === undefined
    ? ""
    : carriedParts(breaks, "##")
        .map((part) => `${part}\n`)
        .join("\n");
}

function sections(report: ChangeReport): string[] {
  if (report.snapshots.length === 0) return [];
  const moduleSections = [
    moduleSection("Modules added", report.added),
    moduleSection("Modules with another ABI", report.abiChanged),
    moduleSection("Modules with other bytes and the same ABI", report.bytesChanged),
    moduleSection("Modules changed, their ABI unclear", report.unclear),
    moduleSection("Modules removed", report.removed),
  ];
  const all = [
    section("Alerts of what is watched", report.alerts, ["watch", "module", "severity", "when"], alertRow),
    breaksSection(report),
    behaviourSection(report),
    carriedSection(report),
    section("New accounts", report.newAccounts, ["account", "first in"], accountRow),
    section("Accounts read for the first time", report.firstReadAccounts, ["account", "first in"], accountRow),
    ...moduleSections,
    section("Keys rotated", report.keyRotations, ["account", "new key", "when"], rotationRow),
  ].filter((text) => text !== "");
  const older =
    report.older.length === 0
      ? []
      : [`## Older snapshots read or completed: ${report.older.length.toLocaleString("en-US")}\n\n${snapshotTable(report.older)}`];
  return [...(all.length === 0 ? ["Nothing changed.\n"] : all), ...older];
}

function moduleSection(title: string, list: Listed<ModuleChange>): string {
  return section(title, list, ["module", "bytecode", "when"], (change) => [
    markdownCode(`${change.address}::${change.module}`),
    [change.from, change.to].flatMap((digest) => (digest === null ? [] : [markdownCode(digest.slice(0, 12))])).join(" → "),
    when(change),
  ]);
}

function section<T>(title: string, { rows, total }: Listed<T>, columns: readonly string[], toCells: (row: T) => string[]): string {
  if (total === 0) return "";
  const rest = total - rows.length;
  const more = rest === 0 ? "" : `\nand ${plural(rest, "more", "more")}\n`;
  return `## ${title}: ${total.toLocaleString("en-US")}\n\n${rows.length === 0 ? "" : markdownTable(columns, rows.map(toCells))}${more}`;
}

function accountRow({ address, ledgerVersion }: NewAccount): string[] {
  return [markdownCode(address), `${ledgerVersion}`];
}

function alertRow({ watch, address, module, severity, ...bounds }: Alert): string[] {
  return [markdownCode(watch.subject), markdownCode(`${address}::${module}`), severity, when(boundsOf(bounds))];
}

function alertJson({ id, watch, address, module, severity, from, to, shownBy, ...bounds }: Alert): Record<string, unknown> {
  const what = { alert: id, watch: watch.id, subject: watch.subject, severity, address, module };
  return { ...what, from_sha256: from, to_sha256: to, ...boundsJson(boundsOf(bounds)), shown_by_version: shownBy.toString() };
}

function boundsOf({ afterVersion, atOrBeforeVersion, ledgerTime, ledgerTimeErrorMs }: Omit<Bounds, "isExact">): Bounds {
  return { afterVersion, atOrBeforeVersion, isExact: afterVersion + 1n === atOrBeforeVersion, ledgerTime, ledgerTimeErrorMs };
}

function rotationRow({ address, to, ...bounds }: KeyRotation): string[] {
  return [markdownCode(address), to === null ? "none" : markdownCode(to), when(bounds)];
}

function when({ afterVersion, atOrBeforeVersion, isExact, ledgerTime, ledgerTimeErrorMs }: Bounds): string {
  const versions = isExact ? `at ${atOrBeforeVersion}` : `after ${afterVersion}, at or before ${atOrBeforeVersion}`;
  const time = aboutTime(ledgerTime, ledgerTimeErrorMs);
  return time === undefined ? versions : `${versions}; ${time}`;
}
