import { chmodSync, lstatSync, rmSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import type { FastifyInstance } from "fastify";
import type { NodeGeneration } from "../../core/abi/node-json/format.ts";
import type { Log } from "../../core/base/log.ts";
import { printable } from "../../core/base/printable.ts";
import type { Clock } from "../../core/base/time.ts";
import { ConfigError } from "../../core/errors.ts";
import { apiPlugin, routesPlugin } from "./api-plugin.ts";
import { type AppOptions, createApp } from "./http/app.ts";
import { concurrencyLimit, type ServeLimits, serveLimits } from "./http/bounds.ts";
import { Metrics } from "./http/metrics.ts";
import { openArchiveSource } from "./operations/archive-source.ts";
import type { ServedArchive } from "./operations/served-archive.ts";
import type { ArchiveStamp, Between, PagesMaker } from "./operations/service.ts";
import { makeResponder } from "./responder.ts";
import { metricsRoute, routes, welcomeRoute } from "./routes.ts";
import type { Forwarder } from "./upstream/forwarder.ts";
import { makeUpstream } from "./upstream/upstream.ts";
import { withUpstream } from "./upstream/upstream-fallback.ts";

export type ServeOptions = Pick<AppOptions, "onRequest" | "trustProxy" | "clientRate"> & {
  readonly address: ListenAddress;
  /** Where the metrics are: `/metrics` beside the API, the same on an address of its own, or nowhere. */
  readonly metrics?: "beside" | ListenAddress | "off";
  /** Opens the archive to answer from, at the start and whenever another lies in its place. */
  readonly openArchive: () => Promise<ServedArchive>;
  readonly between: Between;
  /** The node generation whose ABI the JSON has. */
  readonly generation: NodeGeneration;
  /** A node to stand in front of. */
  readonly upstream?: Forwarder | undefined;
  /** Pages to look at, beside the API; without them `/` is a line that points at the API. */
  readonly pages?: PagesMaker | undefined;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<ServeLimits>;
};

export type RunningService = {
  /** `http://127.0.0.1:8080`, or `unix:/run/movedex.sock`. */
  readonly origin: string;
  readonly metricsOrigin: string | undefined;
  readonly gauges: () => Readonly<Record<string, number>>;
  /** Stops accepting connections, lets answers under way end, and closes what is left after `stopMs`. */
  readonly close: () => Promise<void>;
};

/**
 * Starts to serve an archive; it answers once the promise resolves. A node behind that does not answer is not waited for longer
 * than `startMs`. @throws ConfigError when it cannot listen, MovedexError `MOVEDEX_SERVE_CHAIN` when the node is of another chain
 */
export async function serve(options: ServeOptions): Promise<RunningService> {
  const { openArchive: open, log, version, between, clock, upstream, generation, pages, metrics: metricsPlace = "beside" } = options;
  const limits = { ...serveLimits, ...options.limits };
  const metrics = new Metrics();
  const onBug = (error: unknown) =>
    log("error", `a request could not be answered: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  const source = await openArchiveSource({ open, limits, generation, clock, log });
  const { app, gauges, underWay } = await createApp({ ...options, limits, metrics, onBug, noPage: pages?.noPage });
  app.addHook("onClose", () => source.close());
  // The node behind answers on, and its chain has still to be the archive's.
  const head = () => source.use((cache) => cache.headOrLast());
  const chainId = async () => (await head())?.chainId;
  const onFailure = () => metrics.count("upstream_failures");
  const behind = upstream === undefined ? undefined : makeUpstream({ forwarder: upstream, chainId, limits, clock, log, onFailure });
  const heavyWork = concurrencyLimit(limits.pagesAtOnce, limits.pagesWaiting);
  const allGauges = () => ({ ...gauges(), ...behind?.gauges() });
  const surroundings = { between, generation, limits, metrics, version, heavyWork, gauges: allGauges, now: clock.now };
  const archive = makeResponder(source, surroundings);
  const front = behind === undefined ? archive : withUpstream(archive, behind, head, { heavyWork });
  const stamp = () =>
    source.use(async (cache): Promise<ArchiveStamp> => {
      await cache.head();
      return { archive: cache.number, serial: cache.serial() };
    });

  try {
    const welcome = pages === undefined ? [welcomeRoute] : [];
    await app.register(routesPlugin(metricsPlace === "beside" ? [...welcome, metricsRoute] : welcome, archive));
    if (pages !== undefined) await app.register(pages.plugin({ ...surroundings, stamp }));
    // The explorer has a page of it in its own frame.
    const ofApi = pages === undefined ? routes : routes.filter(({ name }) => name !== "spec");
    await app.register(apiPlugin(ofApi, front), { prefix: "/v1" });
    let metricsOrigin: string | undefined;
    if (typeof metricsPlace !== "string") {
      // They count the service's answers, not their own, and are closed with the service.
      const apart = await createApp({ limits, metrics: new Metrics(), clock, onBug });
      app.addHook("onClose", () => stop(apart.app, limits.stopMs, apart.underWay));
      await apart.app.register(routesPlugin([metricsRoute], archive));
      metricsOrigin = await listen(apart.app, metricsPlace, "--metrics");
    }
    const origin = await listen(app, options.address);
    await behind?.refuseOtherChain();
    return { origin, metricsOrigin, gauges: allGauges, close: () => stop(app, limits.stopMs, underWay) };
  } catch (error) {
    await stop(app, limits.stopMs, underWay);
    throw error;
  }
}

/** Where to listen: a TCP port, 0 for any free one, or the path of a Unix socket. */
type ListenAddress = { readonly host: string; readonly port: number } | { readonly socket: string };

/** Who may connect to a Unix socket: its owner and its group. */
const SOCKET_MODE = 0o660;

/**
 * Opens the socket. Returns where clients reach it: `http://127.0.0.1:8080`, or `unix:/run/movedex.sock`.
 * `option` names what chose a port.
 * @throws ConfigError when it cannot listen there
 */
async function listen(app: FastifyInstance, address: ListenAddress, option = "--port (0 is any free one) or --host"): Promise<string> {
  try {
    if ("socket" in address) {
      await removeDeadSocket(address.socket);
      await app.listen({ path: address.socket, backlog: 4096 });
      chmodSync(address.socket, SOCKET_MODE);
      return `unix:${address.socket}`;
    }
    await app.listen({ ...address, backlog: 4096 });
  } catch (error) {
    throw cannotListen(address, option, error as NodeJS.ErrnoException);
  }
  const { address: bound, family, port } = app.server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${bound}]` : bound}:${port}`;
}

/** Stops accepting connections, lets answers that are `underWay` end, and closes what is left after `stopMs`. */
async function stop(app: FastifyInstance, stopMs: number, underWay: () => number): Promise<void> {
  const late = setTimeout(() => app.server.closeAllConnections(), stopMs);
  // A connection whose answer ended meanwhile is kept open by its client, for more requests; a half of a request is no answer under way.
  const idle = setInterval(() => (underWay() > 0 ? app.server.closeIdleConnections() : app.server.closeAllConnections()), 50);
  await app.close();
  clearTimeout(late);
  clearInterval(idle);
}

function cannotListen(address: ListenAddress, option: string, error: NodeJS.ErrnoException): ConfigError {
  const { code = "unknown error" } = error;
  const [where, advice] =
    "socket" in address
      ? [`the socket \`${printable(address.socket, 200)}\``, "--socket, in a folder that is there and that this user may write"]
      : [`${printable(address.host, 100)} port ${address.port}`, option];
  const facts = { ...address, reason: code };
  return new ConfigError(`could not listen on ${where}: ${code}. Give another ${advice}.`, { facts, cause: error });
}

/** A service that was killed leaves its socket behind, and nothing answers there: it makes way for the new one. */
async function removeDeadSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const isAnswered = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
  if (!isAnswered) rmSync(path);
}
