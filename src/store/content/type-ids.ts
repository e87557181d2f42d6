import type { MoveType } from "../../move/types/types.ts";
import { sql } from "../../schema/sql/sql.ts";
import { each } from "../../schema/sql/words.ts";
import type { Transaction } from "../engine/engine.ts";

/** Numbers of types remembered from batch to batch: most functions take the same few hundred types. */
const REMEMBERED_MAX = 20_000;

const stored = sql`SELECT t.text, t.id FROM ${each(":texts::json", "j")} JOIN _types t ON t.text = j.value`;

/** The numbers of types in a database, by their text. */
export class TypeNumbers {
  readonly #ids = new Map<string, number>();

  /** Looks up all types of a batch. Returns those that have no row yet. */
  async find(tx: Transaction, types: ReadonlyMap<string, MoveType>): Promise<readonly MoveType[]> {
    if (this.#ids.size > REMEMBERED_MAX) this.#ids.clear();
    const asked = [...types.keys()].filter((text) => !this.#ids.has(text));
    if (asked.length === 0) return [];
    for (const [text, id] of await tx.all<[text: string, id: number]>(stored, { texts: JSON.stringify(asked) })) this.#ids.set(text, id);
    return asked.filter((text) => !this.#ids.has(text)).map((text) => types.get(text) as MoveType);
  }

  /** Remembers the number of a type that gets a row. */
  add(type: MoveType, id: number): void {
    this.#ids.set(type.text, id);
  }

  /** The number of a type of the batch. */
  readonly of = ({ text }: MoveType): number => {
    const id = this.#ids.get(text);
    if (id === undefined) throw new RangeError(`the type ${text} was not looked up`);
    return id;
  };

  /** Forgets all, after a transaction that was rolled back. */
  forget(): void {
    this.#ids.clear();
  }
}
