import { listFirst } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { aboutTime } from "../../../core/base/time.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import { compareSeverities, severities } from "../../changes/compare/severity.ts";
import type { ChangeSeverity } from "../../changes/diff/report.ts";
import { renameParts, whatChanged, whomItConcerns } from "../../changes/diff/sentences.ts";
import { rawText } from "../../changes/documents/document.ts";
import type { Alert } from "../alerts/deliveries.ts";
import type { AlertFinding, AlertRename } from "../alerts/watches.ts";

/** What is told of an alert, as JSON. Ledger versions are text, since they may pass 2^53; texts of the ledger are as they are. */
export type AlertMessage = {
  /** `alert`, or `test` for a message that was asked for by `watch test`. */
  readonly type: "alert" | "test";
  readonly alert: number;
  /** All alerts of this change that the place hears by this message: several watches may have one. */
  readonly alerts: readonly number[];
  readonly chain_id: number | null;
  /** What happened, in one sentence that is safe to print. */
  readonly summary: string;
  /** The watch for which it is worst, and all that have an alert of it. */
  readonly watch: MessageWatch;
  readonly watches: readonly MessageWatch[];
  readonly severity: ChangeSeverity;
  readonly address: string;
  readonly module: string;
  readonly from_sha256: string | null;
  readonly to_sha256: string | null;
  /** The old state still stood here … */
  readonly after_version: string;
  /** … and the new one here. */
  readonly at_or_before_version: string;
  /** Whether no version lies between the two. */
  readonly is_exact: boolean;
  readonly shown_by_version: string;
  /** When the ledger made `at_or_before_version`, ISO 8601 in UTC; null when nothing bounds it on both sides. */
  readonly ledger_time: string | null;
  /** How far the moment of the change may lie from that, in milliseconds. */
  readonly ledger_time_error_ms: number | null;
  readonly findings: readonly AlertFinding[];
  /** How many findings there are; not all may be listed. */
  readonly findings_total: number;
  /** Functions and structs of these that only have another name. */
  readonly renamed: readonly AlertRename[];
  /** Why the two could not be compared, where they could not. */
  readonly reason: string | null;
  /** The page that shows it; null where no address of pages was given. */
  readonly link: string | null;
};

type MessageWatch = {
  readonly id: number;
  readonly subject: string;
  readonly audience: string | null;
  readonly level: string;
  readonly is_mine: boolean;
};

export function alertMessage(
  alerts: readonly [Alert, ...Alert[]],
  { chainId, link }: { readonly chainId: number | null; readonly link: string | null },
): AlertMessage {
  const worst = worstOf(alerts);
  // Where some of them are known more exactly, so is the change.
  const alert = { ...worst, ...mostExact(alerts), findings: allFindings(alerts) };
  const { findings } = alert;
  return {
    type: "alert",
    alert: alert.id,
    alerts: alerts.map(({ id }) => id),
    chain_id: chainId,
    summary: summaryOf(alert, alerts, chainId),
    watch: watchOf(worst),
    watches: alerts.map(watchOf),
    severity: alert.severity,
    address: alert.address,
    module: alert.module,
    from_sha256: alert.from,
    to_sha256: alert.to,
    after_version: alert.afterVersion.toString(),
    at_or_before_version: alert.atOrBeforeVersion.toString(),
    is_exact: isExact(alert),
    shown_by_version: alert.shownBy.toString(),
    ledger_time: alert.ledgerTime === null ? null : new Date(alert.ledgerTime).toISOString(),
    ledger_time_error_ms: alert.ledgerTimeErrorMs,
    findings: findings.findings,
    findings_total: findings.total,
    renamed: findings.renamed ?? [],
    reason: findings.reason,
    link,
  };
}

function watchOf({ watch: { id, subject, audience, level, isMine } }: Alert): MessageWatch {
  return { id, subject, audience, level, is_mine: isMine };
}

export function worstOf(alerts: readonly [Alert, ...Alert[]]): Alert {
  return alerts.toSorted((a, b) => rankOf(a) - rankOf(b) || a.id - b.id)[0] as Alert;
}

/** The lower, the worse. What could not be compared may be the worst. */
export function rankOf({ severity }: Alert): number {
  return severity === "unclear" ? -1 : severities.indexOf(severity);
}

function mostExact(alerts: readonly Alert[]): Partial<Alert> {
  const width = ({ afterVersion, atOrBeforeVersion }: Alert): bigint => atOrBeforeVersion - afterVersion;
  const narrowest = alerts.reduce((a, b) => (width(b) < width(a) ? b : a));
  const { afterVersion, atOrBeforeVersion, ledgerTime, ledgerTimeErrorMs } = narrowest;
  return { afterVersion, atOrBeforeVersion, ledgerTime, ledgerTimeErrorMs };
}

/** What any of the watches found, the worst first. */
function allFindings(alerts: readonly Alert[]): Alert["findings"] {
  const found = new Map<string, AlertFinding>();
  for (const finding of alerts.flatMap(({ findings }) => findings.findings)) {
    const key = JSON.stringify([finding.rule, finding.item_kind, finding.item, finding.before, finding.after]);
    const known = found.get(key);
    if (known === undefined || compareSeverities(finding.worst, known.worst) < 0) found.set(key, finding);
  }
  const findings = [...found.values()].sort((a, b) => compareSeverities(a.worst, b.worst));
  return {
    findings,
    total: Math.max(findings.length, ...alerts.map(({ findings: { total } }) => total)),
    reason: alerts.map(({ findings: { reason } }) => reason).find((reason) => reason !== null) ?? null,
    renamed: [...new Map(alerts.flatMap(({ findings: { renamed = [] } }) => renamed.map((one) => [JSON.stringify(one), one]))).values()],
  };
}

export function testMessage(chainId: number | null): AlertMessage {
  return {
    type: "test",
    alert: 0,
    alerts: [],
    chain_id: chainId,
    summary: "a test of movedex: nothing has changed, and alerts arrive here",
    watch: { id: 0, subject: "0x1::coin", audience: null, level: "breaking", is_mine: false },
    watches: [],
    severity: "safe",
    address: "0x1",
    module: "coin",
    from_sha256: null,
    to_sha256: null,
    after_version: "0",
    at_or_before_version: "1",
    is_exact: true,
    shown_by_version: "1",
    ledger_time: null,
    ledger_time_error_ms: null,
    findings: [],
    findings_total: 0,
    renamed: [],
    reason: null,
    link: null,
  };
}

/** A finding in words: `withdraw was removed, which your modules use; breaks callers`. */
export function findingText(finding: AlertFinding, more = 0): string {
  const { use, item, item_kind: kind } = finding;
  const used =
    use === undefined || use === "not" ? "" : use === "directly" ? ", which your modules use" : ", which your modules reach through others";
  const what = rawText(whatChanged({ ...finding, item: { kind, name: item } }));
  return `${printable(what, 500)}${used}${more === 0 ? "" : ` (and ${more} more)`}; ${rawText(whomItConcerns(finding))}`;
}

/** `function a is called b now`. */
export function renamedText({ item_kind, from_name, to_name }: AlertRename): string {
  return printable(rawText(renameParts({ kind: item_kind, from: from_name, to: to_name })), 500);
}

/** What changed and when, for whom, and who watches: `chain 1: 0x1::coin changed at …: f was removed; breaks callers (watch 3 of …)`. */
function summaryOf(alert: Alert, alerts: readonly Alert[], chainId: number | null): string {
  const { address, module, from, to, findings } = alert;
  const id = printable(formatModuleId({ address, name: module }), 300);
  const verb = from === null ? "was published" : to === null ? "was removed" : "changed";
  const [worst] = findings.findings;
  const what = alert.severity === "unclear" ? "could not be compared" : worst && findingText(worst, findings.total - 1);
  const watches = alerts.map(({ watch: { id, subject } }) => `watch ${id} of ${printable(subject, 100)}`);
  const chain = chainId === null ? "" : `chain ${chainId}: `;
  return `${chain}${id} ${verb} ${whenOf(alert)}${what === undefined ? "" : `: ${what}`} (${listFirst(watches, 3)})`;
}

function whenOf(alert: Alert): string {
  const versions = isExact(alert)
    ? `at ledger version ${alert.atOrBeforeVersion}`
    : `after ledger version ${alert.afterVersion}, at or before ${alert.atOrBeforeVersion}`;
  const time = aboutTime(alert.ledgerTime, alert.ledgerTimeErrorMs);
  return time === undefined ? versions : `${versions}, ${time}`;
}

function isExact({ afterVersion, atOrBeforeVersion }: Alert): boolean {
  return afterVersion + 1n === atOrBeforeVersion;
}
