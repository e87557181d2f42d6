import { formatModuleId, isSameModule } from "../../move/module-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import type { DecodedModule } from "../decode.ts";
import { compareErrorCodes } from "./error-codes.ts";
import { listNames, makeFinding, type RuleFinding } from "./finding.ts";
import { compareFunctions } from "./functions.ts";
import { compareStructs } from "./structs.ts";

/** A module to compare: its ABI and the function attributes of its bytecode. */
export type ComparedModule = Pick<DecodedModule, "abi" | "functionMarks">;

/** Compares everything that two modules declare. Empty if they differ in instructions or metadata only. */
export function compareModules(before: ComparedModule, after: ComparedModule): RuleFinding[] {
  return [
    ...compareNames(before.abi, after.abi),
    ...compareStructs(before.abi, after.abi),
    ...compareFunctions(before, after),
    ...compareFriends(before.abi.friends, after.abi.friends),
    ...compareErrorCodes(before.abi, after.abi),
    ...compareDependencies(before.abi.dependencies, after.abi.dependencies),
  ];
}

function compareNames(before: ModuleId, after: ModuleId): RuleFinding[] {
  if (isSameModule(before, after)) return [];
  return [makeFinding("module-renamed", { kind: "module", name: null }, { before: formatModuleId(before), after: formatModuleId(after) })];
}

function compareFriends(before: readonly ModuleId[], after: readonly ModuleId[]): RuleFinding[] {
  const friend = (id: string): { kind: "friend"; name: string } => ({ kind: "friend", name: id });
  return [
    ...missing(before, after).map((id) => makeFinding("friend-removed", friend(id), { before: `friend ${id}`, after: null })),
    ...missing(after, before).map((id) => makeFinding("friend-added", friend(id), { before: null, after: `friend ${id}` })),
  ];
}

function compareDependencies(before: readonly ModuleId[], after: readonly ModuleId[]): RuleFinding[] {
  const witness = { before: listNames(missing(before, after)), after: listNames(missing(after, before)) };
  if (witness.before === null && witness.after === null) return [];
  return [makeFinding("dependencies-changed", { kind: "module", name: null }, witness)];
}

/** The modules of the first list that are not in the second. */
function missing(these: readonly ModuleId[], those: readonly ModuleId[]): string[] {
  const known = new Set(those.map(formatModuleId));
  return these.map(formatModuleId).filter((id) => !known.has(id));
}
