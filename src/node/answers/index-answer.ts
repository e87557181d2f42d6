import { parseU64 } from "../../base/u64.ts";
import type { Cursor } from "../../move/module/cursor.ts";
import { AnswerFault } from "../protocol/node-error.ts";
import { readBcsBody, readText } from "./bcs-shape.ts";
import { asObject, u64Field } from "./json-shape.ts";

/** What a node's index says about the node itself. What it says about the ledger is in the answer's head. */
export type NodeIndex = {
  readonly chainId: number;
  readonly nodeRole: string;
  /** The commit the node was built from; null when it does not say (BCS). */
  readonly gitHash: string | null;
};

const ROLES = ["validator", "full_node"];

/** The index from JSON. Source: aptos-core `api/types/src/index.rs`. */
export function indexFromJson(json: unknown): NodeIndex {
  const index = asObject(json, "the index");
  const { chain_id, node_role, git_hash } = index;
  if (typeof chain_id !== "number" || !Number.isInteger(chain_id) || chain_id < 0 || chain_id > 255) {
    throw new AnswerFault("bad_answer", "`chain_id` is not a number from 0 to 255");
  }
  u64Field(index, "ledger_version");
  u64Field(index, "oldest_ledger_version");
  return {
    chainId: chain_id,
    nodeRole: typeof node_role === "string" ? node_role : "",
    gitHash: typeof git_hash === "string" && git_hash !== "" ? git_hash : null,
  };
}

/** The index from BCS: the chain id, four decimal strings, the role, two decimal strings. Source: the same file. */
export function indexFromBcs(body: Uint8Array): NodeIndex {
  return readBcsBody(body, (cursor) => {
    const chainId = cursor.u8();
    for (let count = 0; count < 4; count++) readDecimal(cursor);
    const nodeRole = ROLES[cursor.uleb(ROLES.length - 1)] as string;
    for (let count = 0; count < 2; count++) readDecimal(cursor);
    return { chainId, nodeRole, gitHash: null };
  });
}

function readDecimal(cursor: Cursor): bigint {
  const value = parseU64(readText(cursor));
  if (value === undefined) throw new AnswerFault("bad_answer", "a number of the index is not a decimal u64");
  return value;
}
