import { afterAll } from "vitest";
import { type SimNode, type SimNodeOptions, startSimNode } from "../../../sim/index.ts";

/** A simulated node for all tests of a file, or of the suite that awaits it. */
export async function nodeOfFile(options: SimNodeOptions): Promise<SimNode> {
  const node = await startSimNode(options);
  afterAll(() => node.close());
  return node;
}
