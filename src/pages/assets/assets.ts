import { hash } from "node:crypto";
import { browserFile } from "./browser-file.ts";

/** A file that pages refer to. */
export type Asset = {
  readonly name: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Whether the name changes with what is in it. */
  readonly isHashed: boolean;
};

const folder = "src/pages/assets";

/** What may set again what another sets comes after it: narrow screens and paper last. */
const styles = "colours base frame overview keys lists tables forms module source diff coverage sql narrow print".split(" ");
/** Pages work without any of them. */
const scripts = "keys copy suggestions sort complete slider".split(" ");

/** A file whose name says what is in it. */
function hashed(stem: string, ending: string, contentType: string, text: string): Asset {
  return { name: `${stem}.${hash("sha256", text, "hex").slice(0, 12)}.${ending}`, contentType, body: Buffer.from(text), isHashed: true };
}

/** What the pages may do in a browser: show themselves, with their own style and script, and send their own forms. */
export const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'";

const style = browserFile(
  "page.css",
  styles.map((part) => `${folder}/style/${part}.css`),
);
const script = browserFile(
  "page.js",
  scripts.map((part) => `${folder}/browser/${part}.ts`),
);
const icon = browserFile("icon.svg", [`${folder}/icon.svg`]);

/** All files that pages refer to. Nothing comes from elsewhere. */
export const assets = {
  style: hashed("page", "css", "text/css; charset=utf-8", style),
  script: hashed("page", "js", "text/javascript; charset=utf-8", script),
  icon: { name: "icon.svg", contentType: "image/svg+xml", body: Buffer.from(icon), isHashed: false },
} as const satisfies Record<string, Asset>;
