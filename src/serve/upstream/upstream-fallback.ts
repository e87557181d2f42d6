import type { Responder, Response, ServeRequest } from "../http/answer.ts";
import { corsHeaders } from "../http/cors.ts";
import { apiRefusal } from "../http/error-answers.ts";
import { sourceHeaders } from "../http/ledger-headers.ts";
import { parseQuery } from "../operations/parameters.ts";
import type { Upstream } from "./upstream.ts";

/** Who is asked first about a version: the node, or the archive. What is asked without a version is always the node's first. */
export type Preference = "node" | "archive";

const OWN = /^\/v1\/(?:spec(?:\.json|\.yaml)?|snapshots(?:\/[^/]*)?)$/;
// A path that climbs would leave the API that the upstream's address names.
const CLIMBS = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|[\\]|%5c/i;

/**
 * A responder that stands in front of a node: every read under `/v1` goes to the node, and the archive answers what the
 * node refuses as pruned or fails to answer. With the preference `archive` it is the other way round for requests that
 * name a version. When neither can, the answer is the node's.
 */
export function makeFronted(archive: Responder, upstream: Upstream, preference: Preference): Responder {
  return async (request) => {
    const mark = request.target.indexOf("?");
    const path = mark < 0 ? request.target : request.target.slice(0, mark);
    if (!isNodes(request, path)) return archive(request);
    const query = parseQuery(mark < 0 ? "" : request.target.slice(mark + 1));
    if (preference === "archive" && query("ledger_version") !== undefined) {
      const own = await archive(request);
      if (hasAnswer(own)) return own;
      const result = await upstream.ask(request);
      return result.kind === "silent" ? own : result.response;
    }
    const result = await upstream.ask(request);
    if (result.kind === "answered") return result.response;
    const own = await archive(request);
    if (hasAnswer(own)) return own;
    return result.kind === "refused" ? result.response : neither(result.why);
  };
}

function isNodes({ method }: ServeRequest, path: string): boolean {
  const isUnder = path === "/v1" || path.startsWith("/v1/");
  return (method === "GET" || method === "HEAD") && isUnder && !OWN.test(path) && !CLIMBS.test(path);
}

/** Whether the archive knows, rather than lacks, what was asked. */
function hasAnswer({ status, headers }: Response): boolean {
  return (status !== 404 && status !== 410 && status !== 503) || headers[sourceHeaders.observedAt] !== undefined;
}

function neither(why: string): Response {
  const { status, contentType, body } = apiRefusal(
    503,
    "internal_error",
    `The node does not answer, and this archive does not hold it: ${why}`,
  );
  const headers = {
    "content-type": contentType,
    "cache-control": "no-store",
    "retry-after": "5",
    [sourceHeaders.source]: "archive",
    ...corsHeaders,
  };
  return { status, headers, body, operation: "upstream" };
}
