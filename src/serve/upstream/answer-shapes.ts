import { indexFromBcs, indexFromJson } from "../../node/answers/index-answer.ts";
import { moduleFromJson, modulesFromBcs, modulesFromJson } from "../../node/answers/module-answer.ts";
import { accountFromBcs, accountFromJson, asObject, readBcsBody, readText, u64Field } from "../../node/answers/shapes.ts";
import { AnswerFault } from "../../node/protocol/node-error.ts";
import { readAddress } from "../operations/parameters.ts";

/** Reads an answer to find out whether it is one; throws AnswerFault if it is not. `parts` are the open segments of the path. */
type Shape = {
  readonly json: (json: unknown) => unknown;
  readonly bcs: (body: Uint8Array, parts: readonly string[]) => unknown;
};

/** The node's own bound on a page. */
const PAGE_MODULES = 9999;
const MAGIC = "a11ceb0b";

/** What a node answers, by the route's name. */
export const answerShapes: Readonly<Record<string, Shape>> = {
  index: {
    json: (json) => {
      indexFromJson(json);
      for (const name of ["epoch", "ledger_timestamp", "oldest_block_height", "block_height"]) u64Field(asObject(json, "the index"), name);
    },
    bcs: indexFromBcs,
  },
  account: { json: accountFromJson, bcs: accountFromBcs },
  modules: {
    json: modulesFromJson,
    bcs: (body, [address]) => modulesFromBcs(body, readAddress(address as string), PAGE_MODULES),
  },
  module: { json: moduleFromJson, bcs: assertBytecode },
  // The fields differ from node to node, and are of any type.
  info: { json: (json) => asObject(json, "the description"), bcs: () => refuse("the description") },
  healthy: {
    json: (json) => (typeof asObject(json, "the health")["message"] === "string" ? undefined : refuse("the health")),
    bcs: (body) => readBcsBody(body, readText),
  },
};

function assertBytecode(body: Uint8Array): void {
  if (Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, MAGIC.length / 2)).toString("hex") !== MAGIC) refuse("the module");
}

function refuse(what: string): never {
  throw new AnswerFault("bad_answer", `${what} has another form`);
}
