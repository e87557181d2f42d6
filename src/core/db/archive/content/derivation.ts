import { moduleAbi } from "../../../abi/decode.ts";
import { parseNodeAbi } from "../../../abi/node-json/parse.ts";
import { DecodeError } from "../../../move/decode-error.ts";
import type { FunctionHandle } from "../../../move/module/handles.ts";
import { type CompiledModule, parseModule } from "../../../move/module/module.ts";
import type { ItemId } from "../../../move/module-id.ts";
import { DERIVED_BY, REPORTED_BY_NODE } from "../../schema/tables/derived.ts";
import { type AbiRows, abiRows, type ModuleCalls } from "./abi-rows.ts";

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

/** What a module's functions call; undefined where that is too much to store. */
export function moduleCalls(module: CompiledModule): ModuleCalls | undefined {
  const callees: ItemId[] = [];
  const places: (number | undefined)[] = new Array(module.functionHandles.length).fill(undefined);
  const placeOf = (handle: FunctionHandle): number => {
    const place = places[handle.row] ?? callees.push(handle) - 1;
    places[handle.row] = place;
    return place;
  };
  const ofFunction = new Map<string, readonly number[]>();
  let size = 0;
  for (const { handle, callees } of module.functions) {
    if (callees.length === 0) continue;
    size = callees.reduce((sum, { name }) => sum + name.length, size + handle.name.length);
    if (size > CALLS_SIZE_MAX) return undefined;
    ofFunction.set(handle.name, callees.map(placeOf));
  }
  return { callees, ofFunction };
}
