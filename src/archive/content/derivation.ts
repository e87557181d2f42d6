import { moduleAbi } from "../../abi/decode.ts";
import { parseNodeAbi } from "../../abi/node-json/parse.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { parseModule } from "../../move/module/module.ts";
import { type AbiRows, abiRows } from "./abi-rows.ts";
import { moduleCalls } from "./module-calls.ts";

/** What makes rows of bytecode, and which revision of it. A database whose rows another revision made derives all of them anew. */
export const DERIVED_BY = "movedex 6";

/** The same where the rows are made of a node's own JSON, for bytes that movedex cannot decode. */
export const REPORTED_BY_NODE = "node 2";

/** Why bytecode could not be decoded. */
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
