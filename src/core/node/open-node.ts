import { limitConcurrency } from "../base/async.ts";
import { type Log, silentLog } from "../base/log.ts";
import { LEDGER_VERSION_MAX } from "../base/numbers.ts";
import { type Clock, systemClock } from "../base/time.ts";
import { ConfigError } from "../errors.ts";
import type { AccountRecord, Address } from "../move/address.ts";
import { openAnswerReader, type Shape } from "./answers/answer-reader.ts";
import { moduleFromJson, modulesFromBcs, modulesFromJson, type NodeModule, type PageQuery, walkPages } from "./answers/module-answer.ts";
import { accountFromBcs, accountFromJson, indexFromBcs, indexFromJson, type NodeIndex } from "./answers/shapes.ts";
import { parseBaseUrl, redactor, requestHeaders } from "./http/base-url.ts";
import { type NodeLimits, nodeLimits } from "./http/body.ts";
import type { ProxySettings } from "./http/connections.ts";
import { type Asking, type NodeFailures, Requester } from "./http/requester.ts";
import { openTransport, type RawAnswer } from "./http/transport.ts";
import { type BreakerLimits, breakerLimits } from "./pace/limits.ts";
import { openPace } from "./pace/pace.ts";
import type { Answer, Encoding } from "./protocol/ledger-head.ts";
import { type AnswerFault, NodeError } from "./protocol/node-error.ts";

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
  readonly contact?: string | undefined;
  /** Sent as `Authorization: Bearer`, to this node only; never shown. */
  readonly apiKey?: string | undefined;
  /** `user:password`, sent as `Authorization: Basic` in its stead. */
  readonly basicAuth?: string | undefined;
  /** Says where these come from, or would: told of a node that refuses access. */
  readonly credentialSource?: string;
  /** The chain that must answer. Without it, that of the first answer. */
  readonly chainId?: number | undefined;
  /** Requests that all calls together may send. Default: no bound. */
  readonly maxRequests?: number | undefined;
  /** Default: no proxy, whatever the environment says. */
  readonly proxies?: ProxySettings;
  readonly clock?: Clock;
  /** A number in [0, 1) for the jitter of waits. */
  readonly random?: () => number;
  readonly log?: Log;
  readonly limits?: Partial<NodeLimits>;
  readonly breaker?: Partial<BreakerLimits>;
};

/** The ledger version to read; the newest when none is given. Versions above 2^63 - 1 are refused. */
type AtVersion = { readonly version?: bigint };

export type NodeStats = ReturnType<LedgerNode["stats"]>;

export type LedgerNode = ReturnType<typeof openNode>;

/**
 * Opens a ledger node behind its REST interface. Nothing is sent before the first call. Every call throws NodeError when the node
 * gives no answer after all retries, and the signal's reason once that is aborted. All calls share one rate, one pause and one
 * budget. Throws ConfigError for options that make no sense.
 */
export function openNode(options: NodeOptions) {
  const url = parseBaseUrl(options.url, options.name);
  const { rate = 0, concurrency = 8 } = options;
  if (!(rate >= 0) || rate === Number.POSITIVE_INFINITY) throw new ConfigError(`The rate must be a number from 0 up, not ${rate}`);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 1000) {
    throw new ConfigError(`The concurrency must be a whole number from 1 to 1000, not ${concurrency}`);
  }
  const { clock = systemClock, random = Math.random, log = silentLog } = options;
  const limits: NodeLimits = { ...nodeLimits, ...options.limits };
  const headers = requestHeaders(options);
  const secret = options.apiKey === undefined ? options.basicAuth && "password" : "API key";
  if (secret && url.isOpen) log("warn", `The ${secret} is sent over plain HTTP, where others can read it`);

  const breaker = { ...breakerLimits, ...options.breaker };
  const pace = openPace({ perSecond: rate, budget: options.maxRequests, clock, random, log, breaker });
  const transport = openTransport(url, concurrency + 1, limits, options.proxies);
  const redact = redactor(url, options);
  const inTurn = limitConcurrency(concurrency);
  const reader = openAnswerReader({ clock, chainId: options.chainId, jsonBounds: limits.json });
  const { encoding: asked = "auto" } = options;
  let refused: Encoding | undefined;
  let isReading = false;
  const listed = new Set<bigint>();
  const indexShape = { json: indexFromJson, bcs: indexFromBcs };
  const probe = { path: "", headers: headers.short.json, read: (raw: RawAnswer) => reader.readData(raw, indexShape) };
  const { credentialSource } = options;
  const requester = new Requester({ transport, pace, clock, random, limits, url, redact, probe, credentialSource });

  async function fetchAnswer<T>(
    path: string,
    size: "short" | "long",
    wished: Encoding,
    shape: Shape<T>,
    signal: AbortSignal | undefined,
    how?: Asking,
  ): Promise<Answer<T>> {
    const read = (raw: RawAnswer): Answer<T> => reader.readData(raw, shape);
    const ask = (encoding: Encoding): Promise<Answer<T>> => {
      const send = () => requester.ask({ path, headers: headers[size][encoding], read }, signal, how);
      // Those under way may be what it is asked for.
      return how?.isLast ? send() : inTurn(send);
    };
    if (asked !== "auto") return ask(asked);
    const encoding = refused === wished ? otherEncoding(wished) : wished;
    try {
      return await ask(encoding);
    } catch (error) {
      if (!(error instanceof NodeError) || error.kind !== "encoding_refused") throw error;
      refused = encoding;
      return ask(otherEncoding(encoding));
    }
  }

  return {
    /** The node's base URL, without secrets. */
    url: url.shown,
    /** The proxy that requests went through, without credentials; undefined while they went to the node itself. */
    proxy: transport.proxy,
    /** `GET /`: the node's chain, role and build, which only JSON names. What it says about the ledger is in the head. */
    index: (signal?: AbortSignal): Promise<Answer<NodeIndex>> => fetchAnswer("", "short", "json", indexShape, signal),
    /** `GET /accounts/{address}`. NodeError `account_not_found` from nodes that say so. */
    account: async (address: Address, at?: AtVersion & Asking, signal?: AbortSignal): Promise<Answer<AccountRecord>> => {
      const path = `/accounts/${address}${versionQuery(at?.version)}`;
      const answer = await fetchAnswer(path, "short", "bcs", { json: accountFromJson, bcs: accountFromBcs }, signal, at);
      isReading = true;
      return answer;
    },
    /** `GET /accounts/{address}/module/{name}`; in JSON, where that is asked for, with the node's ABI. NodeError `module_not_found`. */
    module: async (
      address: Address,
      name: string,
      at?: AtVersion & { readonly encoding?: Encoding },
      signal?: AbortSignal,
    ): Promise<Answer<NodeModule>> => {
      const path = `/accounts/${address}/module/${encodeURIComponent(name.toWellFormed())}${versionQuery(at?.version)}`;
      const shape = { json: moduleFromJson, bcs: (bytecode: Uint8Array) => ({ name, bytecode, abi: undefined }) };
      return fetchAnswer(path, "long", at?.encoding ?? "bcs", shape, signal);
    },
    /**
     * `GET /accounts/{address}/modules`, page by page in the node's order at one version; whole only when the generator ends.
     * `limit` is modules per page, fewer when a page turns out too large or slow.
     */
    modulePages: (
      address: Address,
      { version, limit, ...how }: { readonly version: bigint; readonly limit?: number | undefined } & Asking,
      signal?: AbortSignal,
    ): AsyncGenerator<Answer<readonly NodeModule[]>, void, undefined> => {
      const path = `/accounts/${address}/modules${versionQuery(version)}`;
      const shape = { json: modulesFromJson, bcs: (body: Uint8Array) => modulesFromBcs(body, address, limits.modules) };
      const fail = (fault: AnswerFault): NodeError => new NodeError(fault, { url: url.shown + path, attempts: 1, redact });
      const fetchPage = async (query: PageQuery) => {
        const page = await fetchAnswer(path + pageQuery(query), "long", "bcs", shape, signal, how);
        isReading = true;
        if (page.value.length > 0) listed.add(version);
        return page;
      };
      return walkPages(address, fetchPage, limit, limits, fail);
    },
    /** Whether it has listed a module of any account at a version: one without an index lists none. */
    hasListed: (version: bigint): boolean => listed.has(version),
    /** Keeps so many requests of the budget for those with `isLast`. */
    keepAside: pace.keepAside,
    /** Requests that may still be sent, without those kept aside; infinite without a budget. */
    requestsLeft: pace.left,
    stats: () => {
      const { perSecond: allowedPerSecond, pausedMs } = pace.now();
      return {
        /** Requests sent, each attempt counted. */
        requests: pace.sent(),
        retries: requester.retries,
        /** Bytes of answers as they came over the wire, without headers. */
        bytesReceived: transport.bytesReceived(),
        /** The rate allowed now; null for no limit. */
        allowedPerSecond,
        /** What is left of a pause that the node asked for, in milliseconds. */
        pausedMs,
      };
    },
    /** Whether it has answered for an account, of which more may be in hand. */
    isReading: (): boolean => isReading,
    /** The attempts that have failed in the whole run; undefined where none has. */
    failures: (): NodeFailures | undefined => requester.failures,
    /** It answered at this address in earlier runs: that its host is unknown may pass. */
    expect: (): void => {
      requester.isExpected = true;
    },
    lastHead: reader.lastHead,
    onHead: reader.onHead,
    close: (): Promise<void> => requester.close(),
  };
}

function otherEncoding(encoding: Encoding): Encoding {
  return encoding === "bcs" ? "json" : "bcs";
}

function versionQuery(version: bigint | undefined): string {
  if (version === undefined) return "";
  if (version < 0n || version > LEDGER_VERSION_MAX)
    throw new ConfigError(`A ledger version is a number from 0 to ${LEDGER_VERSION_MAX}, not ${version}`);
  return `?ledger_version=${version}`;
}

function pageQuery({ start, limit }: PageQuery): string {
  return `${limit === undefined ? "" : `&limit=${limit}`}${start === undefined ? "" : `&start=${start}`}`;
}
