import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** What V8 reports of a young generation for each MB of its semi-spaces, of which there are two. */
const BYTES_PER_MB = 2e6;

/** Arrays that are kept meanwhile; a few are enough. Should a V8 not grow by them, the program goes on with what it has. */
const ARRAYS_MAX = 256;
const ARRAY_LENGTH = 4000;

/**
 * Lets the young generation grow once, to semi-spaces of 8 MB or of another size that is a power of two, and never again.
 *
 * V8 begins with 1 MB and goes up to 16 by itself. What a night has in hand, requests, answers and rows, outlives a small space, is
 * copied twice and then collected with the old generation; left to itself, V8 takes 346 MB for a first crawl that needs 215
 * (test/bench/results.md). No flag sets it in a running process but the factor of its growth, which comes when much survives: a few
 * arrays do.
 */
export function growYoungGeneration(mb = 8) {
  setFlagsFromString(`--semi-space-growth-factor=${mb}`);
  const kept = [];
  while (kept.length < ARRAYS_MAX && youngBytes() < mb * BYTES_PER_MB) kept.push(Array.from({ length: ARRAY_LENGTH }, (_, i) => ({ i })));
  setFlagsFromString("--semi-space-growth-factor=1");
}

function youngBytes() {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? Number.POSITIVE_INFINITY;
}

/**
 * Has the old generation collected whenever it and the buffers that it holds have grown by so many per cent.
 *
 * Answers and bytecode that wait to be stored outlive the young generation, and their buffers, which are not in the heap, are freed
 * with the old one. At V8's own pace a first crawl takes 65 to 70 MB more than at 60 %. A quiet night at 60 % collects 15 MB twelve times,
 * which is a tenth of its CPU (test/bench/results.md).
 */
export function collectOldGeneration(percent) {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
