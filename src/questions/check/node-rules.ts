import type { RuleFinding } from "../../abi/compare/finding.ts";
import type { NodeGeneration } from "../../abi/node-json/format.ts";
import { readChain } from "../../archive/chain.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { textsOf } from "../../engine/shape.ts";
import { sql } from "../../schema/sql/sql.ts";

/** Chains of Movement's network, whose nodes are of generation B since 2025-06. Source: node-contract; aptos-core #17171. */
const MOVEMENT_CHAINS: readonly (number | null)[] = [126, 250];

/** What the shape of the nodes' ABIs gave away when it was last seen: A, B or C, D. */
const nodeBuild = sql`SELECT build FROM _builds WHERE build <> '' ORDER BY last_seen_at DESC LIMIT 1`;

/**
 * Whether a ledger's nodes compare function types by the numbers of the structs in them, as generation B does: by the
 * generation named, else as the archive saw what nodes print; undefined if neither tells.
 */
export async function comparesHandles(
  archive: Pick<ModuleArchive, "engine"> | undefined,
  named?: NodeGeneration,
): Promise<boolean | undefined> {
  if (named !== undefined) return named === "B";
  if (archive === undefined) return undefined;
  if (MOVEMENT_CHAINS.includes(await readChain(archive.engine))) return true;
  const build = (await textsOf(archive.engine, nodeBuild))[0];
  return build === "A" || build === "D" ? false : undefined;
}

/** A finding by the rules of a chain's nodes: whether they refuse what generation B does. */
export function judgedBy<F extends RuleFinding>(handlesCount: boolean | undefined, finding: F): F {
  if (finding.upgrade !== "refused by generation B" || handlesCount === undefined) return finding;
  return { ...finding, upgrade: handlesCount ? "refused" : "allowed" };
}
