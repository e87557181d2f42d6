import type { NodeGeneration } from "../abi/node-json/format.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { MovedexError } from "../errors.ts";
import type { Forwarder } from "../node/http/forwarder.ts";
import type { ArchivePlace } from "../store/read/serving.ts";
import { apiPlugin, routesPlugin } from "./api-plugin.ts";
import { createApp, type RequestRecord } from "./http/app.ts";
import { ConcurrencyLimit } from "./http/concurrency-limit.ts";
import { type ListenAddress, listen, stop } from "./http/listen.ts";
import { Metrics } from "./http/metrics.ts";
import { makeResponder } from "./http/responder.ts";
import { ArchiveSource } from "./operations/archive-source.ts";
import { isHeld } from "./operations/resolve-version.ts";
import { rootRoutes, routes } from "./operations/routes.ts";
import { type ServeLimits, serveLimits } from "./serve-limits.ts";
import type { Between } from "./service.ts";
import { makeUpstream, type Upstream } from "./upstream/upstream.ts";
import { type FallbackOptions, type Preference, withUpstream } from "./upstream/upstream-fallback.ts";

/** What is served, and how. */
export type ServeOptions = ListenAddress & {
  readonly archive: ArchivePlace;
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
  const { archive: place, log, version, between, clock, onRequest, upstream, generation } = options;
  const limits = { ...serveLimits, ...options.limits };
  const metrics = new Metrics();
  const source = await ArchiveSource.open({ place, limits, generation, clock, log });
  const { app, gauges } = createApp({
    limits,
    metrics,
    onBug: (error) =>
      log("error", `a request could not be answered: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
    ...(onRequest === undefined ? {} : { onRequest }),
  });
  app.addHook("onClose", () => source.close());
  const head = () => source.use((cache) => cache.head());
  const behind = upstream === undefined ? undefined : upstreamOf(options, upstream.forwarder, head, metrics, limits);
  const heavyWork = new ConcurrencyLimit(limits.pagesAtOnce, limits.pagesWaiting);
  const allGauges = () => ({ ...gauges(), ...behind?.gauges() });
  const surroundings = { between, limits, metrics, version, heavyWork, gauges: allGauges, now: clock.now };
  const archive = makeResponder(source, surroundings);
  const isHeldHere: FallbackOptions["isHeld"] = (request) => source.use((cache) => isHeld({ cache, between }, request));
  const front =
    behind === undefined
      ? archive
      : withUpstream({ archive, isHeld: isHeldHere, head, upstream: behind, preference: upstream?.preference ?? "node", limits });

  try {
    await app.register(routesPlugin(rootRoutes, archive, heavyWork));
    await app.register(apiPlugin(routes, front, heavyWork), { prefix: "/v1" });
    const origin = await listen(app, options);
    if (upstream !== undefined) await refuseOtherChain(upstream.forwarder, (await head())?.chainId, limits.heldFirstByteMs);
    return { origin, gauges: allGauges, close: () => stop(app, limits.stopMs) };
  } catch (error) {
    await stop(app, limits.stopMs);
    throw error;
  }
}

function upstreamOf(
  { clock, log }: ServeOptions,
  forwarder: Forwarder,
  head: FallbackOptions["head"],
  metrics: Metrics,
  limits: ServeLimits,
): Upstream {
  const chainId = async () => (await head())?.chainId;
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
