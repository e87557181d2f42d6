import { formatHex } from "../../../base/bytes.ts";
import type { Engine, Integer, Transaction } from "../../engine/engine.ts";
import { hexOf } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { beginManyRows, isFirst, isMuch } from "./derived-indexes.ts";
import { type AddModules, findBytecodes, knownBytecodes, type SeenModule } from "./observed-module.ts";

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
  /** Hears of how many accounts a run is to read: a first crawl of many begins without these indexes. */
  readonly expect: (accounts: number) => Promise<void>;
  /** The rows of modules' bytecode, in their order; what is new is written, packed with an older version of the module or a copy. */
  readonly internAll: (tx: Transaction, modules: readonly SeenModule[]) => Promise<StoredBytecode[]>;
};

/** Digests to remember, about 6 MB: the same packages are published at many addresses. */
const MOST_REMEMBERED = 50_000;

const all = sql<[string, Integer]>`SELECT ${hexOf("b.sha256")}, b.id FROM _bytecodes b LIMIT :limit`;

/** Storing bytecode, which is never deleted. `derives`: the rows of each are written with its bytes; else they wait for `derive`. */
export function bytecodeQueries(engine: Engine, { derives = false } = {}): Bytecodes {
  const found = new Map<string, Integer>();
  /**
   * Digests that this process has stored since it read all of them. Undefined when there are too many to remember: each unknown
   * digest is then looked up.
   */
  let perhapsStored: Set<string> | undefined;
  let hasLooked = false;
  let waiting: Waiting[] = [];
  let isAsking = false;
  let adder: Promise<AddModules> | undefined;
  /** Bytecodes whose rows this process wrote, and whether it took indexes away for them. */
  let [written, isMany] = [0, false];

  /** Reads all digests of a small database: a first night would look up each new bytecode in vain. */
  const readAll = async (): Promise<void> => {
    hasLooked = true;
    const rows = await engine.all(all, { limit: MOST_REMEMBERED });
    if (rows.length === MOST_REMEMBERED) return;
    for (const [hex, id] of rows) found.set(hex, id);
    perhapsStored = new Set();
  };

  const ask = async (): Promise<void> => {
    const questions = waiting;
    waiting = [];
    try {
      if (!hasLooked) await readAll();
      const rows = await engine.all(knownBytecodes, { digests: JSON.stringify(questions.map(({ hex }) => hex)) });
      if (found.size + rows.length > MOST_REMEMBERED) {
        found.clear();
        perhapsStored = undefined;
      }
      for (const [place, id] of rows) found.set((questions[place] as Waiting).hex, id);
      for (const { hex, resolve } of questions) resolve(found.has(hex));
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  };

  /** Asks one question at a time. Digests that arrive meanwhile go together into the next one. */
  const askAll = async (): Promise<void> => {
    while (waiting.length > 0) await ask();
    isAsking = false;
  };

  const internAll = async (tx: Transaction, modules: readonly SeenModule[]): Promise<StoredBytecode[]> => {
    const hexes = modules.map(({ module }) => formatHex(module.sha256));
    for (const hex of hexes) if (!found.has(hex)) perhapsStored?.add(hex);
    if (perhapsStored !== undefined && perhapsStored.size > MOST_REMEMBERED) perhapsStored = undefined;
    const stored = await findBytecodes(
      tx,
      hexes.filter((hex) => !found.has(hex)),
    );
    const fresh = new Map(
      modules.map((one, i) => [hexes[i] as string, one] as const).filter(([hex]) => !found.has(hex) && !stored.has(hex)),
    );
    if (fresh.size > 0) {
      const added = [...fresh.values()];
      // A night without new bytecode needs none of this.
      adder ??= import("./new-bytecodes.ts").then(({ addsModules }) => addsModules(derives));
      for (const [hex, id] of await (await adder)(tx, added)) stored.set(hex, id);
      written += added.length;
    }
    const told = new Set<string>();
    return hexes.map((hex) => {
      const isNew = fresh.has(hex) && !told.has(hex);
      told.add(hex);
      return { id: (found.get(hex) ?? stored.get(hex)) as Integer, isNew };
    });
  };

  const beginMany = async (isDue: () => Promise<boolean>): Promise<void> => {
    if (!derives || isMany || !(await isDue())) return;
    isMany = true;
    await beginManyRows(engine);
  };

  return {
    internAll,
    prepare: () => beginMany(() => isMuch(engine, written, written)),
    expect: (accounts) => beginMany(() => isFirst(engine, accounts)),
    knowsBytecode: (bytes) => {
      const hex = formatHex(bytes);
      if (found.has(hex)) return true;
      if (perhapsStored !== undefined && !perhapsStored.has(hex)) return false;
      return new Promise((resolve, reject) => {
        waiting.push({ hex, resolve, reject });
        if (isAsking) return;
        isAsking = true;
        setImmediate(() => void askAll());
      });
    },
  };
}

type Waiting = { readonly hex: string; readonly resolve: (isKnown: boolean) => void; readonly reject: (error: unknown) => void };
