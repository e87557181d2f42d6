import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import { isUnavailable } from "../../core/db/engine/errors.ts";
import { type Answer, overloaded } from "../serve/http/answer.ts";
import { clientOf } from "../serve/http/app.ts";
import { byteCache, concurrencyLimit } from "../serve/http/bounds.ts";
import { decodeOnce, isOwnVisit, onlyAsPages, onlyOwnNames, openSegments, splitTarget, whenClosed } from "../serve/http/request-parts.ts";
import { pack, send } from "../serve/http/send.ts";
import type { PageSurroundings, PagesMaker } from "../serve/operations/service.ts";
import { assets, policy } from "./assets/assets.ts";
import type { MadePage } from "./make-page.ts";
import { type PageRoute, pageRoutes } from "./page.ts";
import { type PageMaker, pageMaker } from "./page-thread.ts";

const HEADERS = {
  "content-security-policy": `${policy}; frame-ancestors 'none'`,
  // A browser that says nothing of where a request comes from says it this way, to these pages themselves.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
} as const;

/** How long a page is given again without being made anew, while nothing else is sealed: runs and horizons move all the same. */
const KEPT_MS = 20_000;
const CACHE_BYTES = 16 * 1024 * 1024;

/** Pages that are made at once, and that wait. */
const AT_ONCE = 2;
const WAITING = 128;

type GivenPage = Pick<MadePage, "answer" | "stream">;
type Kept = { readonly answer: Answer; readonly atMs: number };

export type PagesOptions = {
  /** Names under which they are served, besides loopback's and the address that is listened on. */
  readonly hostNames?: readonly string[];
  /** Whether readers may ask a file in SQL; true when it is left out. */
  readonly hasSql?: boolean;
  /** How long one may be asked; the console's limit when it is left out. */
  readonly sqlMs?: number;
};

/**
 * The pages of an archive that a thread makes, to be registered beside the API. A server is asked no SQL of readers: a file's process can
 * be ended, but what a server's backend does in one function nothing ends.
 */
export function servedPages(
  path: string,
  thread: string,
  { hostNames = [], hasSql: wantsSql = true, sqlMs }: PagesOptions = {},
): PagesMaker {
  const { otherSql } = databaseAt(path);
  const hasSql = wantsSql && otherSql === undefined;
  return {
    plugin: (surroundings) => pagesBeside(pageMaker(path, thread, sqlMs), { hostNames, hasSql }, surroundings),
    noPage: async (request) => {
      const { noPageAnswer } = await import("./make-page.ts");
      const target = splitTarget(request);
      const answer = noPageAnswer({ ...target, hasSql }, /^\/sql(?:\.|$)/.test(target.path) ? otherSql : undefined);
      return { ...answer, headers: { ...HEADERS, vary: "accept" } };
    },
  };
}

function pagesBeside(
  maker: PageMaker,
  { hostNames, hasSql }: Required<Omit<PagesOptions, "sqlMs">>,
  surroundings: PageSurroundings,
): FastifyPluginAsync {
  return async (app) => {
    app.addHook("onRequest", onlyOwnNames(hostNames));
    app.addHook("onRequest", onlyAsPages);
    app.addHook("preClose", async () => maker.stop());
    app.addHook("onClose", () => maker.close());
    app.addHook("onSend", async (_request, reply) => void reply.headers(HEADERS));
    const make = keptPages(maker, { ...surroundings, hasSql });
    for (const route of pageRoutes.filter(({ section }) => hasSql || section !== "sql")) {
      const handler = async (request: FastifyRequest, reply: FastifyReply) => {
        const { answer, stream } = await make(route, request, whenClosed(reply)).catch(async (error: unknown): Promise<GivenPage> => {
          if (!isUnavailable(error)) throw error;
          const { awayAnswer } = await import("./make-page.ts");
          return { answer: awayAnswer({ ...splitTarget(request), hasSql }) };
        });
        if (request.method === "HEAD") await stream?.cancel();
        else if (stream !== undefined) return send(request, reply, answer, Readable.fromWeb(stream as WebStream));
        return send(request, reply, await pack(answer, request, surroundings.heavyWork));
      };
      app.route({ method: ["GET", "HEAD"], url: route.path, config: { operation: route.name }, handler });
    }
    registerAssets(app, surroundings);
  };
}

/** Makes a page, or gives one that was made before and still holds. */
function keptPages(maker: PageMaker, { stamp, now, hasSql }: PageSurroundings & { readonly hasSql: boolean }) {
  const kept = byteCache<Kept>(CACHE_BYTES);
  const limit = concurrencyLimit(AT_ONCE, WAITING);

  return async (route: PageRoute, request: FastifyRequest, signal: AbortSignal): Promise<GivenPage> => {
    const { archive, serial } = await stamp();
    const isOwn = isOwnVisit(request);
    const key = `${archive} ${serial} ${isOwn} ${request.originalUrl}`;
    const known = kept.get(key);
    if (known !== undefined && now() - known.atMs < KEPT_MS) return known;
    const asked = {
      page: route.name,
      ...splitTarget(request),
      parts: openSegments(request).map(decodeOnce),
      now: now(),
      client: clientOf(request),
      isFromElsewhere: !isOwn,
      hasSql,
    };
    const work = () => maker.make(archive, asked, signal);
    const made = route.hasOwnLimit ? await work() : await limit(work);
    if (made === undefined) return { answer: overloaded() };
    if (made.isCached && made.answer.status === 200)
      kept.set(key, { answer: made.answer, atMs: now() }, made.answer.body.length + 2 * key.length + 200);
    return made;
  };
}

/** Styles and scripts, from memory. Their names say what is in them, so browsers keep them for good. */
function registerAssets(app: FastifyInstance, { heavyWork }: PageSurroundings): void {
  for (const { name, contentType, body, isHashed } of Object.values(assets)) {
    const headers = { "cache-control": isHashed ? "public, max-age=31536000, immutable" : "public, max-age=3600" };
    const answer: Answer = { status: 200, contentType, body, cacheRule: "revalidate", headers };
    app.route({
      method: ["GET", "HEAD"],
      url: `/static/${name}`,
      config: { operation: "page.static" },
      handler: async (request, reply) => send(request, reply, await pack(answer, request, heavyWork)),
    });
  }
}
