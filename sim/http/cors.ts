import type { Answer, SimRequest } from "./answer.ts";
import { frameworkError } from "./errors.ts";

/** What a browser's question before a request (an OPTIONS with an `Origin`) is answered; undefined for other requests. */
export function preflight(request: SimRequest): Answer | undefined {
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
export function corsHeaders(origin: string): Record<string, string> {
  return { "access-control-allow-origin": origin, "access-control-allow-credentials": "true", vary: "Origin" };
}
