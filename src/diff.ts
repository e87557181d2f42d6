/**
 * What changed between two versions of a module, in any runtime: no Node.js, no database.
 *
 * @module
 */
export type { CodeDiff, CodeLine, FunctionDiff } from "./abi/compare/code-diff.ts";
export type { Depth, ModuleDifference } from "./abi/compare/difference.ts";
export type { RuleFinding } from "./abi/compare/finding.ts";
export type { Upgrade } from "./abi/compare/rules/rule.ts";
export type { RuleId } from "./abi/compare/rules/rules.ts";
export { type Audience, type Severities, type Severity, worstSeverity } from "./abi/compare/severity.ts";
export { compareModules } from "./library/compare-modules.ts";
export type { ModuleSource } from "./library/module-source.ts";
export { DecodeError } from "./move/decode-error.ts";
