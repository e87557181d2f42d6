import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The binary of an old Node.js that `.ci/run` brings; undefined where it is not there. */
export function findNode(version: string): string | undefined {
  const name = `node-${process.platform}-${process.arch}`;
  const path = fileURLToPath(new URL(`../../../.witnesses/node-${version}/node_modules/${name}/bin/node`, import.meta.url));
  return existsSync(path) ? path : undefined;
}
