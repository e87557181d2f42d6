import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { isLongRun } from "../../../run-size.ts";
import { asWords } from "../../../support/command/command-lines.ts";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where Debian and others put a Chromium. Without one, and in the short run, it is undefined: tests that need it are skipped by name. */
export const chromiumPath = isLongRun ? places.find((path) => existsSync(path)) : undefined;

const flags = asWords`--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --no-first-run`;

/** A browser that reaches 127.0.0.1, by its number or by some names, and nothing else, until the end of its scope. */
export async function openChromium(names: readonly string[] = []): Promise<AsyncDisposable & { readonly browser: Browser }> {
  const rules = [...names.map((name) => `MAP ${name} 127.0.0.1`), "MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1"].join(" , ");
  const browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...flags, `--host-resolver-rules=${rules}`] });
  return { browser, [Symbol.asyncDispose]: () => browser.close() };
}
