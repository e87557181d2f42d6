import type { ErrorCodeAbi, ModuleAbi } from "../../../core/abi/model.ts";
import { formatModuleId, isSameModule, type ModuleId } from "../../../core/move/module-id.ts";
import { listNames, makeFinding, type RuleFinding, WHOLE_MODULE } from "./finding.ts";
import { type ComparedModule, compareFunctions } from "./functions.ts";
import type { RuleId } from "./rules/rules.ts";
import { compareStructs } from "./structs.ts";

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
  return [makeFinding("module-renamed", WHOLE_MODULE, { before: formatModuleId(before), after: formatModuleId(after) })];
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
  return [makeFinding("dependencies-changed", WHOLE_MODULE, witness)];
}

/** The modules of the first list that are not in the second. */
function missing(these: readonly ModuleId[], those: readonly ModuleId[]): string[] {
  const known = new Set(those.map(formatModuleId));
  return these.map(formatModuleId).filter((id) => !known.has(id));
}

function compareErrorCodes({ errors: before }: ModuleAbi, { errors: after }: ModuleAbi): RuleFinding[] {
  if (before.length > 0 && after.length === 0) {
    const names = `error codes ${listNames(before.map(({ name }) => name))}`;
    return [makeFinding("error-map-removed", WHOLE_MODULE, { before: names, after: null })];
  }
  const now = byCode(after);
  const old = byCode(before);
  const taken = new Set<bigint>();
  const found = before.flatMap((error) => {
    const here = now.get(error.code);
    if (here?.name === error.name) return here.description === error.description ? [] : [finding("error-text-changed", error, here)];
    const moved = after.find(({ code, name }) => name === error.name && old.get(code)?.name !== name);
    if (moved !== undefined) taken.add(moved.code);
    return [
      ...(here === undefined ? [] : [finding("error-code-reused", error, here)]),
      ...(moved === undefined ? [] : [finding("error-code-renumbered", error, moved)]),
      ...(here === undefined && moved === undefined ? [finding("error-code-removed", error, undefined)] : []),
    ];
  });
  const added = after.filter(({ code }) => !old.has(code) && !taken.has(code));
  return [...found, ...added.map((error) => finding("error-code-added", undefined, error))];
}

function finding(rule: RuleId, before: ErrorCodeAbi | undefined, after: ErrorCodeAbi | undefined): RuleFinding {
  const item = { kind: "error", name: (before ?? after)?.name ?? null } as const;
  return makeFinding(rule, item, { before: describe(before), after: describe(after) });
}

function describe(error: ErrorCodeAbi | undefined): string | null {
  if (error === undefined) return null;
  return `${error.name} = ${error.code}${error.description === "" ? "" : `: ${error.description}`}`;
}

function byCode(errors: readonly ErrorCodeAbi[]): ReadonlyMap<bigint, ErrorCodeAbi> {
  return new Map(errors.map((error) => [error.code, error]));
}
