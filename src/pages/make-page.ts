import { isUnavailable, StoreError } from "../engine/errors.ts";
import { MovedexError } from "../errors.ts";
import type { Answer } from "../serve/http/answer.ts";
import { assets } from "./assets/assets.ts";
import { withVersions } from "./dates.ts";
import { handlers } from "./handlers.ts";
import { html } from "./html/html.ts";
import { linksFrom } from "./html/links.ts";
import { layout } from "./layout.ts";
import type { FileAnswer, Page, PageRequest } from "./page.ts";
import type { PageArchive, PageSource } from "./page-archive.ts";
import { problemPage } from "./problem-page.ts";
import type { PageName } from "./routes.ts";

/** The result, and whether it may be cached until the next seal. `stream` is the body if there is no text. */
export type MadePage = { readonly answer: Answer; readonly isCached: boolean; readonly stream?: ReadableStream<Uint8Array> };

/** Makes a page. Never rejects because of what was asked, nor because a database gives no answer. */
export async function makePage(source: PageSource, request: PageRequest, signal: AbortSignal): Promise<MadePage> {
  try {
    return await source.use(request.archive, async (archive) => {
      const made = await pageOrProblem(archive, request, signal);
      if ("contentType" in made) return madeFile(made);
      const answer = pageAnswer(made, request, await archive.modules.chainId());
      return { answer, isCached: made.isCached !== false };
    });
  } catch (error) {
    if (isUnavailable(error)) return { answer: awayAnswer(request), isCached: false };
    throw error;
  }
}

type Frame = Pick<PageRequest, "path" | "version" | "hasSql">;

function pageAnswer(page: Page, { path, version, hasSql }: Frame, chainId: number | null): Answer {
  const { style, script } = assets;
  const frame = { links: linksFrom(path), version, hasSql, chainId, style: style.name, script: script.name };
  const body = Buffer.from(layout(page, frame).text);
  return { status: page.status ?? 200, contentType: "text/html; charset=utf-8", body, cacheRule: "revalidate" };
}

/** What a reader asked for and what cannot be shown are told apart by their errors; everything else is a fault of ours. */
async function pageOrProblem(archive: PageArchive, request: PageRequest, signal: AbortSignal): Promise<Page | FileAnswer> {
  try {
    const values = await withVersions(new URLSearchParams(request.search), archive);
    const query = (name: string): string | undefined => values[name]?.trim() || undefined;
    return await handlers[request.page]({ ...request, archive, links: linksFrom(request.path), query, signal });
  } catch (error) {
    if (!(error instanceof MovedexError) || error instanceof StoreError) throw error;
    return await problemPage(archive, error, request);
  }
}

/** Says that nothing of these pages has the path. */
export function noPageAnswer(request: Frame): Answer {
  const title = "No such page";
  const body = html`<h1>${title}</h1><p class="lead">Nothing is served at this address.</p><p><a href="${linksFrom(request.path).home}">To the overview</a></p>`;
  return { ...pageAnswer({ title, body, status: 404 }, request, null), cacheRule: "no_store" };
}

/** Says that the database gives no answer at the moment. */
export function awayAnswer(request: Frame): Answer {
  const title = "No answer from the database";
  const body = html`<h1>${title}</h1><p class="lead">The server that the archive is on is away or too busy. This page is there again as soon as it answers.</p>`;
  return { ...pageAnswer({ title, body, status: 503 }, request, null), cacheRule: "no_store", headers: { "retry-after": "2" } };
}

function madeFile({ contentType, body, stream, fileName }: FileAnswer): MadePage {
  const headers = fileName === undefined ? {} : { "content-disposition": `attachment; filename="${fileName.replace(/[^\w.-]/g, "_")}"` };
  const answer = { status: 200, contentType, body, headers } as const;
  if (stream !== undefined) return { answer: { ...answer, cacheRule: "no_store" }, isCached: false, stream };
  return { answer: { ...answer, cacheRule: "revalidate" }, isCached: true };
}

/** Pages whose first making costs most: their statements are prepared and their code is compiled by it. */
const FIRST: readonly (readonly [PageName, Readonly<Record<string, string>>])[] = [
  ["page.home", {}],
  ["page.changes", {}],
  ["page.coverage", {}],
  ["page.search", { q: "coin" }],
];

/** Does ahead what would keep the first readers waiting: makes a page of each costly kind, until all are made or the signal aborts. */
export async function warmUp(archive: PageArchive, now: number, signal: AbortSignal): Promise<void> {
  for (const [page, values] of FIRST) {
    if (signal.aborted) return;
    const query = (name: string): string | undefined => values[name];
    await handlers[page]({ archive, links: linksFrom("/"), parts: [], query, now, signal, client: "warm-up", isFromElsewhere: false });
  }
}
