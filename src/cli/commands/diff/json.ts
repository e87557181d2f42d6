import type { User } from "../../../abi/compare/usage.ts";
import { formatModuleId } from "../../../move/module-id.ts";
import type { DiffReport, ReportedFinding, ReportedModule } from "../../../questions/diff/report.ts";

/** The report as one object; ledger versions are text. */
export function diffObject(report: DiffReport): Record<string, unknown> {
  const { before, after, unchanged, counts, refused, usage } = report;
  return {
    before,
    after,
    unchanged,
    findings: counts,
    refused,
    modules: report.modules.map(moduleJson),
    carried: report.carried?.changes ?? null,
    carried_is_cut: report.carried?.isCut ?? null,
    incomparable: report.incomparable,
    usage: usage === undefined ? null : { ledger_version: usage.version.toString(), accounts: usage.accounts, gaps: usage.gaps },
  };
}

export function moduleJson({ module, depth, sha256, renamed, findings, code }: ReportedModule): Record<string, unknown> {
  return {
    address: module.address,
    module: module.name,
    depth,
    from_sha256: sha256.before,
    to_sha256: sha256.after,
    renamed,
    findings: findings.map(findingJson),
    ...(code === undefined ? {} : { code: "unreadable" in code ? code : { functions: code.functions, left_out: code.leftOut } }),
  };
}

/** The functions of a user that call the item: `0x3::token::mint`. */
function functionNames({ functions = [], ...module }: User): string[] {
  return functions.map((name) => `${formatModuleId(module)}::${name}`);
}

function findingJson({ rule, item, before, after, severity, worst, upgrade, users }: ReportedFinding): Record<string, unknown> {
  return {
    rule,
    severity: worst,
    audiences: severity,
    item_kind: item.kind,
    item: item.name,
    before,
    after,
    upgrade,
    ...(users === undefined ? {} : { users: users.map(formatModuleId), user_functions: users.flatMap(functionNames) }),
  };
}
