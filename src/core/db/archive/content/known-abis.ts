import type { Integer, Transaction } from "../../engine/engine.ts";
import { jsonEach } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { DERIVED_BY, REPORTED_BY_NODE } from "../../schema/tables/derived.ts";
import { type AbiContent, type AbiRows, contentOf } from "./abi-rows.ts";
import { type Derivation, rowsOfBytecode } from "./derivation.ts";
import { readCodes, unlessDamaged } from "./read-code.ts";

/** An ABI that a module has: its number, and those of its functions and structs in their order. */
export type AbiIds = { readonly id: number; readonly functions: readonly number[]; readonly structs: readonly number[] };

/** What an ABI shares with others of its module: its own number, or those of its functions and structs; undefined where they are new. */
export type SharedIds = {
  readonly id?: number;
  readonly functions: readonly (number | undefined)[];
  readonly structs: readonly (number | undefined)[];
};

/** Decodes an ABI's bytecode again; undefined where that is damaged. It is kept, so it may hold nothing but what it needs. */
type Decode = () => Derivation | undefined;
type Known = AbiIds & { readonly decode: Decode; content?: AbiContent };

const NONE: SharedIds = { functions: [], structs: [] };

const stored = sql<[module: number, abi: number, bytecode: Integer, nodeAbi: string | null]>`SELECT a.module_id, a.id, b.id, b.node_abi
  FROM ${jsonEach(":modules::json", "j")} JOIN _abis a ON a.module_id = CAST(j.value AS bigint) JOIN _bytecodes b ON b.id =
  (SELECT min(n.id) FROM _bytecodes n WHERE n.abi_id = a.id AND n.derived_by IN (:movedex::text, :node::text)) ORDER BY a.id`;
const itemsIn = (table: Sql, id: Sql) => sql<[abi: number, id: number]>`SELECT l.abi_id, l.${id} FROM ${jsonEach(":abis::json", "j")}
  JOIN ${table} l ON l.abi_id = CAST(j.value AS bigint) ORDER BY l.abi_id, l.position`;
const functionsIn = itemsIn(sql`_abi_functions`, sql`function_id`);
const structsIn = itemsIn(sql`_abi_structs`, sql`struct_id`);

/** The ABIs that modules have. Rows do not tell whether two items are alike: those that a module has are decoded again and compared. */
export class KnownAbis {
  readonly #ofModule = new Map<number, Known[]>();

  /** Reads what is stored of modules; once, since \`add\` is told of what is written after that. */
  async read(tx: Transaction, modules: readonly number[]): Promise<void> {
    const asked = [...new Set(modules)].filter((module) => !this.#ofModule.has(module));
    if (asked.length === 0) return;
    for (const module of asked) this.#ofModule.set(module, []);
    const rows = await tx.all(stored, { modules: JSON.stringify(asked), movedex: DERIVED_BY, node: REPORTED_BY_NODE });
    if (rows.length === 0) return;
    const abis = JSON.stringify(rows.map(([, id]) => id));
    const functions = Map.groupBy(await tx.all(functionsIn, { abis }), ([abi]) => abi);
    const structs = Map.groupBy(await tx.all(structsIn, { abis }), ([abi]) => abi);
    const find = await readCodes(
      tx,
      rows.map(([, , bytecode]) => bytecode),
    );
    for (const [module, id, bytecode, nodeAbi] of rows) {
      const decode = () => {
        const code = unlessDamaged(() => find(bytecode)?.code);
        return code && rowsOfBytecode(code, nodeAbi);
      };
      const items = (found: typeof functions): number[] => found.get(id)?.map(([, item]) => item) ?? [];
      this.add(module, { id, functions: items(functions), structs: items(structs) }, decode);
    }
  }

  add(module: number, ids: AbiIds, decode: Decode): void {
    const known = this.#ofModule.get(module);
    if (known === undefined) this.#ofModule.set(module, [{ ...ids, decode }]);
    else known.push({ ...ids, decode });
  }

  /** What of an ABI is stored already. */
  sharedWith(module: number, rows: AbiRows): SharedIds {
    const known = this.#ofModule.get(module) ?? [];
    if (known.length === 0) return NONE;
    const own = contentOf(rows);
    const [functions, structs] = [new Map<string, number>(), new Map<string, number>()];
    for (const abi of known) {
      abi.content ??= contentOfDecoded(abi.decode());
      if (abi.content.abi === own.abi) return { ...NONE, id: abi.id };
      for (const [i, digest] of abi.content.functions.entries()) functions.set(digest, abi.functions[i] as number);
      for (const [i, digest] of abi.content.structs.entries()) structs.set(digest, abi.structs[i] as number);
    }
    return { functions: own.functions.map((digest) => functions.get(digest)), structs: own.structs.map((digest) => structs.get(digest)) };
  }
}

/** That of bytecode that cannot be decoded has nothing in common with any. */
function contentOfDecoded(derivation: Derivation | undefined): AbiContent {
  return derivation !== undefined && "rows" in derivation ? contentOf(derivation.rows) : { abi: "", functions: [], structs: [] };
}
