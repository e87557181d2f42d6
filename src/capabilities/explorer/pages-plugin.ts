import { codeFile } from "../../core/base/files.ts";
import { type PagesOptions, servedPages } from "../pages/served-pages.ts";
import type { PagesMaker } from "../serve/operations/service.ts";

/** What makes the pages, on a thread of its own. */
export const thread = codeFile("src/capabilities/explorer/thread.ts", "dist/pages.js");

/** The pages of an archive, to be registered beside the API. */
export function pagesPlugin(path: string, options?: PagesOptions): PagesMaker {
  return servedPages(path, thread, options);
}
