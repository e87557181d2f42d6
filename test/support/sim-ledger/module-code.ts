import { formatHex } from "../../../src/base/hex.ts";
import { sha256Hex } from "../../../src/base/sha256.ts";
import { type Generation, traitsOf } from "./generation.ts";
import { type NodeAbi, printAbi } from "./node-abi.ts";

let count = 0;

/** One bytecode as a ledger holds it, with every form in which nodes send it made once. Shared wherever it stands. */
export class ModuleCode {
  readonly bytes: Uint8Array;
  /** A small number of its own, for keys of caches. */
  readonly serial = count++;
  readonly #abi: () => NodeAbi | undefined;
  readonly #json = new Map<Generation, Buffer>();
  #sha256: string | undefined;

  /** `abi` is the interface as a node of generation D prints it, asked for at most once per generation; undefined when it must come from the bytes. */
  constructor(bytes: Uint8Array, abi: () => NodeAbi | undefined = () => undefined) {
    this.bytes = bytes;
    this.#abi = abi;
  }

  /** SHA-256 of the bytes, lower-case hex. */
  get sha256(): string {
    this.#sha256 ??= sha256Hex(this.bytes);
    return this.#sha256;
  }

  /** The bytecode's version, without the flavour bits that are set from version 7 on. */
  get bytecodeVersion(): number {
    const { bytes } = this;
    return bytes.length < 8 ? 0 : (new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) & 0xf5ffffff) >>> 0;
  }

  /** The module record as a node of that generation sends it: `{"bytecode":"0x…","abi":{…}}`. */
  json(generation: Generation): Buffer {
    let json = this.#json.get(generation);
    if (!json) {
      const known = this.bytecodeVersion <= traitsOf[generation].maxBytecodeVersion;
      const abi = known ? printAbi(this.bytes, this.#abi(), generation) : null;
      json = Buffer.from(`{"bytecode":"0x${formatHex(this.bytes)}","abi":${JSON.stringify(abi)}}`);
      this.#json.set(generation, json);
    }
    return json;
  }

  /** The same record with `abi: null`, as a node prints a module that it cannot read. */
  jsonWithoutAbi(): Buffer {
    return Buffer.from(`{"bytecode":"0x${formatHex(this.bytes)}","abi":null}`);
  }
}
