import type { RuleFinding } from "../../abi/compare/finding.ts";
import { maxBytecodeVersions, type NodeGeneration } from "../../abi/node-json/format.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";

/** What of a build depends on the release of the chain's nodes. */
export type NodeRules = {
  /** In words: `generation B`, `generation B or C, as its nodes print ABIs`. */
  readonly generation: string;
  readonly maxBytecodeVersion: number;
  /** Whether function types are compared by the numbers of the structs in them; undefined if that is not known. */
  readonly comparesHandles: boolean | undefined;
};

/** Chains of Movement's network, whose nodes are of generation B since 2025-06. Source: node-contract; aptos-core #17171. */
const MOVEMENT_CHAINS: readonly (number | null)[] = [126, 250];

/** The rules of a ledger's nodes: of the generation named, else as the archive saw what nodes print; undefined if neither tells. */
export async function nodeRules(
  archive: Pick<ModuleArchive, "chainId" | "nodeBuild"> | undefined,
  named?: NodeGeneration,
): Promise<NodeRules | undefined> {
  if (named !== undefined) return rulesOf(named, "");
  if (archive === undefined) return undefined;
  if (MOVEMENT_CHAINS.includes(await archive.chainId())) return rulesOf("B", ", which Movement's network runs");
  const build = await archive.nodeBuild();
  const seen = ", as its nodes print ABIs";
  if (build === "B or C") return { ...rulesOf("C", ""), generation: `generation B or C${seen}`, comparesHandles: undefined };
  return build === "A" || build === "D" ? rulesOf(build, seen) : undefined;
}

function rulesOf(generation: NodeGeneration, source: string): NodeRules {
  return {
    generation: `generation ${generation}${source}`,
    maxBytecodeVersion: maxBytecodeVersions[generation],
    comparesHandles: generation === "B",
  };
}

/** A finding by the rules of a chain's nodes: whether they refuse what generation B does. */
export function judgedBy<F extends RuleFinding>(nodes: NodeRules | undefined, finding: F): F {
  if (finding.upgrade !== "refused by generation B" || nodes?.comparesHandles === undefined) return finding;
  return { ...finding, upgrade: nodes.comparesHandles ? "refused" : "allowed" };
}
