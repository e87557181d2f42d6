import type { NodeGeneration } from "../abi/node-json/format.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { MovedexError } from "../errors.ts";
import type { Forwarder } from "../node/http/forwarder.ts";
import type { ServedArchive } from "../store/read/serving.ts";
import type { Responder } from "./http/answer.ts";
import { Turns } from "./http/concurrency-limit.ts";
import { Metrics } from "./http/metrics.ts";
import { makeResponder } from "./http/responder.ts";
import { type RequestRecord, type RunningServer, startServer } from "./http/server.ts";
import { Holdings } from "./operations/archive-cache.ts";
import type { Between } from "./operations/resolve-version.ts";
import { type ServeLimits, serveLimits } from "./serve-limits.ts";
import { makeUpstream } from "./upstream/upstream.ts";
import { makeFronted, type Preference } from "./upstream/upstream-fallback.ts";

/** What is served, and how. */
export type ServeOptions = {
  readonly archive: ServedArchive;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly between: Between;
  /** Which node's ABI the JSON has. */
  readonly generation: NodeGeneration;
  /** A node to stand in front of. */
  readonly upstream?: { readonly forwarder: Forwarder; readonly preference: Preference };
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onRequest?: (record: RequestRecord) => void;
  readonly limits?: Partial<ServeLimits>;
};

/** Starts to serve an archive; answers as soon as the promise resolves. @throws ConfigError when it cannot listen, MovedexError when the node is of another chain */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { archive, host, port, log, version, between, clock, onRequest } = options;
  const limits = { ...serveLimits, ...options.limits };
  const holdings = new Holdings(archive, limits, options.generation);
  const metrics = new Metrics();
  let running: RunningServer | undefined;
  const respond = makeResponder({
    holdings,
    between,
    limits,
    metrics,
    version,
    turns: new Turns(limits.pagesAtOnce, limits.pagesWaiting),
    gauges: () => running?.gauges() ?? {},
    now: clock.now,
  });
  const front = options.upstream === undefined ? respond : await frontOf(options, options.upstream, respond, holdings, metrics);
  running = await startServer({
    respond: front,
    host,
    port,
    limits,
    metrics,
    onBug: (error) =>
      log("error", `a request could not be answered: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
    ...(onRequest === undefined ? {} : { onRequest }),
  });
  return running;
}

/** The responder in front of a node, once the node has said that it is of the archive's chain. A node that says nothing may do so later. */
async function frontOf(
  { clock, log }: ServeOptions,
  { forwarder, preference }: NonNullable<ServeOptions["upstream"]>,
  respond: Responder,
  holdings: Holdings,
  metrics: Metrics,
): Promise<Responder> {
  const chainId = async () => (await holdings.head())?.chainId;
  await refuseOtherChain(forwarder, await chainId());
  const upstream = makeUpstream({ forwarder, chainId, monotonic: clock.monotonic, log, onFailure: () => metrics.upstreamFailed() });
  return makeFronted(respond, upstream, preference);
}

async function refuseOtherChain(forwarder: Forwarder, chainId: number | undefined): Promise<void> {
  if (chainId === undefined) return;
  const answer = await forwarder.forward("HEAD", "", { accept: "application/json" }, AbortSignal.timeout(10_000)).catch(() => undefined);
  answer?.body.destroy();
  const found = answer?.headers["x-aptos-chain-id"] ?? answer?.headers["x-node-chain-id"];
  if (found === undefined || found === String(chainId)) return;
  throw new MovedexError(
    "MOVEDEX_SERVE_CHAIN",
    `the node ${forwarder.url} is of chain ${found}, and the database is of chain ${chainId}. Name another --upstream or another --db.`,
    {
      exit: "wrongChain",
      facts: { stored: chainId, found: String(found) },
    },
  );
}
