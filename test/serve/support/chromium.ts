import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where Debian and others put a Chromium; undefined where there is none, and tests that need one are skipped by name. */
export const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--no-first-run",
];

/** A browser that reaches 127.0.0.1, by its number or by some names, and nothing else, until the end of its scope. */
export async function openChromium(names: readonly string[] = []): Promise<AsyncDisposable & { readonly browser: Browser }> {
  const rules = [...names.map((name) => `MAP ${name} 127.0.0.1`), "MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1"].join(" , ");
  const browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...flags, `--host-resolver-rules=${rules}`] });
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}
