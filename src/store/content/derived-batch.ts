import { derivedTables } from "../../schema/tables/derived.ts";
import type { BulkTable, Transaction } from "../engine/engine.ts";
import { areSameRows, type SharedItems, shareItems, shareSet } from "./abi-parts.ts";
import type { AbiRows } from "./abi-rows.ts";
import { callRow, type FunctionCallees } from "./call-rows.ts";
import type { EarlierAbi } from "./earlier-abis.ts";
import type { EarlierCalls } from "./earlier-calls.ts";
import type { ModuleNumbers } from "./module-ids.ts";
import { type ItemKind, itemKinds } from "./stored-rows.ts";

/** Error maps by their text, with the ABI that holds each, so that copies of a module share one. */
export type ErrorMaps = Map<string, number>;

type Row = readonly unknown[];

const NOTHING: readonly never[] = [];

/** The rows that ABIs bring to the derived tables, gathered for a bulk load. */
export class DerivedBatch {
  readonly #idOf: ModuleNumbers["of"];
  readonly #earlier: Map<number, EarlierAbi>;
  readonly #errorMaps: ErrorMaps;
  readonly #earlierCalls: Map<number, EarlierCalls>;
  readonly #rows: { readonly [Table in keyof typeof derivedTables]: Row[] } = {
    abis: [],
    abi_parts: [],
    functions: [],
    structs: [],
    abi_friends: [],
    abi_dependencies: [],
    struct_uses: [],
    function_calls: [],
    call_parts: [],
  };

  /** `numbers` has those of all modules that the ABIs name; `earlier`, `earlierCalls` and `errorMaps` learn of what is added. */
  constructor(
    numbers: Pick<ModuleNumbers, "of">,
    earlier: Map<number, EarlierAbi>,
    earlierCalls: Map<number, EarlierCalls>,
    errorMaps: ErrorMaps,
  ) {
    this.#earlierCalls = earlierCalls;
    this.#idOf = numbers.of;
    this.#earlier = earlier;
    this.#errorMaps = errorMaps;
  }

  /** New rows of a table. */
  rowsOf(table: keyof typeof derivedTables): readonly Row[] {
    return this.#rows[table];
  }

  /**
   * Adds the ABI of a bytecode. Functions and structs that the module's earlier ABI has as well are shared with it; when
   * nothing differs no row is added, and the earlier ABI serves.
   * @param isShared false for what a node told, which holds less than what bytes say
   * @returns the number of the ABI: the bytecode's own, or the earlier one's
   */
  add(bytecode: number, rows: AbiRows, isShared: boolean): number {
    const module = this.#idOf(rows.self);
    const earlier = isShared ? this.#earlier.get(module) : undefined;
    const friends = rows.friends.map(this.#idOf);
    const dependencies = rows.dependencies.map(this.#idOf);
    if (earlier !== undefined && isSame(rows, friends, dependencies, earlier)) return earlier.id;
    const errorsAbi = this.#errorsAbi(bytecode, rows.errors, earlier);
    const tables = this.#rows;
    tables.abis.push([bytecode, module, rows.faceDigest, errorsAbi, errorsAbi === bytecode ? rows.errors : null]);
    const functions = shareItems(bytecode, rows.functions, earlier?.functions ?? NOTHING);
    const structs = shareItems(bytecode, rows.structs, earlier?.structs ?? NOTHING);
    this.#addItems(bytecode, "functions", functions);
    this.#addItems(bytecode, "structs", structs);
    for (let i = 0; i < friends.length; i++) tables.abi_friends.push([bytecode, i, friends[i]]);
    for (let i = 0; i < dependencies.length; i++) tables.abi_dependencies.push([bytecode, i, dependencies[i]]);
    for (const { module: other, struct } of rows.uses) tables.struct_uses.push([bytecode, this.#idOf(other), struct]);
    if (isShared) {
      const { faceDigest, errors } = rows;
      const items = { functions: functions.items, structs: structs.items };
      this.#earlier.set(module, { id: bytecode, faceDigest, errors, errorsAbi, ...items, friends, dependencies });
    }
    return bytecode;
  }

  /**
   * Adds what a bytecode's functions call. Rows that the module's earlier bytecode has as well are shared with it.
   * @returns the number of the bytecode whose calls these are: its own, or the earlier one's; null when there are none
   */
  addCalls(bytecode: number, self: AbiRows["self"], calls: readonly FunctionCallees[]): number | null {
    if (calls.length === 0) return null;
    const module = this.#idOf(self);
    const earlier = this.#earlierCalls.get(module);
    const rows = calls.map((of) => callRow(of, this.#idOf));
    const { added, items, parts } = shareSet(bytecode, rows, earlier?.rows ?? NOTHING);
    if (earlier !== undefined && added.length === 0 && items.length === earlier.rows.length) return earlier.id;
    for (const { id, row } of added) this.#rows.function_calls.push([id, row[0], row[1]]);
    for (const { position, source, first, last } of parts) this.#rows.call_parts.push([bytecode, position, source, first, last]);
    this.#earlierCalls.set(module, { id: bytecode, rows: items });
    return bytecode;
  }

  /** Loads all rows into the tables. */
  async write(tx: Transaction): Promise<void> {
    for (const [name, rows] of Object.entries(this.#rows)) {
      if (rows.length > 0) await tx.bulk(derivedTables[name as keyof typeof derivedTables] as BulkTable, rows);
    }
  }

  #addItems(bytecode: number, kind: ItemKind, { added, parts }: SharedItems<Row>): void {
    const rows = this.#rows[kind];
    for (const { id, row } of added) rows.push([id as unknown].concat(row));
    const number = itemKinds[kind];
    for (const { position, source, first, last } of parts) this.#rows.abi_parts.push([bytecode, number, position, source, first, last]);
  }

  #errorsAbi(bytecode: number, errors: string | null, earlier: EarlierAbi | undefined): number | null {
    if (errors === null) return null;
    if (earlier !== undefined && earlier.errors === errors) return earlier.errorsAbi;
    const known = this.#errorMaps.get(errors);
    if (known !== undefined) return known;
    this.#errorMaps.set(errors, bytecode);
    return bytecode;
  }
}

function isSame(rows: AbiRows, friends: readonly number[], dependencies: readonly number[], earlier: EarlierAbi): boolean {
  return (
    Buffer.compare(earlier.faceDigest, rows.faceDigest) === 0 &&
    earlier.errors === rows.errors &&
    areSameRows(rows.functions, earlier.functions) &&
    areSameRows(rows.structs, earlier.structs) &&
    isSameList(friends, earlier.friends) &&
    isSameList(dependencies, earlier.dependencies)
  );
}

function isSameList(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
