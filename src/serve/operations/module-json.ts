import { decodeModule } from "../../abi/decode.ts";
import { formatNodeAbi, type NodeGeneration, nodePrintsAbi } from "../../abi/node-json/format.ts";
import { ifDecodable } from "../../move/decode-error.ts";

/** `{"bytecode":"0x…","abi":{…}}`; the ABI is null where a node of the served generation cannot read the bytecode. */
export function moduleJson(code: Uint8Array, generation: NodeGeneration): Buffer {
  const hex = Buffer.from(code.buffer, code.byteOffset, code.byteLength).toString("hex");
  const decoded = ifDecodable(() => decodeModule(code));
  const abi = decoded === undefined || !nodePrintsAbi(decoded, generation) ? null : formatNodeAbi(decoded.abi, generation);
  return Buffer.from(`{"bytecode":"0x${hex}","abi":${JSON.stringify(abi)}}`);
}
