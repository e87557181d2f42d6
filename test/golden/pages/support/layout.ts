import type { Page } from "playwright-core";

/** Blocks and columns, by what they are called here: their edges follow from the window and the style, not from a machine's fonts. */
const BLOCKS = {
  header: "header.top",
  "bar of the header": ".bar",
  main: "main",
  "blocks of main": "main > :is(.hero,h1,dl,section,form,.split,.beside,.versions)",
  "source and side": ".split > *",
  "findings and sources": ".beside > *",
  charts: ".charts > figure",
  figures: ".figures > div",
  tables: "main .scroll",
  footer: "footer",
} as const;

/** Parts of drawings, and what a browser lays out by itself. */
const SKIPPED = "svg, svg *, option, script, style, col, colgroup, details:not([open]) > :not(summary) *";

// Runs in the browser, where TypeScript is not.
const BOXES = `(() => Object.entries(${JSON.stringify(BLOCKS)}).flatMap(([name, selector]) => {
  const boxes = [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect()).filter(({ width }) => width > 0);
  const edges = boxes.map(({ left, right, top }, i) => {
    const isBeside = i > 0 && top < boxes[i - 1].bottom - 1;
    return Math.round(left) + " to " + Math.round(right) + (isBeside ? " beside it" : "");
  });
  return edges.length === 0 ? [] : [name + ": " + [...new Set(edges)].join(", ")];
}))()`;

const STYLES = `(() => [...document.querySelectorAll("body *")].filter((element) => !element.matches(${JSON.stringify(SKIPPED)})).map((element) => {
  const { display, gridTemplateColumns, flexDirection, flexWrap, position, overflowX, float, columnWidth, textAlign } = getComputedStyle(element);
  const parts = [display];
  if (display.endsWith("grid")) parts.push("of " + gridTemplateColumns.split(" ").length);
  if (display.endsWith("flex")) parts.push(flexDirection, flexWrap);
  if (position !== "static") parts.push(position);
  if (overflowX === "auto" || overflowX === "scroll") parts.push("that scrolls");
  if (float !== "none") parts.push("at the " + float);
  if (columnWidth !== "auto") parts.push("in columns");
  if (textAlign === "right") parts.push("to the right");
  const parent = element.parentElement.classList[0];
  const name = [element.localName, ...[...element.classList].sort()].join(".");
  return [(parent === undefined ? "" : "." + parent + " > ") + name, parts.join(" ")];
}))()`;

/** What elements are without a style; those that are no more are of no interest. */
const plain = /^(?:block|inline|inline-block|list-item|table(?:-[a-z-]+)?)$/;

/** Where the blocks of the page that is open stand, a line for each kind: from which pixel to which, and what stands beside another. */
export function boxesOn(page: Page): Promise<string[]> {
  return page.evaluate(BOXES);
}

/** How the elements of pages are laid out: a line for each kind, which its name, classes and parent tell apart. */
export class Layouts {
  readonly #found = new Map<string, Set<string>>();

  async add(page: Page): Promise<void> {
    for (const [element, layout] of (await page.evaluate(STYLES)) as [string, string][])
      this.#found.set(element, (this.#found.get(element) ?? new Set()).add(layout));
  }

  lines(): string[] {
    return [...this.#found]
      .filter(([, layouts]) => layouts.size > 1 || ![...layouts].every((layout) => plain.test(layout)))
      .map(([element, layouts]) => `${element}: ${[...layouts].sort().join(" or ")}`)
      .sort();
  }
}
