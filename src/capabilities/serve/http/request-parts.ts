import type { FastifyReply, FastifyRequest } from "fastify";

/** The path of a request as it was sent, without the host of `http://host/path`, and what follows its question mark. */
export function splitTarget({ originalUrl }: Pick<FastifyRequest, "originalUrl">): { readonly path: string; readonly search: string } {
  const target = originalUrl.replace(/^https?:\/\/[^/?#]*/i, "");
  const mark = target.indexOf("?");
  return mark < 0 ? { path: target, search: "" } : { path: target.slice(0, mark), search: target.slice(mark + 1) };
}

/** The open segments of a route's path as they were sent, in their order. */
export function openSegments({ params }: FastifyRequest): string[] {
  return Object.values(params as Readonly<Record<string, string>>);
}

/** Percent-decodes a text; what is not encoded as it should be stays as it is. */
export function decodeOnce(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Aborted when the client's connection is closed, or the answer is sent. */
export function whenClosed({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController();
  if (raw.destroyed) closed.abort();
  else raw.once("close", () => closed.abort());
  return closed.signal;
}

/**
 * The URL for the framework's router. A node decodes segments after routing, twice, so escapes are escaped once more. Of
 * `http://host/path` the path counts; a target without a path becomes one without a route.
 */
export function routerUrl(target: string): string {
  const path = target.startsWith("/") ? target : pathOfAbsolute(target);
  if (!path.includes("%") && !path.includes("#")) return path;
  const mark = path.indexOf("?");
  const end = mark < 0 ? path.length : mark;
  return path.slice(0, end).replaceAll("%", "%25").replaceAll("#", "%23") + path.slice(end);
}

const NO_PATH = "/*";

function pathOfAbsolute(target: string): string {
  const match = /^https?:\/\/[^/?#]*(\/.*)?$/is.exec(target);
  return match === null ? NO_PATH : (match[1] ?? "/");
}
