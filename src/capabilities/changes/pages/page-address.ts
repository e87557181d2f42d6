import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { ConfigError } from "../../../core/errors.ts";
import type { ModuleChange } from "../judge/changes.ts";
import { changeLink, withSnapshots } from "./change-page.ts";
import { linksFrom } from "./page-links.ts";

/** The address of the pages as an option gives it; undefined when none was given. @throws ConfigError */
export function pagesAddress(text: string | undefined, option: "--pages-url" | "--base-url"): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "")
    throw new ConfigError(`${option} is not a valid address. Give one such as https://host/.`);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/** The address of the page of `serve` that lists alerts. */
export function pageOfAlerts(pages: URL): string {
  return new URL("changes?watched=1", pages).href;
}

/** The address of the page of `serve` that compares the two snapshots around a change. Undefined without a base address. */
export async function pageOfChange(
  archive: ModuleArchive,
  change: Omit<ModuleChange, "isExact" | "abiChanged">,
  pages: URL | undefined,
): Promise<string | undefined> {
  if (pages === undefined) return undefined;
  const [shown] = await withSnapshots(archive, [{ change: { ...change, isExact: false, abiChanged: null } }]);
  if (shown === undefined) return undefined;
  return new URL(changeLink(shown, linksFrom("/")), pages).href;
}
