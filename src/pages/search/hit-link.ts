import type { SearchHit } from "../../archive/search/hits.ts";
import type { Links } from "../html/links.ts";
import { isAnchor } from "../module/source-html.ts";

/** Where what was found is shown: a function or struct by itself, an error in its module; what is gone at the version that had it last. */
export function hitLink({ kind, address, module, name, lastVersion }: SearchHit, links: Links): string {
  const id = { address, name: module };
  const at = lastVersion === null ? {} : { at: lastVersion };
  if (kind === "function" || kind === "struct") return links.item(id, name, { ...at, ...(kind === "struct" ? { kind } : {}) });
  const error = `error.${name}`;
  return links.module(id, at, kind === "error" && isAnchor(error) ? error : undefined);
}
