import { type Address, parseAddress } from "../../move/address.ts";
import type { Cursor } from "../../move/module/cursor.ts";
import { AnswerFault } from "../protocol/node-error.ts";
import { asObject, bytesField, readBcsBody, readBytes, readText } from "./json-shape.ts";

/** One module as the node gave it. Its name and ABI have not been compared with the bytecode. */
export type NodeModule = {
  /** The name that the node gives the module; undefined where it gives none (JSON with a null ABI). */
  readonly name: string | undefined;
  /** The module's bytes; from BCS, a view of the whole answer's. */
  readonly bytecode: Uint8Array;
  /** The ABI as parsed JSON; null when the node said null, undefined when it was not asked (BCS). */
  readonly abi: unknown;
};

// Source: move-core/types/src/identifier.rs of aptos-core. 65,535 letters were allowed until 2023; today's limit is 255.
const NAME = /^(?:[A-Za-z_$][A-Za-z0-9_$]{0,65534}|<SELF>(?:_\d+)?)$/;

/** A page of modules from JSON: an array of records. Source: aptos-core `api/types/src/move_types.rs`. */
export function modulesFromJson(json: unknown): readonly NodeModule[] {
  if (!Array.isArray(json)) throw new AnswerFault("bad_answer", "the page of modules is not a JSON array");
  return json.map((item) => moduleFromJson(item));
}

export function moduleFromJson(json: unknown): NodeModule {
  const record = asObject(json, "the module");
  const bytecode = bytesField(record, "bytecode");
  const abi = record["abi"];
  if (abi === null || abi === undefined) return { name: undefined, bytecode, abi: null };
  return { name: checkName(asObject(abi, "the ABI")["name"]), bytecode, abi };
}

/** A page of at most `most` modules from BCS: a map from `0xaddress::name` to bytes. Source: aptos-core `api/src/accounts.rs`. */
export function modulesFromBcs(body: Uint8Array, address: Address, most: number): readonly NodeModule[] {
  return readBcsBody(body, (cursor) => {
    const count = cursor.uleb(most);
    const modules: NodeModule[] = [];
    for (let index = 0; index < count; index++) modules.push(readEntry(cursor, address));
    return modules;
  });
}

function readEntry(cursor: Cursor, address: Address): NodeModule {
  const key = readText(cursor);
  const split = key.indexOf("::");
  if (split < 0 || parseAddress(key.slice(0, split)) !== address) {
    throw new AnswerFault("bad_answer", `the page of ${address} holds a module called \`${key}\``);
  }
  return { name: checkName(key.slice(split + 2)), bytecode: readBytes(cursor), abi: undefined };
}

function checkName(name: unknown): string {
  if (typeof name !== "string" || !NAME.test(name))
    throw new AnswerFault("bad_answer", `a module is called \`${typeof name === "string" ? name : typeof name}\``);
  return name;
}
