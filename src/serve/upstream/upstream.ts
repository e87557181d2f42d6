import { buffer } from "node:stream/consumers";
import type { Log } from "../../base/log.ts";
import { printable } from "../../base/printable.ts";
import type { Headers } from "../../node/answers/ledger-head.ts";
import { decompressBody } from "../../node/http/body.ts";
import type { ForwardedAnswer, Forwarder } from "../../node/http/forwarder.ts";
import type { Response, ServeRequest } from "../http/answer.ts";
import { corsHeaders } from "../http/cors.ts";
import { headerPrefixes, ledgerHeaderNames, sourceHeaders } from "../http/ledger-headers.ts";
import { hintHeader, isHarmlessHint, withoutBadHint } from "./archive-hint.ts";

/**
 * What a node made of a request: an answer to pass on as it comes; a refusal that an archive may have the answer to
 * (pruned, or the node is in trouble); or nothing at all.
 */
export type UpstreamResult =
  | { readonly kind: "answered"; readonly response: Response }
  | { readonly kind: "refused"; readonly response: Response }
  | { readonly kind: "silent"; readonly why: string };

/** A node that requests are handed on to. */
export type Upstream = { readonly ask: (request: ServeRequest) => Promise<UpstreamResult> };

/** A node that did not answer is left alone for so long, so that not every client waits for it to fail. */
const REST_MS = 5000;
/** A refusal is some hundred bytes. */
const REFUSAL_BYTES = 64 * 1024;

// The node's trouble, not the request's: too many requests, and all that says that it cannot answer now.
const TROUBLE = new Set([408, 425, 429, 500, 502, 503, 504]);
const GONE = 410;

const passedOn = ["content-type", "content-encoding", "content-length", "content-disposition", "retry-after", "etag", "last-modified"];
const PRINTABLE = /^[ -~]{1,1000}$/;

/** What an upstream needs to know of its surroundings. */
export type UpstreamOptions = {
  readonly forwarder: Forwarder;
  /** The chain that has to answer; undefined while the archive is of none. */
  readonly chainId: () => Promise<number | undefined>;
  readonly monotonic: () => number;
  readonly log: Log;
  readonly onFailure: () => void;
};

/**
 * Makes an upstream. Of a request it hands on path, query and how the answer may be written, and never a credential or a
 * cookie of the client's; of an answer the body, what describes it, and the ledger headers in both spellings. A redirect,
 * or an answer of another chain, is no answer.
 */
export function makeUpstream({ forwarder, chainId, monotonic, log, onFailure }: UpstreamOptions): Upstream {
  let restsUntil = Number.NEGATIVE_INFINITY;
  let lastTrouble = "";

  const silent = (why: string): UpstreamResult => {
    onFailure();
    restsUntil = monotonic() + REST_MS;
    if (why !== lastTrouble)
      log("warn", `the node ${forwarder.url} does not answer: ${why}; the archive answers alone`, { node: forwarder.url });
    lastTrouble = why;
    return { kind: "silent", why };
  };

  const judge = async (answer: ForwardedAnswer): Promise<UpstreamResult> => {
    const { status, headers, body } = answer;
    const wrong = wrongAnswer(status, headers, await chainId());
    if (wrong !== undefined) {
      body.destroy();
      return silent(wrong);
    }
    if (lastTrouble !== "") log("info", `the node ${forwarder.url} answers again`, { node: forwarder.url });
    lastTrouble = "";
    if (status !== GONE && !TROUBLE.has(status)) {
      return { kind: "answered", response: { status, headers: passOn(headers), body, operation: "upstream" } };
    }
    if (status !== GONE) onFailure();
    return { kind: "refused", response: await wholeRefusal(answer) };
  };

  return {
    ask: async (request) => {
      if (monotonic() < restsUntil) return { kind: "silent", why: lastTrouble };
      const gone = new AbortController();
      request.onGone?.(() => gone.abort(new Error("the client went away")));
      const method = request.method === "HEAD" ? "HEAD" : "GET";
      let answer: ForwardedAnswer;
      try {
        answer = await forwarder.forward(method, request.target.slice("/v1".length), handedOn(request), gone.signal);
      } catch (error) {
        if (gone.signal.aborted) return { kind: "silent", why: "the client went away" };
        return silent(error instanceof Error ? error.message : String(error));
      }
      try {
        return await judge(answer);
      } catch (error) {
        return silent(printable(String(error)));
      }
    },
  };
}

function handedOn({ headers }: ServeRequest): Record<string, string> {
  const picked: Record<string, string> = { "accept-encoding": "identity" };
  for (const name of ["accept", "accept-encoding", "x-aptos-client"]) {
    const value = headers[name];
    if (typeof value === "string" && PRINTABLE.test(value)) picked[name] = value;
  }
  return picked;
}

function wrongAnswer(status: number, headers: Headers, chainId: number | undefined): string | undefined {
  if (status >= 300 && status < 400) return `it sends elsewhere (status ${status}), which is not followed`;
  const found = headers["x-aptos-chain-id"] ?? headers["x-node-chain-id"];
  if (found === undefined || chainId === undefined || found === String(chainId)) return undefined;
  return `it is of chain ${printable(String(found), 20)}, and this archive is of chain ${chainId}`;
}

function passOn(headers: Headers): Record<string, string> {
  const picked: Record<string, string> = {};
  const take = (to: string, from: string): void => {
    const value = headers[from];
    if (typeof value === "string" && picked[to] === undefined) picked[to] = value;
  };
  for (const name of passedOn) take(name, name);
  for (const name of ledgerHeaderNames) {
    for (const to of headerPrefixes) for (const from of [to, ...headerPrefixes]) take(to + name, from + name);
  }
  if (isHarmlessHint(headers[hintHeader])) take(hintHeader, hintHeader);
  return {
    ...picked,
    vary: "Accept, Accept-Encoding",
    [sourceHeaders.source]: "upstream",
    "x-content-type-options": "nosniff",
    ...corsHeaders,
  };
}

async function wholeRefusal({ status, headers, body }: ForwardedAnswer): Promise<Response> {
  let bytes = 0;
  body.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > REFUSAL_BYTES) body.destroy(new Error(`a refusal of more than ${REFUSAL_BYTES} bytes`));
  });
  const encoding = headers["content-encoding"];
  const plain = await decompressBody(await buffer(body), typeof encoding === "string" ? encoding : undefined, REFUSAL_BYTES);
  const { "content-encoding": _, "content-length": __, ...rest } = passOn(headers);
  return { status, headers: rest, body: withoutBadHint(plain), operation: "upstream" };
}
