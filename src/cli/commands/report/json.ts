import { isBehaviour } from "../../../abi/compare/rules/rules.ts";
import { type Severity, worstOf } from "../../../abi/compare/severity.ts";
import type { ModuleChange, NewAccount } from "../../../archive/read/changes.ts";
import type { SnapshotCounts } from "../../../archive/read/status-queries.ts";
import type { MadeAt } from "../../../archive/times/ledger-times.ts";
import { outlookJson } from "../../../crawl/night/summary.ts";
import type { ChangeSeverity } from "../../../questions/diff/count-severities.ts";
import type { DiffReport, ReportedModule } from "../../../questions/diff/report.ts";
import { moduleId } from "../../../questions/diff/sentences.ts";
import type { Alert } from "../../../work/alerts/deliveries.ts";
import { ledgerTimeJson } from "../../output/times.ts";
import { moduleJson } from "../diff/machines.ts";
import type { ChangeReport, Listed } from "./read-report.ts";

/** A report as one object: its totals first and flat, then the lists. Ledger versions are text since they may pass 2^53. */
export function reportJson(report: ChangeReport): Record<string, unknown> {
  const { snapshots, older, after, upTo } = report;
  const rows = <T>(list: Listed<T>): readonly T[] => list.rows.slice(0, report.limit);
  const changes = (list: Listed<ModuleChange>) => rows(list).map(changeJson);
  const accounts = (list: Listed<NewAccount>) =>
    rows(list).map(({ address, ledgerVersion }) => ({ address, ledger_version: ledgerVersion.toString() }));
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
    items_renamed: report.renamed.total,
    keys_rotated: report.keyRotations.total,
    alerts: report.alerts.total,
    ...(report.outlook === undefined ? {} : outlookJson(report.outlook)),
    modules_compared: report.compared.length,
    changes_by_severity: Object.fromEntries(report.bySeverity),
    modules_breaking: changesAt(report, "breaking"),
    modules_dangerous: changesAt(report, "dangerous"),
    modules_behaviour: report.breaks === undefined ? null : changedBehaviour(report.breaks).length,
    lists: {
      behaviour: report.breaks === undefined ? [] : changedBehaviour(report.breaks),
      carried: report.breaks?.carried?.changes ?? [],
      breaks: report.breaks === undefined ? [] : breakingModules(report.breaks, "breaking", "dangerous").map(moduleJson),
      alerts: rows(report.alerts).map(alertJson),
      snapshots: snapshots.map(snapshotJson),
      older_snapshots: older.map(snapshotJson),
      new_accounts: accounts(report.newAccounts),
      first_read_accounts: accounts(report.firstReadAccounts),
      modules_added: changes(report.added),
      modules_abi_changed: changes(report.abiChanged),
      modules_bytes_changed: changes(report.bytesChanged),
      modules_changed_unclear: changes(report.unclear),
      modules_removed: changes(report.removed),
      items_renamed: rows(report.renamed).map(({ change, rename: { kind, from, to } }) => {
        const { address, module, from: _, to: __, ...bounds } = change;
        return { address, module, item_kind: kind, from_name: from, to_name: to, ...boundsJson(bounds) };
      }),
      keys_rotated: rows(report.keyRotations).map(({ address, from, to, ...bounds }) => ({
        address,
        from_key: from,
        to_key: to,
        ...boundsJson(bounds),
      })),
    },
  };
}

function changesAt({ bySeverity }: ChangeReport, level: ChangeSeverity): number {
  return bySeverity.find(([one]) => one === level)?.[1] ?? 0;
}

function snapshotJson({ ledgerVersion, status, accounts, modules, gaps, digest, ...time }: SnapshotCounts): Record<string, unknown> {
  return { ledger_version: ledgerVersion.toString(), status, accounts, modules, gaps, digest, ...ledgerTimeJson(time) };
}

/** When a change was, as far as is known. */
export type Bounds = Pick<ModuleChange, "afterVersion" | "atOrBeforeVersion" | "isExact"> & MadeAt;

function changeJson({ address, module, from, to, ...bounds }: ModuleChange): Record<string, unknown> {
  return { address, module, from_sha256: from, to_sha256: to, ...boundsJson(bounds) };
}

function boundsJson({ afterVersion, atOrBeforeVersion, isExact, ...time }: Bounds): Record<string, unknown> {
  const versions = { after_version: afterVersion.toString(), at_or_before_version: atOrBeforeVersion.toString(), is_exact: isExact };
  return { ...versions, ...ledgerTimeJson(time) };
}

export function breakingModules({ modules }: DiffReport, ...levels: readonly Severity[]): ReportedModule[] {
  return modules
    .filter(({ findings }) => levels.includes(worstOf(findings.map(({ worst }) => worst)) ?? "silent"))
    .map((module) => ({ ...module, findings: module.findings.filter(({ worst }) => levels.includes(worst)) }));
}

/** The functions that can be called and do something else, by module; of those that only reach such a one, none. */
export function changedBehaviour({ modules }: DiffReport): { readonly module: string; readonly functions: readonly string[] }[] {
  return modules.flatMap((module) => {
    const changed = module.findings.filter(({ rule, worst }) => isBehaviour(rule) && rule !== "callees-changed" && worst !== "silent");
    return changed.length === 0 ? [] : [{ module: moduleId(module), functions: changed.flatMap(({ item }) => item.name ?? []) }];
  });
}

function alertJson({ id, watch, address, module, severity, from, to, shownBy, ...bounds }: Alert): Record<string, unknown> {
  const what = { alert: id, watch: watch.id, subject: watch.subject, severity, address, module };
  return { ...what, from_sha256: from, to_sha256: to, ...boundsJson(boundsOf(bounds)), shown_by_version: shownBy.toString() };
}

export function boundsOf({ afterVersion, atOrBeforeVersion, ledgerTime, ledgerTimeErrorMs }: Omit<Bounds, "isExact">): Bounds {
  return { afterVersion, atOrBeforeVersion, isExact: afterVersion + 1n === atOrBeforeVersion, ledgerTime, ledgerTimeErrorMs };
}
