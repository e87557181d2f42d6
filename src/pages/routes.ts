/** The entries of the menu. */
export type Section = "home" | "changes" | "coverage" | "sql";

type Route = {
  readonly path: string;
  /** A short name for metrics and logs. */
  readonly name: string;
  /** Whether it bounds itself how many are made at once: what takes seconds must not keep other pages waiting. */
  readonly hasOwnLimit?: boolean;
  /** The part of the pages that can be left out with it. */
  readonly section?: Section;
};

const routes = [
  { path: "/", name: "page.home" },
  { path: "/changes", name: "page.changes" },
  { path: "/changes.atom", name: "page.feed" },
  { path: "/coverage", name: "page.coverage" },
  { path: "/gaps", name: "page.gaps" },
  { path: "/going", name: "page.going" },
  { path: "/sql", name: "page.sql", hasOwnLimit: true, section: "sql" },
  { path: "/sql.csv", name: "page.sql.csv", hasOwnLimit: true, section: "sql" },
  { path: "/sql.json", name: "page.sql.json", hasOwnLimit: true, section: "sql" },
  { path: "/search", name: "page.search" },
  { path: "/suggest", name: "page.suggest" },
  { path: "/account/:address", name: "page.account" },
  { path: "/module/:address/:name", name: "page.module" },
  { path: "/module/:address/:name/:item", name: "page.item" },
  { path: "/error/:address/:name/:code", name: "page.error" },
  { path: "/diff/:address/:name", name: "page.diff" },
] as const satisfies readonly Route[];

export type PageName = (typeof routes)[number]["name"];
export type PageRoute = Route & { readonly name: PageName };
export const pageRoutes: readonly PageRoute[] = routes;
