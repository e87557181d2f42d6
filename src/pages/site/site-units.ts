import { withRememberedAnswers } from "./remembered-answers.ts";
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
