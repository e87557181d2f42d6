import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const directory = fileURLToPath(new URL("../../../shared/data/framework-history", import.meta.url));

/**
 * The directory of recorded framework releases beside the repository, or undefined in a checkout without it: tests that
 * read it are then skipped by name.
 */
export const frameworkHistory: string | undefined = existsSync(directory) ? directory : undefined;
