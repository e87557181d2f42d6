import type { Address } from "../../move/address.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import { frameworkAccounts } from "../targets/targets.ts";
import { CrawlError } from "./classify-failure.ts";
import type { VisitWork } from "./visit-account.ts";

/**
 * Makes sure, by one request, that a node which listed nothing at a version lists modules there at all: the framework has some at every
 * version of every chain. @throws CrawlError `MOVEDEX_CRAWL_UNINDEXED` where it lists none; NodeError where the node does not say
 */
export async function requireIndex({ node, stop }: Pick<VisitWork, "node" | "stop">, version: bigint): Promise<void> {
  if (node.hasListed(version)) return;
  try {
    const pages = node.modulePages(frameworkAccounts[0] as Address, { version, limit: 1 }, stop.signal);
    for await (const { value } of pages) if (value.length > 0) return;
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    // An archive that answers in a node's place may hold other accounts alone.
    if (error.kind === "not_held" || error.kind === "inferred") return;
    if (error.kind !== "account_not_found") throw error;
  }
  throw CrawlError.unindexed(node.url, version);
}
