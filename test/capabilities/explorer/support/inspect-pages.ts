import axe from "axe-core";
import type { Browser, Page } from "playwright-core";

const WIDTHS = [380, 800, 1440] as const;

/**
 * All findings of axe-core on a page, as loaded or with everything unfolded. Injected from outside, so the page's own policy applies to the
 * page only.
 */
async function findings(page: Page, isUnfolded: boolean): Promise<string[]> {
  if (isUnfolded) await page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true");
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, impact, nodes }) => `${page.url()} ${impact} ${id}: ${nodes[0]?.html.slice(0, 200)}`);
}

/**
 * Opens a page. Of one whose policy runs no script, axe-core's neither, which would never end there, it opens the text on an empty page: in
 * light, since axe-core takes the canvas of a page without a style for white.
 */
async function open(page: Page, url: string): Promise<void> {
  const response = await page.goto(url);
  if (!response?.headers()["content-security-policy"]?.includes("sandbox")) return;
  const text = await response.text();
  await page.goto("about:blank");
  await page.emulateMedia({ colorScheme: "light" });
  await page.setContent(text);
}

/**
 * Opens pages at three widths, the middle one in dark, and lists what is wrong: messages of the console, requests to
 * another host, content wider than the window, scripts of the content that ran, and all that axe-core finds: in the middle, with
 * what is folded opened, and at the smallest or the widest by turns. `isQuick`: each page is loaded once and made wider, and
 * axe-core looks at it at one of the widths, another one with each page.
 */
export async function inspectPages(
  browser: Browser,
  origin: string,
  paths: readonly string[],
  { isQuick = false }: { readonly isQuick?: boolean } = {},
): Promise<string[]> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) problems.push(`asked ${request.url()}`);
  });
  for (const [place, path] of paths.entries()) {
    for (const [i, width] of WIDTHS.entries()) {
      await page.emulateMedia({ colorScheme: width === 800 ? "dark" : "light" });
      await page.setViewportSize({ width, height: 900 });
      if (!isQuick || i === 0) await open(page, `${origin}${path}`);
      if (!(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"))) problems.push(`${path} is wider than ${width}`);
      if ((await page.evaluate("globalThis.owned")) !== undefined) problems.push(`${path} ran a script of its content`);
      if (isQuick ? place % WIDTHS.length === i : width === 800 || place % 2 === i / 2)
        problems.push(...(await findings(page, isQuick || width === 800)));
    }
  }
  await page.close();
  // A page that says that something is not held is a 404, which a browser's console mentions.
  return problems.filter((text) => !text.includes("404 (Not Found)"));
}
