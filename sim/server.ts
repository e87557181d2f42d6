import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerWith, deliver } from "./delivery.ts";
import type { Fault, FaultPlan } from "./faults/fault.ts";
import type { SimRequest } from "./http/answer.ts";
import { Compressor } from "./http/compression.ts";
import { traitsOf } from "./ledger/generation.ts";
import type { SimLedger } from "./ledger/ledger.ts";
import type { NodeSettings, NodeView } from "./ledger/view.ts";

/** How a simulated node is started; settings that are left out are those of `settingsOf`. */
export type SimNodeOptions = Partial<NodeSettings> & {
  readonly ledger: SimLedger;
  readonly faults?: FaultPlan;
  /** The lags, in versions, of the nodes that take turns behind this address; default one node at the head. */
  readonly behind?: readonly bigint[];
  /** Port to listen on; default 0, any free one. */
  readonly port?: number;
  /** Whether requests are logged; default true. Off for measurements with very many. */
  readonly log?: boolean;
  /** The node's clock in milliseconds since 1970, for the health check and the log; default the machine's. */
  readonly now?: () => number;
};

/** One request that the node has seen. `status` is 0 until, and unless, a status line was sent. */
type RequestRecord = {
  readonly method: string;
  readonly path: string;
  /** The query as sent, without `?`. */
  readonly query: string;
  readonly accept: string | undefined;
  status: number;
  /** When it came, in milliseconds since 1970 on the node's clock. */
  readonly at: number;
  /** Names of the faults that met it. */
  readonly faults: readonly string[];
};

/** A node that listens on 127.0.0.1. Closing it ends every connection, even in the middle of an answer. */
export type SimNode = AsyncDisposable & {
  /** The base of the API, ending in `/v1`. */
  readonly url: string;
  readonly requests: readonly RequestRecord[];
  /** How many requests came, logged or not. */
  readonly requestCount: number;
  /** The most requests that were under way at one time. */
  readonly peakConcurrency: number;
  /** Serves another ledger at the same address, as a test network does after a reset. */
  readonly replaceLedger: (ledger: SimLedger) => void;
  readonly close: () => Promise<void>;
};

/** Starts a node; it answers as soon as the promise resolves. */
export async function startSimNode(options: SimNodeOptions): Promise<SimNode> {
  const { behind = [0n], now = Date.now } = options;
  const settings = settingsOf(options);
  const compressor = new Compressor();
  const requests: RequestRecord[] = [];
  let { ledger } = options;
  let requestCount = 0;
  let underWay = 0;
  let peakConcurrency = 0;

  const handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method = "GET", url: target = "/", headers } = incoming;
    const request: SimRequest = { method, target, headers };
    requestCount++;
    underWay++;
    peakConcurrency = Math.max(peakConcurrency, underWay);
    const faults = options.faults?.pick(request, requestCount) ?? [];
    const record = options.log === false ? undefined : recordOf(request, faults, now());
    if (record) requests.push(record);
    const noteStatus = (): void => {
      if (record && response.headersSent) record.status = response.statusCode;
    };
    response.on("close", () => {
      underWay--;
      noteStatus();
    });
    for (const fault of faults) fault.before?.();
    const late = behind[requestCount % behind.length] ?? 0n;
    let view: NodeView = { ledger, info: ledger.info(late), settings };
    for (const fault of faults) view = fault.view?.(view) ?? view;
    const answer = answerWith(faults, view, request, BigInt(now()) * 1000n);
    deliver(answer, request, response, faults, view, compressor);
    // Without waiting where the answer was sent without waiting, so that it is in the log when the client has it.
    noteStatus();
  };

  const server = createServer({ keepAliveTimeout: 120_000 }, handle);
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    get requestCount() {
      return requestCount;
    },
    get peakConcurrency() {
      return peakConcurrency;
    },
    replaceLedger: (other) => {
      ledger = other;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** By default a full node of Aptos in 2026 that answers in every format. */
function settingsOf({ generation = "D", ...chosen }: SimNodeOptions): NodeSettings {
  return {
    generation,
    headerSpelling: "aptos",
    maxPageSize: 9999,
    statelessAccounts: true,
    disabledFormats: [],
    maxBytecodeVersion: traitsOf[generation].maxBytecodeVersion,
    isValidator: false,
    gitHash: "5e1f0d3c",
    ...chosen,
  };
}

function recordOf(request: SimRequest, faults: readonly Fault[], at: number): RequestRecord {
  const [path = "", query = ""] = request.target.split("?", 2);
  return { method: request.method, path, query, accept: request.headers.accept, status: 0, at, faults: faults.map(({ name }) => name) };
}
