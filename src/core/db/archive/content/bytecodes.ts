import { setImmediate } from "node:timers/promises";
import { formatHex } from "../../../base/bytes.ts";
import type { Engine, Integer, Transaction } from "../../engine/engine.ts";
import { hexOf } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { beginManyRows, isBulk, isFirst } from "./derived-indexes.ts";
import { type AddModules, findBytecodes, type SeenModule } from "./observed-module.ts";

/** The row of a bytecode, and whether it was written just now. */
export type StoredBytecode = { readonly id: Integer; readonly isNew: boolean };

export type Bytecodes = {
  /**
   * Whether bytecode is stored, and need not come with the visit. False may be said of bytecode that another process has just
   * stored. A promise where the database has to be asked; questions of one moment are asked together.
   */
  readonly knowsBytecode: (sha256: Uint8Array) => boolean | Promise<boolean>;
  /** Begins a transaction of visits: a run that writes very many rows first takes away indexes, which `derive` makes again. */
  readonly prepare: () => Promise<void>;
  /**
   * Is told how many accounts a run is to read. A first crawl of many accounts begins without these indexes: otherwise a server takes half
   * as much time again for all rows.
   */
  readonly expectAccounts: (accounts: number) => Promise<void>;
  /** The rows of modules' bytecode, in their order; what is new is written, packed with an older version of the module or a copy. */
  readonly internAll: (tx: Transaction, modules: readonly SeenModule[]) => Promise<StoredBytecode[]>;
};

/** Digests to remember, about 6 MB: the same packages are published at many addresses. */
const MOST_REMEMBERED = 50_000;

const digests = sql<[string, Integer]>`SELECT ${hexOf("b.sha256")}, b.id FROM _bytecodes b LIMIT :limit`;

/** Stores bytecode, which is never deleted. With `derives`, its rows are written at once; otherwise `derive` writes them later. */
export function bytecodeQueries(engine: Engine, { derives = false } = {}): Bytecodes {
  const found = new Map<string, Integer>();
  /**
   * Digests that this process has stored since it read all of them. Undefined when there are too many to remember: each unknown
   * digest is then looked up.
   */
  let perhapsStored: Set<string> | undefined;
  let hasLooked = false;
  /** The digests to look up next, and the answer to that, which waits for the look-up before it. */
  let asked = new Set<string>();
  let answer: Promise<unknown> = Promise.resolve();
  let adder: Promise<AddModules> | undefined;
  /** Bytecodes whose rows this process wrote, and whether it took indexes away for them. */
  let [written, isMany] = [0, false];

  /** Reads all digests of a small database: a first night would look up each new bytecode in vain. */
  const readAll = async (): Promise<void> => {
    hasLooked = true;
    const rows = await engine.all(digests, { limit: MOST_REMEMBERED });
    if (rows.length === MOST_REMEMBERED) return;
    for (const [hex, id] of rows) found.set(hex, id);
    perhapsStored = new Set();
  };

  const ask = async (): Promise<void> => {
    const hexes = asked;
    asked = new Set();
    if (!hasLooked) await readAll();
    const rows = await findBytecodes(engine, hexes);
    if (found.size + rows.size > MOST_REMEMBERED) {
      found.clear();
      perhapsStored = undefined;
    }
    for (const [hex, id] of rows) found.set(hex, id);
  };

  const beginMany = async (isDue: () => Promise<boolean>): Promise<void> => {
    if (!derives || isMany || !(await isDue())) return;
    isMany = true;
    await beginManyRows(engine);
  };

  engine.onLost?.(() => {
    found.clear();
    [perhapsStored, hasLooked, adder] = [undefined, false, undefined];
  });

  return {
    knowsBytecode: (sha256) => {
      const hex = formatHex(sha256);
      if (found.has(hex)) return true;
      if (perhapsStored !== undefined && !perhapsStored.has(hex)) return false;
      if (asked.size === 0) answer = Promise.allSettled([answer, setImmediate()]).then(ask);
      asked.add(hex);
      return answer.then(() => found.has(hex));
    },
    prepare: () => beginMany(() => isBulk(engine, written, written)),
    expectAccounts: (accounts) => beginMany(() => isFirst(engine, accounts)),
    internAll: async (tx, modules) => {
      const hexes = modules.map(({ module }) => formatHex(module.sha256));
      const unknown = hexes.filter((hex) => !found.has(hex));
      for (const hex of unknown) perhapsStored?.add(hex);
      if (perhapsStored !== undefined && perhapsStored.size > MOST_REMEMBERED) perhapsStored = undefined;
      const stored = await findBytecodes(tx, unknown);
      const entries = modules.map((one, i) => [hexes[i] as string, one] as const);
      const fresh = new Map(entries.filter(([hex]) => !found.has(hex) && !stored.has(hex)));
      if (fresh.size > 0) {
        // A night without new bytecode needs none of this.
        adder ??= import("./new-bytecodes.ts").then(({ addsModules }) => addsModules(derives));
        for (const [hex, id] of await (await adder)(tx, [...fresh.values()])) stored.set(hex, id);
        written += fresh.size;
      }
      // The first of several that have the same bytes is the new one.
      return hexes.map((hex) => ({ id: (found.get(hex) ?? stored.get(hex)) as Integer, isNew: fresh.delete(hex) }));
    },
  };
}
