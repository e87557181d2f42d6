import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { Instruction } from "../../move/code/read-code.ts";
import { readCode } from "../../move/code/read-code.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { formatModuleId } from "../../move/module-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import type { FunctionName } from "./call-graph.ts";

/**
 * The functions of `0x1::vector` that compilers turn into instructions, with what they become: no call of them is in the
 * bytecode. Source: `VecLen` to `VecSwap` in file_format.rs; move-stdlib/sources/vector.move (bytecode instructions).
 */
const COMPILED: ReadonlyMap<string, (instruction: Instruction) => boolean> = new Map([
  ["empty", ({ name, value }) => name === "VecPack" && value === 0n],
  ["length", ({ name }) => name === "VecLen"],
  ["borrow", ({ name }) => name === "VecImmBorrow"],
  ["borrow_mut", ({ name }) => name === "VecMutBorrow"],
  ["push_back", ({ name }) => name === "VecPushBack"],
  ["pop_back", ({ name }) => name === "VecPopBack"],
  ["destroy_empty", ({ name, value }) => name === "VecUnpack" && value === 0n],
  ["swap", ({ name }) => name === "VecSwap"],
]);

/** Whether calls of a function are instructions. */
export function isCompiled({ module, name }: FunctionName): boolean {
  return formatModuleId(module) === "0x1::vector" && COMPILED.has(name);
}

/** Who uses such functions at a snapshot, by the function's name; and the modules that cannot be read. */
export type CompiledCalls = { readonly callers: ReadonlyMap<string, readonly FunctionName[]>; readonly unreadable: readonly ModuleId[] };

/** Finds all functions of a snapshot that use instructions for calls: the code of every module is read, one after the other. */
export async function readCompiledCalls(archive: ModuleArchive, version: bigint): Promise<CompiledCalls> {
  const callers = new Map<string, FunctionName[]>(Array.from(COMPILED.keys(), (name) => [name, []]));
  const unreadable: ModuleId[] = [];
  for (const stored of await archive.modulesAt(version)) {
    const module = { address: stored.address, name: stored.name };
    try {
      for (const { definition, instructions } of readCode(await archive.bytecode(stored)).functions()) {
        for (const [name, is] of COMPILED) if (instructions.some(is)) callers.get(name)?.push({ module, name: definition.handle.name });
      }
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      unreadable.push(module);
    }
  }
  return { callers, unreadable };
}
