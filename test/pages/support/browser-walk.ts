import type { Browser } from "playwright-core";
import { QUESTIONS, type Walk } from "./crawl-pages.ts";
import { typed } from "./served-pages.ts";

/** What a browser sees of a page: where its links and forms lead, and what a link may point at in it. */
type Seen = { readonly links: readonly string[]; readonly ids: readonly string[] };

const SEEN = `({
  links: [...document.querySelectorAll("a[href], area[href], link[href], script[src], img[src]")].map((e) => e.href?.baseVal ?? e.href ?? e.src).map((href) => new URL(href, document.baseURI).href)
    .concat([...document.forms].map((form) => { const url = new URL(form.action); const at = form.elements.namedItem("at"); if (at?.type === "hidden") url.searchParams.set("at", at.value); return url.href; })),
  ids: [...document.querySelectorAll("[id]")].map((e) => e.id),
})`;

/** Files that a browser would save or show raw: asked for, not opened. */
const FILE = /\.(?:mv|json|tar|csv|atom|css|js|svg)$|^\/v1(?:\/|$)|^\/suggest$/;

/**
 * Opens a page in a browser, then all that its document leads to on the same host, and so on. Of questions in SQL, which take a process
 * each, a few. Broken are those without status 200, what they load and do not get, those of which the console complains, and links to a
 * place on a page that is not there.
 */
export async function walkInBrowser(browser: Browser, origin: string, start: string): Promise<Walk> {
  const page = await browser.newPage();
  const [queue, seen, ledFrom] = [[start], new Set([start]), new Map<string, string>()];
  const broken: string[] = [];
  const anchors: { readonly from: string; readonly to: string; readonly anchor: string }[] = [];
  const idsOf = new Map<string, ReadonlySet<string>>();
  let questions = 0;
  let opened = "";
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText;
    // The icon is given up where the walk goes on.
    if (why !== "net::ERR_ABORTED") broken.push(`${opened} did not get ${request.url()}: ${why}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400 && response.url() !== opened) broken.push(`${opened} loads ${response.url()}: ${response.status()}`);
  });
  page.on("pageerror", (error) => broken.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") broken.push(`${page.url()}: ${message.text()}`);
  });
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const url = new URL(path, origin);
    const isFile = FILE.test(url.pathname);
    opened = url.href;
    const response = isFile ? await page.request.get(url.href, { headers: typed }) : await page.goto(url.href, { waitUntil: "load" });
    if (response?.status() !== 200) broken.push(`${response?.status()} ${path}, linked on ${ledFrom.get(path) ?? "no page"}`);
    if (isFile) continue;
    const { links, ids } = (await page.evaluate(SEEN)) as Seen;
    idsOf.set(path, new Set(ids));
    for (const href of new Set(links)) {
      const to = new URL(href);
      if (to.origin !== origin) {
        broken.push(`${path} names another host: ${href}`);
        continue;
      }
      const next = to.pathname + to.search;
      if (to.hash.length > 1) anchors.push({ from: path, to: next, anchor: decodeURIComponent(to.hash.slice(1)) });
      if (seen.has(next) || (/^\/sql[.?]/.test(next) && ++questions > QUESTIONS)) continue;
      seen.add(next);
      ledFrom.set(next, path);
      queue.push(next);
    }
  }
  await page.close();
  for (const { from, to, anchor } of anchors)
    if (idsOf.get(to)?.has(anchor) === false) broken.push(`${from} leads to ${to}#${anchor}, which is not there`);
  return { pages: [...idsOf.keys()], broken };
}
