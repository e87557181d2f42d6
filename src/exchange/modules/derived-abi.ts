import { decodeModule } from "../../abi/decode.ts";
import type { ModuleAbi } from "../../abi/model.ts";
import { MovedexError } from "../../errors.ts";

/** A module to export. `nodeAbi` is a node's ABI of bytes that movedex could not decode. */
export type ModuleToWrite = {
  readonly address: string;
  readonly name: string;
  /** 64 hex digits. */
  readonly sha256: string;
  readonly code: Uint8Array;
  readonly nodeAbi: ModuleAbi | undefined;
};

/** A module's ABI: from its bytes, else the node's; undefined if there is neither. */
export function deriveAbi({ code, nodeAbi }: Pick<ModuleToWrite, "code" | "nodeAbi">): ModuleAbi | undefined {
  try {
    return decodeModule(code).abi;
  } catch (error) {
    if (!(error instanceof MovedexError)) throw error;
    return nodeAbi;
  }
}
