import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { packageFile } from "../../../core/base/files.ts";

/**
 * The text of a style sheet or script for browsers. In a checkout it is made of its parts; a package has it in `dist`, where
 * `scripts/build.ts` puts it.
 */
function browserFile(name: string, parts: readonly string[]): string {
  if (!existsSync(packageFile("src"))) return readFileSync(packageFile(`dist/${name}`), "utf8");
  const texts = parts.map((part) => readFileSync(packageFile(part), "utf8"));
  return texts.map((text, i) => (parts[i]?.endsWith(".ts") ? `{\n${withoutTypes(text)}}\n` : text)).join("\n");
}

/** Node.js says of each process that asks for it that this is experimental; the sources themselves it loads without a word. */
function withoutTypes(text: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A file that pages refer to. */
export type Asset = {
  readonly name: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Whether the name changes with what is in it. */
  readonly isHashed: boolean;
};

const folder = "src/capabilities/pages/assets";

/** What may set again what another sets comes after it: narrow screens and paper last. */
const styles = "base frame pages narrow".split(" ").map((part) => `${folder}/style/${part}.css`);
/** Pages work without any of them. */
const scripts = "keys suggestions sort".split(" ").map((part) => `${folder}/browser/${part}.ts`);

/** A file whose name says what is in it. */
function hashed(stem: string, ending: string, contentType: string, text: string): Asset {
  return { name: `${stem}.${hash("sha256", text, "hex").slice(0, 12)}.${ending}`, contentType, body: Buffer.from(text), isHashed: true };
}

/** What the pages may do in a browser: show themselves, with their own style and script, and send their own forms. */
export const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'";

const icon = browserFile("icon.svg", [`${folder}/icon.svg`]);

/** All files that pages refer to. Nothing comes from elsewhere. */
export const assets = {
  style: hashed("page", "css", "text/css; charset=utf-8", browserFile("page.css", styles)),
  script: hashed("page", "js", "text/javascript; charset=utf-8", browserFile("page.js", scripts)),
  icon: { name: "icon.svg", contentType: "image/svg+xml", body: Buffer.from(icon), isHashed: false },
} as const satisfies Record<string, Asset>;
