import type { NodeGeneration } from "../../../abi/node-json/format.ts";
import { jsonLog, type Log, plainLog } from "../../../base/log.ts";
import { apiKey, contact, proxySettings } from "../../../config.ts";
import { type Forwarder, openForwarder } from "../../../node/http/forwarder.ts";
import type { RequestRecord } from "../../../serve/http/app.ts";
import { serve } from "../../../serve/serve.ts";
import type { Between } from "../../../serve/service.ts";
import type { Preference } from "../../../serve/upstream/upstream-fallback.ts";
import { openServedArchive } from "../../../store/read/serving.ts";
import type { Io } from "../../io.ts";
import { jsonLine } from "../../output/json-line.ts";
import { packageVersion } from "../../package-version.ts";

/** The command line of `serve`, parsed. */
export type ServeFlags = {
  readonly db?: string;
  readonly host: string;
  readonly port: number;
  readonly between: Between;
  readonly nodeGeneration: NodeGeneration;
  readonly upstream?: string;
  readonly prefer: Preference;
  readonly logRequests?: boolean;
  readonly json?: boolean;
};

/** Connections to the node, and the silence of it that a client is made to bear. */
const UPSTREAM = { connections: 64, silenceMs: 20_000 } as const;

/** Runs `serve` until a stop signal comes: answers under way are finished first. */
export async function runServe(flags: ServeFlags, path: string, io: Io): Promise<void> {
  const log = io.stderrIsTerminal ? plainLog(io.stderr) : jsonLog(io.stderr, io.clock.now);
  const archive = await openServedArchive(path);
  const forwarder = flags.upstream === undefined ? undefined : openUpstream(flags.upstream, io);
  try {
    const running = await serve({
      archive,
      host: flags.host,
      port: flags.port,
      between: flags.between,
      generation: flags.nodeGeneration,
      version: packageVersion(),
      clock: io.clock,
      log,
      ...(forwarder === undefined ? {} : { upstream: { forwarder, preference: flags.prefer } }),
      ...(flags.logRequests ? { onRequest: (record) => logRequest(log, record) } : {}),
    });
    const stopped = untilStopped(io);
    const url = `${running.origin}/v1`;
    const front = forwarder === undefined ? "" : `, in front of ${forwarder.url}`;
    log("info", `serving ${path} on ${url}${front}; its API: ${url}/spec`, { url });
    if (flags.json) await io.stdout(jsonLine({ url, database: path, between: flags.between, upstream: forwarder?.url ?? null }));
    const signal = await stopped;
    log("info", `${signal}: answering what is under way, then ending`);
    await running.close();
  } finally {
    await forwarder?.close();
    await archive.close();
  }
}

function openUpstream(url: string, io: Io): Forwarder {
  const key = apiKey(io.env);
  const who = contact(io.env);
  return openForwarder({
    url,
    ...UPSTREAM,
    proxies: proxySettings(io.env),
    ...(key === undefined ? {} : { apiKey: key }),
    ...(who === undefined ? {} : { contact: who }),
  });
}

function untilStopped(io: Io): Promise<string> {
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
