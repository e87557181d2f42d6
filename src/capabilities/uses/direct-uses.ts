import { memoizeOf } from "../../core/base/async.ts";
import type { ModuleArchive, StoredModule } from "../../core/db/archive/read/module-archive.ts";
import { type Instruction, parseCode } from "../../core/move/code/read-code.ts";
import { ifDecodable } from "../../core/move/decode-error.ts";
import { parseModule } from "../../core/move/module/module.ts";
import { formatItemId, isSameModule, type ModuleId } from "../../core/move/module-id.ts";
import { referring } from "./dependents.ts";

/** How one function uses another: whether it calls it, whether it makes a function value of it, and with which type arguments. */
export type DirectUse = {
  readonly isCall: boolean;
  readonly isValue: boolean;
  /** `<0x1::aptos_coin::AptosCoin>`; those of the using function's own as `T0`. Empty where the function is not generic. */
  readonly instantiations: ReadonlySet<string>;
};

/**
 * Reads how functions of a module are used directly at a snapshot, from its own code and from referring modules, or from the known users
 * only: by the names of the user and of the used one with a space between. Who looks for callers names the modules that cannot be read.
 */
export async function findDirectUses(
  archive: Pick<ModuleArchive, "engine" | "standingAmong" | "bytecode">,
  module: ModuleId,
  names: ReadonlySet<string>,
  version: bigint,
  isUser: (id: ModuleId) => boolean = () => true,
): Promise<ReadonlyMap<string, DirectUse>> {
  const uses = new Map<string, { isCall: boolean; isValue: boolean; instantiations: Set<string> }>();
  const users = [...(await archive.standingAmong([module], version)), ...(await referring(archive, module, version))];
  for (const { bytecode, ...user } of users.filter(isUser)) {
    const bytes = await archive.bytecode({ bytecode });
    ifDecodable(() => {
      for (const { definition, instructions } of parseCode(bytes).functions())
        for (const { name, reference } of instructions) {
          if (reference?.kind !== "function" || !names.has(reference.handle.name) || !isSameModule(reference.handle.module, module))
            continue;
          const caller = formatItemId({ module: user, name: definition.handle.name });
          const key = `${caller} ${formatItemId({ module, name: reference.handle.name })}`;
          const use = uses.get(key) ?? { isCall: false, isValue: false, instantiations: new Set() };
          uses.set(key, use);
          if (name.startsWith("PackClosure")) use.isValue = true;
          else use.isCall = true;
          if (reference.typeArguments.length > 0) use.instantiations.add(`<${reference.typeArguments.map(({ text }) => text).join(", ")}>`);
        }
    });
  }
  return uses;
}

/**
 * What a module uses, by full names such as `0x1::coin::withdraw`: what it names of other modules, and its calls, function values among
 * them. What is called through a function value, and what natives call, is not in the bytecode.
 */
export type ModuleUses = {
  readonly functions: ReadonlySet<string>;
  readonly structs: ReadonlySet<string>;
  /** What each of its functions calls: each once, in the order in which it first does. */
  readonly calls: ReadonlyMap<string, readonly string[]>;
};

/** What a module uses; undefined where its bytecode cannot be read. */
export function usesIn(bytes: Uint8Array): ModuleUses | undefined {
  const module = ifDecodable(() => parseModule(bytes));
  if (module === undefined) return undefined;
  const { self, functions, functionHandles, structHandles } = module;
  const named = functions.map(({ handle, callees }) => {
    return [formatItemId({ module: self, name: handle.name }), [...new Set(callees.map(formatItemId))]] as const;
  });
  return {
    functions: new Set(functionHandles.filter((handle) => !isSameModule(handle.module, self)).map(formatItemId)),
    structs: new Set(structHandles.filter(({ plain }) => !isSameModule(plain.module, self)).map(({ plain }) => plain.text)),
    calls: new Map(named),
  };
}

/** Modules that are kept of an archive, of some ten kilobytes each. */
const KEPT = 2_000;

/** The same of stored modules, each bytecode once for all who ask of an archive. */
export const usesOf = memoizeOf(
  KEPT,
  ({ bytecode }) => String(bytecode),
  async (archive: Pick<ModuleArchive, "bytecode">, stored: Pick<StoredModule, "bytecode">) => usesIn(await archive.bytecode(stored)),
);

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
  for (const stored of await referring(archive, module, version)) {
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
