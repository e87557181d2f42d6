import { type Packed, packCode, packCopy, type Version } from "./code-blobs.ts";

/** Bytes of bytecode that a process remembers. */
const REMEMBERED_MAX = 4_000_000;
/** Bytecodes of one name that are remembered: with eight, the file of a ledger full of copies is a tenth smaller than with four. */
const OF_A_NAME = 8;
/** The most modules that are packed with one dictionary: all of them are lost if its bytes are damaged. */
const USES_MAX = 100;

type Known = { readonly version: Version; uses: number };

/**
 * Bytecode that this process stored whole, by the module's name: packages are published at many accounts, often a little changed, and such
 * a copy packed with another takes a tenth of the room.
 */
export class AlikeCodes {
  /** In the order of use: the name that was asked for last comes last. */
  readonly #byName = new Map<string, readonly Known[]>();
  #bytes = 0;

  /** Packs bytecode with that of its name whose size is nearest; what is packed with nothing is remembered. */
  pack(name: string, sha256: Uint8Array, code: Uint8Array): Packed {
    const known = this.#byName.get(name) ?? [];
    const distance = ({ version }: Known): number => Math.abs(version.code.length - code.length);
    const [nearest] = known.toSorted((a, b) => distance(a) - distance(b));
    const packed = nearest === undefined ? packCode(code, undefined) : packCopy(code, nearest.version);
    if (nearest !== undefined && packed.base !== undefined) {
      nearest.uses++;
      this.#keep(
        name,
        known.filter(({ uses }) => uses < USES_MAX),
      );
      return packed;
    }
    // A copy, since what came is a view of the node's whole answer.
    const version = { sha256, code: new Uint8Array(code), packedBytes: packed.code.length, base: undefined };
    this.#keep(name, [{ version, uses: 0 }, ...known].slice(0, OF_A_NAME));
    while (this.#bytes > REMEMBERED_MAX) this.#keep(this.#byName.keys().next().value as string, []);
    return packed;
  }

  forget(): void {
    this.#byName.clear();
    this.#bytes = 0;
  }

  #keep(name: string, known: readonly Known[]): void {
    const bytesOf = (list: readonly Known[] = []): number => list.reduce((sum, { version }) => sum + version.code.length, 0);
    this.#bytes += bytesOf(known) - bytesOf(this.#byName.get(name));
    this.#byName.delete(name);
    if (known.length > 0) this.#byName.set(name, known);
  }
}
