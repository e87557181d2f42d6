import type { ArchiveHead } from "../store/read/serving.ts";
import type { Answer } from "./http/answer.ts";
import type { Turns } from "./http/concurrency-limit.ts";
import type { BodyForm } from "./http/content-types.ts";
import type { Metrics } from "./http/metrics.ts";
import type { Holdings } from "./operations/archive-cache.ts";
import type { Query } from "./operations/parameters.ts";
import type { Between } from "./operations/resolve-version.ts";
import type { ServeLimits } from "./serve-limits.ts";

/** What every operation answers from. */
export type Service = {
  readonly holdings: Holdings;
  readonly between: Between;
  readonly limits: ServeLimits;
  /** Turns at work that takes long: putting pages together, packing them. */
  readonly turns: Turns;
  readonly metrics: Metrics;
  /** Values of this moment for the metrics: memory, connections. */
  readonly gauges: () => Readonly<Record<string, number>>;
  /** The movedex that answers. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** A request that has found its operation. */
export type Call = {
  readonly form: BodyForm;
  /** The parts of the path that the operation's path leaves open, decoded. */
  readonly parts: readonly string[];
  readonly query: Query;
  /** The archive's head at this moment. */
  readonly head: ArchiveHead | undefined;
};

/** One operation: what it answers to a call. Throws ParameterError for parameters that do not parse. */
export type Operation = (service: Service, call: Call) => Answer | Promise<Answer>;
