import { traitsOf } from "../ledger/generation.ts";
import type { NodeView } from "../ledger/view.ts";
import type { Answer, SimRequest } from "./answer.ts";
import { apiError, frameworkError } from "./errors.ts";
import { readHealth, readIndex, readInfo, welcomePage } from "./front-pages.ts";
import { acceptedFormat, type BodyFormat } from "./negotiation.ts";
import {
  decodeAgain,
  ParameterError,
  parseQuery,
  pathAddress,
  pathModuleName,
  type Query,
  queryDuration,
  queryLimit,
  queryStart,
  queryVersion,
} from "./parameters.ts";
import { listModules, readAccount, readModule } from "./reads.ts";

const POST_LIMIT_BYTES = 8 * 1024 * 1024;

type Call = {
  readonly view: NodeView;
  readonly format: BodyFormat;
  readonly parts: readonly string[];
  readonly query: Query;
  readonly nowUsec: bigint;
};
type Handler = (call: Call) => Answer;

/** A request to its response, as a node without faults gives it. Pure: the same view and request give the same answer. */
export function respond(view: NodeView, request: SimRequest, nowUsec: bigint): Answer {
  const { origin } = request.headers;
  if (request.method === "POST") {
    const length = request.headers["content-length"];
    if (length === undefined) return frameworkError(411, "missing `Content-Length` header", origin);
    if (Number(length) > POST_LIMIT_BYTES) return frameworkError(413, "payload too large", origin);
  }
  const mark = request.target.indexOf("?");
  const path = mark < 0 ? request.target : request.target.slice(0, mark);
  const found = findRoute(path, view);
  if (!found) return frameworkError(404, "not found", origin);
  if (request.method !== "GET" && request.method !== "HEAD") return frameworkError(405, "method not allowed", origin);
  try {
    return found.handler({
      view,
      format: acceptedFormat(request.headers.accept),
      parts: found.parts.map((part) => decodeAgain(decodeAgain(part))),
      query: parseQuery(mark < 0 ? "" : request.target.slice(mark + 1)),
      nowUsec,
    });
  } catch (error) {
    if (error instanceof ParameterError) return frameworkError(400, error.message, origin);
    throw error;
  }
}

const fixed: Readonly<Record<string, Handler>> = {
  "/": welcomePage,
  "/v1": index,
  "/v1/": index,
  "/v1/-/healthy": ({ view, format, query, nowUsec }) => readHealth(view, format, queryDuration(query), nowUsec),
};

function findRoute(path: string, view: NodeView): { readonly handler: Handler; readonly parts: readonly string[] } | undefined {
  const handler = fixed[path];
  if (handler) return { handler, parts: [] };
  if (path === "/v1/info")
    return traitsOf[view.settings.generation].hasInfo ? { handler: (call) => readInfo(call.view), parts: [] } : undefined;
  if (!path.startsWith("/v1/accounts/")) return undefined;
  const parts = path.slice("/v1/accounts/".length).split("/");
  // An empty address is refused by what reads addresses.
  if (parts.at(-1) === "") return undefined;
  if (parts.length === 1) return { handler: account, parts };
  if (parts.length === 2 && parts[1] === "modules") return { handler: modules, parts };
  if (parts.length === 3 && parts[1] === "module") return { handler: module, parts };
  return undefined;
}

function index({ view, format }: Call): Answer {
  return refuseFormat(view, format, "Get ledger info") ?? readIndex(view, format);
}

function account({ view, format, parts, query }: Call): Answer {
  const address = pathAddress(parts[0] as string);
  const version = queryVersion(query);
  return refuseFormat(view, format, "Get account") ?? readAccount(view, format, address, version);
}

function modules({ view, format, parts, query }: Call): Answer {
  const address = pathAddress(parts[0] as string);
  const version = queryVersion(query);
  const start = queryStart(query, { tradingNative: traitsOf[view.settings.generation].tradingNativeKeys });
  const limit = queryLimit(query);
  return refuseFormat(view, format, "Get account modules") ?? listModules(view, format, address, { version, start, limit });
}

function module({ view, format, parts, query }: Call): Answer {
  const address = pathAddress(parts[0] as string);
  const name = pathModuleName(parts[2] as string, { dollar: traitsOf[view.settings.generation].dollarInNames });
  const version = queryVersion(query);
  return refuseFormat(view, format, "Get account module") ?? readModule(view, format, address, name, version);
}

function refuseFormat({ settings }: NodeView, format: BodyFormat, operation: string): Answer | undefined {
  if (!settings.disabledFormats.includes(format)) return undefined;
  const message = `${operation} with ${format.toUpperCase()} output is disabled on this endpoint`;
  return apiError({ status: 403, code: "api_disabled", message });
}
