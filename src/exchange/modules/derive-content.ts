import { type DecodedModule, decodeModule } from "../../abi/decode.ts";
import type { ModuleAbi } from "../../abi/model.ts";
import { parseNodeAbi } from "../../abi/node-json/parse.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { readSelfId } from "../../move/module/self-id.ts";
import { isSameModule } from "../../move/module-id.ts";

/** A module's bytecode with what could be derived from it, as the store accepts it. */
export type DerivedContent = {
  readonly code: Uint8Array;
  readonly bytecodeVersion: number | null;
  readonly decoded:
    | { readonly abi: ModuleAbi; readonly decoder: string }
    | { readonly error: { readonly code: string; readonly offset: number; readonly message: string } };
};

/**
 * Derives the ABI of imported bytecode. It always comes from the bytes themselves. Only for bytes that cannot be decoded a
 * node's ABI is accepted, as JSON text, provided that it is of the module that the bytes name.
 */
export function deriveContent(code: Uint8Array, nodeAbi: string | null): DerivedContent {
  try {
    const { bytecodeVersion, abi }: DecodedModule = decodeModule(code);
    return { code, bytecodeVersion, decoded: { abi, decoder: "movedex" } };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const failure = { code: error.code, offset: error.offset, message: error.message };
    const abi = nodeAbi === null ? undefined : acceptNodeAbi(nodeAbi, code);
    const bytecodeVersion = readSelfId(code)?.bytecodeVersion ?? null;
    return { code, bytecodeVersion, decoded: abi === undefined ? { error: failure } : { abi, decoder: "node" } };
  }
}

function acceptNodeAbi(text: string, code: Uint8Array): ModuleAbi | undefined {
  try {
    const abi = parseNodeAbi(JSON.parse(text));
    const self = readSelfId(code)?.id;
    return self === undefined || isSameModule(self, abi) ? abi : undefined;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
