import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { StoredModule } from "../../archive/read/module-queries.ts";
import { type Instruction, parseCode } from "../../move/code/read-code.ts";
import { formatItemId, type ModuleId } from "../../move/module-id.ts";
import { usesIn } from "./direct-uses.ts";

/** Who uses a struct: the functions of its module, each with what it does, and other modules that name it. */
export type StructUses = {
  readonly functions: readonly { readonly name: string; readonly how: readonly string[] }[];
  readonly modules: readonly ModuleId[];
  readonly unreadable: readonly ModuleId[];
};

/** What instructions do with a struct, by the beginning of their names. Only its own module has such. */
const DOES: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^Pack/, "packs"],
  [/^Unpack/, "unpacks"],
  [/^Exists/, "asks for it"],
  [/^ImmBorrowGlobal/, "reads the resource"],
  [/^MutBorrowGlobal/, "writes the resource"],
  [/^MoveFrom/, "takes the resource"],
  [/^MoveTo/, "publishes the resource"],
  [/^ImmBorrow/, "reads"],
  [/^MutBorrow/, "writes"],
  [/^Test/, "tests"],
];

/** Finds who uses a struct at a snapshot. @throws DecodeError when its own module cannot be read */
export async function findStructUses(archive: ModuleArchive, module: StoredModule, struct: string, version: bigint): Promise<StructUses> {
  const functions = usesOfStruct(await archive.bytecode(module), struct);
  const name = formatItemId({ module, name: struct });
  const modules: ModuleId[] = [];
  const unreadable: ModuleId[] = [];
  for (const stored of await archive.referring(module, version)) {
    const id = { address: stored.address, name: stored.name };
    const used = usesIn(await archive.bytecode(stored));
    if (used === undefined) unreadable.push(id);
    else if (used.structs.has(name)) modules.push(id);
  }
  return { functions, modules, unreadable };
}

/** What the functions of a module do with a struct of it. @throws DecodeError */
function usesOfStruct(bytes: Uint8Array, struct: string): StructUses["functions"] {
  return Array.from(parseCode(bytes).functions(), ({ definition, instructions }) => ({
    name: definition.handle.name,
    how: [...new Set(instructions.flatMap((instruction) => wordsOf(instruction, struct)))],
  })).filter(({ how }) => how.length > 0);
}

function wordsOf({ name, reference }: Instruction, struct: string): string[] {
  if (reference?.kind !== "struct" && reference?.kind !== "field" && reference?.kind !== "variant") return [];
  if (reference.struct.handle.plain.name !== struct) return [];
  const words = DOES.find(([pattern]) => pattern.test(name))?.[1];
  const part = reference.kind === "field" ? ` ${reference.field.name}` : reference.kind === "variant" ? ` ${reference.variant.name}` : "";
  return words === undefined ? [] : [`${words}${part}`];
}
