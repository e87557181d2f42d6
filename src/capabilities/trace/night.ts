import { afterReading, type NightPart } from "../../core/cli/night-part.ts";
import { wholeNumber } from "../../core/cli/options/options.ts";
import type { TraceFlags } from "./run.ts";

/** The exact versions of the changes that the night saw. */
export const nightPart: NightPart<{ readonly traceRequests: number }, TraceFlags> = {
  name: "trace",
  reads: true,
  hearsSignals: true,
  declare: (command) => command.option("--trace-requests <n>", "requests for trace; 0 for no trace", wholeNumber(0, 1e12), 1000),
  turn: ({ flags: { traceRequests }, shared: { node, database } }) =>
    traceRequests > 0 ? { flags: { ...node, maxRequests: traceRequests, ...database }, after: afterReading } : undefined,
  load: async () => (await import("./run.ts")).step,
};
