import { setImmediate } from "node:timers/promises";
import { chunks } from "../../../base/chunks.ts";
import type { Transaction } from "../../engine/engine.ts";
import { contentTurn, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import type { Derivation } from "./derivation.ts";
import { addAbi } from "./item-rows.ts";
import { KnownAbis } from "./known-abis.ts";
import { NewRows } from "./new-rows.ts";
import { SearchWords } from "./search-words.ts";
import { sharedRows } from "./shared-rows.ts";

export type Stored = { readonly id: number; readonly derive: () => Derivation };

/** The end of a derivation: the number of its ABI, or why there is none. */
export type Written = { readonly derivedBy: string; readonly abi: number } | Failed;
export type Failed = Extract<Derivation, { error: unknown }>;

/** Cells that are gathered before they are loaded, in about two dozen modules: few enough that V8 collects them while they are young. */
const CELLS = 32 * 1024;

/** Bytecodes that are decoded before their rows are gathered: V8 collects cheaply what is dropped while it is young. */
const DECODED = 8;

/** A decoded bytecode; `again` decodes it once more. */
type Decoded = { readonly derivation: Derivation; readonly again: () => Derivation };

const markAll = sql`UPDATE _bytecodes SET derived_by = :by::text, abi_id = CAST(${jsonItem("j.value", 1)} AS bigint)
  FROM ${jsonEach(":marks::json", "j")} WHERE _bytecodes.id = CAST(${jsonItem("j.value", 0)} AS bigint)`;

/** Writes the rows that follow from bytecode, and remembers the numbers of those that modules share. */
export function derivedRowWriter() {
  const [rows, words] = [new NewRows(), new SearchWords()];
  const shared = sharedRows(rows, words);
  const forget = (): void => {
    for (const memory of [rows, words, shared]) memory.forget();
  };

  /** Gathers the rows of bytecodes. What they share is looked up for all of them together. */
  const gather = async (tx: Transaction, known: KnownAbis, decoded: readonly Decoded[]): Promise<Written[]> => {
    const abis = decoded.flatMap(({ derivation }) => ("rows" in derivation ? [derivation.rows] : []));
    const calls = await shared.settle(tx, abis);
    const modules = abis.map(({ abi }) => shared.moduleOf(abi));
    await known.read(
      tx,
      modules.filter((module) => !shared.isAdded(module)),
    );
    return decoded.map(({ derivation, again }) => {
      if ("error" in derivation) return derivation;
      const { rows: one, derivedBy } = derivation;
      const module = shared.moduleOf(one.abi);
      const alike = known.find(module, one);
      if (alike.id !== undefined) return { derivedBy, abi: alike.id };
      const ids = addAbi({ rows, words, shared }, module, one, calls.get(one) ?? [], alike);
      known.add(module, ids, again);
      return { derivedBy, abi: ids.id };
    });
  };

  const load = async (tx: Transaction): Promise<void> => {
    await rows.load(tx);
    await words.write(tx);
    shared.trim();
  };

  /** Writes the rows of what is derived, a few bytecodes at a time. @returns what came of each, in their order */
  const write = async (tx: Transaction, derive: readonly (() => Derivation)[]): Promise<readonly Written[]> => {
    tx.onRollback(forget);
    await tx.all(contentTurn);
    if (await rows.begin(tx)) for (const memory of [words, shared]) memory.forget();
    const known = new KnownAbis();
    const written: Written[] = [];
    const parts = chunks(derive, DECODED);
    const ahead: (readonly Decoded[])[] = [];
    const decode = (): boolean => {
      const { value: part, done } = parts.next();
      if (done !== true) ahead.push(part.map((again) => ({ derivation: again(), again })));
      return done !== true;
    };
    while (ahead.length > 0 || decode()) {
      written.push(...(await gather(tx, known, ahead.shift() ?? [])));
      if (rows.size <= CELLS) continue;
      // A server takes in rows while the next bytecodes are decoded. A file has taken them in by the next turn.
      let isLoaded = false;
      const loading = load(tx).finally(() => (isLoaded = true));
      await Promise.race([loading, setImmediate()]);
      while (!isLoaded && decode()) await setImmediate();
      await loading;
    }
    await load(tx);
    return written;
  };

  return {
    write,
    /** Writes the rows of stored bytecodes that can be decoded, with their numbers. @returns why the others cannot, by number */
    writeStored: async (tx: Transaction, stored: readonly Stored[]): Promise<ReadonlyMap<number, Failed>> => {
      const derive = stored.map(({ derive }) => derive);
      const all = (await write(tx, derive)).map((one, i) => ({ one, id: (stored[i] as Stored).id }));
      const marks = all.flatMap(({ one, id }) => ("abi" in one ? [{ by: one.derivedBy, mark: [id, one.abi] }] : []));
      for (const [by, list] of Map.groupBy(marks, ({ by }) => by))
        await tx.run(markAll, { by, marks: JSON.stringify(list.map(({ mark }) => mark)) });
      return new Map(all.flatMap(({ one, id }) => ("error" in one ? [[id, one] as const] : [])));
    },
    rebuildIndex: (tx: Transaction): Promise<void> => words.rebuild(tx),
  };
}
