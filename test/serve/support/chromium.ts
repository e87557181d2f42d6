import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll } from "vitest";
import { isLongRun } from "../../run-size.ts";
import { asWords } from "../../support/command/index.ts";
import { type temporaryDirectory, test } from "../../support/scene/index.ts";

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

/** A browser for all tests of a file; where there is none, none for tests that are skipped. */
export async function browserOfFile(): Promise<Browser> {
  if (chromiumPath === undefined) return undefined as unknown as Browser;
  const { browser } = await openChromium();
  afterAll(() => browser.close());
  return browser;
}

/** A test that is skipped by name where there is no Chromium. */
export function inChromium(title: string, run: (own: { readonly place: ReturnType<typeof temporaryDirectory> }) => Promise<void>): void {
  test.skipIf(chromiumPath === undefined)(`${title} (skipped without Chromium)`, ({ place }) => run({ place }));
}
