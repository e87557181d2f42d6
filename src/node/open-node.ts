import PQueue from "p-queue";
import { type Log, silentLog } from "../base/log.ts";
import { type Clock, systemClock } from "../base/time/clock.ts";
import { LEDGER_VERSION_MAX } from "../base/u64.ts";
import { ConfigError } from "../errors.ts";
import { accountFromBcs, accountFromJson } from "./answers/account-answer.ts";
import { AnswerReader, type Data, type Shape } from "./answers/answer-reader.ts";
import { indexFromBcs, indexFromJson } from "./answers/index-answer.ts";
import { moduleFromJson, modulesFromBcs, modulesFromJson } from "./answers/module-answer.ts";
import { walkPages } from "./answers/module-pages.ts";
import { parseBaseUrl, redactor } from "./http/base-url.ts";
import type { ProxySettings } from "./http/connections.ts";
import { requestHeaders } from "./http/request-headers.ts";
import { Requester } from "./http/requester.ts";
import { openTransport, type RawAnswer } from "./http/transport.ts";
import type { LedgerNode } from "./ledger-node.ts";
import { type NodeLimits, nodeLimits } from "./node-limits.ts";
import { type BreakerLimits, breakerLimits } from "./pace/breaker.ts";
import { Pace } from "./pace/pace.ts";
import { type Encoding, Encodings } from "./protocol/encodings.ts";
import { type AnswerFault, NodeError } from "./protocol/node-error.ts";

/** How to reach a node, and at which pace. */
export type NodeOptions = {
  /** The base URL; `/v1` is added when it has no path. Throws ConfigError when it is none. */
  readonly url: string;
  /** Shown and stored in the place of the URL. Throws ConfigError when it is no name. */
  readonly name?: string | undefined;
  /** Requests a second, retries among them. Default 0: no limit of ours, only the node's. */
  readonly rate?: number;
  /** Requests under way at one time. Default 8. */
  readonly concurrency?: number;
  /** `auto`, the default, asks for BCS and turns to JSON where the node refuses it. */
  readonly encoding?: "auto" | Encoding;
  /** How the node's operator can reach the person who runs movedex: a URL or an e-mail address, sent in the User-Agent. */
  readonly contact?: string;
  /** Sent as `Authorization: Bearer`, to this node only; never shown. */
  readonly apiKey?: string;
  /** The chain that must answer. Without it, that of the first answer. */
  readonly chainId?: number;
  /** Requests that all calls together may send. Default: no bound. */
  readonly maxRequests?: number;
  /** Default: no proxy, whatever the environment says. */
  readonly proxies?: ProxySettings;
  readonly clock?: Clock;
  /** A number in [0, 1) for the jitter of waits. */
  readonly random?: () => number;
  readonly log?: Log;
  readonly limits?: Partial<NodeLimits>;
  readonly breaker?: Partial<BreakerLimits>;
};

/** Opens a ledger node. Nothing is sent before the first call. Throws ConfigError for options that make no sense. */
export function openNode(options: NodeOptions): LedgerNode {
  const url = parseBaseUrl(options.url, options.name);
  const { rate = 0, concurrency = 8, maxRequests = Number.POSITIVE_INFINITY } = options;
  if (!(rate >= 0) || rate === Number.POSITIVE_INFINITY) throw new ConfigError(`The rate must be a number from 0 up, not ${rate}`);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 1000) {
    throw new ConfigError(`The concurrency must be a whole number from 1 to 1000, not ${concurrency}`);
  }
  const { clock = systemClock, random = Math.random, log = silentLog } = options;
  const limits: NodeLimits = { ...nodeLimits, ...options.limits };
  const headers = requestHeaders(options);
  if (options.apiKey !== undefined && url.isOpen) log("warn", "The API key is sent over plain HTTP, where others can read it");

  const pace = new Pace({ perSecond: rate, clock, random, log, breaker: { ...breakerLimits, ...options.breaker } });
  const transport = openTransport(url, concurrency, limits, options.proxies);
  const redact = redactor(url, options.apiKey);
  const queue = new PQueue({ concurrency });
  const reader = new AnswerReader({ clock, chainId: options.chainId, jsonBounds: limits.json });
  const encodings = new Encodings(options.encoding ?? "auto");
  const indexShape = { json: indexFromJson, bcs: indexFromBcs };
  const probe = { path: "", headers: headers.short.json, read: (raw: RawAnswer) => reader.readData(raw, indexShape) };
  const requester = new Requester({ transport, pace, clock, random, limits, url, budget: maxRequests, redact, probe });

  async function fetchData<T>(
    path: string,
    size: "short" | "long",
    wished: Encoding,
    shape: Shape<T>,
    signal: AbortSignal | undefined,
  ): Promise<Data<T>> {
    const read = (raw: RawAnswer): Data<T> => reader.readData(raw, shape);
    const ask = (encoding: Encoding): Promise<Data<T>> =>
      queue.add(() => requester.ask({ path, headers: headers[size][encoding], read }, signal), signal ? { signal } : {});
    const encoding = encodings.choose(wished);
    try {
      return await ask(encoding);
    } catch (error) {
      const next = error instanceof NodeError && error.kind === "encoding_refused" ? encodings.refuse(encoding) : undefined;
      if (next === undefined) throw error;
      return ask(next);
    }
  }

  return {
    url: url.shown,
    proxy: transport.proxy,
    index: async (signal) => {
      // Only JSON names the node's build.
      const { answer } = await fetchData("", "short", "json", indexShape, signal);
      return answer;
    },
    account: async (address, at, signal) => {
      const path = `/accounts/${address}${versionQuery(at?.version)}`;
      const { answer } = await fetchData(path, "short", "bcs", { json: accountFromJson, bcs: accountFromBcs }, signal);
      return answer;
    },
    module: async (address, name, at, signal) => {
      const path = `/accounts/${address}/module/${encodeURIComponent(name.toWellFormed())}${versionQuery(at?.version)}`;
      const shape = { json: moduleFromJson, bcs: (bytecode: Uint8Array) => ({ name, bytecode, abi: undefined }) };
      const { answer } = await fetchData(path, "long", at?.encoding ?? "bcs", shape, signal);
      return answer;
    },
    modulePages: (address, { version, limit }, signal) => {
      const path = `/accounts/${address}/modules${versionQuery(version)}`;
      const shape = { json: modulesFromJson, bcs: (body: Uint8Array) => modulesFromBcs(body, address, limits.modules) };
      const fail = (fault: AnswerFault): NodeError => new NodeError(fault, { url: url.shown + path, attempts: 1, redact });
      return walkPages(address, (query) => fetchData(path + pageQuery(query), "long", "bcs", shape, signal), limit, limits, fail);
    },
    stats: () => {
      const { perSecond, pausedMs } = pace.now();
      const { requests, retries } = requester;
      return { requests, retries, bytesReceived: transport.bytesReceived(), allowedPerSecond: perSecond, pausedMs };
    },
    pace,
    lastHead: () => reader.lastHead,
    onHead: (listener) => {
      reader.onHead = listener;
    },
    close: () => requester.close(),
  };
}

function versionQuery(version: bigint | undefined): string {
  if (version === undefined) return "";
  if (version < 0n || version > LEDGER_VERSION_MAX)
    throw new ConfigError(`A ledger version is a number from 0 to ${LEDGER_VERSION_MAX}, not ${version}`);
  return `?ledger_version=${version}`;
}

function pageQuery({ start, limit }: { start: string | undefined; limit: number | undefined }): string {
  return `${limit === undefined ? "" : `&limit=${limit}`}${start === undefined ? "" : `&start=${start}`}`;
}
