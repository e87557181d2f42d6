import type { NodeGeneration } from "../../core/abi/node-json/format.ts";
import { closing } from "../../core/base/async.ts";
import { packageVersion } from "../../core/base/files.ts";
import type { Log } from "../../core/base/log.ts";
import { all, object, orNull, text } from "../../core/base/result.ts";
import type { Capability } from "../../core/cli/capability.ts";
import { nodeCredentials, proxySettings, readVariable } from "../../core/cli/config.ts";
import { type Io, openLog } from "../../core/cli/io.ts";
import type { DatabaseFlags } from "../../core/cli/options/shared-flags.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import type { RequestRecord } from "./http/app.ts";
import { openServedArchive } from "./operations/served-archive.ts";
import type { Between, PagesMaker } from "./operations/service.ts";
import { serve } from "./serve.ts";
import { type Forwarder, openForwarder } from "./upstream/forwarder.ts";

export const serveResult = object({ ...all(text, "url", "database", "between"), upstream: orNull(text), metrics: text });

export type ServeFlags = DatabaseFlags & {
  readonly host: string;
  readonly port: number;
  readonly between: Between;
  readonly nodeGeneration: NodeGeneration;
  readonly upstream?: string;
  readonly socket?: string;
  readonly trustProxy?: string;
  readonly ratePerClient?: number;
  readonly metrics: "on" | "off" | number;
  readonly pages: boolean;
  readonly sql: boolean;
  readonly hostName?: readonly string[];
  readonly logRequests?: boolean;
};

/** Connections to the node, and the silence of it that a client is made to bear. */
const UPSTREAM = { connections: 64, silenceMs: 10_000 } as const;

/** The pages of the capability that has some; undefined where none has. */
async function pagesOf(capabilities: readonly Capability[], flags: ServeFlags): Promise<PagesMaker | undefined> {
  const [openPages] = await Promise.all(capabilities.flatMap(({ pages }) => (pages === undefined || !flags.pages ? [] : [pages()])));
  return openPages?.(flags.db, { hasSql: flags.sql, hostNames: [flags.host, ...(flags.hostName ?? [])] }) as PagesMaker | undefined;
}

export async function runServe(io: Io, flags: ServeFlags, capabilities: readonly Capability[]): Promise<void> {
  const log = openLog(io);
  await using forwarder = flags.upstream === undefined ? undefined : closing(openUpstream(flags.upstream, io));
  const running = await serve({
    openArchive: () => openServedArchive(flags.db),
    address: flags.socket === undefined ? { host: flags.host, port: flags.port } : { socket: flags.socket },
    metrics: typeof flags.metrics === "number" ? { host: "127.0.0.1", port: flags.metrics } : flags.metrics === "on" ? "beside" : "off",
    between: flags.between,
    generation: flags.nodeGeneration,
    pages: await pagesOf(capabilities, flags),
    version: packageVersion(),
    clock: io.clock,
    log,
    upstream: forwarder,
    // A peer on a Unix socket has no address: whoever may open it is the proxy.
    trustProxy: flags.trustProxy === undefined || flags.socket === undefined ? flags.trustProxy : (_, hop) => hop === 0,
    clientRate: flags.ratePerClient,
    onRequest: flags.logRequests ? (record) => logRequest(log, record) : undefined,
  });
  const stopped = untilStopped(io);
  const url = flags.socket === undefined ? `${running.origin}/v1` : running.origin;
  // A provider's key may be a part of the path.
  const behind = forwarder === undefined ? null : new URL(forwarder.url).origin;
  const front = behind === null ? "" : `, in front of ${behind}`;
  log(
    "info",
    `serving ${flags.db} on ${url}${front}${flags.pages && flags.socket === undefined ? `; to look around in it, open ${running.origin}/` : ""}; its API is described at /v1/spec`,
    { url },
  );
  const result = {
    url,
    database: flags.db,
    between: flags.between,
    upstream: behind,
    metrics: running.metricsOrigin ?? `${flags.metrics}`,
  };
  if (flags.json) await io.stdout(jsonLine(serveResult.print(result)));
  const signal = await stopped;
  log("info", `${signal}: finishing open requests, then stopping`);
  await running.close();
}

function openUpstream(url: string, io: Io): Forwarder {
  return openForwarder({
    url,
    ...UPSTREAM,
    proxies: proxySettings(io.env),
    ...nodeCredentials(io.env),
    contact: readVariable(io.env, "MOVEDEX_CONTACT"),
  });
}

export function untilStopped(io: Io): Promise<string> {
  return new Promise((resolve) => {
    const unlisten = io.onStopSignal((signal) => {
      unlisten();
      resolve(signal);
    });
  });
}

function logRequest(log: Log, { method, target, status, bytes, ms, operation, client, isCut }: RequestRecord): void {
  const facts = { method, target: target.slice(0, 500), status, bytes, ms: Math.round(ms * 10) / 10, operation, client, cut: isCut };
  log("info", `${method} ${facts.target} ${status} ${bytes} ${facts.ms} ms`, facts);
}
