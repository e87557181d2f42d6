import type { NodeGeneration } from "../../core/abi/node-json/format.ts";
import { closing } from "../../core/base/async.ts";
import { packageVersion } from "../../core/base/files.ts";
import type { Log } from "../../core/base/log.ts";
import { all, object, orNull, text } from "../../core/base/result.ts";
import type { Capability } from "../../core/cli/capability.ts";
import { nodeCredentials, proxySettings, readVariable } from "../../core/cli/config.ts";
import { type Io, openLog } from "../../core/cli/io.ts";
import type { DatabaseFlags } from "../../core/cli/options/declared-command.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import type { RequestRecord } from "./http/app.ts";
import { openServedArchive } from "./operations/served-archive.ts";
import type { Between, PagesMaker } from "./operations/service.ts";
import { serve } from "./serve.ts";
import { openForwarder } from "./upstream/forwarder.ts";

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

/** The pages of the capability that has some; undefined where none has. */
async function pagesOf(capabilities: readonly Capability[], flags: ServeFlags): Promise<PagesMaker | undefined> {
  const [openPages] = await Promise.all(capabilities.flatMap(({ pages }) => (pages === undefined || !flags.pages ? [] : [pages()])));
  return openPages?.(flags.db, { hasSql: flags.sql, hostNames: [flags.host, ...(flags.hostName ?? [])] }) as PagesMaker | undefined;
}

export async function runServe(io: Io, flags: ServeFlags, capabilities: readonly Capability[]): Promise<void> {
  const log = openLog(io);
  const { db, host, port, socket, upstream, trustProxy, metrics } = flags;
  const contact = readVariable(io.env, "MOVEDEX_CONTACT");
  // So long may the node be silent, which a client is made to bear.
  const node = () => ({ connections: 64, silenceMs: 10_000, ...nodeCredentials(io.env), proxies: proxySettings(io.env), contact });
  await using forwarder = upstream === undefined ? undefined : closing(openForwarder({ url: upstream, ...node() }));
  const running = await serve({
    openArchive: () => openServedArchive(db),
    address: socket === undefined ? { host, port } : { socket },
    metrics: typeof metrics === "number" ? { host: "127.0.0.1", port: metrics } : metrics === "on" ? "beside" : "off",
    between: flags.between,
    generation: flags.nodeGeneration,
    pages: await pagesOf(capabilities, flags),
    version: packageVersion(),
    clock: io.clock,
    log,
    upstream: forwarder,
    // A peer on a Unix socket has no address: whoever may open it is the proxy.
    trustProxy: trustProxy === undefined || socket === undefined ? trustProxy : (_, hop) => hop === 0,
    clientRate: flags.ratePerClient,
    onRequest: flags.logRequests ? (record) => logRequest(log, record) : undefined,
  });
  const stopped = untilStopped(io);
  const url = socket === undefined ? `${running.origin}/v1` : running.origin;
  // A provider's key may be a part of the path.
  const behind = forwarder === undefined ? null : new URL(forwarder.url).origin;
  const front = behind === null ? "" : `, in front of ${behind}`;
  const look = flags.pages && socket === undefined ? `; to look around in it, open ${running.origin}/` : "";
  log("info", `serving ${db} on ${url}${front}${look}; its API is described at /v1/spec`, { url });
  const result = { url, database: db, between: flags.between, upstream: behind, metrics: running.metricsOrigin ?? `${metrics}` };
  if (flags.json) await io.stdout(jsonLine(serveResult.print(result)));
  const signal = await stopped;
  log("info", `${signal}: finishing open requests, then stopping`);
  await running.close();
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
