import { assets, hashed } from "../assets/assets.ts";
import { pageScript } from "../assets/script.ts";
import { askIndex } from "./site-script.ts";

/** The files that pages of a site refer to: those of the service, with a script that searches by itself. */
export const siteAssets = {
  ...assets,
  script: hashed("site", "js", "text/javascript; charset=utf-8", pageScript(askIndex)),
} as const;
