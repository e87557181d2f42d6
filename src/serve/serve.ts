import type { NodeGeneration } from "../abi/node-json/format.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { MovedexError } from "../errors.ts";
import type { Forwarder } from "../node/http/forwarder.ts";
import type { ServedArchive } from "../store/read/serving.ts";
import { apiPlugin, routesPlugin } from "./api-plugin.ts";
import { type App, createApp, type RequestRecord } from "./http/app.ts";
import { ConcurrencyLimit } from "./http/concurrency-limit.ts";
import { type ListenAddress, listen, stop } from "./http/listen.ts";
import { Metrics } from "./http/metrics.ts";
import { makeResponder } from "./http/responder.ts";
import { ArchiveCache } from "./operations/archive-cache.ts";
import { isHeld } from "./operations/resolve-version.ts";
import { rootRoutes, routes } from "./operations/routes.ts";
import { type ServeLimits, serveLimits } from "./serve-limits.ts";
import type { Between, Service } from "./service.ts";
import { makeUpstream, type Upstream } from "./upstream/upstream.ts";
import { type Preference, withUpstream } from "./upstream/upstream-fallback.ts";

/** What is served, and how. */
export type ServeOptions = ListenAddress & {
  readonly archive: ServedArchive;
  readonly between: Between;
  /** The node generation whose ABI the JSON has. */
  readonly generation: NodeGeneration;
  /** A node to stand in front of. */
  readonly upstream?: { readonly forwarder: Forwarder; readonly preference: Preference };
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onRequest?: (record: RequestRecord) => void;
  readonly limits?: Partial<ServeLimits>;
};

/** A service that listens. */
export type RunningService = {
  /** `http://127.0.0.1:8080` */
  readonly origin: string;
  readonly gauges: () => Readonly<Record<string, number>>;
  /** Stops accepting connections, lets answers under way end, and closes what is left after `stopMs`. */
  readonly close: () => Promise<void>;
};

/**
 * Starts to serve an archive; it answers once the promise resolves. A node behind that does not answer is not waited for
 * longer than `heldFirstByteMs`.
 *
 * @throws ConfigError when it cannot listen, MovedexError `MOVEDEX_SERVE_CHAIN` when the node is of another chain
 */
export async function serve(options: ServeOptions): Promise<RunningService> {
  const { archive, log, version, between, clock, onRequest, upstream } = options;
  const limits = { ...serveLimits, ...options.limits };
  const metrics = new Metrics();
  const { app, gauges } = createApp({
    limits,
    metrics,
    onBug: (error) =>
      log("error", `a request could not be answered: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
    ...(onRequest === undefined ? {} : { onRequest }),
  });
  const cache = new ArchiveCache(archive, limits, options.generation);
  const behind = upstream === undefined ? undefined : upstreamOf(options, upstream.forwarder, cache, metrics, limits);
  const heavyWork = new ConcurrencyLimit(limits.pagesAtOnce, limits.pagesWaiting);
  const allGauges = () => ({ ...gauges(), ...behind?.gauges() });
  const service: Service = { cache, between, limits, metrics, version, heavyWork, gauges: allGauges, now: clock.now };
  await registerRoutes(app, service, behind, upstream?.preference ?? "node");

  const origin = await listen(app, options);
  const close = () => stop(app, limits.stopMs);
  try {
    if (upstream !== undefined) await refuseOtherChain(upstream.forwarder, (await cache.head())?.chainId, limits.heldFirstByteMs);
  } catch (error) {
    await close();
    throw error;
  }
  return { origin, gauges: allGauges, close };
}

async function registerRoutes(app: App["app"], service: Service, upstream: Upstream | undefined, preference: Preference): Promise<void> {
  const archive = makeResponder(service);
  const held = (request: Parameters<typeof archive>[0]) => isHeld(service, request);
  const front =
    upstream === undefined
      ? archive
      : withUpstream({ archive, isHeld: held, head: async () => service.cache.head(), upstream, preference, limits: service.limits });
  await app.register(routesPlugin(rootRoutes, archive, service));
  await app.register(apiPlugin(routes, front, service), { prefix: "/v1" });
}

function upstreamOf(
  { clock, log }: ServeOptions,
  forwarder: Forwarder,
  cache: ArchiveCache,
  metrics: Metrics,
  limits: ServeLimits,
): Upstream {
  const chainId = async () => (await cache.head())?.chainId;
  return makeUpstream({ forwarder, chainId, limits, clock, log, onFailure: () => metrics.upstreamFailed() });
}

/** Every answer of the node is held against the chain as well; this finds a wrong address before anyone relies on it. */
async function refuseOtherChain(forwarder: Forwarder, chainId: number | undefined, withinMs: number): Promise<void> {
  if (chainId === undefined) return;
  const answer = await forwarder.forward("HEAD", "", { accept: "application/json" }, AbortSignal.timeout(withinMs)).catch(() => undefined);
  answer?.body.destroy();
  const found = answer?.headers["x-aptos-chain-id"] ?? answer?.headers["x-node-chain-id"];
  if (found === undefined || found === String(chainId)) return;
  throw new MovedexError(
    "MOVEDEX_SERVE_CHAIN",
    `the node at ${new URL(forwarder.url).host} is of chain ${Number(found)}, and the database is of chain ${chainId}. Name another --upstream or another --db.`,
    {
      exit: "wrongChain",
      facts: { stored: chainId, found: Number(found) },
    },
  );
}
