import type { Browser } from "playwright-core";
import { afterAll } from "vitest";
import { type temporaryDirectory, test } from "../../../support/index.ts";
import { chromiumPath, openChromium } from "./browser.ts";

export { chromiumPath, openChromium };

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
