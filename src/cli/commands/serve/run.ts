import { spawn } from "node:child_process";
import type { NodeGeneration } from "../../../abi/node-json/format.ts";
import { closing } from "../../../base/async.ts";
import { packageVersion, systemReason } from "../../../base/files.ts";
import { type Log, plainLog } from "../../../base/log.ts";
import { printable } from "../../../base/printable.ts";
import { all, object, orNull, text } from "../../../base/result.ts";
import { nodeCredentials, proxySettings, readVariable } from "../../../config.ts";
import { type Forwarder, openForwarder } from "../../../node/http/forwarder.ts";
import { pagesPlugin } from "../../../pages/pages-plugin.ts";
import type { RequestRecord } from "../../../serve/http/app.ts";
import { openServedArchive } from "../../../serve/operations/served-archive.ts";
import type { Between } from "../../../serve/operations/service.ts";
import { serve } from "../../../serve/serve.ts";
import { type Io, openLog } from "../../io.ts";
import type { DatabaseFlags } from "../../options/shared-flags.ts";
import { jsonLine } from "../../output/json-line.ts";

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

export async function runServe(io: Io, flags: ServeFlags): Promise<void> {
  const log = openLog(io);
  await using forwarder = flags.upstream === undefined ? undefined : closing(openUpstream(flags.upstream, io));
  const running = await serve({
    openArchive: () => openServedArchive(flags.db),
    address: flags.socket === undefined ? { host: flags.host, port: flags.port } : { socket: flags.socket },
    metrics: typeof flags.metrics === "number" ? { host: "127.0.0.1", port: flags.metrics } : flags.metrics === "on" ? "beside" : "off",
    between: flags.between,
    generation: flags.nodeGeneration,
    pages: flags.pages ? pagesPlugin(flags.db, { hasSql: flags.sql, hostNames: [flags.host, ...(flags.hostName ?? [])] }) : undefined,
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

export type OpenFlags = { readonly db: string; readonly port: number };

/** Runs `open` until a stop signal comes. @throws StoreError, ConfigError when it cannot listen */
export async function runOpen(io: Io, flags: OpenFlags): Promise<void> {
  const running = await serve({
    openArchive: () => openServedArchive(flags.db),
    address: { host: "127.0.0.1", port: flags.port },
    metrics: "off",
    between: "exact",
    generation: "D",
    pages: pagesPlugin(flags.db),
    version: packageVersion(),
    clock: io.clock,
    log: plainLog(io.stderr),
  });
  const stopped = untilStopped(io);
  const url = `${running.origin}/`;
  await io.stdout(`${url}\n`);
  const problem = await openBrowser(url, io.env);
  if (problem !== undefined) io.stderr(`movedex: no browser was opened (${problem}); open the address above.\n`);
  await stopped;
  await running.close();
}

/**
 * Programs that open an address in the browser. Windows' `start` belongs to its shell; our address has no character that the shell would
 * interpret.
 */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = { darwin: ["open"], win32: ["cmd", "/c", "start", ""] };

/**
 * Opens an address in the browser that `BROWSER` names, else in the system's own, and does not wait for it.
 * @returns why it could not be started; undefined when it was
 */
function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  const named = env["BROWSER"];
  const [program = "xdg-open", ...args] = named ? [named] : (openers[process.platform] ?? []);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", (error) => resolve(`\`${printable(program, 200)}\`: ${systemReason(error)}`));
    child.once("spawn", () => {
      child.unref();
      resolve(undefined);
    });
  });
}
