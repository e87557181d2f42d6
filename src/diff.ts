/**
 * What changed between two versions of a module, in any runtime: no Node.js, no database.
 *
 * @module
 */
export type { CodeDiff, CodeLine, FunctionDiff } from "./core/abi/compare/code-diff.ts";
export type { Depth, ModuleDifference } from "./core/abi/compare/difference.ts";
export type { RuleFinding } from "./core/abi/compare/finding.ts";
export type { Upgrade } from "./core/abi/compare/rules/rule.ts";
export type { RuleId } from "./core/abi/compare/rules/rules.ts";
export { type Audience, type Severities, type Severity, worstSeverity } from "./core/abi/compare/severity.ts";
export { compareModules } from "./core/library/compare-modules.ts";
export type { ModuleSource } from "./core/library/module-source.ts";
export { DecodeError } from "./core/move/decode-error.ts";
