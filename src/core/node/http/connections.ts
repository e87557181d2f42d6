import { rootCertificates } from "node:tls";
import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { ConfigError } from "../../errors.ts";
import type { BaseUrl } from "./base-url.ts";

/** The proxies that the environment names, as in the variables `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
export type ProxySettings = {
  /** For `http:` addresses; for `https:` ones too when `https` is undefined. */
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts that are reached without a proxy, separated by commas or blanks; `*` is all. */
  readonly except: string | undefined;
};

/** What bounds the connections to one origin. Times in milliseconds, sizes in bytes. */
export type ConnectionLimits = {
  readonly connections: number;
  readonly connectTimeoutMs: number;
  /** Silence before the headers, and between two pieces of the body. */
  readonly silenceMs: number;
  /** Size of one body as it comes over the wire. */
  readonly bodyBytes: number;
  /** Certificates, as PEM, that are trusted beside those of the system. */
  readonly ca?: string | undefined;
};

export type Connections = {
  readonly dispatcher: Dispatcher;
  /** The origin of the proxy that requests went through, without credentials; undefined while they went to the node itself. */
  readonly proxy: () => string | undefined;
};

/**
 * Opens connections to one origin: HTTP/1.1, one request at a time on each, no redirects. Nothing is sent yet.
 * @throws ConfigError for a proxy address that is none
 */
export function openConnections(url: Pick<BaseUrl, "origin">, limits: ConnectionLimits, proxies: ProxySettings | undefined): Connections {
  const settings: Pool.Options = {
    connections: limits.connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: limits.silenceMs,
    bodyTimeout: limits.silenceMs,
    keepAliveTimeout: 30_000,
    maxResponseSize: limits.bodyBytes,
  };
  const trusted = limits.ca === undefined ? {} : { ca: [...rootCertificates, limits.ca] };
  // A function, since undici hands it on as it is to the pool of direct connections and to no other: by it they are told apart.
  const connect = passingOver(buildConnector({ timeout: limits.connectTimeoutMs, allowH2: false, ...trusted }));
  if (!proxies?.http && !proxies?.https) return { dispatcher: new Pool(url.origin, { ...settings, connect }), proxy: () => undefined };
  let isProxied = false;
  const dispatcher = openAgent(proxies, {
    ...settings,
    connect,
    connectTimeout: limits.connectTimeoutMs,
    requestTls: trusted,
    // undici gives the pool for a proxy neither bounds nor times of its own.
    factory: (origin: string | URL, options: object) => {
      isProxied = (options as Pool.Options).connect !== connect;
      return new Pool(origin, { ...settings, ...options });
    },
  });
  const chosen = url.origin.startsWith("https:") ? (proxies.https ?? proxies.http) : proxies.http;
  return { dispatcher, proxy: () => (isProxied && chosen !== undefined ? new URL(chosen).origin : undefined) };
}

/** Makes connections on which `100 Continue` is passed over. Some gateways send it unasked; undici ends the connection for it. */
function passingOver(connector: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connector(options, (...result) => {
      const [, socket] = result;
      const read = socket?.read.bind(socket);
      if (socket && read) {
        socket.read = (size?: number): Buffer | null => {
          let chunk: Buffer | null = read(size);
          while (chunk?.subarray(0, CONTINUE.length).equals(CONTINUE)) {
            const end = chunk.indexOf("\r\n\r\n") + 4;
            chunk = end < chunk.length ? chunk.subarray(end) : read(size);
          }
          return chunk;
        };
      }
      callback(...result);
    });
}

const CONTINUE = Buffer.from("HTTP/1.1 100");

function openAgent({ http, https, except }: ProxySettings, options: object): Dispatcher {
  for (const text of [http, https]) {
    if (text && !(URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)))
      throw new ConfigError("HTTP_PROXY and HTTPS_PROXY must look like http://host:port; the one that is set does not");
  }
  // Empty texts rather than undefined ones, which would have undici read the environment itself.
  return new EnvHttpProxyAgent({ ...options, httpProxy: http ?? "", httpsProxy: https ?? "", noProxy: except ?? "" });
}
