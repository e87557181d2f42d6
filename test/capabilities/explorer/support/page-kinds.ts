import { pageRoutes } from "../../../../src/capabilities/pages/page.ts";
import { asWords } from "../../../support/command/command-lines.ts";

/** A module of which two versions are held, and functions and structs of the later one. */
export type HeldPair = {
  readonly address: string;
  readonly name: string;
  readonly from: bigint;
  readonly to: bigint;
  readonly items: readonly string[];
};

/** Answers that are no pages: a feed, a table and files. */
const FILES = new Set(["page.feed", "page.sql.csv", "page.sql.json", "page.suggest"]);

/**
 * Pages of every kind, as they are and as their forms make them, the API's among them.
 *
 * @throws Error when a route of the explorer is not among them
 */
export function pagesOfEveryKind({ address, name, from, to, items }: HeldPair): string[] {
  const module = `/module/${address}/${name}`;
  const pages = asWords`
    / /changes /changes?night=${to}&severity=breaking /coverage /gaps /going ${module}?show=source /error/${address}/${name}/1 /coverage?account=${address} /account/${address}
    /account/${address}?at=${from} ${module}?all=1 ${module}?at=${from}
    ${items.map((item) => `${module}/${item}?at=${to}`)} /diff/${address}/${name}?from=${from}&to=${to}&code=1
    /search?q=${name} /search?q=no+such+words /sql /sql?recipe=module-history&p.address=${address}&p.module=${name}
    /sql?sql=SELEC /module/0x1/none /v1/spec
  `;
  for (const { path, name: route } of pageRoutes) {
    const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, "[^/?]+")}(?:\\?|$)`);
    if (!FILES.has(route) && !pages.some((page) => pattern.test(page))) throw new Error(`no page of the kind ${path} is looked at`);
  }
  return pages;
}
