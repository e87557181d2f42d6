import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

function find(path: string): string | undefined {
  const found = fileURLToPath(new URL(`../../../shared/data/${path}`, import.meta.url));
  return existsSync(found) ? found : undefined;
}

/**
 * The directory of recorded framework releases beside the repository, or undefined in a checkout without it: tests that
 * read it are then skipped by name.
 */
export const frameworkHistory = find("framework-history");

/** Ten modules of real releases before and after, with a README of what a careful reader says of each; undefined as above. */
export const realUpgrades = find("upgrades");

/** What a real node of generation B answered to a thousand requests, one a line, compressed; undefined as above. */
export const nodeAnswers = find("node-answers/answers.jsonl.gz");
