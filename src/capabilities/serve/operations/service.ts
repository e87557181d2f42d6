import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { NodeGeneration } from "../../../core/abi/node-json/format.ts";
import type { ArchiveHead } from "../archive-head.ts";
import type { Answer } from "../http/answer.ts";
import type { Limit, ServeLimits } from "../http/bounds.ts";
import type { Metrics } from "../http/metrics.ts";
import type { BodyFormat } from "../http/negotiation.ts";
import type { ArchiveCache } from "./archive-cache.ts";
import type { Query } from "./parameters.ts";

/** What is answered at versions that were not observed: nothing, or what the observations around them agree on. */
export type Between = "exact" | "stable";

/** What every operation answers from. */
export type Service = {
  readonly cache: ArchiveCache;
  readonly between: Between;
  readonly limits: ServeLimits;
  /** Bounds what takes long: assembling pages of modules and compressing them. */
  readonly heavyWork: Limit;
  readonly metrics: Metrics;
  /** Current values for the metrics: memory, connections. */
  readonly gauges: () => Readonly<Record<string, number>>;
  readonly generation: NodeGeneration;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** What is served at a moment: the number of the open archive, another one for another file; and one that counts up when more is sealed. */
export type ArchiveStamp = { readonly archive: number; readonly serial: number };

/** What pages beside the API are made with. */
export type PageSurroundings = Pick<Service, "heavyWork" | "now"> & {
  readonly stamp: () => Promise<ArchiveStamp>;
};

/** The pages beside the API, and what a browser is told where there is none. */
export type PagesMaker = {
  readonly plugin: (surroundings: PageSurroundings) => FastifyPluginAsync;
  readonly noPage: (request: FastifyRequest) => Promise<Answer>;
};

/** A request to an operation. */
export type Call = {
  readonly format: BodyFormat;
  /** The open segments of the route's path, decoded. */
  readonly parts: readonly string[];
  readonly query: Query;
  readonly head: ArchiveHead | undefined;
};

/** One operation: a call to its answer. Throws ParameterError for parameters that do not parse. */
export type Operation = (service: Service, call: Call) => Answer | Promise<Answer>;
