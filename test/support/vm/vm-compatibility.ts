import type { FunctionAbi, ModuleAbi, StructAbi, TypeParameterAbi } from "../../../src/core/abi/model.ts";
import type { FunctionMark } from "../../../src/core/move/module/handles.ts";
import type { MoveType } from "../../../src/core/move/types/make-type.ts";

/** What the VM looks at in a module. */
type Checked = {
  readonly abi: ModuleAbi;
  readonly bytecodeVersion: number;
  readonly functionMarks: ReadonlyMap<string, readonly FunctionMark[]>;
};

/**
 * The VM's check of an upgrade, told again step by step from aptos-core's `compatibility.rs` (2026) as a second opinion on
 * the rules. Friends count as private and entry functions as public, as on chains in use. Gives the reasons for refusing.
 */
export function refusals(before: Checked, after: Checked): string[] {
  const errors: string[] = [];
  if (before.abi.address !== after.abi.address) errors.push("address");
  if (before.abi.name !== after.abi.name) errors.push("name");
  for (const old of before.abi.structs) {
    const now = after.abi.structs.find(({ name }) => name === old.name);
    if (now === undefined) {
      errors.push(`removed struct ${old.name}`);
      break;
    }
    if (!old.abilities.every((ability) => now.abilities.includes(ability))) errors.push(`abilities of ${old.name}`);
    if (!structParametersMatch(old.typeParams, now.typeParams)) errors.push(`type parameters of ${old.name}`);
    if (!layoutsMatch(old, now)) errors.push(`layout of ${old.name}`);
  }
  for (const old of before.abi.functions) {
    const error = functionRefusal(before, old, after);
    if (error !== undefined) errors.push(`${error} of ${old.name}`);
  }
  return errors;
}

function functionRefusal(before: Checked, old: FunctionAbi, after: Checked): string | undefined {
  const persistent = isPersistent(before, old);
  if (old.visibility === "private" && !old.isEntry && !persistent) return undefined;
  const now = after.abi.functions.find(({ name }) => name === old.name);
  const friendsOnly = old.visibility === "friend" && !persistent && !old.isEntry;
  if (friendsOnly) return undefined;
  if (now === undefined) return "removal";
  const visible =
    old.visibility === "public" ? now.visibility === "public" : old.visibility === "friend" ? now.visibility !== "private" : true;
  if (!visible) return "visibility";
  const bothOld = before.bytecodeVersion < 5 && after.bytecodeVersion < 5;
  if (bothOld ? old.isEntry !== now.isEntry : old.isEntry && !now.isEntry) return "entry";
  if (persistent && !isPersistent(after, now)) return "attributes";
  if (!signaturesMatch(old.params, now.params)) return "parameters";
  if (!signaturesMatch(old.returns, now.returns)) return "returns";
  if (!constraintsMatch(old.typeParams, now.typeParams)) return "type parameters";
  return undefined;
}

function isPersistent({ functionMarks }: Checked, { name }: FunctionAbi): boolean {
  return functionMarks.get(name)?.some((mark) => mark.name === "persistent") === true;
}

function constraintsMatch(old: readonly TypeParameterAbi[], now: readonly TypeParameterAbi[]): boolean {
  return old.length === now.length && now.every(({ constraints }, i) => constraints.every((a) => old[i]?.constraints.includes(a)));
}

function structParametersMatch(old: readonly TypeParameterAbi[], now: readonly TypeParameterAbi[]): boolean {
  return constraintsMatch(old, now) && old.every(({ isPhantom }, i) => !isPhantom || now[i]?.isPhantom === true);
}

function layoutsMatch(old: StructAbi, now: StructAbi): boolean {
  if (old.variants.length === 0) return now.variants.length === 0 && fieldsMatch(old.fields, now.fields);
  return (
    old.variants.length <= now.variants.length &&
    old.variants.every((variant, i) => variant.name === now.variants[i]?.name && fieldsMatch(variant.fields, now.variants[i].fields))
  );
}

function fieldsMatch(old: StructAbi["fields"], now: StructAbi["fields"]): boolean {
  return old.length === now.length && old.every(({ name, type }, i) => name === now[i]?.name && typesMatch(type, now[i].type));
}

function signaturesMatch(old: readonly MoveType[], now: readonly MoveType[]): boolean {
  return old.length === now.length && old.every((type, i) => typesMatch(type, now[i] as MoveType));
}

function typesMatch(old: MoveType, now: MoveType): boolean {
  switch (old.kind) {
    case "vector":
      return now.kind === "vector" && typesMatch(old.element, now.element);
    case "reference":
      return now.kind === "reference" && old.mutable === now.mutable && typesMatch(old.target, now.target);
    case "struct":
      return (
        now.kind === "struct" &&
        old.name === now.name &&
        old.module.address === now.module.address &&
        old.module.name === now.module.name &&
        signaturesMatch(old.typeArguments, now.typeArguments)
      );
    case "function": {
      if (now.kind !== "function") return false;
      // The VM pairs arguments and results without counting them: `|u64|` passes for `|u64, bool|`.
      const paired = (a: readonly MoveType[], b: readonly MoveType[]): boolean =>
        a.slice(0, b.length).every((type, i) => typesMatch(type, b[i] as MoveType));
      return paired(old.params, now.params) && paired(old.results, now.results) && old.abilities.join() === now.abilities.join();
    }
    default:
      return old.kind === now.kind && old.text === now.text;
  }
}
