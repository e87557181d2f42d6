import type { ServerResponse } from "node:http";
import type { Fault } from "./faults/fault.ts";
import type { Answer, SimRequest } from "./http/answer.ts";
import type { Compressor } from "./http/compression.ts";
import { frameworkError } from "./http/errors.ts";
import { acceptedEncoding } from "./http/negotiation.ts";
import { respond } from "./http/routes.ts";
import { traitsOf } from "./ledger/generation.ts";
import type { NodeView } from "./ledger/view.ts";

/** What is said to a request: the honest answer, changed or replaced by the faults in their order. */
export function answerWith(faults: readonly Fault[], view: NodeView, request: SimRequest, nowUsec: bigint): Answer {
  let next = (): Answer => preflight(request) ?? respond(view, request, nowUsec);
  for (const { answer } of faults) {
    if (!answer) continue;
    const honest = next;
    next = () => answer(honest, request, view);
  }
  return next();
}

/** Sends an answer, compressed where node and client agree on it, in the way of the last fault that has one. */
export function deliver(
  answer: Answer,
  request: SimRequest,
  response: ServerResponse,
  faults: readonly Fault[],
  view: NodeView,
  compressor: Compressor,
): void {
  const encoding =
    answer.compressible && traitsOf[view.settings.generation].compresses ? acceptedEncoding(request.headers["accept-encoding"]) : undefined;
  const body = encoding ? compressor.compress(answer, encoding) : answer.body;
  const { origin } = request.headers;
  const headers = {
    ...answer.headers,
    ...(origin === undefined ? {} : corsHeaders(origin)),
    ...(encoding ? { "content-encoding": encoding } : { "content-length": String(body.length) }),
  };
  const send = (): void => {
    response.writeHead(answer.status, headers);
    // Headers are out already: without a length the body goes in chunks, as a node's compressed answers do.
    response.end(request.method === "HEAD" ? undefined : body);
  };
  const { deliver } = faults.findLast((fault) => fault.deliver) ?? {};
  if (deliver) deliver({ request, status: answer.status, headers, body, response, send });
  else send();
}

/** What a browser's question before a request (an OPTIONS with an `Origin`) is answered; undefined for other requests. */
function preflight(request: SimRequest): Answer | undefined {
  const { origin } = request.headers;
  if (request.method !== "OPTIONS" || origin === undefined) return undefined;
  const method = request.headers["access-control-request-method"];
  if (method !== "GET" && method !== "POST") return frameworkError(403, "CORS request forbidden", origin);
  const asked = request.headers["access-control-request-headers"];
  return {
    status: 200,
    headers: {
      "access-control-allow-methods": "GET,POST",
      "access-control-max-age": "86400",
      ...(asked === undefined ? {} : { "access-control-allow-headers": asked }),
      ...corsHeaders(origin),
    },
    body: new Uint8Array(),
    compressible: false,
  };
}

/** The headers by which any origin is let in; without the one that would let it read the ledger headers, as on real nodes. */
function corsHeaders(origin: string): Record<string, string> {
  return { "access-control-allow-origin": origin, "access-control-allow-credentials": "true", vary: "Origin" };
}
