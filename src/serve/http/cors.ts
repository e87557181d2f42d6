import type { Answer, ServeRequest } from "./answer.ts";
import { contentTypes } from "./content-types.ts";
import { frameworkRefusal } from "./error-answers.ts";

/**
 * What lets pages of any origin read answers, the ledger headers among them: nothing here is anybody's own, and
 * credentials mean nothing. A node names the origin instead and exposes no header, so that a browser cannot see its cursor.
 */
export const corsHeaders = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" } as const;

const HEADER_NAMES = /^[A-Za-z0-9!#$%&'*+.^_`|~, -]{1,1000}$/;

/** What a browser's question before a request is answered; undefined for other requests. */
export function preflight({ method, headers }: ServeRequest): Answer | undefined {
  if (method !== "OPTIONS" || headers["origin"] === undefined) return undefined;
  const wanted = headers["access-control-request-method"];
  if (wanted !== "GET" && wanted !== "HEAD") return frameworkRefusal(403, "CORS request forbidden");
  const asked = headers["access-control-request-headers"];
  return {
    status: 200,
    contentType: contentTypes.html,
    body: new Uint8Array(),
    keeping: "never",
    headers: {
      "access-control-allow-methods": "GET,HEAD",
      "access-control-max-age": "86400",
      ...(typeof asked === "string" && HEADER_NAMES.test(asked) ? { "access-control-allow-headers": asked } : {}),
    },
  };
}
