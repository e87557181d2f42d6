import type { FunctionMark } from "../../move/module/function-handles.ts";
import type { FunctionAbi, Visibility } from "../model.ts";

/**
 * Marks of functions that a compiler writes for a struct or enum that other modules may take apart: `pack$Order$Limit`,
 * `borrow_mut$Point$0`. Nobody wrote these: the source says `public struct Point`.
 * Source: aptos-core `third_party/move/move-binary-format/src/file_format.rs` (FunctionAttribute), from bytecode version 10 on.
 */
const STRUCT_MARKS = new Set(["pack", "pack_variant", "unpack", "unpack_variant", "test_variant", "borrow", "borrow_mut"]);

/** Whether a compiler made the function on behalf of a struct. */
export function isStructFunction(marks: readonly FunctionMark[] | undefined): boolean {
  return marks?.some(({ name }) => STRUCT_MARKS.has(name)) === true;
}

/** For structs that other modules may take apart, by name: who may. Structs that are not in it belong to their module alone. */
export function openStructs(
  functions: readonly FunctionAbi[],
  marks: ReadonlyMap<string, readonly FunctionMark[]>,
): ReadonlyMap<string, Visibility> {
  const found = new Map<string, Visibility>();
  for (const { name, visibility } of functions) {
    const struct = isStructFunction(marks.get(name)) ? name.split("$")[1] : undefined;
    if (struct !== undefined) found.set(struct, visibility);
  }
  return found;
}
