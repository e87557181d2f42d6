import { decodeModule } from "../../abi/decode.ts";
import { formatNodeAbi, type NodeGeneration, nodePrintsAbi } from "../../abi/node-json/format.ts";
import { DecodeError } from "../../move/decode-error.ts";
import type { RowId } from "../../store/read/serving.ts";
import { ByteCache } from "../http/byte-cache.ts";

/**
 * Modules in the two forms in which a node gives them. The JSON is made from the bytes each time it is not at hand: to
 * keep it in the database would double that, and making it takes well under a millisecond (test/bench/results.md).
 */
export class ModuleRecords {
  readonly #code: (bytecode: RowId) => Promise<Uint8Array>;
  readonly #generation: NodeGeneration;
  readonly #kept: ByteCache<Buffer>;

  constructor(code: (bytecode: RowId) => Promise<Uint8Array>, generation: NodeGeneration, cacheBytes: number) {
    this.#code = code;
    this.#generation = generation;
    this.#kept = new ByteCache(cacheBytes);
  }

  /** The bytes and nothing else. */
  bcs(bytecode: RowId): Promise<Uint8Array> {
    return this.#code(bytecode);
  }

  /** `{"bytecode":"0x…","abi":{…}}`; the ABI is null where such a node cannot read the bytes. */
  async json(bytecode: RowId): Promise<Buffer> {
    const key = bytecode.toString();
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const json = this.#print(await this.#code(bytecode));
    this.#kept.set(key, json, json.length);
    return json;
  }

  #print(code: Uint8Array): Buffer {
    const hex = Buffer.from(code.buffer, code.byteOffset, code.byteLength).toString("hex");
    return Buffer.from(`{"bytecode":"0x${hex}","abi":${this.#abi(code)}}`);
  }

  #abi(code: Uint8Array): string {
    try {
      const decoded = decodeModule(code);
      return nodePrintsAbi(decoded, this.#generation) ? JSON.stringify(formatNodeAbi(decoded.abi, this.#generation)) : "null";
    } catch (error) {
      if (error instanceof DecodeError) return "null";
      throw error;
    }
  }
}
