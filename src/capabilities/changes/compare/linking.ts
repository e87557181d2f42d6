import type { DecodedModule } from "../../../core/abi/decode.ts";
import type { FunctionAbi, ModuleAbi, StructAbi } from "../../../core/abi/model.ts";
import { formatSignature, formatStructHead } from "../../../core/abi/print/signature.ts";
import type { FunctionHandle, FunctionMark, StructHandle } from "../../../core/move/module/handles.ts";
import { parseModule } from "../../../core/move/module/module.ts";
import { isSameModule, type ModuleId } from "../../../core/move/module-id.ts";
import { WHOLE_MODULE } from "./finding.ts";
import { compareTypeParameters, isSameTypes, lacking } from "./type-parameters.ts";

/** Something of another module that a module refers to and that the VM would not link. */
export type LinkProblem = {
  /** The module that refers to it. */
  readonly module: ModuleId;
  /** The module that it should be in. */
  readonly target: ModuleId;
  /** `name` is null for the module itself. */
  readonly item: { readonly kind: "module" | "struct" | "function"; readonly name: string | null };
  /** As the bytecode expects it, and as it is; null if it is not there. */
  readonly expected: string;
  readonly found: string | null;
};

/** A module to link with: its interface, and the function attributes of its bytecode where that is held. */
export type LinkedModule = { readonly abi: ModuleAbi; readonly functionMarks?: DecodedModule["functionMarks"] | undefined };

/** Finds a module; undefined if there is no such module, null if that is not known. */
export type FindModule = (id: ModuleId) => LinkedModule | undefined | null;

/**
 * Checks all that a module refers to in other known modules, as the VM does when it is published. Source: aptos-core
 * `third_party/move/move-bytecode-verifier/src/dependencies.rs`, `move-binary-format/src/file_format.rs` (`is_compatible_with`).
 * @throws DecodeError
 */
export function findLinkProblems(bytes: Uint8Array, find: FindModule): LinkProblem[] {
  const { self, modules, structHandles, functionHandles } = parseModule(bytes);
  const problems: LinkProblem[] = [];
  const report = (target: ModuleId, item: LinkProblem["item"], expected: string, found: string | null): void => {
    problems.push({ module: self, target, item, expected, found });
  };
  const ownerOf = (module: ModuleId): LinkedModule | undefined => (isSameModule(module, self) ? undefined : (find(module) ?? undefined));
  for (const id of modules) {
    if (isSameModule(id, self) || find(id) !== undefined) continue;
    report(id, WHOLE_MODULE, "the module", null);
  }
  for (const handle of structHandles) {
    const { module, name } = handle.plain;
    const owner = ownerOf(module);
    if (owner === undefined) continue;
    const struct = owner.abi.structs.find((candidate) => candidate.name === name);
    if (struct && lacking(struct.abilities, handle.abilities).length === 0 && fits(handle.typeParams, struct.typeParams)) continue;
    report(module, { kind: "struct", name }, structText(name, handle), struct === undefined ? null : structText(name, struct));
  }
  for (const handle of functionHandles) {
    const { module, name, marks } = handle;
    const owner = ownerOf(module);
    if (owner === undefined) continue;
    const fn = owner.abi.functions.find((candidate) => candidate.name === name);
    const lacksMark = isPersistent(marks) && owner.functionMarks !== undefined && !isPersistent(owner.functionMarks.get(name) ?? []);
    if (fn !== undefined && isCallable(fn, owner.abi, self) && fitsFunction(handle, fn) && !lacksMark) continue;
    // Public functions have the attribute without saying so, which is why it is shown only where it is what differs.
    const expected = `${lacksMark ? "#[persistent] " : ""}${handleText(handle)}`;
    report(module, { kind: "function", name }, expected, fn === undefined ? null : formatSignature(fn));
  }
  return problems;
}

function isPersistent(marks: readonly FunctionMark[]): boolean {
  return marks.some(({ name }) => name === "persistent");
}

/** What of type parameters may differ: the bytecode may know less of what it names than it is, not more. */
const ALLOWED: readonly string[] = ["relaxed", "phantom-added"];

function fits(expected: StructHandle["typeParams"], typeParams: StructAbi["typeParams"]): boolean {
  return compareTypeParameters(expected, typeParams).every((change) => ALLOWED.includes(change));
}

function isCallable({ visibility }: FunctionAbi, { friends }: ModuleAbi, caller: ModuleId): boolean {
  return visibility === "public" || (visibility === "friend" && friends.some((friend) => isSameModule(friend, caller)));
}

function fitsFunction(expected: FunctionHandle, { typeParams, params, returns }: FunctionAbi): boolean {
  return (
    fits(expected.typeParams, typeParams) && isSameTypes(expected.params.types, params) && isSameTypes(expected.returns.types, returns)
  );
}

function structText(name: string, { abilities, typeParams }: Pick<StructAbi, "abilities" | "typeParams">): string {
  return formatStructHead({ name, abilities, typeParams, isNative: false, isEnum: false });
}

function handleText({ name, typeParams, params, returns }: FunctionHandle): string {
  const unknown = { visibility: "private", isEntry: false, isView: false, isNative: false, acquires: [], attributes: [] } as const;
  return formatSignature({ name, typeParams, params: params.types, returns: returns.types, ...unknown });
}
