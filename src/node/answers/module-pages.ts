import type { Address } from "../../move/address.ts";
import type { NodeLimits } from "../node-limits.ts";
import type { Answer } from "../protocol/ledger-head.ts";
import { AnswerFault, NodeError } from "../protocol/node-error.ts";
import type { Data } from "./answer-reader.ts";
import type { NodeModule } from "./module-answer.ts";

/** One page, and the cursor of the next; the last has none. */
type ModulePage = Data<readonly NodeModule[]>;

/** Which page to read. `limit` undefined leaves the size to the node. */
export type PageQuery = { readonly start: string | undefined; readonly limit: number | undefined };

/** The node's own default and maximum. Source: aptos-core `config/src/config/api_config.rs`. */
const NODE_PAGE = 9999;

/**
 * All pages of an account, until the cursor is missing; a short page is no end. A cursor that repeats is `bad_answer`, too many
 * pages or modules `too_large`. After a page too large or slow, smaller ones are asked for.
 */
export async function* walkPages(
  address: Address,
  fetchPage: (query: PageQuery) => Promise<ModulePage>,
  wanted: number | undefined,
  limits: NodeLimits,
  fail: (fault: AnswerFault) => NodeError,
): AsyncGenerator<Answer<readonly NodeModule[]>, void, undefined> {
  const seen = new Set<string>();
  let start: string | undefined;
  let limit = wanted;
  let modules = 0;
  for (let pages = 1; ; pages++) {
    let page: ModulePage;
    try {
      page = await fetchPage({ start, limit });
    } catch (error) {
      limit = smaller(error, limit);
      if (limit === undefined) throw error;
      continue;
    }
    const { answer, cursor } = page;
    modules += answer.value.length;
    if (cursor !== undefined && seen.has(cursor))
      throw fail(new AnswerFault("bad_answer", `the listing of ${address} came back to a cursor that it gave before`));
    if (pages > limits.pages || modules > limits.modules) {
      throw fail(new AnswerFault("too_large", `the listing of ${address} has no end: ${modules} modules on ${pages} pages`));
    }
    yield answer;
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
