import { moduleAbi } from "../../../abi/decode.ts";
import { parseNodeAbi } from "../../../abi/node-json/parse.ts";
import { DecodeError } from "../../../move/decode-error.ts";
import type { FunctionHandle } from "../../../move/module/handles.ts";
import { type CompiledModule, parseModule } from "../../../move/module/module.ts";
import type { ItemId } from "../../../move/module-id.ts";
import { DERIVED_BY, REPORTED_BY_NODE } from "../../schema/tables/derived.ts";
import { type AbiRows, abiRows, type ModuleCalls } from "./abi-rows.ts";
import { moduleKey } from "./module-ids.ts";

export type DecodeProblem = { readonly code: string; readonly offset: number; readonly message: string };

/** What follows from one bytecode: the rows of its ABI, or the reason why there are none. */
export type Derivation =
  | { readonly rows: AbiRows; readonly derivedBy: string }
  | { readonly error: DecodeProblem; readonly derivedBy: typeof DERIVED_BY };

/** Derives the rows of bytecode; only where it cannot be decoded, of the ABI that a node printed of it, as JSON text. */
export function rowsOfBytecode(code: Uint8Array, nodeAbi: string | null): Derivation {
  try {
    const module = parseModule(code);
    return { rows: abiRows(moduleAbi(module), moduleCalls(module)), derivedBy: DERIVED_BY };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const reported = nodeAbi === null ? undefined : rowsOfNodeAbi(nodeAbi);
    if (reported !== undefined) return { rows: reported, derivedBy: REPORTED_BY_NODE };
    return { error: { code: error.code, offset: error.offset, message: error.message }, derivedBy: DERIVED_BY };
  }
}

/** The rows of a node's ABI; undefined for a text that is none, which nothing of movedex writes. */
function rowsOfNodeAbi(text: string): AbiRows | undefined {
  try {
    return abiRows(parseNodeAbi(JSON.parse(text)), undefined);
  } catch (error) {
    if (error instanceof DecodeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Characters of names in a module's calls: the largest real one has 14,000, one built for it could have a hundred million. */
const CALLS_SIZE_MAX = 1024 * 1024;

type Named = { readonly handle: FunctionHandle; readonly name: string };

/** What a module's functions call; undefined where that is too much to store. */
export function moduleCalls(module: CompiledModule): ModuleCalls | undefined {
  const named: Named[] = [];
  const places = new Map<FunctionHandle, number>();
  let size = 0;
  for (const { handle, callees } of module.functions) {
    if (callees.length > 0) size += handle.name.length;
    for (const callee of callees) {
      size += callee.name.length;
      if (size > CALLS_SIZE_MAX) return undefined;
      if (places.has(callee)) continue;
      places.set(callee, 0);
      named.push({ handle: callee, name: `${moduleKey(callee.module)}::${callee.name}` });
    }
  }
  named.sort(byName);
  // A plain function and a generic one of the same name are two handles, and hostile bytes may name a module by two.
  const callees: ItemId[] = [];
  const names: string[] = [];
  for (const { handle, name } of named) {
    if (name !== names.at(-1)) {
      callees.push(handle);
      names.push(name);
    }
    places.set(handle, callees.length - 1);
  }
  const ofFunction = new Map<string, readonly number[]>();
  for (const { handle, callees } of module.functions) if (callees.length > 0) ofFunction.set(handle.name, placesOf(callees, places));
  return { callees, names, ofFunction };
}

// Functions of this file, and no closures: V8 throws away the compiled code of those at each collection.
function byName(a: Named, b: Named): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** The places of callees, each once, ascending. */
function placesOf(callees: readonly FunctionHandle[], places: ReadonlyMap<FunctionHandle, number>): readonly number[] {
  const found = new Uint32Array(callees.length);
  for (let i = 0; i < callees.length; i++) found[i] = places.get(callees[i] as FunctionHandle) as number;
  const numbers: number[] = [];
  for (const place of found.sort()) if (place !== numbers.at(-1)) numbers.push(place);
  return numbers;
}
