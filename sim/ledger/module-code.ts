import type { NodeAbiJson } from "../../src/core/abi/node-json/format.ts";
import { formatHex } from "../../src/core/base/bytes.ts";
import { sha256Hex } from "../../src/core/base/sha256.ts";
import { type Address, addressBytes } from "../../src/core/move/address.ts";
import type { Generation } from "./generation.ts";
import { printAbi } from "./node-abi.ts";
import { withOwnAddress } from "./own-address.ts";

/** Set in the version field of bytecode from version 7 on. */
const FLAVOUR = 0x0a000000;

let count = 0;

/** One bytecode of a ledger, with the forms in which nodes send it, each made once. Shared by all accounts that hold it. */
export class ModuleCode {
  readonly bytes: Uint8Array;
  /** A small number of its own, for keys of caches. */
  readonly serial = count++;
  readonly #abi: () => NodeAbiJson | undefined;
  readonly #json = new Map<Generation | "unknown", Buffer>();
  /** The first accounts at which it was published besides. */
  readonly #elsewhere = new Map<Address, ModuleCode>();
  #sha256: string | undefined;

  /** `abi` is the interface as generation D prints it, asked at most once per generation; undefined if the bytes are to tell it. */
  constructor(bytes: Uint8Array, abi: () => NodeAbiJson | undefined = () => undefined) {
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
    return bytes.length < 8 ? 0 : (new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) & ~FLAVOUR) >>> 0;
  }

  /** The module record as such a node sends it: `{"bytecode":"0x…","abi":{…}}`, null for bytecode above what it reads. */
  json({ generation, maxBytecodeVersion }: { readonly generation: Generation; readonly maxBytecodeVersion: number }): Buffer {
    const isKnown = this.bytecodeVersion <= maxBytecodeVersion;
    const form = isKnown ? generation : "unknown";
    let json = this.#json.get(form);
    if (!json) {
      const abi = isKnown ? printAbi(this.bytes, this.#abi(), generation) : null;
      json = Buffer.from(`{"bytecode":"0x${formatHex(this.bytes)}","abi":${JSON.stringify(abi)}}`);
      this.#json.set(form, json);
    }
    return json;
  }

  /** The same module published at another account: its bytes name that account as their own. `from` is the account they name now. */
  publishedAt(account: Address, from: Address): ModuleCode {
    const known = this.#elsewhere.get(account);
    if (known !== undefined) return known;
    const bytes = Buffer.from(this.bytes);
    const own = addressBytes(from);
    for (let place = bytes.indexOf(own); place >= 0; place = bytes.indexOf(own, place + 1)) bytes.set(addressBytes(account), place);
    const published = new ModuleCode(bytes);
    if (this.#elsewhere.size < 64) this.#elsewhere.set(account, published);
    return published;
  }

  /** The same module published at another account, as chains have it: what it uses of its former account is still there. */
  movedTo(account: Address): ModuleCode {
    return new ModuleCode(withOwnAddress(this.bytes, account));
  }

  /** The same module with another version in its header and the interface it had: what a newer chain would hold. */
  asVersion(version: number): ModuleCode {
    const bytes = Uint8Array.from(this.bytes);
    new DataView(bytes.buffer).setUint32(4, version >= 7 ? version + FLAVOUR : version, true);
    return new ModuleCode(bytes, () => this.#abi() ?? (printAbi(this.bytes, undefined, "D") as NodeAbiJson | undefined));
  }
}
