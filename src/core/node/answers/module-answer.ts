import { type Address, parseAddress } from "../../move/address.ts";
import type { Cursor } from "../../move/module/cursor.ts";
import type { NodeLimits } from "../http/body.ts";
import type { Answer } from "../protocol/ledger-head.ts";
import { AnswerFault, NodeError } from "../protocol/node-error.ts";
import { asObject, bytesField, readBcsBody, readBytes, readText } from "./shapes.ts";

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
  const given = key.slice(0, Math.max(0, split));
  if (given !== address && parseAddress(given) !== address) {
    throw new AnswerFault("bad_answer", `the page of ${address} holds a module called \`${key}\``);
  }
  return { name: checkName(key.slice(split + 2)), bytecode: readBytes(cursor), abi: undefined };
}

function checkName(name: unknown): string {
  if (typeof name !== "string" || !NAME.test(name))
    throw new AnswerFault("bad_answer", `a module is called \`${typeof name === "string" ? name : typeof name}\``);
  return name;
}

/** Which page to read. `limit` undefined leaves the size to the node. */
export type PageQuery = { readonly start: string | undefined; readonly limit: number | undefined };

/** The node's own default and maximum. Source: aptos-core `config/src/config/api_config.rs`. */
const NODE_PAGE = 9999;

/**
 * All pages of an account, until the cursor is missing; a short page is no end. A cursor that repeats, or that nothing follows, is
 * `bad_answer`, too many pages or modules `too_large`. After a page too large or slow, smaller ones are asked for.
 */
export async function* walkPages(
  address: Address,
  fetchPage: (query: PageQuery) => Promise<Answer<readonly NodeModule[]>>,
  wanted: number | undefined,
  limits: NodeLimits,
  fail: (fault: AnswerFault) => NodeError,
): AsyncGenerator<Answer<readonly NodeModule[]>, void, undefined> {
  const seen = new Set<string>();
  let start: string | undefined;
  let limit = wanted;
  let modules = 0;
  for (let pages = 1; ; pages++) {
    let page: Answer<readonly NodeModule[]>;
    try {
      page = await fetchPage({ start, limit });
    } catch (error) {
      limit = smaller(error, limit);
      if (limit === undefined) throw error;
      continue;
    }
    const { value, cursor } = page;
    modules += value.length;
    if (cursor !== undefined && seen.has(cursor))
      throw fail(new AnswerFault("bad_answer", `the listing of ${address} came back to a cursor that it gave before`));
    if (pages > limits.pages || modules > limits.modules) {
      throw fail(new AnswerFault("too_large", `the listing of ${address} has no end: ${modules} modules on ${pages} pages`));
    }
    if (cursor === undefined && start !== undefined && value.length === 0)
      throw fail(new AnswerFault("bad_answer", `the listing of ${address} ends without the module that the page before named`));
    yield page;
    if (cursor === undefined) return;
    seen.add(cursor);
    start = cursor;
  }
}

/** The size to try next after a failure; undefined when a smaller page is no help. */
function smaller(error: unknown, limit: number | undefined): number | undefined {
  if (!(error instanceof NodeError) || (error.kind !== "too_large" && error.kind !== "timeout")) return undefined;
  const size = Math.min(limit ?? NODE_PAGE, NODE_PAGE);
  return size > 1 ? Math.max(1, Math.floor(size / 8)) : undefined;
}
