import { parentPort, type TransferListItem, workerData } from "node:worker_threads";
import { grouped } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { readChain } from "../../core/db/archive/chain.ts";
import { isUnavailable, StoreError } from "../../core/db/engine/errors.ts";
import { loadServersFor } from "../../core/db/engine/place.ts";
import { MovedexError } from "../../core/errors.ts";
import { type Address, parseAddress } from "../../core/move/address.ts";
import { type Html, html, type Part } from "../changes/pages/html.ts";
import { linksFrom } from "../changes/pages/page-links.ts";
import type { Answer } from "../serve/http/answer.ts";
import { accountLink, capital, prose, withParted } from "./html/texts.ts";
import { layout } from "./layout.ts";
import { type FileAnswer, type Page, type PageHandler, type PageName, type PageRequest, withVersions } from "./page.ts";
import { openPageArchive, type PageArchive } from "./page-archive.ts";

/** The result, and whether it may be cached until the next seal. `stream` is the body if there is no text. */
export type MadePage = { readonly answer: Answer; readonly isCached: boolean; readonly stream?: ReadableStream<Uint8Array> };

/** Makes a page. Never rejects because of what was asked, nor because a database gives no answer. */
async function makePage(
  handler: PageHandler,
  open: () => Promise<PageArchive>,
  request: PageRequest,
  signal: AbortSignal,
): Promise<MadePage> {
  const show = async (archive: PageArchive): Promise<Page | FileAnswer> => {
    const values = await withVersions(new URLSearchParams(request.search), archive);
    const query = (name: string): string | undefined => values[name]?.trim() || undefined;
    return await handler({ ...request, archive, links: linksFrom(request.path), query, signal });
  };
  try {
    const archive = await open();
    const made = await show(archive).catch((error: unknown) => problemPage(archive, error, request));
    if ("contentType" in made) return madeFile(made);
    const answer = pageAnswer(made, request, await readChain(archive.modules.engine));
    return { answer, isCached: made.isCached !== false };
  } catch (error) {
    if (isUnavailable(error)) return { answer: awayAnswer(request), isCached: false };
    throw error;
  }
}

type Frame = Pick<PageRequest, "path" | "hasSql">;

function pageAnswer(page: Page, { path, hasSql }: Frame, chainId: number | null): Answer {
  const frame = { links: linksFrom(path), hasSql, chainId };
  const body = Buffer.from(layout(page, frame).text);
  const { location, status = 200 } = page;
  const answer = { status, contentType: "text/html; charset=utf-8", body, cacheRule: "revalidate" } as const;
  return location === undefined ? answer : { ...answer, status: 303, cacheRule: "no_store", headers: { location } };
}

/** A page that says why there is nothing else to show, and leads on. */
function messagePage(request: Frame, status: number, title: string, words: Part, instead: Part = ""): Page {
  const { home } = linksFrom(request.path);
  const body = html`<h1>${title}</h1><p class="lead">${words}</p>${instead}<p><a href="${home}">To the overview</a></p>`;
  return { status, title, body };
}

/**
 * Says why a page cannot be shown, and leads to what is held instead: names that may have been meant, versions near by, the account. What a
 * reader asked for and what cannot be shown are told apart by their errors; everything else is a fault of ours, and thrown.
 */
async function problemPage({ modules }: PageArchive, error: unknown, request: PageRequest): Promise<Page> {
  if (!(error instanceof MovedexError) || error instanceof StoreError) throw error;
  const { code, message, facts } = error;
  const isMissing = code === "MOVEDEX_NOT_HELD";
  const address = parseAddress(request.parts[0] ?? "");
  const isHeld = isMissing && address !== undefined && (await modules.newestCovering(address)) !== undefined;
  const instead = isHeld && held(address, listOf(facts["names"]), listOf(facts["versions"]), request);
  // Where the file lies is none of a visitor's business.
  const named = message.replaceAll(`\`${printable(modules.path)}\``, "this archive");
  const words = prose(capital(withParted(named)));
  return messagePage(request, isMissing ? 404 : 400, isMissing ? "Not held" : "Not understood", words, instead);
}

function held(address: Address, names: readonly string[], versions: readonly string[], request: PageRequest): Html {
  const { path, search, page, parts } = request;
  const links = linksFrom(path);
  const at = new URLSearchParams(search).get("at") ?? undefined;
  const id = { address, name: parts[1] ?? "" };
  const named = (name: string): Html => {
    const href = page === "page.item" ? links.item(id, name, { at }) : links.module({ address, name }, { at });
    return html`<li><a class="mono" href="${href}">${name}</a></li>`;
  };
  const ofVersion = (version: string): Html => {
    const href = page === "page.account" ? links.account(address, { at: version }) : links.module(id, { at: version });
    return html`<li>at version <a class="num" href="${href}">${grouped(BigInt(version))}</a></li>`;
  };
  const account = page !== "page.account" && html`<li>the account ${accountLink(links, address)}</li>`;
  const items = html`${names.map(named)}${versions.map(ofVersion)}${account}`;
  return items.text === "" ? items : html`<p>Held instead:</p><ul>${items}</ul>`;
}

function listOf(fact: unknown): readonly string[] {
  return Array.isArray(fact) ? (fact as readonly string[]) : [];
}

/** Says that nothing of these pages has the path. */
export function noPageAnswer(request: Frame, why = "Nothing is served at this address."): Answer {
  return { ...pageAnswer(messagePage(request, 404, "No such page", why), request, null), cacheRule: "no_store" };
}

/** Says that the database gives no answer at the moment. */
export function awayAnswer(request: Frame): Answer {
  const words = "The server that the archive is on is away or too busy. This page is there again as soon as it answers.";
  const page = messagePage(request, 503, "No answer from the database", words);
  return { ...pageAnswer(page, request, null), cacheRule: "no_store", headers: { "retry-after": "2" } };
}

function madeFile({ contentType, body, stream, fileName }: FileAnswer): MadePage {
  const headers = fileName === undefined ? {} : { "content-disposition": `attachment; filename="${fileName.replace(/[^\w.-]/g, "_")}"` };
  const answer = { status: 200, contentType, body, headers } as const;
  if (stream !== undefined) return { answer: { ...answer, cacheRule: "no_store" }, isCached: false, stream };
  return { answer: { ...answer, cacheRule: "revalidate" }, isCached: true };
}

/** What the thread is told: to make a page, that its reader is gone, or to end. */
export type ToThread = { readonly id: number; readonly request?: PageRequest } | { readonly close: true };

/** What became of a request: a page, or the stack of a fault. */
export type FromThread = { readonly id: number } & ({ readonly made: MadePage } | { readonly fault: string });

export type ThreadData = { readonly path: string; readonly sqlMs: number | undefined };

/** Makes pages on this thread, for the service that began it (`page-thread.ts`): the one that answers the API waits for none. */
export function makePagesHere(handlers: Readonly<Record<PageName, PageHandler>>): void {
  const port = parentPort;
  if (port === null) return;
  const { path, sqlMs } = workerData as ThreadData;
  const underWay = new Map<number, { readonly gone: AbortController; readonly work: Promise<void> }>();
  let opened: Promise<PageArchive> | undefined;
  const open = (): Promise<PageArchive> => {
    opened ??= loadServersFor(path)
      .then(() => openPageArchive(path, sqlMs))
      .catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
    return opened;
  };
  const send = (answer: FromThread, moved: TransferListItem[] = []): void => port.postMessage(answer, moved);
  const answer = async (id: number, request: PageRequest, signal: AbortSignal): Promise<void> => {
    try {
      const { answer, isCached, stream } = await makePage(handlers[request.page], open, request, signal);
      // A small buffer is a part of a larger one, all of which would be sent.
      const body = Uint8Array.from(answer.body);
      const made = { answer: { ...answer, body }, isCached, ...(stream === undefined ? {} : { stream }) };
      send({ id, made }, [body.buffer, ...(stream === undefined ? [] : [stream])]);
    } catch (error) {
      send({ id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
    underWay.delete(id);
  };
  const close = async (): Promise<void> => {
    await Promise.all([...underWay.values()].map(({ work }) => work));
    await (await opened)?.close();
    port.close();
  };
  port.on("message", (message: ToThread) => {
    if ("close" in message) return void close();
    const { id, request } = message;
    if (request === undefined) return underWay.get(id)?.gone.abort();
    const gone = new AbortController();
    underWay.set(id, { gone, work: answer(id, request, gone.signal) });
    return undefined;
  });
}
