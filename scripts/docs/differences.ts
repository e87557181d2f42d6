import { nodeDeviations } from "../../src/serve/spec/node-deviations.ts";
import { markdownTable } from "./blocks.ts";

/** What `movedex serve` does otherwise than a node, as a table. */
export function differencesMarkdown(): string {
  const rows = nodeDeviations.map(({ where, node, movedex, why }) => [where, node, movedex, why]);
  return markdownTable(["where", "a node", "`movedex serve`", "why"], rows);
}
