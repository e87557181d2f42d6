import { decodeModule } from "../../abi/decode.ts";
import { formatNodeAbi, type NodeGeneration, nodePrintsAbi } from "../../abi/node-json/format.ts";
import type { RowId } from "../../archive/read/serving.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { ByteCache } from "../http/byte-cache.ts";

/** Modules in the two formats of a node. The JSON is made from the bytes: stored, it would double the database. */
export class ModuleBodies {
  readonly #code: (bytecode: RowId) => Promise<Uint8Array>;
  readonly #generation: NodeGeneration;
  readonly #cache: ByteCache<Buffer>;

  constructor(code: (bytecode: RowId) => Promise<Uint8Array>, generation: NodeGeneration, cacheBytes: number) {
    this.#code = code;
    this.#generation = generation;
    this.#cache = new ByteCache(cacheBytes);
  }

  bcs(bytecode: RowId): Promise<Uint8Array> {
    return this.#code(bytecode);
  }

  /** `{"bytecode":"0x…","abi":{…}}`; the ABI is null where a node of the served generation cannot read the bytecode. */
  async json(bytecode: RowId): Promise<Buffer> {
    const key = bytecode.toString();
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const json = this.#print(await this.#code(bytecode));
    this.#cache.set(key, json, json.length);
    return json;
  }

  #print(code: Uint8Array): Buffer {
    const hex = Buffer.from(code.buffer, code.byteOffset, code.byteLength).toString("hex");
    return Buffer.from(`{"bytecode":"0x${hex}","abi":${this.#abi(code)}}`);
  }

  #abi(code: Uint8Array): string {
    const decoded = ifDecodable(() => decodeModule(code));
    if (decoded === undefined || !nodePrintsAbi(decoded, this.#generation)) return "null";
    return JSON.stringify(formatNodeAbi(decoded.abi, this.#generation));
  }
}
