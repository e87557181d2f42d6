import { rawRequest } from "../../../support/raw-request.ts";
import { typed } from "./served-pages.ts";

/** What a walk over all links came to. */
type Walk = { readonly pages: readonly string[]; readonly broken: readonly string[] };

/** Questions in SQL that are asked: each takes a process, and there are more than a hundred of them. */
const QUESTIONS = 6;

/**
 * Requests a page and everything that its links lead to on the same service, at most `limit` pages. Reports answers other than 200, and
 * links to missing anchors.
 */
export async function walkPages(origin: string, start: readonly string[], limit = Number.POSITIVE_INFINITY): Promise<Walk> {
  const queue = [...start];
  const seen = new Set(queue);
  const ledFrom = new Map<string, string>();
  let questions = 0;
  const broken: string[] = [];
  const anchors: { readonly from: string; readonly page: string; readonly anchor: string }[] = [];
  const idsOf = new Map<string, ReadonlySet<string>>();
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const response = await rawRequest(origin, { path, headers: { ...typed } });
    const isWrongQuestion = path.startsWith("/sql?") && response.status === 400;
    if (response.status !== 200 && !isWrongQuestion) broken.push(`${response.status} ${path}, linked on ${ledFrom.get(path) ?? "no page"}`);
    const isPage = String(response.headers["content-type"]).startsWith("text/html");
    if (!isPage) continue;
    // A form that names a version sends it along.
    const text = Buffer.from(response.body)
      .toString("utf8")
      .replace(/<form action="([^"]*)"><input type="hidden" name="at" value="(\d+)">/g, '<form action="$1?at=$2">');
    idsOf.set(path, new Set([...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => unescaped(id as string))));
    // An example of the API names an account that not every archive holds.
    if (path.startsWith("/v1")) continue;
    for (const [, raw] of text.matchAll(/\s(?:href|src|action)="([^"]*)"/g)) {
      const url = new URL(unescaped(raw as string), `${origin}${path}`);
      if (url.origin !== origin) broken.push(`${path} names another host: ${url.href}`);
      const page = url.pathname + url.search;
      if (url.hash.length > 1) anchors.push({ from: path, page, anchor: decodeURIComponent(url.hash.slice(1)) });
      if (seen.has(page) || seen.size >= limit) continue;
      if (/^\/sql[.?]/.test(page) && ++questions > QUESTIONS) continue;
      seen.add(page);
      ledFrom.set(page, path);
      queue.push(page);
    }
  }
  for (const { from, page, anchor } of anchors) {
    if (idsOf.get(page)?.has(anchor) === false) broken.push(`${from} leads to ${page}#${anchor}, which is not there`);
  }
  return { pages: [...idsOf.keys()], broken };
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}
