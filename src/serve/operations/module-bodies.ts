import { decodeModule } from "../../abi/decode.ts";
import { formatNodeAbi, type NodeGeneration, nodePrintsAbi } from "../../abi/node-json/format.ts";
import type { RowId } from "../../archive/read/serving.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { ByteCache } from "../http/byte-cache.ts";

/**
 * Modules in the two formats of a node. The JSON is made from the bytes when it is not cached: stored in the database it
 * would double that, and making it takes well under a millisecond.
 */
export function moduleBodies(code: (bytecode: RowId) => Promise<Uint8Array>, generation: NodeGeneration, cacheBytes: number) {
  const cache = new ByteCache<Buffer>(cacheBytes);
  return {
    bcs: code,
    json: async (bytecode: RowId): Promise<Buffer> => {
      const key = String(bytecode);
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const json = moduleJson(await code(bytecode), generation);
      cache.set(key, json, json.length);
      return json;
    },
  };
}

/** `{"bytecode":"0x…","abi":{…}}`; the ABI is null where a node of the served generation cannot read the bytecode. */
function moduleJson(code: Uint8Array, generation: NodeGeneration): Buffer {
  const hex = Buffer.from(code.buffer, code.byteOffset, code.byteLength).toString("hex");
  const decoded = ifDecodable(() => decodeModule(code));
  const abi = decoded === undefined || !nodePrintsAbi(decoded, generation) ? null : formatNodeAbi(decoded.abi, generation);
  return Buffer.from(`{"bytecode":"0x${hex}","abi":${JSON.stringify(abi)}}`);
}
