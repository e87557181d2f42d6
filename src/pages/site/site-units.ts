import { resolveModule } from "../../questions/resolve-module.ts";
import type { PageArchive } from "../page-archive.ts";
import { withRememberedAnswers } from "./remembered-answers.ts";
import { type Found, foundAccount } from "./search-parts.ts";
import type { MadeFile, SiteFiles } from "./site-files.ts";
import { makeSitePage, type SiteSurroundings } from "./site-page-maker.ts";
import { accountPage, modulePages, type SitePage } from "./site-pages.ts";
import type { SiteModule } from "./site-world.ts";

/** What became of a part of a site: its files, and what a search may lead to. */
export type MadeUnit = { readonly files: readonly MadeFile[]; readonly found: readonly Found[] };

/** A module's files, or an account's. */
export type SiteUnit = SiteModule | string;

/** Makes the files of a module or an account. */
export async function makeUnit(
  { index, baseUrl, ...all }: SiteSurroundings,
  files: Pick<SiteFiles, "put">,
  unit: SiteUnit,
  label: string,
): Promise<MadeUnit> {
  const archive = withRememberedAnswers(all.archive);
  const surroundings = { archive, index, baseUrl };
  const made: MadeFile[] = [];
  const put = async (page: SitePage): Promise<void> => void made.push(files.put(page.file, await makeSitePage(surroundings, page)));
  if (typeof unit === "string") {
    await put(accountPage(unit));
    return { files: made, found: [foundAccount(unit as never, label)] };
  }
  for (const page of await modulePages(archive, unit)) await put(page);
  return { files: made, found: unit.stands ? await foundIn(archive, unit) : [] };
}

async function foundIn({ modules }: PageArchive, { address, name }: SiteModule): Promise<Found[]> {
  const module = { address, name };
  const { module: shown } = await resolveModule(modules, { address, module: name });
  const content = await modules.content(shown);
  const of = (kind: Found["kind"], item: string, text = ""): Found => ({ kind, module, name: item, text: text.slice(0, 120) });
  if (content.kind === "unreadable") return [of("module", name)];
  const { functions, structs, errors } = content.kind === "decoded" ? content.module.abi : content.abi;
  return [
    of("module", name),
    ...functions.map((fn) => of("function", fn.name)),
    ...structs.map((struct) => of("struct", struct.name)),
    ...errors.map((error) => of("error", error.name, error.description)),
  ];
}
