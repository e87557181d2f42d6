import { once } from "node:events";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { closing } from "../../base/closing.ts";
import { packageFile } from "../../base/files/package-file.ts";
import { placeWithPassword } from "../../engine/place.ts";
import { html } from "../html/html.ts";
import { openPageArchive, type PageArchive } from "../page-archive.ts";
import { SearchParts } from "./search-parts.ts";
import { siteAssets } from "./site-assets.ts";
import { beginSite, type MadeFile, openSite, publishSite, SiteFiles } from "./site-files.ts";
import { indexOf, siteLinks } from "./site-links.ts";
import { framed, makeSitePage, type SiteSurroundings } from "./site-page-maker.ts";
import { commonPages } from "./site-pages.ts";
import type { SiteShare } from "./site-thread.ts";
import { type MadeUnit, makeUnit, type SiteUnit } from "./site-units.ts";
import { readWorld, type SiteWorld } from "./site-world.ts";

export type SiteRequest = {
  /** The database. */
  readonly path: string;
  readonly directory: string;
  /** The address of the site's root, with a slash at its end; its links are relative without it. */
  readonly baseUrl: string | undefined;
  /** Writes tables beside it, into `data/`, while no other run writes there. */
  readonly data: (() => Promise<void>) | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/**
 * What is expected of a site before it is made: about so many files and bytes, and between `ms` and `msMax` of time. `ms` takes a sample
 * for all and every thread for undisturbed; `msMax` is twice that, as threads share what the machine has.
 */
export type SiteForecast = {
  readonly modules: number;
  readonly accounts: number;
  readonly files: number;
  readonly bytes: number;
  readonly ms: number;
  readonly msMax: number;
};

/** Hears of each module and account that is made: how many are, and how long the others take at the rate so far. */
type OnProgress = (done: number, total: number, leftMs: number) => void;

/** What was made. */
export type SiteResult = { readonly files: number; readonly written: number; readonly deleted: number; readonly bytes: number };

/** Modules of a sample, and those below which no other thread is worth its start. */
const [SAMPLED, ALONE] = [24, 100];
const THREADS_MAX = 4;

/**
 * Makes a site of a database. `onForecast` gets the estimate first and may refuse; the result is then undefined, as it is without a sealed
 * snapshot.
 * @throws ExchangeError `MOVEDEX_EXPORT_DIRECTORY` if the directory is not a site of this chain, StoreError `MOVEDEX_STORE_LOCKED` while
 * another run writes there
 */
export async function makeSite(
  request: SiteRequest,
  onForecast: (forecast: SiteForecast) => Promise<boolean>,
  onProgress: OnProgress,
): Promise<SiteResult | undefined> {
  await using archive = closing(await openPageArchive(request.path));
  const world = await readWorld(archive);
  if (world === undefined) return undefined;
  openSite(request.directory, world.chainId);
  const threads = world.modules.length < ALONE ? 1 : Math.min(THREADS_MAX, availableParallelism());
  const expected = await forecast({ archive, index: indexOf(world), baseUrl: request.baseUrl }, threads);
  if (!(await onForecast(expected))) return undefined;
  const lock = beginSite(request.directory, world.chainId, request.now);
  try {
    const made = await make(archive, world, request, threads, onProgress);
    await request.data?.();
    return made;
  } finally {
    lock.release();
  }
}

/** Makes some modules and accounts without writing them, and takes them for all. */
async function forecast(surroundings: SiteSurroundings, threads: number): Promise<SiteForecast> {
  const { modules, accounts } = surroundings.index.world;
  const sampleOf = <T>(all: readonly T[]): T[] =>
    all.filter((_, i) => i % Math.ceil(all.length / SAMPLED) === Math.floor(all.length / SAMPLED / 2));
  const total = { files: 0, bytes: 0, ms: 0 };
  for (const all of [modules, accounts] as const) {
    const sample: readonly SiteUnit[] = sampleOf<SiteUnit>(all);
    let [files, bytes] = [0, 0];
    const count = { put: (file: string, body: Uint8Array): MadeFile => ({ file, sha256: "", bytes: body.length, isNew: false }) };
    const begun = performance.now();
    for (const unit of sample) {
      const made = await makeUnit(surroundings, count, unit, "");
      files += made.files.length;
      for (const file of made.files) bytes += file.bytes;
    }
    const scale = sample.length === 0 ? 0 : all.length / sample.length;
    total.files += Math.round(files * scale);
    total.bytes += Math.round(bytes * scale);
    total.ms += ((performance.now() - begun) * scale) / threads;
  }
  return { modules: modules.length, accounts: accounts.length, ...total, msMax: 2 * total.ms };
}

async function make(
  archive: PageArchive,
  world: SiteWorld,
  { path, directory, baseUrl, data }: SiteRequest,
  threads: number,
  onProgress: OnProgress,
): Promise<SiteResult> {
  const labels = new Map<string, string>();
  for await (const page of archive.store.listTargets())
    for (const { address, label } of page) if (label != null) labels.set(address, label);
  const units: SiteShare["units"] = [
    ...world.modules.map((module) => [module, ""] as const),
    ...world.accounts.map((address) => [address, labels.get(address) ?? ""] as const),
  ];
  const [made, search] = [[] as MadeFile[], new SearchParts()];
  let done = 0;
  const begun = performance.now();
  const take = ({ files, found }: MadeUnit): void => {
    made.push(...files);
    for (const one of found) search.add(one);
    done += 1;
    onProgress(done, units.length, ((performance.now() - begun) / done) * (units.length - done));
  };
  const surroundings = { archive, index: indexOf(world), baseUrl };
  const files = new SiteFiles(directory);
  if (threads === 1) for (const [unit, label] of units) take(await makeUnit(surroundings, files, unit, label));
  else {
    const shares = Array.from({ length: threads }, (_, n) => units.filter((__, i) => i % threads === n));
    const failed = new AbortController();
    const work = shares.map((share) =>
      inThread({ path: placeWithPassword(path), directory, world, baseUrl, units: share }, take, failed.signal),
    );
    await Promise.all(work).finally(() => failed.abort());
  }
  for (const { name, body } of Object.values(siteAssets)) made.push(files.put(`static/${name}`, body));
  for (const [name, text] of search.files()) made.push(files.put(`search/${name}`, Buffer.from(text)));
  for (const page of commonPages(world)) made.push(files.put(page.file, await makeSitePage(surroundings, page)));
  made.push(files.put("search.html", searchPage(surroundings)), files.put("data.html", dataPage(surroundings, data !== undefined)));
  const deleted = publishSite(directory, made);
  const bytes = made.reduce((sum, file) => sum + file.bytes, 0);
  return { files: made.length, written: made.filter(({ isNew }) => isNew).length, deleted, bytes };
}

/** Has a thread make a share; another one's failure ends it. */
async function inThread(share: SiteShare, take: (unit: MadeUnit) => void, failed: AbortSignal): Promise<void> {
  const worker = new Worker(threadFile(), { workerData: share, resourceLimits: { maxYoungGenerationSizeMb: 64 } });
  failed.addEventListener("abort", () => void worker.terminate());
  worker.on("message", take);
  await once(worker, "exit");
}

function searchPage(surroundings: SiteSurroundings): Uint8Array {
  const links = siteLinks(surroundings.index, "search.html", surroundings.baseUrl);
  const body = html`<h1>Search</h1><form class="filters" action="${links.search()}"><label>Words<input name="q" maxlength="300"></label><button class="primary">Search</button></form>
<noscript><p class="notice">This site has no server, so a search needs a script. Without one, begin at the <a href="${links.coverage()}">accounts</a>.</p></noscript><div id="results"></div>`;
  return framed(surroundings, "search.html", { title: "Search", body });
}

function dataPage(surroundings: SiteSurroundings, hasData: boolean): Uint8Array {
  const links = siteLinks(surroundings.index, "data.html", surroundings.baseUrl);
  const tables = hasData
    ? html`<p>All that is shown here lies in <code>data/</code> as Parquet, a folder for each night that brought something. Any tool for Parquet reads it; copied, <code>movedex import</code> makes a database of it, which <code>movedex query</code> and <code>movedex serve</code> answer from.</p>
<div class="source" tabindex="0" role="region" aria-label="From files to a database"><pre>movedex import data --db archive.db
movedex serve --db archive.db</pre></div>`
    : html`<p>No tables lie beside this site.</p>`;
  const body = html`<h1>Data</h1>${tables}
<p>These pages are files. What only a service does is not here: questions in SQL, filters, any two versions beside each other, and the node's API. Each version of a module and each two that follow one another have a page.</p>
<p>What changes: the <a href="${links.feed()}">Atom feed</a>. The files with their SHA-256: <code>manifest.sha256</code>.</p>`;
  return framed(surroundings, "data.html", { title: "Data", body });
}

/** A checkout has src/; a published package has only dist/. */
function threadFile(): string {
  const source = packageFile("src/pages/site/site-thread.ts");
  return existsSync(source) ? source : packageFile("dist/site.js");
}
