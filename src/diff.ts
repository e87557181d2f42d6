/**
 * What changed between two versions of a module, in any runtime: no Node.js, no database.
 *
 * @module
 */
export type { CodeDiff, CodeLine, FunctionDiff } from "./capabilities/changes/compare/code-diff.ts";
export type { Depth, ModuleDifference } from "./capabilities/changes/compare/difference.ts";
export type { RuleFinding } from "./capabilities/changes/compare/finding.ts";
export type { Upgrade } from "./capabilities/changes/compare/rules/rule.ts";
export type { RuleId } from "./capabilities/changes/compare/rules/rules.ts";
export { type Audience, type Severities, type Severity, worstSeverity } from "./capabilities/changes/compare/severity.ts";
export { compareModules } from "./capabilities/changes/compare-modules.ts";
export type { ModuleSource } from "./core/abi/decode.ts";
export { DecodeError } from "./core/move/decode-error.ts";
