import { hash } from "node:crypto";
import { askService, pageScript } from "./script.ts";
import { pageStyle } from "./style.ts";

/** A file that pages refer to. */
export type Asset = {
  readonly name: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Whether the name changes with what is in it. */
  readonly isHashed: boolean;
};

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#0f766e" d="M2 3h12v2.4H2zM2 6.8h9v2.4H2zM2 10.6h12V13H2z"/></svg>';

/** A file whose name says what is in it. */
export function hashed(stem: string, ending: string, contentType: string, text: string): Asset {
  return { name: `${stem}.${hash("sha256", text, "hex").slice(0, 12)}.${ending}`, contentType, body: Buffer.from(text), isHashed: true };
}

/** What the pages may do in a browser: show themselves, with their own style and script, and send their own forms. */
export const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'";

/** All files that pages refer to. Nothing comes from elsewhere. */
export const assets = {
  style: hashed("page", "css", "text/css; charset=utf-8", pageStyle),
  script: hashed("page", "js", "text/javascript; charset=utf-8", pageScript(askService)),
  icon: { name: "icon.svg", contentType: "image/svg+xml", body: Buffer.from(icon), isHashed: false },
} as const satisfies Record<string, Asset>;
