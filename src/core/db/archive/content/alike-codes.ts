import type { Version } from "./code-blobs.ts";

/** Bytes of bytecode that a process remembers. */
const REMEMBERED_MAX = 4_000_000;
/** Bytecodes of one name that are remembered: with eight, the file of a ledger full of copies is a tenth smaller than with four. */
const OF_A_NAME = 8;
/** The most modules that are packed with one: so many are lost if its bytes are damaged. */
const USES_MAX = 100;

type Known = { readonly version: Version; uses: number };

/**
 * Bytecode that this process stored whole, by the module's name: packages are published at many accounts, often a little changed, and such
 * a copy packed with another takes a tenth of the room.
 */
export class AlikeCodes {
  /** The name that was asked for last is the last. */
  readonly #byName = new Map<string, readonly Known[]>();
  #bytes = 0;

  /** The one of the name whose size is nearest. */
  find(name: string, size: number): Known | undefined {
    const known = this.#byName.get(name) ?? [];
    const distance = ({ version }: Known): number => Math.abs(version.code.length - size);
    return known.reduce<Known | undefined>((best, one) => (best === undefined || distance(one) < distance(best) ? one : best), undefined);
  }

  /** Takes note that a module was packed with one, which is forgotten after the last use that it is good for. */
  use(name: string, used: Known): void {
    used.uses++;
    this.#keep(
      name,
      (this.#byName.get(name) ?? []).filter((one) => one.uses < USES_MAX),
    );
  }

  /** Remembers bytecode that is packed with nothing: a copy, since what came is a view of the node's whole answer. */
  add(name: string, { code, ...version }: Version): void {
    this.#keep(
      name,
      [{ version: { ...version, code: new Uint8Array(code) }, uses: 0 }, ...(this.#byName.get(name) ?? [])].slice(0, OF_A_NAME),
    );
    for (const [oldest] of this.#byName) {
      if (this.#bytes <= REMEMBERED_MAX) break;
      this.#keep(oldest, []);
    }
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
