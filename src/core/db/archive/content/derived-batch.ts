import type { AttributeAbi, ErrorCodeAbi, FieldAbi, StructAbi, TypeParameterAbi } from "../../../abi/model.ts";
import { structsInType } from "../../../move/types/format-type.ts";
import type { Ability, MoveType } from "../../../move/types/make-type.ts";
import type { BulkTable, Transaction } from "../../engine/engine.ts";
import { joined, named, sql } from "../../schema/sql/sql.ts";
import { derivedTables } from "../../schema/tables/derived.ts";
import type { AbiRows, FunctionRow } from "./abi-rows.ts";
import type { AbiIds, SharedIds } from "./known-abis.ts";
import type { ModuleNumbers } from "./module-ids.ts";
import { type SearchWords, structTexts } from "./search-words.ts";
import { type Called, calledKey, errorKey, type sharedRows } from "./shared-rows.ts";

type Table = keyof typeof derivedTables;

/** The numbers that new rows get: each table's largest, counted up. */
export type NextIds = Record<(typeof numbered)[number], number>;

const numbered = ["types", "signatures", "called_functions", "error_codes", "functions", "structs", "error_maps", "abis"] as const;
const largest = sql<number[]>`SELECT ${joined(
  numbered.map((name) => sql`coalesce((SELECT max(id) FROM ${named(derivedTables[name].name)}), 0)`),
  ", ",
)}`;

/** The numbers after the largest of a database. One process at a time derives, so nobody else takes them. */
export async function readNextIds(tx: Transaction): Promise<NextIds> {
  const ids = (await tx.first(largest)) ?? [];
  return Object.fromEntries(numbered.map((name, i) => [name, ids[i] ?? 0])) as NextIds;
}

type Shared = ReturnType<typeof sharedRows>;

/** The rows that ABIs bring to the derived tables, gathered for a bulk load. What is stored already is not written again. */
export class DerivedBatch {
  readonly #moduleOf: ModuleNumbers["of"];
  readonly #shared: Shared;
  readonly #words: SearchWords;
  readonly #next: NextIds;
  /** Cells of each table, row after row, in one list. */
  readonly #rows = Object.fromEntries(Object.keys(derivedTables).map((name) => [name, []])) as unknown as Record<Table, unknown[]>;

  /** `modules` and `shared` have the numbers of all that the ABIs name; `words`, `shared` and `next` learn of what is added. */
  constructor(modules: Pick<ModuleNumbers, "of">, shared: Shared, words: SearchWords, next: NextIds) {
    this.#moduleOf = modules.of;
    this.#shared = shared;
    this.#words = words;
    this.#next = next;
  }

  get size(): number {
    return Object.values(this.#rows).reduce((sum, cells) => sum + cells.length, 0);
  }

  addType(type: MoveType): void {
    const id = ++this.#next.types;
    this.#shared.types.add(type.text, id);
    this.#rows.types.push(id, type.text);
    const seen = new Set<string>();
    for (const { module, name } of structsInType(type)) {
      const number = this.#moduleOf(module);
      const key = `${number} ${name}`;
      if (seen.has(key)) continue;
      seen.add(key);
      this.#rows.type_structs.push(id, number, name);
    }
  }

  addSignature(text: string, typeParams: readonly TypeParameterAbi[]): void {
    const id = ++this.#next.signatures;
    this.#shared.signatures.add(text, id);
    this.#rows.signatures.push(id, text);
    for (const [position, { constraints }] of typeParams.entries()) {
      this.#rows.signature_type_params.push(id, position);
      pushAbilities(this.#rows.signature_type_params, constraints);
    }
  }

  addCalled(called: Called): void {
    const id = ++this.#next.called_functions;
    this.#shared.called.add(calledKey(called), id);
    this.#rows.called_functions.push(id, ...called);
  }

  addError(key: string, { code, name, description }: ErrorCodeAbi): void {
    const id = ++this.#next.error_codes;
    this.#shared.errors.add(key, id);
    this.#rows.error_codes.push(id, `${code}`, name, description);
    this.#words.add(name, [name, description]);
  }

  /** Adds an ABI of a module, with functions and structs that `shared` has no number for; `callees` tells what it calls by its texts. */
  add(module: number, rows: AbiRows, callees: readonly string[], shared: SharedIds): AbiIds {
    const { abi } = rows;
    const id = ++this.#next.abis;
    const [functions, structs]: [number[], number[]] = [[], []];
    const called = callees.map((key) => this.#shared.called.of(key));
    for (let position = 0; position < rows.functions.length; position++) {
      const item = shared.functions[position] ?? this.#addFunction(module, rows.functions[position] as FunctionRow, called);
      functions.push(item);
      this.#rows.abi_functions.push(id, item, position);
    }
    for (let position = 0; position < rows.structs.length; position++) {
      const item = shared.structs[position] ?? this.#addStruct(module, rows.structs[position] as StructAbi);
      structs.push(item);
      this.#rows.abi_structs.push(id, item, position);
    }
    const errors = rows.errorsDigest && this.#errorsOf(rows.errorsDigest, rows);
    this.#rows.abis.push(id, module, rows.nodeJsonDigest, errors, rows.callees !== undefined);
    this.#list("abi_friends", id, abi.friends.map(this.#moduleOf));
    for (const other of new Set(abi.dependencies.map(this.#moduleOf))) this.#rows.abi_dependencies.push(id, other);
    return { id, functions, structs };
  }

  /** Loads all rows into the tables, those that others refer to first. */
  async write(tx: Transaction): Promise<void> {
    const filled = Object.entries(this.#rows).filter(([, cells]) => cells.length > 0);
    await tx.bulkAll(filled.map(([name, cells]) => [derivedTables[name as Table] as BulkTable, { cells }]));
  }

  #addFunction(module: number, { abi, signature, calls }: FunctionRow, called: readonly number[]): number {
    const id = ++this.#next.functions;
    this.#words.add(abi.name);
    const declared = this.#shared.signatures.of(signature);
    this.#rows.functions.push(id, module, abi.name, abi.visibility, abi.isEntry, abi.isView, abi.isNative, declared);
    for (let position = 0; position < abi.params.length; position++)
      this.#rows.function_params.push(id, position, this.#typeOf(abi.params[position] as MoveType));
    for (let position = 0; position < abi.returns.length; position++)
      this.#rows.function_returns.push(position, id, this.#typeOf(abi.returns[position] as MoveType));
    this.#list("function_acquires", id, abi.acquires);
    this.#addAttributes(this.#rows.function_attributes, this.#rows.function_attribute_args, id, abi.attributes);
    for (let i = 0; i < calls.length; i++) this.#rows.function_calls.push(id, called[calls[i] as number]);
    return id;
  }

  #addStruct(module: number, abi: StructAbi): number {
    const id = ++this.#next.structs;
    this.#words.add(abi.name, structTexts(abi));
    this.#rows.structs.push(id, module, abi.name, abi.isNative, abi.isEvent, abi.isEnum);
    pushAbilities(this.#rows.structs, abi.abilities);
    for (let position = 0; position < abi.typeParams.length; position++) {
      const { isPhantom, constraints } = abi.typeParams[position] as TypeParameterAbi;
      this.#rows.struct_type_params.push(id, position, isPhantom);
      pushAbilities(this.#rows.struct_type_params, constraints);
    }
    this.#addFields(id, 0, abi.fields, null);
    let place = abi.fields.length;
    for (const [variant, { name, fields }] of abi.variants.entries()) {
      this.#rows.struct_variants.push(id, variant, name);
      this.#addFields(id, place, fields, variant);
      place += fields.length;
    }
    this.#addAttributes(this.#rows.struct_attributes, this.#rows.struct_attribute_args, id, abi.attributes);
    return id;
  }

  #addFields(id: number, place: number, fields: readonly FieldAbi[], variant: number | null): void {
    for (let position = 0; position < fields.length; position++) {
      const { name, type } = fields[position] as FieldAbi;
      this.#rows.struct_fields.push(id, place + position, variant, position, name, this.#typeOf(type));
    }
  }

  #errorsOf(digest: string, { abi }: AbiRows): number {
    const known = this.#shared.error_maps.get(digest);
    if (known !== undefined) return known;
    const id = ++this.#next.error_maps;
    this.#shared.error_maps.add(digest, id);
    this.#rows.error_maps.push(id, digest);
    this.#list(
      "error_map_codes",
      id,
      abi.errors.map((error) => this.#shared.errors.of(errorKey(error))),
    );
    return id;
  }

  #addAttributes(rows: unknown[], argRows: unknown[], id: number, attributes: readonly AttributeAbi[]): void {
    for (let attribute = 0; attribute < attributes.length; attribute++) {
      const { kind, args } = attributes[attribute] as AttributeAbi;
      rows.push(id, attribute, kind);
      for (let position = 0; position < args.length; position++) argRows.push(id, attribute, position, args[position]);
    }
  }

  #typeOf({ text }: MoveType): number {
    return this.#shared.types.of(text);
  }

  /** Rows of a list: whose it is, the place, what stands there. */
  #list(table: Table, id: number, items: readonly unknown[]): void {
    const rows = this.#rows[table];
    for (let position = 0; position < items.length; position++) rows.push(id, position, items[position]);
  }
}

function pushAbilities(cells: unknown[], abilities: readonly Ability[]): void {
  cells.push(abilities.includes("copy"), abilities.includes("drop"), abilities.includes("store"), abilities.includes("key"));
}
