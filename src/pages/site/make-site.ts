import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { codeDigest, codeFile, programFolder } from "../../base/files/package-file.ts";
import { placeWithPassword } from "../../engine/place.ts";
import { formatModuleId } from "../../move/module-id.ts";
import { Html, html } from "../html/html.ts";
import { sourceBox } from "../html/texts.ts";
import { openPageArchive } from "../page-archive.ts";
import { readSearch, type SearchParts, type SiteItems } from "./search-parts.ts";
import { beginSite, type Inputs, type MadeFile, openSite, publishSite, stageFiles, unchangedUnits } from "./site-files.ts";
import { readInputs } from "./site-inputs.ts";
import { type SiteUnit, siteLinks, unitOf } from "./site-links.ts";
import { framed, makeSitePage, makeUnit, type SiteSurroundings, siteAssets } from "./site-page-maker.ts";
import { commonPages, countModulePages } from "./site-pages.ts";
import type { SiteShare } from "./site-thread.ts";
import { readWorld } from "./site-world.ts";

export type SiteRequest = {
  /** The database. */
  readonly path: string;
  readonly directory: string;
  /** The address of the site's root, with a slash at its end; its links are relative without it. */
  readonly baseUrl: string | undefined;
  /** Writes tables beside it, into `data/`, while no other run writes there. */
  readonly data: (() => Promise<void>) | undefined;
  /** Whether only the forecast is made. */
  readonly isDry: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/**
 * The forecast of a site: its number of files, about so many bytes, and a time between `ms` and `msMax` milliseconds. `ms` assumes that
 * nothing disturbs the threads; `msMax` is half as much again. `made` modules and accounts are rendered, the others are kept.
 */
export type SiteForecast = {
  readonly modules: number;
  readonly accounts: number;
  readonly made: number;
  readonly files: number;
  readonly bytes: number;
  readonly ms: number;
  readonly msMax: number;
};

/** Hears of each module and account that is made: how many are, and how long the others take at the rate so far. */
type OnProgress = (done: number, total: number, leftMs: number) => void;

/** What was made. */
export type SiteResult = { readonly files: number; readonly written: number; readonly deleted: number; readonly bytes: number };

/** Units of a sample, of which the first ones only warm up, and units below which no other thread is worth its start. */
const [SAMPLED, WARMING, ALONE] = [32, 8, 100];
const THREADS_MAX = 4;

/**
 * Makes a site of a database. `onForecast` gets the estimate first and may refuse; the result is then undefined, as it is without a sealed
 * snapshot.
 * @throws ExchangeError `MOVEDEX_EXPORT_DIRECTORY` if the directory is not a site of this chain, StoreError `MOVEDEX_STORE_LOCKED` while
 * another run writes there
 */
export async function makeSite(
  request: SiteRequest,
  onForecast: (forecast: SiteForecast) => Promise<void>,
  onProgress: OnProgress,
): Promise<SiteResult | undefined> {
  const begun = performance.now();
  await using archive = await openPageArchive(request.path);
  const world = await readWorld(archive);
  if (world === undefined) return undefined;
  openSite(request.directory, world.chainId);
  const lock = request.isDry ? undefined : beginSite(request.directory, world.chainId, request.now);
  try {
    const surroundings = { archive, world, baseUrl: request.baseUrl };
    const plan = await planSite(surroundings, request.directory);
    // What is made of all units at the end takes about as long as reading them.
    const fixedMs = performance.now() - begun;
    await onForecast(await forecast(plan, fixedMs));
    if (lock === undefined) return undefined;
    const made = await make(plan, request, onProgress);
    await request.data?.();
    return made;
  } finally {
    lock?.release();
  }
}

/** What there is to do: which units are made, and the files of the others. */
type Plan = {
  readonly surroundings: SiteSurroundings;
  readonly search: SearchParts;
  readonly items: SiteItems;
  readonly inputs: Inputs;
  readonly units: readonly SiteUnit[];
  readonly kept: readonly MadeFile[];
  readonly threads: number;
};

async function planSite(surroundings: SiteSurroundings, directory: string): Promise<Plan> {
  const { archive, world, baseUrl } = surroundings;
  const { search, items } = await readSearch(archive, world);
  const inputs = await readInputs(archive, world, items, { baseUrl, code: codeDigest(programFolder()) });
  const unchanged = unchangedUnits(directory, inputs);
  const units = [...world.modules.values(), ...world.accounts.keys()].filter((unit) => !unchanged.has(unitOf(unit)));
  const threads = units.length < ALONE ? 1 : Math.min(THREADS_MAX, availableParallelism());
  return { surroundings, search, items, inputs, units, kept: [...unchanged.values()].flat(), threads };
}

/** Counts the files, and makes some units without writing them for what the others take. */
async function forecast({ surroundings, search, items, units, kept, threads }: Plan, fixedMs: number): Promise<SiteForecast> {
  const { modules, accounts, nights } = surroundings.world;
  const unreadable = new Set(await surroundings.archive.store.withoutAbi());
  const filesOf = (unit: SiteUnit): number => {
    if (typeof unit === "string") return 1;
    const readable = unit.bytes.map((sha256) => !unreadable.has(sha256));
    return countModulePages(unit, items.get(formatModuleId(unit))?.pages ?? 0, readable);
  };
  const others = commonPages(nights).length + Object.keys(siteAssets).length + search.size + 2;
  const total = { files: kept.length + others, bytes: bytesOf(kept), ms: fixedMs };
  for (const some of [units.filter((unit) => typeof unit !== "string"), units.filter((unit) => typeof unit === "string")]) {
    const step = Math.ceil(some.length / SAMPLED);
    const sample = some.filter((_, i) => i % step === Math.floor(step / 2));
    const seen = { files: 0, bytes: 0, timed: 0, ms: 0 };
    const count = (file: string, body: Uint8Array): MadeFile => ({ file, sha256: "", bytes: body.length, isNew: false });
    for (const [i, unit] of sample.entries()) {
      const begun = performance.now();
      const made = await makeUnit(surroundings, count, unit);
      seen.files += made.length;
      seen.bytes += bytesOf(made);
      if (i < WARMING && sample.length === SAMPLED) continue;
      seen.timed += made.length;
      seen.ms += performance.now() - begun;
    }
    const files = some.reduce((sum, unit) => sum + filesOf(unit), 0);
    total.files += files;
    total.bytes += Math.round((files * seen.bytes) / Math.max(1, seen.files));
    total.ms += (files * seen.ms) / Math.max(1, seen.timed) / threads;
  }
  return { modules: modules.size, accounts: accounts.size, made: units.length, ...total, msMax: 1.5 * total.ms };
}

async function make(plan: Plan, { path, directory, baseUrl, data }: SiteRequest, onProgress: OnProgress): Promise<SiteResult> {
  const { surroundings, search, inputs, units, kept, threads } = plan;
  const { world } = surroundings;
  const made = [...kept];
  let done = 0;
  const begun = performance.now();
  const take = (own: readonly MadeFile[]): void => {
    for (const file of own) made.push(file);
    done += 1;
    onProgress(done, units.length, ((performance.now() - begun) / done) * (units.length - done));
  };
  const put = stageFiles(directory);
  if (threads === 1) for (const unit of units) take(await makeUnit(surroundings, put, unit));
  else {
    const shares = Array.from({ length: threads }, (_, n) => units.filter((__, i) => i % threads === n));
    const failed = new AbortController();
    const share = { path: placeWithPassword(path), directory, world, baseUrl };
    const work = shares.map((own) => inThread({ ...share, units: own }, take, failed.signal));
    await Promise.all(work).finally(() => failed.abort());
  }
  for (const { name, body } of Object.values(siteAssets)) made.push(put(`static/${name}`, body));
  for (const [name, text] of search.files()) made.push(put(`search/${name}`, Buffer.from(text)));
  for (const page of commonPages(world.nights)) made.push(put(page.file, await makeSitePage(surroundings, page)));
  made.push(put("search.html", searchPage(surroundings)), put("data.html", dataPage(surroundings, data !== undefined)));
  const deleted = publishSite(directory, made, inputs);
  return { files: made.length, written: made.filter(({ isNew }) => isNew).length, deleted, bytes: bytesOf(made) };
}

function bytesOf(files: readonly MadeFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Has a thread make a share; another one's failure ends it. */
async function inThread(share: SiteShare, take: (files: readonly MadeFile[]) => void, failed: AbortSignal): Promise<void> {
  const worker = new Worker(codeFile("src/pages/site/site-thread.ts", "dist/site.js"), {
    workerData: share,
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  });
  failed.addEventListener("abort", () => void worker.terminate());
  worker.on("message", take);
  await once(worker, "exit");
}

function searchPage(surroundings: SiteSurroundings): Uint8Array {
  const links = siteLinks(surroundings.world, "search.html", surroundings.baseUrl);
  const body = html`<h1>Search</h1><form class="filters" action="${links.search()}"><label>Words<input name="q" maxlength="300"></label><button class="primary">Search</button></form>
<noscript><p class="notice">This site has no server, so a search needs a script. Without one, begin at the <a href="${links.coverage()}">accounts</a>.</p></noscript><div id="results"></div>`;
  return framed(surroundings, "search.html", { title: "Search", body });
}

function dataPage(surroundings: SiteSurroundings, hasData: boolean): Uint8Array {
  const links = siteLinks(surroundings.world, "data.html", surroundings.baseUrl);
  const tables = hasData
    ? html`<p>The folder <code>data/</code> holds the archive as Parquet, in a folder for each night that changed something. Any tool for Parquet reads it. Copy it to make a database of it, for <code>movedex query</code> and <code>movedex serve</code>:</p>
${sourceBox("From files to a database", Html.preserved("movedex import data --db archive.db\nmovedex serve --db archive.db"))}`
    : html`<p>No tables lie beside this site.</p>`;
  const body = html`<h1>Data</h1>${tables}
<p>These pages are files. They cannot do what needs a service: SQL, filters, comparing any two versions, and the node's API. Each version of a module has a page, and so has each upgrade.</p>
<p>The <a href="${links.feed()}">Atom feed</a> tells what changes. <code>manifest.sha256</code> has the SHA-256 of every page and file outside <code>data/</code>.</p>`;
  return framed(surroundings, "data.html", { title: "Data", body });
}
