import type { PageArchive } from "../page-archive.ts";
import type { MadeFile, PutFile } from "./site-files.ts";
import type { SiteUnit } from "./site-links.ts";
import { makeSitePage, type SiteSurroundings } from "./site-page-maker.ts";
import { accountPage, modulePages } from "./site-pages.ts";

/** Makes the files of a module or an account. */
export async function makeUnit({ index, baseUrl, ...all }: SiteSurroundings, put: PutFile, unit: SiteUnit): Promise<readonly MadeFile[]> {
  const archive = withRememberedAnswers(all.archive);
  const made: MadeFile[] = [];
  for (const page of typeof unit === "string" ? [accountPage(unit)] : await modulePages(archive, unit))
    made.push(put(page.file, await makeSitePage({ archive, index, baseUrl }, page)));
  return made;
}

/** Questions whose answers the pages of one module share. */
const ASKED = {
  modules: ["chainId", "newestCovering", "findModule", "historyOf", "sealedVersions", "standingAmong", "timesOf", "coverage"],
  store: ["changesOf"],
} as const;

/** An archive that remembers what it was asked, for the pages of one module: a hundred of them ask the same. */
function withRememberedAnswers(archive: PageArchive): PageArchive {
  const known = new Map<string, unknown>();
  const remembering = <T extends object>(of: T, names: readonly (keyof T & string)[]): T => {
    const kept = names.map((name) => {
      const ask = of[name] as (...values: unknown[]) => unknown;
      const remembered = (...values: unknown[]): unknown => {
        const key = `${name} ${values.map(keyOf).join(" ")}`;
        if (!known.has(key)) known.set(key, ask(...values));
        return known.get(key);
      };
      return [name, remembered];
    });
    return { ...of, ...Object.fromEntries(kept) };
  };
  return { ...archive, modules: remembering(archive.modules, ASKED.modules), store: remembering(archive.store, ASKED.store) };
}

function keyOf(value: unknown): string {
  if (Array.isArray(value) && typeof value[0] === "bigint") return value.join();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
