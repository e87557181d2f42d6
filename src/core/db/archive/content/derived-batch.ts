import type { AttributeAbi, ErrorCodeAbi, FieldAbi, TypeParameterAbi } from "../../../abi/model.ts";
import { structsInType } from "../../../move/types/format-type.ts";
import type { Ability, MoveType } from "../../../move/types/make-type.ts";
import type { BulkTable, Transaction } from "../../engine/engine.ts";
import { joined, named, sql } from "../../schema/sql/sql.ts";
import { derivedTables } from "../../schema/tables/derived.ts";
import type { AbiRows, FunctionRow, StructRow } from "./abi-rows.ts";
import type { ModuleNumbers } from "./module-ids.ts";
import { type SearchWords, structTexts } from "./search-words.ts";
import { type Called, contentKey, errorKey, type sharedRows } from "./shared-rows.ts";

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

  addSignature(text: string): void {
    const id = ++this.#next.signatures;
    this.#shared.signatures.add(text, id);
    this.#rows.signatures.push(id, text);
  }

  addCalled(key: string, [module, name]: Called): void {
    const id = ++this.#next.called_functions;
    this.#shared.called.add(key, id);
    this.#rows.called_functions.push(id, module, name);
  }

  addError(key: string, { code, name, description }: ErrorCodeAbi): void {
    const id = ++this.#next.error_codes;
    this.#shared.errors.add(key, id);
    this.#rows.error_codes.push(id, `${code}`, name, description);
    this.#words.add(name, [name, description]);
  }

  /** Adds an ABI with its new functions, structs and errors. `calledKeys` are the keys of its callees. @returns the number of the ABI */
  add(rows: AbiRows, calledKeys: readonly string[]): number {
    const { abi } = rows;
    const module = this.#moduleOf({ address: abi.address, name: abi.name });
    return this.#intern("abis", contentKey(module, rows.digest), (id) => {
      const called = calledKeys.map(this.#calledOf);
      const functions = rows.functions.map((row) =>
        this.#intern("functions", contentKey(module, row.digest), (fn) => this.#addFunction(fn, module, row, called)),
      );
      const structs = rows.structs.map((row) =>
        this.#intern("structs", contentKey(module, row.digest), (st) => this.#addStruct(st, module, row)),
      );
      const { errorsDigest } = rows;
      const errors = errorsDigest && this.#intern("error_maps", errorsDigest, (map) => this.#addErrors(map, rows, errorsDigest));
      this.#rows.abis.push(id, module, rows.digest, rows.nodeJsonDigest, errors, rows.callees !== undefined);
      this.#listBefore("abi_functions", id, functions);
      this.#listBefore("abi_structs", id, structs);
      this.#list("abi_friends", id, abi.friends.map(this.#moduleOf));
      for (const other of new Set(abi.dependencies.map(this.#moduleOf))) this.#rows.abi_dependencies.push(id, other);
    });
  }

  /** Loads all rows into the tables, those that others refer to first. */
  async write(tx: Transaction): Promise<void> {
    const filled = Object.entries(this.#rows).filter(([, cells]) => cells.length > 0);
    await tx.bulkAll(filled.map(([name, cells]) => [derivedTables[name as Table] as BulkTable, { cells }]));
  }

  #intern(table: "functions" | "structs" | "error_maps" | "abis", key: string, add: (id: number) => void): number {
    const known = this.#shared[table].get(key);
    if (known !== undefined) return known;
    const id = ++this.#next[table];
    this.#shared[table].add(key, id);
    add(id);
    return id;
  }

  #addFunction(id: number, module: number, row: FunctionRow, called: readonly number[]): void {
    const { abi, signature, calls, digest } = row;
    this.#words.add(abi.name);
    const declared = this.#shared.signatures.of(signature);
    this.#rows.functions.push(id, module, digest, abi.name, abi.visibility, abi.isEntry, abi.isView, abi.isNative, declared);
    for (let position = 0; position < abi.typeParams.length; position++) {
      this.#rows.function_type_params.push(id, position);
      pushAbilities(this.#rows.function_type_params, (abi.typeParams[position] as TypeParameterAbi).constraints);
    }
    this.#list("function_params", id, abi.params.map(this.#typeOf));
    for (const [position, type] of abi.returns.entries()) this.#rows.function_returns.push(position, id, this.#typeOf(type));
    this.#list("function_acquires", id, abi.acquires);
    this.#addAttributes("function", id, abi.attributes);
    for (const place of calls) this.#rows.function_calls.push(id, called[place]);
  }

  #addStruct(id: number, module: number, row: StructRow): void {
    const { abi, digest } = row;
    this.#words.add(abi.name, structTexts(row));
    this.#rows.structs.push(id, module, digest, abi.name, abi.isNative, abi.isEvent, abi.isEnum);
    pushAbilities(this.#rows.structs, abi.abilities);
    for (let position = 0; position < abi.typeParams.length; position++) {
      const { isPhantom, constraints } = abi.typeParams[position] as TypeParameterAbi;
      this.#rows.struct_type_params.push(id, position, isPhantom);
      pushAbilities(this.#rows.struct_type_params, constraints);
    }
    let place = 0;
    const addFields = (fields: readonly FieldAbi[], variant: number | null): void => {
      for (let position = 0; position < fields.length; position++) {
        const { name, type } = fields[position] as FieldAbi;
        this.#rows.struct_fields.push(id, place++, variant, position, name, this.#typeOf(type));
      }
    };
    addFields(abi.fields, null);
    for (const [variant, { name, fields }] of abi.variants.entries()) {
      this.#rows.struct_variants.push(id, variant, name);
      addFields(fields, variant);
    }
    this.#addAttributes("struct", id, abi.attributes);
  }

  #addErrors(id: number, { abi }: AbiRows, digest: string): void {
    this.#rows.error_maps.push(id, digest);
    this.#list(
      "error_map_codes",
      id,
      abi.errors.map((error) => this.#shared.errors.of(errorKey(error))),
    );
  }

  #addAttributes(of: "function" | "struct", id: number, attributes: readonly AttributeAbi[]): void {
    for (let attribute = 0; attribute < attributes.length; attribute++) {
      const { kind, args } = attributes[attribute] as AttributeAbi;
      this.#rows[`${of}_attributes`].push(id, attribute, kind);
      for (const [position, value] of args.entries()) this.#rows[`${of}_attribute_args`].push(id, attribute, position, value);
    }
  }

  readonly #calledOf = (key: string): number => this.#shared.called.of(key);
  readonly #typeOf = ({ text }: MoveType): number => this.#shared.types.of(text);

  /** Rows of a list: whose it is, the place, what stands there. */
  #list(table: Table, id: number, items: readonly unknown[]): void {
    const rows = this.#rows[table];
    for (let position = 0; position < items.length; position++) rows.push(id, position, items[position]);
  }

  /** The same where the place stands last. */
  #listBefore(table: Table, id: number, items: readonly unknown[]): void {
    const rows = this.#rows[table];
    for (let position = 0; position < items.length; position++) rows.push(id, items[position], position);
  }
}

function pushAbilities(cells: unknown[], abilities: readonly Ability[]): void {
  cells.push(abilities.includes("copy"), abilities.includes("drop"), abilities.includes("store"), abilities.includes("key"));
}
