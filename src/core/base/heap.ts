import { setFlagsFromString } from "node:v8";

/**
 * Has the old generation collected whenever it and the buffers that it holds have grown by 60 %, as bin/heap.mjs does from the start on
 * where it is not `sync` or `night` that runs: at the pace of a quiet night a first crawl takes up to 60 MB more.
 */
export function collectSooner(): void {
  setFlagsFromString("--heap-growing-percent=60");
}
