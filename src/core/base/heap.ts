import { setFlagsFromString } from "node:v8";

/**
 * Has the old generation collected whenever it and the buffers that it holds have grown by 90 %: at the pace of a quiet night a first crawl
 * takes up to 20 MB more (test/bench/results.md).
 */
export function collectSooner(): void {
  setFlagsFromString("--heap-growing-percent=90");
}
