import { listFirst } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import {
  address,
  anything,
  from,
  type Kind,
  list,
  object,
  orNull,
  sha256,
  text,
  truth,
  version,
  whole,
  word,
} from "../../../core/base/result.ts";
import { aboutTime } from "../../../core/base/time.ts";
import { madeAt } from "../../../core/cli/output/result-fields.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import { compareSeverities, severities } from "../../changes/compare/severity.ts";
import { type CausedFinding, causeOf, crowdsIn, itemCount } from "../../changes/diff/crowds.ts";
import type { ChangeSeverity } from "../../changes/diff/report.ts";
import { crowdSentence, renameParts, whatChanged, whomTheyConcern } from "../../changes/diff/sentences.ts";
import { namesOf, rawText } from "../../changes/documents/document.ts";
import type { Alert } from "../alerts/deliveries.ts";
import type { AlertFinding, AlertRename } from "../alerts/watches.ts";

/** Items of one cause that are named. */
const NAMED = 5;

const messageWatch = object({ id: whole, subject: text, audience: orNull(text), level: text, is_mine: truth });

/**
 * What is told of an alert, as JSON. The fields of the change are those that `report` has of an alert; texts of the ledger are as they are.
 */
const message = object({
  /** `test` for a message that was asked for by `watch test`. */
  type: word("alert", "test"),
  alert: from("id", whole),
  /** All alerts of this change that the place hears by this message: several watches may have one. */
  alerts: list(whole),
  chain_id: orNull(whole),
  /** What happened, in one sentence that is safe to print. */
  summary: text,
  /** The watch for which it is worst, and all that have an alert of it. */
  watch: messageWatch,
  watches: list(messageWatch),
  severity: word<ChangeSeverity>(...severities, "unclear"),
  address,
  module: text,
  from_sha256: from("from", orNull(sha256)),
  to_sha256: from("to", orNull(sha256)),
  after_version: version,
  at_or_before_version: version,
  is_exact: truth,
  shown_by_version: from("shownBy", version),
  ...madeAt,
  findings: anything as Kind<readonly AlertFinding[], readonly AlertFinding[]>,
  /** How many findings there are; not all may be listed. */
  findings_total: from("total", whole),
  /** Functions of these that only have another name. */
  renamed: anything as Kind<readonly AlertRename[], readonly AlertRename[]>,
  /** Why the two could not be compared, where they could not. */
  reason: orNull(text),
  /** The page that shows it; null where no address of pages was given. */
  link: orNull(text),
});

export type AlertMessage = ReturnType<typeof message.print>;

export function alertMessage(
  alerts: readonly [Alert, ...Alert[]],
  { chainId, link }: { readonly chainId: number | null; readonly link: string | null },
): AlertMessage {
  const worst = worstOf(alerts);
  // Where some of them are known more exactly, so is the change.
  const alert = { ...worst, ...mostExact(alerts), findings: allFindings(alerts) };
  return message.print({
    ...alert,
    ...alert.findings,
    renamed: alert.findings.renamed ?? [],
    type: "alert",
    alerts: alerts.map(({ id }) => id),
    chainId,
    summary: summaryOf(alert, alerts, chainId),
    watches: alerts.map(({ watch }) => watch),
    isExact: isExact(alert),
    link,
  });
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
  return message.print({
    ...{ type: "test", id: 0, alerts: [], chainId, watches: [], severity: "safe", module: "coin", from: null, to: null },
    summary: "a test of movedex: nothing has changed, and alerts arrive here",
    watch: { id: 0, subject: "0x1::coin", audience: null, level: "breaking", isMine: false },
    ...{ address: "0x1", afterVersion: 0n, atOrBeforeVersion: 1n, isExact: true, shownBy: 1n, ledgerTime: null, ledgerTimeErrorMs: null },
    ...{ findings: [], total: 0, renamed: [], reason: null, link: null },
  });
}

/** Findings, the worst first; those that have one cause in common with many are one. */
export function foldedFindings(findings: readonly AlertFinding[]): (readonly [AlertFinding, ...AlertFinding[]])[] {
  const { crowds, others } = crowdsIn(findings, (finding) => `${finding.use} ${causeOf(causedBy(finding))}`);
  return [...crowds, ...others.map((one): [AlertFinding] => [one])].toSorted(([a], [b]) => compareSeverities(a.worst, b.worst));
}

function causedBy(finding: AlertFinding): CausedFinding {
  return { ...finding, item: { kind: finding.item_kind, name: finding.item } };
}

/** A finding in words: `withdraw was removed, which your modules use; breaks callers`. Without own modules a watch's subject reaches it. */
export function findingText(
  of: readonly [AlertFinding, ...AlertFinding[]],
  { subject, isMine }: Pick<Alert["watch"], "subject" | "isMine">,
  more = "",
): string {
  const [finding] = of;
  const { use } = finding;
  const used =
    use === undefined || use === "not" || (use === "directly" && !isMine)
      ? ""
      : use === "directly"
        ? ", which your modules use"
        : `, which ${isMine ? "your modules reach" : `${printable(subject, 100)} reaches`} through others`;
  const caused = causedBy(finding);
  const names = namesOf(
    of.map(({ item }) => item ?? ""),
    NAMED,
  );
  const what = rawText(of.length === 1 ? whatChanged(caused) : [...crowdSentence(itemCount(of.map(causedBy)), caused), ": ", ...names]);
  return `${printable(what, 500)}${used}${more === "" ? "" : ` (${more})`}; ${rawText(whomTheyConcern(of))}`;
}

/** How many findings there are beside those that are shown, and how many of these are safe: `and 42 more, 40 of them safe`. */
export function moreText({ findings, total }: Pick<Alert["findings"], "findings" | "total">, shown: readonly AlertFinding[]): string {
  const rest = total - shown.length;
  const isSafe = ({ worst }: AlertFinding): boolean => compareSeverities(worst, "behaviour") > 0;
  // The worst are kept: those that are not are no worse than the last.
  const unkept = findings.slice(-1).every(isSafe) ? 0 : total - findings.length;
  const safe = rest - unkept - findings.filter((finding) => !isSafe(finding) && !shown.includes(finding)).length;
  return rest === 0 ? "" : `and ${rest} more${safe === 0 ? "" : safe === rest ? ", safe" : `, ${safe} of them safe`}`;
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
  const [worst] = foldedFindings(findings.findings);
  const what = alert.severity === "unclear" ? "could not be compared" : worst && findingText(worst, alert.watch, moreText(findings, worst));
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
