import {
  address,
  all,
  from,
  type Kind,
  list,
  maybe,
  object,
  orNull,
  perhaps,
  sha256,
  text,
  truth,
  version,
  whole,
  within,
  word,
} from "../../core/base/result.ts";
import { madeAt, outlook, snapshotStatus } from "../../core/cli/output/result-fields.ts";
import { formatModuleId } from "../../core/move/module-id.ts";
import { isBehaviour } from "../changes/compare/rules/rules.ts";
import { severities } from "../changes/compare/severity.ts";
import { carriedChange, moduleResult } from "../changes/diff/module-result.ts";
import type { ChangeSeverity, DiffReport } from "../changes/diff/report.ts";
import type { Alert } from "../watch/alerts/deliveries.ts";
import { breakingModules, type ChangeReport, type Listed } from "./read-report.ts";

const bounds = { after_version: version, at_or_before_version: version, is_exact: truth, ...madeAt };
const sides = { from_sha256: from("from", orNull(sha256)), to_sha256: from("to", orNull(sha256)) };
const change = object({ address, module: text, ...sides, ...bounds });
const account = object({ address, ledger_version: version });
const snapshot = object({
  ledger_version: version,
  status: snapshotStatus,
  ...all(whole, "accounts", "modules", "gaps"),
  digest: orNull(sha256),
  ...madeAt,
});
const alert = object({
  alert: from("id", whole),
  watch: from("watch.id", whole),
  subject: from("watch.subject", text),
  severity: word(...severities, "unclear"),
  address,
  module: text,
  ...sides,
  ...bounds,
  is_exact: from(({ afterVersion, atOrBeforeVersion }: Alert) => afterVersion + 1n === atOrBeforeVersion, truth),
  shown_by_version: from("shownBy", version),
});
const renamed = object({
  address: from("change.address", address),
  module: from("change.module", text),
  item_kind: from("rename.kind", word("function", "struct")),
  from_name: from("rename.from", text),
  to_name: from("rename.to", text),
  ...within("change", bounds),
});
const rotation = object({ address, from_key: from("from", orNull(text)), to_key: from("to", orNull(text)), ...bounds });

function listed<Name extends string, In>(name: Name, row: Kind<In, unknown>) {
  type Lists = { readonly [N in Name]: Listed<In> } & Pick<ChangeReport, "limit">;
  return from((report: Lists) => report[name].rows.slice(0, report.limit), list(row));
}

function changesAt(level: ChangeSeverity): (report: ChangeReport) => number {
  return ({ bySeverity }) => bySeverity.find(([one]) => one === level)?.[1] ?? 0;
}

const lists = object({
  behaviour: from(
    ({ breaks }: ChangeReport) => (breaks === undefined ? [] : changedBehaviour(breaks)),
    list(object({ module: text, functions: list(text) })),
  ),
  carried: from(({ breaks }: ChangeReport) => breaks?.carried?.changes ?? [], list(carriedChange)),
  breaks: from(
    ({ breaks }: ChangeReport) => (breaks === undefined ? [] : breakingModules(breaks, "breaking", "dangerous")),
    list(moduleResult),
  ),
  alerts: listed("alerts", alert),
  snapshots: list(snapshot),
  older_snapshots: from("older", list(snapshot)),
  new_accounts: listed("newAccounts", account),
  first_read_accounts: listed("firstReadAccounts", account),
  modules_added: listed("added", change),
  modules_abi_changed: listed("abiChanged", change),
  modules_bytes_changed: listed("bytesChanged", change),
  modules_changed_unclear: listed("unclear", change),
  modules_removed: listed("removed", change),
  items_renamed: listed("renamed", renamed),
  keys_rotated: listed("keyRotations", rotation),
});

export const reportResult = object({
  chain_id: orNull(whole),
  after_version: from(({ after }: ChangeReport) => (after < 0n ? null : after), orNull(version)),
  up_to_version: from(({ upTo }: ChangeReport) => (upTo < 0n ? null : upTo), orNull(version)),
  snapshots: from("snapshots.length", whole),
  older_snapshots: from("older.length", whole),
  gaps: from(({ snapshots }: ChangeReport) => snapshots.reduce((sum, { gaps }) => sum + gaps, 0), whole),
  new_accounts: from("newAccounts.total", whole),
  first_read_accounts: from("firstReadAccounts.total", whole),
  modules_added: from("added.total", whole),
  modules_abi_changed: from("abiChanged.total", whole),
  modules_bytes_changed: from("bytesChanged.total", whole),
  modules_changed_unclear: from("unclear.total", whole),
  modules_removed: from("removed.total", whole),
  items_renamed: from("renamed.total", whole),
  keys_rotated: from("keyRotations.total", whole),
  alerts: from("alerts.total", whole),
  ...perhaps("outlook", outlook),
  modules_compared: from("compared", whole),
  changes_by_severity: from(
    ({ bySeverity }: ChangeReport) => Object.fromEntries(bySeverity),
    object(all(maybe(whole), "breaking", "unclear", "dangerous", "behaviour", "safe", "silent")),
  ),
  modules_breaking: from(changesAt("breaking"), whole),
  modules_dangerous: from(changesAt("dangerous"), whole),
  modules_behaviour: from(({ breaks }: ChangeReport) => breaks && changedBehaviour(breaks).length, orNull(whole)),
  lists: from((report: ChangeReport) => report, lists),
});

/** The functions that can be called and do something else, by module. */
function changedBehaviour({ modules }: DiffReport): { readonly module: string; readonly functions: readonly string[] }[] {
  return modules.flatMap((module) => {
    const changed = module.findings.filter(({ rule, worst }) => isBehaviour(rule) && worst !== "silent");
    const functions = new Set(changed.flatMap(({ item, functions = [] }) => [...(item.name === null ? [] : [item.name]), ...functions]));
    return changed.length === 0 ? [] : [{ module: formatModuleId(module.module), functions: [...functions] }];
  });
}
