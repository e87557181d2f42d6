import { isBehaviour } from "../../../abi/compare/rules/rules.ts";
import { type Severity, worstOf } from "../../../abi/compare/severity.ts";
import type { DiffReport, ReportedModule } from "../../../questions/diff/report.ts";
import { moduleId } from "../../../questions/diff/sentences.ts";

export function breakingModules({ modules }: DiffReport, ...levels: readonly Severity[]): ReportedModule[] {
  return modules
    .filter(({ findings }) => levels.includes(worstOf(findings.map(({ worst }) => worst)) ?? "silent"))
    .map((module) => ({ ...module, findings: module.findings.filter(({ worst }) => levels.includes(worst)) }));
}

/** The functions that can be called and do something else, by module. */
export function changedBehaviour({ modules }: DiffReport): { readonly module: string; readonly functions: readonly string[] }[] {
  return modules.flatMap((module) => {
    const changed = module.findings.filter(({ rule, worst }) => isBehaviour(rule) && worst !== "silent");
    const functions = new Set(changed.flatMap(({ item, functions = [] }) => [...(item.name === null ? [] : [item.name]), ...functions]));
    return changed.length === 0 ? [] : [{ module: moduleId(module), functions: [...functions] }];
  });
}
