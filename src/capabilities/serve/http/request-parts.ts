import type { FastifyReply, FastifyRequest } from "fastify";

/** The path of a request as it was sent, without the host of `http://host/path`, and what follows its question mark. */
export function splitTarget({ originalUrl }: Pick<FastifyRequest, "originalUrl">): { readonly path: string; readonly search: string } {
  const target = originalUrl.replace(/^https?:\/\/[^/?#]*/i, "");
  const [path = "", ...search] = target.split("?");
  return { path, search: search.join("?") };
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
  const [, below = "/"] = /^https?:\/\/[^/?#]*(\/.*)?$/is.exec(target) ?? [target, "/*"];
  const path = target.startsWith("/") ? target : below;
  if (!path.includes("%") && !path.includes("#")) return path;
  const mark = path.indexOf("?");
  const end = mark < 0 ? path.length : mark;
  return path.slice(0, end).replaceAll("%", "%25").replaceAll("#", "%23") + path.slice(end);
}

/** A name or address as a URL's parser has it, without a port: what a browser asked for and what an operator gave are compared so. */
function nameIn(host: string): string | undefined {
  const url = URL.parse(`http://${host}`);
  return url === null || url.href !== `http://${url.host}/` ? undefined : url.hostname.replace(/\.$/, "");
}

const LOOPBACK = /^(?:localhost|(?:[^.]+\.)+localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Hook of the pages: answers only who asked for this service by its own name (loopback's, the address connected to, the
 * operator's), against DNS rebinding by a stranger's page.
 */
export function onlyOwnNames(names: readonly string[]): (request: FastifyRequest, reply: FastifyReply, done: () => void) => void {
  const own = new Set(names.map((name) => nameIn(name)));
  return (request, reply, done) => {
    const { localAddress = "" } = request.raw.socket;
    const bound = localAddress.replace(/^::ffff:(?=\d+\.)/, "");
    const here = bound === "" ? undefined : nameIn(bound.includes(":") ? `[${bound}]` : bound);
    const isOwn = (name: string): boolean => LOOPBACK.test(name) || own.has(name) || name === here;
    // What a proxy says it was asked for, and what was really asked for here: a page can say the one, and no page the other.
    const names = [request.headers.host, request.host].map((host) => nameIn(host ?? ""));
    const hosts = request.raw.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host");
    if (hosts.length > 1 || names.includes(undefined)) refuse(reply, 400, "give one Host header that names this service");
    else if (names.every((name) => isOwn(name as string))) done();
    else refuse(reply, 421, "the pages are not served under this name; the service's operator gives it with --host-name");
  };
}

/** A hook of the pages: no page of another site may embed them as a picture, a script or a frame. Links are allowed. */
export function onlyAsPages({ headers }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const site = headers["sec-fetch-site"];
  const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
  const isLink = (headers["sec-fetch-mode"] ?? "navigate") === "navigate" && (headers["sec-fetch-dest"] ?? "document") === "document";
  if (isForeign && !isLink) refuse(reply, 403, "this is not for pages of other sites");
  else done();
}

/**
 * Whether a request came from these pages themselves, or from the address bar. What costs much is done for no other: any page could have
 * sent it, and one without a word of it too, as browsers say nothing to a service that has a name and no TLS.
 */
export function isOwnVisit({ headers, host }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const from = headers.origin ?? headers.referer;
  return from !== undefined && URL.parse(from)?.host === URL.parse(`http://${host}`)?.host;
}

function refuse(reply: FastifyReply, status: number, words: string): void {
  reply.operation = "refused";
  reply
    .code(status)
    .headers({ "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" })
    .send(Buffer.from(`${words}\n`));
}
