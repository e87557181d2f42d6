/**
 * movedex as a library: what the commands do, as functions over values. Nothing of the command line is loaded, and no database
 * before `openArchive`. docs/library.md shows each of them. @module
 */
import type { Archive } from "./library/archive.ts";

export type { AbortCategory } from "./abi/abort/category.ts";
export type { CodeDiff, CodeLine, FunctionDiff } from "./abi/compare/code-diff.ts";
export type { Depth, ModuleDifference } from "./abi/compare/difference.ts";
export type { RuleFinding } from "./abi/compare/finding.ts";
export type { Upgrade } from "./abi/compare/rules/rule.ts";
export type { RuleId } from "./abi/compare/rules/rules.ts";
export { type Audience, type Severities, type Severity, worstSeverity } from "./abi/compare/severity.ts";
export { type DecodedModule, decodeModule } from "./abi/decode.ts";
export type {
  AttributeAbi,
  ErrorCodeAbi,
  FieldAbi,
  FunctionAbi,
  ModuleAbi,
  StructAbi,
  TypeParameterAbi,
  VariantAbi,
  Visibility,
} from "./abi/model.ts";
export { formatNodeAbi, type NodeAbiJson, type NodeGeneration } from "./abi/node-json/format.ts";
export { formatSignature } from "./abi/print/signature.ts";
export type { StatusKind, VmStatus } from "./abi/vm-status/vm-status.ts";
export { MovedexError } from "./errors.ts";
export type { Archive, ArchivedModule, Cell, SnapshotName } from "./library/archive.ts";
export { compareModules } from "./library/compare-modules.ts";
export { type AbortExplanation, explainAbort } from "./library/explain-abort.ts";
export type { ModuleSource } from "./library/module-source.ts";
export { type InterfaceOptions, type ModuleInterface, type NodeAbi, readInterface } from "./library/read-interface.ts";
export type { Address } from "./move/address.ts";
export { DecodeError } from "./move/decode-error.ts";
export type { Ability, ModuleId, MoveType } from "./move/types/types.ts";

/**
 * Opens a movedex database to read: a file, or `postgres://user@host/database` completed by libpq's variables. A run may write
 * meanwhile. @throws MovedexError `MOVEDEX_STORE_…` when the file is missing, is no movedex database, or is of another version
 */
export async function openArchive(path: string): Promise<Archive> {
  const { openHeldArchive } = await import("./library/open-archive.ts");
  return openHeldArchive(path);
}
