import type { Integer, Transaction } from "../../engine/engine.ts";
import { jsonEach } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { DERIVED_BY, REPORTED_BY_NODE } from "../../schema/tables/derived.ts";
import { type AbiRows, type ContentDigest, contentOf } from "./abi-rows.ts";
import { readCodes, unlessDamaged } from "./code-blobs.ts";
import { type Derivation, rowsOfBytecode } from "./derivation.ts";

/** The number of an ABI, that of what a node prints of it, and those of its functions and structs in their order; undefined where new. */
type Numbers<New> = {
  readonly id: number | New;
  readonly face: number;
  readonly functions: readonly (number | New)[];
  readonly structs: readonly (number | New)[];
};

/** An ABI that a module has. */
export type AbiIds = Numbers<never>;

/** What an ABI has in common with others of its module. */
export type KnownItems = Numbers<undefined>;

/** Decodes an ABI's bytecode again; undefined where that is damaged. It is kept, so it may hold nothing but what it needs. */
type Decode = () => Derivation | undefined;

/** What a module has: numbers by content, ABIs whose content nobody has asked for, and how many faces there are. */
type Known = { ids?: Map<ContentDigest, number>; readonly waiting: (readonly [AbiIds, Decode])[]; faces: number };

const NONE: KnownItems = { id: undefined, face: 0, functions: [], structs: [] };

const stored = sql<[module: number, abi: number, face: number, bytecode: Integer, nodeAbi: string | null]>`SELECT a.module_id, a.id, a.face,
  b.id, b.node_abi
  FROM ${jsonEach(":modules::json", "j")} JOIN _abis a ON a.module_id = CAST(j.value AS bigint) JOIN _bytecodes b ON b.id =
  (SELECT min(n.id) FROM _bytecodes n WHERE n.abi_id = a.id AND n.derived_by IN (:movedex::text, :node::text)) ORDER BY a.id`;
const itemsIn = (table: Sql, id: Sql) => sql<[abi: number, id: number]>`SELECT l.abi_id, l.${id} FROM ${jsonEach(":abis::json", "j")}
  JOIN ${table} l ON l.abi_id = CAST(j.value AS bigint) ORDER BY l.abi_id, l.position`;
const functionsIn = itemsIn(sql`_abi_functions`, sql`function_id`);
const structsIn = itemsIn(sql`_abi_structs`, sql`struct_id`);

/** The ABIs that modules have. Rows do not tell whether two items are alike: those that a module has are decoded again and compared. */
export class KnownAbis {
  readonly #ofModule = new Map<number, Known>();

  /** Reads what is stored of modules; once, since `add` is told of what is written after that. */
  async read(tx: Transaction, modules: readonly number[]): Promise<void> {
    const asked = modules.filter((module) => !this.#ofModule.has(module));
    if (asked.length === 0) return;
    const rows = await tx.all(stored, { modules: JSON.stringify([...new Set(asked)]), movedex: DERIVED_BY, node: REPORTED_BY_NODE });
    if (rows.length === 0) return;
    const abis = JSON.stringify(rows.map(([, id]) => id));
    const functions = Map.groupBy(await tx.all(functionsIn, { abis }), ([abi]) => abi);
    const structs = Map.groupBy(await tx.all(structsIn, { abis }), ([abi]) => abi);
    const find = await readCodes(
      tx,
      rows.map(([, , , bytecode]) => bytecode),
    );
    for (const [module, id, face, bytecode, nodeAbi] of rows) {
      const items = (found: typeof functions): number[] => found.get(id)?.map(([, item]) => item) ?? [];
      this.add(module, { id, face, functions: items(functions), structs: items(structs) }, () => {
        const code = unlessDamaged(() => find(bytecode)?.code);
        return code && rowsOfBytecode(code, nodeAbi);
      });
    }
  }

  add(module: number, ids: AbiIds, decode: Decode): void {
    const known = this.#ofModule.get(module) ?? { waiting: [], faces: 0 };
    known.waiting.push([ids, decode]);
    known.faces = Math.max(known.faces, ids.face + 1);
    this.#ofModule.set(module, known);
  }

  /** The numbers of an ABI's parts that are stored already. */
  find(module: number, rows: AbiRows): KnownItems {
    const known = this.#ofModule.get(module);
    if (known === undefined) return NONE;
    known.ids ??= new Map();
    const { ids } = known;
    for (const [of, decode] of known.waiting.splice(0)) {
      const derivation = decode();
      // That of bytecode that cannot be decoded has nothing in common with any.
      if (derivation === undefined || "error" in derivation) continue;
      const content = contentOf(derivation.rows);
      ids.set(content.abi, of.id).set(content.face, of.face);
      for (const [i, digest] of content.functions.entries()) ids.set(digest, of.functions[i] as number);
      for (const [i, digest] of content.structs.entries()) ids.set(digest, of.structs[i] as number);
    }
    const { abi, face, functions, structs } = contentOf(rows);
    const idOf = (digest: ContentDigest) => ids.get(digest);
    return { id: idOf(abi), face: idOf(face) ?? known.faces, functions: functions.map(idOf), structs: structs.map(idOf) };
  }
}
