import type { FunctionMark } from "../../move/module/function-handles.ts";
import type { FunctionAbi, Visibility } from "../model.ts";

/**
 * Attributes of the functions that the compiler generates for a `public struct` or enum, so that other modules can pack,
 * unpack and borrow from it: `pack$Order$Limit`, `borrow_mut$Point$0`. They are not in the source.
 * Source: aptos-core `third_party/move/move-binary-format/src/file_format.rs` (FunctionAttribute), from bytecode version 10 on.
 */
const STRUCT_MARKS = new Set(["pack", "pack_variant", "unpack", "unpack_variant", "test_variant", "borrow", "borrow_mut"]);

/** Whether the compiler generated the function for a public struct. */
export function isStructFunction(marks: readonly FunctionMark[] | undefined): boolean {
  return marks?.some(({ name }) => STRUCT_MARKS.has(name)) === true;
}

/** The visibility of structs that other modules can pack, unpack or borrow from, by name. All other structs are private. */
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
