import { hash } from "node:crypto";
import { parseQuery } from "../operations/parameters.ts";
import { findRoute } from "../operations/routes.ts";
import type { Call, Service } from "../service.ts";
import type { Answer, Responder, Response, ServeRequest } from "./answer.ts";
import { ByteCache } from "./byte-cache.ts";
import { PACKED_AT_ONCE_BYTES, PACKED_FROM_BYTES, packLater, packNow } from "./compression.ts";
import { corsHeaders, preflight } from "./cors.ts";
import { frameworkRefusal, overloaded, ParameterError } from "./error-answers.ts";
import { cursorHeaders, ledgerHeaders, sourceHeaders } from "./ledger-headers.ts";
import { type Packing, wantedForm, wantedPacking } from "./negotiation.ts";

const cacheControl = {
  // What was sealed is never sealed again; only the head in the headers grows old.
  for_ever: "public, max-age=31536000, immutable",
  until_sealed: "no-cache",
  never: "no-store",
} as const;

/** Bytes that a kept answer takes besides its body. */
const KEPT_BYTES = 2500;
/** Larger answers are not kept under each way to ask for them: as pages they are kept already, and a few would fill it all. */
const KEPT_BODY_BYTES = 512 * 1024;

/** A response whose body is at hand. */
type WholeResponse = Response & { readonly body: Uint8Array };

/** Makes the responder of a service: routes a request, dresses the answer in headers, packs it, keeps it. */
export function makeResponder(service: Service): Responder {
  const kept = new ByteCache<WholeResponse>(service.limits.answerCacheBytes);
  let serial = -1;

  return async (request) => {
    const head = await service.holdings.head();
    if (service.holdings.serial !== serial) {
      kept.clear();
      serial = service.holdings.serial;
    }
    const askedAt = serial;
    const packing = wantedPacking(headerOf(request, "accept-encoding"));
    const isRead = request.method === "GET" || request.method === "HEAD";
    const key = `${wantedForm(headerOf(request, "accept"))} ${packing ?? ""} ${request.target}`;
    const known = isRead ? kept.get(key) : undefined;
    if (known !== undefined) {
      service.metrics.kept();
      return unlessMatched(request, known);
    }
    const settle = (response: WholeResponse, answer: Answer): Response => {
      const isSmall = response.body.length <= KEPT_BODY_BYTES;
      if (isRead && isSmall && response.status === 200 && answer.keeping !== "never" && service.holdings.serial === askedAt) {
        kept.set(key, response, response.body.length + key.length * 2 + KEPT_BYTES);
      }
      return unlessMatched(request, response);
    };
    const { operation, answer } = route(service, request, head);
    const finish = (found: Answer): Response | Promise<Response> => {
      const done = dress(service, operation, found, packing);
      return done instanceof Promise ? done.then((response) => settle(response, found)) : settle(done, found);
    };
    return answer instanceof Promise ? answer.then(finish) : finish(answer);
  };
}

type Routed = { readonly operation: string; readonly answer: Answer | Promise<Answer> };

function route(service: Service, request: ServeRequest, head: Call["head"]): Routed {
  const asked = preflight(request);
  if (asked !== undefined) return { operation: "preflight", answer: asked };
  const mark = request.target.indexOf("?");
  const found = findRoute(mark < 0 ? request.target : request.target.slice(0, mark));
  if (found === undefined) return { operation: "none", answer: frameworkRefusal(404, "not found") };
  const operation = found.route.name;
  if (request.method !== "GET" && request.method !== "HEAD") {
    return { operation, answer: frameworkRefusal(405, "method not allowed", { allow: "GET, HEAD" }) };
  }
  const query = parseQuery(mark < 0 ? "" : request.target.slice(mark + 1));
  const call = { form: wantedForm(headerOf(request, "accept")), parts: found.parts, query, head };
  try {
    const answer = found.route.operation(service, call);
    return { operation, answer: answer instanceof Promise ? answer.catch(refuseParameter) : answer };
  } catch (error) {
    return { operation, answer: refuseParameter(error) };
  }
}

function refuseParameter(error: unknown): Answer {
  if (error instanceof ParameterError) return frameworkRefusal(400, error.message);
  throw error;
}

function dress(service: Service, operation: string, answer: Answer, packing: Packing | undefined): WholeResponse | Promise<WholeResponse> {
  const { body } = answer;
  const isPacked = packing !== undefined && answer.status === 200 && body.length >= PACKED_FROM_BYTES;
  const dressed = (packed: Uint8Array, name: Packing | undefined): WholeResponse => ({
    status: answer.status,
    headers: headersOf(answer, name),
    body: packed,
    operation,
  });
  if (!isPacked) return dressed(body, undefined);
  if (body.length < PACKED_AT_ONCE_BYTES) return dressed(packNow(body, packing), packing);
  return service.turns
    .take(() => packOnce(body, packing))
    .then((packed) => (packed === undefined ? dress(service, operation, overloaded(), undefined) : dressed(packed, packing)));
}

function headersOf(answer: Answer, packing: Packing | undefined): Record<string, string> {
  const { status, body, head, cursor, observedAt, keeping } = answer;
  return {
    "content-type": answer.contentType,
    "cache-control": status === 200 ? cacheControl[keeping] : cacheControl.never,
    ...(status === 200 && keeping !== "never" ? { etag: etagOf(body, packing), vary: "Accept, Accept-Encoding" } : {}),
    ...(packing === undefined ? {} : { "content-encoding": packing }),
    ...(head === undefined ? {} : ledgerHeaders(head)),
    ...(cursor === undefined ? {} : cursorHeaders(cursor)),
    ...(observedAt === undefined ? {} : { [sourceHeaders.observedAt]: observedAt.join(", ") }),
    [sourceHeaders.source]: "archive",
    "x-content-type-options": "nosniff",
    ...corsHeaders,
    ...answer.headers,
  };
}

/** What has been made of a body that is at hand for longer than one answer. */
type Made = { name?: string; readonly packed: Map<Packing, Promise<Uint8Array>> };

const made = new WeakMap<Uint8Array, Made>();

function madeOf(body: Uint8Array): Made {
  const known = made.get(body);
  if (known !== undefined) return known;
  const fresh: Made = { packed: new Map() };
  made.set(body, fresh);
  return fresh;
}

function packOnce(body: Uint8Array, packing: Packing): Promise<Uint8Array> {
  const { packed } = madeOf(body);
  const known = packed.get(packing) ?? packLater(body, packing);
  packed.set(packing, known);
  return known;
}

/** A name for these very bytes: a packed form is another. */
function etagOf(body: Uint8Array, packing: Packing | undefined): string {
  const own = madeOf(body);
  own.name ??= hash("sha256", body, "base64url").slice(0, 22);
  return `"${own.name}${packing === undefined ? "" : `-${packing}`}"`;
}

/** 304 without a body for a client that has it already. */
function unlessMatched(request: ServeRequest, response: Response): Response {
  const known = headerOf(request, "if-none-match");
  const { etag } = response.headers;
  if (known === undefined || etag === undefined || response.status !== 200) return response;
  const isMatched = known.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etag);
  if (!isMatched) return response;
  const { "content-type": _, "content-encoding": __, ...headers } = response.headers;
  return { ...response, status: 304, headers, body: new Uint8Array() };
}

function headerOf(request: ServeRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}
