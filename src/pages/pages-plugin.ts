import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from "fastify";
import { StoreError } from "../engine/errors.ts";
import { isUnavailable } from "../engine/unavailable.ts";
import { MovedexError } from "../errors.ts";
import type { Answer } from "../serve/http/answer.ts";
import { clientOf } from "../serve/http/app.ts";
import { ByteCache } from "../serve/http/byte-cache.ts";
import { ConcurrencyLimit } from "../serve/http/concurrency-limit.ts";
import { overloaded } from "../serve/http/error-answers.ts";
import { negotiateEncoding } from "../serve/http/negotiation.ts";
import type { PageSurroundings, PagesMaker } from "../serve/operations/service.ts";
import { toResponse, unlessKnown } from "../serve/responder.ts";
import { assets } from "./assets/assets.ts";
import { html } from "./html/html.ts";
import { linksFrom } from "./html/links.ts";
import { prose } from "./html/texts.ts";
import { layout } from "./layout.ts";
import { isOwnVisit, onlyAsPages, onlyOwnNames } from "./own-site.ts";
import type { FileAnswer, Page, PageCall } from "./page.ts";
import { type PageArchive, PageSource } from "./page-archive.ts";
import { type PageRoute, pageRoutes } from "./routes.ts";
import { warmUp } from "./warm-up.ts";

/** What the pages may do in a browser: show themselves, with this service's own style and script, and send their own forms. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** How long a page is given again without being made anew, while nothing else is sealed: runs and horizons move all the same. */
const KEPT_MS = 20_000;
const CACHE_BYTES = 16 * 1024 * 1024;

/** Pages that are made at once, and that wait: making one keeps the event loop for milliseconds, and the API goes first. */
const AT_ONCE = 2;
const WAITING = 128;

type Kept = { readonly answer: Answer; readonly atMs: number };

/** How the pages are served. */
export type PagesOptions = {
  /** Names under which they are served, besides loopback's and the address that is listened on. */
  readonly hostNames?: readonly string[];
  /** Whether readers may ask in SQL; true when it is left out. */
  readonly hasSql?: boolean;
};

/** The pages of an archive, to be registered beside the API. */
export function pagesPlugin(open: () => Promise<PageArchive>, { hostNames = [], hasSql = true }: PagesOptions = {}): PagesMaker {
  return (surroundings) => (app, _options, done) => {
    const source = new PageSource(open);
    app.addHook("onRequest", onlyOwnNames(hostNames));
    app.addHook("onRequest", onlyAsPages);
    app.addHook("onClose", () => source.close());
    app.addHook("onSend", (_request, reply, payload, next) => {
      reply.headers({
        "content-security-policy": POLICY,
        // A browser that says nothing of where a request comes from says it this way, to these pages themselves.
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
      });
      next(null, payload);
    });
    const warmth = keptWarm(source, surroundings);
    app.addHook("onListen", (next) => {
      warmth.begin();
      next();
    });
    app.addHook("preClose", (next) => {
      warmth.end();
      next();
    });
    const make = pageMaker(source, { ...surroundings, hasSql }, warmth.begin);
    for (const route of pageRoutes.filter(({ section }) => hasSql || section !== "sql")) {
      const handler = async (request: FastifyRequest, reply: FastifyReply) => {
        const answer = await make(route, request, goneOf(reply)).catch((error: unknown) => {
          if (isUnavailable(error)) return awayAnswer(request, surroundings.version, hasSql);
          throw error;
        });
        const encoding = negotiateEncoding(header(request, "accept-encoding"));
        const { status, headers, body, operation } = unlessKnown(request, await toResponse(surroundings, route.name, answer, encoding));
        reply.operation = operation;
        return reply
          .code(status)
          .headers(headers)
          .send(status === 304 ? undefined : body);
      };
      app.route({ method: ["GET", "HEAD"], url: route.path, config: { operation: route.name }, handler });
    }
    registerAssets(app, surroundings);
    done();
  };
}

/** What would keep the first readers waiting, done before anyone asks, in turns, so that the API goes first; and anew when asked to begin again. */
function keptWarm(source: PageSource, { stamp, now }: PageSurroundings): { readonly begin: () => void; readonly end: () => void } {
  let going = new AbortController();
  const begin = (): void => {
    going.abort();
    going = new AbortController();
    const { signal } = going;
    stamp()
      .then(({ archive }) => source.use(archive, (opened) => warmUp(opened, now(), signal)))
      .catch(() => undefined);
  };
  return { begin, end: () => going.abort() };
}

/** Makes a page, or gives one that was made before and still holds. `sealed` is called when a snapshot was sealed since the page before. */
function pageMaker(
  source: PageSource,
  { stamp, version, now, hasSql }: PageSurroundings & { readonly hasSql: boolean },
  sealed: () => void,
) {
  const kept = new ByteCache<Kept>(CACHE_BYTES);
  const limit = new ConcurrencyLimit(AT_ONCE, WAITING);
  let [archive, serial]: [object | undefined, number] = [undefined, -1];

  return async (route: PageRoute, request: FastifyRequest, signal: AbortSignal): Promise<Answer> => {
    const current = await stamp();
    if (current.archive !== archive || current.serial !== serial) {
      kept.clear();
      if (archive !== undefined) sealed();
      archive = current.archive;
      serial = current.serial;
    }
    const isOwn = isOwnVisit(request);
    const key = `${isOwn} ${request.originalUrl}`;
    const known = kept.get(key);
    if (known !== undefined && now() - known.atMs < KEPT_MS) return known.answer;
    const asOf = serial;
    const work = () =>
      source.use(current.archive, (opened) =>
        answerTo(route, request, { archive: opened, version, hasSql, now: now(), signal, isFromElsewhere: !isOwn }),
      );
    const made = route.hasOwnLimit ? await work() : await limit.run(work);
    if (made === undefined) return overloaded();
    if (made.isCached && asOf === serial && made.answer.status === 200)
      kept.set(key, { answer: made.answer, atMs: now() }, made.answer.body.length + 2 * key.length + 200);
    return made.answer;
  };
}

type Made = { readonly answer: Answer; readonly isCached: boolean };

type MakingOf = Pick<PageCall, "archive" | "now" | "signal" | "isFromElsewhere"> & { readonly version: string; readonly hasSql: boolean };

async function answerTo(route: PageRoute, request: FastifyRequest, { version, hasSql, ...given }: MakingOf): Promise<Made> {
  const call = callOf(route, request, given);
  const { archive } = call;
  const made = await pageOrProblem(route, call);
  if ("contentType" in made) return { answer: fileAnswer(made), isCached: true };
  const frame = {
    links: call.links,
    version,
    hasSql,
    chainId: await archive.modules.chainId(),
    style: assets.style.name,
    script: assets.script.name,
  };
  const body = Buffer.from(layout(made, frame).text);
  const status = made.status ?? 200;
  return {
    answer: { status, contentType: "text/html; charset=utf-8", body, cacheRule: "revalidate" },
    isCached: made.isCached !== false,
  };
}

/** What a reader asked for and what cannot be shown are told apart by their errors; everything else is a fault of ours. */
async function pageOrProblem(route: PageRoute, call: PageCall): Promise<Page | FileAnswer> {
  try {
    return await route.handle(call);
  } catch (error) {
    if (!(error instanceof MovedexError) || error instanceof StoreError) throw error;
    const isMissing = error.code === "MOVEDEX_NOT_HELD";
    const title = isMissing ? "Not held" : "Not understood";
    return {
      status: isMissing ? 404 : 400,
      title,
      body: html`<h1>${title}</h1><p class="lead">${prose(error.message)}</p><p><a href="${call.links.home}">To the overview</a></p>`,
    };
  }
}

/** Says that the database gives no answer at the moment. */
function awayAnswer(request: FastifyRequest, version: string, hasSql: boolean): Answer {
  const title = "No answer from the database";
  const body = html`<h1>${title}</h1><p class="lead">The server that the archive is on is away or too busy. This page is there again as soon as it answers.</p>`;
  const { style, script } = assets;
  const frame = { links: linksFrom(pathOf(request).path), version, hasSql, chainId: null, style: style.name, script: script.name };
  return {
    status: 503,
    contentType: "text/html; charset=utf-8",
    body: Buffer.from(layout({ title, body }, frame).text),
    cacheRule: "no_store",
    headers: { "retry-after": "2" },
  };
}

/** The path of a request as it was sent, and what follows the question mark. */
function pathOf({ originalUrl }: FastifyRequest): { readonly path: string; readonly search: string } {
  const target = originalUrl.replace(/^https?:\/\/[^/?#]*/i, "");
  const mark = target.indexOf("?");
  return mark < 0 ? { path: target, search: "" } : { path: target.slice(0, mark), search: target.slice(mark + 1) };
}

function callOf(
  route: PageRoute,
  request: FastifyRequest,
  given: Pick<PageCall, "archive" | "now" | "signal" | "isFromElsewhere">,
): PageCall {
  const { path, search } = pathOf(request);
  const values = new URLSearchParams(search);
  const params = request.params as Readonly<Record<string, string>>;
  return {
    ...given,
    links: linksFrom(path),
    parts: [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => decodeOnce(params[name as string] ?? "")),
    query: (name) => values.get(name)?.trim() || undefined,
    values: Object.fromEntries(values),
    client: clientOf(request),
  };
}

function fileAnswer({ contentType, body, fileName }: FileAnswer): Answer {
  const headers = fileName === undefined ? {} : { "content-disposition": `attachment; filename="${fileName.replace(/[^\w.-]/g, "_")}"` };
  return { status: 200, contentType, body, cacheRule: "revalidate", headers };
}

/** Styles and scripts, from memory. Their names say what is in them, so browsers keep them for good. */
function registerAssets(app: Parameters<FastifyPluginCallback>[0], surroundings: PageSurroundings): void {
  for (const { name, contentType, body, isHashed } of Object.values(assets)) {
    const headers = { "cache-control": isHashed ? "public, max-age=31536000, immutable" : "public, max-age=3600" };
    const answer: Answer = { status: 200, contentType, body, cacheRule: "revalidate", headers };
    app.route({
      method: ["GET", "HEAD"],
      url: `/static/${name}`,
      config: { operation: "page.static" },
      handler: async (request, reply) => {
        const response = unlessKnown(
          request,
          await toResponse(surroundings, "page.static", answer, negotiateEncoding(header(request, "accept-encoding"))),
        );
        reply.operation = "page.static";
        return reply
          .code(response.status)
          .headers(response.headers)
          .send(response.status === 304 ? undefined : response.body);
      },
    });
  }
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}

/** Aborted when the reader's connection is closed before the answer is sent. */
function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  return gone.signal;
}

function decodeOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
